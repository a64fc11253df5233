"""The card of the days that a run takes on other numbers of devices and at another MFU."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from mfu_gui.planning.days_table import DaysTable
from mfu_gui.texts.numbers import DASH
from mfu_gui.ui.services import Services
from mfu_gui.ui.tabs.table_model import Cells, TableModel
from mfu_gui.ui.tabs.table_view import TableView
from mfu_gui.ui.widgets.card import Card


class DaysCard(Card):
    """A table as high as its rows; that of the plan itself is bold."""

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(services.theme, parent, under="surface")
        self._services = services
        self.model = TableModel(parent=self)
        self.view = TableView(services, self.model)
        self.view.setObjectName("plan.days_table")
        self.view.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.body.addWidget(self.view)
        self.hide()

    def show_table(self, table: DaysTable | None) -> None:
        """Show a table, or nothing at all."""
        self.setVisible(table is not None)
        if table is None:
            return
        tr, numbers = self._services.language.tr, self._services.language.numbers
        self.set_title(tr("Days by devices and MFU"))
        tokens = numbers.count(table.tokens)
        self.note.setText(tr("for {tokens} tokens", tokens=tokens) if table.given else
                          tr("for {tokens} tokens, 20 per parameter", tokens=tokens))
        self.view.setAccessibleName(tr("Days by devices and MFU"))
        row, column = table.present
        heads = [numbers.percent(mfu, 1 if number == column else 0) for number, mfu in enumerate(table.mfus)]
        self.model.set_heads((tr("Devices"), *(f"MFU {head}" for head in heads)))
        self.view.show_rows([
            Cells(str(count), (numbers.integer(count), *(DASH if d is None else numbers.short(d) for d in days)),
                  (count, *days), bold=number == row)
            for number, (count, days) in enumerate(zip(table.devices, table.days, strict=True))])
        height = self.view.height_of_rows()
        if height != self.view.height():
            self.view.setFixedHeight(height)
