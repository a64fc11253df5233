"""The row of tabs: those without room are in a menu, the chosen one is always in sight."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from mfu_gui.ui.widgets.tab_pages import TabPages


def in_sight(tabs: TabPages) -> list[str]:
    return [key for key, tab in tabs._tabs.items() if not tab.isHidden()]


class Plain(QWidget):
    def set_active(self, active: bool) -> None:
        """Nothing to draw."""


def test_tabs_without_room_are_in_a_menu(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    tabs = TabPages(lambda page: None, window)
    names = ["Breakdown", "Conventions", "Memory", "Published"]
    for name in names:
        tabs.add(name.lower(), Plain)
        tabs.set_caption(name.lower(), name)
    tabs.show_page("breakdown")
    tabs.resize(900, 200)
    window.resize(900, 200)
    window.show()
    assert in_sight(tabs) == list(tabs.keys)
    assert tabs._more.isHidden()
    tabs.resize(300, 200)
    QApplication.processEvents()
    shown = in_sight(tabs)
    assert shown == list(tabs.keys)[: len(shown)]
    assert len(shown) < len(names)
    qtbot.mouseClick(tabs._more, Qt.MouseButton.LeftButton)
    menu = next(child for child in tabs.findChildren(QMenu) if child.isVisible())
    entries = menu.actions()
    assert [entry.text() for entry in entries] == names[len(shown):]
    entries[-1].trigger()
    menu.close()
    QApplication.processEvents()
    assert tabs.current == "published"
    assert "published" in in_sight(tabs)
    assert max(tab.geometry().right() for tab in tabs._tabs.values() if not tab.isHidden()) < tabs.width()
