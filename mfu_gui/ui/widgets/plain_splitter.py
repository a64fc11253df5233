"""PlainSplitter: two parts with nothing but room between them."""

from __future__ import annotations

from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QSplitter, QSplitterHandle


class _Room(QSplitterHandle):
    """Can be dragged, and shows nothing."""

    def paintEvent(self, event: QPaintEvent) -> None:
        pass


class PlainSplitter(QSplitter):
    """For parts that are dressed each on their own, where no style sheet reaches the handle."""

    def createHandle(self) -> QSplitterHandle:
        return _Room(self.orientation(), self)
