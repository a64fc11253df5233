"""The picture inside the plot: axes, curve, band, lines and the point that can be dragged.

Imports pyqtgraph, so it is itself imported only after the window was painted once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainterPath, QPen, QPolygonF, QWheelEvent
from PySide6.QtWidgets import QGraphicsLineItem, QGraphicsPathItem, QWidget

from mfu_gui.formats.curve import TOP, Curve, Range, points, utilization_marks
from mfu_gui.ui import fonts
from mfu_gui.ui.charts.axis import Axis
from mfu_gui.ui.charts.graphics import pg
from mfu_gui.ui.charts.items import Stroke, Words
from mfu_gui.ui.charts.plot_curves import band_path, placed
from mfu_gui.ui.charts.plot_words import time_text
from mfu_gui.ui.scenario_colors import TOKENS
from mfu_gui.ui.services import Services
from mfu_gui.ui.theme import SMALL

_RIGHT = 18
_LABEL_ROOM = 20.0
_LOW, _HIGH = 120.0, 800.0
"""Height under which marks at every 20 % would crowd, and from which every 10 % has one."""
_MOST_MARKS = 9
ZOOM = 1.25
_ZOOM_KEYS = {Qt.Key.Key_Plus: 1 / ZOOM, Qt.Key.Key_Equal: 1 / ZOOM, Qt.Key.Key_Minus: ZOOM, Qt.Key.Key_0: 0.0}
"""A factor of 0 shows everything again."""
_KEY_FACTORS = {Qt.Key.Key_Left: 1 / 1.01, Qt.Key.Key_Right: 1.01, Qt.Key.Key_PageUp: 1.1, Qt.Key.Key_PageDown: 1 / 1.1}


class PlotView(pg.GraphicsView):
    """Draws curves; ``dragged(time)`` while the point is moved, ``drag_ended()`` after it."""

    dragged = Signal(float)
    drag_ended = Signal()
    pressed_key = Signal(float)
    target_moved = Signal(float)
    zoomed = Signal(float, float)
    """Wish for a factor of the width, and the time that is to stay in its place; a factor of 0 for everything."""

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self._services = services
        self._span: Range | None = None
        self._curve: Curve | None = None
        self._heights = (0.0, 0.0, 0)
        self._overlaid: object = None
        self._marks: Sequence[tuple[float, str]] = ()
        self._shown_others: list[tuple[float, float, str, str]] = []
        self.setFrameShape(self.Shape.NoFrame)
        # One colour is filled in faster than a picture of it is copied.
        self.setCacheMode(self.CacheModeFlag.CacheNone)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the view has the keys, and a name
        # Not a PlotItem: that brings sixty widgets of menus along, all of which every change of colours visits.
        self._box = box = pg.ViewBox(enableMenu=False, enableMouse=False, defaultPadding=0)
        self._left, self._bottom = Axis("left", 44), Axis("bottom", 24, _RIGHT)
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
        self._take_fonts()
        services.language.changed.connect(self._take_fonts)
        services.theme.changed.connect(self.restyle)
        self.restyle()
        self.scene().sigMouseMoved.connect(self._hover)

    def _take_fonts(self) -> None:
        """Punctuation is set as the language is written."""
        for name, words in self._texts.items():
            words.set_font(fonts.bold(SMALL) if name == "point" else fonts.font(SMALL))
        for axis in (self._left, self._bottom):
            axis.take_font()

    def _build(self) -> None:
        # Plain items of Qt where nothing is dragged: they paint without Python.
        self._grid = QGraphicsPathItem()
        self._band = QGraphicsPathItem()
        self._band.setPen(QPen(Qt.PenStyle.NoPen))
        self._overlay = {token: QGraphicsPathItem() for token in TOKENS}
        self._main, self._twin = Stroke(), Stroke()
        self._full_line = QGraphicsLineItem()
        self._target_line = pg.InfiniteLine(0.5, angle=0, movable=True, bounds=(0.01, 1.0))
        self._others = pg.ScatterPlotItem(size=8, hoverable=True, tip=_tip)
        self._published = pg.ScatterPlotItem(size=7, hoverable=True, tip=_told)
        self._others.hide()
        self._published.hide()
        self._shown_published: Sequence[tuple[float, float, Callable[[], str]]] = ()
        self._probe = QGraphicsLineItem()
        self._point = pg.TargetItem((0, 0), size=13, symbol="o", movable=True)
        for item in (self._grid, self._full_line, self._target_line, self._probe):
            item.setZValue(-5)
        upwards = (self._band, *self._overlay.values(), self._twin, self._main, self._published, self._others,
                   self._point)
        for order, item in enumerate(upwards):
            item.setZValue(order)
        self._texts = {name: Words() for name in ("full", "target", "point", "probe")}
        for name, anchor in (("full", (1, 1)), ("target", (1, 1)), ("point", (0, 1)), ("probe", (0.5, 1.2))):
            self._texts[name].set_anchor(*anchor)
            self._texts[name].setZValue(20)
        for item in (self._grid, self._band, *self._overlay.values(), self._twin, self._main, self._full_line,
                     self._target_line, self._published, self._others, self._probe, self._point, *self._texts.values()):
            self._box.addItem(item, ignoreBounds=True)
        self._probe.hide()
        self._texts["probe"].hide()
        self._point.sigPositionChanged.connect(self._point_moved)
        self._point.sigPositionChangeFinished.connect(self.drag_ended)
        self._target_line.sigDragged.connect(self._target_dragged)

    def resizeEvent(self, event: object) -> None:
        super().resizeEvent(event)
        if not hasattr(self, "_texts"):  # pyqtgraph resizes while it builds
            return
        self._fit_height()
        self.scene().prepareForPaint()  # as in show_curve

    def _fit_height(self) -> None:
        """Range and marks of the axis of utilization for the height and scale in force."""
        height, span = max(self._box.height(), 60.0), self._span
        bottom = 0.0 if span is None else span.y(span.floor)
        full = 1.0 if span is None else span.y(1.0)
        # As much room above 100 % as its label is high.
        top = bottom + (full - bottom) * height / (height - _LABEL_ROOM)
        parts = 2 if height <= _LOW else 5 if height < _HIGH else 10
        if (bottom, top, parts) == self._heights:
            return
        self._heights = (bottom, top, parts)
        self._box.setYRange(bottom, top, padding=0)
        self._draw_grid()
        if span is not None and span.log:
            marks = utilization_marks(span, parts)
            if height <= _LOW or len(marks) > _MOST_MARKS:
                marks = [mark for mark in marks if f"{mark:e}"[0] == "1"]
        else:
            marks = [i / parts for i in range(parts + 1)]
        self._left.show_marks([(mark if span is None else span.y(mark), f"{100 * mark:.3g}%") for mark in marks],
                              bottom, top)

    def _draw_grid(self) -> None:
        span = self._span
        if span is None:
            return
        path = QPainterPath()
        start, end = span.x(max(span.start, 1e-300)), span.x(span.end)
        for mark in utilization_marks(span, self._heights[2]):
            if mark < 1.0:
                path.moveTo(start, span.y(mark))
                path.lineTo(end, span.y(mark))
        self._grid.setPath(path)
        self._full_line.setLine(start, span.y(1.0), end, span.y(1.0))

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
        ground = QColor(color("surface"))
        for name, token in (("full", "error"), ("target", "good"), ("point", "text"), ("probe", "muted")):
            self._texts[name].set_colors(color(token), ground)  # lines end at the words instead of crossing them

    def show_curve(self, curve: Curve, span: Range, target: float | None, marks: Sequence[tuple[float, str]],
                   texts: dict[str, str]) -> None:
        """Draw one scenario.  ``texts`` are the words at the lines and the point."""
        self._curve = curve
        if span != self._span:
            self._span = span
            start, end = span.x(max(span.start, 1e-300)), span.x(span.end)
            self._box.setXRange(start, end, padding=0)
            self._marks = ()
            self._target_line.setBounds((span.y(max(0.01, span.floor)), span.y(1.0)))
            self._shown_published, published = (), self._shown_published
            self._shown_others, others = [], self._shown_others
            self._fit_height()
            self._draw_grid()
            self.show_others(others)
            self.show_published(published)
        if marks != self._marks:  # another range, or another language
            self._marks = marks
            self._bottom.show_marks([(span.x(time), word) for time, word in marks], span.x(max(span.start, 1e-300)),
                                    span.x(span.end))
        self._main.show_points(*placed(curve.full, span))
        if curve.hardware is None:
            self._twin.hide()
        else:
            self._twin.show()
            self._twin.show_points(*placed(curve.hardware, span))
        self._band.setPath(band_path(curve, span))
        self._target_line.setVisible(target is not None)
        self._texts["target"].setVisible(target is not None)
        self._write("full", texts["full"], span.end, 1.0)
        if target is not None:
            self._target_line.setValue(span.y(target))
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
        x = span.x(curve.time)
        self._point.setPos(x, span.y(curve.utilization))
        self._point.blockSignals(False)
        low, high = span.x(max(span.start, 1e-300)), span.x(span.end)
        right = x > low + 0.72 * (high - low)
        if not low <= x <= high:
            self._point.hide()
            self._texts["point"].hide()
        # Above the point, but not above the picture; left of it on logarithmic axes is the curve itself.
        y = -0.15 if right and span.log else 0.8 if curve.utilization > 0.92 else 1.15
        self._texts["point"].set_anchor(1.06 if right else -0.06, y)
        self._write("point", text, curve.time, curve.utilization)

    def _write(self, name: str, text: str, x: float, y: float) -> None:
        item = self._texts[name]
        item.set_words(text)
        if self._span is not None:
            item.setPos(self._span.x(x), self._span.y(y))

    def show_others(self, others: Sequence[tuple[float, float, str, str]]) -> None:
        """Points of other scenarios: time, utilization, what to say about them, and the name of their colour."""
        if list(others) != self._shown_others:
            self._shown_others = list(others)
            color = self._services.theme.color
            self._others.setData([{"pos": self._place(time, value), "data": name, "brush": pg.mkBrush(color(token))}
                                  for time, value, name, token in others])
            self._others.setVisible(bool(others))  # without a point it would still be painted

    def _place(self, time: float, utilization: float) -> tuple[float, float]:
        span = self._span
        return (time, utilization) if span is None else (span.x(time), span.y(utilization))

    def show_published(self, points: Sequence[tuple[float, float, Callable[[], str]]]) -> None:
        """Points of published runs: time, utilization, what to say about them when pointed at."""
        if points is not self._shown_published:
            self._shown_published = points
            self._published.setData([{"pos": self._place(time, value), "data": tell} for time, value, tell in points])
            self._published.setVisible(bool(points))

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
                outline = [QPointF(span.x(x), span.y(y)) for x, y in zip(times, values, strict=True)]
                paths[token].addPolygon(QPolygonF(outline))
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
        time = span.time(float(self._point.pos().x()))
        time = min(max(time, self._curve.full, span.start), span.end)
        self.dragged.emit(time)

    def _hover(self, position: QPointF) -> None:
        view = self._box
        span, curve = self._span, self._curve
        if span is None or curve is None or self.dragging or not view.sceneBoundingRect().contains(position):
            self.hide_probe()
            return
        x = float(view.mapSceneToView(position).x())
        time, low, high = span.time(x), span.x(max(span.start, 1e-300)), span.x(span.end)
        near = curve.time is not None and abs(x - span.x(curve.time)) < 0.02 * (high - low)
        if time < curve.full or near:
            self.hide_probe()
            return
        numbers = self._services.language.numbers
        self._probe.setLine(x, span.y(span.floor), x, span.y(curve.at(time)))
        text = f"{time_text(curve, time, numbers)} · {numbers.percent(curve.at(time))}"
        self._write("probe", text, time, curve.at(time))
        fraction = (x - low) / (high - low)
        self._texts["probe"].set_anchor(min(max(fraction, 0.0), 1.0), 1.2)
        self._probe.show()
        self._texts["probe"].show()

    def hide_probe(self) -> None:
        """Take the read-out away."""
        self._probe.hide()
        self._texts["probe"].hide()

    def leaveEvent(self, event: object) -> None:
        self.hide_probe()
        super().leaveEvent(event)

    def _target_dragged(self, line: object) -> None:
        if self._span is not None:
            self.target_moved.emit(self._span.utilization(float(self._target_line.value())))

    def _zoom_middle(self) -> float:
        """The time that stays where it is when keys zoom: that of the point, or the middle."""
        span, curve = self._span, self._curve
        if span is None or curve is None:
            return 0.0
        if curve.time is not None and span.start <= curve.time <= span.end:
            return curve.time
        return span.time((span.x(max(span.start, 1e-300)) + span.x(span.end)) / 2)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        zoom = _ZOOM_KEYS.get(Qt.Key(event.key()))
        if zoom is not None:
            self.zoomed.emit(zoom, self._zoom_middle())
            return
        factor = _KEY_FACTORS.get(Qt.Key(event.key()))
        if factor is None or self._curve is None or self._curve.time is None:
            event.ignore()
            return
        self.pressed_key.emit(max(self._curve.time * factor, self._curve.full))

    def wheelEvent(self, event: QWheelEvent) -> None:
        span, steps = self._span, event.angleDelta().y() / 120
        if span is None or not steps or self.dragging:
            event.ignore()
            return
        place = self._box.mapSceneToView(self.mapToScene(event.position().toPoint()))
        self.zoomed.emit(ZOOM**-steps, span.time(float(place.x())))
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.zoomed.emit(0.0, 0.0)
        event.accept()


def _tip(x: float, y: float, data: str) -> str:
    return data


def _told(x: float, y: float, data: Callable[[], str]) -> str:
    return data()
