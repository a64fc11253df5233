"""The text of a log, piece by piece, as UTF-8 with plain line ends; never the whole file at once.

Understood are UTF-8 with and without a byte order mark, UTF-16, UTF-32 and GBK (GB 18030).
"""

from __future__ import annotations

import codecs
import errno
import os
import re
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from mfu_gui.engine.errors import InputError

FIRST_PIECE = 64 * 1024
"""Small, so that the first points are there at once."""
PIECE = 2**20
_LONGEST_LINE = 4 * 2**20
"""A line longer than this is cut; no record is longer, and memory stays bounded."""
_LOOK = 16 * 1024
_HOLE = re.compile(rb"\0{64,}")
"""Bytes of a file that were never written: a machine stopped, or the log was emptied under its writer."""

_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe\x00\x00", "utf-32-le"), (b"\x00\x00\xfe\xff", "utf-32-be"),
          (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_NAMES = {"utf-8": "UTF-8", "utf-16-le": "UTF-16", "utf-16-be": "UTF-16", "utf-32-le": "UTF-32",
          "utf-32-be": "UTF-32", "gb18030": "GBK"}
_CONTINUATION = bytes(range(0x80, 0xC0))
_ESCAPES = re.compile(rb"(?:\x1b|\^\[|\\u001b|\\x1b)(?:\[[0-9;?]{0,40}[A-Za-z]|\][^\x07\n]{0,200}\x07|[()][AB0])")
_BARE_COLOURS = re.compile(rb"\[(?:\d{1,2}(?:;\d{1,3})*)?m")
"""Colours whose escape character was lost on the way, as in text pasted from a terminal."""


class Encoding(NamedTuple):
    """How the bytes are to be read.  ``codec`` is empty for bytes that stay as they are."""

    name: str
    codec: str
    skip: int


def open_log(path: str | Path) -> tuple[BinaryIO, int]:
    """A regular file, opened, and its size.

    InputError as ``strict_json.read_bytes``, except that no size is too large.  A pipe is not opened.
    """
    path = Path(path)
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise InputError("is_folder", str(path))
        if not stat.S_ISREG(status.st_mode):
            raise InputError("special_file", str(path))
        return path.open("rb"), status.st_size
    except FileNotFoundError as error:
        raise InputError("not_found", str(path)) from error
    except NotADirectoryError as error:
        raise InputError("not_found", str(path)) from error
    except PermissionError as error:
        raise InputError("no_permission", str(path)) from error
    except (OSError, ValueError) as error:
        number = error.errno if isinstance(error, OSError) else None
        raise InputError("not_readable", str(path), reason=os.strerror(number or errno.EINVAL)) from error


def encoding_of(head: bytes) -> Encoding | None:
    """The encoding that the first bytes show; None when they are not text."""
    for mark, codec in _MARKS:
        if head.startswith(mark):
            return Encoding(_NAMES[codec], "" if codec == "utf-8" else codec, len(mark))
    if head.count(b"\0"):
        return _without_mark(head)
    head = head[:_LOOK]
    if _decodes(head, "utf-8"):
        return Encoding("UTF-8", "", 0)
    if _decodes(head, "gb18030"):
        return Encoding("GBK", "gb18030", 0)
    controls = sum(byte < 9 or 13 < byte < 27 or 27 < byte < 32 for byte in head)
    return Encoding("ISO 8859-1", "", 0) if controls * 50 < len(head) else None


def _without_mark(head: bytes) -> Encoding | None:
    """UTF-16 without a byte order mark has a zero in every other byte of plain text."""
    head = head[: _LOOK - _LOOK % 2]
    zeros = (head[::2].count(0), head[1::2].count(0))
    half = max(1, len(head) // 2)
    for codec, zero, other in (("utf-16-le", zeros[1], zeros[0]), ("utf-16-be", zeros[0], zeros[1])):
        if zero > 0.6 * half and other < 0.02 * half and _decodes(head, codec):
            return Encoding("UTF-16", codec, 0)
    head = _HOLE.sub(b"", head)
    text = head.replace(b"\0", b"")
    return Encoding("UTF-8", "", 0) if 2 * len(text) > len(head) and _decodes(text, "utf-8") else None


def after_hole(raw: bytes) -> bytes:
    """What follows the zeros that a log begins with which was emptied while it was written: as many as it had bytes."""
    return raw.lstrip(b"\0") if _HOLE.match(raw) else raw


def _decodes(head: bytes, codec: str) -> bool:
    """Whether the head is text of this encoding; a character cut at its end is no objection."""
    try:
        text = codecs.getincrementaldecoder(codec)("strict").decode(head)
    except UnicodeDecodeError:
        return False
    controls = sum(character < " " and character not in "\t\n\r\x1b\x08\x0c\x07" for character in text)
    return controls * 50 <= len(text)


class Cleaner:
    """Turns bytes into whole lines of UTF-8: no byte order mark, no colours, one kind of line end."""

    def __init__(self, encoding: Encoding, width: int | None = None) -> None:
        self._decoder = codecs.getincrementaldecoder(encoding.codec)("replace") if encoding.codec else None
        self._skip = encoding.skip
        self._rest = b""
        self._join: Callable[[bytes], bytes] | None = None
        if width is not None:
            full = re.compile(rb"(?m)^((?:[^\n\x80-\xbf][\x80-\xbf]*){%d})\n" % width)
            self._join = lambda data: full.sub(rb"\1", data)
        self._width = width or 0
        self._bare: bool | None = None

    def lines(self, raw: bytes, final: bool = False) -> bytes:
        """Whole lines; what is left of the last one waits for more, or comes out with ``final``."""
        if self._skip:
            raw, self._skip = raw[self._skip :], max(0, self._skip - len(raw))
        if self._decoder is not None:
            raw = self._decoder.decode(raw, final).encode("utf-8", "replace")
        data = self._rest + raw if self._rest else raw
        if final:
            self._rest = b""
        else:
            cut = self._cut(data)
            data, self._rest = data[:cut], data[cut:]
        return self._clean(data)

    def _cut(self, data: bytes) -> int:
        """Where the last whole line ends.  A carriage return may be half of a line end."""
        cut = max(data.rfind(b"\n"), data.rfind(b"\r", 0, len(data) - 1)) + 1
        if cut and self._join is not None:
            return self._cut_between_joined(data, cut)
        if not cut and len(data) > _LONGEST_LINE:
            return len(data)
        return cut

    def _cut_between_joined(self, data: bytes, cut: int) -> int:
        """A line of full width goes on in the next one, so the cut is before it."""
        while cut:
            before = data.rfind(b"\n", 0, cut - 1) + 1
            line = data[before:cut].rstrip(b"\r\n")
            if _characters(line) != self._width or len(data) - before > _LONGEST_LINE:
                return cut
            cut = before
        return cut

    def _clean(self, data: bytes) -> bytes:
        if b"\x1b" in data or b"^[" in data or b"\\u001b" in data or b"\\x1b" in data:
            data = _ESCAPES.sub(b"", data)
        if self._bare is None and data:
            self._bare = b"[0m" in data
        if self._bare:
            data = _BARE_COLOURS.sub(b"", data)
        if b"\0" in data:
            data = data.replace(b"\0", b"")
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        return self._join(data) if self._join is not None else data


def pieces(file: BinaryIO) -> Iterator[bytes]:
    """The bytes of a file: a small piece first, then large ones.  InputError ``not_readable``."""
    size = FIRST_PIECE
    while True:
        try:
            piece = file.read(size)
        except OSError as error:
            raise InputError("not_readable", "", reason=os.strerror(error.errno or errno.EIO)) from error
        if not piece:
            return
        yield piece
        size = PIECE


def _characters(line: bytes) -> int:
    """How many characters a line of UTF-8 has: its bytes that continue none."""
    return len(line) if line.isascii() else len(line.translate(None, _CONTINUATION))


def wrapped_width(text: bytes) -> int | None:
    """The width at which every line of a text was broken, if it looks so: many lines of exactly the greatest length."""
    lengths = [_characters(line) for line in text[: 256 * 1024].split(b"\n")]
    width = max(lengths)
    full = lengths.count(width)
    return width if 40 <= width <= 500 and full >= 2 and full * 20 >= len(lengths) else None
