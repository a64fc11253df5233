"""Tornado: bars around one line, the longest on top: how far a result goes when each input moves alone.

Each row is a line of words and a bar under it, so that the chart is read as a list and seen as a picture.  The part
that belongs to the smaller input is lighter and hatched, that of the larger one is full: not told by colour only.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import NamedTuple

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QBrush, QFontMetricsF, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from mfu_gui.ui import fonts, tips
from mfu_gui.ui.services import Services
from mfu_gui.ui.theme import SMALL

_BAR = 9
_TOP, _BELOW_WORDS, _BOTTOM = 3, 3, 5


class Bar(NamedTuple):
    """One row: what it is, the ends (the value at the smaller and at the larger input, None where it has none),
    and the same in words."""

    label: str
    low: float | None
    high: float | None
    text: str
    tip: Callable[[], str] | None = None


class Tornado(QWidget):
    """Rows around a line.  A row is chosen by the mouse or the arrow keys; ``selected(number)`` tells which."""

    selected = Signal(int)

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.services = services
        self.rows: list[Bar] = []
        self._base = 0.0
        self._span = (0.0, 1.0)
        self._chosen = -1
        self._take_fonts()
        self._height = self._metrics.lineSpacing() + _TOP + _BELOW_WORDS + _BAR + _BOTTOM
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        services.theme.changed.connect(self.update)
        services.language.changed.connect(self._take_fonts)

    def _take_fonts(self) -> None:
        self._font, self._bold = fonts.font(SMALL), fonts.bold(SMALL)
        self._metrics, self._bold_metrics = QFontMetricsF(self._font), QFontMetricsF(self._bold)

    def show_bars(self, title: str, base: float, rows: Sequence[Bar]) -> None:
        """Draw ``rows`` around ``base``; ``title`` is the name for screen readers."""
        if len(rows) != len(self.rows):
            self._chosen = -1
        self.rows, self._base = list(rows), base
        ends = [end for row in rows for end in (row.low, row.high) if end is not None]
        self._span = (min([base, *ends]), max([base, *ends]))
        self.setAccessibleName(title)
        self.setAccessibleDescription("; ".join(f"{row.label} {row.text}" for row in rows))
        self.setFixedHeight(round(self._height * len(rows)))
        self.update()

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
        return QRectF(left, self._height * (number + 1) - _BOTTOM - _BAR, max(right - left, 1.0), _BAR)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, theme = QPainter(self), self.services.theme
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.hasFocus() and 0 <= self._chosen < len(self.rows):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("accent_soft"))
            painter.drawRoundedRect(self.row_rect(self._chosen).adjusted(0, 1, 0, -1), 4, 4)
        shown = event.rect()
        for number, row in enumerate(self.rows):
            if not self.row_rect(number).intersects(QRectF(shown)):
                continue
            self._draw_words(painter, number, row)
            self._draw_bars(painter, number, row)

    def _draw_words(self, painter: QPainter, number: int, row: Bar) -> None:
        area = self.row_rect(number).adjusted(2, _TOP, -2, 0)
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
        top = self._height * (number + 1) - _BOTTOM - _BAR
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
        painter.drawLine(QPointF(x, top - 2), QPointF(x, top + _BAR + 2))

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            tips.show(event.globalPos(), self.tip_of(self.row_at(event.pos().y())), self)
            return True
        return super().event(event)

    def tip_of(self, number: int) -> str:
        """What to tell about a row: its own tip, else its words in full."""
        if not 0 <= number < len(self.rows):
            return ""
        row = self.rows[number]
        return row.tip() if row.tip is not None else f"{row.label}\n{row.text}"

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._choose(self.row_at(event.position().y()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()))
        if step is None or not self.rows:
            super().keyPressEvent(event)
            return
        self._choose((self._chosen + step) % len(self.rows) if self._chosen >= 0 else 0)

    def _choose(self, number: int) -> None:
        if 0 <= number < len(self.rows):
            self._chosen = number
            row = self.rows[number]
            self.setAccessibleDescription(f"{row.label} {row.text}")
            self.selected.emit(number)
            self.update()
