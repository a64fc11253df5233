"""The licences of others are one click away from About."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from mfu_gui.ui.dialogs.about import AboutDialog
from mfu_gui.ui.dialogs.licences import LicencesDialog
from mfu_gui.ui.main_window import MainWindow


def test_about_shows_them(make_window: Callable[[], MainWindow], qtbot: QtBot) -> None:
    window = make_window()
    about = AboutDialog(window.services, window)
    about.open()
    qtbot.mouseClick(about.licences, Qt.MouseButton.LeftButton)
    QApplication.processEvents()
    shown = about.findChild(LicencesDialog)
    assert shown is not None
    assert shown.isVisible()
    assert "numpy" in shown.text.toPlainText()
    assert shown.text.isReadOnly()
    about.close()
