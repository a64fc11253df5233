"""Type-to-find over presets: each word typed must occur; the better it fits, the higher the preset."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from mfu_gui.formats.preset_index import PresetInfo

_WORD = re.compile(r"[a-z0-9]+(?:\.[0-9]+)*|[^\W_a-z0-9]+")
_WHOLE, _NAME_PREFIX, _OTHER_WORD, _OTHER_PREFIX, _INSIDE, _OTHER_INSIDE = 0, 2, 3, 4, 6, 7
_NOWHERE = 1000


def words_of(text: str) -> list[str]:
    """Words in one spelling: "H100-SXM5 80GB" is h100, sxm5, 80gb; "昇腾910B" is 昇腾, 910b."""
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def _compact(text: str) -> str:
    return "".join(words_of(text))


class _Entry:
    """A preset with its words taken apart once."""

    __slots__ = ("compact", "info", "names", "other", "other_compact", "own", "size")

    def __init__(self, info: PresetInfo) -> None:
        self.info = info
        self.own = set(words_of(info.name)) | set(words_of(info.id))
        self.other = {word for text in (info.group, *info.aliases) for word in words_of(text)} - self.own
        self.compact = f"{_compact(info.name)} {_compact(info.id)}"
        self.other_compact = " ".join(_compact(text) for text in (info.group, *info.aliases))
        self.names = {_compact(text) for text in (info.name, info.id, *info.aliases)}
        self.size = len(words_of(info.name))

    def cost(self, word: str) -> int:
        if word in self.own:
            return _WHOLE
        if any(own.startswith(word) for own in self.own):
            return _NAME_PREFIX
        if word in self.other:
            return _OTHER_WORD
        if any(other.startswith(word) for other in self.other):
            return _OTHER_PREFIX
        if len(word) > 1 and word in self.compact:
            return _INSIDE
        return _OTHER_INSIDE if len(word) > 1 and word in self.other_compact else _NOWHERE


class Finder:
    """Looks for presets by what a person types.  Immutable; made once per list of presets."""

    def __init__(self, infos: Iterable[PresetInfo]) -> None:
        self._entries = [_Entry(info) for info in infos]

    def find(self, text: str) -> list[PresetInfo]:
        """Presets in which each word of ``text`` occurs, best first; all of them for no text.

        First come those that the whole text names, then those whose own name has the words whole;
        among equals the shorter name and the order of the list decide.
        """
        words = words_of(text)
        if not words:
            return [entry.info for entry in self._entries]
        whole = "".join(words)
        ranked = []
        for position, entry in enumerate(self._entries):
            cost = self._cost(entry, words, whole)
            if cost < _NOWHERE:
                ranked.append((cost, entry.size, position, entry.info))
        ranked.sort(key=lambda item: item[:3])
        return [item[3] for item in ranked]

    @staticmethod
    def _cost(entry: _Entry, words: Sequence[str], whole: str) -> int:
        if whole in entry.names:
            return -1
        cost = sum(entry.cost(word) for word in words)
        if cost >= _NOWHERE and len(words) > 1 and (whole in entry.compact or whole in entry.other_compact):
            return _OTHER_INSIDE
        return cost
