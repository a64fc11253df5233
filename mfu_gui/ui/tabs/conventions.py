"""The Conventions tab: the same run counted by every convention."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from mfu_gui.engine.compare import ConventionRow
from mfu_gui.engine.conventions import find
from mfu_gui.engine.scenario import Result
from mfu_gui.texts.numbers import DASH
from mfu_gui.ui.headline import choose_convention
from mfu_gui.ui.services import Services
from mfu_gui.ui.tabs.table_model import Cells, TableModel
from mfu_gui.ui.tabs.table_view import TableView
from mfu_gui.ui.workspace import Document


class ConventionsPage(QWidget):
    """One row a convention; a double click or Enter counts by it."""

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.services = services
        self._active = False
        self._words: dict[str, str] = {}
        self.model = TableModel(text_columns=3, parent=self)
        self.view = TableView(services, self.model, optional=(4, 1))
        self.view.setObjectName("conventions")
        self.view.activated.connect(lambda index: self._choose(index.row()))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 4, 0, 0)
        layout.addWidget(self.view)
        services.workspace.changed.connect(self._changed)
        services.language.changed.connect(self._retranslate)
        services.theme.changed.connect(self._redraw)
        self._retranslate()

    def set_active(self, active: bool) -> None:
        """Draw only while looked at."""
        self._active = active
        self._redraw()

    def refresh(self, document: Document) -> None:
        """Show all conventions for ``document``."""
        rows = document.rows()
        chosen = next((row for row in rows if row.id == document.scenario.convention.id), None)
        self.view.show_rows([self._cells(row, chosen) for row in rows])

    def _cells(self, row: ConventionRow, chosen: ConventionRow | None) -> Cells:
        tr, numbers = self.services.language.tr, self.services.language.numbers
        title = tr(find(row.id).title)
        giga = difference = None
        if row.flops_per_token is not None:
            giga = row.flops_per_token / 1e9
            if chosen is not None and chosen.flops_per_token and row is not chosen:
                difference = row.flops_per_token / chosen.flops_per_token - 1
        status = self._words[row.kind if row.kind == "hardware" else row.status]
        shown_difference = DASH if difference is None else _signed(numbers.percent(difference))
        texts = (title, row.id, status, numbers.short(giga, 4), numbers.short(row.tflops_per_device, 4),
                 numbers.percent(row.utilization, 2), shown_difference)
        values = (title, row.id, status, giga, row.tflops_per_device, row.utilization, difference)
        return Cells(row.id, texts, values, lambda: self._tip(row), muted=row.status != "sound", bold=row is chosen)

    def _tip(self, row: ConventionRow) -> str:
        tr, convention = self.services.language.tr, find(row.id)
        lines = (tr(convention.summary), tr(row.reason) if row.reason else "",
                 tr("Source: {source}", source=convention.source),
                 tr("valid from {date}", date=convention.valid_from) if convention.valid_from else "")
        return "\n".join(line for line in lines if line)

    def _choose(self, number: int) -> None:
        row = self.model.rows[number]
        choose_convention(self.services.workspace, row.key)

    def _changed(self, document: Document, aspects: frozenset[str], result: Result | None) -> None:
        if self._active and document is self.services.workspace.active:
            self.refresh(document)

    def _redraw(self) -> None:
        if self._active and not self.services.workspace.is_empty:
            self.refresh(self.services.workspace.active)

    def _retranslate(self) -> None:
        tr = self.services.language.tr
        self._words = {"sound": tr("fits"), "quirk": tr("fits in part"), "undefined": tr("does not fit"),
                       "hardware": tr("counts hardware")}
        self.model.set_heads(
            (tr("Convention"), tr("Id"), tr("Model"), tr("GFLOP/token"), "TFLOP/s", tr("Utilization"),
             tr("Difference")),
            (tr("Double-click to count by it"), "", tr("Whether its rules fit this model"), tr("FLOPs per token"),
             tr("per device"), "", tr("FLOPs against the chosen convention")))
        self.view.fit_columns()
        self.view.setAccessibleName(tr("Conventions"))
        self._redraw()


def _signed(text: str) -> str:
    return text if text.startswith(("-", "<", ">")) else f"+{text}"
