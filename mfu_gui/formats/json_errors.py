"""Says what is wrong with a JSON text, and where: line, column and the path of the value.

Used only after the fast decoder has refused a text or the cheap checks have found something odd, so
clarity counts here, not speed.
"""

from __future__ import annotations

import math
import re
from typing import Any

from mfu_gui.engine.errors import InputError

MAX_DIGITS = 4300
"""Python's own limit for integers in text."""

_SPACE = re.compile(r"[ \t\n\r]*")
# Possessive, so that a string of megabytes takes neither stack nor backtracking.
_CHARACTERS = r'(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+'
_STRING = re.compile(f'"({_CHARACTERS})"')
_STRING_START = re.compile(f'"{_CHARACTERS}')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?(?![0-9A-Za-z.+-])")
_WORD = re.compile(r"-?[A-Za-z_][A-Za-z_0-9]*|[-+.0-9A-Za-z]+")
_CUT = re.compile(
    r"\\(?:u[0-9a-fA-F]{0,3})?|-|-?[0-9]+(?:\.|(?:\.[0-9]+)?[eE][-+]?)|t|tr|tru|f|fa|fal|fals|n|nu|nul|"
)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|.)")
_CONSTANTS = {"true", "false", "null"}
_INFINITE = {"Infinity", "-Infinity"}
_NOT_FINITE = {"NaN", "nan", "Infinity", "-Infinity", "inf", "-inf", "Inf", "-Inf"}
_LONGEST_FOUND = 40
_LONGEST_PLACE = 200


def path_text(path: list[str | int]) -> str:
    """``run.document_lengths[2]`` for the keys and indices on the way to a value."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else (f".{part}" if text and part else part)
    return text


def line_and_column(text: str, position: int) -> tuple[int, int]:
    """Line and column of a position, both from 1."""
    before = text[:position]
    return before.count("\n") + 1, position - (before.rfind("\n") + 1) + 1


def _unescape(raw: str) -> str:
    import json

    text: str = json.loads(f'"{raw}"') if "\\" in raw else raw
    return text


class Checker:
    """Reads a text strictly by RFC 8259 and raises InputError at the first thing that is wrong.

    It keeps its own stack, so that depth never depends on Python's.
    """

    def __init__(self, text: str, source: str, *, max_depth: int, allow_infinity: bool) -> None:
        self._text = text
        self._source = source
        self._max_depth = max_depth
        self._allow_infinity = allow_infinity
        self._at = 0
        self._path: list[str | int] = []
        self._keys: list[set[str] | None] = []
        """For each open bracket the keys seen so far, or None for a list."""

    def check(self) -> None:
        """Return if the text is one good JSON value; raise InputError otherwise."""
        self._skip()
        self._value()
        while self._keys:
            self._after_value()
        if self._at < len(self._text):
            raise self._broken()

    def _skip(self) -> None:
        match = _SPACE.match(self._text, self._at)
        if match:
            self._at = match.end()

    def _here(self) -> str:
        return self._text[self._at : self._at + 1]

    def _value(self) -> None:
        char = self._here()
        if char == "{":
            self._open(set())
        elif char == "[":
            self._open(None)
        elif char == '"':
            self._string()
        else:
            self._scalar()
        self._skip()

    def _open(self, keys: set[str] | None) -> None:
        if len(self._keys) >= self._max_depth:
            raise self._error("too_deep", limit=self._max_depth)
        self._at += 1
        self._skip()
        if self._here() == ("]" if keys is None else "}"):
            self._at += 1
            return
        self._keys.append(keys)
        self._path.append(0 if keys is None else "")
        if keys is not None:
            self._key(keys)
        self._value()

    def _after_value(self) -> None:
        keys = self._keys[-1]
        char = self._here()
        if char == ("]" if keys is None else "}"):
            self._keys.pop()
            self._path.pop()
            self._at += 1
            self._skip()
            return
        if char != ",":
            raise self._broken()
        comma = self._at
        self._at += 1
        self._skip()
        if self._here() in {"]", "}"}:
            self._at = comma
            raise self._error("trailing_comma")
        if keys is not None:
            self._key(keys)
        else:
            index = self._path[-1]
            self._path[-1] = index + 1 if isinstance(index, int) else 0
        self._value()

    def _key(self, keys: set[str]) -> None:
        if self._here() != '"':
            self._path[-1] = ""
            raise self._broken()
        start = self._at
        key = self._string()
        self._path[-1] = key
        if key in keys:
            self._at = start
            raise self._error("duplicate_key", key=key)
        keys.add(key)
        self._skip()
        if self._here() != ":":
            raise self._broken()
        self._at += 1
        self._skip()

    def _string(self) -> str:
        match = _STRING.match(self._text, self._at)
        if match is None:
            start = _STRING_START.match(self._text, self._at)
            self._at = start.end() if start else self._at
            raise self._broken()
        raw = match.group(1)
        if "\\u" in raw:
            self._refuse_lone_surrogate(raw)
        self._at = match.end()
        return _unescape(raw)

    def _refuse_lone_surrogate(self, raw: str) -> None:
        """Half of a surrogate pair is no character and cannot be written again."""
        high = False
        for match in _ESCAPE.finditer(raw):
            unit = int(match.group(1) or "0", 16)
            follows = high and raw[match.start() - 6 : match.start() - 4] == "\\u"
            if 0xDC00 <= unit <= 0xDFFF:
                if not follows:
                    break
                high = False
            elif high:
                break
            else:
                high = 0xD800 <= unit <= 0xDBFF
        else:
            if not high:
                return
        raise self._error("bad_json", found=raw[:_LONGEST_FOUND])

    def _scalar(self) -> None:
        number = _NUMBER.match(self._text, self._at)
        if number is not None:
            self._refuse_too_large(number)
            self._at = number.end()
            return
        word = _WORD.match(self._text, self._at)
        found = word.group() if word else ""
        if found in _CONSTANTS or (self._allow_infinity and found in _INFINITE):
            self._at += len(found)
            return
        if found in _NOT_FINITE:
            raise self._error("not_finite", value=found)
        raise self._broken()

    def _refuse_too_large(self, number: re.Match[str]) -> None:
        text = number.group()
        if number.group(1) is None and number.group(2) is None:
            too_large = len(text) > MAX_DIGITS
        else:
            too_large = math.isinf(float(text))
        if too_large:
            raise self._error("json_number_too_large", value=text[:_LONGEST_FOUND])

    def _broken(self) -> InputError:
        rest = self._text[self._at :].rstrip(" \t\n\r")
        if _CUT.fullmatch(rest):
            return self._error("truncated_json")
        word = _WORD.match(rest)
        found = word.group() if word else rest[0]
        return self._error("bad_json", found=found[:_LONGEST_FOUND])

    def _error(self, code: str, **values: Any) -> InputError:
        line, column = line_and_column(self._text, self._at)
        place = path_text(self._path)
        if place and len(place) <= _LONGEST_PLACE:
            values["place"] = place
        return InputError(code, self._source, line=line, column=column, **values)
