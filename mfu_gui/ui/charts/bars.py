"""Shares of a whole: as bars and as areas.  Both take the same parts and can be read with the keyboard."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from mfu_gui.ui import fonts, tips
from mfu_gui.ui.services import Services
from mfu_gui.ui.theme import SMALL, text_on

Rects = list[QRectF]
_LARGER = (20, 16, 14)
"""Sizes of the words in areas that are large."""


class Part(NamedTuple):
    """One part: its key, its name, its share of the whole, and what to tell.  ``like`` is the component of a model that
    has its colour, where the key is none."""

    key: str
    name: str
    share: float
    label: str
    tip: Callable[[], str]
    like: str = ""


class Shares(QWidget):
    """What bars and areas have in common: parts, tooltips, selection by mouse and keys."""

    selected = Signal(str)

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.services = services
        self.parts: Sequence[Part] = ()
        self._selected = ""
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setMouseTracking(True)
        # They paint their ground themselves, so that Qt need not paint that of all the widgets beneath.
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        services.theme.changed.connect(self.update)

    def show_parts(self, title: str, parts: Sequence[Part]) -> None:
        """Draw these, in this order; ``title`` is the name for screen readers."""
        parts = [part for part in parts if part.share > 0]
        same = title == self.accessibleName() and [p[:4] for p in parts] == [p[:4] for p in self.parts]
        self.parts = parts
        if same:
            return
        self.setAccessibleName(title)
        self.setAccessibleDescription(", ".join(f"{part.name} {part.label}" for part in self.parts))
        self.update()

    def select(self, key: str) -> None:
        """Mark one part."""
        if key != self._selected:
            self._selected = key
            self.update()

    def rects(self) -> Rects:
        """Where the parts are, in their order."""
        raise NotImplementedError

    def sizeHint(self) -> QSize:
        return QSize(260, 150)

    def minimumSizeHint(self) -> QSize:
        return QSize(140, 70)

    def _at(self, position: QPointF) -> int | None:
        return next((i for i, rect in enumerate(self.rects()) if rect.contains(position)), None)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            index = self._at(QPointF(event.pos()))
            tips.show(event.globalPos(), "" if index is None else self.parts[index].tip(), self)
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self._at(event.position())
        if index is not None:
            self._choose(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Up: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Down: 1}.get(
            Qt.Key(event.key()))
        if step is None or not self.parts:
            super().keyPressEvent(event)
            return
        keys = [part.key for part in self.parts]
        now = keys.index(self._selected) if self._selected in keys else -1 if step > 0 else 0
        self._choose((now + step) % len(keys))

    def _choose(self, index: int) -> None:
        part = self.parts[index]
        self.select(part.key)
        self.setAccessibleDescription(f"{part.name} {part.label}")
        self.selected.emit(part.key)

    def _painter(self, event: QPaintEvent) -> QPainter:
        painter = QPainter(self)
        painter.fillRect(event.rect(), self.services.theme.color("surface"))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(fonts.font(SMALL))
        return painter

    def _outline(self, painter: QPainter, rect: QRectF, key: str) -> None:
        if key == self._selected:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(self.services.theme.color("text"), 1.5))
            painter.drawRoundedRect(rect.adjusted(0.75, 0.75, -0.75, -0.75), 3, 3)


class BarChart(Shares):
    """One bar a part, its name before and its share behind it."""

    def rects(self) -> Rects:
        count = len(self.parts)
        if not count:
            return []
        pitch = min(self.height() / count, 30.0)
        return [QRectF(0, i * pitch, self.width(), pitch) for i in range(count)]

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = self._painter(event)
        metrics = QFontMetricsF(painter.font())
        theme = self.services.theme
        left = max((metrics.horizontalAdvance(part.name) for part in self.parts), default=0) + 8
        left = min(left, self.width() * 0.55)
        right = max((metrics.horizontalAdvance(part.label) for part in self.parts), default=0) + 8
        longest = max((part.share for part in self.parts), default=1.0)
        for part, rect in zip(self.parts, self.rects(), strict=True):
            painter.setPen(theme.color("muted"))
            name = metrics.elidedText(part.name, Qt.TextElideMode.ElideRight, left - 6)
            painter.drawText(QRectF(0, rect.y(), left, rect.height()), Qt.AlignmentFlag.AlignVCenter, name)
            width = max((self.width() - left - right) * part.share / longest, 1.5)
            bar = QRectF(left, rect.y() + rect.height() * 0.18, width, rect.height() * 0.64)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.component(part.like or part.key))
            painter.drawRoundedRect(bar, 2, 2)
            self._outline(painter, bar, part.key)
            painter.setPen(theme.color("text"))
            painter.drawText(QRectF(left + width + 6, rect.y(), right, rect.height()),
                             Qt.AlignmentFlag.AlignVCenter, part.label)


class Treemap(Shares):
    """Areas in proportion to the shares (squarified, Bruls et al. 2000)."""

    def rects(self) -> Rects:
        area = QRectF(0, 0, self.width(), self.height())
        order = sorted(range(len(self.parts)), key=lambda i: -self.parts[i].share)
        placed = squarified([self.parts[i].share for i in order], area)
        result = [QRectF()] * len(self.parts)
        for index, rect in zip(order, placed, strict=True):
            result[index] = rect.adjusted(1, 1, -1, -1)
        return result

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = self._painter(event)
        for part, rect in zip(self.parts, self.rects(), strict=True):
            color = self.services.theme.component(part.like or part.key)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color)
            painter.drawRoundedRect(rect, 3, 3)
            self._outline(painter, rect, part.key)
            inner = rect.adjusted(7, 5, -7, -5)
            painter.setPen(text_on(color))
            self._write(painter, inner, part)

    def _write(self, painter: QPainter, inner: QRectF, part: Part) -> None:
        """Name and share, larger in a large area; the share alone, or nothing, where there is no room."""
        wanted = min(inner.width() / 12, inner.height() / 6)
        size = next((size for size in _LARGER if size <= wanted), SMALL)
        font = fonts.font(size)
        metrics = QFontMetricsF(font)
        lines = [text for text in (part.name, part.label) if metrics.horizontalAdvance(text) <= inner.width()]
        if size > SMALL and len(lines) < 2:
            font = fonts.font(SMALL)
            metrics = QFontMetricsF(font)
            lines = [text for text in (part.name, part.label) if metrics.horizontalAdvance(text) <= inner.width()]
        painter.setFont(font)
        if len(lines) == 2 and inner.height() >= 2 * metrics.height():
            painter.drawText(inner, 0, f"{part.name}\n{part.label}")
        elif part.label in lines and inner.height() >= metrics.height():
            painter.drawText(inner, 0, part.label)


def squarified(shares: Sequence[float], area: QRectF) -> Rects:
    """Rectangles for falling ``shares`` that fill ``area``, as near to squares as the rule makes them."""
    whole = sum(shares)
    if whole <= 0 or area.width() <= 0 or area.height() <= 0:
        return [QRectF() for _ in shares]
    scale = area.width() * area.height() / whole
    sizes = [share * scale for share in shares]
    result: Rects = []
    rest = QRectF(area)
    while sizes:
        side = min(rest.width(), rest.height())
        count = 1
        while count < len(sizes) and _worst(sizes[: count + 1], side) <= _worst(sizes[:count], side):
            count += 1
        row, sizes = sizes[:count], sizes[count:]
        thick = sum(row) / side if side else 0.0
        along = 0.0
        for size in row:
            length = size / thick if thick else 0.0
            if rest.width() >= rest.height():
                result.append(QRectF(rest.x(), rest.y() + along, thick, length))
            else:
                result.append(QRectF(rest.x() + along, rest.y(), length, thick))
            along += length
        if rest.width() >= rest.height():
            rest.setLeft(rest.left() + thick)
        else:
            rest.setTop(rest.top() + thick)
    return result


def _worst(sizes: Sequence[float], side: float) -> float:
    total = sum(sizes)
    if not total or not side:
        return float("inf")
    return max(max(side * side * size / (total * total), total * total / (side * side * size)) for size in sizes)
