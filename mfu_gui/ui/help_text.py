"""The texts of the help: an article in each language, the glossary, and the fields, as Markdown of our own.

In the article a heading carries its id (``# Title {#id}``), and a link says what it leads to: ``topic:id``,
``field:key``, ``convention:id``.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import msgspec

from mfu_gui.engine.fields import FIELDS, Field
from mfu_gui.resources import resource_path
from mfu_gui.texts import LANGUAGES, N_, Translator

_HEADING = re.compile(r"^(#{1,3}) (.+?) \{#([a-z0-9_-]+)\}$", re.MULTILINE)
_SPECIAL = re.compile(r"([\\`*_\[\]<>#])")
PANELS = (("model", N_("Model")), ("hardware", N_("Hardware")), ("run", N_("Run")), ("measured", N_("Measured")))


class Topic(NamedTuple):
    """A heading of the article."""

    id: str
    title: str
    level: int


class Term(msgspec.Struct, frozen=True):
    """One entry of the glossary: (term, sentence) in each language."""

    id: str
    symbol: str
    unit: str
    en: tuple[str, str]
    zh: tuple[str, str]

    def of(self, language: str) -> tuple[str, str]:
        """Term and sentence."""
        return self.zh if language == "zh" else self.en


class Article(NamedTuple):
    """Markdown without the ids, and the topics in the order of their headings."""

    markdown: str
    topics: tuple[Topic, ...]


def article(language: str) -> Article:
    """The article in a language."""
    name = LANGUAGES.get(language) or "en"
    text = resource_path("help").joinpath(f"{name}.md").read_text(encoding="utf-8")
    topics = tuple(Topic(match[3], match[2], len(match[1])) for match in _HEADING.finditer(text))
    return Article(_HEADING.sub(r"\1 \2", text), topics)


def glossary() -> tuple[Term, ...]:
    """All terms, in the order of the file."""
    return msgspec.json.decode(resource_path("help", "glossary.json").read_bytes(), type=tuple[Term, ...])


def glossary_text(tr: Translator, terms: tuple[Term, ...], words: str = "") -> str:
    """The glossary as Markdown; with ``words`` only the terms that have all of them, in either language."""
    kept = [term for term in terms if _has(words, term.id, term.symbol, *term.en, *term.zh)]
    kept.sort(key=lambda term: term.of("en")[0].casefold() if tr.language == "en" else "")
    return "\n\n".join(_term(term, tr) for term in kept)


def _term(term: Term, tr: Translator) -> str:
    name, sentence = term.of(tr.language)
    beside = [term.symbol] if term.symbol else []
    if tr.language != "en":
        beside.append(term.en[0])
    if term.unit:
        beside.append(tr("unit: {unit}", unit=tr(term.unit) if term.unit in ("tokens", "sequences") else term.unit))
    head = f"#### {plain(name)}" + (f" *{plain(' · '.join(beside))}*" if beside else "")
    return f"{head}\n\n{plain(sentence)}"


def fields_text(tr: Translator, words: str = "") -> str:
    """All fields of the panels with their help, as Markdown."""
    parts = []
    for panel, title in PANELS:
        lines = [_field(field, tr) for field in FIELDS if field.panel == panel and field.help
                 and _has(words, field.key, tr(field.label), tr(field.help), field.label, field.help)]
        if lines:
            parts += [f"### {plain(tr(title))}", *lines]
    return "\n\n".join(parts)


def _field(field: Field, tr: Translator) -> str:
    unit = f" *{plain(tr(field.unit))}*" if field.unit else ""
    return f"#### [{plain(tr(field.label))}](field:{field.key}){unit}\n\n{plain(tr(field.help))}"


def plain(text: str) -> str:
    """A text that says in Markdown what it says as it is."""
    return _SPECIAL.sub(r"\\\1", text.replace("\n", " "))


def _has(words: str, *texts: str) -> bool:
    where = "\n".join(texts).casefold()
    return all(word in where for word in words.casefold().split())
