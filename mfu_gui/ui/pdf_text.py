"""Makes Chinese in a PDF searchable: Qt names some glyphs by radicals that only look like the character.

Fonts draw ⽤ (a radical, U+2F64) and 用 (U+7528) by one glyph.  Qt goes through Unicode from its beginning to
say which character a glyph stands for, and finds the radical; a search for 用 would find nothing.
"""

from __future__ import annotations

import re

from PySide6.QtGui import QFont, QFontDatabase, QRawFont

from mfu_gui.ui import fonts

RADICALS = [chr(code) for code in range(0x2E80, 0x2FE0)]
_MAP = re.compile(rb"begincmap.*?endcmap", re.DOTALL)
_RADICAL = re.compile(rb"<(2[EeFf][0-9A-Fa-f]{2})>(?= *[<\]\n])")


def with_ideographs(data: bytes, text: str) -> bytes:
    """The PDF with characters of ``text`` in place of radicals of the same glyph; nothing else changes its place."""
    names = same_glyphs(text)
    if not names:
        return data

    def renamed(match: re.Match[bytes]) -> bytes:
        return _RADICAL.sub(lambda code: names.get(code[1].upper(), code[0]), match[0])

    return _MAP.sub(renamed, data)


def same_glyphs(text: str) -> dict[bytes, bytes]:
    """Radical -> character of ``text`` that the Chinese font draws alike, as ``2F64`` -> ``<7528>``."""
    characters = sorted({c for c in text if "\u4e00" <= c <= "\u9fff"})
    if not characters:
        return {}
    font = QRawFont.fromFont(QFont(list(fonts.families())), QFontDatabase.WritingSystem.SimplifiedChinese)
    drawn = {glyph: c for c in characters for glyph in font.glyphIndexesForString(c) if glyph}
    found = {}
    for radical in RADICALS:
        for glyph in font.glyphIndexesForString(radical):
            if glyph in drawn:
                found[b"%04X" % ord(radical)] = b"<%04X>" % ord(drawn[glyph])
    return found
