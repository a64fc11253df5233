"""What the picture of a log shows, in numbers: its logs, what of them is in sight, and the room that takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mfu_gui.ui.log_data import Array

_ROOM = 0.08
_SAMPLE = 5000


class Shown(NamedTuple):
    """One log in the picture.  ``printed``: what the log itself says of the same quantity."""

    steps: Array
    values: Array
    printed: Array | None = None
    name: str = ""


class Marked(NamedTuple):
    """Indices of the chosen log that are marked, and its steps that are in no figure."""

    first: int
    slow: npt.NDArray[np.intp]
    fast: npt.NDArray[np.intp]
    stalls: npt.NDArray[np.intp]
    ramp_until: float | None = None


def room_of_steps(logs: Sequence[Shown]) -> tuple[float, float]:
    """From the first step to the last of all logs; one of them at least has steps."""
    logs = [log for log in logs if len(log.steps)]
    start, end = min(float(log.steps[0]) for log in logs), max(float(log.steps[-1]) for log in logs)
    return (start, end) if end > start else (start - 1, end + 1)


def room_of_values(values: Array, main: Shown, others: Sequence[Shown]) -> tuple[float, float]:
    """From the lowest to the highest that is usual; a stall may leave the picture at the top, and is marked there.

    ``values``: those of ``main`` in sight.
    """
    seen = [values, *(other.values for other in others)]
    if main.printed is not None:
        seen.append(main.printed)
    samples = [part[:: len(part) // _SAMPLE | 1] for part in seen]
    samples = [known for part in samples if len(known := part[np.isfinite(part)])]
    if not samples or not np.isfinite(values).any():
        return 0.0, 1.0
    lows, highs = zip(*(np.percentile(part, (1, 99)) for part in samples), strict=True)
    low, high = float(min(lows)), float(max(highs))
    away = max(high - low, 0.05 * abs(high), 1e-12)
    least, most = float(np.nanmin(values)), float(np.nanmax(values))
    low = min(low, max(least, low - 2 * away)) - _ROOM * away
    high = max(high, min(most, high + 2 * away)) + _ROOM * away
    return (max(0.0, low) if least >= 0 else low), high


def place_of_cut(steps: Array, first: int) -> float:
    """The place of the line: between the last step that is left out and the first that counts."""
    if not len(steps):
        return 0.0
    if first <= 0:
        return float(steps[0])
    if first >= len(steps):
        return float(steps[-1])
    return float(steps[first - 1] + steps[first]) / 2


def value_alone(steps: Array, values: Array) -> tuple[Array, Array]:
    """The one value there is, which no line shows; nothing where a line does."""
    known = np.isfinite(values)
    return (steps[known], values[known]) if np.count_nonzero(known) == 1 else (steps[:0], values[:0])


def part_in_sight(steps: Array, values: Array, start: float, end: float) -> tuple[Array, Array]:
    """The steps in sight and one on each side."""
    first, last = int(np.searchsorted(steps, start)), int(np.searchsorted(steps, end, side="right"))
    chosen = slice(max(0, first - 1), last + 1)
    return steps[chosen], values[chosen]
