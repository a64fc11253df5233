"""What each part of a layer keeps for its backward pass, in bytes for one position.

Attention, MLPs and mixtures of experts: Korthikanti et al. 2022, arXiv 2205.05198, section 4, without
its assumptions (any head size, grouped keys, gated MLPs); flash kernels keep a log-sum-exp a head in
place of the scores (Dao 2022, arXiv 2205.14135).  Latent attention in its expanded form, DeepSeek-AI
2024, arXiv 2405.04434.  State-space and linear mixers have no published closed form: the outputs of
all their matrices and the states of their chunks are counted, which is an estimate of the order.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from mfu_gui.engine.count_layers import count_part
from mfu_gui.engine.model import (
    MLA,
    MLSTM,
    RWKV,
    AlternatingUpdates,
    Attention,
    AttentionResiduals,
    CompressedAttention,
    Dense,
    GatedDeltaNet,
    HyperConnections,
    Indexer,
    KimiDeltaAttention,
    Layer,
    LightningAttention,
    Linear,
    Mamba1,
    Mamba2,
    Mixer,
    ModelSpec,
    MoE,
    SharedBlock,
    SpanConvolution,
    Stack,
    Vector,
)
from mfu_gui.engine.model.ffn import Ffn
from mfu_gui.planning.shapes import builder_for

Share = Literal["tensor", "keys", "sequence", "expert_tokens", "expert_width"]
FP32 = 4.0
MASK = 1.0
BESIDE = (Linear, Vector, HyperConnections, AlternatingUpdates)
"""Parts that stand beside a layer's sublayers and have no norm of their own."""
SCAN_CHUNK = 2048
"""Positions between the states that a selective-scan kernel keeps (mamba_ssm)."""


class KeepOptions(msgspec.Struct, frozen=True, gc=False):
    """What a run chooses about its activations."""

    value: float = 2.0
    """Bytes of one kept value."""
    flash: bool = True
    dropout: bool = False
    recompute_norms: bool = False
    recompute_mlp_product: bool = False
    recompute_mla_projection: bool = False


class Kept(msgspec.Struct, frozen=True, gc=False):
    """One thing that a layer keeps.

    ``size`` bytes for each position of ``axis``, or for each pair of positions (``pairs``).  ``share`` says
    what it is divided by, ``limit`` bounds the shards of keys.  It is dropped as far as *all* of
    ``components`` are computed again; without any it always stays.
    """

    components: tuple[str, ...]
    size: float
    share: Share = "tensor"
    limit: int = 0
    axis: str = ""
    pairs: bool = False


def kept_by_layer(model: ModelSpec, stack: Stack, layer: Layer, options: KeepOptions) -> list[Kept]:
    """Everything that one layer keeps; its own input comes first."""
    hidden = stack.hidden_size * options.value
    found = [Kept((), hidden, "sequence")]
    found += _inputs_and_norms(layer, hidden, options)
    parts = [*layer.mixers, *layer.ffns]
    if layer.shared is not None:
        found += _inputs_of_block(layer.shared, hidden, options)
        parts += [*layer.shared.mixers, *layer.shared.ffns]
    for part in parts:
        found += kept_by_part(model, stack, part, options)
    if options.dropout:
        found += [Kept((_main_component(part),), stack.hidden_size * MASK, "sequence") for part in parts
                  if not isinstance(part, BESIDE)]
    return found


def _inputs_and_norms(layer: Layer, hidden: float, options: KeepOptions) -> list[Kept]:
    """The inputs of norms (the first is the layer's own) and what each sublayer reads."""
    branches = [part for part in (*layer.mixers, *layer.ffns) if not isinstance(part, BESIDE)]
    reads = len(branches)
    if layer.parallel == "all":
        reads = min(1, reads)
    elif layer.parallel == "mixers":
        reads -= max(0, len(layer.mixers) - 1)
    found = [Kept(("norms",), hidden, "sequence")] * max(0, layer.norms - 1)
    if layer.norms and not options.recompute_norms:
        found += [Kept(("norms",), hidden, "sequence")] * reads
    return found


def _inputs_of_block(block: SharedBlock, hidden: float, options: KeepOptions) -> list[Kept]:
    reads = 0 if options.recompute_norms else len(block.mixers) + len(block.ffns)
    return [Kept(("norms",), hidden, "sequence")] * (block.norms + reads)


