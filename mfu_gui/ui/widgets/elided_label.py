"""ElidedLabel: one line of unbounded length that ends in … where there is no room; the whole is its tooltip."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from mfu_gui.ui import fonts, tips
from mfu_gui.ui.theme import SMALL


class ElidedLabel(QLabel):
    """For remarks whose length nobody knows (sources, names); what must be read in full is a plain label.

    Its size does not depend on its text, so a new text is a matter of painting: QLabel would have
    the whole window laid out again.
    """

    def __init__(self, tone: str = "muted", parent: QWidget | None = None, *, font: QFont | None = None) -> None:
        super().__init__(parent)
        self._text = ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("tone", tone)
        self.setFont(font or fonts.font(SMALL))
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def text(self) -> str:
        return self._text

    def setText(self, text: str) -> None:
        if text != self._text:
            self._text = text
            self.setToolTip(tips.plain(text))
            self.setAccessibleName(text)
            self.update()

    def sizeHint(self) -> QSize:
        margins = self.contentsMargins()
        return QSize(0, self.fontMetrics().height() + margins.top() + margins.bottom())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    @property
    def is_elided(self) -> bool:
        """Whether a part of the text is not shown."""
        return self.fontMetrics().horizontalAdvance(self.text()) > self.contentsRect().width()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        rect = self.contentsRect()
        text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, rect.width())
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(rect, self.alignment() | Qt.AlignmentFlag.AlignVCenter, text)
