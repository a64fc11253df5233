"""ElidedEdit: a line of text to type that ends in … where there is no room, until it is typed into."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRect, Qt
from PySide6.QtGui import QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QLineEdit, QStyle, QStyleOptionFrame, QWidget

from mfu_gui.ui import tips

_SIDE = 10
"""Frame, padding and what QLineEdit itself leaves before its text."""


class ElidedEdit(QLineEdit):
    """For sources and notes, which are as long as who wrote them liked; the whole of them is the tooltip."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setCursorPosition(0)

    @property
    def is_elided(self) -> bool:
        """Whether a part of the text is not shown."""
        return self.fontMetrics().horizontalAdvance(self.text()) > self._text_rect().width()

    def _text_rect(self) -> QRect:
        return self.rect().adjusted(_SIDE, 0, -_SIDE, 0)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip and self.is_elided:
            tips.show(event.globalPos(), self.text(), self)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.hasFocus() or not self.is_elided:
            super().paintEvent(event)
            return
        painter = QPainter(self)
        option = QStyleOptionFrame()
        self.initStyleOption(option)
        self.style().drawPrimitive(QStyle.PrimitiveElement.PE_PanelLineEdit, option, painter, self)
        group = self.palette().ColorGroup.Normal if self.isEnabled() else self.palette().ColorGroup.Disabled
        painter.setPen(self.palette().color(group, self.foregroundRole()))
        rect = self._text_rect()
        text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, rect.width())
        painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter, text)
