"""Layout: how a run lies over its devices, with every size that follows from it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from typing import Any

import msgspec

from mfu_gui.engine.model import ModelSpec, MoE
from mfu_gui.engine.model_edit import ffns_of
from mfu_gui.engine.run import Parallel, RunSpec
from mfu_gui.planning.spec import MemorySpec, Schedule


class Layout(msgspec.Struct, frozen=True, kw_only=True):
    """Sizes of all groups of devices.

    ``data`` replicas of the dense part (devices ÷ tensor ÷ pipeline ÷ context), ``expert_data`` those of
    the experts; ``shards`` and ``expert_shards`` over how many devices ZeRO shards each.
    ``micro_batches`` per pipeline and step is None without a global batch or devices.

    A search holds arrays of many layouts in it (``memory_grid``); pipeline, virtual stages, schedule and
    sequence parallelism are the same for all of those.
    """

    devices: int | None = None
    tensor: int = 1
    pipeline: int = 1
    virtual_pipeline: int = 1
    context: int = 1
    expert: int = 1
    expert_tensor: int = 1
    data: int = 1
    expert_data: int = 1
    shards: int = 1
    expert_shards: int = 1
    zero_stage: int = 0
    micro_batch: int = 1
    micro_batches: int | None = None
    schedule: Schedule = "1f1b"
    sequence_parallel: bool = False

    @property
    def replica(self) -> int:
        """Devices that hold one copy of the dense part."""
        return self.tensor * self.pipeline * self.context


def layout_of(run: RunSpec, spec: MemorySpec, devices: int | None = None) -> Layout:
    """The layout of ``run``; ``devices`` replaces its own.  What does not divide is rounded down here and
    named by ``layout_checks``."""
    parallel = run.parallel or Parallel()
    devices = devices if devices is not None else run.devices
    tensor, pipeline, context, expert = parallel.tensor, parallel.pipeline, parallel.context, parallel.expert
    expert_tensor = spec.expert_tensor or tensor
    replica = tensor * pipeline * context
    expert_replica = pipeline * expert_tensor * expert
    data = max(1, devices // replica) if devices is not None else max(1, -(-expert_replica // replica))
    all_devices = devices if devices is not None else data * replica
    expert_data = max(1, all_devices // expert_replica)
    limit = spec.shard_devices
    micro_batch = run.micro_batch or 1
    per_step = micro_batch * data
    batches = max(1, run.global_batch // per_step) if run.global_batch is not None and devices is not None else None
    virtual = parallel.virtual_pipeline if pipeline > 1 else 1
    return Layout(
        devices=devices, tensor=tensor, pipeline=pipeline, virtual_pipeline=virtual, context=context, expert=expert,
        expert_tensor=expert_tensor, data=data, expert_data=expert_data,
        shards=min(limit or data * context, data * context), expert_shards=min(limit or expert_data, expert_data),
        zero_stage=parallel.zero_stage, micro_batch=micro_batch, micro_batches=batches,
        schedule=_schedule(spec.schedule, pipeline, virtual),
        sequence_parallel=spec.sequence_parallel if spec.sequence_parallel is not None else tensor > 1)


def _schedule(chosen: Schedule | None, pipeline: int, virtual: int) -> Schedule:
    if pipeline == 1:
        return "1f1b"
    if chosen is None or (chosen == "1f1b" and virtual > 1):
        return "interleaved" if virtual > 1 else "1f1b"
    return chosen


def in_flight(layout: Layout, stage: int) -> float:
    """Micro-batches whose activations ``stage`` (from 0) holds at its fullest, in units of all its layers.

    GPipe holds all of them; 1F1B ``pipeline − stage``; interleaved 1F1B its warm-up of chunks, which makes
    ``layers·(1 + (p−1)/(p·v))`` on stage 0; ZB-H1 as 1F1B and ZB-H2 up to 2p − 1 (Qi et al. 2023,
    arXiv 2401.10241); DualPipe p + 1 chunks over two stages a device (DeepSeek-AI 2024, arXiv 2412.19437,
    table 2).  Never more than there are micro-batches.
    """
    stages, virtual, batches = layout.pipeline, layout.virtual_pipeline, layout.micro_batches
    if stages == 1:
        return 1.0
    limit = float("inf") if batches is None else 1.0 * batches
    held: float = float(stages) if batches is None else limit
    if layout.schedule == "interleaved":
        held = least(2 * (stages - stage - 1) + (virtual - 1) * stages + 1, limit * virtual) / virtual
    elif layout.schedule == "zb-h2":
        held = least(2.0 * (stages - stage) - 1, limit)
    elif layout.schedule == "dualpipe":
        held = least(stages + 1.0, limit) / 2
    elif layout.schedule != "gpipe":
        held = least(float(stages - stage), limit)
    return held


def least(first: Any, second: Any) -> Any:
    """The smaller of two numbers, or of two arrays place by place."""
    if isinstance(first, int | float) and isinstance(second, int | float):
        return min(first, second)
    from numpy import minimum  # only where a search has many layouts at once

    return minimum(first, second)


def largest(values: Iterable[Any], default: Any = 0.0) -> Any:
    """The largest of numbers, or of arrays place by place."""
    found = list(values)
    if all(isinstance(value, int | float) for value in found):
        return max(found, default=default)
    from numpy import maximum

    return reduce(maximum, found)


def pick(condition: Any, first: Any, second: Any) -> Any:
    """``first`` where the condition holds, else ``second``; of arrays, place by place."""
    if isinstance(condition, bool):
        return first if condition else second
    from numpy import where

    return where(condition, first, second)


def is_there(value: Any) -> bool:
    """Whether a number is anything but 0; of arrays, in any place."""
    return bool(value) if isinstance(value, int | float) else bool(value.any())


def has_experts(model: ModelSpec) -> bool:
    """Whether any layer routes tokens to experts."""
    return bool(ffns_of(model, MoE))
