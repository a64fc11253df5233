"""Activations of one layer on one device, under a layout and a choice of what is computed again."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import msgspec

from mfu_gui.engine.axes import axes_of
from mfu_gui.engine.model import ModelSpec
from mfu_gui.engine.recompute import repeats
from mfu_gui.engine.run import Recompute, RunSpec
from mfu_gui.planning.kept import KeepOptions, Kept, kept_by_layer
from mfu_gui.planning.layout import Layout, is_there, least
from mfu_gui.planning.shapes import Group
from mfu_gui.planning.spec import MemorySpec

SPLIT_BY_CONTEXT = frozenset({"text", "decoder", "encoder"})
"""Axes that context parallelism cuts; towers run whole on each rank."""
SOURCE_AXES = {"encoder": ("encoder", "frame"), "image": ("image",)}
COMPONENTS = {"attention_sdpa": ("attention_qk", "attention_av")}


class LayerBytes(msgspec.Struct, frozen=True):
    """Bytes of one micro-batch in one layer: what stays until the backward pass, all that there is while
    the layer is computed, and what stays by component."""

    kept: float
    full: float
    by_component: dict[str, float]


def keep_options(run: RunSpec, spec: MemorySpec) -> KeepOptions:
    """What ``run`` and ``spec`` choose; a kernel that is not stated is taken for a flash kernel."""
    value = spec.activation_bytes
    if value is None:
        value = 4.0 if run.precision in ("fp32", "tf32") else 2.0
    return KeepOptions(value, run.attention_kernel != "unfused", spec.dropout, spec.recompute_norms,
                       spec.recompute_mlp_product, spec.recompute_mla_projection)


@lru_cache(maxsize=128)
def _kept(model: ModelSpec, stack: int, kind: str, options: KeepOptions) -> tuple[Kept, ...]:
    part = model.stacks[stack]
    return tuple(kept_by_layer(model, part, part.kind(kind), options))


def recomputed_layers(run: RunSpec) -> int | None:
    """The first so many layers of the main stack that are computed again; None for all."""
    return run.recompute.layers if isinstance(run.recompute, Recompute) else None


class Positions(msgspec.Struct, frozen=True):
    """Positions of one sequence on one device by axis, and pairs of them (queries of one rank)."""

    counts: dict[str, float]
    pairs: dict[str, float]


def positions_of(model: ModelSpec, run: RunSpec, layout: Layout) -> Positions:
    """Padded positions: memory is spent on them as well."""
    whole = msgspec.structs.replace(run, document_lengths=None)
    counts: dict[str, float] = {}
    pairs: dict[str, float] = {}
    for axis, lengths in axes_of(model, whole).items():
        divisor = layout.context if axis in SPLIT_BY_CONTEXT else 1
        counts[axis] = lengths.positions / divisor
        pairs[axis] = lengths.copies * sum(length * length for length in lengths.lengths) / divisor
    return Positions(counts, pairs)


def divisor_of(kept: Kept, layout: Layout, imbalance: float) -> float:
    """What the bytes of a whole sequence are divided by on one device, context apart.

    Routed tokens are spread like all others (sequence-parallel), then gathered over the expert-tensor
    group; the fullest rank has ``imbalance`` times the mean.
    """
    tensor = layout.tensor
    spread = tensor if layout.sequence_parallel else 1
    if kept.share == "tensor":
        return tensor
    if kept.share == "keys":
        shards: float = least(tensor, kept.limit or tensor)
        return shards
    if kept.share == "sequence":
        return spread
    gathered = spread / layout.expert_tensor if layout.sequence_parallel else 1.0
    if kept.share == "expert_width":
        gathered *= layout.expert_tensor
    return gathered / imbalance


def _units(kept: Kept, axis: str, positions: Positions) -> float:
    if not kept.axis:
        return positions.pairs[axis] if kept.pairs else positions.counts[axis]
    source = next((a for a in SOURCE_AXES.get(kept.axis, (kept.axis,)) if a in positions.counts), axis)
    if kept.pairs:
        return positions.counts[axis] * positions.counts[source]
    return positions.counts[source]


def layer_bytes(model: ModelSpec, run: RunSpec, spec: MemorySpec, layout: Layout, group: Group,
                positions: Positions) -> LayerBytes:
    """Bytes of one micro-batch in one layer of ``group``."""
    stack = model.stacks[group.stack]
    shares = repeats(run) if group.recomputed else {}
    kept_sum = full = 0.0
    by_component: dict[str, float] = {}
    for kept in _kept(model, group.stack, group.kind, keep_options(run, spec)):
        size = (kept.size * _units(kept, stack.axis, positions) * layout.micro_batch
                / divisor_of(kept, layout, spec.expert_imbalance))
        stays = size * float(1 - _dropped(kept, shares))
        full += size
        kept_sum += stays
        if is_there(stays):
            name = kept.components[0] if kept.components else "layer_input"
            by_component[name] = by_component.get(name, 0.0) + stays
    return LayerBytes(kept_sum, full, by_component)


def _dropped(kept: Kept, shares: dict[str, Fraction]) -> Fraction:
    """Share of it that is computed again: the least of its components'."""
    if not kept.components or not shares:
        return Fraction(0)
    rest = shares.get("*", Fraction(0))
    return min(min(Fraction(1), shares.get(name, rest)) for name in kept.components)
