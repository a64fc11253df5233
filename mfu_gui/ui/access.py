"""What helps people who use the keyboard: the focus is seen on pictures and scrolled texts too."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QLineEdit,
    QMainWindow,
    QMenu,
    QMenuBar,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)
from shiboken6 import isValid

from mfu_gui.ui.range_bar import RangeBar
from mfu_gui.ui.theme import Theme
from mfu_gui.ui.widgets.focus_ring import FocusRing
from mfu_gui.ui.widgets.value_label import ValueLabel

SHOW_IT_THEMSELVES = (QAbstractButton, QAbstractItemView, QComboBox, QLineEdit, QMainWindow, QMenu, QMenuBar,
                      QPlainTextEdit, QTextEdit, RangeBar, ValueLabel)


class FocusRings(QObject):
    """Frames what has the focus in a window and does not show it itself."""

    def __init__(self, theme: Theme, window: QWidget) -> None:
        super().__init__(window)
        self._theme = theme
        self._window = window
        self._ring: FocusRing | None = None
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._changed)

    def _changed(self, old: QWidget | None, new: QWidget | None) -> None:
        if self._ring is not None and isValid(self._ring):
            self._ring.hide()
            self._ring.deleteLater()
        self._ring = None
        if new is None or isinstance(new, SHOW_IT_THEMSELVES) or new.window() is not self._window:
            return
        self._ring = FocusRing(self._theme, new)
