"""Paints the drawings of reports."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QPolygonF

from mfu_gui.formats.reports.drawing import Area, Box, Dot, Drawing, Label, Shape, Stroke


def paint_drawing(painter: QPainter, drawing: Drawing, x: float, y: float, scale: float,
                  font: Callable[..., QFont]) -> None:
    """Paint ``drawing`` with its top left at (x, y); ``scale`` is device units per unit of the drawing.

    ``font(size, bold=…)`` gives the font of a size in points of the page.
    """
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)

    def at(point: tuple[float, float]) -> QPointF:
        return QPointF(x + point[0] * scale, y + point[1] * scale)

    for shape in drawing.shapes:
        _paint(painter, shape, at, scale, font)
    painter.restore()


def _paint(painter: QPainter, shape: Shape, at: Callable[[tuple[float, float]], QPointF], scale: float,
           font: Callable[..., QFont]) -> None:
    if isinstance(shape, Label):
        _write(painter, shape, at((shape.x, shape.y)), font(shape.size, bold=shape.bold))
        return
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(shape.color))
    if isinstance(shape, Stroke):
        pen = QPen(QColor(shape.color), shape.width * scale)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        if shape.dashed:
            pen.setDashPattern([4 / shape.width, 3 / shape.width])
        painter.setPen(pen)
        painter.drawPolyline(QPolygonF([at(point) for point in shape.points]))
    elif isinstance(shape, Area):
        painter.drawPolygon(QPolygonF([at(point) for point in shape.points]))
    elif isinstance(shape, Dot):
        painter.setPen(QPen(QColor("#ffffff"), 1.2 * scale))
        painter.drawEllipse(at((shape.x, shape.y)), shape.radius * scale, shape.radius * scale)
    elif isinstance(shape, Box):
        corner = at((shape.x, shape.y))
        painter.drawRoundedRect(QRectF(corner.x(), corner.y(), shape.width * scale, shape.height * scale),
                                shape.radius * scale, shape.radius * scale)


def _write(painter: QPainter, label: Label, base: QPointF, font: QFont) -> None:
    painter.setFont(font)
    painter.setPen(QColor(label.color))
    width = QFontMetricsF(font).horizontalAdvance(label.text)
    back = {"start": 0.0, "middle": width / 2, "end": width}[label.anchor]
    painter.drawText(QPointF(base.x() - back, base.y()), label.text)
