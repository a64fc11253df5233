"""Items of the plot that Qt measures and places by itself.  pyqtgraph's own do it in Python for each painting, which
takes a third of a frame."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPainterPath, QTransform
from PySide6.QtWidgets import QGraphicsPathItem, QGraphicsSimpleTextItem

from mfu_gui.ui.charts.graphics import pg

_MARGIN = 4.0
"""Around words, so that they keep clear of the line they belong to."""
_BESIDE = 3.0
"""Ground beside words, before which lines end."""


class Words(QGraphicsSimpleTextItem):
    """Words at a place of the picture, as large as they are on the screen whatever its range."""

    def __init__(self) -> None:
        super().__init__()
        self._anchor = (0.0, 0.0)
        self._size: tuple[float, float] | None = None
        self._ground = QColor(Qt.GlobalColor.transparent)
        self.setFlag(self.GraphicsItemFlag.ItemIgnoresTransformations)

    def set_anchor(self, x: float, y: float) -> None:
        """Which part of the words is at their place: (0, 0) the upper left corner, (1, 1) the lower right."""
        if (x, y) != self._anchor:
            self._anchor = (x, y)
            self._place()

    def set_words(self, text: str) -> None:
        """Write other words."""
        if text != self.text():
            self.setText(text)
            self._size = None
            self._place()

    def set_font(self, font: QFont) -> None:
        """Write in this font."""
        self.setFont(font)
        self._size = None
        self._place()

    def set_colors(self, color: QColor, ground: QColor) -> None:
        """Write in a colour, on ground of another."""
        self.setBrush(color)
        self._ground = ground

    def boundingRect(self) -> QRectF:
        return super().boundingRect().adjusted(-_MARGIN, -_MARGIN, _MARGIN, _MARGIN)

    def paint(self, painter: QPainter, option: object, widget: object = None) -> None:
        painter.fillRect(super().boundingRect().adjusted(-_BESIDE, 0, _BESIDE, 0), self._ground)
        super().paint(painter, option, widget)  # type: ignore[arg-type]

    def _place(self) -> None:
        if self._size is None:
            rect = self.boundingRect()
            self._size = rect.width(), rect.height()
        (x, y), (width, height) = self._anchor, self._size
        self.setTransform(QTransform.fromTranslate(_MARGIN - x * width, _MARGIN - y * height))


class Stroke(QGraphicsPathItem):
    """A line through points, smooth at its edges."""

    def show_points(self, xs: np.ndarray, ys: np.ndarray) -> None:
        """Draw through these places."""
        self.setPath(line_path(xs, ys))

    def paint(self, painter: QPainter, option: object, widget: object = None) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        super().paint(painter, option, widget)  # type: ignore[arg-type]


def line_path(xs: np.ndarray, ys: np.ndarray) -> QPainterPath:
    """A line through places, made without an object for each of them."""
    path: QPainterPath = pg.arrayToQPath(xs, ys, connect="all", finiteCheck=False)
    return path