def _main_component(part: Mixer | Ffn) -> str:
    if isinstance(part, Dense):
        return "mlp"
    return "experts" if isinstance(part, MoE) else "attention_proj"


def kept_by_part(model: ModelSpec, stack: Stack, part: Mixer | Ffn, options: KeepOptions) -> list[Kept]:
    """What one mixer or ffn keeps beyond its input."""
    if isinstance(part, Attention):
        return _attention(part, options)
    if isinstance(part, MLA):
        return _latent(part, options)
    if isinstance(part, Dense):
        return _mlp("mlp", part.width, part.matrices, options)
    if isinstance(part, MoE):
        return _experts(part, stack.hidden_size, options)
    if isinstance(part, CompressedAttention):
        return _compressed(part, options)
    if isinstance(part, SpanConvolution):
        # Convolved keys, the keys and their product with the queries, the kernels, and the values of all neighbours.
        width = part.heads * part.head_dim
        kept = stack.hidden_size + (2 + part.kernel) * width + part.heads * part.kernel
        return [Kept(("attention_conv",), kept * options.value)]
    if isinstance(part, HyperConnections):
        extra = (part.streams - 1) * part.connections * stack.hidden_size
        return [Kept(("hyper_connection",), extra * options.value, "sequence")]
    if isinstance(part, AlternatingUpdates):  # the streams before and behind the layer
        return [Kept(("hyper_connection",), 2 * part.streams * stack.hidden_size * options.value, "sequence")]
    if isinstance(part, Vector | AttentionResiduals):  # what these add up are the inputs of layers
        return []
    if isinstance(part, Linear):
        width = (part.inputs or stack.hidden_size) + (part.outputs or stack.hidden_size)
        return [Kept((part.component,), width * options.value)]
    return _state_mixer(model, stack, part, options)


def _core(heads: int, value_dim: int, options: KeepOptions, axis: str = "") -> list[Kept]:
    """Scores or their log-sum-exp, and the heads' outputs, which the output projection reads."""
    output = Kept(("attention_av", "attention_proj"), heads * value_dim * options.value)
    if options.flash:
        return [Kept(("attention_qk",), heads * FP32), output]
    pair = options.value + (options.value + MASK if options.dropout else 0.0)
    return [Kept(("attention_qk",), heads * pair, pairs=True, axis=axis), output]


def _attention(mixer: Attention, options: KeepOptions) -> list[Kept]:
    value, width = mixer.value_dim or mixer.head_dim, options.value
    keys_axis = "" if mixer.keys_from == "self" else mixer.keys_from
    found = [Kept(("attention_proj",), mixer.heads * mixer.head_dim * width)]
    if mixer.own_kv:
        stored = mixer.head_dim + (value if mixer.own_v else 0)
        found.append(Kept(("attention_proj",), mixer.kv_heads * stored * width, "keys", mixer.kv_heads, keys_axis))
    if mixer.qk_norm != "none":
        found.append(Kept(("norms",), (mixer.heads + mixer.kv_heads * mixer.own_kv) * mixer.head_dim * width))
    found += _core(mixer.heads, value, options, keys_axis)
    found += _gate(mixer.gate, mixer.heads, value, options)
    if mixer.indexer is not None:
        found += _indexer(mixer.indexer, options)
    return found


def _gate(gate: str, heads: int, value_dim: int, options: KeepOptions) -> list[Kept]:
    """An output gate and what it multiplies."""
    if gate == "none":
        return []
    width = heads * value_dim if gate == "elementwise" else heads
    return [Kept(("attention_proj",), (width + heads * value_dim) * options.value)]


def _indexer(indexer: Indexer, options: KeepOptions) -> list[Kept]:
    """The indexer's queries and key, and which keys were chosen."""
    projections = (indexer.heads + 1) * indexer.head_dim * options.value if indexer.own else 0.0
    return [Kept(("attention_indexer",), projections + indexer.top_k * FP32, "sequence")]


def _latent(mixer: MLA, options: KeepOptions) -> list[Kept]:
    qk, width = mixer.qk_nope_head_dim + mixer.qk_rope_head_dim, options.value
    latents = (mixer.q_lora_rank or 0) + mixer.kv_lora_rank + mixer.qk_rope_head_dim
    found = [Kept(("attention_proj",), latents * width, "sequence")]
    if not options.recompute_mla_projection:
        found.append(Kept(("attention_proj",), mixer.heads * (2 * qk + mixer.value_dim) * width))
    found += _core(mixer.heads, mixer.value_dim, options)
    found += _gate(mixer.gate, mixer.heads, mixer.value_dim, options)
    if mixer.indexer is not None:
        found += _indexer(mixer.indexer, options)
    return found


