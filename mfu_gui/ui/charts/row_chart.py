"""RowChart: a chart that is read as a list: each row is a line of words and a bar under it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QSizePolicy, QWidget

from mfu_gui.ui import fonts, tips
from mfu_gui.ui.services import Services
from mfu_gui.ui.theme import SMALL

BAR = 9
TOP, BELOW_WORDS, BOTTOM = 3, 3, 5
"""Room above the words, between words and bar, and under the bar."""
_PLENTY = ((900, 100, 3), (600, 70, 2), (0, 0, 1))
"""Room, and room for each row, from which on bars are so many times thicker and further apart."""


class Row(Protocol):
    """What each row has: what it is, the same in words, and what to tell about it."""

    @property
    def label(self) -> str: ...

    @property
    def text(self) -> str: ...

    @property
    def tip(self) -> Callable[[], str] | None: ...


class RowChart(QWidget):
    """Rows one beneath the other.  One is chosen by the mouse or the arrow keys; ``selected(number)`` tells which."""

    selected = Signal(int)

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.services = services
        self.rows: Sequence[Row] = []
        self._chosen = -1
        self._room = 0
        self._bar, self._bottom = BAR, BOTTOM
        self._take_fonts()
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        services.theme.changed.connect(self.update)
        services.language.changed.connect(self._take_fonts)

    def _take_fonts(self) -> None:
        self._font, self._bold = fonts.font(SMALL), fonts.bold(SMALL)
        self._metrics, self._bold_metrics = QFontMetricsF(self._font), QFontMetricsF(self._bold)

    def set_room(self, height: int) -> None:
        """Take more of a height where there is plenty of it."""
        if height != self._room:
            self._room = height
            self._measure()

    def _thicken(self) -> None:
        """Bars as thick as the room for each row allows."""
        room = self._room
        times = next(times for least, each, times in _PLENTY if room >= max(least, each * len(self.rows)))
        self._bar, self._bottom = times * BAR, (2 * times - 1) * BOTTOM

    def _measure(self) -> None:
        """Place the rows, and be as high as they are."""
        raise NotImplementedError

    def row_at(self, y: float) -> int:
        """Number of the row at a height; -1 where there is none."""
        raise NotImplementedError

    def row_rect(self, number: int) -> QRectF:
        """Where a row is."""
        raise NotImplementedError

    def _name(self, title: str) -> None:
        """Tell screen readers what is shown."""
        self.setAccessibleName(title)
        self.setAccessibleDescription("; ".join(f"{row.label} {row.text}" for row in self.rows))

    def _draw_chosen(self, painter: QPainter) -> None:
        """A soft ground under the chosen row, while the keys go to this chart."""
        if self.hasFocus() and 0 <= self._chosen < len(self.rows):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self.services.theme.color("accent_soft"))
            painter.drawRoundedRect(self.row_rect(self._chosen).adjusted(0, 1, 0, -1), 4, 4)

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
