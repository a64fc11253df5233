"""Mixers that carry a state along the sequence: state space, linear attention, recurrences.

What their cores cost depends on the kernel; ``engine/count_ssm.py`` says what is counted.
"""

from __future__ import annotations

from typing import Literal

from mfu_gui.engine.model.base import Count, Record, Width


class Mamba1(Record, frozen=True, kw_only=True, tag_field="type", tag="mamba1"):
    """Selective scan (Mamba, Falcon-Mamba, Jamba, Zamba).

    in ``hidden × 2·inner``, depthwise convolution over ``inner``, x ``inner × (dt_rank + 2·state)``,
    dt ``dt_rank × inner`` with bias, out ``inner × hidden``; A ``inner × state``, D ``inner``.
    ``heads`` > 1 splits x, dt, A and D into groups of their own (Zamba): x is then
    ``heads × inner/heads × (dt_rank + 2·state)``, dt ``heads × dt_rank × inner/heads``.
    """

    inner: Width
    state: Width
    dt_rank: Width
    conv: Width = 4
    heads: Width = 1
    conv_bias: bool = True
    bias: bool = False
    """Biases of the in and out projections."""
    inner_norms: bool = False
    """Norms with a weight on dt, B and C (Jamba)."""


class Mamba2(Record, frozen=True, kw_only=True, tag_field="type", tag="mamba2"):
    """State-space duality (Mamba-2, Codestral, Bamba, Nemotron-H, Zamba2, Granite-4-H, Falcon-H1).

    With ``inner = heads·head_dim``: in ``hidden × (2·inner + 2·groups·state + heads)``, depthwise
    convolution over ``inner + 2·groups·state``, out ``inner × hidden``.
    """

    heads: Width
    head_dim: Width
    state: Width
    groups: Width = 1
    conv: Width = 4
    chunk: Width = 256
    conv_bias: bool = True
    bias: bool = False
    gated_norm: bool = True
    """A norm over ``inner`` before the out projection."""
    time_bias: bool = True
    skip: bool = True
    """The vector D, one number a head."""


class GatedDeltaNet(Record, frozen=True, kw_only=True, tag_field="type", tag="gated_delta_net"):
    """Gated delta rule (Qwen3-Next, Qwen3.5, OLMo-hybrid), arXiv 2412.06464.

    With K = key_heads·key_dim, U = value_heads·value_dim: q, k ``hidden × K``, v, z ``hidden × U``,
    b, a ``hidden × value_heads``, depthwise convolution over 2K + U, out ``U × hidden``.
    """

    key_heads: Width
    value_heads: Width
    key_dim: Width
    value_dim: Width
    conv: Width = 4
    chunk: Width = 64
    conv_bias: bool = False
    output_gate: bool = True
    """The matrix z."""


class KimiDeltaAttention(Record, frozen=True, kw_only=True, tag_field="type", tag="kda"):
    """Delta attention with a decay per channel (Kimi Linear), arXiv 2510.26692.

    q, k, v ``hidden × heads·head_dim``; decay and output gate of rank ``gate_rank``, or one full matrix
    each without it (Ling 2.5), the output gate also by itself (Kimi K3); b ``hidden × heads``; depthwise
    convolution over 3·heads·head_dim; out ``heads·head_dim × hidden``.
    """

    heads: Width
    head_dim: Width
    gate_rank: Width | None = None
    conv: Width = 4
    chunk: Width = 64
    gate_bias: bool = False
    """A bias on the second matrix of the output gate."""
    full_output_gate: bool = False
    """The output gate is one full matrix although the decay is of low rank (Kimi K3)."""


class LightningAttention(Record, frozen=True, kw_only=True, tag_field="type", tag="lightning"):
    """Linear attention with a fixed decay a head (MiniMax-01), arXiv 2501.08313.

    qkv ``hidden × 3·heads·head_dim``, output gate ``hidden × heads·head_dim``, out
    ``heads·head_dim × hidden``, a norm over heads·head_dim; blocks of ``chunk`` positions.
    """

    heads: Width
    head_dim: Width
    chunk: Width = 256
    output_gate: bool = True
    qk_norm: bool = False


class RecurrentUnit(Record, frozen=True, kw_only=True, tag_field="type", tag="rg_lru"):
    """Real-gated linear recurrent unit (RecurrentGemma), arXiv 2402.19427.

    y, x ``hidden × width``, depthwise convolution over ``width``, two block-diagonal gates of
    ``blocks`` blocks, out ``width × hidden``.
    """

    width: Width
    blocks: Width
    conv: Width = 4
    bias: bool = True


class RWKV(Record, frozen=True, kw_only=True, tag_field="type", tag="rwkv"):
    """RWKV time mixing: receptance, key, value ``hidden × width``, output ``width × hidden``.

    Version 4 decays each channel (arXiv 2305.13048); version 5 keeps a ``head_dim × head_dim`` state a
    head and adds a gate (arXiv 2404.05892).  The recurrence has no matrix product in version 4.
    """

    version: Literal[4, 5] = 4
    width: Width
    head_dim: Width | None = None


class MLSTM(Record, frozen=True, kw_only=True, tag_field="type", tag="mlstm"):
    """Matrix-memory LSTM (xLSTM-7B), arXiv 2503.13427, in its chunkwise form.

    q, k ``hidden × heads·qk_dim``, v, output gate ``hidden × heads·value_dim``, input and forget
    gates ``hidden × heads`` with bias, out ``heads·value_dim × hidden``.
    """

    heads: Width
    qk_dim: Width
    value_dim: Width
    chunk: Width = 64
    bias: bool = False


class SLSTM(Record, frozen=True, kw_only=True, tag_field="type", tag="slstm"):
    """Scalar-memory LSTM (xLSTM), arXiv 2405.04517: four gates from the input (``hidden × width``,
    block-diagonal in ``heads``) and four from the previous hidden state."""

    width: Width
    heads: Width
    conv: Count = 4
    bias: bool = True


class ShortConvolution(Record, frozen=True, kw_only=True, tag_field="type", tag="short_convolution"):
    """Gated short convolution (LFM2): in ``hidden × 3·hidden``, depthwise convolution over hidden,
    out ``hidden × hidden``."""

    conv: Width = 3
    bias: bool = False


StateMixer = (Mamba1 | Mamba2 | GatedDeltaNet | KimiDeltaAttention | LightningAttention | RecurrentUnit | RWKV
              | MLSTM | SLSTM | ShortConvolution)
