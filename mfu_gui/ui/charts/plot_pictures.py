"""Pictures of a chart for files and for the clipboard."""

from __future__ import annotations

from PySide6.QtCore import QBuffer, QIODevice, QPoint, QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QGraphicsView, QWidget


def png(view: QWidget, background: QColor) -> QImage:
    """A chart as a picture, two pixels a point."""
    image = QImage(view.size() * 2, QImage.Format.Format_ARGB32)
    image.setDevicePixelRatio(2)
    image.fill(background)
    painter = QPainter(image)
    _draw(view, painter)
    painter.end()
    return image


def svg(view: QWidget, title: str) -> bytes:
    """A chart as an SVG document."""
    from PySide6.QtSvg import QSvgGenerator

    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(view.size())
    generator.setViewBox(view.rect())
    generator.setTitle(title)
    painter = QPainter(generator)
    _draw(view, painter)
    painter.end()
    return bytes(buffer.data().data())


def _draw(view: QWidget, painter: QPainter) -> None:
    if isinstance(view, QGraphicsView):
        view.render(painter, QRectF(view.rect()), view.rect())
    else:
        view.render(painter, QPoint(0, 0))
