"""Layers and stacks of layers: which parts run, how often, and what their gradients need.

Layers of one kind are counted together.  Where only a part of a model is trained, they are told
apart by what is trained in them and by whether anything before them is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mfu_gui.engine.builder import Builder
from mfu_gui.engine.count_attention import count_attention, count_compressed, count_mla, count_span_convolution
from mfu_gui.engine.count_ffn import (
    count_alternating_updates,
    count_attention_residuals,
    count_dense,
    count_hyper_connections,
    count_linear,
    count_moe,
    count_vector,
)
from mfu_gui.engine.count_linear import count_gated_delta_net, count_kda, count_lightning
from mfu_gui.engine.count_recurrent import (
    count_mlstm,
    count_recurrent_unit,
    count_rwkv,
    count_short_convolution,
    count_slstm,
)
from mfu_gui.engine.count_ssm import count_mamba1, count_mamba2
from mfu_gui.engine.model import (
    MLA,
    MLSTM,
    RWKV,
    SLSTM,
    AlternatingUpdates,
    Attention,
    AttentionResiduals,
    CompressedAttention,
    Dense,
    Ffn,
    GatedDeltaNet,
    HyperConnections,
    KimiDeltaAttention,
    Layer,
    LightningAttention,
    Linear,
    Mamba1,
    Mamba2,
    Mixer,
    MoE,
    RecurrentUnit,
    SharedBlock,
    ShortConvolution,
    SpanConvolution,
    Stack,
    Vector,
)
from mfu_gui.engine.training import FULL, Plan, Policy

COUNTERS: dict[type, Callable[[Any, Builder], bool]] = {
    Attention: count_attention,
    MLA: count_mla,
    CompressedAttention: count_compressed,
    SpanConvolution: count_span_convolution,
    Mamba1: count_mamba1,
    Mamba2: count_mamba2,
    GatedDeltaNet: count_gated_delta_net,
    KimiDeltaAttention: count_kda,
    LightningAttention: count_lightning,
    RecurrentUnit: count_recurrent_unit,
    RWKV: count_rwkv,
    MLSTM: count_mlstm,
    SLSTM: count_slstm,
    ShortConvolution: count_short_convolution,
    Dense: count_dense,
    MoE: count_moe,
    Linear: count_linear,
    Vector: count_vector,
    HyperConnections: count_hyper_connections,
    AlternatingUpdates: count_alternating_updates,
    AttentionResiduals: count_attention_residuals,
}
MakeBuilder = Callable[..., Builder]
Group = tuple[str, Policy, bool]


def count_part(part: Mixer | Ffn, build: Builder) -> bool:
    """Add one mixer or ffn; returns whether the gradient of its output is needed."""
    return COUNTERS[type(part)](part, build)


def count_layer(layer: Layer, stack: Stack, build: Builder, shared_stored: int) -> bool:
    """Add all parts of one layer kind; returns whether the gradient of the layer's output is needed.

    ``build.x`` says so for its input.  ``shared_stored``: copies of a shared block to store here.
    """
    vectors = stack.norm_vectors if layer.norm_vectors is None else layer.norm_vectors
    normed = layer.pre_norm and layer.norms > 0 and vectors > 0 and build.policy.weights
    given = residual = build.x
    if layer.shared is not None:
        residual = _count_shared(layer.shared, vectors, build, shared_stored) or residual
    for mixer in layer.mixers:
        build.x = residual or normed
        out = count_part(mixer, build)
        if layer.parallel == "none":
            residual = residual or out
        else:
            given = given or out
    residual = residual if layer.parallel == "all" else residual or given
    for ffn in layer.ffns:
        build.x = residual or normed
        out = count_part(ffn, build)
        if layer.parallel == "all":
            given = given or out
        else:
            residual = residual or out
    if layer.norms and vectors:
        build.scope("norms", "norms").vector("norm", stack.hidden_size, kind="norm", copies=layer.norms * vectors)
    if layer.extra_parameters:
        build.scope("other", "other").vector("extra", layer.extra_parameters)
    return residual or given


def _count_shared(block: SharedBlock, vectors: int, build: Builder, stored: int) -> bool:
    """Add a block that several layers share: executed by each of them, stored ``stored`` times."""
    own, x, inputs = build.stored, build.x, build.inputs
    build.stored = stored
    build.inputs = block.input_width or build.hidden
    for part in (*block.mixers, *block.ffns):
        # What the block reads beside the hidden state is the embedding, trained with the model.
        build.x = x or (block.norms > 0 and vectors > 0 and build.policy.weights)
        x = count_part(part, build) or x
    if vectors:
        norms = build.scope("norms", "norms")
        if block.norms:
            norms.vector("shared_norm", build.hidden, kind="norm", copies=block.norms * vectors)
        if block.input_norm:
            norms.vector("shared_input_norm", build.inputs, kind="norm", copies=vectors)
    build.stored, build.inputs = own, inputs
    return x


def count_stack(stack: Stack, plan: Plan | None, main: bool, x: bool, make: MakeBuilder) -> bool:
    """Add all layers of ``stack``; ``x`` says whether the gradient of its input is needed, the result
    whether that of its output is."""
    groups, out = _groups(stack, plan, main, x, make)
    first_of: set[str] = set()
    for (name, policy, needs), times in groups.items():
        layer = stack.kind(name)
        build = make(stack, layer=name, executed=times, stored=times, policy=policy, x=needs)
        stored = layer.shared.stored if layer.shared is not None and name not in first_of else 0
        first_of.add(name)
        count_layer(layer, stack, build, stored)
    return out


def _groups(stack: Stack, plan: Plan | None, main: bool, x: bool, make: MakeBuilder) -> tuple[dict[Group, int], bool]:
    """Layers that are counted alike, with their number, and whether the stack's output needs a gradient."""
    groups: dict[Group, int] = {}
    if plan is None:
        for name, times in stack.order:
            key = (name, FULL, x)
            groups[key] = groups.get(key, 0) + times
        return groups, True
    for name, times, policy in plan.segments(stack, main):
        while times:
            take = times
            key = (name, policy, x)
            if not x and _starts_gradient(stack, name, policy, make):
                take, x = 1, True
            groups[key] = groups.get(key, 0) + take
            times -= take
    return groups, x


def _starts_gradient(stack: Stack, name: str, policy: Policy, make: MakeBuilder) -> bool:
    """Whether a layer that reads data only has something trained in it."""
    scratch = make(stack, layer=name, policy=policy, x=False, scratch=True)
    return count_layer(stack.kind(name), stack, scratch, 0)
