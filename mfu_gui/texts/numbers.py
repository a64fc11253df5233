"""Numbers as people read them: one way of writing for window, command line and reports.

Independent of the machine's locale: a full stop before the decimals, a comma between thousands. Every method
takes any real number (int of any size, float, Fraction, Decimal, numpy scalar) or None; what is not a finite
number is written as a dash. Halves are rounded away from zero, on the decimal digits that a copy at full
precision would show.
"""

from __future__ import annotations

import math
from decimal import MAX_EMAX, MIN_EMIN, ROUND_HALF_UP, Context, Decimal
from typing import Any, ClassVar

DASH = "–"

_ARITHMETIC = Context(prec=40, rounding=ROUND_HALF_UP, Emax=MAX_EMAX, Emin=MIN_EMIN)
_PLACES = 100
_UNITS = {exponent: Decimal((0, (1,), exponent)) for exponent in range(-_PLACES, _PLACES + 1)}
"""The powers of ten that numbers are rounded to: making one takes as long as the rounding."""
_ROOM = Context(prec=4 * _PLACES, Emax=MAX_EMAX, Emin=MIN_EMIN)
"""Digits enough for whatever is rounded to one of them, unless the number is far larger than they are."""
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_SMALLEST_PLAIN = -4  # 0.000123 is still written out, 0.0000123 is not
_LARGEST_PLAIN = 14  # and so is 123,000,000,000,000

_SI = ("", "K", "M", "G", "T", "P", "E", "Z", "Y")
_BINARY = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
# Each: (from this power of ten, its sign).
_SHORT_SCALE = ((12, "T"), (9, "B"), (6, "M"), (3, "K"))
_CHINESE_SCALE = ((12, " 万亿"), (8, " 亿"), (4, " 万"))

_MINUTE, _HOUR, _DAY, _YEAR = (Decimal(seconds) for seconds in (60, 3600, 86400, 31557600))
# From a billionth of a second to years.
_TIME_UNITS = {
    "en": ("ns", "µs", "ms", "s", "min", "h", "days", "years"),
    "zh": ("纳秒", "微秒", "毫秒", "秒", "分", "小时", "天", "年"),
}


class Numbers:
    """Writes numbers for the readers of one language."""

    __slots__ = ("_language",)

    # What a text may say after a colon, `{value:percent}` or, with the digits, `{value:percent2}`.
    WORDS: ClassVar[frozenset[str]] = frozenset(
        {"integer", "short", "percent", "si", "count", "bytes", "duration", "exact"}
    )

    def __init__(self, language: str) -> None:
        self._language = language

    def integer(self, value: Any) -> str:
        """All digits of a whole number, grouped: 249,812,054,016."""
        number = _decimal(value)
        if number is None:
            return DASH
        return f"{_at_exponent(number, 0):,f}"

    def short(self, value: Any, digits: int = 3) -> str:
        """`digits` significant digits: 0.00123, 43.7, 12,300, 3.80×10²⁵. A small int stays as it is: 8."""
        number = _decimal(value)
        if number is None:
            return DASH
        return _written(_significant(number, digits, whole=_is_whole(value)))

    def percent(self, fraction: Any, decimals: int = 1) -> str:
        """A fraction in percent: 0.38943 is 38.9%. What would be rounded to nothing is <0.1%."""
        number = _decimal(fraction)
        if number is None:
            return DASH
        shown = _at_exponent(number.scaleb(2, _ARITHMETIC), -decimals)
        if number and not shown:
            least = f"{Decimal(1).scaleb(-decimals):f}%"
            return f"<{least}" if number > 0 else f">-{least}"
        if shown.adjusted() > _LARGEST_PLAIN:  # somebody may well type 1e300
            return f"{_written(_significant(shown, 3))}%"
        return f"{shown:,f}%"

    def si(self, value: Any, digits: int = 3, unit: str = "") -> str:
        """With a prefix of the SI before the unit: 432 TFLOP/s."""
        number = _decimal(value)
        if number is None:
            return DASH
        shown = _significant(number, digits, whole=_is_whole(value))
        step = shown.adjusted() // 3 if shown else 0
        if step >= len(_SI):
            return f"{_written(shown)} {unit}".rstrip()
        step = max(step, 0)
        scaled = _written(shown.scaleb(-3 * step, _ARITHMETIC))
        return f"{scaled} {_SI[step]}{unit}".rstrip()

    def count(self, value: Any, digits: int = 3) -> str:
        """How many, as the field says it: 671B, 124M; in Chinese 6,710 亿, 12,400 万."""
        number = _decimal(value)
        if number is None:
            return DASH
        shown = _significant(number, digits, whole=_is_whole(value))
        power = shown.adjusted() if shown else 0
        if power <= _LARGEST_PLAIN:
            for from_power, sign in _CHINESE_SCALE if self._language == "zh" else _SHORT_SCALE:
                if power >= from_power:
                    return _written(shown.scaleb(-from_power, _ARITHMETIC)) + sign
        return _written(shown)

    def bytes(self, value: Any, digits: int = 3) -> str:
        """An amount of memory in binary units: 80.0 GiB."""
        number = _decimal(value)
        if number is None:
            return DASH
        step = 0
        while step < len(_BINARY) - 1 and abs(number) >= 1024:
            number = _ARITHMETIC.divide(number, Decimal(1024))
            step += 1
        return f"{_written(_significant(number, digits, whole=not step))} {_BINARY[step]}"

    def duration(self, seconds: Any, digits: int = 3) -> str:
        """A time: 3.20 µs, 755 ms, 19.9 s, 5 min 03 s, 3 h 05 min, 14.8 days."""
        number = _decimal(seconds)
        if number is None:
            return DASH
        nano, micro, milli, second, minute, hour, day, year = _TIME_UNITS[self._language]
        shown = _significant(number, digits, whole=_is_whole(seconds))
        size = abs(shown)
        if size >= 2 * _YEAR:
            return f"{_written(_significant(_ARITHMETIC.divide(number, _YEAR), digits))} {year}"
        if size >= 2 * _DAY:
            return f"{_written(_significant(_ARITHMETIC.divide(number, _DAY), digits))} {day}"
        if size >= 2 * _HOUR:
            return _in_two_units(number, _HOUR, hour, _MINUTE, minute)
        if size >= 2 * _MINUTE:
            return _in_two_units(number, _MINUTE, minute, Decimal(1), second)
        if size >= 1 or not size:
            return f"{_written(shown)} {second}"
        for power, name in ((3, milli), (6, micro)):
            if shown.adjusted() >= -power:
                return f"{_written(shown.scaleb(power, _ARITHMETIC))} {name}"
        return f"{_written(shown.scaleb(9, _ARITHMETIC))} {nano}"

    def exact(self, value: Any) -> str:
        """Every digit, for a copy into another program: no grouping, no unit, empty if there is no number."""
        number = _decimal(value)
        if number is None:
            return ""
        if number == number.to_integral_value() and number.adjusted() < 17:
            return str(int(number))
        if isinstance(value, int):
            return f"{number:f}"
        return repr(float(number))


