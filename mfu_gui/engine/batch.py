"""How devices and the global batch are shared out: the identities every run obeys.

devices = tensor × pipeline × context × replicas;  global batch = micro-batch × replicas × accumulation.
Any three of micro-batch, accumulation, replicas and global batch give the fourth.
"""

from __future__ import annotations

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


def _whole(batch: int, product: int) -> int:
    if batch % product:
        raise InputError("batch_does_not_divide", "run.accumulation", batch=batch, product=product,
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
