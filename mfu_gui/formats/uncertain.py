"""How exactly a number was given: by "±", or else by the digits that were typed.

"8.57 s" is anything from 8.565 s to 8.575 s; "8.57 ± 0.02 s" is 8.55 s to 8.59 s.  A half width is in the unit
of the field, as the value is.
"""

from __future__ import annotations

import re
from decimal import Decimal

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.field import Kind
from mfu_gui.formats.quantities import Parsed, parse

_SIGN = re.compile(r"\s*(?:±|\+/[-−]|\+[-−])\s*")
_LAST_DIGIT = re.compile(r"\d(?=\D*$)")
_MANTISSA = re.compile(r"\d(?=(?:[^\d.,'_ ]|[.,'_ ](?!\d)|$))")
_PRODUCT = re.compile(r"[*×·^]|\*\*|\d\s*[xX]\s*\d")
_FEWEST_DIGITS, _MOST_DIGITS = 3, 12
"""A number with more of them was computed, not read off."""


def split(text: str) -> tuple[str, str]:
    """The value and what stands after "±", which has the unit: ("8.57 s", "0.02 s"); the second may be empty."""
    parts = _SIGN.split(text, maxsplit=1)
    if len(parts) < 2:
        return text, ""
    value, width = parts[0].strip(), parts[1].strip()
    unit = re.sub(r"^[\d.,'_ \s]+(?:[eE][+-]?\d+)?", "", width).strip()
    if unit[:1].isalpha() and re.fullmatch(r"[\d.,'_ \s]+(?:[eE][+-]?\d+)?", value):
        value = f"{value} {unit}"
    return value, width


def parse_uncertain(text: str, kind: Kind, unit: str = "") -> tuple[Parsed, float | None]:
    """As ``parse``, with the half width in the field's unit; None where the text does not tell one."""
    value, width = split(text)
    parsed = parse(value, kind, unit)
    if not width:
        return parsed, half_digit(value, kind, unit)
    given = float(parse(width, kind, unit).value)
    if given < 0 or given >= abs(float(parsed.value)):
        raise InputError("number_width", text=width)
    return parsed, given


def half_digit(text: str, kind: Kind, unit: str = "") -> float | None:
    """Half a unit of the last digit typed; None for products and exponents alone, which were computed."""
    if _PRODUCT.search(text):
        return None
    pattern = _LAST_DIGIT if kind == "time" else _MANTISSA
    match = pattern.search(text)
    if match is None:
        return None
    digit = int(match.group())
    other = digit - 1 if digit == 9 else digit + 1
    try:
        here = float(parse(text, kind, unit).value)
        there = float(parse(text[: match.start()] + str(other) + text[match.end():], kind, unit).value)
    except InputError:
        return None
    return abs(there - here) / 2 or None


def half_digit_of(value: float) -> float | None:
    """The same of a number that came from a file: by the digits that it takes to write it."""
    if float(value).is_integer():
        # "2" was perhaps 2.000: from a whole number of few digits nothing can be told.
        return 0.5 if _FEWEST_DIGITS <= len(f"{abs(value):.0f}") <= _MOST_DIGITS else None
    _, digits, exponent = Decimal(repr(float(value))).as_tuple()
    if not isinstance(exponent, int) or len(digits) > _MOST_DIGITS:
        return None
    return float(Decimal(5).scaleb(exponent - 1))