def _compressed(mixer: CompressedAttention, options: KeepOptions) -> list[Kept]:
    """Query latent and queries, the one key head, what is compressed, the heads' outputs and their latents."""
    width, entries = options.value, 2 * mixer.head_dim * (1 + mixer.overlap) if mixer.rate is not None else 0
    narrow = mixer.q_lora_rank + mixer.head_dim + entries
    found = [Kept(("attention_proj",), narrow * width, "sequence"),
             Kept(("attention_proj",), (mixer.heads * mixer.head_dim + mixer.groups * mixer.o_lora_rank) * width)]
    found += _core(mixer.heads, mixer.head_dim, options)
    if mixer.indexer is not None:
        found += _indexer(mixer.indexer, options)
    return found


def inner_values(matrices: int, options: KeepOptions) -> int:
    """Values of the inner width that an MLP keeps: what comes before the activation, and what comes after."""
    return (matrices if matrices == 3 else 2) - options.recompute_mlp_product


def _mlp(component: str, width: int, matrices: int, options: KeepOptions) -> list[Kept]:
    return [Kept((component,), inner_values(matrices, options) * width * options.value)]


def _experts(ffn: MoE, hidden: int, options: KeepOptions) -> list[Kept]:
    """Router scores in fp32, the permuted tokens and their results, the experts' inner values."""
    inner = inner_values(ffn.matrices, options) * ffn.width * options.value
    carried = 2 * (ffn.latent_width or hidden) * options.value
    found = [Kept(("router",), ffn.experts * FP32, "sequence")] if ffn.router else []
    found += [Kept(("experts",), ffn.top_k * carried, "expert_tokens"),
              Kept(("experts",), ffn.top_k * inner, "expert_width")]
    if ffn.latent_width is not None:
        found.append(Kept(("expert_latent_proj",), ffn.latent_width * options.value, "sequence"))
    if ffn.shared_width:
        found += _mlp("shared_experts", ffn.shared_width, ffn.shared_matrices or ffn.matrices, options)
    return found


def _state_mixer(model: ModelSpec, stack: Stack, mixer: Mixer, options: KeepOptions) -> list[Kept]:
    """Outputs of all matrices but the last, the last one's input, and states between chunks."""
    build = builder_for(model, stack)
    count_part(mixer, build)
    matrices = [term for term in build.terms if term.kind == "matrix"]
    component = matrices[0].component if matrices else "other"
    widths = sum(_output_width(term.part, term.rows, term.columns, term.used) for term in matrices[:-1])
    widths += matrices[-1].rows if matrices else 0
    found = [Kept((component,), widths * options.value)]
    state, chunk = state_elements(mixer), state_chunk(mixer)
    if state and chunk:
        found.append(Kept((component,), state * FP32 / chunk))
    return found


def _output_width(part: str, rows: int, columns: int, used: int) -> int:
    # A depthwise convolution is held as channels × kernel and gives channels.
    return rows if part == "conv" else columns * used


def state_elements(mixer: Mixer) -> int:
    """Numbers that a recurrent mixer carries from one position to the next, the convolution's window left
    out; 0 for mixers that have none or keep all keys."""
    if isinstance(mixer, Mamba1):
        return mixer.inner * mixer.state
    if isinstance(mixer, Mamba2):
        return mixer.heads * mixer.head_dim * mixer.state
    if isinstance(mixer, GatedDeltaNet):
        return mixer.value_heads * mixer.key_dim * mixer.value_dim
    if isinstance(mixer, KimiDeltaAttention | LightningAttention):
        return mixer.heads * mixer.head_dim**2
    if isinstance(mixer, MLSTM):
        return mixer.heads * mixer.qk_dim * (mixer.value_dim + 1)
    if isinstance(mixer, RWKV):
        return mixer.width * (mixer.head_dim or 64) if mixer.version == 5 else 3 * mixer.width
    return getattr(mixer, "width", 0)


def state_chunk(mixer: Mixer) -> int:
    """Positions between two states that the backward pass needs; 0 when a kernel keeps none."""
    if isinstance(mixer, Mamba1):
        return SCAN_CHUNK
    return getattr(mixer, "chunk", 0) or 0
