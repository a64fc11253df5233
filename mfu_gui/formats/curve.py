"""MFU against time as geometry: utilization × time is constant, so one number describes each curve.

No Qt here.  The time is that of a step; without a batch or a number of devices, that of a token on one device.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

from mfu_gui.engine.compare import ConventionRow, sound_range
from mfu_gui.engine.scenario import Result, Scenario

Quantity = Literal["step_time_s", "token_time_us"]
TOP = 1.3
"""Highest utilization a curve has points for; above 1 there is only the proof that it cannot be."""


class Curve(NamedTuple):
    """One scenario in the plot.

    ``full``: the time at which the MFU would be 100 %, so that MFU = full ÷ time; ``low`` and ``high``
    the same for the ends of the range of sound conventions, ``hardware`` for the HFU where it differs.
    ``time`` and ``utilization`` are the measured point, None without one.
    """

    quantity: Quantity
    full: float
    hardware: float | None
    low: float | None
    high: float | None
    time: float | None
    utilization: float | None

    def at(self, time: float) -> float:
        """The MFU (a fraction) at a time."""
        return self.full / time


class Range(NamedTuple):
    """What the axis of time shows, and the distance of its marks; ``log``: both axes are logarithmic, that of the
    utilization from ``floor`` on."""

    start: float
    end: float
    step: float
    log: bool = False
    floor: float = 0.0

    def x(self, time: float) -> float:
        """Where a time is on its axis."""
        return math.log10(time) if self.log else time

    def y(self, utilization: float) -> float:
        """Where a utilization is on its axis."""
        return math.log10(max(utilization, self.floor / 10)) if self.log else utilization

    def time(self, x: float) -> float:
        """The time at a place of its axis."""
        return 10.0**x if self.log else x

    def utilization(self, y: float) -> float:
        """The utilization at a place of its axis."""
        return 10.0**y if self.log else y


def curve_of(scenario: Scenario, result: Result, rows: tuple[ConventionRow, ...]) -> Curve | None:
    """The curve of a scenario; None where nothing can be drawn (no FLOPs)."""
    per_token = result.flops.per_token
    if per_token <= 0:
        return None
    one = per_token / (result.peak_tflops_per_device * 1e12)  # seconds per token of one device at its peak
    devices = scenario.run.devices
    if result.tokens_per_step is not None and devices is not None:
        quantity: Quantity = "step_time_s"
        unit = one * result.tokens_per_step / devices
        time = result.throughput.step_time_s
    else:
        quantity, unit = "token_time_us", one * 1e6
        rate = result.throughput.tokens_per_s_per_device
        time = None if rate is None else 1e6 / rate
    ends = sound_range(rows)
    low, high = (None, None) if ends is None else (_scaled(ends[0], per_token, unit), _scaled(ends[1], per_token, unit))
    hardware = unit * result.flops.hardware_per_token / per_token
    return Curve(quantity, unit, hardware if hardware > unit * 1.001 else None, low, high, time,
                 None if time is None else unit / time)


def _scaled(row: ConventionRow, per_token: float, unit: float) -> float | None:
    return None if row.flops_per_token is None else unit * row.flops_per_token / per_token


def range_of(curve: Curve) -> Range:
    """A calm range of time: round numbers around the 100 % end and the point."""
    end = max(3.0 * curve.full, 2.0 * curve.time if curve.time is not None else 0.0)
    step = nice_step(end / 6)
    start = math.floor(0.75 * min(curve.full, curve.time or curve.full) / step) * step
    return Range(start, math.ceil(end / step - 1e-9) * step, step)


def log_range_of(curve: Curve) -> Range:
    """The same on logarithmic axes: about a factor of ten from the 100 % end on."""
    first = min(curve.full, curve.time or curve.full)
    end = max(10.0 * curve.full, 2.0 * curve.time if curve.time is not None else 0.0)
    return _in_logs(Range(first / TOP, end, 0.0, True), curve)


def _in_logs(span: Range, curve: Curve) -> Range:
    lowest = min(limit for limit in (curve.full, curve.low, curve.high, curve.hardware) if limit is not None)
    floor = min(0.5, 0.9 * lowest / span.end)
    return span._replace(floor=floor)


def zoomed(span: Range, about: float, factor: float, curve: Curve) -> Range:
    """``span`` with ``factor`` of its width, the time ``about`` staying where it is."""
    low, high, middle = span.x(span.start), span.x(span.end), span.x(about)
    start, end = (span.time(middle + (edge - middle) * factor) for edge in (low, high))
    if span.log:
        if not end / start > 1 + 1e-6:
            return span
        return _in_logs(span._replace(start=start, end=end), curve)
    start = max(start, 0.0)
    if not (end - start) > 1e-6 * end:
        return span
    return Range(start, end, nice_step((end - start) / 6))


def marks_of(span: Range) -> list[float]:
    """Round times inside the range: multiples of its step, or 1, 2, 5 times powers of ten."""
    if not span.log:
        first, last = math.ceil(span.start / span.step - 1e-6), math.floor(span.end / span.step + 1e-6)
        return [i * span.step for i in range(first, last + 1)]
    return _decades(span.start, span.end)


def utilization_marks(span: Range, parts: int) -> list[float]:
    """Round utilizations from the bottom of the axis to 100 %."""
    return _decades(span.floor, 1.0) if span.log else [i / parts for i in range(parts + 1)]


def _decades(low: float, high: float) -> list[float]:
    powers = range(math.floor(math.log10(low)), math.floor(math.log10(high)) + 1)
    wide = math.log10(high / low)
    fine: tuple[float, ...] = (1, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9)
    factors = fine if wide < 0.5 else (1, 1.5, 2, 3, 5, 7) if wide < 1.3 else (1, 2, 5) if wide < 3 else (1,)
    found = [float(f"{factor * 10.0**power:.3g}") for power in powers for factor in factors]
    return [value for value in found if low * (1 - 1e-9) <= value <= high * (1 + 1e-9)]


def nice_step(rough: float) -> float:
    """1, 2 or 5 times a power of ten, not above ``rough``."""
    power = 10.0 ** math.floor(math.log10(rough) + 1e-12)
    return max(factor * power for factor in (1.0, 2.0, 5.0) if factor * power <= rough * (1 + 1e-9))


def rounded_up(time: float, digits: int = 4) -> float:
    """The next number of so many digits: rounding the 100 % end down would ask for more than there is."""
    unit = 10.0 ** (math.floor(math.log10(time)) - digits + 1)
    return float(f"{math.ceil(time / unit - 1e-12) * unit:.{digits}g}")


def points(full: float, span: Range, count: int = 96) -> tuple[list[float], list[float]]:
    """Times and utilizations of one curve inside the picture, closer together where it bends."""
    first = max(span.start, full / TOP)
    if first >= span.end or first <= 0:
        return [], []
    ratio = (span.end / first) ** (1 / (count - 1))
    times = [first * ratio**i for i in range(count - 1)] + [span.end]
    return times, [full / time for time in times]


def table(curve: Curve, span: Range) -> list[tuple[float | None, ...]]:
    """The curve as rows: time, MFU, low and high of the sound conventions, HFU; at the marks of the axis."""
    times = marks_of(span)
    if curve.time is not None:
        times.append(curve.time)
    return [(time, curve.at(time), *(None if c is None else c / time for c in (curve.low, curve.high, curve.hardware)))
            for time in sorted(set(times)) if time > 0 and time >= curve.full * (1 - 1e-12)]
