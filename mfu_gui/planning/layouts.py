"""The search for a better layout: every one in which all divides but the layers, its time, memory and cost.

Thousands of layouts are one call of the step-time model (``step_core``) and of the memory terms
(``memory_grid``); the rows that are shown are computed again one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, Literal

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from mfu_gui.engine.errors import InputError, Notice
from mfu_gui.engine.evaluate import evaluate
from mfu_gui.engine.fields import N_
from mfu_gui.engine.run import Measured, Parallel, Recompute, RecomputeName
from mfu_gui.engine.scenario import Scenario
from mfu_gui.planning.anchored import predict
from mfu_gui.planning.communication import Array
from mfu_gui.planning.failures import goodput_of
from mfu_gui.planning.layout_space import DIMENSIONS, Given, Space, space_of
from mfu_gui.planning.memory import FITS_BELOW, Verdict, capacity_of, verdict
from mfu_gui.planning.memory_advice import memory_of
from mfu_gui.planning.memory_grid import Sizes, memory_totals
from mfu_gui.planning.run_plan import plan_run
from mfu_gui.planning.spec import PlanSpec, plan_spec, with_plan
from mfu_gui.planning.stages import layers_of_stages
from mfu_gui.planning.step_core import Grid, step_seconds
from mfu_gui.planning.step_layout import grid_of_sizes
from mfu_gui.planning.step_time import executed_flops, floor_s, layout_unknown, step_inputs, step_time
from mfu_gui.planning.sweep import Cancelled, Progress

By = Literal["time", "memory", "cost"]
RANKINGS: tuple[By, ...] = ("time", "memory", "cost")
Timing = Literal["predicted", "model"]
AT_ONCE = 2**15
"""Layouts between two calls of progress."""
VERDICT_WORDS: dict[Verdict, str] = {"fits": N_("it fits"), "tight": N_("tight"), "does_not_fit": N_("does not fit"),
                                     "unknown": N_("not known")}
SPLITS = ("tensor", "pipeline", "virtual_pipeline", "context", "expert")


class Part(msgspec.Struct, frozen=True):
    """What most of something goes to: a message id and its share of the whole."""

    label: str
    share: float


class LayoutRow(msgspec.Struct, frozen=True, kw_only=True):
    """One layout, computed by itself.

    ``memory_mostly`` is the largest term of the fullest device, ``time_lost`` the largest part of the step
    that is no product (None on a device that does nothing else).  ``cost`` and ``days`` are None without
    tokens or a price.
    """

    scenario: Scenario
    """With this layout, and the predicted step time as measured."""
    devices: int
    parallel: Parallel
    micro_batch: int
    recompute: RecomputeName | Recompute
    step_time_s: float
    mfu: float | None
    tokens_per_s: float | None
    memory_bytes: float
    memory_share: float | None
    verdict: Verdict
    memory_mostly: Part
    time_lost: Part | None
    days: float | None
    cost: float | None
    current: bool
    stage_layers: tuple[int, ...] | None = None
    """Layers of each stage where they are not all the same."""


class Layouts(msgspec.Struct, frozen=True, kw_only=True):
    """What a search found.

    ``step_time_s`` and ``memory_bytes`` are of every layout of ``space``; ``device_seconds`` of useful time is
    what cost is proportional to.  ``timing`` says whether times are predicted from the measured step or are
    those of the component model alone.
    """

    base: Scenario
    space: Space
    timing: Timing
    step_time_s: Array
    memory_bytes: Array
    device_seconds: Array
    capacity: float | None
    notices: tuple[Notice, ...] = ()

    def counts(self) -> dict[Verdict, int]:
        """Number of layouts by verdict."""
        if self.capacity is None:
            return {"unknown": self.space.count}
        share = self.memory_bytes / self.capacity
        fits, possible = int((share < FITS_BELOW).sum()), int((share <= 1).sum())
        return {"fits": fits, "tight": possible - fits, "does_not_fit": self.space.count - possible}

    def order(self, by: By = "time", *, all_of_them: bool = False) -> npt.NDArray[np.intp]:
        """Indices of the layouts, best first: what fits, then what is tight, each by time, memory or cost.

        What does not fit is left out unless ``all_of_them`` are wanted, or nothing else is left.
        """
        values = {"time": self.step_time_s, "memory": self.memory_bytes, "cost": self.device_seconds}[by]
        share = np.zeros(values.shape) if self.capacity is None else self.memory_bytes / self.capacity
        rank = np.where(share < FITS_BELOW, 0, np.where(share <= 1, 1, 2))
        # Among equals the simpler one, then the one that needs less memory.
        nearly = np.round(values / values.min(), 9)
        ways = np.sum([getattr(self.space, name) > 1 for name in SPLITS], axis=0)
        order = np.lexsort((self.memory_bytes, self.space.context, ways, nearly, rank))
        possible = int((rank < 2).sum())
        return order if all_of_them or not possible else order[:possible]

    def rows(self, by: By = "time", count: int = 20, *, all_of_them: bool = False) -> list[LayoutRow]:
        """The best layouts, each computed by itself.

        Of several that take the same time and memory the simplest stands for all.
        """
        found: list[int] = []
        seen: set[tuple[float, float, float]] = set()
        for index in map(int, self.order(by, all_of_them=all_of_them)):
            like = (float(f"{self.step_time_s[index]:.6g}"), float(f"{self.memory_bytes[index]:.2g}"),
                    float(self.space.devices[index]))
            if like not in seen:
                seen.add(like)
                found.append(index)
            if len(found) == count:
                break
        return [self.row(index) for index in found]

    def row(self, index: int) -> LayoutRow:
        """One layout of the space.  InputError where the scenario cannot have it."""
        return layout_row(self.base, self.timing, _scenario_at(self.base, self.space, index))

    def current(self) -> LayoutRow | None:
        """The layout that the scenario has now, computed alike; None where it says none or cannot be computed."""
        if self.base.run.parallel is None:
            return None
        try:
            return layout_row(self.base, self.timing, self.base)
        except InputError:
            return None


def search(scenario: Scenario, given: Given | None = None, progress: Progress | None = None) -> Layouts:
    """Step time and memory of every layout of ``space_of``.

    ``given`` limits dimensions (``tensor``: (1, 2, 4)).  Stages are as even as the layers allow, the step is
    that of the fullest, and the second anchor of a prediction is not used.  InputError as
    ``space_of``, ``step_inputs`` and ``memory``; Raises ``Cancelled`` when progress says so.
    """
    base = _plain(scenario)
    space = _sorted(space_of(base, given))
    spec = plan_spec(base)
    timing = timing_of(base)
    found = Layouts(
        base=base, space=space, timing=timing, step_time_s=np.zeros(space.count), memory_bytes=np.zeros(space.count),
        device_seconds=np.zeros(space.count), capacity=capacity_of(base.hardware, spec.memory, base.peak),
        notices=_notices(scenario, spec))
    for part in _parts(space):
        if progress is not None and not progress(part.start, space.count):
            raise Cancelled
        _fill(found, spec, part)
    _cost(found, spec)
    if progress is not None:
        progress(space.count, space.count)
    return found


def timing_of(scenario: Scenario) -> Timing:
    """Predicted where there is a measured step that says how it lies on its devices; else the model alone."""
    run = scenario.run
    if run.devices is None or run.global_batch is None or layout_unknown(scenario):
        return "model"
    return "predicted" if evaluate(scenario).throughput.step_time_s is not None else "model"


def _plain(scenario: Scenario) -> Scenario:
    """Without what holds for one layout only, and with a layout where a single device needs none."""
    spec = plan_spec(scenario)
    if spec.memory.layers_per_stage is not None or spec.step_anchor is not None or spec.devices is not None:
        memory = replace(spec.memory, layers_per_stage=None)
        scenario = with_plan(scenario, replace(spec, memory=memory, step_anchor=None, devices=None))
    if scenario.run.devices == 1 and scenario.run.parallel is None:
        scenario = replace(scenario, run=replace(scenario.run, parallel=Parallel()))
    return scenario


def _notices(scenario: Scenario, spec: PlanSpec) -> tuple[Notice, ...]:
    found = []
    if plan_spec(scenario).memory.layers_per_stage is not None:
        found.append(Notice("layouts_even_stages", "plan.memory.layers_per_stage"))
    if timing_of(scenario) == "model":
        unknown = layout_unknown(scenario) and scenario.run.measured is not None
        found.append(Notice("layouts_model_only" if not unknown else "layouts_need_layout", "run.parallel.tensor"))
    return tuple(found)


def _sorted(space: Space) -> Space:
    """What is computed together stands together: recomputation, then stages."""
    order = np.lexsort((space.virtual_pipeline, space.pipeline, space.recompute))
    columns: dict[str, Any] = {name: getattr(space, name)[order] for name in DIMENSIONS}
    return Space(**columns, recomputes=space.recomputes)


def _parts(space: Space) -> Iterator[slice]:
    """Slices of one kind of recomputation each, not too large."""
    edges = [0, *(np.flatnonzero(np.diff(space.recompute)) + 1).tolist(), space.count]
    for first, last in pairwise(edges):
        for start in range(first, last, AT_ONCE):
            yield slice(start, min(start + AT_ONCE, last))


def _fill(found: Layouts, spec: PlanSpec, part: slice) -> None:
    space, base = found.space, found.base
    again: Any = space.recomputes[int(space.recompute[part.start])]
    size = {name: getattr(space, name)[part] for name in DIMENSIONS}
    run = replace(base.run, recompute=again)
    batch = np.full(size["tensor"].shape, float(base.run.global_batch or 1))
    found.memory_bytes[part] = memory_totals(base.model, run, spec.memory, Sizes(
        devices=size["devices"], global_batch=batch, micro_batch=size["micro_batch"], tensor=size["tensor"],
        pipeline=size["pipeline"], virtual=size["virtual_pipeline"], context=size["context"], expert=size["expert"],
        zero_stage=size["zero_stage"]))
    found.step_time_s[part] = _seconds(found, spec, replace(base, run=run), size, batch)


def _seconds(found: Layouts, spec: PlanSpec, scenario: Scenario, size: dict[str, Array], batch: Array) -> Array:
    """Step times: the model's, or carried on HFU from the measured step as ``predict`` does."""
    base = found.base
    there = _with_parallel(scenario, Parallel())
    if found.timing == "model":
        return _floor(there, spec, size, batch)
    # Recomputation is carried at constant HFU, so the model compares layouts at the measured one.
    measured = evaluate(base).throughput.step_time_s or 0.0
    before, now = step_inputs(_with_parallel(base, Parallel())), step_inputs(there)
    executed = executed_flops(now.work, now.grid) / executed_flops(before.work, before.grid)
    floors = _floor(_with_parallel(base, Parallel()), spec, size, batch)
    return np.asarray(measured * executed * floors / floor_s(base), dtype=np.float64)


