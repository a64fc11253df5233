"""The help says the same in both languages, names only what there is, and is there where it is asked for."""

from __future__ import annotations

import re

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtWidgets import QApplication, QWhatsThis
from pytestqt.qtbot import QtBot

from mfu_gui.engine.conventions import CONVENTIONS
from mfu_gui.engine.fields import BY_KEY, FIELDS
from mfu_gui.resources import resource_path
from mfu_gui.texts import LANGUAGES, Translator, translator
from mfu_gui.ui.diagnostics import data_date, diagnostics
from mfu_gui.ui.dialogs.about import AboutDialog
from mfu_gui.ui.dialogs.help import HelpWindow
from mfu_gui.ui.help_text import article, fields_text, glossary, glossary_text
from mfu_gui.ui.main_window import MainWindow
from mfu_gui.ui.tabs.pages import PAGES
from tests.ui.conftest import child

LINK = re.compile(r"\]\((\w+):([^)]+)\)")
CODE = tuple(LANGUAGES)


def test_both_languages_have_the_same_headings() -> None:
    english, chinese = article("en"), article("zh")
    assert [(topic.id, topic.level) for topic in english.topics] == [(t.id, t.level) for t in chinese.topics]
    assert len({topic.id for topic in english.topics}) == len(english.topics)
    assert "{#" not in english.markdown + chinese.markdown
    for text in (english, chinese):
        assert len(re.findall("^#+ ", text.markdown, re.MULTILINE)) == len(text.topics)


def test_both_languages_have_the_same_links_formulas_and_figures() -> None:
    english, chinese = (article(code).markdown for code in ("en", "zh"))
    assert sorted(LINK.findall(english)) == sorted(LINK.findall(chinese))
    assert english.count("```") == chinese.count("```")
    figures = [sorted(re.findall(r"\d[\d,.]*\d", text.replace("`", ""))) for text in (english, chinese)]
    assert [f for f in figures[0] if f not in figures[1]] == []


@pytest.mark.parametrize("code", CODE)
def test_every_field_convention_and_topic_that_is_named_exists(code: str) -> None:
    text = article(code)
    known = {"field": set(BY_KEY), "convention": {c.id for c in CONVENTIONS}, "topic": {t.id for t in text.topics}}
    links = LINK.findall(text.markdown)
    assert len(links) > 20
    assert [link for link in links if link[1] not in known[link[0]]] == []


def test_the_tabs_that_are_described_exist() -> None:
    described = {topic.id for topic in article("en").topics if topic.id.startswith("tab-")}
    assert described <= {f"tab-{page.key}" for page in PAGES}
    assert len(described) >= 8


def test_the_worked_example_is_what_the_engine_computes(window: MainWindow) -> None:
    document = window.services.workspace.active
    result = document.result
    assert result is not None
    assert result.mfu is not None
    for code in CODE:
        text = article(code).markdown
        assert f"{100 * result.mfu:.2f}%" in text
        assert f"{result.flops.per_token / 1e9:.2f} GFLOP" in text
        assert f"{result.peak_tflops_per_device:.1f} TFLOP/s" in text


def test_the_glossary_is_complete_in_both_languages() -> None:
    terms = glossary()
    assert len({term.id for term in terms}) == len(terms) >= 30
    for term in terms:
        for name, sentence in (term.en, term.zh):
            assert name
            assert sentence[-1] in ".。"
        assert re.search(r"[\u4e00-\u9fff]", term.zh[0] + term.zh[1])
        assert not re.search(r"[\u4e00-\u9fff]", term.en[0] + term.en[1])


@pytest.mark.parametrize("code", CODE)
def test_every_field_has_help_and_is_in_the_list(code: str) -> None:
    tr: Translator = translator(code)
    text = fields_text(tr)
    assert [field.key for field in FIELDS if not field.help] == []
    assert [field.key for field in FIELDS if f"(field:{field.key})" not in text] == []


