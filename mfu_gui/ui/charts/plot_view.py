"""The picture inside the plot: axes, curve, band, lines and the point that can be dragged.

Imports pyqtgraph, so it is itself imported only after the window was painted once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPainterPath, QPen, QPolygonF
from PySide6.QtWidgets import QGraphicsLineItem, QGraphicsPathItem, QWidget

from mfu_gui.formats.curve import TOP, Curve, Range, points
from mfu_gui.texts import Numbers
from mfu_gui.ui import fonts
from mfu_gui.ui.scenario_colors import TOKENS
from mfu_gui.ui.services import Services
from mfu_gui.ui.theme import SMALL

_RIGHT = 18
_WORD = 60.0
"""Half of the room for a word under the axis."""
_RIGHT_MIDDLE = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_TOP_MIDDLE = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop
_LABEL_ROOM = 20.0
_LOW = 120.0
"""Height under which marks at every 20 % would crowd."""
_KEY_FACTORS = {Qt.Key.Key_Left: 1 / 1.01, Qt.Key.Key_Right: 1.01, Qt.Key.Key_PageUp: 1.1, Qt.Key.Key_PageDown: 1 / 1.1}


class Axis(pg.GraphicsWidget):
    """Words at given places beside the picture.  pyqtgraph's own axis measures and draws far more than that."""

    def __init__(self, side: Literal["left", "bottom"], size: float) -> None:
        super().__init__()
        self._side = side
        self._marks: Sequence[tuple[float, str]] = ()
        self._range = (0.0, 1.0)
        self._color = QColor()
        self._font = fonts.font(SMALL)
        (self.setFixedWidth if side == "left" else self.setFixedHeight)(size)

    def show_marks(self, marks: Sequence[tuple[float, str]], start: float, end: float) -> None:
        """Write these (value, word) on an axis from ``start`` to ``end``."""
        self._marks, self._range = marks, (start, end)
        self.update()

    def set_color(self, color: QColor) -> None:
        """Take another colour."""
        self._color = color
        self.update()

    def boundingRect(self) -> QRectF:
        # Words at the ends may reach into the margin.
        return self.rect().adjusted(-_WORD, -10, _WORD, 10)

    def paint(self, painter: QPainter, option: object, widget: object = None) -> None:
        painter.setFont(self._font)
        painter.setPen(self._color)
        start, end = self._range
        rect = self.rect()
        for value, word in self._marks:
            fraction = (value - start) / (end - start)
            if self._side == "left":
                y = rect.bottom() - fraction * rect.height()
                painter.drawText(QRectF(0, y - 10, rect.width() - 6, 20), _RIGHT_MIDDLE, word)
            else:
                x = rect.left() + fraction * rect.width()
                painter.drawText(QRectF(x - _WORD, 6, 2 * _WORD, rect.height() - 6), _TOP_MIDDLE, word)


