"""The Conventions tab: the same run counted by every convention, why two differ, and what it is divided by."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QStackedWidget, QVBoxLayout, QWidget

from mfu_gui.engine.compare import ConventionRow
from mfu_gui.engine.conventions import CONVENTIONS, find
from mfu_gui.texts.numbers import DASH
from mfu_gui.ui.headline import choose_convention
from mfu_gui.ui.services import Services
from mfu_gui.ui.tabs.denominators import DenominatorsView
from mfu_gui.ui.tabs.difference import DifferencePane
from mfu_gui.ui.tabs.filter_bar import FilterBar
from mfu_gui.ui.tabs.page import TabPage
from mfu_gui.ui.tabs.table_model import Cells, TableModel
from mfu_gui.ui.tabs.table_view import TableView
from mfu_gui.ui.widgets.segments import Segments
from mfu_gui.ui.workspace import DOCUMENTS as DOCUMENTS_CHANGED
from mfu_gui.ui.workspace import FILE, INVALID, Document

COUNTS, DIFFERENCE, DENOMINATORS = "counts", "difference", "denominators"
NARROW = 780
_TABLE, _PANE = 0.58, 420
"""The share of the table, and the width it leaves to the difference where its names need more."""
"""Below this width the table and the reasons of a difference do not fit beside each other."""
_NAME_WIDTH = 170


class ConventionsPage(TabPage):
    """One row a convention; a double click or Enter counts by it, selected rows are compared."""

    NOT_SHOWN = frozenset({DOCUMENTS_CHANGED, FILE, INVALID})

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(services, parent)
        self._words: dict[str, str] = {}
        self._titles: dict[str, str] = {}
        self._shown, self._narrow = COUNTS, False
        self.model = TableModel(text_columns=3, parent=self)
        self.view = TableView(services, self.model, optional=(4, 1, 2), sortable=True, several=True, least=_NAME_WIDTH)
        self.view.setObjectName("conventions")
        self.view.activated.connect(lambda index: self._choose(index.row()))
        self.view.picked.connect(self._picked)
        self.pane = DifferencePane(services)
        self.denominators = DenominatorsView(services)
        self.filter = FilterBar(services, ("status",))
        self.filter.changed.connect(self._filter)
        self.segments = Segments(services.theme, ((COUNTS, ""), (DIFFERENCE, ""), (DENOMINATORS, "")))
        self.segments.setObjectName("conventions.views")
        self.segments.chosen.connect(self.show_as)
        self.filter.row.insertWidget(0, self.segments)
        self.split = QSplitter(Qt.Orientation.Horizontal)
        self.split.addWidget(self.view)
        self.split.addWidget(self.pane)
        self.split.setStretchFactor(0, 5)
        self.split.setStretchFactor(1, 4)
        self.split.setSizes([520, 380])
        self.split.setChildrenCollapsible(False)
        self.split.setHandleWidth(1)
        self.split.splitterMoved.connect(self._keep_shares)
        self._own_shares = False
        self.view.setMinimumWidth(300)
        self.pane.setMinimumWidth(260)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.split)
        self._stack.addWidget(self.denominators)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.filter)
        layout.addWidget(self._stack, 1)
        services.language.changed.connect(self._retranslate)
        services.theme.changed.connect(self._redraw)
        self._retranslate()
        self._arrange()

    def show_as(self, form: str) -> None:
        """Show ``counts``, ``denominators`` or, where it has no room beside the counts, ``difference``."""
        self._shown = form
        self._arrange()
        self._redraw()

    def _arrange(self) -> None:
        shown = COUNTS if self._shown == DIFFERENCE and not self._narrow else self._shown
        self.segments.set_shown(DIFFERENCE, self._narrow)
        self.segments.set_value(shown)
        self._stack.setCurrentIndex(int(shown == DENOMINATORS))
        self.view.setVisible(shown != DIFFERENCE)
        self.pane.setVisible(not self._narrow or shown == DIFFERENCE)
        for widget in (self.filter.search, *self.filter.boxes.values(), self.filter.note):
            widget.setVisible(shown == COUNTS)
        self.filter.row.setAlignment(self.segments, Qt.AlignmentFlag.AlignLeft)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if (self.width() < NARROW) is not self._narrow:
            self._narrow = self.width() < NARROW
            self._arrange()
        self._share_width()

    def _keep_shares(self) -> None:
        self._own_shares = True

    def _share_width(self) -> None:
        """Give the table what its names need as far as there is room, unless the user shared it out."""
        if not self._narrow and not self._own_shares:
            table = max(round(_TABLE * self.width()), min(self.view.needed_width(), self.width() - _PANE))
            self.split.setSizes([table, self.width() - table])

    def refresh(self, document: Document) -> None:
        """Show ``document``: what is looked at, and no more.  Without a result the last one stays."""
        self._stack.setEnabled(document.problem is None)
        if document.problem is not None or document.result is None:
            return
        if self._stack.currentIndex():
            self.denominators.refresh(document)
            return
        rows = document.rows()
        chosen = next((row for row in rows if row.id == document.scenario.convention.id), None)
        first = not self.view.all_rows
        self.view.show_rows([self._cells(row, chosen) for row in rows])
        if first:
            self._share_width()
        self._show_count()
        if self.pane.isVisibleTo(self):
            self.pane.show_pair(document.scenario, rows, self.view.selected_keys)

    def _cells(self, row: ConventionRow, chosen: ConventionRow | None) -> Cells:
        tr, numbers = self.services.language.tr, self.services.language.numbers
        title = self._titles.get(row.id) or tr(find(row.id).title)
        giga = difference = None
        if row.flops_per_token is not None:
            giga = row.flops_per_token / 1e9
            if chosen is not None and chosen.flops_per_token and row is not chosen:
                difference = row.flops_per_token / chosen.flops_per_token - 1
        status = self._words[_status(row)]
        shown_difference = DASH if difference is None else _signed(numbers.percent(difference))
        texts = (title, row.id, status, numbers.short(giga, 4), numbers.short(row.tflops_per_device, 4),
                 numbers.percent(row.utilization, 2), shown_difference)
        values = (title, row.id, status, giga, row.tflops_per_device, row.utilization, difference)
        return Cells(row.id, texts, values, lambda: self._tip(row), muted=row.status != "sound", bold=row is chosen)

    def _tip(self, row: ConventionRow) -> str:
        tr, convention = self.services.language.tr, find(row.id)
        lines = (tr(convention.title), tr(convention.summary), tr(row.reason) if row.reason else "",
                 tr("Source: {source}", source=convention.source),
                 tr("valid from {date}", date=convention.valid_from) if convention.valid_from else "")
        return "\n".join(line for line in lines if line)

    def _choose(self, number: int) -> None:
        row = self.model.rows[number]
        choose_convention(self.services.workspace, row.key)

    def _picked(self) -> None:
        document = self.services.workspace.active
        if self.pane.isVisibleTo(self):
            self.pane.show_pair(document.scenario, document.rows(), self.view.selected_keys)

    def _filter(self) -> None:
        wanted, bar = self._words.get(self.filter.choice("status"), ""), self.filter
        empty = bar.is_empty
        self.view.set_filter(None if empty else lambda row: (
            (not wanted or row.values[2] == wanted) and bar.matches(row.texts[0], row.texts[1], row.texts[2])))
        self._show_count()

    def _show_count(self) -> None:
        tr = self.services.language.tr
        shown, whole = len(self.model.rows), len(self.view.all_rows)
        text = (tr("{n} conventions", n=whole) if shown == whole
                else tr("{n} of {whole} conventions", n=shown, whole=whole))
        if text != self.filter.note.text():
            self.filter.note.setText(text)

    def _retranslate(self) -> None:
        tr = self.services.language.tr
        self._titles = {convention.id: tr(convention.title) for convention in CONVENTIONS}
        self._words = {"sound": tr("fits"), "quirk": tr("fits in part"), "undefined": tr("does not fit"),
                       "hardware": tr("counts hardware")}
        self.model.set_heads(
            (tr("Convention"), tr("Id"), tr("Model"), tr("GFLOP/token"), "TFLOP/s", tr("Utilization"),
             tr("Difference")),
            (tr("Double-click to count by it"), "", tr("Whether its rules fit this model"), tr("FLOPs per token"),
             tr("per device"), "", tr("FLOPs against the chosen convention")))
        self.view.setAccessibleName(tr("Conventions"))
        self.filter.set_search(tr("Filter by name"))
        self.filter.set_choices("status", tr("Whether its rules fit this model"),
                                [("", tr("all")), *self._words.items()])
        for key, text in ((COUNTS, tr("Counts")), (DIFFERENCE, tr("Difference")), (DENOMINATORS, tr("Denominators"))):
            self.segments.set_text(key, text)
        self.pane.retranslate()
        self.denominators.retranslate()
        self._redraw()
        self._filter()
        self._share_width()
        self.view.fit_columns()
        self.denominators.view.fit_columns()


def _status(row: ConventionRow) -> str:
    """The word under which a row is filtered."""
    return row.kind if row.kind == "hardware" and row.status != "undefined" else row.status


def _signed(text: str) -> str:
    return text if text.startswith(("-", "<", ">")) else f"+{text}"
