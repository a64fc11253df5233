"""Makes Chinese in a PDF searchable: Qt names some glyphs by characters that only look like the ones meant.

Fonts draw ⽤ (a radical, U+2F64) and 用 (U+7528) by one glyph.  Qt says for each glyph the first character of
Unicode that has it, which is the radical; a search for 用 would find nothing.
"""

from __future__ import annotations

import re

from PySide6.QtGui import QFont, QFontDatabase, QRawFont

from mfu_gui.ui import fonts

_RANGES = ((0x2000, 0x2070), (0x2200, 0x2400), (0x2E80, 0x2FE0), (0x3000, 0x3040))
LOOK_ALIKES = "".join(chr(code) for first, after in _RANGES for code in range(first, after))
"""Punctuation, signs and radicals that fonts draw like another character further on in Unicode."""
_MAP = re.compile(rb"begincmap.*?endcmap", re.DOTALL)
_CODE = re.compile(rb"<(2[0-9A-Fa-f]{3}|30[0-3][0-9A-Fa-f])>")


def with_characters_meant(data: bytes, text: str) -> bytes:
    """The PDF with characters of ``text`` in place of others with the same glyph; nothing changes its place."""
    names = same_glyphs(text)
    if not names:
        return data

    def renamed(match: re.Match[bytes]) -> bytes:
        return _CODE.sub(lambda code: names.get(code[1].upper(), code[0]), match[0])

    return _MAP.sub(renamed, data)


def same_glyphs(text: str) -> dict[bytes, bytes]:
    """Look-alike -> character of ``text`` that the Chinese font draws by the same glyph: ``2F64`` -> ``<7528>``."""
    characters = "".join(sorted({c for c in text if "\x7f" < c <= "\uffff"}))
    font = QRawFont.fromFont(QFont(list(fonts.families())), QFontDatabase.WritingSystem.SimplifiedChinese)
    drawn: dict[int, str] = {}
    for glyph, character in zip(font.glyphIndexesForString(characters), characters, strict=True):
        if glyph:
            drawn.setdefault(glyph, character)
    alike = zip(font.glyphIndexesForString(LOOK_ALIKES), LOOK_ALIKES, strict=True)
    return {b"%04X" % ord(other): b"<%04X>" % ord(drawn[glyph]) for glyph, other in alike
            if glyph in drawn and other < drawn[glyph]}