def _floor(scenario: Scenario, spec: PlanSpec, size: dict[str, Array], batch: Array) -> Array:
    inputs = step_inputs(scenario)
    memory = spec.memory
    grid = grid_of_sizes(
        scenario.model.main.layer_count(), size["devices"], batch, tensor=size["tensor"], pipeline=size["pipeline"],
        virtual=size["virtual_pipeline"], context=size["context"], expert=size["expert"],
        expert_tensor=None if memory.expert_tensor is None else float(memory.expert_tensor),
        micro_batch=size["micro_batch"], zero_stage=size["zero_stage"], sequence_parallel=memory.sequence_parallel,
        linear_again=inputs.grid.linear_again, core_again=inputs.grid.core_again)
    grid = _limited(grid, memory.shard_devices)
    choices = replace(inputs.choices, schedule=memory.schedule or "1f1b")
    return step_seconds(inputs.work, inputs.machine, grid, choices).total_s


def _limited(grid: Grid, shard_devices: int | None) -> Grid:
    if shard_devices is None:
        return grid
    return replace(grid, shards=np.minimum(grid.shards, float(shard_devices)),
                   expert_shards=np.minimum(grid.expert_shards, float(shard_devices)))


def _cost(found: Layouts, spec: PlanSpec) -> None:
    """Device-seconds of a step over the goodput of so many devices."""
    losses = goodput_of(spec, found.base.hardware.devices_per_node)
    different, places = np.unique(found.space.devices, return_inverse=True)
    share = np.array([max(losses.at(float(count)), 1e-12) for count in different])[places]
    found.device_seconds[:] = found.space.devices * found.step_time_s / share