class PlotView(pg.GraphicsView):
    """Draws curves; ``dragged(time)`` while the point is moved, ``drag_ended()`` after it."""

    dragged = Signal(float)
    drag_ended = Signal()
    pressed_key = Signal(float)
    target_moved = Signal(float)

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self._services = services
        self._span: Range | None = None
        self._curve: Curve | None = None
        self._parts = 0
        self._overlaid: object = None
        self._written: dict[str, str] = {}
        self._shown_others: list[tuple[float, float, str, str]] = []
        self.setFrameShape(self.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        # Not a PlotItem: that brings sixty widgets of menus along, all of which every change of colours visits.
        self._box = box = pg.ViewBox(enableMenu=False, enableMouse=False, defaultPadding=0)
        self._left, self._bottom = Axis("left", 44), Axis("bottom", 24)
        area = pg.GraphicsLayout()
        area.setContentsMargins(0, 0, _RIGHT, 0)
        area.setSpacing(0)
        area.addItem(self._left, 0, 0)
        area.addItem(box, 0, 1)
        area.addItem(self._bottom, 1, 1)
        self.setCentralItem(area)
        box.disableAutoRange()
        box.setYRange(0, 1.1, padding=0)
        self._build()
        services.theme.changed.connect(self.restyle)
        self.restyle()
        self.scene().sigMouseMoved.connect(self._hover)

    def _build(self) -> None:
        # Plain items of Qt where nothing is dragged: they paint without Python.
        self._grid = QGraphicsPathItem()
        self._band = QGraphicsPathItem()
        self._band.setPen(QPen(Qt.PenStyle.NoPen))
        self._overlay = {token: QGraphicsPathItem() for token in TOKENS}
        self._main = pg.PlotCurveItem(antialias=True)
        self._twin = pg.PlotCurveItem(antialias=True)
        self._full_line = QGraphicsLineItem()
        self._target_line = pg.InfiniteLine(0.5, angle=0, movable=True, bounds=(0.01, 1.0))
        self._others = pg.ScatterPlotItem(size=8, hoverable=True, tip=_tip)
        self._published = pg.ScatterPlotItem(size=7, hoverable=True, tip=_told)
        self._shown_published: Sequence[tuple[float, float, Callable[[], str]]] = ()
        self._probe = QGraphicsLineItem()
        self._point = pg.TargetItem((0, 0), size=13, symbol="o", movable=True)
        for item in (self._grid, self._full_line, self._target_line, self._probe):
            item.setZValue(-5)
        upwards = (self._band, *self._overlay.values(), self._twin, self._main, self._published, self._others,
                   self._point)
        for order, item in enumerate(upwards):
            item.setZValue(order)
        self._texts = {name: pg.TextItem("") for name in ("full", "target", "point", "probe")}
        self._texts["full"].setAnchor((1, 1))
        self._texts["target"].setAnchor((1, 1))
        self._texts["point"].setAnchor((0, 1))
        self._texts["probe"].setAnchor((0.5, 1.2))
        for text in self._texts.values():
            text.setFont(fonts.font(SMALL))
            text.setZValue(20)
        self._texts["point"].setFont(fonts.bold(SMALL))
        for item in (self._grid, self._band, *self._overlay.values(), self._twin, self._main, self._full_line,
                     self._target_line, self._published, self._others, self._probe, self._point, *self._texts.values()):
            self._box.addItem(item, ignoreBounds=True)
        self._probe.hide()
        self._texts["probe"].hide()
        self._point.sigPositionChanged.connect(self._point_moved)
        self._point.sigPositionChangeFinished.connect(self.drag_ended)
        self._target_line.sigDragged.connect(lambda line: self.target_moved.emit(float(line.value())))

    def resizeEvent(self, event: object) -> None:
        super().resizeEvent(event)
        if not hasattr(self, "_texts"):  # pyqtgraph resizes while it builds
            return
        view = self._box
        height = max(view.height(), 60.0)
        # As much room above 100 % as its label is high.
        top = height / (height - _LABEL_ROOM)
        view.setYRange(0, top, padding=0)
        parts = 5 if height > _LOW else 2
        if parts != self._parts:
            self._parts = parts
            self._draw_grid()
        self._left.show_marks([(i / parts, f"{round(100 * i / parts)} %") for i in range(parts + 1)], 0.0, top)

    def _draw_grid(self) -> None:
        if self._span is None:
            return
        path = QPainterPath()
        for number in range(self._parts):
            path.moveTo(self._span.start, number / self._parts)
            path.lineTo(self._span.end, number / self._parts)
        self._grid.setPath(path)
        self._full_line.setLine(self._span.start, 1.0, self._span.end, 1.0)

    @property
    def dragging(self) -> bool:
        return bool(self._point.moving)

    @property
    def point_position(self) -> QPointF:
        """Where the point is, in pixels of the viewport."""
        return self.mapFromScene(self._box.mapViewToScene(self._point.pos())).toPointF()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self.restyle()
        return bool(super().event(event))

    def _pen(self, token: str, width: float = 1.0, style: Qt.PenStyle = Qt.PenStyle.SolidLine) -> QPen:
        """A line of a width in points: pyqtgraph's pens count pixels of the screen."""
        return pg.mkPen(self._services.theme.color(token), width=width * self.devicePixelRatioF(), style=style)

    def restyle(self) -> None:
        """Take the colours in force, and the pixels of the screen."""
        color, pen = self._services.theme.color, self._pen
        self.setBackground(color("surface"))
        for axis in (self._left, self._bottom):
            axis.set_color(color("muted"))
        self._grid.setPen(pen("line"))
        self._band.setBrush(color("band"))
        for token, item in self._overlay.items():
            item.setPen(pen(token))
        self._main.setPen(pen("accent", 2))
        self._twin.setPen(pen("muted", 1, Qt.PenStyle.DashLine))
        self._full_line.setPen(pen("error", 1, Qt.PenStyle.DashLine))
        self._target_line.setPen(pen("good", 1, Qt.PenStyle.DotLine))
        self._target_line.setHoverPen(pen("good", 2))
        self._probe.setPen(pen("field_line"))
        self._point.setPen(pen("surface", 2))
        self._point.setBrush(pg.mkBrush(color("accent")))
        self._point.setHoverPen(pen("surface", 2))
        self._point.setHoverBrush(pg.mkBrush(color("accent_hover")))
        self._published.setPen(pen("other"))
        self._published.setBrush(pg.mkBrush(color("surface")))
        self._others.setPen(pen("surface"))
        shown, self._shown_others = self._shown_others, []
        self.show_others(shown)
        for name, token in (("full", "error"), ("target", "good"), ("point", "text"), ("probe", "muted")):
            self._texts[name].setColor(color(token))

    def show_curve(self, curve: Curve, span: Range, target: float | None, marks: Sequence[tuple[float, str]],
                   texts: dict[str, str]) -> None:
        """Draw one scenario.  ``texts`` are the words at the lines and the point."""
        self._curve = curve
        if span != self._span:
            self._span = span
            self._box.setXRange(span.start, span.end, padding=0)
            self._bottom.show_marks(marks, span.start, span.end)
            self._draw_grid()
        times, values = points(curve.full, span)
        self._main.setData(np.asarray(times), np.asarray(values))
        if curve.hardware is None:
            self._twin.hide()
        else:
            self._twin.show()
            self._twin.setData(*map(np.asarray, points(curve.hardware, span)))
        self._band.setPath(_band_path(curve, span))
        self._target_line.setVisible(target is not None)
        self._texts["target"].setVisible(target is not None)
        self._write("full", texts["full"], span.end, 1.0)
        if target is not None:
            self._target_line.setValue(target)
            self._write("target", texts["target"], span.end, target)
        self._show_point(curve, span, texts["point"])
        # What depends on the range moves now; left to the painting it would ask for a second one.
        self.scene().prepareForPaint()

    def _show_point(self, curve: Curve, span: Range, text: str) -> None:
        shown = curve.time is not None and curve.utilization is not None and curve.utilization <= TOP
        self._point.setVisible(shown)
        self._texts["point"].setVisible(shown)
        if curve.time is None or curve.utilization is None:
            return
        self._point.blockSignals(True)
        self._point.setPos(curve.time, curve.utilization)
        self._point.blockSignals(False)
        right = curve.time > span.start + 0.72 * (span.end - span.start)
        self._texts["point"].setAnchor((1.06, 1.15) if right else (-0.06, 1.15))
        self._write("point", text, curve.time, curve.utilization)

    def _write(self, name: str, text: str, x: float, y: float) -> None:
        item = self._texts[name]
        if text != self._written.get(name):
            self._written[name] = text
            item.setText(text)
        item.setPos(x, y)

    def show_others(self, others: Sequence[tuple[float, float, str, str]]) -> None:
        """Points of other scenarios: time, utilization, what to say about them, and the name of their colour."""
        if list(others) != self._shown_others:
            self._shown_others = list(others)
            color = self._services.theme.color
            self._others.setData([{"pos": (time, value), "data": name, "brush": pg.mkBrush(color(token))}
                                  for time, value, name, token in others])

    def show_published(self, points: Sequence[tuple[float, float, Callable[[], str]]]) -> None:
        """Points of published runs: time, utilization, what to say about them when pointed at."""
        if points is not self._shown_published:
            self._shown_published = points
            self._published.setData([{"pos": (time, value), "data": tell} for time, value, tell in points])

    def show_overlay(self, curves: Sequence[tuple[float, str]], span: Range) -> None:
        """Thin curves of other scenarios, each given by the time at which it would be at 100 %, and the name of its
        colour."""
        key = (tuple(curves), span)
        if key == self._overlaid:
            return
        self._overlaid = key
        paths = {token: QPainterPath() for token in self._overlay}
        for full, token in curves:
            times, values = points(full, span, 40)
            if times:
                paths[token].addPolygon(QPolygonF([QPointF(x, y) for x, y in zip(times, values, strict=True)]))
        for token, path in paths.items():
            self._overlay[token].setPath(path)

    def set_dimmed(self, dimmed: bool) -> None:
        """The curve belongs to an earlier input."""
        for item in (self._main, self._band, self._point, self._texts["point"]):
            item.setOpacity(0.4 if dimmed else 1.0)

    def _point_moved(self) -> None:
        span = self._span
        if span is None or self._curve is None:
            return
        time = float(self._point.pos().x())
        time = min(max(time, self._curve.full, span.start), span.end)
        self.dragged.emit(time)

    def _hover(self, position: QPointF) -> None:
        view = self._box
        span, curve = self._span, self._curve
        if span is None or curve is None or self.dragging or not view.sceneBoundingRect().contains(position):
            self.hide_probe()
            return
        time = float(view.mapSceneToView(position).x())
        near = curve.time is not None and abs(time - curve.time) < 0.02 * (span.end - span.start)
        if time < curve.full or near:
            self.hide_probe()
            return
        numbers = self._services.language.numbers
        self._probe.setLine(time, 0.0, time, curve.at(time))
        text = f"{_time_text(numbers, curve, time)} · {numbers.percent(curve.at(time))}"
        self._write("probe", text, time, curve.at(time))
        fraction = (time - span.start) / (span.end - span.start)
        self._texts["probe"].setAnchor((min(max(fraction, 0.0), 1.0), 1.2))
        self._probe.show()
        self._texts["probe"].show()

    def hide_probe(self) -> None:
        """Take the read-out away."""
        self._probe.hide()
        self._texts["probe"].hide()

    def leaveEvent(self, event: object) -> None:
        self.hide_probe()
        super().leaveEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        factor = _KEY_FACTORS.get(Qt.Key(event.key()))
        if factor is None or self._curve is None or self._curve.time is None:
            event.ignore()
            return
        self.pressed_key.emit(max(self._curve.time * factor, self._curve.full))

    def wheelEvent(self, event: object) -> None:
        event.ignore()  # type: ignore[attr-defined]


def _time_text(numbers: Numbers, curve: Curve, time: float) -> str:
    return numbers.duration(time) if curve.quantity == "step_time_s" else f"{numbers.short(time)} µs"


def _tip(x: float, y: float, data: str) -> str:
    return data


def _told(x: float, y: float, data: Callable[[], str]) -> str:
    return data()


def _band_path(curve: Curve, span: Range) -> QPainterPath:
    path = QPainterPath()
    if curve.low is None or curve.high is None or curve.high <= curve.low:
        return path
    upper, lower = points(curve.high, span, 64), points(curve.low, span, 64)
    if not upper[0] or not lower[0]:
        return path
    outline = [QPointF(x, y) for x, y in zip(*upper, strict=True)]
    outline += [QPointF(x, y) for x, y in zip(reversed(lower[0]), reversed(lower[1]), strict=True)]
    path.addPolygon(QPolygonF(outline))
    path.closeSubpath()
    return path
