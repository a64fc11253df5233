"""AgainstView: MFU against devices, sequence length or batch, drawn with a few strokes."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from mfu_gui.formats.against import Against, Spot, doublings
from mfu_gui.ui import fonts
from mfu_gui.ui.services import Services
from mfu_gui.ui.theme import SMALL

_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 18, 20, 24
_HIGHEST = 1.05
_LOW, _HIGH = 120, 800
_MARK_ROOM = 56


class AgainstView(QWidget):
    """Shows one line with its HFU twin, 100 % and the target; a read-out follows the pointer and the arrow keys.

    The input goes by doublings; the utilization is linear or, with ``log``, logarithmic.
    """

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._line: Against | None = None
        self._target: float | None = None
        self._log = False
        self._dimmed = False
        self._words = ""
        self.probed: Spot | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setObjectName("plot.against")
        services.theme.changed.connect(self.update)

    def show_line(self, line: Against | None, target: float | None, words: str, *, log: bool, dimmed: bool) -> None:
        """Draw ``line``; without one ``words`` say why there is none."""
        self._line, self._target, self._words, self._log, self._dimmed = line, target, words, log, dimmed
        if self.probed is not None:
            self.probed = None if line is None else next((s for s in line.spots if s.value == self.probed.value), None)
        self.update()

    # Places

    def _area(self) -> QRectF:
        return QRectF(self.rect()).adjusted(_LEFT, _TOP, -_RIGHT, -_BOTTOM)

    def _ends(self) -> tuple[float, float]:
        line = self._line
        if line is None:
            return 0.0, 1.0
        first, last = line.spots[0].value, line.spots[-1].value
        low, high = math.log2(first), math.log2(last)
        return (low, high) if high > low else (low - 0.5, high + 0.5)

    def _floor(self) -> float:
        """Lowest utilization of a logarithmic axis."""
        line = self._line
        lowest = min((spot.utilization for spot in line.spots), default=0.1) if line is not None else 0.1
        return float(10.0 ** math.floor(math.log10(min(lowest, 0.5))))

    def _x(self, value: float) -> float:
        area, (low, high) = self._area(), self._ends()
        return area.left() + (math.log2(value) - low) / (high - low) * area.width()

    def _y(self, utilization: float) -> float:
        area = self._area()
        if not self._log:
            return area.bottom() - utilization * area.height()
        floor = math.log10(self._floor())
        return area.bottom() - (math.log10(utilization) - floor) / -floor * area.height()

    def spot_at(self, x: float) -> Spot | None:
        """The spot nearest to a place of the axis."""
        spots = () if self._line is None else self._line.spots
        return min(spots, key=lambda spot: abs(self._x(spot.value) - x), default=None)

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(fonts.font(SMALL))
        line = self._line
        if line is None:
            painter.setPen(self._services.theme.color("muted"))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, self._words)
            return
        self._paint_axes(painter, line)
        painter.setOpacity(0.4 if self._dimmed else 1.0)
        color = self._services.theme.color
        self._stroke(painter, [(s.value, s.hfu) for s in line.spots], QPen(color("muted"), 1, Qt.PenStyle.DashLine))
        self._stroke(painter, [(s.value, s.utilization) for s in line.spots], QPen(color("accent"), 2))
        self._paint_spots(painter, line)

    def _paint_axes(self, painter: QPainter, line: Against) -> None:
        theme, area, numbers = self._services.theme, self._area(), self._services.language.numbers
        parts = 2 if area.height() <= _LOW - _TOP - _BOTTOM else 5 if area.height() < _HIGH else 10
        for mark in self._utilization_marks(parts):
            y = self._y(mark)
            painter.setPen(QPen(theme.color("line"), 1))
            if mark < 1:
                painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            painter.setPen(theme.color("muted"))
            painter.drawText(QRectF(0, y - 10, _LEFT - 6, 20),
                             Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, f"{100 * mark:.3g}%")
        last = -math.inf
        for value in doublings(line.present):
            x = self._x(value)
            if x - last >= _MARK_ROOM and line.spots[0].value <= value <= line.spots[-1].value:
                last = x
                word = numbers.integer(value)
                half = painter.fontMetrics().horizontalAdvance(word) / 2 + 1
                middle = min(x, self.width() - half)
                place = QRectF(middle - half, area.bottom() + 6, 2 * half, 18)
                painter.drawText(place, Qt.AlignmentFlag.AlignCenter, word)
        painter.setPen(QPen(theme.color("error"), 1, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(area.left(), self._y(1)), QPointF(area.right(), self._y(1)))
        if self._target is not None and (not self._log or self._target > self._floor()):
            painter.setPen(QPen(theme.color("good"), 1, Qt.PenStyle.DotLine))
            painter.drawLine(QPointF(area.left(), self._y(self._target)), QPointF(area.right(), self._y(self._target)))

    def _utilization_marks(self, parts: int) -> list[float]:
        if not self._log:
            return [i / parts for i in range(parts + 1)]
        floor = round(math.log10(self._floor()))
        return [10.0**power for power in range(floor, 1)]

    def _stroke(self, painter: QPainter, points: list[tuple[int, float | None]], pen: QPen) -> None:
        painter.setPen(pen)
        shown = [QPointF(self._x(value), self._y(used)) for value, used in points if used is not None and used > 0]
        painter.save()
        painter.setClipRect(self._area().adjusted(0, -_TOP / 2, 0, 2))
        painter.drawPolyline(QPolygonF(shown))
        painter.restore()

    def _paint_spots(self, painter: QPainter, line: Against) -> None:
        color = self._services.theme.color
        here, probed = line.here, self.probed
        if here is not None and here.utilization <= _HIGHEST:
            painter.setPen(QPen(color("surface"), 2))
            painter.setBrush(color("accent"))
            painter.drawEllipse(QPointF(self._x(here.value), self._y(here.utilization)), 6.5, 6.5)
        spot = probed or here
        if spot is None:
            return
        x, area = self._x(spot.value), self._area()
        if probed is not None:
            painter.setPen(QPen(color("field_line"), 1))
            painter.drawLine(QPointF(x, area.bottom()), QPointF(x, max(self._y(min(spot.utilization, 1)), area.top())))
        painter.setPen(color("text"))
        painter.setFont(fonts.bold(SMALL))
        text = self.read_out(spot)
        width = painter.fontMetrics().horizontalAdvance(text)
        left = min(max(x - width / 2, area.left()), area.right() - width)
        y = max(self._y(min(spot.utilization, 1.0)) - 26, 0)
        painter.drawText(QRectF(left, y, width + 2, 18), Qt.AlignmentFlag.AlignVCenter, text)

    def read_out(self, spot: Spot) -> str:
        """A spot in words: its value and its utilization."""
        numbers = self._services.language.numbers
        return f"{numbers.integer(spot.value)} · {numbers.percent(spot.utilization, 2)}"

    # The pointer and the keys

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._probe(self.spot_at(event.position().x()))

    def leaveEvent(self, event: object) -> None:
        self._probe(None)
        super().leaveEvent(event)  # type: ignore[arg-type]

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if step is None or self._line is None:
            super().keyPressEvent(event)
            return
        spots = self._line.spots
        now = self.probed or self._line.here or spots[0]
        index = min(max(spots.index(now) + step, 0), len(spots) - 1)
        self._probe(spots[index])
        self.setAccessibleDescription(self.read_out(spots[index]))

    def _probe(self, spot: Spot | None) -> None:
        if spot is not self.probed:
            self.probed = spot
            self.update()
