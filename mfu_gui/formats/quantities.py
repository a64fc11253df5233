"""Numbers as a person types them: "6.2s", "1,024", "1.1e6", "38,94 %", "1.2亿", "2:03".

``parse(text, kind, unit)`` returns the value in the field's own unit, and the same value written out
plainly, so that a window can show what was understood.  ``to_text`` is its inverse: what it writes, ``parse``
reads back as exactly the same value.  What cannot be read, or can be read in two ways, is an InputError.

Separators
    A space of any width, an apostrophe and an underscore between digits group them.  With both a comma and
    a point, the later one is the decimal mark.  One of them repeated groups ("1.103.997").  A single point
    is the decimal mark.  A single comma followed by exactly three digits groups ("1,024", but not "0,389");
    any other single comma is a decimal mark ("38,94").  Groups have three digits.
    Refused as ambiguous: "1.024" where a whole number is asked for (1024?), "19,926" where a time is asked
    for (19.926 s or 19926 s), and "1,024M".
    In a fraction or percentage a comma is always the decimal mark.
Multipliers
    k K thousand, M million, b B bn G billion (10⁹), t T trillion (10¹²), P 10¹⁵, Ki Mi Gi Ti powers of 1024;
    Chinese 千 万 亿 and their products.  A small m is a million where a whole number is asked for, minutes in
    a time, and refused elsewhere.  兆 (a million, or a million millions) is refused.
    Where the unit is FLOP/s, bytes or watts, a letter is the prefix of that unit: "1.979P" is 1979 TFLOP/s.
Products
    "8*4096", "8 × 4096", "1.1×10^6", "10⁶", "2^12".
Fractions
    "41 %" and "41" are 0.41, and so is "0.41": without a sign, up to 1 is a fraction and above 1
    a percentage.  A bare "1" is refused: 1 % or 100 %?
Times
    ns us ms s min h d, also in Chinese and put together ("1m30s", "1h30"); "2:03" is minutes and seconds,
    "1:02:03" hours, minutes and seconds; "2.1 s/step" and "0.5 it/s" are both a time per step.
"""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from typing import NoReturn

import msgspec

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.fields import Kind
from mfu_gui.formats.quantity_units import (
    MULTIPLIERS,
    PER_STEP,
    SECONDS,
    STEPS_PER_SECOND,
    chinese_multiplier,
    unit_factor,
)

LONGEST_TEXT = 120
LARGEST_EXPONENT = 400
HUGE = Fraction(10) ** 308

