"""The picture of a sweep: a line over one axis, a map of colours over two.

Values of an axis stand at even distances, whatever they are, so that a list of doublings reads like a list of
steps.  The scenario's own point is marked, points that a filter leaves out are faint.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QHelpEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from mfu_gui.formats.curve import nice_step
from mfu_gui.ui import fonts, tips
from mfu_gui.ui.charts.axis import MOST_MARKS
from mfu_gui.ui.services import Services
from mfu_gui.ui.theme import SMALL

Place = tuple[int, ...]
_TOP, _RIGHT, _BOTTOM = 10.0, 16.0, 38.0
_LEAST_LEFT = 40.0
_MOST_DOTS = 60
_STEPS = 256
_ALIGN = Qt.AlignmentFlag


class Picture(NamedTuple):
    """What is drawn: words of the axes' values and titles, values by place, and what they read like."""

    titles: tuple[str, ...]
    words: tuple[Sequence[str], ...]
    result: str
    values: npt.NDArray[np.float64]
    kept: npt.NDArray[np.bool_]
    current: Place | None
    text: Callable[[float], str]
    tip: Callable[[Place], str]


def marks(low: float, high: float, most: int) -> list[float]:
    """At most ``most`` round numbers from ``low`` to ``high``."""
    if not high > low:
        return [low]
    step = nice_step((high - low) / max(most - 1, 1))
    while (high - low) / step > most:
        step *= 2
    first = np.ceil(low / step - 1e-9)
    return [float((first + number) * step) for number in range(int((high - low) / step + 1e-9) + 1)
            if (first + number) * step <= high * (1 + 1e-12) + step * 1e-9]


def spread_marks(count: int, room: float, need: float) -> list[int]:
    """Indices of words that have room beside each other, the first among them."""
    if count == 0:
        return []
    stride = max(1, int(np.ceil(need * count / max(room, 1.0))))
    return list(range(0, count, stride))


