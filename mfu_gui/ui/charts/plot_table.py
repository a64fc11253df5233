"""PlotTable: the table view of a plot, all columns numbers."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHeaderView, QTableWidget, QTableWidgetItem

_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class PlotTable(QTableWidget):
    """Figures under headings, both at the right of their columns."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("plot.table")
        self.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        self.setFrameShape(self.Shape.NoFrame)
        self.verticalHeader().hide()
        self.setShowGrid(False)
        self.horizontalHeader().setDefaultAlignment(_RIGHT)
        self.horizontalHeader().setHighlightSections(False)

    def show_rows(self, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Show these rows of texts."""
        self.setColumnCount(len(heads))
        self.setHorizontalHeaderLabels(list(heads))
        self.setRowCount(len(rows))
        for number, cells in enumerate(rows):
            for column, text in enumerate(cells):
                item = QTableWidgetItem(text)
                item.setTextAlignment(_RIGHT)
                self.setItem(number, column, item)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