def test_searching_finds_a_term_in_either_language() -> None:
    tr, terms = translator("en"), glossary()
    assert "Bubble" in glossary_text(tr, terms, "空泡")
    assert "Goodput" in glossary_text(tr, terms, "restart checkpoint")
    assert not glossary_text(tr, terms, "no such word at all")


def test_f1_tells_about_the_field_that_has_the_focus(window: MainWindow, qtbot: QtBot) -> None:
    editor = child(window, "run.global_batch")
    editor.setFocus(Qt.FocusReason.TabFocusReason)
    assert "Sequences in one optimizer step" in window.helping.about(editor)
    window.actions_table["help"].trigger()
    assert window.findChild(HelpWindow) is None
    QWhatsThis.hideText()


def test_f1_elsewhere_opens_the_help_on_the_tab(window: MainWindow) -> None:
    window.tabs.show_page("memory")
    focused = QApplication.focusWidget()
    if focused is not None:
        focused.clearFocus()
    window.actions_table["help"].trigger()
    shown = window.findChild(HelpWindow)
    assert shown is not None
    assert shown.browser.verticalScrollBar().value() > 0
    assert shown.list.currentItem().data(Qt.ItemDataRole.UserRole) == "tabs"


def test_links_lead_into_the_window(window: MainWindow) -> None:
    shown = window.helping.open("mfu")
    shown.browser.anchorClicked.emit(QUrl("convention:megatron-lm"))
    assert window.services.workspace.active.scenario.convention.id == "megatron-lm"
    shown.browser.anchorClicked.emit(QUrl("convention:no-such"))
    assert window.services.workspace.active.scenario.convention.id == "megatron-lm"
    shown.browser.anchorClicked.emit(QUrl("topic:glossary"))
    assert "Bubble" in shown.browser.toPlainText()
    window.activateWindow()
    shown.browser.anchorClicked.emit(QUrl("field:run.devices"))
    assert child(window, "run.devices").hasFocus()


def test_nothing_is_loaded_from_anywhere(window: MainWindow) -> None:
    shown = window.helping.open("mfu")
    shown.browser.anchorClicked.emit(QUrl("https://example.org/"))
    assert shown.browser.toPlainText().startswith("What MFU is")
    for code in CODE:
        assert "](http" not in article(code).markdown
        assert "![" not in article(code).markdown
        assert "<" not in article(code).markdown.replace("<br>", "")


def test_typing_searches_and_clearing_shows_the_topic_again(window: MainWindow) -> None:
    shown = window.helping.open("mfu")
    shown.search.setText("zero stage")
    assert "ZeRO" in shown.browser.toPlainText()
    shown.search.setText("<b>nothing</b>")
    assert "Nothing has these words." in shown.browser.toPlainText()
    shown.search.clear()
    assert shown.browser.toPlainText().startswith("What MFU is")


def test_the_help_follows_the_language(window: MainWindow) -> None:
    shown = window.helping.open("glossary")
    window.services.language.set_code("zh")
    assert "流水线空泡" in shown.browser.toPlainText()


def test_diagnostics_say_versions_and_nothing_personal(window: MainWindow) -> None:
    settings = window.services.settings
    settings.add_recent(resource_path("examples", "gpt2-124m-nanogpt.mfu"))
    window.actions_table["diagnostics"].trigger()
    text = QApplication.clipboard().text()
    assert "PySide6" in text
    assert data_date(window.services.presets.infos()) in text
    assert str(settings.folder) not in text
    assert "gpt2" not in text
    assert window.services.workspace.active.scenario.name not in diagnostics(window.services)


def test_about_names_the_date_of_the_data(window: MainWindow, qtbot: QtBot) -> None:
    dialog = AboutDialog(window.services, window)
    qtbot.addWidget(dialog)
    from PySide6.QtWidgets import QLabel

    date = data_date(window.services.presets.infos())
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", date)
    assert any(date in label.text() for label in dialog.findChildren(QLabel))
