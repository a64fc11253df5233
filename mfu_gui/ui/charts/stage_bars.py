"""StageBars: the memory of every device of a pipeline against what the accelerator has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from mfu_gui.ui import fonts, tips
from mfu_gui.ui.services import Services
from mfu_gui.ui.theme import SMALL

PITCH = 22
HEAD = 20
_GAP = 8


class Segment(NamedTuple):
    """A part of a bar: key, size, the token of its colour, and what to tell."""

    key: str
    size: float
    color: str
    tip: Callable[[], str]


class Bar(NamedTuple):
    """One bar: its name before and its total behind it."""

    name: str
    label: str
    segments: tuple[Segment, ...]

    @property
    def total(self) -> float:
        return sum(segment.size for segment in self.segments)


class StageBars(QWidget):
    """Stacked bars with one line for the capacity; one bar is chosen by mouse or keys."""

    chosen = Signal(int)

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self.bars: Sequence[Bar] = ()
        self._capacity: float | None = None
        self._capacity_label = ""
        self._chosen = 0
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        services.theme.changed.connect(self.update)

    def show_bars(self, title: str, bars: Sequence[Bar], capacity: float | None, capacity_label: str,
                  chosen: int) -> None:
        """Draw these; ``title`` is the name for screen readers."""
        if len(bars) != len(self.bars):
            self.setFixedHeight(HEAD + PITCH * max(len(bars), 1) + 4)
        self.bars, self._capacity, self._capacity_label, self._chosen = bars, capacity, capacity_label, chosen
        self.setAccessibleName(title)
        self.setAccessibleDescription(", ".join(f"{bar.name} {bar.label}" for bar in bars[:12]))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(300, HEAD + PITCH * max(len(self.bars), 1) + 4)

    def minimumSizeHint(self) -> QSize:
        return QSize(160, HEAD + PITCH)

    def _margins(self) -> tuple[float, float]:
        metrics = QFontMetricsF(fonts.font(SMALL))
        left = max((metrics.horizontalAdvance(bar.name) for bar in self.bars), default=0) + _GAP
        right = max((metrics.horizontalAdvance(bar.label) for bar in self.bars), default=0) + _GAP + 4
        return min(left, self.width() * 0.35), right

    def _scale(self) -> tuple[float, float]:
        """(where bars begin, pixels a byte)."""
        left, right = self._margins()
        most = max([bar.total for bar in self.bars] + [self._capacity or 0.0])
        return left, max(self.width() - left - right, 20) / most if most else 0.0

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._services.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(fonts.font(SMALL))
        metrics = QFontMetricsF(painter.font())
        left, scale = self._scale()
        for number, bar in enumerate(self.bars):
            top = HEAD + number * PITCH
            chosen = number == self._chosen and len(self.bars) > 1
            if chosen:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(theme.color("accent_soft"))
                painter.drawRoundedRect(QRectF(0, top, self.width(), PITCH), 4, 4)
            painter.setPen(theme.color("text" if chosen else "muted"))
            name = metrics.elidedText(bar.name, Qt.TextElideMode.ElideRight, left - _GAP + 1)
            painter.drawText(QRectF(4 if chosen else 0, top, left, PITCH), Qt.AlignmentFlag.AlignVCenter, name)
            self._paint_bar(painter, bar, left, top, scale)
            over = self._capacity is not None and bar.total > self._capacity
            painter.setPen(theme.color("error" if over else "text"))
            end = left + bar.total * scale + 6
            limit = left + (self._capacity or 0.0) * scale
            if end - 4 < limit < end + metrics.horizontalAdvance(bar.label):
                end = limit + 5  # beside the line of the capacity, not across it
            painter.drawText(QRectF(end, top, self.width() - end, PITCH), Qt.AlignmentFlag.AlignVCenter, bar.label)
        self._paint_capacity(painter, metrics, left, scale)

    def _paint_bar(self, painter: QPainter, bar: Bar, left: float, top: float, scale: float) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        x = left
        for segment in bar.segments:
            width = segment.size * scale
            painter.setBrush(self._services.theme.color(segment.color))
            # A hair between the parts, as long as there is room for one.
            painter.drawRect(QRectF(x, top + 4, width - 1 if width > 3 else width, PITCH - 8))
            x += width

    def _paint_capacity(self, painter: QPainter, metrics: QFontMetricsF, left: float, scale: float) -> None:
        if self._capacity is None or not scale:
            return
        color: QColor = self._services.theme.color("text")
        x = round(left + self._capacity * scale) + 0.5
        painter.setPen(QPen(color, 1.2, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(x, HEAD - 3), QPointF(x, self.height() - 2))
        painter.setPen(self._services.theme.color("muted"))
        width = metrics.horizontalAdvance(self._capacity_label)
        start = min(max(x - width / 2, 0), self.width() - width)
        painter.drawText(QRectF(start, 0, width + 2, HEAD - 3), Qt.AlignmentFlag.AlignVCenter, self._capacity_label)

    def _at(self, position: QPointF) -> tuple[int, Segment | None] | None:
        number = int((position.y() - HEAD) // PITCH)
        if position.y() < HEAD or not 0 <= number < len(self.bars):
            return None
        x, scale = self._scale()
        for segment in self.bars[number].segments:
            width = segment.size * scale
            if x <= position.x() < x + width:
                return number, segment
            x += width
        return number, None

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            found = self._at(QPointF(event.pos()))
            text = ""
            if found is not None:
                number, segment = found
                bar = self.bars[number]
                text = f"{bar.name}: {bar.label}" if segment is None else f"{bar.name}\n{segment.tip()}"
            tips.show(event.globalPos(), text, self)
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        found = self._at(event.position())
        if found is not None:
            self.chosen.emit(found[0])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()))
        if step is None or not self.bars:
            super().keyPressEvent(event)
            return
        self.chosen.emit((self._chosen + step) % len(self.bars))
