"""JSON read strictly: what is not plain RFC 8259 with finite numbers and unique keys is refused.

A good text takes the fast path: one pass of msgspec's decoder and two counts of bytes.  Only a text
that looks wrong is read again by the slow checker, which knows the line, column and path.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from mfu_gui.engine.errors import InputError
from mfu_gui.formats.convert import convert

T = TypeVar("T")

MAX_BYTES = 64 * 2**20
MAX_DEPTH = 200
_LARGE = 4 * 2**20
"""From this size on a broken text is not read again for the path of the mistake; it would take seconds."""

_BOM = b"\xef\xbb\xbf"
_BINARY_LOOK = 4096
"""Bytes in which a 0 says that a file that is no UTF-8 is no text either (pictures, archives, weights)."""
_OTHER_ENCODINGS = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)


def read_bytes(path: str | Path, *, limit: int = MAX_BYTES) -> bytes:
    """The bytes of a regular file of at most ``limit`` bytes.

    InputError: ``not_found``, ``is_folder``, ``special_file`` (a pipe, a device),
    ``no_permission``, ``too_large``, ``not_readable``.  The size is looked at before
    anything is read, and a pipe is never opened, because opening one can wait for ever.
    """
    path = Path(path)
    try:
        # NUL in a path is a ValueError, not an OSError.
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise InputError("is_folder", str(path))
        if not stat.S_ISREG(status.st_mode):
            raise InputError("special_file", str(path))
        if status.st_size > limit:
            raise InputError("too_large", str(path), size=status.st_size, limit=limit)
        with path.open("rb") as file:
            data = file.read(limit + 1)
    except (OSError, ValueError) as error:
        raise _file_error(error, path) from error
    if len(data) > limit:
        raise InputError("too_large", str(path), size=len(data), limit=limit)
    return data


def _file_error(error: OSError | ValueError, path: Path) -> InputError:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return InputError("not_found", str(path))
    if isinstance(error, IsADirectoryError):
        return InputError("is_folder", str(path))
    if isinstance(error, PermissionError):
        return InputError("no_permission", str(path))
    number = error.errno if isinstance(error, OSError) else None
    reason = os.strerror(number) if number else os.strerror(errno.EINVAL)
    return InputError("not_readable", str(path), reason=reason)


def parse(data: bytes, source: str = "", *, allow_infinity: bool = False) -> Any:
    """The value of a JSON text; integers of any size are exact.

    ``source`` names the file in errors.  ``allow_infinity`` lets a bare ``Infinity`` become a float,
    as some config.json files have it; NaN is refused all the same.

    InputError with line, column and place: ``not_utf8``, ``no_text_file``, ``empty_file``, ``bad_json``,
    ``truncated_json``, ``trailing_comma``, ``duplicate_key``, ``not_finite``,
    ``json_number_too_large``, ``too_deep``; ``too_large`` for more than MAX_BYTES.
    """
    if len(data) > MAX_BYTES:
        raise InputError("too_large", source, size=len(data), limit=MAX_BYTES)
    if data.startswith(_BOM):
        data = data[len(_BOM) :]
    try:
        value = msgspec.json.decode(data)
    except (msgspec.MsgspecError, RecursionError) as error:
        if len(data) >= _LARGE and not allow_infinity:
            _refuse_large(data, source, str(error))
        return _parse_slowly(data, source, allow_infinity)
    if _may_repeat_a_key(data, value) or _is_deep(data, value):
        _check(data, source, allow_infinity)
    return value


def load(path: str | Path, *, allow_infinity: bool = False) -> Any:
    """``parse`` of the file at ``path``; its name is the source in errors."""
    return parse(read_bytes(path), Path(path).name, allow_infinity=allow_infinity)


def decode(data: bytes, kind: type[T], source: str = "") -> T:
    """A JSON text as a Struct; InputError as ``parse`` and ``convert`` raise it."""
    return convert(parse(data, source), kind, source=source)


def _may_repeat_a_key(data: bytes, value: Any) -> bool:
    """Whether a key may occur twice in one object.

    Each key has one colon, and colons inside strings survive encoding; a repeated key leaves fewer
    colons in the decoded value.  An escaped colon would hide one, so it counts as suspicious.
    """
    if b"\\u003a" in data or b"\\u003A" in data:
        return True
    return data.count(b":") != msgspec.json.encode(value).count(b":")


def _is_deep(data: bytes, value: Any) -> bool:
    """Whether the value is nested deeper than MAX_DEPTH."""
    if data.count(b"[") + data.count(b"{") <= MAX_DEPTH:
        return False
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            child
            for parent in level
            if isinstance(parent, dict | list)
            for child in (parent.values() if isinstance(parent, dict) else parent)
        ]
    return any(isinstance(value, dict | list) for value in level)


def _check(data: bytes, source: str, allow_infinity: bool) -> str:
    """The text of ``data`` when nothing is wrong with it; InputError otherwise."""
    text = _text(data, source)
    if not text.strip(" \t\n\r"):
        raise InputError("empty_file", source)
    from mfu_gui.formats.json_errors import Checker

    Checker(text, source, max_depth=MAX_DEPTH, allow_infinity=allow_infinity).check()
    return text


def _refuse_large(data: bytes, source: str, message: str) -> None:
    """Say where a large text goes wrong by the offset alone, if the decoder's message has one."""
    _text(data, source)
    if message == "Input data was truncated":
        raise InputError("truncated_json", source)
    match = re.search(r"\(byte (\d+)\)$", message)
    if match and message.startswith("JSON is malformed"):
        before = data[: int(match[1])]
        column = len(before[before.rfind(b"\n") + 1 :].decode(errors="replace")) + 1
        raise InputError("bad_json", source, line=before.count(b"\n") + 1, column=column)


def _parse_slowly(data: bytes, source: str, allow_infinity: bool) -> Any:
    text = _check(data, source, allow_infinity)
    import json

    return json.loads(text)


def _text(data: bytes, source: str) -> str:
    for mark, encoding in _OTHER_ENCODINGS:
        if data.startswith(mark):
            raise InputError("not_utf8", source, encoding=encoding)
    if b"\x00" in data[:4]:
        raise InputError("not_utf8", source, encoding="UTF-16")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        if b"\x00" in data[:_BINARY_LOOK]:
            raise InputError("no_text_file", source) from error
        before = data[: error.start]
        line_start = before.rfind(b"\n") + 1
        column = len(before[line_start:].decode()) + 1
        line = before.count(b"\n") + 1
        raise InputError("not_utf8", source, line=line, column=column, offset=error.start) from error
