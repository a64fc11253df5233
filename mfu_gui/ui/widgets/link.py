"""Link: a button that reads like a link."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QEnterEvent, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from mfu_gui.ui.theme import Theme


class Link(QAbstractButton):
    """Underlined when it would be pressed; ``color`` is a token."""

    def __init__(self, theme: Theme, text: str, action: Callable[[], object], color: str = "accent",
                 parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._color = color
        self._over = False
        self._action = action
        self.setText(text)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        # Not theme.changed too: a new style sheet paints all that is inside anew, and a link that comes and goes with
        # each edit would leave something of its connection behind.
        self.clicked.connect(lambda: self._action())

    def offer(self, text: str, action: Callable[[], object]) -> None:
        """Be a link to something else."""
        self._action = action
        self.setText(text)

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(self.font())
        return QSize(metrics.horizontalAdvance(self.text()) + 2, metrics.height() + 2)

    def enterEvent(self, event: QEnterEvent) -> None:
        self._over = True
        self.update()
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self._over = False
        self.update()
        super().leaveEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        font = self.font()
        font.setUnderline(self._over or self.hasFocus() or self._color != "accent")
        painter.setFont(font)
        painter.setPen(QPen(self._theme.color(self._color if self.isEnabled() else "muted")))
        painter.drawText(self.rect().adjusted(0, 0, 2, 0), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft,
                         self.text())
