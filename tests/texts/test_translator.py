"""Translating, filling in, choosing a sentence."""

from __future__ import annotations

from typing import Any

import pytest

from mfu_gui.texts import Translator, known_language, system_language, translator
from mfu_gui.texts import sentences as table


class Problem:
    def __init__(self, code: str, field: str = "", **values: Any) -> None:
        self.code, self.field, self.values = code, field, values


@pytest.fixture
def en() -> Translator:
    return translator("en")


@pytest.fixture
def zh() -> Translator:
    return translator("zh")


@pytest.mark.parametrize(
    ("tag", "language"),
    [
        ("zh_CN.UTF-8", "zh"),
        ("zh-Hans-CN", "zh"),
        ("ZH_TW", "zh"),
        ("zh", "zh"),
        ("en_GB.UTF-8", "en"),
        ("de_DE", "en"),
        ("C.UTF-8", "en"),
        ("C", "en"),
        ("zha_CN", "en"),
        ("", "en"),
        (None, "en"),
    ],
)
def test_known_language(tag: str | None, language: str) -> None:
    assert known_language(tag) == language
    assert translator(tag or "").language == language


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "LC_MESSAGES": "en_US.UTF-8"}, "en"),
        ({"LANG": "en_US.UTF-8", "LC_ALL": "zh_CN", "LC_MESSAGES": "en_US"}, "zh"),
        ({"LANG": "zh_CN", "LC_ALL": ""}, "zh"),
        ({}, "en"),
    ],
)
def test_system_language(environment: dict[str, str], language: str) -> None:
    assert system_language(environment) == language


def test_one_translator_per_language() -> None:
    assert translator("zh_CN") is translator("zh")


def test_english_is_its_own_catalogue(en: Translator) -> None:
    assert en("Layers {n}", n=3) == "Layers 3"


def test_chinese(zh: Translator) -> None:
    assert zh("There is no preset “{id}”.", id="a") == "没有预设“a”。"
    assert zh("not in any catalogue: {x}", x=1) == "not in any catalogue: 1"


def test_empty_text_is_not_the_header_of_the_catalogue(zh: Translator) -> None:
    assert zh("") == ""


def test_plural(en: Translator) -> None:
    assert en.plural("{n} device", "{n} devices", 1) == "1 device"
    assert en.plural("{n} device of {m}", "{n} devices of {m}", 16384, m="x") == "16,384 devices of x"


def test_words_for_numbers(en: Translator, zh: Translator) -> None:
    assert en("{a:percent} {a:percent2} {b:duration} {c:count} {d:.3f}", a=0.3894, b=0.5, c=671e9, d=1) == (
        "38.9% 38.94% 500 ms 671B 1.000"
    )
    assert zh("{c:count}", c=671e9) == "6,710 亿"


@pytest.mark.parametrize(
    ("text", "values", "shown"),
    [
        ("{a} and {b}", {"a": 1}, "1 and {b}"),
        ("{a:.2f}", {}, "{a}"),
        ("{a:percent}", {}, "{a}"),
        ("{a.b} {c[0]}", {"a": 1, "c": 2}, "{a.b} {c[0]}"),
        ("{a:.2f}", {"a": "text"}, "{a:.2f}"),
        ("{a:percent}", {"a": "text"}, "{a:percent}"),
        ("half a { bracket", {}, "half a { bracket"),
        ("{{a}}", {"a": 1}, "{a}"),
        ("{0}", {}, "{0}"),
        ("{}", {}, "{}"),
    ],
)
def test_a_text_and_its_values_never_raise(en: Translator, text: str, values: dict, shown: str) -> None:
    assert en(text, **values) == shown


def test_brackets_and_names_in_a_value_are_only_text(en: Translator) -> None:
    assert en("{name}", name="{name} {0.__class__}") == "{name} {0.__class__}"


def test_values_of_sentences_stay_on_one_line_of_bounded_length(en: Translator) -> None:
    shown = en.sentence("unknown_preset", {"id": "a\nb\x1b[31m\u202e" + "x" * 1000})
    assert shown.startswith(r"There is no preset “a\nb\x1b[31m\u202exxx")
    assert len(shown) < 260
    assert shown.isprintable()


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "null"),
        (True, "true"),
        (False, "false"),
        (2048, "2048"),
        (10**400, "1.00×10⁴⁰⁰"),
        (0.30000000000000004, "0.30000000000000004"),
        (2.0, "2"),
        (float("nan"), "NaN"),
        (float("-inf"), "-Infinity"),
        ([1, "a"], "1, a"),
        (range(20), "range(0, 20)"),
        (list(range(20)), "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, …"),
    ],
)
def test_value(en: Translator, value: object, shown: str) -> None:
    assert en.value(value) == shown


