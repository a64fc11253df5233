"""How the plot writes times: those of a step, or those of a token in microseconds."""

from __future__ import annotations

from mfu_gui.formats.curve import Curve
from mfu_gui.texts import Numbers


def time_unit(curve: Curve, numbers: Numbers) -> str:
    """The unit of the axis of time, in the language of ``numbers``."""
    return numbers.duration(1 if curve.quantity == "step_time_s" else 1e-6).split(" ")[-1]


def time_text(curve: Curve, time: float, numbers: Numbers, digits: int = 3) -> str:
    """A time with its unit."""
    if curve.quantity == "step_time_s":
        return numbers.duration(time, digits)
    return f"{numbers.short(time, digits)} {time_unit(curve, numbers)}"
