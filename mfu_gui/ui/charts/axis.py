"""Axis: words at given places beside a picture of pyqtgraph."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, log10
from typing import Literal

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from mfu_gui.ui import fonts
from mfu_gui.ui.charts.graphics import pg
from mfu_gui.ui.theme import SMALL

MOST_MARKS = 12
"""More marks on one axis would be a wall of words, however high the picture."""
_WORD = 60.0
"""Half of the room for a word under the axis."""
_RIGHT_MIDDLE = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_TOP_MIDDLE = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop


class Axis(pg.GraphicsWidget):
    """Words at given places beside the picture.  pyqtgraph's own axis measures and draws far more than that."""

    def __init__(self, side: Literal["left", "bottom"], size: float, margin: float = 0.0) -> None:
        """``margin``: room right of the picture, into which the last word may reach."""
        super().__init__()
        self._side = side
        self._margin = margin
        self._marks: Sequence[tuple[float, str]] = ()
        self._range = (0.0, 1.0)
        self._color = QColor()
        self._font = fonts.font(SMALL)
        (self.setFixedWidth if side == "left" else self.setFixedHeight)(size)

    def show_marks(self, marks: Sequence[tuple[float, str]], start: float, end: float) -> None:
        """Write these (value, word) on an axis from ``start`` to ``end``."""
        self._marks, self._range = marks, (start, end)
        self.update()

    def take_font(self) -> None:
        """Write in the font of the language in force."""
        self._font = fonts.font(SMALL)
        self.update()

    def set_color(self, color: QColor) -> None:
        """Take another colour."""
        self._color = color
        self.update()

    def boundingRect(self) -> QRectF:
        # Words at the ends may reach into the margin.
        return self.rect().adjusted(-_WORD, -10, _WORD, 10)

    def place(self, x: float, half: float) -> float:
        """Where the middle of a word goes that belongs to ``x`` and is twice ``half`` wide: not beyond the margin."""
        return min(x, self.rect().right() + self._margin - half - 1)

    def paint(self, painter: QPainter, option: object, widget: object = None) -> None:
        painter.setFont(self._font)
        painter.setPen(self._color)
        start, end = self._range
        rect = self.rect()
        for value, word in self._marks:
            fraction = (value - start) / (end - start)
            if self._side == "left":
                y = rect.bottom() - fraction * rect.height()
                painter.drawText(QRectF(0, y - 10, rect.width() - 6, 20), _RIGHT_MIDDLE, word)
            else:
                x = rect.left() + fraction * rect.width()
                if x + _WORD > rect.right() + self._margin:
                    x = self.place(x, painter.fontMetrics().horizontalAdvance(word) / 2)
                painter.drawText(QRectF(x - _WORD, 6, 2 * _WORD, rect.height() - 6), _TOP_MIDDLE, word)


def round_marks(low: float, high: float, most: int, *, whole: bool = False) -> list[float]:
    """Round values between two, at most so many, and never more than ``MOST_MARKS``."""
    if not high > low:
        return [low]
    rough = (high - low) / min(most, MOST_MARKS)
    power = 10.0 ** floor(log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * 0.999)
    step = max(1.0, step) if whole else step
    first = -(-low // step)
    return [number * step for number in range(int(first), int(high // step) + 1)]