def _with_parallel(scenario: Scenario, parallel: Parallel) -> Scenario:
    return replace(scenario, run=replace(scenario.run, parallel=parallel))


def _scenario_at(base: Scenario, space: Space, index: int) -> Scenario:
    size = {name: int(getattr(space, name)[index]) for name in DIMENSIONS}
    again: Any = space.recomputes[size.pop("recompute")]
    devices, micro = size.pop("devices"), size.pop("micro_batch")
    return replace(base, run=replace(base.run, devices=devices, micro_batch=micro, recompute=again,
                                     parallel=Parallel(**size)))


def layout_row(base: Scenario, timing: Timing, other: Scenario) -> LayoutRow:
    """``other`` (the base scenario in another layout) by itself: time, memory, cost, and what they go to."""
    seconds = predict(base, other).step_time_s if timing == "predicted" else floor_s(other)
    measured = replace(other, run=replace(other.run, measured=Measured(step_time_s=seconds)))
    result = evaluate(measured)
    made = memory_of(measured)
    spec = plan_spec(measured)
    plan = plan_run(measured, spec, result) if spec.unknown in ("days", "budget") else None
    run = measured.run
    return LayoutRow(
        scenario=measured, devices=run.devices or 1, parallel=run.parallel or Parallel(),
        micro_batch=run.micro_batch or 1, recompute=run.recompute, step_time_s=seconds, mfu=result.mfu,
        tokens_per_s=result.throughput.tokens_per_s, memory_bytes=made.worst.total,
        memory_share=None if made.capacity is None else made.worst.total / made.capacity,
        verdict=verdict(made.worst.total, made.capacity),
        memory_mostly=_largest([(term.label, float(term.value or 0)) for term in made.worst.terms], made.worst.total),
        time_lost=_lost(measured), days=None if plan is None else plan.value("time", "days"),
        cost=None if plan is None else plan.value("cost", "total"),
        current=_same_layout(other, base), stage_layers=_uneven(measured))


