"""DenominatorsView: every peak the run can be divided by, and what others divide by."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from mfu_gui.engine.fields import N_
from mfu_gui.ui.denominators import Row, remark, rows_of, tflops_text
from mfu_gui.ui.services import Services
from mfu_gui.ui.tabs.table_model import Cells, TableModel
from mfu_gui.ui.tabs.table_view import TableView
from mfu_gui.ui.widgets.card import plain_label
from mfu_gui.ui.workspace import Document

_USE = 4


class DenominatorsView(QWidget):
    """One row a peak; a press on "Use" or Enter divides by it."""

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.services = services
        self.rows: dict[str, Row] = {}
        self.remark = plain_label(wrap=True)
        self.remark.setObjectName("denominators.remark")
        self.model = TableModel(text_columns=2, parent=self)
        self.view = TableView(services, self.model, optional=(1,), least=200)
        self.view.setObjectName("denominators")
        self.view.pressed_link.connect(self.use)
        self.view.activated.connect(lambda index: self.use(self.model.rows[index.row()].key))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(self.remark)
        layout.addWidget(self.view, 1)

    def refresh(self, document: Document) -> None:
        """Show the peaks for ``document``."""
        result, tr = document.result, self.services.language.tr
        if result is None or document.problem is not None:
            return
        rows = rows_of(document.scenario, result, tr)
        self.rows = {row.key: row for row in rows}
        self.view.show_rows([self._cells(row) for row in rows])
        text = remark(document.scenario, result, tr)
        if text != self.remark.text() or self.remark.isHidden() is bool(text):
            self.remark.setText(text)
            self.remark.setVisible(bool(text))

    def use(self, key: str) -> None:
        """Divide by a peak, as one step of undo."""
        row = self.rows.get(key)
        workspace = self.services.workspace
        if row is None or row.use is None:
            return
        document = workspace.active
        workspace.edit(document, "hardware.peak_tflops", row.use(document.scenario), label=N_("Use another peak"))

    def _cells(self, row: Row) -> Cells:
        tr = self.services.language.tr
        if row.heading:
            return Cells(row.key, (row.name, "", "", "", ""), (row.name, "", "", "", ""), bold=True)
        use = tr("in use") if row.in_use else tr("Use") if row.use is not None else ""
        texts = (row.name, row.counted_by, tflops_text(row), row.shown, use)
        values = (row.name, row.counted_by, row.tflops, row.utilization, use)
        tip = row.tip or row.name
        return Cells(row.key, texts, values, lambda: tip, muted=row.doubtful, bold=row.in_use,
                     link=_USE if row.use is not None else None)

    def retranslate(self) -> None:
        """Write the texts that do not depend on the scenario."""
        tr = self.services.language.tr
        self.model.set_heads(
            (tr("Divided by"), tr("Counted by"), tr("Peak, TFLOP/s"), tr("Utilization"), ""),
            ("", tr("Frameworks count by their own convention; the other rows by the chosen one"), tr("per device"),
             "", tr("Press to divide by this peak")))
        self.view.setAccessibleName(tr("Denominators"))
