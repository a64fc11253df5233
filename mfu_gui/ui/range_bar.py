"""RangeBar: 0 to 100 %, with the chosen convention and all others that fit the model."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from mfu_gui.engine.compare import ConventionRow
from mfu_gui.ui import tips
from mfu_gui.ui.services import Services

_HEIGHT = 18
_TRACK = 6
_REACH = 5


class RangeBar(QWidget):
    """Marks for the utilization by each sound convention; pressing one chooses it."""

    picked = Signal(str)

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._rows: tuple[ConventionRow, ...] = ()
        self._value: float | None = None
        self._dimmed = False
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)
        services.theme.changed.connect(self.update)

    def show_rows(self, rows: tuple[ConventionRow, ...], value: float | None, dimmed: bool) -> None:
        """Show the utilizations of ``rows`` and the chosen one's ``value``."""
        sound = tuple(row for row in rows
                      if row.kind == "model" and row.status == "sound" and row.utilization is not None)
        if (sound, value, dimmed) != (self._rows, self._value, self._dimmed):
            self._rows, self._value, self._dimmed = sound, value, dimmed
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(240, _HEIGHT)

    def _x(self, fraction: float) -> float:
        return 1 + min(max(fraction, 0.0), 1.0) * (self.width() - 2)

    def paintEvent(self, event: QPaintEvent) -> None:
        color = self._services.theme.color
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        middle = self.height() / 2
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color("line"))
        painter.drawRoundedRect(QRectF(0, middle - _TRACK / 2, self.width(), _TRACK), 3, 3)
        if self._dimmed:
            painter.setOpacity(0.45)
        if self._rows:
            values = [row.utilization or 0.0 for row in self._rows]
            left, right = self._x(min(values)), self._x(max(values))
            painter.setBrush(color("attention_core"))
            painter.drawRoundedRect(QRectF(left, middle - _TRACK / 2, max(right - left, 2), _TRACK), 3, 3)
            painter.setPen(QPen(color("surface"), 1))
            for value in values:
                x = round(self._x(value)) + 0.5
                painter.drawLine(QPointF(x, middle - _TRACK / 2 + 1), QPointF(x, middle + _TRACK / 2 - 1))
        if self._value is not None:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color("accent"))
            painter.drawRoundedRect(QRectF(self._x(self._value) - 1.5, middle - 8, 3, 16), 1.5, 1.5)

    def _near(self, x: float) -> list[ConventionRow]:
        return [row for row in self._rows if abs(self._x(row.utilization or 0.0) - x) <= _REACH]

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            near = self._near(event.pos().x())
            percent = self._services.language.numbers.percent
            text = "\n".join(f"{percent(row.utilization, 2)}  {row.id}" for row in near)
            tips.show(event.globalPos(), text, self)
            return True
        return super().event(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        near = bool(self._near(event.position().x()))
        self.setCursor(Qt.CursorShape.PointingHandCursor if near else Qt.CursorShape.ArrowCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        near = self._near(event.position().x())
        if near and event.button() == Qt.MouseButton.LeftButton:
            x = event.position().x()
            nearest = min(near, key=lambda row: abs(self._x(row.utilization or 0.0) - x))
            self.picked.emit(nearest.id)
