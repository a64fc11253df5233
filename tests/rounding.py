"""The one rule by which a computed number agrees with a printed one.

A printed number stands for all numbers that would have been printed so: half a unit of its last
digit to each side.  Inputs are printed too.  A result agrees when the interval of results over the
printed inputs meets the interval of the printed result.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal


def half_digit(printed: str) -> Decimal:
    """Half a unit of the last printed digit: 0.005 for "13.75", 0.5 for "1720"."""
    return Decimal(5).scaleb(int(Decimal(printed).as_tuple().exponent) - 1)


def printed_interval(printed: str, half: float | None = None) -> tuple[float, float]:
    """The numbers that ``printed`` stands for; ``half`` replaces half its last digit."""
    value = Decimal(printed)
    reach = half_digit(printed) if half is None else Decimal(repr(half))
    return float(value - reach), float(value + reach)


def meets(result_at: Callable[[float], float], printed_input: str, printed_result: str,
          half: float | None = None) -> bool:
    """Whether a result that is monotone in its input agrees with what was printed."""
    low, high = sorted(result_at(value) for value in printed_interval(printed_input, half))
    least, most = printed_interval(printed_result)
    return low <= most and high >= least


def rounds_to(value: float, printed: str) -> bool:
    """Whether ``value`` itself, rounded half up to the printed digits, reads as ``printed``."""
    places = Decimal(1).scaleb(int(Decimal(printed).as_tuple().exponent))
    return Decimal(repr(value)).quantize(places, ROUND_HALF_UP) == Decimal(printed)
