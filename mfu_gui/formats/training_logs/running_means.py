"""Instant values behind a printed exponential mean.

nanoGPT prints r = 0.9 r + 0.1 m, where m is the utilization of one iteration, K ÷ its time.  The times are
printed as they are, so K, which is the same for all, follows from every line, and with it each m.
"""

from __future__ import annotations

from array import array
from itertools import islice, repeat
from math import isnan
from operator import truediv

from mfu_gui.formats.training_logs.statistics import median
from mfu_gui.formats.training_logs.values import NAN

KEPT = 0.9
_SPREAD = 0.01
_SETTLING = 40
"""Lines after which the unknown start of a mean (0.9⁴⁰ = 1.5 %) matters little."""
_ENOUGH = 20_000
"""Lines that K is taken from."""


def instant_values(printed: array[float], times: array[float], kept: float = KEPT) -> array[float] | None:
    """The instant values behind ``printed`` (a fraction); None when lines and times do not agree."""
    ratios: list[float] = []
    late: list[float] = []
    mean = NAN
    since = 0
    for value, time in islice(zip(printed, times, strict=True), _ENOUGH):
        if isnan(value) or not time > 0:
            mean, since = (NAN, 0) if isnan(value) else (mean, since)
            continue
        mean = 1 / time if isnan(mean) else kept * mean + (1 - kept) / time
        since += 1
        ratios.append(value / mean)
        if since > _SETTLING:
            late.append(value / mean)
    chosen = late or ratios
    if not chosen:
        return None
    middle = median(chosen)
    spread = median([abs(ratio - middle) for ratio in chosen])
    if not middle > 0 or spread > _SPREAD * middle:
        return None
    if min(times) > 0 and not any(map(isnan, printed)):
        return array("d", map(truediv, repeat(middle), times))
    return array("d", (middle / time if time > 0 and not isnan(value) else NAN
                       for value, time in zip(printed, times, strict=True)))
