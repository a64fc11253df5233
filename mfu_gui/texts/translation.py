"""Translator: from an English text or the code of a message to a sentence in the reader's language."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from mfu_gui.resources import resource_path
from mfu_gui.texts.language import LANGUAGES, known_language
from mfu_gui.texts.marking import N_
from mfu_gui.texts.numbers import Numbers

if TYPE_CHECKING:
    from gettext import NullTranslations
    from typing import Protocol

    class Problem(Protocol):
        """What `describe` takes: an error or a notice of the engine."""

        @property
        def code(self) -> str: ...
        @property
        def field(self) -> str: ...
        @property
        def values(self) -> dict[str, Any]: ...

_AFTER_MYRIAD = re.compile("(?<=[0-9] [万亿]) (?=[\u4e00-\u9fff])|(?<=[0-9] 万亿) (?=[\u4e00-\u9fff])")
LONGEST_VALUE = 200
MOST_ITEMS = 12
_LARGEST_PLAIN_INTEGER = 10**15


class Translator:
    """Speaks one language; never changes. Made by `translator`.

    `tr("{n} of {m}", n=1, m=2)` translates and fills in. A placeholder may say how its number is to be
    written: `{mfu:percent}`, `{mfu:percent2}`, `{time:duration}` and whatever `Numbers` has. A value that is
    missing leaves its placeholder visible; nothing here raises because of a text or a value.
    """

    __slots__ = ("_catalogue", "_language", "_numbers")

    def __init__(self, language: str, catalogue: NullTranslations | None) -> None:
        self._language = language
        self._catalogue = catalogue
        self._numbers = Numbers(language)

    @property
    def language(self) -> str:
        return self._language

    @property
    def numbers(self) -> Numbers:
        return self._numbers

    def __call__(self, message: str, /, **values: object) -> str:
        return self._fill(self._translated(message), _Values(self, values))

    def plural(self, singular: str, plural: str, n: int, /, **values: object) -> str:
        """The text that suits the number `n`, which `{n}` stands for."""
        if self._catalogue is None:
            text = singular if n == 1 else plural
        else:
            text = self._catalogue.ngettext(singular, plural, n)
        return self._fill(text, _Values(self, {"n": self._numbers.integer(n), **values}))

    def sentence(self, code: str, values: Mapping[str, object] | None = None) -> str:
        """The sentence for the code of an error or a notice, filled with its values.

        It does not name the field: whoever shows it beside the field needs no repetition.
        """
        from mfu_gui.texts.sentences import SENTENCES

        given = {key: value for key, value in (values or {}).items() if value is not None}
        templates = SENTENCES.get(code)
        if templates is None:
            details = self.join([f"{key}={self.value(value)}" for key, value in given.items()])
            return f"{code} ({details})" if details else code
        if isinstance(templates, str):
            templates = (templates,)
        template = next((text for text in templates if placeholders(text) <= given.keys()), templates[-1])
        shown = {key: self.value(value) if isinstance(value, str) else value for key, value in given.items()}
        return self._fill(self._translated(template), _Values(self, {**shown, **self._kinds(given)}))

    def describe(self, problem: Problem, *, beside: str = "") -> str:
        """One line for an error or a notice: the file and the field, if any, and the sentence.

        A place that is ``beside`` the line already is not named again.
        """
        places = dict.fromkeys(place for place in (problem.values.get("file"), problem.field)
                               if place and place != beside)
        return ": ".join([*map(self.value, places), self.sentence(problem.code, problem.values)])

    def join(self, items: Sequence[str], last: str | None = None) -> str:
        """Items in a row, separated as in this language; `last` separates the last one if it is given."""
        comma = "、" if self._language == "zh" else ", "
        if last is None or len(items) < 2:
            return comma.join(items)
        return comma.join(items[:-1]) + last + items[-1]

    def value(self, value: object) -> str:
        """A value that somebody gave, on one line of bounded length and as JSON would write it."""
        if isinstance(value, str):
            text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in value)
            return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 1] + "…"
        if value is None or isinstance(value, bool):
            return {None: "null", True: "true", False: "false"}[value]
        if isinstance(value, int):
            return str(value) if abs(value) < _LARGEST_PLAIN_INTEGER else self._numbers.short(value)
        if isinstance(value, float):
            if not math.isfinite(value):
                return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
            return self._numbers.exact(value)
        if isinstance(value, list | tuple | set | frozenset):
            items = [self.value(item) for item in value]
            return self.join(items if len(items) <= MOST_ITEMS else [*items[:MOST_ITEMS], "…"])
        return self.value(str(value))

    def _translated(self, message: str) -> str:
        # An empty key is the catalogue's own header.
        return self._catalogue.gettext(message) if self._catalogue is not None and message else message

    def _fill(self, text: str, values: _Values) -> str:
        if "{" not in text and "}" not in text:  # most texts: parsing them again for each key press is not free
            return text
        try:
            filled = text.format_map(values)
        except (ValueError, LookupError, AttributeError, TypeError):
            return text
        # "80.3 亿" is a number and "词元" a word; "80.3 亿词元" is how both are written together.
        return _AFTER_MYRIAD.sub("", filled) if "亿 " in filled or "万 " in filled else filled

    def _kinds(self, values: Mapping[str, object]) -> dict[str, str]:
        """`expected` and `found` name kinds of values, such as "int", `causes` name causes, `reasons` are sentences
        in English; says them in words."""
        from mfu_gui.texts.sentences import CAUSES, KINDS

        words = {}
        for key, table in (("expected", KINDS), ("found", KINDS), ("causes", CAUSES)):
            value = values.get(key)
            names = list(value) if isinstance(value, list | tuple) else [value]
            known = [table[name] for name in names if isinstance(name, str) and name in table]
            if known and len(known) == len(names):
                words[key] = self.join([self(text) for text in known], self._translated(N_(" or ")))
        reasons = values.get("reasons")
        if isinstance(reasons, list | tuple):
            words["reasons"] = ("" if self._language == "zh" else " ").join(self(str(text)) for text in reasons)
        return words


class _Values(dict[str, object]):
    """Values for `str.format_map`: each knows how to write itself, and a missing one stays visible."""

    def __init__(self, speaker: Translator, values: Mapping[str, object]) -> None:
        super().__init__(values)
        self._speaker = speaker

    def __getitem__(self, key: str) -> object:
        if key not in self:
            return _Hole(key)
        return _Shown(self._speaker, super().__getitem__(key))


class _Hole:
    """Stands for a value that nobody gave."""

    def __init__(self, key: str) -> None:
        self._key = key

    def __format__(self, spec: str) -> str:
        return "{" + self._key + "}"


class _Shown:
    """A value with the format words of `Numbers` beside Python's own format specifications."""

    def __init__(self, speaker: Translator, value: Any) -> None:
        self._speaker = speaker
        self._value = value

    def __format__(self, spec: str) -> str:
        if not spec:
            return self._value if isinstance(self._value, str) else self._speaker.value(self._value)
        word = spec.rstrip("0123456789")
        if word not in Numbers.WORDS:
            return format(self._value, spec)
        digits = [int(spec[len(word) :])] if word != spec else []
        written: str = getattr(self._speaker.numbers, word)(self._value, *digits)
        return written


@cache
def placeholders(text: str) -> frozenset[str]:
    """The names in curly brackets; raises ValueError if the brackets of the text do not match."""
    from string import Formatter

    return frozenset(name for _, name, _, _ in Formatter().parse(text) if name is not None)


def translator(language: str) -> Translator:
    """The translator of a language (`en`, `zh` or any tag that begins so); English for all others."""
    return _translator(known_language(language))


@cache
def _translator(language: str) -> Translator:
    name = LANGUAGES[language]
    if name is None:
        return Translator(language, None)
    import struct
    from gettext import GNUTranslations

    try:
        with resource_path("i18n", f"{name}.mo").open("rb") as file:
            return Translator(language, GNUTranslations(file))
    except (OSError, ValueError, struct.error):
        # A damaged installation (no file, a file that is cut) still speaks English.
        return Translator(language, None)