_PLAIN = {ord(a): b for a, b in (
    *((chr(code), chr(code - 0xFEE0)) for code in range(0xFF01, 0xFF5F)),  # full-width forms
    *((c, " ") for c in "\t\n\r\u00a0\u202f\u205f\u3000"),
    *((chr(code), " ") for code in range(0x2000, 0x200B)),
    *((c, "") for c in "\u200b\u200e\u200f\u2060\ufeff\u202a\u202b\u202c\u2066\u2067\u2068\u2069"),
    *((c, "-") for c in "\u2212\u2010\u2011\u2012\u2013\ufe63"),
    *((c, "'") for c in "\u2019\u2018\u02bc\u00b4`"),
    ("٫", "."), ("٬", ","), ("，", ","), ("。", "."), ("、", ","), ("：", ":"), ("∶", ":"),
    ("⋅", "·"), ("∙", "·"), ("✕", "×"), ("✖", "×"), ("µ", "u"), ("μ", "u"),
)}
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_SUPERSCRIPT_RUN = re.compile("[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_NUMBER = re.compile(r"[+-]? *(?:\d(?:[\d,.'_ ]*[\d,.])?|\.\d+)(?:[eE][+-]?\d+)?(?: ?\^ ?[+-]?\d+)?")
_TIMES = re.compile(r" *(?:\*|×|·|(?<!0)[xX](?= *[\d.])|(?<=\d0)[xX](?= *[\d.])) *")
_CLOCK = re.compile(r"(?:(\d+):)?(\d+):(\d{1,2}(?:[.,]\d+)?)")
_GROUPED = re.compile(r"\d{1,3}(?:[,.' ]\d{3})+")
_CHINESE = re.compile("[十百千]?[万萬亿億千]+")


class Parsed(msgspec.Struct, frozen=True):
    """A value in the field's unit (``int`` for whole numbers), the same written out ("1,024", "6.2 s",
    "38.94 %"), and ``decimal_k``: a K was read as 1000 although 1024 may have been meant."""

    value: int | float
    understood: str
    decimal_k: bool = False


def parse(text: str, kind: Kind, unit: str = "") -> Parsed:
    """The number in ``text``, in ``unit``; for kind ``fraction`` 0 … 1.

    InputError: ``number_empty``, ``number_unreadable``, ``number_groups``, ``number_ambiguous``,
    ``number_not_whole``, ``number_unit``, ``number_too_large``.  Ranges are not looked at here.
    """
    plain = _plain(text)
    if kind == "time":
        value, decimal_k = _time(plain, unit), False
    elif kind == "fraction":
        value, decimal_k = _fraction(plain), False
    else:
        value, tail = _quantity(plain, kind)
        factor, decimal_k = _tail(tail, plain, kind, unit, value)
        value *= factor
    if abs(value) > HUGE:
        raise InputError("number_too_large", text=plain)
    if kind == "integer":
        if value.denominator != 1:
            raise InputError("number_not_whole", text=plain)
        number: int | float = value.numerator
    else:
        number = float(value)
    return Parsed(number, understood(number, kind, unit), decimal_k)


def to_text(value: float, kind: Kind, unit: str = "") -> str:
    """``value`` at full precision as an editor shows it, without the unit: 15360 -> "15,360",
    0.3894 of kind ``fraction`` -> "38.94" (with its sign up to 1 %).  ``parse`` reads ``value`` back."""
    if kind == "integer" or (isinstance(value, int) and kind == "real"):
        return f"{value:,}"
    exact = Decimal(repr(float(value)))  # repr is the shortest text that reads back as the same float
    if kind == "fraction":
        exact = exact.scaleb(2)
    text = _plain_decimal(exact)
    if kind == "fraction" and exact <= 1:
        return f"{text} %"
    whole, point, rest = text.partition(".")
    if kind in ("time", "fraction") or not whole.lstrip("-").isdigit():
        return text
    return f"{int(whole):,}{point}{rest}" if len(whole) > 3 else text


def understood(value: float, kind: Kind, unit: str = "") -> str:
    """``value`` written out with its sign (%) or, of a time, with ``unit`` as the reader's language names it."""
    text = to_text(value, kind, unit)
    if kind == "fraction":
        return text if text.endswith("%") else f"{text} %"
    return f"{text} {unit}" if kind == "time" and unit else text


def _plain_decimal(value: Decimal) -> str:
    """Written out in full; very large and very small numbers with an exponent."""
    if value and not Decimal("1e-7") <= abs(value) < Decimal("1e16"):
        return str(value.normalize()).lower()
    text = format(value, "f")
    return (text.rstrip("0").rstrip(".") if "." in text else text) or "0"


def _plain(text: str) -> str:
    """One kind of space, sign, digit and letter for the many there are."""
    if len(text) > LONGEST_TEXT:
        raise InputError("number_unreadable", text=text[:LONGEST_TEXT] + "…")
    text = _SUPERSCRIPT_RUN.sub(lambda run: "^" + run.group().translate(_SUPERSCRIPTS), text)
    text = text.translate(_PLAIN).replace("**", "^").strip()
    text = "".join(str(int(c)) if c.isdecimal() else c for c in text)
    if not text:
        raise InputError("number_empty")
    return text


def _unreadable(text: str) -> NoReturn:
    raise InputError("number_unreadable", text=text)


def _quantity(text: str, kind: Kind) -> tuple[Fraction, str]:
    """The number, product or Chinese number at the start of ``text``, and what follows it."""
    match = _NUMBER.match(text)
    if match is None:
        _unreadable(text)
    tail = text[match.end() :].strip()
    value = _factor(match.group(), kind, tail)
    while times := _TIMES.match(text, match.end()):
        match = _NUMBER.match(text, times.end())
        if match is None:
            _unreadable(text)
        tail = text[match.end() :].strip()
        value *= _factor(match.group(), kind, tail)
    return _with_chinese(value, tail, kind)


def _with_chinese(value: Fraction, tail: str, kind: Kind) -> tuple[Fraction, str]:
    """``value`` with the Chinese multipliers that follow: "1亿2000万" is a sum of falling terms."""
    total, smallest = Fraction(0), None
    while match := _CHINESE.match(tail):
        size = chinese_multiplier(match.group())
        if smallest is not None and size >= smallest:
            _unreadable(tail)
        total, smallest = total + value * size, size
        tail = tail[match.end() :].strip()
        number = _NUMBER.match(tail)
        if number is None:
            return total, tail
        tail = tail[number.end() :].strip()
        value = _factor(number.group(), kind, tail)
    return (value if smallest is None else total + value), tail


def _factor(text: str, kind: Kind, tail: str) -> Fraction:
    """One number with its exponent: ``1.1e6``, ``2^12``."""
    base, _, power = text.replace(" ^", "^").partition("^")
    mantissa, _, exponent = base.lower().partition("e")
    value = _mantissa(mantissa, kind, tail, bool(exponent or power))
    if exponent:
        value *= _power(Fraction(10), exponent)
    return _power(value, power) if power else value


def _power(base: Fraction, exponent: str) -> Fraction:
    number = int(exponent.replace(" ", ""))
    if abs(number) > LARGEST_EXPONENT or (base == 0 and number < 0):
        raise InputError("number_too_large", text=exponent)
    return base**number


def _mantissa(text: str, kind: Kind, tail: str, scaled: bool) -> Fraction:
    """Digits with separators; ``scaled`` when an exponent follows (then no grouping is guessed)."""
    sign = -1 if text.startswith("-") else 1
    body = text.lstrip("+- ").rstrip(" ")
    marks = [c for c in body if not c.isdigit()]
    if body[-1] in ",." and len(marks) == 1:  # "19." while "19.9" is being typed
        body, marks = body[:-1], []
    kinds = set(marks)
    if "_" in kinds:
        body, kinds = body.replace("_", ""), kinds - {"_"}
        marks = [c for c in marks if c != "_"]
    if not kinds:
        return sign * Fraction(body)
    if len(kinds) == 1 and len(marks) == 1 and marks[0] in ",.":
        return sign * _one_mark(body, marks[0], kind, tail, scaled)
    decimal = ""
    if len(kinds) == 2 and marks[-1] in ",." and marks.count(marks[-1]) == 1:
        decimal = marks[-1]
    whole, _, rest = body.partition(decimal) if decimal else (body, "", "")
    if not _GROUPED.fullmatch(whole) or len(set(whole) - set("0123456789")) != 1:
        raise InputError("number_groups", text=text.strip())
    return sign * Fraction(re.sub(r"\D", "", whole) + (f".{rest}" if rest else ""))


def _one_mark(body: str, mark: str, kind: Kind, tail: str, scaled: bool) -> Fraction:
    """A number with a single comma or point."""
    whole, _, rest = body.partition(mark)
    decimal = Fraction(f"{whole or 0}.{rest}")
    may_group = len(rest) == 3 and 1 <= len(whole) <= 3 and whole[0] != "0" and not scaled
    if kind == "fraction" or not may_group:
        return decimal
    grouped = Fraction(whole + rest)
    multiplied = bool(tail) and (tail[0] in "kKMmBbTtGgPp" or _CHINESE.match(tail) is not None)
    if mark == ".":
        if kind == "integer" and not tail:
            _ambiguous(body, decimal, grouped)
        return decimal
    if kind == "time" or (multiplied and kind == "integer" and not tail[1:2].isalpha()):
        _ambiguous(body, decimal, grouped)
    return grouped


def _ambiguous(text: str, first: Fraction, second: Fraction) -> NoReturn:
    raise InputError("number_ambiguous", text=text, first=_as_text(first), second=_as_text(second))


def _as_text(value: Fraction) -> str:
    return _plain_decimal(Decimal(value.numerator) / Decimal(value.denominator))


def _tail(tail: str, text: str, kind: Kind, unit: str, value: Fraction) -> tuple[Fraction, bool]:
    """Factor of the multiplier and unit after the number, and whether it was a decimal K."""
    factor = unit_factor(tail, unit)
    if factor is not None:
        return factor, False
    if "兆" in tail:
        _ambiguous(text, value * 10**6, value * 10**12)
    for name, size in MULTIPLIERS:
        if tail.startswith(name) and (rest := unit_factor(tail[len(name) :].strip(), unit)) is not None:
            return size * rest, name in ("k", "K")
    if tail == "m" or tail.startswith("m "):
        rest_m = unit_factor(tail[1:].strip(), unit)
        if rest_m is not None and kind == "integer":
            return 10**6 * rest_m, False
        if rest_m is not None:
            _ambiguous(text, value / 1000, value * 10**6)
    if re.search(r"\d|^[^\w%‰/]", tail):
        _unreadable(text)
    raise InputError("number_unit", text=text, unit=tail, expected=unit or None)


def _fraction(text: str) -> Fraction:
    value, tail = _quantity(text, "fraction")
    if tail.lower() in ("%", "pct", "percent", "per cent"):
        return value / 100
    if tail == "‰":
        return value / 1000
    if tail:
        raise InputError("number_unit", text=text, unit=tail, expected="%")
    if value == 1:
        raise InputError("number_ambiguous", text=text, first="1 %", second="100 %")
    return value / 100 if value > 1 else value


def _time(text: str, unit: str) -> Fraction:
    """A duration, in ``unit``."""
    one = SECONDS[unit or "s"]
    if ":" in text:
        return _clock(text) / one
    total, last, rest = Fraction(0), None, text
    while rest:
        value, tail = _quantity(rest, "time")
        if last is not None and value < 0:
            _unreadable(text)
        name = re.match(r"[^\d+\-.,\s]*(?: ?(?:/|per) ?\S+)?", tail)
        word = name.group().strip() if name else ""
        rest = tail[len(word) :].strip()
        if word.replace(" ", "").lower() in STEPS_PER_SECOND and last is None and not rest:
            if value <= 0:
                _unreadable(text)
            return 1 / value / one
        size = _time_unit(word, text, last, one)
        if last is not None and size >= last:
            _unreadable(text)
        total, last = total + value * size, size
    return total / one


def _time_unit(word: str, text: str, last: Fraction | None, one: Fraction) -> Fraction:
    """Seconds in the unit called ``word``; without a word the next smaller unit, or the field's own."""
    if not word:
        if last is None:
            return one
        if last in (SECONDS["h"], SECONDS["min"]):
            return last / 60
        _unreadable(text)
    stem = PER_STEP.sub("", word)
    for name in (stem, stem.lower()):
        if name in SECONDS:
            return SECONDS[name]
    raise InputError("number_unit", text=text, unit=word, expected="ms, s, min, h")


def _clock(text: str) -> Fraction:
    match = _CLOCK.fullmatch(text)
    if match is None:
        _unreadable(text)
    hours, minutes, seconds = match.groups()
    second = Fraction(seconds.replace(",", "."))
    if second >= 60 or (hours is not None and int(minutes) >= 60):
        _unreadable(text)
    return int(hours or 0) * 3600 + int(minutes) * 60 + second
