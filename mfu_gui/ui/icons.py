"""Icons: the drawings in ``resources/icons``, in the colour they are asked for."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from mfu_gui.resources import resource_path

SIZE = 16


@cache
def _drawing(name: str) -> str:
    return resource_path("icons", f"{name}.svg").read_text(encoding="utf-8")


def pixmap(name: str, color: QColor, size: int = SIZE, ratio: float = 1.0) -> QPixmap:
    """The icon as a picture of ``size`` logical pixels at a device pixel ratio."""
    renderer = QSvgRenderer(QByteArray(_drawing(name).replace("currentColor", color.name()).encode()))
    result = QPixmap(QSize(round(size * ratio), round(size * ratio)))
    result.fill(Qt.GlobalColor.transparent)
    painter = QPainter(result)
    renderer.render(painter, QRectF(0, 0, size * ratio, size * ratio))
    painter.end()
    result.setDevicePixelRatio(ratio)
    return result


def icon(name: str, color: QColor, disabled: QColor | None = None) -> QIcon:
    """The icon for buttons and menus, sharp on screens of one and of two pixels a point."""
    result = QIcon()
    for ratio in (1.0, 2.0):
        result.addPixmap(pixmap(name, color, ratio=ratio))
        if disabled is not None:
            result.addPixmap(pixmap(name, disabled, ratio=ratio), QIcon.Mode.Disabled)
    return result
