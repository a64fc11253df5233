"""Published runs as points of the plot: their own step time against the utilization that was printed.  No Qt here."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple, Protocol

from mfu_gui.formats.curve import Quantity
from mfu_gui.formats.published import PublishedRow, published
from mfu_gui.texts import Translator
from mfu_gui.ui.published_lines import QUANTITIES, cited, utilization


class PublishedPoint(NamedTuple):
    """Where a row lies: seconds a step (or microseconds a token of one device), and a fraction."""

    time: float
    utilization: float
    row: PublishedRow


@lru_cache(maxsize=8)
def points_on(hardware: str, quantity: Quantity) -> tuple[PublishedPoint, ...]:
    """All rows on a device (id of its preset) that print enough to be placed."""
    found = []
    for row in published().rows:
        if row.hardware != hardware:
            continue
        time, value = _time(row, quantity), utilization(row, published())
        if time is not None and value is not None and 0 < value <= 1:
            found.append(PublishedPoint(time, value, row))
    return tuple(found)


def _time(row: PublishedRow, quantity: Quantity) -> float | None:
    """The time axis of a row; None where its source does not print what it follows from."""
    measured, devices = row.measured, row.devices
    if measured is None or measured.key == "tflops_per_device":
        return None
    tokens = None if row.sequence_length is None or row.global_batch is None else row.sequence_length * row.global_batch
    step = each = None
    if measured.key == "step_time_s":
        step = measured.value
        each = None if tokens is None or devices is None else tokens / step / devices
    else:
        total = measured.value if measured.key == "tokens_per_s" else None
        each = measured.value if total is None else None if devices is None else total / devices
        if total is None and each is not None and devices is not None:
            total = each * devices
        step = None if tokens is None or total is None else tokens / total
    if quantity == "step_time_s":
        return step
    return None if each is None else 1e6 / each


class Speaker(Protocol):
    """Who knows the language of the moment."""

    @property
    def tr(self) -> Translator: ...


def read_out(point: PublishedPoint, language: Speaker) -> str:
    """What to say about a point under the mouse."""
    row, tr = point.row, language.tr
    devices = "" if row.devices is None else f"{row.devices:,} × "
    printed = tr.join([f"{tr(QUANTITIES[quantity])} {digits}" for quantity, digits in row.figures])
    return "\n".join((row.model_name, f"{devices}{row.hardware_name}", printed, cited(row)))
