"""What a screen reader and the keyboard find: a name for everything, the focus seen, pictures said and as tables."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QAbstractItemView, QApplication, QCheckBox, QDialog, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from mfu_gui.ui.actions import ACTIONS, SUBMENUS
from mfu_gui.ui.main_window import MainWindow
from mfu_gui.ui.tabs.text_table import TextTable
from mfu_gui.ui.theme import contrast

from .conftest import child
from .layout_check import settle

PAGES = [spec.key.removeprefix("page_") for spec in ACTIONS if spec.key.startswith("page_")]
VIEWS = {"plan": ("run", "serving", "post_training"), "step_time": ("waterfall", "model", "what_if"),
         "compare": ("table", "change", "sensitivity")}
DIALOGS = ("rename", "explain", "keys", "about", "cluster")


def unfold(window: MainWindow) -> None:
    """Show every field of the panels."""
    for panel in (window.column.model, window.column.hardware, window.column.run_panel):
        if panel.more.isVisible():
            panel.more.click()
    window.column.run_panel.layout_part.open(True)
    window.column.run_panel.training_part.open(True)


def reachable(root: QWidget) -> list[QWidget]:
    """What can have the keyboard and is seen."""
    return [widget for widget in root.findChildren(QWidget)
            if widget.isVisible() and widget.window() is root and widget.focusPolicy() != Qt.FocusPolicy.NoFocus]


def nameless(root: QWidget) -> list[str]:
    """What a screen reader would have no name for."""
    found = []
    for widget in reachable(root):
        interface = QAccessible.queryAccessibleInterface(widget)
        if interface is None or not interface.text(QAccessible.Text.Name).strip():
            found.append(f"{type(widget).__name__} {widget.objectName()!r} in {type(widget.parent()).__name__}")
    return found


def show(window: MainWindow, page: str, view: str) -> None:
    """Look at one view of one page."""
    window.tabs.show_page(page)
    change = getattr(window.tabs.page(page), "show_view", None)
    if view and change is not None:
        change(view)
    settle()


EACH_VIEW = [(page, view) for page in PAGES for view in VIEWS.get(page, ("",))]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_everything_that_can_have_the_keyboard_has_a_name(
        window: MainWindow, qtbot: QtBot, language: str) -> None:
    window.status.set_language(language)
    unfold(window)
    for page, view in EACH_VIEW:
        show(window, page, view)
        if page == "sweep":
            qtbot.waitUntil(lambda: not nameless(window), timeout=10_000)
        assert not nameless(window), (page, view)
    window.plot.show_against("run.devices")
    window.room.show_plot()
    assert not nameless(window)
    window.status.set_language("en")


@pytest.mark.parametrize("theme", ["light", "dark", "contrast"])
def test_the_row_of_a_table_that_has_the_keys_is_flat_and_framed(window: MainWindow, qtbot: QtBot, theme: str) -> None:
    window.status.set_theme(theme)
    show(window, "conventions", "")
    window.activateWindow()
    table = next(each for each in window.tabs.page("conventions").findChildren(TextTable) if each.isVisible())
    table.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(table.hasFocus)
    qtbot.keyClick(table, Qt.Key.Key_Down)
    current = table.currentIndex()
    row = table.visualRect(current)
    picture = table.viewport().grab().toImage()
    column = [picture.pixelColor(3, y).name() for y in range(row.top() + 4, row.bottom() - 4)]
    assert set(column) == {window.services.theme.color("accent_soft").name()}
    assert contrast(picture.pixelColor(row.center().x(), row.top()).name(), column[0]) >= 3
    assert table.currentIndex() == current
    qtbot.keyClick(table, Qt.Key.Key_Down)
    assert table.currentIndex().row() == current.row() + 1


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("key", DIALOGS)
def test_dialogs_have_names_too_and_a_key_that_closes_them(window: MainWindow, qtbot: QtBot, language: str,
                                                           key: str) -> None:
    window.status.set_language(language)
    window.actions_table[key].trigger()
    settle()
    dialogs = [widget for widget in window.findChildren(QDialog) if widget.isVisible()]
    assert len(dialogs) == 1
    assert dialogs[0].windowTitle()
    assert not nameless(dialogs[0])
    qtbot.keyClick(dialogs[0], Qt.Key.Key_Escape)
    settle()
    assert not [widget for widget in window.findChildren(QDialog) if widget.isVisible()]
    window.status.set_language("en")


def test_fields_are_described_with_unit_and_help(window: MainWindow) -> None:
    unfold(window)
    for panel in (window.column.model, window.column.hardware, window.column.run_panel, window.column.measured):
        for binding in panel.form.bindings:
            if binding.row.isVisible():
                assert binding.editor.accessibleName() == binding.field.label
                assert binding.field.help in binding.editor.accessibleDescription()


CHARTS = (
    # page, view, chart, what shows its table, the table
    ("breakdown", "", "Treemap", lambda w: None, "TreeTable"),
    ("memory", "", "StageBars", lambda w: w.tabs.page("memory").show_as("table"), "TableView"),
    ("step_time", "waterfall", "Waterfall", lambda w: w.tabs.page("step_time").show_as("table"), "LowTable"),
    ("sweep", "", "SweepChart", lambda w: None, ""),
    ("compare", "sensitivity", "Tornado", lambda w: None, ""),
)


@pytest.mark.parametrize("chart", CHARTS, ids=lambda row: row[2])
def test_pictures_are_said_in_words(window: MainWindow, qtbot: QtBot,
                                    chart: tuple[str, str, str, Callable[[MainWindow], object], str]) -> None:
    page, view, kind, as_table, table = chart
    window.resize(2000, 1300)
    show(window, page, view)
    if page == "memory":
        window.tabs.page("memory").show_as("bars")  # type: ignore[attr-defined]

    def picture() -> QWidget:
        found = [w for w in window.findChildren(QWidget) if type(w).__name__ == kind and w.isVisible()]
        assert found, kind
        return found[0]

    qtbot.waitUntil(lambda: bool(picture().accessibleName()), timeout=10_000)
    if picture().focusPolicy() != Qt.FocusPolicy.NoFocus and not picture().accessibleDescription():
        picture().setFocus()
        qtbot.keyClick(picture(), Qt.Key.Key_Right)
    assert picture().accessibleDescription(), kind
    if table:
        as_table(window)
        settle()
        assert [w for w in window.findChildren(QAbstractItemView) if type(w).__name__ == table and w.isVisible()]


def chain(window: MainWindow) -> list[QWidget]:
    """The order in which Tab goes."""
    found, widget = [], window.nextInFocusChain()
    while widget is not window:
        found.append(widget)
        widget = widget.nextInFocusChain()
    return found


def test_tab_reaches_everything_and_goes_down_the_panels(window: MainWindow) -> None:
    unfold(window)
    for page, view in EACH_VIEW:
        show(window, page, view)
        order = chain(window)
        missing = [w for w in reachable(window) if w not in order and w.focusPolicy() & Qt.FocusPolicy.TabFocus]
        assert not missing, (page, missing)
    order = chain(window)
    for panel in (window.column.model, window.column.hardware, window.column.run_panel):
        editors = [b.editor for b in panel.form.bindings if b.row.isVisible()]
        heights = [editor.mapTo(window, editor.rect().topLeft()).y() for editor in editors]
        assert heights == sorted(heights)
        assert [order.index(editor) for editor in editors] == sorted(order.index(editor) for editor in editors)


def test_the_focus_is_seen_on_every_kind_of_control(window: MainWindow) -> None:
    kinds: set[str] = set()
    for page in PAGES:
        show(window, page, "")
        for widget in reachable(window):
            kind = f"{type(widget).__name__} {widget.property('role') or ''}"
            if kind in kinds or not widget.isEnabled():
                continue
            kinds.add(kind)
            window.setFocus()
            QApplication.processEvents()
            before = widget.grab().toImage()
            widget.setFocus(Qt.FocusReason.TabFocusReason)
            QApplication.processEvents()
            assert widget.grab().toImage() != before, (page, kind)


@pytest.mark.parametrize("theme", ["light", "dark", "contrast"])
@pytest.mark.parametrize("checked", [False, True])
def test_the_focus_is_seen_on_a_box_whether_it_is_ticked_or_not(window: MainWindow, theme: str, checked: bool) -> None:
    window.status.set_theme(theme)
    show(window, "sweep", "")
    box = window.tabs.page("sweep").findChild(QCheckBox, "sweep.fits")
    assert box is not None
    box.setChecked(checked)
    window.setFocus()
    QApplication.processEvents()
    before = box.grab().toImage()
    box.setFocus(Qt.FocusReason.TabFocusReason)
    QApplication.processEvents()
    assert box.hasFocus()
    assert box.grab().toImage() != before


def test_every_action_is_in_a_menu_and_can_be_reached_by_a_key(window: MainWindow) -> None:
    listed = {action for menu in window.menuBar().actions() for action in menu.menu().actions()}
    for spec in ACTIONS:
        if spec.text != "-" and spec.key not in SUBMENUS:
            action = window.actions_table[spec.key]
            assert action in listed, spec.key
            assert not action.shortcut().isEmpty(), spec.key


def test_a_wrong_value_is_said_at_its_field(window: MainWindow, type_into: Callable[..., QLineEdit]) -> None:
    type_into("run.devices", "1,02,4")
    row = next(b for b in window.column.hardware.form.bindings if b.field.key == "run.devices").row
    row.show_message("The digits of “1,02,4” are not in groups of three.")
    assert child(window, "run.devices").property("state") == "invalid"
