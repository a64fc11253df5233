"""The palette finds every action, tab, field, preset and convention, in both languages; room for the tabs."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QScrollArea
from pytestqt.qtbot import QtBot

from mfu_gui.engine.conventions import CONVENTIONS
from mfu_gui.texts import LANGUAGES, translator
from mfu_gui.ui.actions import ACTIONS, SUBMENUS, without_mnemonic
from mfu_gui.ui.dialogs.keys import KeysDialog, key_groups
from mfu_gui.ui.field_places import field_places
from mfu_gui.ui.main_window import MainWindow
from mfu_gui.ui.tabs.pages import PAGES

from .conftest import child

KEYS = [spec.key for spec in ACTIONS if spec.text != "-" and spec.key not in SUBMENUS]


def titles(window: MainWindow, text: str) -> list[str]:
    """What the palette offers for a text."""
    window.finder.open()
    window.finder.palette.edit.setText(text)
    return [entry.title for entry in window.finder.palette.entries]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_action_tab_and_convention_is_found_by_its_title_in_both_languages(
        window: MainWindow, language: str) -> None:
    window.status.set_language(language)
    window.finder.open()
    palette, tr = window.finder.palette, window.services.language.tr
    messages = [spec.text for spec in ACTIONS if spec.key in KEYS and spec.key not in ("palette", "undo", "redo")]
    for message in [*messages, *(page.title for page in PAGES), *(c.title for c in CONVENTIONS)]:
        shown = without_mnemonic(tr(message)).rstrip("…")
        for code in LANGUAGES:
            palette.edit.setText(without_mnemonic(translator(code)(message)).rstrip("…"))
            assert shown in [entry.title for entry in palette.entries][:12], (message, code)
    palette.close_list()
    window.status.set_language("en")


@pytest.mark.parametrize(("text", "title"), [
    ("405b", "Llama 3.1 405B"), ("昇腾 910b", "Ascend 910B1"), ("deepseek", "deepseek"),
    ("深色", "Dark"), ("chinese", "简体中文"), ("qwertz", ""),
])
def test_presets_and_settings_are_found(window: MainWindow, text: str, title: str) -> None:
    offered = titles(window, text)
    if title == "deepseek":
        kinds = {entry.kind for entry in window.finder.palette.entries}
        assert {"Model", "Convention"} <= kinds
    elif title:
        assert title in offered
    else:
        assert offered == []
        QApplication.processEvents()
        assert window.finder.palette.isVisible()


def test_enter_takes_the_first_and_escape_gives_the_keyboard_back(window: MainWindow, qtbot: QtBot) -> None:
    before = child(window, "run.devices")
    before.setFocus()
    window.actions_table["palette"].trigger()
    palette = window.finder.palette
    assert palette.edit.hasFocus()
    qtbot.keyClick(palette.edit, Qt.Key.Key_Escape)
    assert not palette.isVisible()
    assert before.hasFocus()
    window.finder.open()
    qtbot.keyClicks(palette.edit, "maxtext")
    first = palette.entries[0]
    qtbot.keyClick(palette.edit, Qt.Key.Key_Down)
    qtbot.keyClick(palette.edit, Qt.Key.Key_Up)
    qtbot.keyClick(palette.edit, Qt.Key.Key_Return)
    assert not palette.isVisible()
    assert first.title == "MaxText"
    assert window.services.workspace.active.scenario.convention.id == "maxtext"


def test_what_cannot_be_done_is_last_and_does_nothing(window: MainWindow, qtbot: QtBot) -> None:
    window.finder.open()
    palette = window.finder.palette
    qtbot.keyClicks(palette.edit, "redo")
    entry = palette.entries[-1]
    assert not any(e.enabled for e in palette.entries if e.title == "Redo")
    assert not entry.enabled
    palette.list.setCurrentIndex(palette.list.model().index(len(palette.entries) - 1, 0))
    qtbot.keyClick(palette.edit, Qt.Key.Key_Return)
    assert palette.isVisible()


def test_every_field_that_applies_gets_the_keyboard(window: MainWindow) -> None:
    scenario = window.services.workspace.active.scenario
    tried = 0
    for place in field_places():
        if not place.field.applies(scenario):
            continue
        window.finder.show_place(place)
        QApplication.processEvents()
        editor = child(window.tabs.page(place.page) if place.page else window.column, place.field.key)
        assert editor.isVisible(), place.field.key
        assert editor.hasFocus() or editor.isAncestorOf(QApplication.focusWidget()), place.field.key
        tried += 1
        scenario = window.services.workspace.active.scenario
    assert tried > 60


def test_shortcuts_lists_every_action(window: MainWindow) -> None:
    listed = {text for _, rows in key_groups(window.services) for _, text in rows}
    assert {without_mnemonic(spec.text).rstrip("…") for spec in ACTIONS if spec.key in KEYS} <= listed


# Room for the tabs

def test_a_page_that_needs_it_gets_the_whole_side_in_a_small_window(window: MainWindow) -> None:
    assert not window.room.whole
    window.tabs.show_page("plan")
    assert window.room.whole
    assert window.headline.isVisible()
    assert window.actions_table["tab_room"].isChecked()
    window.tabs.show_page("breakdown")
    assert not window.room.whole
    window.tabs.show_page("conventions")
    assert not window.room.whole
    window.resize(1024, 700)
    QApplication.processEvents()
    window.tabs.show_page("breakdown")
    assert not window.room.whole
    window.tabs.show_page("conventions")
    assert window.room.whole  # two of 43 rows are no table
    window.resize(2560, 1440)
    QApplication.processEvents()
    window.tabs.show_page("plan")
    assert not window.room.whole


def test_what_was_chosen_is_kept_for_the_kind_of_tab(window: MainWindow, qtbot: QtBot) -> None:
    window.tabs.show_page("plan")
    qtbot.mouseClick(window.room.button, Qt.MouseButton.LeftButton)
    assert window.plot.isVisible()
    window.tabs.show_page("memory")
    assert window.room.whole
    window.tabs.show_page("plan")
    assert not window.room.whole
    window.actions_table["tab_room"].trigger()
    assert window.room.whole
    assert window.services.settings.stored.whole_side == {"plan": True}


def test_the_plot_follows_what_was_edited_while_it_was_away(window: MainWindow) -> None:
    from mfu_gui.engine.fields import with_measured

    window.tabs.show_page("plan")
    workspace = window.services.workspace
    workspace.edit(workspace.active, "x", with_measured(workspace.active.scenario, "step_time_s", 4.0))
    window.actions_table["target"].trigger()
    assert window.plot.isVisible()
    assert window.plot.view is not None
    assert window.plot.view._curve is not None
    assert window.plot.view._curve.time == 4.0


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_shortcuts_are_in_sight_in_a_common_window(window: MainWindow, language: str) -> None:
    window.status.set_language(language)
    window.resize(1280, 800)
    dialog = KeysDialog(window.services, window)
    dialog.show()
    area = dialog.findChild(QScrollArea)
    assert area is not None
    assert dialog.width() <= 1240
    assert dialog.height() <= 760
    assert (area.horizontalScrollBar().maximum(), area.verticalScrollBar().maximum()) == (0, 0)
    dialog.close()
