"""ValueLabel: a result that can be read, explained and copied."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFontMetricsF,
    QGuiApplication,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QMenu, QSizePolicy, QWidget

from mfu_gui.ui import fonts, tips
from mfu_gui.ui.services import Services
from mfu_gui.ui.theme import SMALL, VALUE

_FLASH_MS = 500
_BELOW_BASE = 9
SIDE = 4
"""Room for the frame of the focus, left and right of the words."""


class ValueLabel(QWidget):
    """Caption, number and unit.  A click, Ctrl+C or Enter copies the number at full precision.

    A ``steady`` one takes the width its layout gives it, whatever its number: a row of numbers that moved with
    every digit could not be read.
    """

    copied = Signal(str)

    def __init__(self, services: Services, size: int = VALUE, color: str = "text",
                 parent: QWidget | None = None, *, steady: bool = False) -> None:
        super().__init__(parent)
        self._services = services
        self._token = color
        self._size = size
        self._large = size > VALUE
        self._steady = steady
        self._caption = self._shown = self._unit = self._exact = ""
        self._dimmed = self._flash = False
        self._formula: Callable[[], str] = str
        self._small_font = fonts.font(SMALL)
        self._small = QFontMetricsF(self._small_font)
        self.set_size(size)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        width = QSizePolicy.Policy.Ignored if steady else QSizePolicy.Policy.Preferred
        self.setSizePolicy(width, QSizePolicy.Policy.Fixed)
        services.theme.changed.connect(self.update)

    def set_size(self, size: int) -> None:
        """Set the number in another size; its unit follows, and is bold only beside the large one."""
        self._size = size
        self._number_font = fonts.bold(size)
        unit = round(size * 0.6)
        self._unit_font = fonts.bold(unit) if self._large else fonts.font(max(unit, SMALL))
        # Kept: Qt looks the font up anew for each measure that is made, and every key press asks for several.
        self._number, self._unit_metrics = QFontMetricsF(self._number_font), QFontMetricsF(self._unit_font)
        self.updateGeometry()
        self.update()

    @property
    def text(self) -> str:
        """The number as it is shown, without its unit."""
        return self._shown

    @property
    def exact(self) -> str:
        """Every digit, as it is copied."""
        return self._exact

    @property
    def unit(self) -> str:
        return self._unit

    def set_caption(self, text: str) -> None:
        """What the number is."""
        if text != self._caption:
            self._caption = text
            if not self._steady:  # its size is the layout's: there is nothing to lay out again
                self.updateGeometry()
            self.update()

    def show_value(self, shown: str, unit: str, exact: str, formula: Callable[[], str]) -> None:
        """Show a number: rounded, its unit, all its digits for copying; ``formula`` writes its tooltip."""
        if (shown, unit) != (self._shown, self._unit):
            wider = not self._steady and self._width(shown, unit) != self._width(self._shown, self._unit)
            self._shown, self._unit = shown, unit
            if wider:
                self.updateGeometry()
            self.update()
        self._exact = exact
        self._formula = formula
        if self.hasFocus():
            self.setAccessibleDescription(formula())
        self.setAccessibleName(f"{self._caption}: {shown} {unit}".strip())

    @property
    def formula(self) -> str:
        """The formula with its numbers filled in."""
        return self._formula()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            tips.show(event.globalPos(), self.formula, self)
            return True
        if event.type() == QEvent.Type.FocusIn:
            self.setAccessibleDescription(self.formula)
        return super().event(event)

    def set_dimmed(self, dimmed: bool) -> None:
        """A dimmed number belongs to an earlier input."""
        if dimmed != self._dimmed:
            self._dimmed = dimmed
            self.update()

    def copy(self, *, with_unit: bool = False, rounded: bool = False) -> None:
        """Put the number on the clipboard."""
        if not self._exact:
            return
        text = self._shown if rounded else self._exact
        if with_unit:
            text = f"{text} {self._unit}".strip()
        QGuiApplication.clipboard().setText(text)
        self._services.announcer.say(self._services.language.tr("Copied {text}", text=text))
        self.copied.emit(text)
        self._flash = True
        self.update()
        QTimer.singleShot(_FLASH_MS, self, self._end_flash)

    def _end_flash(self) -> None:
        self._flash = False
        self.update()

    def _width(self, shown: str, unit: str) -> float:
        number = self._number.horizontalAdvance(shown)
        return number + 4 + self._unit_metrics.horizontalAdvance(unit) if unit else number

    def sizeHint(self) -> QSize:
        caption = self._small.horizontalAdvance(self._caption)
        height = self._base() + _BELOW_BASE
        return QSize(round(max(caption, self._width(self._shown, self._unit)) + 2 * SIDE), height)

    def _base(self) -> int:
        """Where the number stands; all sizes have the same room below it, so that a row of them is in line."""
        return round(2 + self._small.height() + self._number.ascent() * 0.94)

    def minimumSizeHint(self) -> QSize:
        hint = self.sizeHint()
        return QSize(0, hint.height()) if self._steady else hint

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._services.theme
        painter = QPainter(self)
        if self._flash or self.hasFocus() or self.underMouse():
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(theme.color("accent"), 1) if self.hasFocus() else Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("accent_soft" if self._flash else "hover"))
            painter.drawRoundedRect(self.rect().toRectF().adjusted(0.5, 0.5, -0.5, -0.5), 5, 5)
        painter.setFont(self._small_font)
        painter.setPen(theme.color("muted"))
        painter.drawText(SIDE, round(2 + self._small.ascent()), self._caption)
        base = self._base()
        if self._dimmed:
            painter.setOpacity(0.45)
        painter.setFont(self._number_font)
        painter.setPen(theme.color(self._token))
        painter.drawText(SIDE, base, self._shown)
        if self._unit:
            painter.setFont(self._unit_font)
            if not self._large:
                painter.setPen(theme.color("muted"))
            painter.drawText(round(SIDE + self._number.horizontalAdvance(self._shown) + 4), base, self._unit)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.copy()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy) or event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.copy()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        tr = self._services.language.tr
        menu = QMenu(self)
        menu.addAction(tr("Copy {text}", text=self._shown), lambda: self.copy(rounded=True))
        menu.addAction(tr("Copy at full precision"), self.copy)
        menu.addAction(tr("Copy with unit"), lambda: self.copy(with_unit=True))
        menu.setEnabled(bool(self._exact))
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(event.globalPos())
