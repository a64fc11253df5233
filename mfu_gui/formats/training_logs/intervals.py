"""Per-step figures from counters: elapsed time, time of day, tokens or samples since the start."""

from __future__ import annotations

from array import array
from itertools import islice
from math import isnan
from operator import sub

from mfu_gui.formats.training_logs.values import NAN

MOST_ROUNDING = 0.02
"""Share of a span that whole seconds at both ends may be off."""
_FEWEST_POINTS = 8
_SHORTEST_SPAN = 5.0


def per_step(steps: array[float], counter: array[float]) -> array[float]:
    """Growth of a counter per step since the line before; NaN at the first line and where it fell."""
    grown = array("d", [NAN])
    grown.extend(map(sub, islice(counter, 1, None), counter))
    distance = array("d", [NAN])
    distance.extend(map(sub, islice(steps, 1, None), steps))
    return array("d", (growth / way if growth > 0 and way > 0 else NAN
                       for growth, way in zip(grown, distance, strict=True)))


def over_spans(steps: array[float], seconds: array[float]) -> array[float]:
    """Seconds per step from a clock of whole seconds.

    A span is as long as the rounding of its two ends asks for; its last line carries the mean, the
    lines before are NaN.
    """
    known = [value for value in (seconds[0], seconds[-1]) if not isnan(value)] if seconds else []
    total = known[-1] - known[0] if len(known) == 2 else 0.0
    span = max(_SHORTEST_SPAN, min(1.0 / MOST_ROUNDING, total / _FEWEST_POINTS))
    result = array("d", [NAN]) * len(steps)
    start = 0
    for index in range(1, len(steps)):
        gone = seconds[index] - seconds[start]
        if not gone >= 0:  # the clock began anew, or is missing
            start = index
        elif gone >= span:
            result[index] = gone / (steps[index] - steps[start])
            start = index
    return result


def are_whole(seconds: array[float]) -> bool:
    """Whether a clock shows whole seconds only."""
    return all(value.is_integer() for value in islice((v for v in seconds if not isnan(v)), 200))
