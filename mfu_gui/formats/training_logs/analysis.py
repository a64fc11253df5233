"""What a log says of the run as a whole: its steady part, its typical figures, what was out of the ordinary."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator
from itertools import pairwise
from math import fsum, isfinite, isnan
from typing import Literal

import msgspec

from mfu_gui.formats.training_logs.normal import Normal
from mfu_gui.formats.training_logs.rebase import Comparison, Rebased
from mfu_gui.formats.training_logs.statistics import STALL, Summary, finite, outlier_bounds, summary, warm_up

Flag = Literal["warm_up", "ramp_up", "slow", "fast", "stall", "pause_before"]
MOST_LISTED = 100
_MOST_BATCHES = 200
_SHORTEST_PAUSE = 1.0
SUMMARIZED = ("step_time_s", "samples_per_s", "samples_per_s_per_device", "tokens_per_s", "tokens_per_s_per_device",
              "reported_tflops_per_device", "reported_hardware_tflops_per_device", "reported_mfu",
              "reported_mfu_instant", "reported_hfu")


class RampUp(msgspec.Struct, frozen=True):
    """A global batch that grows: the steps before ``until_step`` had a smaller one."""

    until_step: float
    first_batch: float
    last_batch: float


class Event(msgspec.Struct, frozen=True):
    """A stall (a step of more than three medians) or a pause between steps, and the seconds it cost."""

    kind: Literal["stall", "pause"]
    step: float
    seconds: float


class Analysis(msgspec.Struct, frozen=True, kw_only=True):
    """``warm_up`` steps at the beginning and those of a ramp-up are in no figure; ``first`` is the first that is.

    ``wall_average_s``: time of day from the first to the last of those steps ÷ their number: pauses count.
    ``slow``, ``fast``: steps beyond ``bounds`` (of the step time).
    """

    first: int
    warm_up: int
    warm_up_given: bool
    ramp_up: RampUp | None
    figures: dict[str, Summary]
    wall_average_s: float | None
    bounds: tuple[float, float]
    slow: int
    fast: int
    events: tuple[Event, ...]
    events_left_out: int
    lost_s: float
    above_peak: int
    comparison: Comparison | None


def analyse(normal: Normal, rebased: Rebased | None = None, skip: int | None = None) -> Analysis:
    """The figures of a log; ``skip`` overrides how many steps count as warm-up."""
    length = len(normal)
    ramp = _ramp_up(normal)
    cut = warm_up(_pace(normal)) if skip is None else min(skip, length)
    first = max(cut, _index_of(normal, ramp.until_step) if ramp else 0)
    first = first if first < length else 0
    figures = {name: found for name in SUMMARIZED
               if (quantity := normal.get(name)) and (found := summary(quantity.values(first, length)))}
    above = 0
    if rebased is not None:
        tflops = rebased.tflops(first, length)
        above = sum(value > rebased.peak for value in tflops)
        for name, values in (("tflops_per_device", tflops), ("mfu", rebased.mfu(first, length)),
                             ("hfu", rebased.hfu(first, length))):
            if found := summary(values):
                figures[name] = found
    time = normal.get("step_time_s")
    bounds = outlier_bounds(time.values(first, length)) if time else (float("-inf"), float("inf"))
    events = list(_events(normal, first, figures))
    return Analysis(
        first=first, warm_up=cut, warm_up_given=skip is not None, ramp_up=ramp, figures=figures,
        wall_average_s=_wall_average(normal, first), bounds=bounds,
        slow=sum(value > bounds[1] for value in time.values(first, length)) if time else 0,
        fast=sum(value < bounds[0] for value in time.values(first, length)) if time else 0,
        events=tuple(events[:MOST_LISTED]), events_left_out=max(0, len(events) - MOST_LISTED),
        lost_s=fsum(event.seconds for event in events), above_peak=above,
        comparison=rebased.comparison() if rebased else None)


def flags(normal: Normal, analysis: Analysis, start: int, stop: int) -> list[tuple[Flag, ...]]:
    """What is out of the ordinary about each step of a range."""
    steps = normal.table.columns["step"].values(start, stop)
    time = normal.get("step_time_s")
    times = time.values(start, stop) if time else array("d", [float("nan")]) * len(steps)
    events = {(event.step, event.kind) for event in analysis.events}
    low, high = analysis.bounds
    found = []
    for index, (step, value) in enumerate(zip(steps, times, strict=True), start):
        marks: list[Flag] = []
        if index < analysis.warm_up:
            marks.append("warm_up")
        if analysis.ramp_up and step < analysis.ramp_up.until_step:
            marks.append("ramp_up")
        if not marks and value > high:
            marks.append("stall" if (step, "stall") in events else "slow")
        if not marks and value < low:
            marks.append("fast")
        if (step, "pause") in events:
            marks.append("pause_before")
        found.append(tuple(marks))
    return found


def _pace(normal: Normal) -> array[float]:
    """What should be constant over a run: the time of a token, a sequence or a step."""
    rate, time, batch = (normal.get(name) for name in ("tokens_per_s_per_device", "step_time_s", "global_batch"))
    length = len(normal)
    if rate is not None:
        return array("d", (1 / value if value else float("nan") for value in rate.values(0, length)))
    if time is None:
        return array("d")
    if batch is None:
        return time.values(0, length)
    return array("d", (seconds / size if size else float("nan") for seconds, size in
                       zip(time.values(0, length), batch.values(0, length), strict=True)))


def _ramp_up(normal: Normal) -> RampUp | None:
    """A batch that never shrinks and ends at one size; what only grows now and then is no ramp-up."""
    batch = normal.get("global_batch")
    if batch is None or batch.origin != "read":
        return None
    known = finite(batch.values(0, len(normal)))
    if len(known) < 2 or known[0] == known[-1] or any(later < earlier for earlier, later in pairwise(known)):
        return None
    if sum(later > earlier for earlier, later in pairwise(known)) > _MOST_BATCHES:
        return None
    values, steps = batch.values(0, len(normal)), normal.table.columns["step"]
    first = next(index for index, value in enumerate(values) if value == known[-1])
    return RampUp(steps[first], known[0], known[-1])


def _index_of(normal: Normal, step: float) -> int:
    return bisect_left(normal.table.columns["step"].raw(), step)


def _wall_average(normal: Normal, first: int) -> float | None:
    steps = normal.table.columns["step"]
    for name in ("wall_s", "elapsed_s"):
        clock = normal.get(name)
        if clock is None:
            continue
        values = clock.values(first, len(normal))
        known = [index for index, value in enumerate(values) if not isnan(value)]
        if len(known) < 2:
            continue
        gone = values[known[-1]] - values[known[0]]
        way = steps[first + known[-1]] - steps[first + known[0]]
        if gone > 0 and way > 0:
            return gone / way
    return None


def _events(normal: Normal, first: int, figures: dict[str, Summary]) -> Iterator[Event]:
    """Stalls by the time of a step, and pauses: time of day that no step accounts for."""
    time, usual = normal.get("step_time_s"), figures.get("step_time_s")
    if time is None or usual is None:
        return
    steps = normal.table.columns["step"].values(first, len(normal))
    times = time.values(first, len(normal))
    clock = normal.get("wall_s") if time.origin == "read" else None
    walls = clock.values(first, len(normal)) if clock else None
    shortest = max(_SHORTEST_PAUSE, STALL * usual.median)
    for index, (step, seconds) in enumerate(zip(steps, times, strict=True)):
        if seconds > STALL * usual.median:
            yield Event("stall", step, seconds - usual.median)
        if walls is None or index == 0 or isnan(seconds):
            continue
        pause = walls[index] - walls[index - 1] - seconds * (step - steps[index - 1])
        if isfinite(pause) and pause > shortest:
            yield Event("pause", step, pause)