def _decimal(value: Any) -> Decimal | None:
    """The number as a Decimal, a float by its shortest digits; None if it is not finite."""
    if value is None:
        return None
    if isinstance(value, int):
        return Decimal(value)
    if isinstance(value, Decimal):
        return value if value.is_finite() else None
    if isinstance(value, float):
        return Decimal(repr(float(value))) if math.isfinite(value) else None
    if hasattr(value, "__index__"):
        return Decimal(value.__index__())
    if hasattr(value, "denominator"):
        return _ARITHMETIC.divide(Decimal(value.numerator), Decimal(value.denominator))
    return _decimal(float(value))


def _is_whole(value: Any) -> bool:
    """Whether the type of a value says that it counts something."""
    return hasattr(value, "__index__")


def _at_exponent(number: Decimal, exponent: int) -> Decimal:
    """Rounded to a multiple of ten to the `exponent`."""
    unit, room, digits = _UNITS.get(exponent), _ROOM, number.adjusted() - exponent
    if unit is None or digits > 3 * _PLACES:
        unit = Decimal((0, (1,), exponent))
        room = Context(prec=max(digits, 0) + 2, Emax=MAX_EMAX, Emin=MIN_EMIN)
    rounded = number.quantize(unit, rounding=ROUND_HALF_UP, context=room)
    return rounded if rounded else abs(rounded)


def _significant(number: Decimal, digits: int, whole: bool = False) -> Decimal:
    """Rounded to significant digits; a `whole` number gets no decimals."""
    if not number:
        return Decimal(0)
    exponent = number.adjusted() - digits + 1
    rounded = _at_exponent(number, max(exponent, 0) if whole else exponent)
    # 999.6 becomes 1000, which has one digit more than was asked for.
    if rounded.adjusted() > number.adjusted():
        exponent += 1
        rounded = _at_exponent(rounded, max(exponent, 0) if whole else exponent)
    return rounded


def _written(rounded: Decimal) -> str:
    """A rounded number, written out or with a power of ten."""
    if not rounded:
        return "0"
    power = rounded.adjusted()
    if _SMALLEST_PLAIN <= power <= _LARGEST_PLAIN:
        return f"{rounded:,f}"
    mantissa = f"{rounded.scaleb(-power, _ARITHMETIC):f}"
    return f"{mantissa}×10{str(power).translate(_SUPERSCRIPTS)}"


def _in_two_units(number: Decimal, large: Decimal, large_name: str, small: Decimal, small_name: str) -> str:
    """E.g. 3 h 05 min: `large` and `small` are the lengths of the units in seconds."""
    sign = "-" if number < 0 else ""
    parts = int(_at_exponent(_ARITHMETIC.divide(abs(number), small), 0))
    whole, rest = divmod(parts, int(large / small))
    return f"{sign}{whole} {large_name} {rest:02d} {small_name}"