def _uneven(scenario: Scenario) -> tuple[int, ...] | None:
    parallel = scenario.run.parallel or Parallel()
    if parallel.pipeline == 1:
        return None
    layers = layers_of_stages(scenario.model.main.layer_count(), parallel.pipeline, parallel.virtual_pipeline,
                              plan_spec(scenario).memory.layers_per_stage)
    return tuple(layers) if len(set(layers)) > 1 else None


def _largest(parts: Sequence[tuple[str, float]], total: float) -> Part:
    label, value = max(parts, key=lambda part: part[1])
    return Part(label, value / total if total else 0.0)


PRODUCTS = ("matmul", "attention")


def _lost(scenario: Scenario) -> Part | None:
    """The largest part of the model's step that is no matrix product."""
    step = step_time(scenario)
    parts = [(figure.label, float(figure.value or 0)) for figure in step.components if figure.key not in PRODUCTS]
    found = _largest(parts, step.total_s)
    return found if found.share > 0 else None


def _same_layout(first: Scenario, second: Scenario) -> bool:
    a, b = first.run, second.run
    return (b.parallel is not None and a.parallel == b.parallel and a.recompute == b.recompute
            and a.devices == b.devices and (a.micro_batch or 1) == (b.micro_batch or 1))


def with_layout(scenario: Scenario, row: LayoutRow) -> Scenario:
    """The scenario in this layout.

    A step time that was measured in another layout is not true of this one, so the predicted one takes its
    place; a scenario without a measurement stays without.
    """
    run = replace(scenario.run, devices=row.devices, parallel=row.parallel, micro_batch=row.micro_batch,
                  recompute=row.recompute)
    if scenario.run.measured is not None:
        run = replace(run, measured=row.scenario.run.measured)
    spec = plan_spec(scenario)
    if spec.memory.layers_per_stage is not None:
        scenario = with_plan(scenario, replace(spec, memory=replace(spec.memory, layers_per_stage=None)))
    return replace(scenario, run=run)
