"""Surface: a rectangle with rounded corners.  Card: a titled one."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
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


class Surface(QFrame):
    """A surface with rounded corners, painted without a style sheet; ``under``: the token of what it lies on.

    It paints all of its rectangle.  So Qt moves it as it is, with all that is in it, when something above gets lower
    or higher, and does not paint anew what is beneath.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None, *, under: str = "window") -> None:
        super().__init__(parent)
        self._theme, self._under = theme, under
        self.setFrameStyle(self.Shape.Box | self.Shadow.Plain)  # room for the line
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAttribute(Qt.WidgetAttribute.WA_StaticContents)
        theme.changed.connect(self.update)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        # Its content stays where it is, unless the layout says otherwise; what moves is the line around it.
        old, new = QRect(QPoint(), event.oldSize()), self.rect()
        for edge in (old.bottom(), new.bottom()):
            self.update(0, edge - RADIUS, new.width(), RADIUS + 1)
        if old.width() != new.width():
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, exposed, surface = QPainter(self), event.rect(), self._theme.color("surface")
        if self.rect().adjusted(1, RADIUS, -1, -RADIUS).contains(exposed):
            painter.fillRect(exposed, surface)  # the usual case: something inside, far from line and corners
            return
        painter.fillRect(exposed, self._theme.color(self._under))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(self._theme.color("line"))
        painter.setBrush(surface)
        painter.drawRoundedRect(self.rect().toRectF().adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)


class Card(Surface):
    """A titled surface: ``body`` takes the content, ``title`` and ``note`` head it."""

    def __init__(self, theme: Theme, parent: QWidget | None = None, *, titled: bool = True,
                 under: str = "window") -> None:
        super().__init__(theme, parent, under=under)
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