def test_first_template_that_can_be_filled_is_used(monkeypatch: pytest.MonkeyPatch, en: Translator) -> None:
    monkeypatch.setitem(table.SENTENCES, "probe", ("{a} {b}", "{b}", "{c}", "none"))
    assert en.sentence("probe", {"a": 1, "b": 2}) == "1 2"
    assert en.sentence("probe", {"a": None, "b": 2}) == "2"
    assert en.sentence("probe", {"c": 0}) == "0"
    assert en.sentence("probe") == "none"


def test_a_single_template_with_a_hole_shows_it(monkeypatch: pytest.MonkeyPatch, en: Translator) -> None:
    monkeypatch.setitem(table.SENTENCES, "probe", "{a} of {b}")
    assert en.sentence("probe", {"a": 1}) == "1 of {b}"


def test_kinds_are_said_in_words(en: Translator, zh: Translator) -> None:
    values = {"expected": ["int", "null"], "found": "str", "value": "x"}
    assert en.sentence("wrong_type", values) == "Expected a whole number or null, but found text: x"
    assert zh.sentence("wrong_type", values) == "应为整数或null，实际为文本：x"
    assert en.sentence("wrong_type", {"expected": "a cat"}) == "Expected a cat."


def test_unknown_code_is_shown_with_its_values(en: Translator) -> None:
    assert en.sentence("never_heard_of", {"a": 1, "b": "x"}) == "never_heard_of (a=1, b=x)"
    assert en.sentence("never_heard_of") == "never_heard_of"


def test_describe_names_the_field(en: Translator) -> None:
    problem = Problem("out_of_range", "run.devices", value=0, minimum=1, maximum=None)
    assert en.describe(problem) == "run.devices: 0 is too small: the least that is possible here is 1."
    assert en.describe(Problem("empty_file")) == "The file is empty."


def test_describe_names_the_file_once(en: Translator) -> None:
    problem = Problem("required", "run.devices", file="a.mfu")
    assert en.describe(problem) == "a.mfu: run.devices: A value is needed here."
    assert en.describe(Problem("required", "a.mfu", file="a.mfu")) == "a.mfu: A value is needed here."
    assert en.describe(Problem("required", "", file="a\nb")) == "a\\nb: A value is needed here."


def test_join(en: Translator, zh: Translator) -> None:
    assert en.join(["a", "b", "c"]) == "a, b, c"
    assert en.join(["a", "b", "c"], " or ") == "a, b or c"
    assert zh.join(["a", "b", "c"], "或") == "a、b或c"
    assert en.join(["a"], " or ") == "a"
    assert en.join([]) == ""


def test_damaged_installation_speaks_english(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    from mfu_gui.texts import translation as module

    monkeypatch.setattr(module, "resource_path", tmp_path.joinpath)
    module._translator.cache_clear()
    try:
        assert translator("zh")("There is no such file.") == "There is no such file."
    finally:
        module._translator.cache_clear()


@pytest.mark.parametrize(("bounds", "words"), [
    ((1, 10**9), "1 to 1,000,000,000"), ((0.5, 1.0), "0.5 to 1"), ((1e-12, 65536), "1e-12 to 65,536")])
def test_bounds_are_written_as_people_read_numbers(bounds: tuple[float, float], words: str) -> None:
    sentence = translator("en").sentence("out_of_range", {"value": -3, "minimum": bounds[0], "maximum": bounds[1]})
    assert sentence == f"-3 is outside of what is possible here: {words}."


def test_chinese_words_follow_a_number_of_myriads_without_a_space() -> None:
    zh = translator("zh")
    for number, words in ((8_030_000_000, "80.3 亿参数"), (2_100_000, "210 万参数"), (3.5e12, "3.50 万亿参数"),
                          (512, "512 参数")):
        assert zh("{n} parameters", n=zh.numbers.count(number)) == words
    assert zh("{a}, {b}", a="6,710 亿 FLOP", b="x") == "6,710 亿 FLOP, x"
