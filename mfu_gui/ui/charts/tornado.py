"""Tornado: bars around one line, the longest on top: how far a result goes when each input moves alone.

Each row is a line of words and a bar under it, so that the chart is read as a list and seen as a picture.  The part
that belongs to the smaller input is lighter and hatched, that of the larger one is full: not told by colour only.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from mfu_gui.ui.charts.row_chart import BELOW_WORDS, TOP, RowChart
from mfu_gui.ui.services import Services


class Bar(NamedTuple):
    """One row: what it is, the ends (the value at the smaller and at the larger input, None where it has none),
    and the same in words."""

    label: str
    low: float | None
    high: float | None
    text: str
    tip: Callable[[], str] | None = None


class Tornado(RowChart):
    """Rows around a line.  A row is chosen by the mouse or the arrow keys; ``selected(number)`` tells which."""

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(services, parent)
        self.rows: list[Bar] = []
        self._base = 0.0
        self._span = (0.0, 1.0)
        self._height = 0.0
        self._measure()

    def _measure(self) -> None:
        self._thicken()
        self._height = self._metrics.lineSpacing() + TOP + BELOW_WORDS + self._bar + self._bottom
        self.setFixedHeight(round(self._height * len(self.rows)))
        self.update()

    def show_bars(self, title: str, base: float, rows: Sequence[Bar]) -> None:
        """Draw ``rows`` around ``base``; ``title`` is the name for screen readers."""
        if len(rows) != len(self.rows):
            self._chosen = -1
        self.rows, self._base = list(rows), base
        ends = [end for row in rows for end in (row.low, row.high) if end is not None]
        self._span = (min([base, *ends]), max([base, *ends]))
        self._name(title)
        self._measure()

    def sizeHint(self) -> QSize:
        return QSize(260, round(self._height * len(self.rows)))

    def row_at(self, y: float) -> int:
        """Number of the row at a height; -1 where there is none."""
        number = bisect_right([self._height * i for i in range(len(self.rows) + 1)], y) - 1
        return number if 0 <= number < len(self.rows) else -1

    def row_rect(self, number: int) -> QRectF:
        """Where a row is."""
        return QRectF(0, self._height * number, self.width(), self._height)

    def x_of(self, value: float) -> float:
        """Where a value of the result is."""
        low, high = self._span
        return 2.0 + (self.width() - 4) * (0.5 if high <= low else (value - low) / (high - low))

    def bar_rect(self, number: int, end: float) -> QRectF:
        """From the line to one end; at least a pixel wide."""
        left, right = sorted((self.x_of(self._base), self.x_of(end)))
        return QRectF(left, self._height * (number + 1) - self._bottom - self._bar, max(right - left, 1.0),
                      self._bar)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._draw_chosen(painter)
        shown = event.rect()
        for number, row in enumerate(self.rows):
            if not self.row_rect(number).intersects(QRectF(shown)):
                continue
            self._draw_words(painter, number, row)
            self._draw_bars(painter, number, row)

    def _draw_words(self, painter: QPainter, number: int, row: Bar) -> None:
        area = self.row_rect(number).adjusted(2, TOP, -2, 0)
        align = Qt.AlignmentFlag
        painter.setPen(self.services.theme.color("text"))
        painter.setFont(self._bold)
        painter.drawText(area, align.AlignRight | align.AlignTop, row.text)
        painter.setFont(self._font)
        room = max(area.width() - self._bold_metrics.horizontalAdvance(row.text) - 12, 40.0)
        label = self._metrics.elidedText(row.label, Qt.TextElideMode.ElideRight, room)
        painter.drawText(area, align.AlignLeft | align.AlignTop, label)

    def _draw_bars(self, painter: QPainter, number: int, row: Bar) -> None:
        theme = self.services.theme
        top = self._height * (number + 1) - self._bottom - self._bar
        painter.setPen(Qt.PenStyle.NoPen)
        for end, token, pattern in ((row.low, "attention_core", Qt.BrushStyle.BDiagPattern),
                                    (row.high, "attention_projection", None)):
            if end is None:
                continue
            rect = self.bar_rect(number, end)
            painter.setBrush(theme.color(token))
            painter.drawRoundedRect(rect, 2, 2)
            if pattern is not None:
                painter.setBrush(QBrush(theme.color("surface"), pattern))
                painter.drawRoundedRect(rect, 2, 2)
        x = round(self.x_of(self._base)) + 0.5
        painter.setPen(QPen(theme.color("text"), 1))
        painter.drawLine(QPointF(x, top - 2), QPointF(x, top + self._bar + 2))
