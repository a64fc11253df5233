"""MfuPlot: the card with MFU against step time or another input, as a picture and as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QMimeData, Qt
from PySide6.QtGui import QGuiApplication, QImage, QShowEvent
from PySide6.QtWidgets import QStackedWidget, QToolButton, QWidget

from mfu_gui.engine.fields import N_, measured_key
from mfu_gui.engine.scenario import Result
from mfu_gui.formats.curve import Curve, Range, curve_of, log_range_of, marks_of, range_of, rounded_up, table, zoomed
from mfu_gui.ui import icons
from mfu_gui.ui.charts.against_part import CAPTIONS, TIME_OF_TOKEN, AgainstPart
from mfu_gui.ui.charts.moving import moved
from mfu_gui.ui.charts.overlays import Overlays
from mfu_gui.ui.charts.plot_menu import open_menu
from mfu_gui.ui.charts.plot_pictures import png, svg
from mfu_gui.ui.charts.plot_table import PlotTable
from mfu_gui.ui.charts.plot_words import time_text, time_unit
from mfu_gui.ui.services import Services
from mfu_gui.ui.widgets.card import Card, plain_label
from mfu_gui.ui.widgets.choice_box import ChoiceBox
from mfu_gui.ui.widgets.segments import Segments
from mfu_gui.ui.workspace import ACTIVE, DOCUMENTS, DRAG, FILE_ONLY, INVALID, Document

if TYPE_CHECKING:
    from mfu_gui.ui.charts.plot_view import PlotView

HEADING_ROOM = 30
"""Of a heading that can be opened, beside its words."""


class MfuPlot(Card):
    """Draws the active document.  The picture exists only after ``complete`` was called."""

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(services.theme, parent)
        self.services = services
        self.view: PlotView | None = None
        self._curve: Curve | None = None
        self._span: Range | None = None
        self._zoom: Range | None = None
        """What the user zoomed to; as long as it is there the range does not follow the curve."""
        self.against = "time"
        self._other_axes = AgainstPart(services)
        self._drags = 0
        self._as_table = False
        self._stale = False
        self._overlays = Overlays(services, lambda curve: self._texts(curve)["point"])
        self._segments = Segments(services.theme, (("curve", "curve"), ("table", "table")))
        self._segments.set_value("curve")
        self._segments.chosen.connect(self.show_as)
        self._more = QToolButton()
        self._more.setProperty("role", "flat")
        self._more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._more.clicked.connect(lambda: open_menu(self, self._more))
        self.axis = ChoiceBox(services.theme, flat=True, heading=True)
        self.axis.setObjectName("plot.axis")
        self.axis.chosen.connect(self.show_against)
        self.title.hide()
        self.head.insertWidget(0, self.axis)
        self.head.addWidget(self._segments)
        self.head.addWidget(self._more)
        self._stack = QStackedWidget()
        self._empty = plain_label(tone="muted", wrap=True)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._stack.addWidget(self._empty)
        self._table: PlotTable | None = None
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
        self.view.zoomed.connect(self.zoom)
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.view.customContextMenuRequested.connect(lambda at: open_menu(self, self._more))
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
        self._show_page()
        self._fill_table()

    def _show_page(self) -> None:
        picture = self.view if self.against == "time" or self.view is None else self._other_axes.view
        if self._curve is None and self.against == "time":
            picture = None
        if picture is not None and self._stack.indexOf(picture) < 0:
            self._stack.addWidget(picture)
        self._stack.setCurrentWidget((self._table if self._as_table else picture) or self._empty)

    def show_against(self, key: str) -> None:
        """Show the MFU against the ``time``, or against the field ``key``."""
        self.against = key
        self._show_axis()
        self.setAccessibleName(self._caption())
        self._show_page()
        if not self.services.workspace.is_empty:
            self.refresh(self.services.workspace.active)

    def _show_axis(self) -> None:
        """A heading that can be opened: as wide as what it says."""
        self.axis.set_value(self.against)
        self.axis.setFixedWidth(self.axis.fontMetrics().horizontalAdvance(self._caption()) + HEADING_ROOM)

    def next_axis(self) -> None:
        """Show the MFU against the next quantity."""
        keys = list(CAPTIONS)
        self.show_against(keys[(keys.index(self.against) + 1) % len(keys)])

    def toggle_log(self) -> None:
        """Make the axes logarithmic, or linear again."""
        stored = self.services.settings.stored
        stored.log_axes = not stored.log_axes
        self._zoom = None
        self.refresh(self.services.workspace.active)

    def zoom(self, factor: float, about: float = 0.0) -> None:
        """Show ``factor`` of the range of time around ``about`` (0: the point); a factor of 0 shows everything."""
        curve, span = self._curve, self._span
        if curve is None or span is None or self.against != "time":
            return
        middle = about or curve.time or (span.start + span.end) / 2
        self._zoom = None if factor <= 0 else zoomed(self._zoom or span, middle, factor, curve)
        self.refresh(self.services.workspace.active)

    def _caption(self, key: str = "") -> str:
        """What the plot shows, or would show against ``key``."""
        key = key or self.against
        of_token = key == "time" and self._curve is not None and self._curve.quantity == "token_time_us"
        return self.services.language.tr(TIME_OF_TOKEN if of_token else CAPTIONS[key])

    def _show_axes(self) -> None:
        self.axis.set_choices([(key, self._caption(key)) for key in CAPTIONS])
        self._show_axis()
        self.setAccessibleName(self._caption())

    def _make_table(self) -> PlotTable:
        grid = PlotTable()
        grid.setAccessibleName(self._caption())
        self._stack.addWidget(grid)
        return grid

    @property
    def is_zoomed(self) -> bool:
        """Whether the range is one that the user chose."""
        return self._zoom is not None

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
        self._show_curve_or_words(curve)
        if self.against != "time":
            log = self.services.settings.stored.log_axes
            self._other_axes.refresh(document, self.against, self.target, log=log)
            self.note.setText(self._other_axes.legend(document, self.against))
            self._fill_table()
            return
        if curve is None:
            return
        if self._span is None or self.view is None or not self.view.dragging:
            log = self.services.settings.stored.log_axes
            self._span = self._zoom or (log_range_of(curve) if log else range_of(curve))
        self._describe(document, curve)
        self._show_legend(document, curve)
        if self.view is not None:
            self.view.show_curve(curve, self._span, self.target, self._marks(self._span), self._texts(curve))
            others = self._overlays.others(document, curve)
            self.view.show_others([(other.time, other.utilization, name, token) for other, name, token in others
                                   if other.time is not None and other.utilization is not None])
            self.view.show_overlay([(other.full, token) for other, _, token in others], self._span)
            self.view.show_published(self._overlays.published(document, curve))
            self.view.set_dimmed(not document.settled)
        self._fill_table()

    def _show_curve_or_words(self, curve: Curve | None) -> None:
        """Take the curve; the heading says what its time is of, and without one a sentence stands in its place."""
        was, self._curve = self._curve, curve
        if (None if was is None else was.quantity) != (None if curve is None else curve.quantity):
            self._show_axes()
            self._show_page()

    def _texts(self, curve: Curve) -> dict[str, str]:
        tr, numbers = self.services.language.tr, self.services.language.numbers
        target = self.target
        point = ""
        if curve.time is not None and curve.utilization is not None:
            point = f"{time_text(curve, curve.time, numbers, 4)} · {numbers.percent(curve.utilization, 2)}"
        return {
            "full": tr("100%: {time}", time=time_text(curve, curve.full, numbers)),
            "target": "" if target is None else tr("target {mfu}: {time}", mfu=numbers.percent(target, 0),
                                                   time=time_text(curve, curve.full / target, numbers)),
            "point": point,
        }

    def _marks(self, span: Range) -> list[tuple[float, str]]:
        unit = "" if self._curve is None else time_unit(self._curve, self.services.language.numbers)
        return [(time, f"{time:.6g} {unit}") for time in marks_of(span)]

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
        name = self._caption()
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
            points, span = self._overlays.published(document, curve), self._span
            inside = sum(span.start <= time <= span.end for time, *_ in points)
            parts.append(tr("dots: {n} of {whole} published runs on this device", n=inside, whole=len(points)))
        self.note.setText(" · ".join(parts))

    def _fill_table(self) -> None:
        curve, span, grid = self._curve, self._span, self._table
        if grid is None or not self._as_table:
            return
        grid.setAccessibleName(self._caption())
        numbers = self.services.language.numbers
        if self.against != "time":
            heads = self._other_axes.heads(self.against)
            rows = self._other_axes.cells(self.services.workspace.active, self.against)
        elif curve is None or span is None:
            return
        else:
            heads = self._heads(curve)
            rows = [[numbers.short(time, 4), *(numbers.percent(value) for value in values)]
                    for time, *values in table(curve, span)]
        grid.show_rows(heads, rows)

    def _heads(self, curve: Curve) -> list[str]:
        tr = self.services.language.tr
        return [self._axis_title(curve), "MFU", tr("lowest sound"), tr("highest sound"), "HFU"]

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
        heads, rows = self._heads(self._curve), table(self._curve, self._span)
        if self.against != "time":
            heads = self._other_axes.heads(self.against)
            rows = self._other_axes.rows(self.services.workspace.active, self.against)
        copy_rows([heads, *([exact(cell) for cell in row] for row in rows)])
        self.services.announcer.say(tr("Copied the table"))

    def _drawn(self) -> QWidget:
        """The view, built if it was not yet, and with what is so now."""
        self.complete()
        if self._stale:
            self._stale = False
            self.refresh(self.services.workspace.active)
        if self.view is None:
            raise RuntimeError("the plot was not built")
        return self.view if self.against == "time" else self._other_axes.view

    def png(self) -> QImage:
        """The picture, two pixels a point."""
        return png(self._drawn(), self.services.theme.color("surface"))

    def svg(self) -> bytes:
        """The picture as an SVG document."""
        return svg(self._drawn(), self._caption())

    def _changed(self, document: Document, aspects: frozenset[str], result: Result | None) -> None:
        active = self.services.workspace.active
        if aspects == FILE_ONLY:
            return
        if ACTIVE in aspects and document is active:
            self._span = self._zoom = None
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
        self._show_axes()
        self.axis.setAccessibleName(tr("What the MFU is plotted against"))
        self._empty.setText(tr("Nothing to plot: these inputs have no result yet."))
        self._segments.set_tip("curve", tr("Show the curve"))
        self._segments.set_tip("table", tr("Show as a table"))
        self._more.setAccessibleName(tr("More"))
        self._more.setToolTip(tr("Copy, target line"))
        if not self.services.workspace.is_empty:
            self.refresh(self.services.workspace.active)

    def _restyle(self) -> None:
        self._more.setIcon(icons.icon("more", self.services.theme.color("muted")))
