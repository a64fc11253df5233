"""Learns one exact pattern from a line that was read the slow way, so that its like are read fast.

Lines of one run differ in their numbers only.  From one line, and where its values stand in it, a pattern
is made: text as it is, any number where a number was, any space where space was, and a group for each value.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

from mfu_gui.formats.training_logs.fields import NUMBER, PLAIN, Field

_PIECES = re.compile(rb"(?P<number>[-+]?\d[-+\d.,:eE]*)|(?P<break>[ \t]*\n\s*)|(?P<space>[ \t]+)"
                     rb"|(?P<word>\b(?:nan|inf|None|True|False)\b)|(?P<text>[^\d\s])")
_LONGEST = 3000


class Spot(NamedTuple):
    """Where the value of one field stands in a text."""

    start: int
    stop: int
    field: Field


class Template(NamedTuple):
    """A pattern that begins with the line break before a record, and the field of each of its groups."""

    pattern: re.Pattern[bytes]
    fields: tuple[Field, ...]


def learn(text: bytes, spots: list[Spot]) -> Template | None:
    """The template of ``text`` (a record from the beginning of its line); None when none can be made."""
    spots = sorted(spots)
    if not spots or spots[-1].stop > _LONGEST or any(one.stop > next_one.start for one, next_one in pairwise(spots)):
        return None
    parts = [rb"\n"]
    at = 0
    for spot in spots:
        parts.append(_general(text[at : spot.start]))
        value = text[spot.start : spot.stop]
        plain = spot.field.value == NUMBER and re.fullmatch(PLAIN, value)
        parts.append(rb"(" + (PLAIN if plain else spot.field.value) + rb")")
        at = spot.stop
    parts.append(spots[-1].field.end)
    try:
        return Template(re.compile(b"".join(parts)), tuple(spot.field for spot in spots))
    except re.error:
        return None


def _general(text: bytes) -> bytes:
    """A pattern for text of this form."""
    parts = []
    for piece in _PIECES.finditer(text):
        kind = piece.lastgroup
        if kind == "number":
            parts.append(rb"[-+\d.,:eE]+")
        elif kind == "break":
            parts.append(rb"\s+")
        elif kind == "space":
            parts.append(rb"[ \t]+")
        elif kind == "word":
            parts.append(rb"\w+")
        else:
            parts.append(re.escape(piece.group()))
    return b"".join(parts)
