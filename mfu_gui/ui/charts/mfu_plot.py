"""MfuPlot: the card with MFU against step time, as a picture and as a table."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMimeData, QRectF, Qt
from PySide6.QtGui import QGuiApplication, QPainter, QShowEvent
from PySide6.QtWidgets import (
    QHeaderView,
    QMenu,
    QStackedWidget,
    QTableWidget,
    QTableWidgetItem,
    QToolButton,
    QWidget,
)

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.fields import N_, measured_key, with_measured
from mfu_gui.engine.scenario import Result, Scenario
from mfu_gui.formats.curve import Curve, Range, curve_of, range_of, rounded_up, table
from mfu_gui.ui import icons
from mfu_gui.ui.scenario_colors import token_of
from mfu_gui.ui.services import Services
from mfu_gui.ui.widgets.card import Card
from mfu_gui.ui.widgets.segments import Segments
from mfu_gui.ui.workspace import ACTIVE, DOCUMENTS, DRAG, INVALID, Document, State

if TYPE_CHECKING:
    from mfu_gui.ui.charts.plot_view import PlotView

Published = tuple[tuple[float, float, Callable[[], str]], ...]
"""Points of published runs: time, utilization, what to say about them."""


class MfuPlot(Card):
    """Draws the active document.  The picture exists only after ``complete`` was called."""

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.services = services
        self.view: PlotView | None = None
        self._curve: Curve | None = None
        self._span: Range | None = None
        self._drags = 0
        self._as_table = False
        self._stale = False
        self._known: WeakKeyDictionary[Document, tuple[State, str, Curve | None, str]] = WeakKeyDictionary()
        self._published: tuple[object, Published] = (None, ())
        self._segments = Segments(services.theme, (("curve", "curve"), ("table", "table")))
        self._segments.set_value("curve")
        self._segments.chosen.connect(self.show_as)
        self._more = QToolButton()
        self._more.setProperty("role", "flat")
        self._more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._more.clicked.connect(self._open_menu)
        self.head.addWidget(self._segments)
        self.head.addWidget(self._more)
        self._stack = QStackedWidget()
        self._empty = QWidget()
        self._stack.addWidget(self._empty)
        self._table: QTableWidget | None = None
        self.body.addWidget(self._stack, 1)
        self.outer.setStretch(1, 1)
        self.setMinimumHeight(130)
        services.workspace.changed.connect(self._changed)
        services.language.changed.connect(self._retranslate)
        services.theme.changed.connect(self._restyle)
        self._retranslate()
        self._restyle()

    def complete(self) -> None:
        """Import what draws, and draw.  The first call takes as long as pyqtgraph takes to import."""
        if self.view is not None:
            return
        from mfu_gui.ui.charts.plot_view import PlotView

        self.view = PlotView(self.services)
        self.view.setObjectName("plot")
        self.view.dragged.connect(self._dragged)
        self.view.drag_ended.connect(self._drag_ended)
        self.view.pressed_key.connect(lambda time: self._move_to(time, f"plot-key|{self._drags}"))
        self.view.target_moved.connect(self._target_moved)
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.view.customContextMenuRequested.connect(lambda at: self._open_menu())
        self._stack.addWidget(self.view)
        self.show_as("table" if self._as_table else "curve")
        if not self.services.workspace.is_empty:
            self.refresh(self.services.workspace.active)

    def show_as(self, form: str) -> None:
        """Show ``curve`` or ``table``."""
        self._segments.set_value(form)
        self._as_table = form == "table"
        if self._as_table and self._table is None:
            self._table = self._make_table()
        page = self._table if self._as_table else self.view
        self._stack.setCurrentWidget(page or self._empty)
        self._fill_table()

    def _make_table(self) -> QTableWidget:
        grid = QTableWidget()
        grid.setObjectName("plot.table")
        grid.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        grid.verticalHeader().hide()
        grid.setShowGrid(False)
        grid.setAccessibleName(self.title.text())
        self._stack.addWidget(grid)
        return grid

    @property
    def target(self) -> float | None:
        return self.services.settings.target

    def refresh(self, document: Document) -> None:
        """Draw ``document``, and the points of the others."""
        result = document.result
        curve = None if result is None else curve_of(document.scenario, result, document.rows())
        if result is not None and document.problem is not None:
            if self.view is not None:
                self.view.set_dimmed(True)
            return
        self._curve = curve
        if curve is None:
            return
        if self._span is None or self.view is None or not self.view.dragging:
            self._span = range_of(curve)
        self._describe(document, curve)
        self._show_legend(document, curve)
        if self.view is not None:
            self.view.show_curve(curve, self._span, self.target, self._marks(self._span), self._texts(curve))
            others = self._others(document, curve)
            self.view.show_others([(other.time, other.utilization, name, token) for other, name, token in others
                                   if other.time is not None and other.utilization is not None])
            self.view.show_overlay([(other.full, token) for other, _, token in others], self._span)
            self.view.show_published(self._published_points(document, curve))
            self.view.set_dimmed(not document.settled)
        self._fill_table()

    def _time(self, curve: Curve, time: float, digits: int = 3) -> str:
        numbers = self.services.language.numbers
        if curve.quantity == "step_time_s":
            return numbers.duration(time, digits)
        return f"{numbers.short(time, digits)} µs"

    def _texts(self, curve: Curve) -> dict[str, str]:
        tr, numbers = self.services.language.tr, self.services.language.numbers
        target = self.target
        point = ""
        if curve.time is not None and curve.utilization is not None:
            point = f"{self._time(curve, curve.time, 4)} · {numbers.percent(curve.utilization, 2)}"
        return {
            "full": tr("100 %: {time}", time=self._time(curve, curve.full)),
            "target": "" if target is None else tr("target {mfu}: {time}", mfu=numbers.percent(target, 0),
                                                   time=self._time(curve, curve.full / target)),
            "point": point,
        }

    def _marks(self, span: Range) -> list[tuple[float, str]]:
        count = round((span.end - span.start) / span.step)
        step = self._curve is not None and self._curve.quantity == "step_time_s"
        unit = self.services.language.numbers.duration(1).split(" ")[-1] if step else "µs"
        return [(span.start + i * span.step, f"{span.start + i * span.step:.6g} {unit}") for i in range(count + 1)]

    def _others(self, document: Document, curve: Curve) -> list[tuple[Curve, str, str]]:
        """Curves of the other open scenarios, each with what to say at its point and its colour; each made once."""
        documents = self.services.workspace.documents
        if not self.services.settings.stored.overlay or len(documents) < 2:
            return []
        others = []
        for other in documents:
            if other is document or other.result is None or other.problem is not None:
                continue
            found = self._known.get(other)
            if found is None or found[0] is not other.state or found[1] != self.services.language.code:
                theirs = curve_of(other.scenario, other.result, ())
                words = "" if theirs is None else f"{other.scenario.name}\n{self._texts(theirs)['point']}"
                found = self._known[other] = (other.state, self.services.language.code, theirs, words)
            theirs = found[2]
            if theirs is None or theirs.quantity != curve.quantity:
                continue
            if theirs.utilization is None or theirs.utilization <= 1:
                others.append((theirs, found[3], token_of(other)))
        return others

    def _published_points(self, document: Document, curve: Curve) -> Published:
        """Published runs on the document's device, the same object as long as they are the same."""
        device = document.scenario.hardware_source.preset if self.services.settings.stored.published else None
        key = (device, curve.quantity)
        if key != self._published[0]:
            points: Published = ()
            if device is not None:
                from mfu_gui.ui.charts.published_points import points_on, read_out

                language = self.services.language
                points = tuple((point.time, point.utilization, partial(read_out, point, language))
                               for point in points_on(device, curve.quantity))
            self._published = (key, points)
        return self._published[1]

    def toggle_published(self) -> None:
        """Show or hide published runs on the same device."""
        stored = self.services.settings.stored
        stored.published = not stored.published
        self.refresh(self.services.workspace.active)

    def toggle_overlay(self) -> None:
        """Show or hide the curves and points of the other open scenarios."""
        stored = self.services.settings.stored
        stored.overlay = not stored.overlay
        self.refresh(self.services.workspace.active)

    def _describe(self, document: Document, curve: Curve) -> None:
        """The picture in words, for screen readers."""
        texts = self._texts(curve)
        name = self.title.text()
        words = f"{name}. {texts['point'] or texts['full']}. {texts['full']}. {texts['target']}"
        if self.view is not None:
            self.view.setAccessibleName(name)
            self.view.setAccessibleDescription(words)

    def _show_legend(self, document: Document, curve: Curve) -> None:
        tr = self.services.language.tr
        parts = [tr("band: the conventions that fit")] if curve.low is not None else []
        if curve.hardware is not None:
            parts.append(tr("dashed: HFU"))
        if self.services.settings.stored.overlay and len(self.services.workspace.documents) > 1:
            parts.append(tr("thin: other scenarios"))
        if self.services.settings.stored.published and self._span is not None:
            points, span = self._published_points(document, curve), self._span
            inside = sum(span.start <= time <= span.end for time, *_ in points)
            parts.append(tr("dots: {n} of {whole} published runs on this device", n=inside, whole=len(points)))
        self.note.setText(" · ".join(parts))

    def _fill_table(self) -> None:
        curve, span, grid = self._curve, self._span, self._table
        if curve is None or span is None or grid is None or not self._as_table:
            return
        tr, numbers = self.services.language.tr, self.services.language.numbers
        heads = [self._axis_title(curve), "MFU", tr("lowest sound"), tr("highest sound"), "HFU"]
        rows = table(curve, span)
        grid.setColumnCount(len(heads))
        grid.setHorizontalHeaderLabels(heads)
        grid.setRowCount(len(rows))
        for number, (time, *values) in enumerate(rows):
            cells = [numbers.short(time, 4), *(numbers.percent(value) for value in values)]
            for column, text in enumerate(cells):
                item = QTableWidgetItem(text)
                item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                grid.setItem(number, column, item)
        grid.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)

    def _axis_title(self, curve: Curve | None) -> str:
        tr = self.services.language.tr
        if curve is not None and curve.quantity == "token_time_us":
            return tr("time per token of one device, µs")
        return tr("step time, s")

    def _dragged(self, time: float) -> None:
        self._move_to(time, f"{DRAG}{self._drags}")

    def _drag_ended(self) -> None:
        self._drags += 1
        self.refresh(self.services.workspace.active)

    def _move_to(self, time: float, merge_key: str) -> None:
        """Make ``time`` the measured one, in the quantity that is known."""
        document = self.services.workspace.active
        curve = self._curve
        if curve is None or document.result is None:
            return
        time = max(float(f"{time:.4g}"), rounded_up(curve.full))
        scenario = moved(document.scenario, document.result, curve, time)
        field = f"run.measured.{measured_key(scenario)}"
        self.services.workspace.edit(document, field, scenario, merge_key, N_("Step time"))

    def _target_moved(self, value: float) -> None:
        self.services.settings.target = round(value, 2)
        self.refresh(self.services.workspace.active)

    def toggle_target(self) -> None:
        """Show or hide the target line."""
        self.services.settings.target = None if self.target is not None else 0.5
        self.refresh(self.services.workspace.active)

    def _open_menu(self) -> None:
        tr = self.services.language.tr
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(tr("Copy picture"), self.copy_picture)
        menu.addAction(tr("Copy as table"), self.copy_table)
        menu.addSeparator()
        target = menu.addAction(tr("Target line"), self.toggle_target)
        target.setCheckable(True)
        target.setChecked(self.target is not None)
        dots = menu.addAction(tr("Published runs"), self.toggle_published)
        dots.setCheckable(True)
        dots.setChecked(self.services.settings.stored.published)
        menu.popup(self._more.mapToGlobal(self._more.rect().bottomLeft()))

    def copy_picture(self) -> None:
        """Put the picture on the clipboard, as PNG and as SVG."""
        data = QMimeData()
        data.setImageData(self.png())
        data.setData("image/svg+xml", QByteArray(self.svg()))
        QGuiApplication.clipboard().setMimeData(data)
        self.services.announcer.say(self.services.language.tr("Copied the picture"))

    def copy_table(self) -> None:
        """Put the curve on the clipboard as a table."""
        if self._curve is None or self._span is None:
            return
        from mfu_gui.ui.copying import copy_rows

        tr, exact = self.services.language.tr, self.services.language.numbers.exact
        heads = [self._axis_title(self._curve), "MFU", tr("lowest sound"), tr("highest sound"), "HFU"]
        copy_rows([heads, *([exact(cell) for cell in row] for row in table(self._curve, self._span))])
        self.services.announcer.say(tr("Copied the table"))

    def _drawn(self) -> PlotView:
        """The view, built if it was not yet, and with what is so now."""
        self.complete()
        if self._stale:
            self._stale = False
            self.refresh(self.services.workspace.active)
        if self.view is None:
            raise RuntimeError("the plot was not built")
        return self.view

    def png(self) -> Any:
        """The picture as QImage, two pixels a point."""
        from PySide6.QtGui import QImage

        view = self._drawn()
        image = QImage(view.size() * 2, QImage.Format.Format_ARGB32)
        image.setDevicePixelRatio(2)
        image.fill(self.services.theme.color("surface"))
        painter = QPainter(image)
        view.render(painter, QRectF(view.rect()), view.rect())
        painter.end()
        return image

    def svg(self) -> bytes:
        """The picture as an SVG document."""
        from PySide6.QtSvg import QSvgGenerator

        view = self._drawn()
        buffer = QBuffer()
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        generator = QSvgGenerator()
        generator.setOutputDevice(buffer)
        generator.setSize(view.size())
        generator.setViewBox(view.rect())
        generator.setTitle(self.title.text())
        painter = QPainter(generator)
        view.render(painter, QRectF(view.rect()), view.rect())
        painter.end()
        return bytes(buffer.data().data())

    def _changed(self, document: Document, aspects: frozenset[str], result: Result | None) -> None:
        active = self.services.workspace.active
        if ACTIVE in aspects and document is active:
            self._span = None
        if self.isHidden():  # drawn when it is shown again
            self._stale = True
            return
        if document is active or DOCUMENTS in aspects or INVALID not in aspects:
            self.refresh(active)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._stale and not self.services.workspace.is_empty:
            self._stale = False
            self.refresh(self.services.workspace.active)

    def _retranslate(self) -> None:
        tr = self.services.language.tr
        self.set_title(tr("MFU against step time"))
        self._segments.set_tip("curve", tr("Show the curve"))
        self._segments.set_tip("table", tr("Show as a table"))
        self._more.setAccessibleName(tr("More"))
        self._more.setToolTip(tr("Copy, target line"))
        if not self.services.workspace.is_empty:
            self.refresh(self.services.workspace.active)

    def _restyle(self) -> None:
        self._more.setIcon(icons.icon("more", self.services.theme.color("muted")))


def moved(scenario: Scenario, result: Result, curve: Curve, time: float) -> Scenario:
    """``scenario`` at another time, said in the quantity that it knows (step time if none)."""
    key = measured_key(scenario)
    utilization = curve.at(time)
    devices = scenario.run.devices
    rate = utilization * result.peak_tflops_per_device * 1e12 / result.flops.per_token
    values: dict[str, float | None] = {
        "step_time_s": time if curve.quantity == "step_time_s" else None,
        "tokens_per_s": None if devices is None else rate * devices,
        "tokens_per_s_per_device": rate,
        "tflops_per_device": utilization * result.peak_tflops_per_device,
        "mfu": min(utilization, 1.0),
    }
    if not key or values[key] is None:
        key = "step_time_s" if values["step_time_s"] is not None else "tokens_per_s_per_device"
    value = values[key]
    if value is None:
        raise InputError("required", "run.measured")
    return with_measured(scenario, key, value if key == "step_time_s" else float(f"{value:.5g}"))
