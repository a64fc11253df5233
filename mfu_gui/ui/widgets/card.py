"""Card: a titled surface."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from mfu_gui.ui import fonts
from mfu_gui.ui.theme import RADIUS, SMALL, Theme
from mfu_gui.ui.widgets.elided_label import ElidedLabel


def plain_label(text: str = "", tone: str = "", *, small: bool = False, wrap: bool = False) -> QLabel:
    """A label that shows its text as it is, never as HTML; ``tone`` is muted, error, warning or accent."""
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(wrap)
    if tone:
        label.setProperty("tone", tone)
    if small:
        label.setFont(fonts.font(SMALL))
    return label


def set_tone(label: QLabel, tone: str) -> None:
    """Give a label another tone."""
    if label.property("tone") != tone:
        label.setProperty("tone", tone)
        label.style().unpolish(label)
        label.style().polish(label)


class Card(QFrame):
    """A surface with rounded corners; ``body`` takes the content, ``title`` and ``note`` head it."""

    def __init__(self, parent: QWidget | None = None, *, titled: bool = True) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        outer = self.outer = QVBoxLayout(self)
        outer.setContentsMargins(12, 7, 12, 8)
        outer.setSpacing(5)
        self.title = plain_label()
        self.title.setFont(fonts.bold())
        self.note = ElidedLabel(parent=self)
        self.title.setParent(self)
        self.note.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.head = QHBoxLayout()
        self.head.setSpacing(8)
        if titled:
            self.head.addWidget(self.title)
            self.head.addWidget(self.note, 1)
            outer.addLayout(self.head)
        else:
            self.title.hide()
            self.note.hide()
        self.body = QVBoxLayout()
        self.body.setSpacing(2)
        outer.addLayout(self.body)

    def set_title(self, text: str) -> None:
        """The heading; screen readers announce it as the name of the group."""
        self.title.setText(text)
        self.setAccessibleName(text)


class PaintedCard(QFrame):
    """The surface of a card without a style sheet, for content that is dressed part by part."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setFrameStyle(self.Shape.Box | self.Shadow.Plain)  # as much room for the line as the sheet gives it
        theme.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(self._theme.color("line"))
        painter.setBrush(self._theme.color("surface"))
        painter.drawRoundedRect(self.rect().toRectF().adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
