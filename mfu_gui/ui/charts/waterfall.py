"""Waterfall: how one number becomes another, step by step.

Each step has a line of words with its amount, and under it a bar from the sum before to the sum after, so that the
chart is read as a list and seen as a picture.  Amounts may be integers, fractions or floats.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QPainter, QPaintEvent, QPen, QPolygonF, QRegion, QResizeEvent
from PySide6.QtWidgets import QWidget

from mfu_gui.ui.charts.row_chart import BELOW_WORDS, TOP, RowChart
from mfu_gui.ui.services import Services

Number = int | float | Fraction
_MOST_LINES = 3
_CUT = 1.5
"""The axis begins at zero unless the whole is so many times larger than what the steps move."""


class Step(NamedTuple):
    """One line: what it is, what it is worth, the amount in words, and what to tell about it."""

    label: str
    value: Number
    text: str
    tip: Callable[[], str] | None = None


class Span(NamedTuple):
    """A bar between two sums; ``total`` for the first and the last one, which stand on the axis."""

    low: Number
    high: Number
    total: bool


def spans(start: Number, values: Sequence[Number]) -> list[Span]:
    """Bars of a start, its steps and where they lead, exactly as far as the numbers are exact."""
    found = [Span(min(0, start), max(0, start), True)]
    now = start
    for value in values:
        after = now + value
        found.append(Span(min(now, after), max(now, after), False))
        now = after
    return [*found, Span(min(0, now), max(0, now), True)]


def origin(bars: Sequence[Span]) -> float:
    """Where the axis begins: at zero, or nearer where the steps would be too small to be seen."""
    sums = [float(end) for bar in bars for end in ((bar.high or bar.low,) if bar.total else (bar.low, bar.high))]
    low, high = min(sums), max(sums)
    reach = high - low
    if low <= 0 or reach <= 0 or low <= _CUT * reach:
        return min(0.0, low)
    return low - 0.25 * reach


class Waterfall(RowChart):
    """Start, steps, end.  A row is chosen by the mouse or the arrow keys; ``selected(number)`` tells which."""

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(services, parent)
        self.rows: list[Step] = []
        self._bars: list[Span] = []
        self._tops = [0.0]
        self._areas: list[QRectF] = []
        self._origin = 0.0

    def show_steps(self, title: str, start: Step, steps: Sequence[Step], end: Step) -> None:
        """Draw ``steps`` from ``start`` to ``end``; ``title`` is the name for screen readers."""
        rows = [start, *steps, end]
        if title == self.accessibleName() and [row[:3] for row in rows] == [row[:3] for row in self.rows]:
            self.rows = rows
            return
        if len(rows) != len(self.rows):
            self._chosen = -1
        self.rows = rows
        self._bars = spans(start.value, [step.value for step in steps])
        self._origin = origin(self._bars)
        self._name(title)
        self._measure()
        self.update()

    @property
    def cut(self) -> bool:
        """Whether the axis begins above zero, so that bars of totals are shown shortened."""
        return self._origin > 0

    def sizeHint(self) -> QSize:
        return QSize(260, round(self._tops[-1]))

    def minimumSizeHint(self) -> QSize:
        return QSize(120, round(self._tops[-1]))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._measure()

    def _measure(self) -> None:
        """Place the rows: as high as their words need at this width."""
        self._thicken()
        tops, self._areas = [0.0], []
        for number, row in enumerate(self.rows):
            font = self._words_font(number)
            metrics = self._bold_metrics if font is self._bold else self._metrics
            room = max(self.width() - 16 - self._bold_metrics.horizontalAdvance(row.text), 60.0)
            height = metrics.lineSpacing()
            if metrics.horizontalAdvance(row.label) > room:
                needed = metrics.boundingRect(QRectF(0, 0, room, 10_000), Qt.TextFlag.TextWordWrap, row.label).height()
                height = min(needed, _MOST_LINES * height)
            self._areas.append(QRectF(2, tops[-1] + TOP, room, height))
            tops.append(tops[-1] + TOP + height + BELOW_WORDS + self._bar + self._bottom)
        if tops != self._tops:
            self._tops = tops
            self.setFixedHeight(round(tops[-1]))

    def _words_font(self, number: int) -> QFont:
        return self._bold if self._bars[number].total else self._font

    def row_at(self, y: float) -> int:
        """Number of the row at a height; -1 where there is none."""
        return bisect_right(self._tops, y) - 1 if 0 <= y < self._tops[-1] else -1

    def row_rect(self, number: int) -> QRectF:
        """Where a row is."""
        return QRectF(0, self._tops[number], self.width(), self._tops[number + 1] - self._tops[number])

    def bar_rect(self, number: int) -> QRectF:
        """Where the bar of a row is; at least two pixels wide."""
        bar = self._bars[number]
        left, right = self._x(max(float(bar.low), self._origin)), self._x(float(bar.high))
        return QRectF(left, self._tops[number + 1] - self._bottom - self._bar,
                      max(right - left, 2.0), self._bar)

    def words_region(self) -> QRegion:
        """Where words and numbers are, with a little room around them."""
        region = QRegion()
        for number, row in enumerate(self.rows):
            metrics = self._bold_metrics if self._bars[number].total else self._metrics
            label = metrics.boundingRect(self._areas[number], Qt.TextFlag.TextWordWrap, row.label)
            value = self._bold_metrics.horizontalAdvance(row.text)
            text = QRectF(self.width() - 2 - value, label.top(), value, self._bold_metrics.lineSpacing())
            for words in (label, text):
                region += words.adjusted(-3, 0, 3, 0).toAlignedRect()
        return region

    def _x(self, value: float) -> float:
        highest = max((float(bar.high) for bar in self._bars), default=1.0)
        reach = max(highest, 0.0) - self._origin
        return 1.0 if reach <= 0 else 1.0 + (self.width() - 4) * (value - self._origin) / reach

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._draw_chosen(painter)
        self._draw_connections(painter)
        for number, row in enumerate(self.rows):
            self._draw_words(painter, number, row)
            self._draw_bar(painter, number, row)

    def _draw_words(self, painter: QPainter, number: int, row: Step) -> None:
        area = self.row_rect(number).adjusted(2, TOP, -2, 0)
        align = Qt.AlignmentFlag
        painter.setFont(self._bold)
        painter.setPen(self.services.theme.color("text"))
        painter.drawText(area, align.AlignRight | align.AlignTop, row.text)
        painter.setFont(self._words_font(number))
        painter.drawText(self._areas[number], align.AlignLeft | align.AlignTop | Qt.TextFlag.TextWordWrap, row.label)

    def _draw_bar(self, painter: QPainter, number: int, row: Step) -> None:
        theme, bar = self.services.theme, self._bars[number]
        rect = self.bar_rect(number)
        token = "other" if bar.total else "experts" if row.value >= 0 else "attention_projection"
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color(token))
        painter.drawRoundedRect(rect, 2, 2)
        if bar.total and self.cut:  # a torn bar says that it is longer than drawn
            x, y = rect.left() + 14, rect.top()
            tear = [(x, y - 1), (x + 4, y - 1), (x + 2, y + self._bar / 2), (x + 6, y + self._bar + 1),
                    (x + 2, y + self._bar + 1), (x - 2, y + self._bar / 2)]
            painter.setBrush(theme.color("surface"))
            painter.drawPolygon(QPolygonF([QPointF(*point) for point in tear]))

    def _draw_connections(self, painter: QPainter) -> None:
        """Thin lines from the sum after a bar to the next bar, behind no word."""
        painter.save()
        painter.setClipRegion(QRegion(self.rect()) - self.words_region())
        painter.setPen(QPen(self.services.theme.color("field_line"), 1, Qt.PenStyle.DotLine))
        now: Number = 0
        for number, row in enumerate(self.rows[:-1]):
            now = row.value if number == 0 else now + row.value
            x = round(self._x(float(now))) + 0.5
            painter.drawLine(QPointF(x, self.bar_rect(number).bottom()), QPointF(x, self.bar_rect(number + 1).top()))
        painter.restore()
