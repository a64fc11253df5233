"""How a value stands in a line of a log: what precedes it, what it looks like, what must follow it."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable
from functools import cache
from typing import NamedTuple

from mfu_gui.formats.training_logs.values import duration, iso_seconds, month_day_seconds, number

NUMBER = (rb"[-+]?(?:\d[\d,]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?<![,])|[-+]?(?:nan|inf|infinity)\b|N/A|n/a|None|NaN|NAN"
          rb"|[-+]?(?:Inf|Infinity)\b")
PLAIN = rb"[-+]?\d[\d,]*\.?\d*(?:[eE][-+]?\d+)?"
"""The common case of NUMBER; cheaper to look for."""
SCALED = rb"[-+]?[\d,]*\.?\d+(?:[eE][-+]?\d+)?[KMBGTP]?"
ISO = rb"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d{1,6})?"
END = rb"(?=[\s,|;:)\]}%'\"])"
"""What follows a whole value.  At the end of the file nothing does: the value may have been cut."""

Convert = Callable[[Iterable[bytes]], "array[float]"]


class Field(NamedTuple):
    """One value of a record.

    ``key``: what precedes the value.  ``per``: what the value is divided by to be in the column's unit.
    ``value``, ``end``: what the value looks like and what must follow it.
    """

    column: str
    key: bytes
    per: float = 1.0
    value: bytes = NUMBER
    end: bytes = END
    convert: Convert | None = None

    @property
    def pattern(self) -> re.Pattern[bytes]:
        """Finds the value; it is the only group."""
        return _compiled(self.key, self.value, self.end)


@cache
def _compiled(key: bytes, value: bytes, end: bytes) -> re.Pattern[bytes]:
    return re.compile(key + rb"(" + value + rb")" + end)


def durations(texts: Iterable[bytes]) -> array[float]:
    """A column of times like "1:02:03"."""
    return array("d", map(duration, texts))


def scaled(texts: Iterable[bytes]) -> array[float]:
    """A column of numbers like "41.9M"."""
    return array("d", map(number, texts))


def iso_stamp(key: bytes = rb"\[?", end: bytes = rb"(?=\]|[ ,Z\t])") -> Field:
    """The date and time that a line begins with, as ISO 8601 has it."""
    return Field("wall_s", key, value=ISO, end=end, convert=iso_seconds)


def short_stamp(key: bytes, value: bytes) -> Field:
    """A date without dashes: "0110 08:00:06.230209", "01/10/2026 08:00:06"."""
    return Field("wall_s", key, value=value, end=rb"(?=[\s\]])", convert=month_day_seconds)


RANKS = Field("rank", rb"(?:\[rank ?|\[RANK |\|DP=|\[default|^ *)", value=rb"\d{1,7}", end=rb"(?=\]|: |\|)")
"""The rank that a line names: "[rank0]:", "0: ", "[RANK 3]", "|DP=0|"."""
