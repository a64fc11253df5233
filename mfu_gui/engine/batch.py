"""How devices and the global batch are shared out: the identities every run obeys.

devices = tensor × pipeline × context × replicas;  global batch = micro-batch × replicas × accumulation.
Any three of micro-batch, accumulation, replicas and global batch give the fourth.
"""

from __future__ import annotations

from typing import Literal

from msgspec.structs import replace

from mfu_gui.engine.errors import InputError, Notice
from mfu_gui.engine.run import Parallel, RunSpec


def devices_of_replica(run: RunSpec) -> int:
    """Devices that hold one copy of the model (of its dense part): tensor × pipeline × context."""
    parallel = run.parallel or Parallel()
    return parallel.tensor * parallel.pipeline * parallel.context


def replicas(run: RunSpec) -> int | None:
    """Data-parallel size; None without devices, or where they cannot be divided."""
    one = devices_of_replica(run)
    return run.devices // one if run.devices is not None and run.devices % one == 0 else None


def accumulation(run: RunSpec) -> int | None:
    """Micro-batches that each replica runs in one step; None where something is missing or does not divide."""
    data = replicas(run)
    if data is None or run.global_batch is None or run.micro_batch is None:
        return None
    together = run.micro_batch * data
    return run.global_batch // together if run.global_batch % together == 0 else None


def with_replicas(run: RunSpec, data: int) -> RunSpec:
    """The run on ``data`` replicas: the devices follow, and with them the accumulation."""
    return replace(run, devices=data * devices_of_replica(run))


def with_accumulation(run: RunSpec, count: int) -> RunSpec:
    """The run with ``count`` micro-batches a replica and step.

    The global batch follows from micro-batch and replicas; without a micro-batch that follows from the
    global batch, without devices they do.  InputError ``accumulation_needs`` where two are missing and
    ``batch_does_not_divide`` where the rest is no whole number.
    """
    data = replicas(run)
    if run.micro_batch is not None and data is not None:
        return replace(run, global_batch=run.micro_batch * data * count)
    if run.global_batch is not None and data is not None:
        return replace(run, micro_batch=_whole(run.global_batch, data * count))
    if run.global_batch is not None and run.micro_batch is not None and run.devices is None:
        return with_replicas(run, _whole(run.global_batch, run.micro_batch * count))
    raise InputError("accumulation_needs", "run.accumulation")


Part = Literal["micro_batch", "accumulation", "replicas", "global_batch"]
PARTS: tuple[Part, ...] = ("micro_batch", "accumulation", "replicas", "global_batch")
"""What global batch = micro-batch × replicas × accumulation is made of."""


def part(run: RunSpec, key: Part) -> int | None:
    """The value of one of the four."""
    if key == "accumulation":
        return accumulation(run)
    return replicas(run) if key == "replicas" else getattr(run, key)


def with_part(run: RunSpec, key: Part, value: int | None, follows: Part) -> RunSpec:
    """The run with one of the four set to ``value``, and ``follows`` computed from the other three.

    Where one of those is missing, or ``follows`` is the replicas of devices that are known, only the accumulation
    gives way.  InputError ``batch_does_not_divide`` where what follows is no whole number, and as
    ``with_accumulation``.
    """
    others = {each: part(run, each) for each in PARTS if each not in (key, follows)}
    known = value is not None and all(other is not None for other in others.values())
    four = {**others, key: value}
    if known and follows == "global_batch":
        micro, count, data = (four[each] or 1 for each in ("micro_batch", "accumulation", "replicas"))
        changed = replace(run, micro_batch=micro, global_batch=micro * count * data)
        return with_replicas(changed, data) if key == "replicas" else changed
    if known and follows == "micro_batch":
        count, data = four["accumulation"] or 1, four["replicas"] or 1
        batch = four["global_batch"] or 1
        changed = replace(run, micro_batch=_whole(batch, count * data, f"run.{key}"), global_batch=batch)
        return with_replicas(changed, data) if key == "replicas" else changed
    if key == "accumulation":
        return run if value is None else with_accumulation(run, value)
    if key == "replicas":
        return run if value is None else with_replicas(run, value)
    changed = replace(run, micro_batch=value) if key == "micro_batch" else replace(run, global_batch=value)
    if known and follows == "replicas" and run.devices is None:
        micro, count = four["micro_batch"] or 1, four["accumulation"] or 1
        return with_replicas(changed, _whole(four["global_batch"] or 1, micro * count, f"run.{key}"))
    return changed


def _whole(batch: int, product: int, field: str = "run.accumulation") -> int:
    if batch % product:
        raise InputError("batch_does_not_divide", field, batch=batch, product=product,
                         offers=nearest_multiples(batch, product))
    return batch // product


def nearest_multiples(value: int, factor: int) -> list[int]:
    """Multiples of ``factor`` just below and above ``value``, without 0."""
    below = value // factor * factor
    return [multiple for multiple in (below, below + factor) if multiple > 0]


def identity_notices(run: RunSpec) -> list[Notice]:
    """Devices and batch that do not divide; ``offers`` are the nearest values that do."""
    if run.devices is None or run.parallel is None:
        return []
    one = devices_of_replica(run)
    if run.devices % one:
        return [Notice("layout_does_not_divide", "run.devices",
                       {"devices": run.devices, "product": one, "offers": nearest_multiples(run.devices, one)})]
    if run.global_batch is None:
        return []
    together = (run.micro_batch or 1) * (run.devices // one)
    if run.global_batch % together:
        return [Notice("batch_does_not_divide", "run.global_batch",
                       {"batch": run.global_batch, "product": together,
                        "offers": nearest_multiples(run.global_batch, together)})]
    return []
