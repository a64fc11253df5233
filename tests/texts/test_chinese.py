"""Chinese as engineers of the field write it: their terms, their punctuation, nothing left in English."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from babel.messages.pofile import read_po

from mfu_gui.texts import translator
from mfu_gui.texts.translation import placeholders

ROOT = Path(__file__).resolve().parents[2]
LIST = json.loads((ROOT / "tests" / "data" / "chinese_terms.json").read_text(encoding="utf-8"))
HAN = re.compile("[\u4e00-\u9fff]")


@cache
def entries() -> tuple[tuple[str, str], ...]:
    """(English, Chinese) of the whole catalogue."""
    with (ROOT / "resources" / "i18n" / "zh_CN.po").open("rb") as file:
        catalogue = read_po(file)
    found = []
    for message in catalogue:
        english = message.id if isinstance(message.id, str) else (message.id or ("",))[-1]
        chinese = message.string if isinstance(message.string, str) else message.string[0]
        if english:
            found.append((english, chinese))
    return tuple(found)


def plain(text: str) -> str:
    """Without the marks of menus and the names of what is filled in."""
    return re.sub(r"\{[^}]*\}", "{}", text.replace("&", ""))


@pytest.mark.parametrize("term", LIST["terms"], ids=lambda term: term["en"])
def test_a_term_is_said_as_the_field_says_it(term: dict[str, Any]) -> None:
    case = re.NOFLAG if term["en"].isupper() else re.IGNORECASE
    word = re.compile(rf"(?<![\w.=-]){re.escape(term['en'])}s?(?![\w=-])", case)
    allowed = tuple(term.get("except", ()))
    having = [(en, zh) for en, zh in entries() if word.search(plain(en))]
    assert having, "no text has this term any more"
    wrong = [(en, zh) for en, zh in having
             if zh and not en.startswith(allowed or ("\0",)) and not any(form in zh for form in term["zh"])]
    assert not wrong


def test_forms_that_nobody_should_read() -> None:
    found = [(form, zh) for _, zh in entries() for form in LIST["never"] if form in zh]
    found += [("步时间", zh) for _, zh in entries() if re.search("(?<![每整单])步时间", zh)]  # 每步时间
    assert not found


def test_punctuation_after_chinese_is_chinese() -> None:
    han = "[\u4e00-\u9fff]"
    wrong = [zh for _, zh in entries() if re.search(f"{han}[,;?!](?![\\w%])|{han}: ?{han}", zh)]
    assert not wrong


def test_sentences_that_end_in_english_end_in_chinese() -> None:
    wrong = [(en, zh) for en, zh in entries() if zh and en.endswith(".") and HAN.search(zh)
             and not zh.rstrip().endswith(("。", "！", "？", "…", "：", "）", "”"))]
    assert not wrong


def test_nothing_is_left_in_english() -> None:
    """A text without a Chinese character is a name, a formula or an abbreviation: no two English words in a row."""
    words = re.compile(r"\b[a-z]{3,} [a-z]{3,}\b")
    wrong = [(en, zh) for en, zh in entries() if zh and not HAN.search(zh) and words.search(plain(zh))]
    assert not wrong


def test_placeholders_are_all_used() -> None:
    wrong = [(en, zh) for en, zh in entries() if zh and "{" in en and "%" not in en[:1]
             and {p.partition(":")[0] for p in placeholders(zh)} - {p.partition(":")[0] for p in placeholders(en)}]
    assert not wrong


@pytest.mark.parametrize(("written", "expected"), [
    (lambda n: n.count(671_000_000_000), "6,710 亿"), (lambda n: n.count(15e12), "15.0 万亿"),
    (lambda n: n.count(62_000), "6.20 万"), (lambda n: n.duration(8.57), "8.57 秒"),
    (lambda n: n.duration(0.0123), "12.3 毫秒"), (lambda n: n.percent(0.4373, 2), "43.73%"),
    (lambda n: n.integer(16384), "16,384"),
])
def test_numbers_and_units_are_those_of_the_language(written: Any, expected: str) -> None:
    assert written(translator("zh").numbers) == expected