class SweepChart(QWidget):
    """``picked(place)`` when a point is chosen by mouse or arrow keys."""

    picked = Signal(object)

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.services = services
        self.picture: Picture | None = None
        self.chosen: Place | None = None
        self._dimmed = False
        self._take_fonts()
        services.language.changed.connect(self._take_fonts)
        self._image: QImage | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumHeight(88)
        services.theme.changed.connect(self._restyle)

    def sizeHint(self) -> QSize:
        return QSize(420, 180)

    def _take_fonts(self) -> None:
        self._font, self._bold = fonts.font(SMALL), fonts.bold(SMALL)
        self._metrics = QFontMetricsF(self._font)

    def show_picture(self, picture: Picture | None) -> None:
        """Draw another sweep."""
        shape = None if self.picture is None else self.picture.values.shape
        self.picture = picture
        self._image = None
        if picture is None or picture.values.shape != shape:
            self.chosen = None
        if picture is not None:
            self.setAccessibleName(f"{picture.result}: {', '.join(picture.titles)}")
        self.update()

    def choose(self, place: Place | None) -> None:
        """Mark a point."""
        self.chosen = place
        self.update()

    def set_dimmed(self, dimmed: bool) -> None:
        """What is drawn belongs to an earlier input."""
        if dimmed is not self._dimmed:
            self._dimmed = dimmed
            self.update()

    def _restyle(self) -> None:
        self._image = None
        self.update()

    # Geometry

    @property
    def _two(self) -> bool:
        return self.picture is not None and self.picture.values.ndim == 2

    def area(self) -> QRectF:
        """The rectangle that values are drawn in."""
        left = _LEAST_LEFT
        if self.picture is not None:
            words = self.picture.words[0] if self._two else [self.picture.text(value) for value in self._ends()]
            widest = max((self._metrics.horizontalAdvance(word) for word in words[:_STEPS]), default=0.0)
            left = min(max(left, widest + 12), self.width() * 0.4)
        right = _RIGHT + (self._legend_width() if self._two else 0.0)
        return QRectF(left, _TOP, max(self.width() - left - right, 20.0), max(self.height() - _TOP - _BOTTOM, 20.0))

    def _legend_width(self) -> float:
        ends = [] if self.picture is None else [self.picture.text(value) for value in self._ends()]
        return 26.0 + max((self._metrics.horizontalAdvance(word) for word in ends), default=0.0)

    def _ends(self) -> tuple[float, float]:
        """Lowest and highest value; a line shows zero as well when it is near."""
        if self.picture is None or np.isnan(self.picture.values).all():
            return 0.0, 1.0
        low, high = float(np.nanmin(self.picture.values)), float(np.nanmax(self.picture.values))
        if self._two:
            return low, high
        reach = (high - low) or abs(high) or 1.0
        low = 0.0 if 0 <= low < 2 * reach else low - 0.1 * reach
        return low, high + 0.08 * (high - low or 1.0)

    def point_of(self, place: Place) -> QPointF:
        """Where a point is drawn."""
        area, picture = self.area(), self.picture
        if picture is None:
            return area.center()
        if self._two:
            rows, columns = picture.values.shape
            return QPointF(area.left() + (place[1] + 0.5) * area.width() / columns,
                           area.bottom() - (place[0] + 0.5) * area.height() / rows)
        low, high = self._ends()
        count = picture.values.size
        x = area.left() + (place[0] + 0.5) * area.width() / count
        value = float(picture.values[place])
        return QPointF(x, area.bottom() - (value - low) / (high - low) * area.height())

    def place_at(self, position: QPointF) -> Place | None:
        """The point under (over one axis: above or below) a position."""
        area, picture = self.area(), self.picture
        if picture is None or not area.adjusted(-2, -_TOP, 2, _BOTTOM / 2).contains(position):
            return None
        shares = ((area.bottom() - position.y()) / area.height(), (position.x() - area.left()) / area.width())
        sizes = picture.values.shape
        return tuple(min(max(int(share * size), 0), size - 1)
                     for share, size in zip(shares[-len(sizes):], sizes, strict=True))

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        picture = self.picture
        if picture is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setOpacity(0.4 if self._dimmed else 1.0)
        painter.setFont(self._font)
        if self._two:
            self._paint_map(painter, picture)
        else:
            self._paint_line(painter, picture)
        self._paint_bottom(painter, picture)

    def _paint_bottom(self, painter: QPainter, picture: Picture) -> None:
        area, color = self.area(), self.services.theme.color
        words = picture.words[-1]
        need = max((self._metrics.horizontalAdvance(word) for word in words[:_STEPS]), default=20.0) + 12
        painter.setPen(color("muted"))
        for index in spread_marks(len(words), area.width(), need):
            x = area.left() + (index + 0.5) * area.width() / len(words)
            box = QRectF(x - need, area.bottom() + 3, 2 * need, 16)
            painter.drawText(self._inside(box, self._metrics.horizontalAdvance(words[index])),
                             _ALIGN.AlignHCenter | _ALIGN.AlignTop, words[index])
        title = self._metrics.elidedText(picture.titles[-1], Qt.TextElideMode.ElideRight, area.width())
        painter.drawText(QRectF(area.left(), area.bottom() + 19, area.width(), 18), _ALIGN.AlignRight | _ALIGN.AlignTop,
                         title)

    def _inside(self, box: QRectF, width: float) -> QRectF:
        """A box of words moved so that they stay inside the widget."""
        middle = min(max(box.center().x(), width / 2 + 1), self.width() - width / 2 - 1)
        box.moveLeft(middle - box.width() / 2)
        return box

    def _paint_line(self, painter: QPainter, picture: Picture) -> None:
        area, color = self.area(), self.services.theme.color
        low, high = self._ends()
        for mark in marks(low, high, min(max(2, int(area.height() / 28)), MOST_MARKS)):
            y = round(area.bottom() - (mark - low) / (high - low) * area.height()) + 0.5
            painter.setPen(QPen(color("line"), 1))
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            painter.setPen(color("muted"))
            painter.drawText(QRectF(0, y - 9, area.left() - 6, 18), _ALIGN.AlignRight | _ALIGN.AlignVCenter,
                             picture.text(mark))
        self._paint_curve(painter, picture)
        if picture.current is not None:
            self._ring(painter, picture.current, "accent", 6.0)
        if self.chosen is not None:
            x = self.point_of(self.chosen).x()
            painter.setPen(QPen(color("field_line"), 1, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
            self._ring(painter, self.chosen, "text", 5.0)

    def _paint_curve(self, painter: QPainter, picture: Picture) -> None:
        color = self.services.theme.color
        path, dots = QPainterPath(), []
        broken = True
        for index in range(picture.values.size):
            if np.isnan(picture.values[index]):
                broken = True
                continue
            point = self.point_of((index,))
            (path.moveTo if broken else path.lineTo)(point)
            broken = False
            dots.append((point, bool(picture.kept[index])))
        painter.setPen(QPen(color("accent"), 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(path)
        if len(dots) > _MOST_DOTS:
            dots = [dot for dot in dots if not dot[1]][:_MOST_DOTS]
        for point, kept in dots:
            painter.setPen(QPen(color("surface" if kept else "field_line"), 1))
            painter.setBrush(color("accent" if kept else "surface"))
            painter.drawEllipse(point, 3.5, 3.5)

    def _ring(self, painter: QPainter, place: Place, token: str, radius: float) -> None:
        if self.picture is None or np.isnan(self.picture.values[place]):
            return
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(self.services.theme.color(token), 2))
        painter.drawEllipse(self.point_of(place), radius, radius)

    def _paint_map(self, painter: QPainter, picture: Picture) -> None:
        area, color = self.area(), self.services.theme.color
        if self._image is None:
            self._image = self._colored(picture)
        painter.drawImage(area, self._image)
        rows, words = picture.values.shape[0], picture.words[0]
        painter.setPen(color("muted"))
        for index in spread_marks(rows, area.height(), 18.0):
            y = area.bottom() - (index + 0.5) * area.height() / rows
            text = self._metrics.elidedText(words[index], Qt.TextElideMode.ElideRight, area.left() - 8)
            painter.drawText(QRectF(0, y - 9, area.left() - 6, 18), _ALIGN.AlignRight | _ALIGN.AlignVCenter, text)
        title = self._metrics.elidedText(picture.titles[0], Qt.TextElideMode.ElideRight, area.width() * 0.6)
        painter.drawText(QRectF(2, area.bottom() + 19, area.left() + area.width() * 0.6, 18),
                         _ALIGN.AlignLeft | _ALIGN.AlignTop, f"↑ {title}")
        self._paint_cells(painter, picture)
        self._paint_legend(painter, picture)
        if picture.current is not None:
            self._frame(painter, picture.current, own=True)
        if self.chosen is not None:
            self._frame(painter, self.chosen, own=False)

    def _paint_cells(self, painter: QPainter, picture: Picture) -> None:
        """The values themselves, where there is room for them."""
        area = self.area()
        rows, columns = picture.values.shape
        width, height = area.width() / columns, area.height() / rows
        if height < 17 or width < 44:
            return
        low, high = self._ends()
        for place in np.ndindex(rows, columns):
            value = float(picture.values[place])
            text = picture.text(value)
            if np.isnan(value) or self._metrics.horizontalAdvance(text) > width - 6:
                continue
            faint = not picture.kept[place]
            shade = 0.0 if high <= low else (value - low) / (high - low)
            painter.setPen(self.services.theme.color("muted") if faint else self._ink(shade))
            middle = self.point_of(place)
            painter.drawText(QRectF(middle.x() - width / 2, middle.y() - height / 2, width, height),
                             _ALIGN.AlignCenter, text)

    def _paint_legend(self, painter: QPainter, picture: Picture) -> None:
        area = self.area()
        bar = QRectF(area.right() + 12, area.top(), 10, area.height())
        strip = QImage(1, _STEPS, QImage.Format.Format_RGB32)
        for number in range(_STEPS):
            strip.setPixelColor(0, _STEPS - 1 - number, self._shade(number / (_STEPS - 1)))
        painter.drawImage(bar, strip)
        painter.setPen(self.services.theme.color("muted"))
        low, high = self._ends()
        for value, y in ((high, bar.top()), (low, bar.bottom() - 16)):
            painter.drawText(QRectF(bar.right() + 4, y, 200, 16), _ALIGN.AlignLeft | _ALIGN.AlignVCenter,
                             picture.text(value))

    def _frame(self, painter: QPainter, place: Place, *, own: bool) -> None:
        area = self.area()
        if self.picture is None:
            return
        rows, columns = self.picture.values.shape
        width, height = max(area.width() / columns, 6.0), max(area.height() / rows, 6.0)
        middle = self.point_of(place)
        rect = QRectF(middle.x() - width / 2, middle.y() - height / 2, width, height).adjusted(1, 1, -1, -1)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if own:  # seen on any colour: light on dark
            painter.setPen(QPen(self.services.theme.color("text"), 3.5))
            painter.drawRoundedRect(rect, 2, 2)
        painter.setPen(QPen(self.services.theme.color("surface" if own else "text"), 2))
        painter.drawRoundedRect(rect, 2, 2)

    def _shade(self, share: float) -> QColor:
        """From the quiet end of the accent to its strong one, the same order of lightness in grey."""
        low, high = self.services.theme.color("band"), self.services.theme.color("attention_projection")
        return QColor.fromRgbF(low.redF() + (high.redF() - low.redF()) * share,
                               low.greenF() + (high.greenF() - low.greenF()) * share,
                               low.blueF() + (high.blueF() - low.blueF()) * share)

    def _ink(self, share: float) -> QColor:
        ground = self._shade(share)
        return QColor("#ffffff") if ground.lightnessF() < 0.5 else QColor("#1a2330")

    def _colored(self, picture: Picture) -> QImage:
        """One pixel a point; what has no value or is left out is faint."""
        rows, columns = picture.values.shape
        low, high = self._ends()
        shares = np.nan_to_num((picture.values - low) / ((high - low) or 1.0), nan=0.0)
        table = np.array([self._shade(number / (_STEPS - 1)).rgb() for number in range(_STEPS)], dtype=np.uint32)
        pixels = table[np.clip((shares * (_STEPS - 1)).round().astype(int), 0, _STEPS - 1)]
        faint = self.services.theme.color("hover").rgb()
        pixels = np.where(np.isnan(picture.values) | ~picture.kept, np.uint32(faint), pixels)[::-1]
        data = np.ascontiguousarray(pixels, dtype=np.uint32)
        return QImage(data.tobytes(), columns, rows, 4 * columns, QImage.Format.Format_RGB32).copy()

    # Pointing

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            place = self.place_at(QPointF(event.pos()))
            tips.show(event.globalPos(), "" if place is None or self.picture is None else self.picture.tip(place), self)
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        place = self.place_at(event.position())
        if place is not None and event.button() == Qt.MouseButton.LeftButton:
            self._pick(place)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        steps = {Qt.Key.Key_Left: (-1, -1), Qt.Key.Key_Right: (-1, 1), Qt.Key.Key_Up: (0, 1), Qt.Key.Key_Down: (0, -1)}
        if key not in steps or self.picture is None:
            super().keyPressEvent(event)
            return
        axis, step = steps[key]
        shape = self.picture.values.shape
        start = self.chosen or self.picture.current or tuple(0 for _ in shape)
        place = list(start)
        if self.chosen is not None:
            place[axis] = min(max(place[axis] + step, 0), shape[axis] - 1)
        self._pick(tuple(place))

    def _pick(self, place: Place) -> None:
        self.chosen = place
        if self.picture is not None:
            self.setAccessibleDescription(self.picture.tip(place))
        self.update()
        self.picked.emit(place)
