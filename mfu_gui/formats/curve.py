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
    """What the axis of time shows, and the distance of its marks."""

    start: float
    end: float
    step: float


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
    count = round((span.end - span.start) / span.step)
    times = [span.start + i * span.step for i in range(count + 1)]
    if curve.time is not None:
        times.append(curve.time)
    return [(time, curve.at(time), *(None if c is None else c / time for c in (curve.low, curve.high, curve.hardware)))
            for time in sorted(times) if time >= curve.full * (1 - 1e-12)]
