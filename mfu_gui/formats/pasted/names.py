"""Names of models and accelerators in a sentence: which presets they can mean."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from mfu_gui.formats.preset_file import Kind
from mfu_gui.formats.preset_index import PresetInfo
from mfu_gui.formats.preset_search import words_of

LONGEST_NAME = 7
"""Words in one name."""
MOST_OPTIONS = 12
"""Words that mean more presets than this say too little."""
_SHORTEST_PREFIX = 3
_SHORTEST_WORD = 4
_COMMON = frozenset((
    "with", "from", "using", "train", "training", "trained", "pretraining", "model", "models", "node", "nodes",
    "cluster", "large", "small", "base", "flash", "step", "steps", "time", "batch", "size", "data", "mini", "nano",
    "super", "ultra", "chat", "instruct", "vision", "version", "medium", "server", "card", "cards", "lite", "plus",
    "prime", "open", "code", "scale"))
_NEVER = frozenset(("per", "of", "one", "two", "gpu", "gpus", "visible", "device", "devices", "and", "core", "cores",
                    "chip", "module", "package", "die", "fused"))
"""Words that stand in names too, but in a sentence mean something else."""
_WORD = re.compile(r"[A-Za-z0-9]+(?:\.[0-9]+)*|[^\W_A-Za-z0-9]+")


class Named(NamedTuple):
    """A name in a text: its place, the kind of preset, and the presets, those it names exactly first.

    There is one preset where one has exactly this name, or no other has all of its words.
    """

    start: int
    end: int
    kind: Kind
    presets: tuple[PresetInfo, ...]


class _Index:
    """Presets of one kind by the words and the whole names that they have."""

    def __init__(self, infos: list[PresetInfo]) -> None:
        self.infos = infos
        self.names: dict[str, list[int]] = {}
        self.words: dict[str, set[int]] = {}
        self.beginnings: dict[str, set[int]] = {}
        """Of the words of the name itself: "sxm" is one of "sxm5"."""
        for number, info in enumerate(infos):
            texts = (info.name, info.id, *info.aliases)
            for whole in dict.fromkeys("".join(words_of(text)) for text in texts):
                self.names.setdefault(whole, []).append(number)
            for word in {word for text in (*texts, info.group) for word in words_of(text)}:
                self.words.setdefault(word, set()).add(number)
            for word in words_of(info.name):
                for length in range(_SHORTEST_PREFIX, len(word) + 1):
                    self.beginnings.setdefault(word[:length], set()).add(number)

        self.starts = {whole[:_SHORTEST_PREFIX] for whole in self.names}
        """How whole names begin: "llama3.1" is the start of one, and no word of it."""

    def with_words(self, words: list[str]) -> set[int]:
        """Those that have all words, whole or (where a word is of letters alone) as the beginning of one."""
        found: set[int] | None = None
        for word in words:
            having = self.words.get(word, set())
            if word.isalpha():
                having = having | self.beginnings.get(word, set())
            found = having if found is None else found & having
            if not found:
                return set()
        return found or set()


class Names:
    """The names of all presets, taken apart once."""

    def __init__(self, infos: Iterable[PresetInfo]) -> None:
        by_kind: dict[Kind, list[PresetInfo]] = {"mfu-model": [], "mfu-hardware": []}
        for info in infos:
            by_kind[info.kind].append(info)
        self._indexes = {kind: _Index(each) for kind, each in by_kind.items()}

    def find(self, text: str) -> Iterator[Named]:
        """The names in a text, from its beginning; of overlapping ones the longest."""
        places = [(match.start(), match.end(), match.group().casefold()) for match in _WORD.finditer(text)]
        first = 0
        while first < len(places):
            found = self._longest(text, places[first : first + LONGEST_NAME])
            if found is None:
                first += 1
                continue
            yield found
            while first < len(places) and places[first][0] < found.end:
                first += 1

    def _longest(self, text: str, places: list[tuple[int, int, str]]) -> Named | None:
        for count in range(self._run(text, places), 0, -1):
            words = [word for _, _, word in places[:count]]
            if not _telling(words):
                continue
            for kind in self._indexes:
                infos = self._matches(kind, words)
                if infos:
                    return Named(places[0][0], places[count - 1][1], kind, infos)
        return None

    def _run(self, text: str, places: list[tuple[int, int, str]]) -> int:
        """How many words may belong to one name: those that some name has, with nothing but a joint between."""
        for number, (start, _, word) in enumerate(places):
            if word in _NEVER or not self._is_known(word):
                return number
            if number and not re.fullmatch(r"[ \-_/()]{1,3}|", text[places[number - 1][1] : start]):
                return number
        return len(places)

    def _is_known(self, word: str) -> bool:
        return any(word in index.words or word in index.beginnings or word[:_SHORTEST_PREFIX] in index.starts
                   for index in self._indexes.values())

    def _matches(self, kind: Kind, words: list[str]) -> tuple[PresetInfo, ...]:
        index, whole = self._indexes[kind], "".join(words)
        named = index.names.get(whole, [])
        if kind == "mfu-model" and len(named) == 1 and len(words) > 1:
            # "Llama 3.1 70B" is that one, although a variant has the same words and more.
            return (index.infos[named[0]],)
        having: list[int] = []
        if len(words) > 1 or not words[0][0].isdigit():
            # "910B2" is a name, "3e" of "3e-4" is only a part of one.
            having = sorted(index.with_words(words) - set(named))
        found = [*named, *having]
        return () if len(found) > MOST_OPTIONS else tuple(index.infos[number] for number in found)


def _telling(words: list[str]) -> bool:
    """Whether words can be a name by themselves: no plain numbers, no words of every sentence."""
    if words[0].isdigit() or (len(words) == 1 and words[0] in _COMMON):
        return False
    return any((any(c.isdigit() for c in word) and not word.replace(".", "").isdigit())
               or (len(word) >= _SHORTEST_WORD and word not in _COMMON) or not word.isascii() for word in words)
