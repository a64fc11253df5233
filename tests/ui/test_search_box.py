"""The list of a search box: all of it in sight, numbers included, and it begins with what is chosen."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QApplication, QListView
from pytestqt.qtbot import QtBot

from mfu_gui.ui import fonts
from mfu_gui.ui.main_window import MainWindow
from mfu_gui.ui.theme import SMALL
from mfu_gui.ui.widgets.search_box import MOST_WIDTH, SearchBox


def opened(box: SearchBox, text: str = "") -> QListView:
    box.setFocus()
    box.open_list(text)
    QApplication.processEvents()
    assert box._list is not None
    return box._list


def test_few_rows_need_no_scroll_bar(window: MainWindow) -> None:
    for text in ("h800", "h800 sxm5"):
        shown = opened(window.column.hardware.search, text)
        assert shown.model().rowCount() in (1, 2)
        assert shown.verticalScrollBar().maximum() == 0
        shown.hide()


def test_no_utilization_of_a_convention_is_cut_off(window: MainWindow) -> None:
    box = next(box for box in window.findChildren(SearchBox) if box.objectName() == "convention")
    shown = opened(box)
    for item in box.items:
        needed = (QFontMetrics(fonts.font()).horizontalAdvance(item.name)
                  + QFontMetrics(fonts.font(SMALL)).horizontalAdvance(item.note) + 28)
        assert needed <= shown.viewport().width() or shown.width() >= MOST_WIDTH, item
    shown.hide()


def test_enter_in_a_list_just_opened_keeps_what_is_chosen(window: MainWindow, qtbot: QtBot) -> None:
    box = window.column.model.search
    shown = opened(box)
    assert box.items[shown.currentIndex().row()].name == box.text() == "Llama 3.1 8B"
    qtbot.keyClick(box, Qt.Key.Key_Return)
    assert window.services.workspace.active.history.count() == 0


def test_a_text_that_nothing_fits_is_told_so_and_chooses_nothing(window: MainWindow, qtbot: QtBot) -> None:
    boxes = (window.column.model.search, window.column.hardware.search, window.toolbar.search)
    for box in boxes:
        shown = opened(box, "no such thing")
        assert shown.isVisible()
        assert [shown.model().index(row, 0).data() for row in range(shown.model().rowCount())] == [
            "Nothing fits this text."]
        assert not box.items
        qtbot.keyClick(box, Qt.Key.Key_Return)
        assert not shown.isVisible()
    assert not window.services.workspace.active.dirty


def test_the_palette_says_so_too(window: MainWindow) -> None:
    window.finder.open()
    palette = window.finder.palette
    assert not palette.nothing.isVisible()
    palette.edit.setText("no such thing")
    assert palette.nothing.isVisible()
    assert not palette.list.isVisible()
    palette.edit.setText("llama")
    assert palette.list.isVisible()
