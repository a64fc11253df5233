"""Memory of the fullest device of many layouts at once, by the terms of one layout.

The terms (``memory_terms``) take arrays of sizes, so that no formula is written twice.  Layouts are put
together by what decides which layers a stage holds: stages and virtual stages.  Of stages that hold the
same, the first is the fullest, because it holds most micro-batches; so a pipeline of any length has a few
stages to look at.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from mfu_gui.engine.model import ModelSpec
from mfu_gui.engine.run import Parallel, RunSpec
from mfu_gui.planning.communication import Array
from mfu_gui.planning.layout import Layout, layout_of
from mfu_gui.planning.memory_terms import Context, context_of, stage_terms
from mfu_gui.planning.spec import MemorySpec
from mfu_gui.planning.stages import StageLayers, stages_of

Index = npt.NDArray[np.intp]


class Sizes(msgspec.Struct, frozen=True, kw_only=True):
    """Sizes of many layouts: arrays of one length."""

    devices: Array
    global_batch: Array | None
    micro_batch: Array
    tensor: Array
    pipeline: Array
    virtual: Array
    context: Array
    expert: Array
    zero_stage: Array
    sequence_length: Array | None = None
    """That of the run where it is None."""

    def at(self, index: Index) -> Sizes:
        """Some of the layouts."""
        parts: dict[str, Any] = {name: None if (value := getattr(self, name)) is None else value[index]
                                 for name in self.__struct_fields__}
        return Sizes(**parts)


def memory_totals(model: ModelSpec, run: RunSpec, spec: MemorySpec, sizes: Sizes) -> Array:
    """Bytes on the fullest device of every layout of ``sizes``; the rest of the run is ``run``'s.

    InputError as ``memory``.
    """
    found = np.zeros(sizes.tensor.shape)
    for index in _alike(sizes, spec):
        part = sizes.at(index)
        lengths = part.sequence_length
        there: Any = run if lengths is None else replace(run, sequence_length=lengths)
        layout = _layout(run, spec, part)
        context = context_of(model, there, spec, layout)
        worst = np.zeros(index.shape)
        for stage in _fullest(context, spec):
            terms, _ = stage_terms(context, stage)
            worst = np.maximum(worst, sum(np.asarray(term.value, dtype=np.float64) for term in terms))
        found[index] = worst
    return found


def _alike(sizes: Sizes, spec: MemorySpec) -> Iterator[Index]:
    """Places of layouts that have the same stages and the same terms."""
    virtual = np.where(sizes.pipeline > 1, sizes.virtual, 1.0)
    # One number for all three: stages are few.  Where experts are cut like everything else, sequence
    # parallelism over one device is the same as none.
    split = spec.sequence_parallel is None and spec.expert_tensor is not None
    key = (sizes.pipeline * 2.0**20 + virtual) * 2.0 + (split & (sizes.tensor > 1))
    if key.size and (key == key[0]).all():
        yield np.arange(key.size)
        return
    order = np.argsort(key, kind="stable")
    starts = np.flatnonzero(np.diff(key[order], prepend=np.nan) != 0)
    yield from np.split(order, starts[1:])


def _layout(run: RunSpec, spec: MemorySpec, part: Sizes) -> Layout:
    """The layouts as one whose sizes are arrays where they may differ."""
    parallel = Parallel(tensor=int(part.tensor.max()), pipeline=int(part.pipeline[0]),
                        virtual_pipeline=int(part.virtual[0]))
    one = layout_of(replace(run, parallel=parallel, devices=None), spec)
    expert_tensor = part.tensor if spec.expert_tensor is None else np.full(part.tensor.shape, float(spec.expert_tensor))
    data = np.maximum(part.devices // (part.tensor * part.pipeline * part.context), 1.0)
    expert_data = np.maximum(part.devices // (part.pipeline * expert_tensor * part.expert), 1.0)
    limit = np.inf if spec.shard_devices is None else float(spec.shard_devices)
    batches = None
    if part.global_batch is not None:
        batches = np.maximum(part.global_batch // (part.micro_batch * data), 1.0)
    arrays: dict[str, Any] = {
        "devices": part.devices, "tensor": part.tensor, "context": part.context, "expert": part.expert,
        "expert_tensor": expert_tensor, "data": data, "expert_data": expert_data,
        "shards": np.minimum(data * part.context, limit), "expert_shards": np.minimum(expert_data, limit),
        "micro_batch": part.micro_batch, "micro_batches": batches, "zero_stage": part.zero_stage}
    return replace(one, **arrays)


def _fullest(context: Context, spec: MemorySpec) -> Iterator[StageLayers]:
    """One of all stages that hold the same layers and ends: the first, whose micro-batches are the most."""
    seen = set()
    for stage in stages_of(context.held, context.layout, spec.layers_per_stage):
        if stage.holds not in seen:
            seen.add(stage.holds)
            yield stage


