"""FocusRing: shows that something has the keyboard which would not show it itself."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from mfu_gui.ui.theme import Theme


class FocusRing(QWidget):
    """A frame over ``widget`` and as large; it takes no part in layouts and no clicks."""

    def __init__(self, theme: Theme, widget: QWidget) -> None:
        super().__init__(widget)
        self._theme = theme
        self._covered = widget
        self.setObjectName("focus-ring")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        widget.installEventFilter(self)
        theme.changed.connect(self.update)
        self.setGeometry(widget.rect())
        self.show()
        self.raise_()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self.setGeometry(self._covered.rect())
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._theme.color("accent"), 1.5))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 5, 5)
