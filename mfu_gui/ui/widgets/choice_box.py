"""ChoiceBox: one of a few, painted like the other fields."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QPolygonF, QWheelEvent
from PySide6.QtWidgets import QComboBox, QSizePolicy, QWidget

from mfu_gui.ui import fonts
from mfu_gui.ui.theme import SMALL, Theme

HEIGHT = 26
FLAT_HEIGHT = 22
_ARROW_SPACE = 24


def paint_field(widget: QWidget, painter: QPainter, theme: Theme, *, focus: bool, hover: bool) -> None:
    """The rounded box of a field."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    line = "accent" if focus else "muted" if hover else "control_line"
    painter.setPen(QPen(theme.color(line if widget.isEnabled() else "line"), 1))
    painter.setBrush(theme.color("field" if widget.isEnabled() else "window"))
    painter.drawRoundedRect(QRectF(widget.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5)


def paint_chevron(painter: QPainter, theme: Theme, x: float, y: float) -> None:
    """A small arrow that points down, its middle at ``x``, ``y``."""
    pen = QPen(theme.color("muted"), 1.5)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    painter.setPen(pen)
    painter.drawPolyline(QPolygonF([QPointF(x - 3.5, y - 1.8), QPointF(x, y + 1.8), QPointF(x + 3.5, y - 1.8)]))


class ChoiceBox(QComboBox):
    """A combo box for (value, label) pairs.  ``chosen(value)`` is emitted for a choice of the user only."""

    chosen = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None, *, flat: bool = False,
                 heading: bool = False) -> None:
        """``flat``: without a box until it is pointed at, for places where it must be quiet; ``heading``: such a one
        in the weight of a heading."""
        super().__init__(parent)
        self._theme = theme
        self._flat = flat
        self._quiet = flat and not heading
        self._opened = False
        if flat:
            self.setFont(fonts.bold() if heading else fonts.font(SMALL))
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.activated.connect(lambda index: self.chosen.emit(self.itemData(index)))
        theme.changed.connect(self.update)

    def set_choices(self, choices: Sequence[tuple[object, str]]) -> None:
        """Offer these; the present value stays chosen if it is one of them."""
        if [(self.itemData(i), self.itemText(i)) for i in range(self.count())] == list(choices):
            return
        value = self.currentData()
        self.clear()
        for data, label in choices:
            self.addItem(label, data)
        self.set_value(value)

    def set_value(self, value: object) -> None:
        """Show a value; one that is not offered shows as empty."""
        index = self.findData(value)
        if index != self.currentIndex():
            self.setCurrentIndex(index)

    def showPopup(self) -> None:
        # Not before: asking for the view builds the list with its scroll bars.
        self._opened = True
        self.view().setFont(self.font())
        self.view().setMinimumWidth(self.view().sizeHintForColumn(0) + 24)
        super().showPopup()

    def changeEvent(self, event: QEvent) -> None:
        changes = (QEvent.Type.FontChange, QEvent.Type.StyleChange)
        if event.type() in changes and not self._opened:  # QComboBox would build its list to tell it
            self.updateGeometry()
            self.update()
            return
        super().changeEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # scrolling the panel must not change a choice in passing

    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        widest = max((metrics.horizontalAdvance(self.itemText(i)) for i in range(self.count())), default=40)
        return QSize(widest + 9 + _ARROW_SPACE, self._height())

    def minimumSizeHint(self) -> QSize:
        return QSize(_ARROW_SPACE + 40, self._height())

    @property
    def is_elided(self) -> bool:
        """Whether the chosen text does not fit into the box."""
        room = self.width() - 9 - _ARROW_SPACE + 4
        return self.fontMetrics().horizontalAdvance(self.currentText()) > room

    def _height(self) -> int:
        return FLAT_HEIGHT if self._flat else HEIGHT

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        if not self._flat or self.hasFocus() or self.underMouse():
            paint_field(self, painter, self._theme, focus=self.hasFocus(), hover=self.underMouse())
        painter.setFont(self.font())
        painter.setPen(self._theme.color("text" if self.isEnabled() and not self._quiet else "muted"))
        area = self.rect().adjusted(9 if self._quiet or not self._flat else 3, 0, -_ARROW_SPACE + 4, 0)
        text = self.fontMetrics().elidedText(self.currentText(), Qt.TextElideMode.ElideRight, area.width())
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
        paint_chevron(painter, self._theme, self.width() - 13, self.height() / 2)
