"""What a value that does not fit is told: msgspec's message read again, with the value and what is allowed.

Imported only once something is wrong.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from mfu_gui.engine.errors import InputError, Values
from mfu_gui.formats.nearest import nearest
from mfu_gui.formats.shapes import KEY, annotation_at, bounds_at, choices_at, keys_at

_PLACE = re.compile(
    r"^(?P<what>.*?)(?: - at `(?P<place>\$[^`]*|key)`(?: in `(?P<of>\$[^`]*)`)?)?$", re.DOTALL
)
_PART = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]|(\[\.\.\.\])")
_BOUND = re.compile(r"^Expected `(?:int|float|number)(?: \| null)?` (>=|<=|>|<) (\S+)$")
_LENGTH = re.compile(r"^Expected `array` of length (\d+), got (\d+)$")
_LENGTH_BOUND = re.compile(r"^Expected `(?:array|str|object)(?: \| null)?` of length (>=|<=) (\d+)$")
_PATTERN = re.compile(r"^Expected `str(?: \| null)?` matching regex '(.*)'$")
_TYPE = re.compile(r"^Expected `([^`]+)`, got `([^`]+)`$")
_NAMED = re.compile(r"^Object (contains unknown|missing required) field `(.*)`$", re.DOTALL)

_KINDS: dict[type, str] = {
    bool: "bool", int: "int", float: "float", str: "str", list: "array", dict: "object", type(None): "null",
}
MAX_CHOICES = 40
"""More choices than this are not worth a sentence; the nearest is."""


def explained(message: str, value: Any, kind: type, place: str, source: str) -> InputError:
    """The error for msgspec's ``message`` about ``value``, which stands at ``place`` of the file ``source``."""
    match = _PLACE.match(message)
    what, where, of = (match["what"], match["place"], match["of"]) if match else (message, None, None)
    path, found = _follow(of or where or "$", value, kind)
    if where == "key":
        path, found = _bad_key(path, found, kind)
    code, more = _named(what, path, found, kind)
    return InputError(code, _joined(place, [part for part in path if part != KEY]), **more, **_file(source))


def _file(source: str) -> Values:
    return {"file": source} if source else {}


def _joined(place: str, path: list[str | int]) -> str:
    for part in path:
        place += f"[{part}]" if isinstance(part, int) else (f".{part}" if place else part)
    return place


def _follow(where: str, value: Any, kind: type) -> tuple[list[str | int], Any]:
    """The path that msgspec names, with the keys it leaves out as ``[...]``, and the value there."""
    path: list[str | int] = []
    parts = list(_PART.finditer(where))
    for number, part in enumerate(parts):
        if part[1] is not None:
            path.append(part[1])
            value = value.get(part[1]) if isinstance(value, dict) else None
        elif part[2] is not None:
            path.append(int(part[2]))
            inside = isinstance(value, list | tuple) and int(part[2]) < len(value)
            value = value[int(part[2])] if inside else None
        else:
            rest = "$" + where[part.end() :] if number < len(parts) - 1 else "$"
            key, value = _bad_entry(path, value, kind, rest)
            path.append(key)
    return path, value


def _bad_entry(path: list[str | int], value: Any, kind: type, rest: str) -> tuple[str | int, Any]:
    """Which entry of a mapping or list was refused: the first that does not convert."""
    if isinstance(value, dict):
        entries: list[tuple[str | int, Any]] = list(value.items())
    elif isinstance(value, list | tuple):
        entries = list(enumerate(value))
    else:
        return "…", None
    entry_kind = annotation_at(kind, [*path, entries[0][0]]) if entries else Any
    for key, entry in entries:
        try:
            msgspec.convert(entry, entry_kind)
        except msgspec.ValidationError:
            return key, entry
    return entries[0] if entries else ("…", None)


def _bad_key(path: list[str | int], found: Any, kind: type) -> tuple[list[str | int], Any]:
    """The key of a mapping that was refused; it is itself the value that is wrong."""
    allowed = choices_at(kind, [*path, KEY])
    keys = list(found) if isinstance(found, dict) else []
    bad = next((key for key in keys if key not in allowed), keys[0] if keys else "")
    return [*path, KEY], bad


def _named(what: str, path: list[str | int], found: Any, kind: type) -> tuple[str, Values]:
    """Code and values for one of msgspec's messages."""
    if named := _NAMED.match(what):
        if named[1].startswith("missing"):
            return "missing", {"key": named[2]}
        return "unknown_key", _unknown_key(named[2], path, found, kind)
    if what.startswith(("Invalid enum value", "Invalid value")):
        values = _unknown_choice(path, found, kind)
        if path and path[-1] == KEY:
            return "unknown_key", {"key": values.pop("value"), **values}
        return "unknown_choice", values
    if bound := _BOUND.match(what):
        return _out_of_range(found, path, kind, bound[1])
    if length := _LENGTH.match(what):
        return "wrong_length", {"expected_length": int(length[1]), "found_length": int(length[2])}
    if bound := _LENGTH_BOUND.match(what):
        key = "minimum" if bound[1] == ">=" else "maximum"
        return "wrong_length", {key: int(bound[2]), "found_length": len(found or ())}
    if pattern := _PATTERN.match(what):
        return "wrong_form", {"value": found, "pattern": pattern[1]}
    if wrong := _TYPE.match(what):
        expected = [_plain(word) for word in wrong[1].split(" | ")]
        return "wrong_type", {
            # That a key may also be left out is no news to somebody who wrote it.
            "expected": [word for word in expected if word != "null"] or expected,
            "found": _KINDS.get(type(found), wrong[2]),
            "value": found if isinstance(found, str | int | float) else None,
        }
    return "out_of_range", {"value": found}


def _plain(word: str) -> str:
    return {"number": "float"}.get(word, word)


def _unknown_key(key: str, path: list[str | int], found: Any, kind: type) -> Values:
    known = keys_at(kind, path, found)
    allowed = known if len(known) <= MAX_CHOICES else None
    return {"key": key, "nearest": nearest(key, known), "allowed": allowed}


def _unknown_choice(path: list[str | int], found: Any, kind: type) -> Values:
    allowed = choices_at(kind, path)
    near = nearest(found, [choice for choice in allowed if isinstance(choice, str)])
    return {"value": found, "nearest": near, "allowed": allowed or None}


def _out_of_range(found: Any, path: list[str | int], kind: type, sign: str) -> tuple[str, Values]:
    minimum, above, maximum = bounds_at(kind, path)
    if sign == ">" and above == 0:
        return "not_positive", {"value": found}
    least = minimum if minimum is not None else above
    return "out_of_range", {"value": found, "minimum": least, "maximum": maximum}
