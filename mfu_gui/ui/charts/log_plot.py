"""The picture of a log: step time or MFU over the steps, thinned out with the extremes kept.

Imports pyqtgraph, so it is itself imported only when a log is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainterPath, QPen, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QGraphicsLineItem, QGraphicsPathItem, QGraphicsRectItem, QWidget

from mfu_gui.ui import fonts
from mfu_gui.ui.charts.axis import Axis, round_marks
from mfu_gui.ui.charts.graphics import pg
from mfu_gui.ui.charts.log_shown import (
    Marked,
    Shown,
    part_in_sight,
    place_of_cut,
    room_of_steps,
    room_of_values,
    value_alone,
)
from mfu_gui.ui.log_data import Array, decimated, moving_median
from mfu_gui.ui.services import Services
from mfu_gui.ui.theme import SMALL

OVERLAYS = ("experts", "router", "head", "attention_core", "shared", "other")
"""Colours of the logs beside the chosen one."""
_LEFT, _BOTTOM, _RIGHT = 58, 22, 14
_MARK_DISTANCE_X, _MARK_DISTANCE_Y = 90.0, 34.0
_WINDOW = 51
_MOST_MARKED = 500


class LogPlot(pg.GraphicsView):
    """``cut_moved(index)``: the line behind the warm-up was dragged to this step of the log."""

    cut_moved = Signal(int)

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self._services = services
        self._format: Callable[..., str] = lambda value, _more=0: str(value)
        self._main: Shown | None = None
        self._others: list[Shown] = []
        self._marked: Marked | None = None
        self._range: tuple[float, float] | None = None
        """The part of the steps that is looked at; None shows all."""
        self._grabbed: float | None = None
        self._cutting = False
        self.setFrameShape(self.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumHeight(90)
        self._box = box = pg.ViewBox(enableMenu=False, enableMouse=False, defaultPadding=0)
        self._left, self._bottom = Axis("left", _LEFT), Axis("bottom", _BOTTOM, _RIGHT)
        area = pg.GraphicsLayout()
        area.setContentsMargins(0, 6, _RIGHT, 0)
        area.setSpacing(0)
        area.addItem(self._left, 0, 0)
        area.addItem(box, 0, 1)
        area.addItem(self._bottom, 1, 1)
        self.setCentralItem(area)
        box.disableAutoRange()
        self._grid = QGraphicsPathItem()
        self._ramp, self._warm = QGraphicsRectItem(), QGraphicsRectItem()
        for rectangle in (self._ramp, self._warm):
            rectangle.setPen(QPen(Qt.PenStyle.NoPen))
        self._cut = QGraphicsLineItem()
        self._curve = pg.PlotCurveItem(antialias=True, connect="finite")
        self._printed = pg.PlotCurveItem(antialias=True, connect="finite")
        self._median = pg.PlotCurveItem(antialias=True, connect="finite")
        self._alone, self._alone_printed = pg.ScatterPlotItem(size=8), pg.ScatterPlotItem(size=8, symbol="x")
        self._dots = pg.ScatterPlotItem(size=6)
        self._stalls = pg.ScatterPlotItem(size=9, symbol="t1")
        self._probe = QGraphicsLineItem()
        self._overlays = [pg.PlotCurveItem(antialias=True, connect="finite") for _ in OVERLAYS]
        self._names = [pg.TextItem("", anchor=(1, 0)) for _ in OVERLAYS]
        for name in self._names:
            name.setFont(fonts.font(SMALL))
        self._text = pg.TextItem("", anchor=(0, 0))
        self._text.setFont(fonts.font(SMALL))
        for order, item in enumerate((self._ramp, self._warm, self._grid, self._cut, *self._overlays, self._curve,
                                      self._printed, self._median, self._alone_printed, self._alone, self._dots,
                                      self._stalls, *self._names, self._probe, self._text)):
            item.setZValue(order)
            box.addItem(item, ignoreBounds=True)
        self._probe.hide()
        self._text.hide()
        self.scene().sigMouseMoved.connect(self._hover)
        services.theme.changed.connect(self.restyle)
        self.restyle()

    # What is shown

    def show_logs(self, main: Shown | None, others: Sequence[Shown], marked: Marked | None,
                  write: Callable[..., str], *, whole: bool = False) -> None:
        """Draw the chosen log and those beside it; ``whole`` shows all steps again.

        ``write(value, more)`` writes a value, with so many digits more than usual.
        """
        self._main, self._others, self._marked, self._format = main, list(others), marked, write
        if whole:
            self._range = None
        self.redraw()

    def redraw(self) -> None:
        """Draw what is in sight, as many points as there are pixels."""
        main = self._main
        if main is None or not len(main.steps):
            for curve in (self._curve, self._median, self._printed, *self._overlays):
                curve.setData([], [])
            for name in self._names:
                name.hide()
            for points in (self._alone, self._alone_printed, self._dots, self._stalls):
                points.setData([], [])
            return
        start, end = self._limits()
        pixels = max(50, int(self._box.width()))
        seen, values = part_in_sight(main.steps, main.values, start, end)
        self._curve.setData(*decimated(seen, values, pixels))
        self._alone.setData(*value_alone(seen, values))
        window = min(max(_WINDOW, len(values) // 100), max(3, len(values) // 5))
        self._median.setData(*moving_median(seen, values, window))
        if main.printed is None:
            self._printed.setData([], [])
            self._alone_printed.setData([], [])
        else:
            printed = part_in_sight(main.steps, main.printed, start, end)
            self._printed.setData(*decimated(*printed, pixels))
            self._alone_printed.setData(*value_alone(*printed))
        for number, curve in enumerate(self._overlays):
            if number < len(self._others):
                other = part_in_sight(self._others[number].steps, self._others[number].values, start, end)
                x, medians = moving_median(*other, max(5, len(other[0]) // 100))
                curve.setData(x, medians)
                self._name(number, x, medians)
            else:
                curve.setData([], [])
                self._names[number].hide()
        low, high = room_of_values(values, main, self._others)
        self._box.setRange(xRange=(start, end), yRange=(low, high), padding=0)
        self._mark(start, end, low, high)
        self._show_axes(start, end, low, high)

    def _name(self, number: int, x: Array, medians: Array) -> None:
        """The name of a log beside the chosen one, below the end of its curve."""
        item = self._names[number]
        item.setVisible(bool(len(x)))
        if len(x):
            item.setText(self._others[number].name)
            item.setPos(float(x[-1]), float(medians[-1]))

    def _limits(self) -> tuple[float, float]:
        if self._range is not None:
            return self._range
        return room_of_steps([log for log in (self._main, *self._others) if log is not None])

    def _mark(self, start: float, end: float, low: float, high: float) -> None:
        main, marked = self._main, self._marked
        if main is None or marked is None:
            for item in (self._ramp, self._warm, self._cut):
                item.hide()
            self._dots.setData([], [])
            self._stalls.setData([], [])
            return
        cut = place_of_cut(main.steps, marked.first)
        self._warm.setRect(start, low, max(0.0, cut - start), high - low)
        self._warm.setVisible(cut > start)
        ramp = marked.ramp_until
        self._ramp.setVisible(ramp is not None and ramp > start)
        if ramp is not None:
            self._ramp.setRect(start, low, max(0.0, min(ramp, end) - start), high - low)
        self._cut.setVisible(start <= cut <= end)
        self._cut.setLine(cut, low, cut, high)
        for item, indices in ((self._dots, np.concatenate([marked.slow, marked.fast])), (self._stalls, marked.stalls)):
            indices = indices[indices < len(main.steps)]
            x = main.steps[indices]
            seen = indices[(x >= start) & (x <= end)]
            seen = seen[np.isfinite(main.values[seen])]
            if len(seen) > _MOST_MARKED:
                seen = seen[:: -(-len(seen) // _MOST_MARKED)]
            edge = (high - low) * 0.03
            item.setData(main.steps[seen], np.clip(main.values[seen], low + edge, high - edge))

    def _show_axes(self, start: float, end: float, low: float, high: float) -> None:
        marks_x = round_marks(start, end, max(2, int(self._box.width() / _MARK_DISTANCE_X)), whole=True)
        marks_y = round_marks(low, high, max(2, int(self._box.height() / _MARK_DISTANCE_Y)))
        number = self._services.language.numbers
        self._bottom.show_marks([(value, number.integer(value)) for value in marks_x], start, end)
        for more in range(4):  # enough digits to tell the marks apart
            texts = [self._format(value, more) for value in marks_y]
            if len(set(texts)) == len(texts):
                break
        self._left.show_marks(list(zip(marks_y, texts, strict=True)), low, high)
        path = QPainterPath()
        for value in marks_y:
            path.moveTo(start, value)
            path.lineTo(end, value)
        self._grid.setPath(path)

    # Looking closer, and dragging the cut

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self._main is None or not event.angleDelta().y():
            event.ignore()
            return
        start, end = self._limits()
        at = self._box.mapSceneToView(self.mapToScene(event.position().toPoint())).x()
        self._zoom(at, 0.8 if event.angleDelta().y() > 0 else 1.25, start, end)
        event.accept()

    def _zoom(self, at: float, factor: float, start: float, end: float) -> None:
        before, self._range = self._range, None
        least, most = self._limits()
        new = (max(least, at - (at - start) * factor), min(most, at + (end - at) * factor))
        self._range = before if new[1] - new[0] < 4 else None if new == (least, most) else new
        self.redraw()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        start, end = self._limits() if self._main is not None else (0.0, 0.0)
        key, middle = event.key(), (start + end) / 2
        if self._main is None:
            event.ignore()
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self._zoom(middle, 0.7, start, end)
        elif key == Qt.Key.Key_Minus:
            self._zoom(middle, 1 / 0.7, start, end)
        elif key == Qt.Key.Key_0:
            self._range = None
            self.redraw()
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self._pan((end - start) * (0.1 if key == Qt.Key.Key_Right else -0.1))
        else:
            event.ignore()

    def _pan(self, way: float) -> None:
        if self._range is None:
            return
        (start, end), self._range = self._range, None
        least, most = self._limits()
        way = min(max(way, least - start), most - end)
        self._range = (start + way, end + way)
        self.redraw()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._range = None
        self.redraw()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._main is not None:
            self._cutting = self._near_cut(event.position())
            self._grabbed = self._at(event.position())
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._grabbed is None or self._main is None:
            near = self._main is not None and self._near_cut(event.position())
            self.setCursor(Qt.CursorShape.SplitHCursor if near else Qt.CursorShape.ArrowCursor)
            super().mouseMoveEvent(event)
            return
        at = self._at(event.position())
        if self._cutting:
            self.cut_moved.emit(int(np.searchsorted(self._main.steps, at)))
        else:
            self._pan(self._grabbed - at)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._grabbed, self._cutting = None, False
        super().mouseReleaseEvent(event)

    def _at(self, position: QPointF) -> float:
        return float(self._box.mapSceneToView(self.mapToScene(position.toPoint())).x())

    def _near_cut(self, position: QPointF) -> bool:
        if not self._cut.isVisible():
            return False
        place = self.mapFromScene(self._box.mapViewToScene(QPointF(self._cut.line().x1(), 0)))
        return abs(place.x() - position.x()) < 6

    def _hover(self, position: QPointF) -> None:
        main = self._main
        if main is None or not len(main.steps) or not self._box.sceneBoundingRect().contains(position):
            self.hide_probe()
            return
        x = float(self._box.mapSceneToView(position).x())
        index = min(int(np.searchsorted(main.steps, x)), len(main.steps) - 1)
        if index and x - main.steps[index - 1] < main.steps[index] - x:
            index -= 1
        value, step = float(main.values[index]), float(main.steps[index])
        (low, high), (start, end) = self._box.viewRange()[1], self._box.viewRange()[0]
        tr = self._services.language.tr
        words = [tr("step {step:integer}", step=step), self._format(value) if np.isfinite(value) else "–"]
        if main.printed is not None and np.isfinite(main.printed[index]):
            words.append(tr("printed {value}", value=self._format(float(main.printed[index]))))
        self._probe.setLine(step, low, step, high)
        self._text.setText(" · ".join(words))
        self._text.setAnchor(((step - start) / (end - start) if end > start else 0, 0))
        self._text.setPos(step, high)
        self._probe.show()
        self._text.show()

    def hide_probe(self) -> None:
        """Take the read-out away."""
        self._probe.hide()
        self._text.hide()

    def leaveEvent(self, event: QEvent) -> None:
        self.hide_probe()
        super().leaveEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if hasattr(self, "_text"):  # pyqtgraph resizes while it builds
            self.redraw()

    def _pen(self, token: str, width: float = 1.0, style: Qt.PenStyle = Qt.PenStyle.SolidLine) -> QPen:
        return pg.mkPen(self._services.theme.color(token), width=width * self.devicePixelRatioF(), style=style)

    def restyle(self) -> None:
        """Take the colours in force."""
        color, pen = self._services.theme.color, self._pen
        self.setBackground(color("surface"))
        self._left.set_color(color("muted"))
        self._bottom.set_color(color("muted"))
        faint = pg.mkColor(color("attention_core"))
        faint.setAlpha(150)
        self._curve.setPen(pg.mkPen(faint, width=self.devicePixelRatioF()))
        self._median.setPen(pen("accent", 2))
        self._printed.setPen(pen("good", 1.2, Qt.PenStyle.DashLine))
        self._grid.setPen(pen("line"))
        self._cut.setPen(pen("muted", 1, Qt.PenStyle.DashLine))
        self._probe.setPen(pen("field_line"))
        self._warm.setBrush(color("hover"))
        self._ramp.setBrush(color("note_soft"))
        for scatter, token in ((self._alone, "accent"), (self._alone_printed, "good"), (self._dots, "experts"),
                               (self._stalls, "error")):
            scatter.setPen(pen("surface"))
            scatter.setBrush(pg.mkBrush(color(token)))
        for curve, token in zip(self._overlays, OVERLAYS, strict=True):
            curve.setPen(pen(token, 1.6))
        for name in self._names:
            name.setColor(color("text"))
        self._text.setColor(color("text"))
        self._text.fill = pg.mkBrush(color("surface"))
