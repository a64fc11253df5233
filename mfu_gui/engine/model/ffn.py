"""What works on each position by itself: dense MLPs, mixtures of experts, single matrices, vectors."""

from __future__ import annotations

from typing import Literal

from mfu_gui.engine.model.base import Count, PartName, Record, Width


class Dense(Record, frozen=True, kw_only=True, tag_field="type", tag="dense"):
    """Dense MLP: ``matrices`` 3 for gated (SwiGLU, GeGLU), 2 for plain; each ``hidden × width``."""

    width: Width
    matrices: Literal[2, 3] = 3
    biases: bool = False


class MoE(Record, frozen=True, kw_only=True, tag_field="type", tag="moe"):
    """Mixture of experts: ``top_k`` of ``experts`` a token, plus shared experts that always run."""

    experts: Width
    top_k: Width
    width: Width
    matrices: Literal[2, 3] = 3
    shared_width: Count = 0
    """Total width of the shared experts (number × width of one)."""
    shared_matrices: Literal[2, 3] | None = None
    shared_gate: bool = False
    """A ``hidden × 1`` gate on the shared expert (Qwen-MoE)."""
    biases: bool = False
    router: bool = True
    router_bias: bool = False
    router_buffer: bool = False
    """A correction bias per expert that is stored but not trained by gradient (DeepSeek-V3)."""
    identity_experts: Count = 0
    """Zero-compute experts the router can also choose (LongCat-Flash)."""
    latent_width: Width | None = None
    """Experts act on a latent of this width, with one projection down and one up (Nemotron 3)."""
    runs_all_experts: bool = False
    """The reference implementation multiplies every token by every expert (Llama 4); only
    ``as_executed`` counts that."""


class Linear(Record, frozen=True, kw_only=True, tag_field="type", tag="linear"):
    """One matrix ``inputs × outputs`` a position passes through: what a layer has beside its mixers
    and MLPs (Zamba's join, the adapters of each call of a shared block, RWKV's receptance).

    A missing width is the stack's hidden size.  ``component`` names its FLOPs, ``store`` its
    parameters.
    """

    name: PartName
    inputs: Width | None = None
    outputs: Width | None = None
    bias: bool = False
    component: PartName = "other"
    store: PartName = "other"


class Vector(Record, frozen=True, kw_only=True, tag_field="type", tag="vector"):
    """``size`` learned numbers of a layer that no product uses: norms of other widths (store
    ``norms``), token-shift mixes, layer scales.  ``buffer``: stored but not trained by gradient."""

    name: PartName
    size: Width
    store: PartName = "other"
    buffer: bool = False


class HyperConnections(Record, frozen=True, kw_only=True, tag_field="type", tag="hyper_connections"):
    """A residual of several streams (DeepSeek-V4): for each of ``connections`` sublayers, one matrix
    ``streams·hidden × (2 + streams)·streams`` finds how the streams are read, written and mixed, and the
    mixing is a product of ``streams × streams`` with ``streams × hidden``."""

    streams: Width
    connections: Width = 2


class AlternatingUpdates(Record, frozen=True, kw_only=True, tag_field="type", tag="alternating_updates"):
    """A residual of several streams of which a layer computes one (Gemma 3n; arXiv 2301.13310): a router
    ``hidden × streams``, run before and behind the layer, ``streams × streams²`` to predict the streams from
    each other, ``streams × streams`` to correct them."""

    streams: Width


class AttentionResiduals(Record, frozen=True, kw_only=True, tag_field="type", tag="attention_residuals"):
    """A residual that attends to what earlier blocks of layers left (Kimi K3, arXiv 2607.24653): each vector is
    scored, and the weighted sum of all takes the place of the plain one."""

    mixes: Width
    """Places where that is done, each with a norm and a query ``hidden × 1`` of its own."""
    sources: Width
    """Vectors that are scored and added up at all places together."""


Ffn = Dense | MoE | Linear | Vector | HyperConnections | AlternatingUpdates | AttentionResiduals
