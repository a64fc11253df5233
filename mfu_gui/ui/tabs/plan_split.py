"""SplitBar: one bar cut into parts, with their names, amounts and shares beneath."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from mfu_gui.ui import fonts, tips
from mfu_gui.ui.services import Services
from mfu_gui.ui.theme import SMALL

BAR = 12
LINE = 18
SWATCH = 9
GAP = 16


class SplitPart(NamedTuple):
    """One part: the token of its colour, its name, its share of the whole, and how its amount is written."""

    color: str
    name: str
    share: float
    amount: str


class SplitBar(QWidget):
    """A painted bar; screen readers get its parts as text."""

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._title = ""
        self._parts: tuple[SplitPart, ...] = ()
        self._take_font()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        services.theme.changed.connect(self.update)
        services.language.changed.connect(self._take_font)

    def _take_font(self) -> None:
        self._font = fonts.font(SMALL)

    def show_parts(self, title: str, parts: tuple[SplitPart, ...]) -> None:
        """Show these parts, in this order."""
        self._title = title
        self._parts = tuple(part for part in parts if part.share > 0)
        text = ", ".join(self._words(part) for part in self._parts)
        self.setAccessibleName(title)
        self.setAccessibleDescription(text)
        self.setToolTip(tips.plain("\n".join([title, *(self._words(part) for part in self._parts)])))
        self.setVisible(bool(self._parts))
        self._set_height()
        self.update()

    def _words(self, part: SplitPart) -> str:
        return f"{part.name} {part.amount} · {self._services.language.numbers.percent(part.share, 0)}"

    def _lines(self, width: int) -> list[list[tuple[SplitPart, str, float]]]:
        """The legend, wrapped to ``width``."""
        metrics = QFontMetricsF(self._font)
        lines: list[list[tuple[SplitPart, str, float]]] = [[]]
        x = 0.0
        for part in self._parts:
            words = self._words(part)
            room = SWATCH + 5 + metrics.horizontalAdvance(words) + GAP
            if lines[-1] and x + room - GAP > width:
                lines.append([])
                x = 0.0
            lines[-1].append((part, words, room))
            x += room
        return lines

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._set_height()

    def _set_height(self) -> None:
        """As many lines as the legend needs at this width."""
        self.setFixedHeight(LINE + BAR + 6 + LINE * len(self._lines(self.width())))

    def sizeHint(self) -> QSize:
        return QSize(200, self.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.minimumHeight())

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._services.theme
        painter = QPainter(self)
        painter.setFont(self._font)
        metrics = QFontMetricsF(self._font)
        painter.setPen(theme.color("muted"))
        painter.drawText(0, round(metrics.ascent()) + 1, self._title)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        x, whole = 0.0, float(self.width())
        for part in self._parts:
            width = whole * part.share
            painter.setBrush(theme.color(part.color))
            painter.drawRect(QRectF(x, LINE, max(width - 1.0, 1.0), BAR))
            x += width
        y = float(LINE + BAR + 6)
        for line in self._lines(self.width()):
            x = 0.0
            for part, words, room in line:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(theme.color(part.color))
                painter.drawRect(QRectF(x, y + (LINE - SWATCH) / 2, SWATCH, SWATCH))
                painter.setPen(theme.color("text"))
                painter.drawText(round(x + SWATCH + 5), round(y + (LINE + metrics.ascent() - metrics.descent()) / 2),
                                 words)
                x += room
            y += LINE
