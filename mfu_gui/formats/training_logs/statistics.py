"""What is typical of a run: percentiles, warm-up, outliers, stalls.  Exact, and with bounded memory."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import repeat
from math import floor, fsum, isfinite, isnan
from operator import mul

import msgspec

PERCENTILES = (1, 5, 25, 50, 75, 95, 99)
_SORTED_AT_ONCE = 1_000_000
_BINS = 4096
NORMAL_MAD = 1.4826
"""Standard deviation ÷ median absolute deviation of a normal distribution."""
_MOST_WARM_UP = 0.2
_LONGEST_WARM_UP = 1000
_SHORTEST_LIMIT = 2
"""So many steps may be warm-up in a short log too: one compiles, one only queues."""
_SHORT_LOG = 10
_CALM = 3
"""So many usual steps in a row end the warm-up; fewer in a log of a few steps."""
_WARM_UP_DEVIATION = 0.05
OUTLIER_DEVIATION = 0.1
OUTLIER_MADS = 5.0
STALL = 3.0
"""A step of so many medians is a stall."""


class Summary(msgspec.Struct, frozen=True):
    """Figures of one column over the steady part.  ``percentiles`` by their number."""

    count: int
    median: float
    mean: float
    minimum: float
    maximum: float
    percentiles: dict[str, float]


def finite(values: Iterable[float]) -> array[float]:
    """Only the numbers among the values."""
    return array("d", filter(isfinite, values))


def ordered(values: Sequence[float], places: Sequence[int]) -> list[float]:
    """The values that would stand at these places if all were sorted.

    Long columns are not sorted, because a list takes four times the room of an array: they are counted
    into bins, and only the bins that are asked for are sorted.
    """
    if len(values) <= _SORTED_AT_ONCE:
        in_order = sorted(values)
        return [in_order[place] for place in places]
    low, high = min(values), max(values)
    if low == high:
        return [low] * len(places)
    scale = (_BINS - 1) / (high - low)
    if not isfinite(scale) or scale == 0:
        in_order = sorted(values)
        return [in_order[place] for place in places]
    counts = Counter(map(int, map(mul, (value - low for value in values), repeat(scale))))
    first: dict[int, int] = {}
    total = 0
    for number in sorted(counts):
        first[number] = total
        total += counts[number]
    wanted = {place: max(number for number, start in first.items() if start <= place) for place in places}
    members: dict[int, list[float]] = {number: [] for number in wanted.values()}
    for value in values:
        found = members.get(int((value - low) * scale))
        if found is not None:
            found.append(value)
    for number, found in members.items():
        members[number] = sorted(found)
    return [members[wanted[place]][place - first[wanted[place]]] for place in places]


def percentiles(values: Sequence[float], numbers: Sequence[float] = PERCENTILES) -> list[float]:
    """Percentiles with linear interpolation between neighbours; of at least one finite value."""
    places = [(len(values) - 1) * number / 100 for number in numbers]
    wanted = sorted({index for place in places for index in (floor(place), min(floor(place) + 1, len(values) - 1))})
    found = dict(zip(wanted, ordered(values, wanted), strict=True))
    result = []
    for place in places:
        low, high = found[floor(place)], found[min(floor(place) + 1, len(values) - 1)]
        share = place - floor(place)
        apart = high - low
        # Two numbers may lie further apart than the largest there is.
        result.append(low + apart * share if isfinite(apart) else low * (1 - share) + high * share)
    return result


def median(values: Sequence[float]) -> float:
    """The middle value; of at least one finite value."""
    return percentiles(values, (50,))[0]


def mean(values: Sequence[float]) -> float:
    """The mean; of at least one finite value."""
    try:
        return fsum(values) / len(values)
    except OverflowError:  # the sum is larger than the largest number, its mean is not
        return fsum(value / len(values) for value in values)


def summary(values: Iterable[float]) -> Summary | None:
    """Figures of the finite values; None when there is none."""
    numbers = finite(values)
    if not numbers:
        return None
    found = percentiles(numbers)
    by_number = {str(number): value for number, value in zip(PERCENTILES, found, strict=True)}
    return Summary(len(numbers), by_number["50"], mean(numbers), min(numbers), max(numbers), by_number)


def spread(values: Sequence[float]) -> tuple[float, float]:
    """Median and the deviation of the middle half, as a standard deviation, of finite values."""
    middle = median(values)
    return middle, NORMAL_MAD * median(array("d", (abs(value - middle) for value in values)))


def warm_up(values: Sequence[float]) -> int:
    """How many values at the beginning are not like the rest: compilation, queued work, full caches.

    The rest is what follows the first quarter.  The warm-up ends before the first three usual values in
    a row, and is at most a fifth of the log.  A short log that never comes to rest has none.
    """
    usual = finite(values[len(values) // 4 :])
    if len(usual) < _CALM:
        return 0
    middle, deviation = spread(usual)
    allowed = max(3 * deviation, _WARM_UP_DEVIATION * abs(middle))
    limit = min(_LONGEST_WARM_UP, max(_SHORTEST_LIMIT, int(len(values) * _MOST_WARM_UP)))
    wanted = min(_CALM, max(1, len(usual) // 2))
    calm = cut = 0
    for index in range(min(len(values), limit + _CALM)):
        value = values[index]
        if isnan(value):
            continue
        calm = calm + 1 if abs(value - middle) <= allowed else 0
        if calm == 0:
            cut = index + 1
        if calm == wanted:
            return min(cut, limit)
    return 0 if len(values) < _SHORT_LOG else min(cut, limit)


def outlier_bounds(values: Sequence[float]) -> tuple[float, float]:
    """Values beyond these differ from the rest: five deviations and a tenth of the median."""
    numbers = finite(values)
    if not numbers:
        return float("-inf"), float("inf")
    middle, deviation = spread(numbers)
    away = max(OUTLIER_MADS * deviation, OUTLIER_DEVIATION * abs(middle))
    return middle - away, middle + away
