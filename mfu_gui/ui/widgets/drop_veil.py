"""DropVeil: lies over a window while something that can be dropped there is over it."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from mfu_gui.ui import fonts
from mfu_gui.ui.services import Services
from mfu_gui.ui.theme import RADIUS, VALUE

_EDGE = 8
_SHADE = 0.88
_PLATE = 16
"""How far what nothing shines through reaches around the words."""


class DropVeil(QWidget):
    """A frame around all of the window, and what will happen.  It takes no events: the window stays what is dropped on.
    """

    def __init__(self, services: Services, window: QWidget) -> None:
        super().__init__(window)
        self._services = services
        self.setObjectName("drop-veil")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def paintEvent(self, event: QPaintEvent) -> None:
        color, tr = self._services.theme.color, self._services.language.tr
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setOpacity(_SHADE)
        painter.fillRect(self.rect(), color("window"))
        painter.setOpacity(1.0)
        painter.setPen(QPen(color("accent"), 2, Qt.PenStyle.DashLine))
        frame = QRectF(self.rect()).adjusted(_EDGE, _EDGE, -_EDGE, -_EDGE)
        painter.drawRoundedRect(frame, RADIUS, RADIUS)
        align = Qt.AlignmentFlag
        words = ((fonts.bold(VALUE), "text", align.AlignHCenter | align.AlignBottom,
                  frame.adjusted(16, 0, -16, -frame.height() / 2), tr("Drop to open")),
                 (fonts.font(), "muted", align.AlignHCenter | align.AlignTop | Qt.TextFlag.TextWordWrap,
                  frame.adjusted(16, frame.height() / 2 + 8, -16, 0),
                  tr("Scenarios, presets, config.json, training logs, or text about a run")))
        plate = QRectF()
        for font, _, flags, area, text in words:
            painter.setFont(font)
            plate = plate.united(painter.boundingRect(area, flags, text))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color("window"))  # what shines through would be read together with the words
        painter.drawRoundedRect(plate.adjusted(-_PLATE, -_PLATE, _PLATE, _PLATE), RADIUS, RADIUS)
        for font, token, flags, area, text in words:
            painter.setFont(font)
            painter.setPen(color(token))
            painter.drawText(area, flags, text)


def show_veil(services: Services, window: QWidget) -> None:
    """Cover ``window``; the veil is built when it is first needed."""
    veil = window.findChild(DropVeil) or DropVeil(services, window)
    veil.setGeometry(window.rect())
    veil.show()
    veil.raise_()


def hide_veil(window: QWidget) -> None:
    """Take the veil away again."""
    veil = window.findChild(DropVeil)
    if veil is not None:
        veil.hide()
