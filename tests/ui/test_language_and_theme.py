"""Language and colours are switched while the window is open; nothing typed is lost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QSplitterHandle, QStackedWidget, QWidget

from mfu_gui.ui import dialogs
from mfu_gui.ui.actions import ACTIONS, without_mnemonic
from mfu_gui.ui.main_window import MainWindow
from mfu_gui.ui.tabs.table_model import TableModel
from mfu_gui.ui.theme import DARK, HIGH_DARK, HIGH_LIGHT, LIGHT, Tokens, contrast, text_on
from mfu_gui.ui.widgets.card import Surface

Type = Callable[..., QLineEdit]


def test_chinese_and_back(window: MainWindow, type_into: Type) -> None:
    field = type_into("run.devices", "many")
    english = [label.text() for label in window.findChildren(QLabel)]
    window.status.set_language("zh")
    assert window.column.measured.title.text() == "实测"
    assert window.tabs._tabs["breakdown"].text() == "构成"
    assert window.actions_table["save"].text() == "保存(&S)"
    assert field.text() == "many"
    assert "many" in window.services.workspace.active.invalid["run.devices"].values["text"]
    window.status.set_language("en")
    assert [label.text() for label in window.findChildren(QLabel)] == english


def test_every_visible_word_is_translated(window: MainWindow) -> None:
    """Words of the catalogue that stayed English: a widget that does not follow the language."""
    window.tabs.show_page("conventions")
    window.tabs.show_page("breakdown")
    shown = {label.text() for label in window.findChildren(QLabel) if label.text()}
    window.status.set_language("zh")
    tr = window.services.language.tr
    still = {label.text() for label in window.findChildren(QLabel) if label.text()}
    assert not {text for text in shown & still if tr(text) != text}
    window.status.set_language("en")


def test_the_menu_of_what_is_typed_into_is_translated_too(window: MainWindow) -> None:
    field = QLineEdit(window)

    def menu() -> list[str]:
        shown = field.createStandardContextMenu()
        return [action.text().split("\t")[0] for action in shown.actions()]

    assert "&Copy" in menu()
    window.status.set_language("zh")
    assert "复制(&C)" in menu()
    window.status.set_language("en")
    assert "&Copy" in menu()


def test_quotation_marks_are_as_wide_as_the_language_sets_them(window: MainWindow) -> None:
    """A Chinese font has both forms; a window that was switched must look like one that was started so."""
    family = QApplication.font().families()[0]
    if not family.startswith(("Noto Sans CJK", "Source Han Sans")):
        pytest.skip(f"{family} has no proportional forms")
    window.tabs.show_page("conventions")
    labels = [window.column.measured.title, window.headline.sentence, window.actions_table.submenus["recent"]]
    for code, narrow in (("zh", False), ("en", True), ("zh", False)):
        window.status.set_language(code)
        for widget in (*labels, QLabel()):
            metrics = widget.fontMetrics()
            for mark in "“·":
                assert (metrics.horizontalAdvance(mark) < 0.75 * widget.font().pixelSize()) is narrow, (code, widget)
    window.status.set_language("en")


def test_every_action_has_a_key_or_is_a_menu_of_its_own_and_no_key_is_used_twice() -> None:
    keys = [key for spec in ACTIONS for key in spec.shortcuts]
    assert len(keys) == len(set(keys))
    without = {spec.key for spec in ACTIONS if spec.text != "-" and not spec.shortcuts}
    assert without == {"recent", "language", "theme"}


def test_mnemonics_of_a_menu_are_different(window: MainWindow) -> None:
    for code in ("en", "zh"):
        window.status.set_language(code)
        for menu in window.menuBar().actions():
            letters = [a.text()[a.text().index("&") + 1].upper() for a in menu.menu().actions() if "&" in a.text()]
            assert len(letters) == len(set(letters)), (code, menu.text(), letters)
    window.status.set_language("en")


@pytest.mark.parametrize(("text", "plain"), [("&Save", "Save"), ("保存(&S)", "保存"), ("打开(&O)…", "打开…")])
def test_mnemonics_are_taken_off(text: str, plain: str) -> None:
    assert without_mnemonic(text) == plain


def test_dark_and_back(window: MainWindow) -> None:
    window.status.set_theme("dark")
    QApplication.processEvents()
    palette = QApplication.palette()
    assert palette.color(QPalette.ColorRole.Window).name() == DARK.window
    assert palette.color(QPalette.ColorRole.Text).name() == DARK.text
    picture = window.grab().toImage()
    assert picture.pixelColor(352, 90).name() in (DARK.window, DARK.surface, DARK.line)
    assert window.plot.view.backgroundBrush().color().name() == DARK.surface
    window.status.set_theme("light")
    assert QApplication.palette().color(QPalette.ColorRole.Window).name() == LIGHT.window


TEXT_ON = [("text", "window"), ("text", "surface"), ("muted", "window"), ("muted", "surface"), ("muted", "hover"),
           ("accent", "surface"), ("accent", "window"), ("accent_text", "accent"), ("text", "accent_soft"),
           ("warning", "warning_soft"), ("error", "error_soft"), ("error", "surface"), ("good", "surface"),
           ("text", "note_soft"), ("text", "field"), ("text", "hover"), ("text", "pressed"), ("muted", "field"),
           ("accent", "note_soft"), ("accent", "hover"), ("accent_text", "accent_hover")]
QUIET_TEXT_ON = [("muted", "accent_soft"), ("accent", "accent_soft"), ("muted", "note_soft")]
"""Beside or on what is chosen; 4.5:1 in all tables of colours."""
OUTLINES_ON = [("control_line", "surface"), ("control_line", "window"), ("accent", "surface"), ("accent", "window")]
"""What shows a control, and which one has the keyboard (WCAG 2.1, success criterion 1.4.11)."""


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize(("text", "ground"), TEXT_ON)
def test_text_can_be_read(tokens: Tokens, text: str, ground: str) -> None:
    assert contrast(getattr(tokens, text), getattr(tokens, ground)) >= 4.5


@pytest.mark.parametrize("tokens", [LIGHT, DARK, HIGH_LIGHT, HIGH_DARK], ids=["light", "dark", "high", "high-dark"])
def test_controls_and_the_focus_can_be_seen(tokens: Tokens) -> None:
    for outline, ground in OUTLINES_ON:
        assert contrast(getattr(tokens, outline), getattr(tokens, ground)) >= 3, (outline, ground)
    for text, ground in QUIET_TEXT_ON:
        assert contrast(getattr(tokens, text), getattr(tokens, ground)) >= 4.5, (text, ground)


@pytest.mark.parametrize("tokens", [HIGH_LIGHT, HIGH_DARK], ids=["light", "dark"])
def test_high_contrast_is_high(tokens: Tokens) -> None:
    # WCAG 2.1: 7:1 for text (success criterion 1.4.6), 3:1 for outlines (1.4.11).
    for text, ground in TEXT_ON:
        assert contrast(getattr(tokens, text), getattr(tokens, ground)) >= 7, (text, ground)
    for outline in ("field_line", "line", "experts", "shared", "router", "head", "attention_core"):
        assert contrast(getattr(tokens, outline), tokens.surface) >= 3, outline


@pytest.mark.parametrize("tokens", [LIGHT, DARK, HIGH_LIGHT, HIGH_DARK], ids=["light", "dark", "high", "high-dark"])
def test_words_on_areas_of_components_can_be_read(tokens: Tokens) -> None:
    for area in ("attention_projection", "attention_core", "experts", "shared", "router", "head", "other"):
        color = getattr(tokens, area)
        assert contrast(text_on(QColor(color)).name(), color) >= 4.5, area


@pytest.mark.parametrize("tokens", [HIGH_LIGHT, HIGH_DARK], ids=["light", "dark"])
def test_what_cannot_be_used_is_told_from_what_can_in_high_contrast(tokens: Tokens) -> None:
    assert contrast(tokens.disabled, tokens.window) >= 4.5
    assert contrast(tokens.disabled_icon, tokens.window) >= 3
    for shown in (tokens.disabled, tokens.disabled_icon):
        assert contrast(shown, tokens.text) >= 2.5


def test_high_contrast_can_be_chosen_and_is_followed_where_the_system_asks_for_it(
        window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    theme = window.services.theme
    window.status.set_theme("contrast")
    assert theme.tokens in (HIGH_LIGHT, HIGH_DARK)
    assert window.services.settings.stored.theme == "contrast"
    monkeypatch.setattr("mfu_gui.ui.theme.system_wants_contrast", lambda: True)
    window.status.set_theme("system")
    assert theme.tokens in (HIGH_LIGHT, HIGH_DARK)
    window.status.set_theme("light")
    assert theme.tokens is LIGHT


def test_contrast_is_that_of_wcag() -> None:
    # WCAG 2.1: black on white is 21, and #777777 on white 4.48.
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)


def test_a_hidden_tab_takes_other_colours_when_it_is_shown(window: MainWindow) -> None:
    window.tabs.show_page("memory")
    window.tabs.show_page("breakdown")
    memory, light = window.tabs.page("memory"), window.tabs.page("memory").styleSheet()
    window.status.set_theme("dark")
    dark = window.tabs.page("breakdown").styleSheet()
    assert dark != light
    assert memory.styleSheet() == light
    window.tabs.show_page("memory")
    assert memory.styleSheet() == dark


def test_everything_in_the_window_is_in_the_style_sheet(window: MainWindow) -> None:
    for page in window.tabs.keys:
        window.tabs.show_page(page)
    bare = {window.split, window.tabs, window.centralWidget()}
    for widget in window.findChildren(QWidget):
        above: QWidget | None = widget
        while above is not None and not above.styleSheet():
            above = above.parentWidget()
        if above is None:
            assert widget in bare or type(widget) in (QWidget, QStackedWidget, Surface) or isinstance(
                widget, QSplitterHandle), f"{type(widget).__name__} {widget.objectName()} is outside of the style sheet"


def test_every_dialog_is_in_the_style_sheet() -> None:
    folder = Path(dialogs.__file__).parent
    sources = [path.read_text("utf-8") for path in folder.glob("*.py")]
    found = [text for text in sources if "(QDialog):" in text]
    assert len(found) > 10
    assert all("theme.dress(self)" in text for text in found)


def test_other_colours_leave_the_rows_of_tables_alone(window: MainWindow) -> None:
    window.tabs.show_page("conventions")
    models = [model for model in window.findChildren(TableModel) if model.rows]
    assert models
    for theme in ("dark", "light"):
        window.status.set_theme(theme)
        QApplication.processEvents()
        assert [model.rowCount() for model in models] == [len(model.rows) for model in models]
