"""Numbers and times as logs print them: "1,103,997", "41.9M", "N/A", "-100.00", "1:02:03", "9h 30m 16s".

Everything is a float; what is no number is NaN, because a column of a log has one kind of value.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable
from datetime import datetime, timedelta
from itertools import repeat
from operator import sub, truediv

NAN = float("nan")

_SUFFIXES = {b"K": 1e3, b"k": 1e3, b"M": 1e6, b"B": 1e9, b"G": 1e9, b"T": 1e12, b"P": 1e15}
_LONGEST = 64
_CLOCK = re.compile(rb"(?:(\d{1,6}) days?,? *)?(?:(\d{1,6}):)?(\d{1,6}):(\d{1,2}(?:\.\d+)?)")
_PARTS = re.compile(rb"(\d+(?:\.\d+)?) *(d|h|min|ms|m|s)")
_SECONDS = {b"d": 86400.0, b"h": 3600.0, b"min": 60.0, b"m": 60.0, b"s": 1.0, b"ms": 0.001}
_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - stamps of a log have no zone; only their differences count


def number(text: bytes) -> float:
    """A number with thousands commas or a K, M, B, G, T, P (powers of 1000); NaN for anything else."""
    try:
        return float(text)
    except ValueError:
        pass
    text = text.strip()
    if not text or len(text) > _LONGEST:
        return NAN
    scale = _SUFFIXES.get(text[-1:], 1.0)
    if scale != 1.0:
        text = text[:-1]
    try:
        return float(text.replace(b",", b"")) * scale
    except ValueError:
        return NAN


def numbers(texts: Iterable[bytes], per: float = 1.0) -> array[float]:
    """A column of numbers, each divided by ``per``."""
    texts = tuple(texts)
    try:
        column = array("d", map(float, texts))
    except ValueError:
        column = array("d", map(number, texts))
    return column if per == 1.0 else array("d", map(truediv, column, repeat(per)))


def duration(text: bytes) -> float:
    """Seconds of "1:02:03", "02:44", "1 day, 2:03:04", "9h 30m 16s", "34s"; NaN for anything else."""
    text = text.strip()
    if len(text) > _LONGEST:
        return NAN
    if clock := _CLOCK.fullmatch(text):
        days, hours, minutes, seconds = (float(part or 0) for part in clock.groups())
        return days * 86400 + hours * 3600 + minutes * 60 + seconds
    if _PARTS.sub(b"", text).strip():
        return NAN
    parts = _PARTS.findall(text)
    return sum(float(value) * _SECONDS[unit] for value, unit in parts) if parts else NAN


def iso_seconds(texts: Iterable[bytes]) -> array[float]:
    """Seconds since 1970 of stamps like "2026-01-10 08:00:06.200114" (comma or point), as if in UTC.

    Zones are left out, because only differences between stamps of one log are used.
    """
    stamps = tuple(texts)
    try:
        moments = list(map(datetime.fromisoformat, b"\n".join(stamps).decode("ascii", "replace").split("\n")))
        return array("d", map(timedelta.total_seconds, map(sub, moments, repeat(_EPOCH))))
    except (ValueError, TypeError, OverflowError):
        return array("d", map(_iso_one, stamps))


def _iso_one(stamp: bytes) -> float:
    try:
        moment = datetime.fromisoformat(stamp.strip().decode("ascii", "replace"))
        return (moment.replace(tzinfo=None) - _EPOCH).total_seconds()
    except (ValueError, OverflowError):
        return NAN


_DAY_FIRST = re.compile(rb"(\d{2})/?(\d{2})(?:/(\d{4}))? (\d{2}):(\d{2}):(\d{2}(?:[.,]\d+)?)")


def month_day_seconds(texts: Iterable[bytes]) -> array[float]:
    """Seconds since 1970 of "0110 08:00:06.230209", "01/10 08:00:06" and "01/10/2026 08:00:06".

    Without a year it is a leap year, so that each day exists; a run over New Year shows a jump back.
    """
    return array("d", map(_month_day_one, texts))


def _month_day_one(stamp: bytes) -> float:
    match = _DAY_FIRST.fullmatch(stamp.strip())
    if match is None:
        return NAN
    month, day, year, hour, minute, second = match.groups()
    try:
        date = datetime(int(year or 2000), int(month), int(day), int(hour), int(minute))  # noqa: DTZ001
    except ValueError:
        return NAN
    return (date - _EPOCH).total_seconds() + float(second.replace(b",", b"."))
