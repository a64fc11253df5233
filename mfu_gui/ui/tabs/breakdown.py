"""The Breakdown tab: what the FLOPs and parameters consist of."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QStackedWidget, QVBoxLayout, QWidget

from mfu_gui.engine.scenario import Result
from mfu_gui.texts.numbers import DASH
from mfu_gui.ui.breakdown import Row, rows_of
from mfu_gui.ui.charts.bars import BarChart, Part, Shares, Treemap
from mfu_gui.ui.services import Services
from mfu_gui.ui.tabs.table_model import Cells, TableModel
from mfu_gui.ui.tabs.table_view import TableView
from mfu_gui.ui.widgets.segments import Segments
from mfu_gui.ui.workspace import Document

SIDE_WIDTH = 170


class BreakdownPage(QWidget):
    """Table of components, and their shares as areas or bars."""

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.services = services
        self._active = False
        self.model = TableModel(parent=self)
        self.view = TableView(services, self.model, optional=(1,))
        self.view.setObjectName("breakdown")
        self.corner = Segments(services.theme, (("table", "table"), ("areas", "area"), ("bars", "bars")))
        self.corner.chosen.connect(self.show_as)
        self._pictures: dict[str, Shares] = {"areas": Treemap(services), "bars": BarChart(services)}
        self._stack = QStackedWidget()
        for picture in self._pictures.values():
            picture.selected.connect(self._select)
            self._stack.addWidget(picture)
        side = QWidget()
        column = QVBoxLayout(side)
        column.setContentsMargins(12, 6, 0, 0)
        column.addWidget(self._stack, 1)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.addWidget(self.view)
        split.addWidget(side)
        split.setStretchFactor(0, 5)
        split.setStretchFactor(1, 2)
        split.setSizes([620, 240])
        split.setChildrenCollapsible(False)
        split.setHandleWidth(1)
        self._side = side
        self._form = "areas"
        self._narrow = False
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 4, 0, 0)
        layout.addWidget(split)
        self.view.selectionModel().currentRowChanged.connect(self._row_selected)
        services.workspace.changed.connect(self._changed)
        services.language.changed.connect(self._retranslate)
        services.theme.changed.connect(self._redraw)
        self.show_as("areas")
        self._retranslate()

    def set_active(self, active: bool) -> None:
        """Draw only while looked at."""
        self._active = active
        self._redraw()

    def show_as(self, form: str) -> None:
        """Show the shares as ``areas`` or ``bars`` beside the table; without room for both, ``table`` is a third."""
        self._form = form
        self._arrange()

    def _arrange(self) -> None:
        shown = self._form
        if not self._narrow and shown == "table":
            shown = "areas"
        self.corner.set_shown("table", self._narrow)
        self.corner.set_value(shown)
        if shown in self._pictures:
            self._stack.setCurrentWidget(self._pictures[shown])
        self._side.setVisible(not self._narrow or shown != "table")
        self.view.setVisible(not self._narrow or shown == "table")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        narrow = self.width() < self.view.needed_width() + SIDE_WIDTH
        if narrow != self._narrow:
            self._narrow = narrow
            if narrow:
                self._form = "table"
            self._arrange()

    def refresh(self, document: Document) -> None:
        """Show the breakdown of ``document``."""
        if document.result is None:
            self.model.show_rows(())
            return
        tr = self.services.language.tr
        rows = rows_of(document.scenario, document.result, tr)
        cells = [self._cells(row) for row in rows]
        cells.append(self._total(rows, document.result))
        self.view.show_rows(cells)
        percent = tr.numbers.percent
        parts = [Part(row.key, row.name, row.share, percent(row.share), row.formula)
                 for row in rows if row.share is not None]
        for picture in self._pictures.values():
            picture.show_parts(tr("Share of the FLOPs of a step"), parts)

    def _cells(self, row: Row) -> Cells:
        numbers = self.services.language.numbers
        figures = (row.layers, row.parameters or None, row.forward, row.backward, row.recompute, row.share)
        texts = (
            row.name, DASH if row.layers is None else str(row.layers), numbers.count(figures[1]),
            *(numbers.si(value) for value in figures[2:5]),
            DASH if row.share is None else numbers.percent(row.share),
        )
        swatch = None if row.share is None else self.services.theme.swatch(row.key)
        return Cells(row.key, texts, (row.name, *figures), row.formula, swatch, muted=row.share is None)

    def _total(self, rows: tuple[Row, ...], result: Result) -> Cells:
        tr, numbers = self.services.language.tr, self.services.language.numbers
        sums = [sum(getattr(row, key) or 0.0 for row in rows) for key in ("forward", "backward", "recompute")]
        texts = (tr("Total"), "", numbers.count(result.parameters.total), *(
            numbers.si(value) if value else DASH for value in sums), numbers.percent(1.0) if sums[0] else DASH)
        values = (tr("Total"), "", result.parameters.total, *sums, 1)
        tip = tr("{total} parameters, of which a token uses {active}", total=f"{result.parameters.total:,}",
                 active=f"{result.parameters.active:,}")
        return Cells("", texts, values, lambda: tip, bold=True)

    def _select(self, key: str) -> None:
        for number, row in enumerate(self.model.rows):
            if row.key == key:
                self.view.setCurrentIndex(self.model.index(number, 0))

    def _row_selected(self) -> None:
        index = self.view.currentIndex()
        key = self.model.rows[index.row()].key if index.isValid() else ""
        for picture in self._pictures.values():
            picture.select(key)

    def _changed(self, document: Document, aspects: frozenset[str], result: Result | None) -> None:
        if self._active and document is self.services.workspace.active:
            self.refresh(document)

    def _redraw(self) -> None:
        if self._active and not self.services.workspace.is_empty:
            self.refresh(self.services.workspace.active)

    def _retranslate(self) -> None:
        tr = self.services.language.tr
        per_token = tr("FLOPs per token; hover over a row for the formula")
        self.model.set_heads(
            (tr("Component"), tr("Layers"), tr("Parameters"), tr("Forward"), tr("Backward"), tr("Recompute"),
             tr("Share")),
            ("", tr("Layers that have it"), tr("Stored parameters"), per_token, per_token, per_token,
             tr("Share of forward and backward")))
        self.view.fit_columns()
        self.view.setAccessibleName(tr("Breakdown"))
        self.corner.set_tip("table", tr("Show as a table"))
        self.corner.set_tip("areas", tr("Show as areas"))
        self.corner.set_tip("bars", tr("Show as bars"))
        self._redraw()
