"""TableView: the view that all tables of the tabs use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QItemSelection, QItemSelectionModel, Qt, Signal
from PySide6.QtGui import QMouseEvent, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QWidget

from mfu_gui.ui import fonts
from mfu_gui.ui.services import Services
from mfu_gui.ui.tabs.lazy_model import LazyModel
from mfu_gui.ui.tabs.table_model import Line, TableModel
from mfu_gui.ui.tabs.text_table import SWATCH, Index, TextTable

_PADDING = 16


class TableView(TextTable):
    """Rows that can be read by eye and by a screen reader, copied as a table, filtered and sorted.

    Rows are told apart by their keys: sorting, filtering and new numbers leave selected what was selected.
    """

    picked = Signal()
    """Other rows are selected."""
    pressed_link = Signal(str)
    """Key of the row whose link was pressed."""

    def __init__(self, services: Services, model: TableModel | LazyModel, optional: tuple[int, ...] = (),
                 parent: QWidget | None = None, *, sortable: bool = False, several: bool = False,
                 least: int = 0) -> None:
        """``optional``: columns that may be missing in a narrow window; ``several`` rows can be selected;
        ``least``: width to which the first column may shrink before the table is scrolled sideways."""
        super().__init__(services, optional, parent, least=least)
        self.table = model
        self.all_rows: Sequence[Line] = ()
        """All rows in their own order, those that the filter leaves out included."""
        self._keep: Callable[[Line], bool] | None = None
        self._order: tuple[int, Qt.SortOrder] | None = None
        self._selected: list[str] = []
        self._moving = False
        self._faded = False
        self._measured = (-1, 0)
        self.setModel(model)
        self.setRootIsDecorated(False)
        self.setItemsExpandable(False)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        if several:
            self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        if sortable:
            self.header().setSectionsClickable(True)
            self.header().sectionClicked.connect(self._sort_by)
        self.selectionModel().selectionChanged.connect(self._selection_changed)
        services.theme.changed.connect(self._colors_changed)
        self.restyle()

    def _colors_changed(self) -> None:
        """A table that is not looked at takes other colours when it is: there are a dozen, of hundreds of cells."""
        self._faded = not self.isVisible()
        if not self._faded:
            self.restyle()

    def showEvent(self, event: QShowEvent) -> None:
        if self._faded:
            self._faded = False
            self.restyle()
        super().showEvent(event)

    def restyle(self) -> None:
        """Take the colours in force."""
        color = self.services.theme.color
        self.table.set_look(color("muted"), fonts.bold(), color("accent"))

    def show_rows(self, rows: Sequence[Line]) -> None:
        """Show other rows, with columns that fit them."""
        self.all_rows = rows
        self._arrange()
        self.fit_columns()

    def height_of_rows(self) -> int:
        """What the head and all rows take, in pixels."""
        rows = len(self.table.rows)
        if self._measured[0] != rows:
            row = max(self.sizeHintForRow(0), 1)  # slow: it lays out every cell of the row
            self._measured = rows, self.header().sizeHint().height() + rows * row + 2
        return self._measured[1]

    def set_filter(self, keep: Callable[[Line], bool] | None) -> None:
        """Show only the rows that are to be kept."""
        self._keep = keep
        self._arrange()

    def sort_by(self, column: int | None, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; None is the rows' own order.  What has no value comes last."""
        self._order = None if column is None else (column, order)
        self.header().setSortIndicatorShown(column is not None)
        if column is not None:
            self.header().setSortIndicator(column, order)
        self._arrange()

    def _sort_by(self, column: int) -> None:
        """A press on the head: numbers from the largest, words from A, then the other way, then as it was."""
        words = column < self.table.text_columns
        first, second = Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder
        if not words:
            first, second = second, first
        if self._order == (column, second):
            self.sort_by(None)
        else:
            self.sort_by(column, second if self._order == (column, first) else first)

    def _arrange(self) -> None:
        rows = self.all_rows if self._keep is None else [row for row in self.all_rows if self._keep(row)]
        if self._order is not None:
            rows = _sorted(rows, *self._order)
        moved = [row.key for row in rows] != [row.key for row in self.table.rows]
        self._moving = True
        self.table.show_rows(rows)
        if moved:
            self._select_again()
        self._moving = False
        if moved:
            self._tell_selection()

    def _select_again(self) -> None:
        """Select the rows with the keys that were selected, wherever they are now."""
        places = {row.key: number for number, row in enumerate(self.table.rows)}
        wanted = QItemSelection()
        for key in self._selected:
            if key in places:
                index = self.table.index(places[key], 0)
                wanted.select(index, index)
        flags = QItemSelectionModel.SelectionFlag
        if self._selected and self._selected[-1] in places:
            current = self.table.index(places[self._selected[-1]], 0)
            self.selectionModel().setCurrentIndex(current, flags.NoUpdate)
        self.selectionModel().select(wanted, flags.ClearAndSelect | flags.Rows)

    @property
    def selected_keys(self) -> tuple[str, ...]:
        """Keys of the selected rows, the one selected last at the end."""
        return tuple(self._selected)

    def select_keys(self, keys: Sequence[str]) -> None:
        """Select these rows and no others."""
        self._selected = list(keys)
        self._moving = True
        self._select_again()
        self._moving = False
        if keys:
            self.scrollTo(self.currentIndex())
        self._tell_selection(always=True)

    def _selection_changed(self) -> None:
        if not self._moving:
            self._tell_selection()

    def _tell_selection(self, *, always: bool = False) -> None:
        now = [self.table.rows[index.row()].key for index in self.selectionModel().selectedRows()
               if index.row() < len(self.table.rows)]
        before = self._selected
        self._selected = [key for key in before if key in now] + [key for key in now if key not in before]
        if always or self._selected != before:
            self.picked.emit()

    def _widths(self) -> list[int]:
        """What each column needs, measured here: asking the view for it lays out every cell."""
        widths = [self._metrics[False].horizontalAdvance(head) for head in self.table.heads]
        rows = self.all_rows or self.table.rows
        for column in range(len(widths) if rows else 0):
            wide = 0 if column < self.table.text_columns else max(len(row.texts[column]) for row in rows) - 1
            for row in rows:
                text = row.texts[column]
                if len(text) < wide:  # a number with fewer digits is not wider
                    continue
                width = self._advance(row.bold, text) + (SWATCH + 6 if column == 0 and row.swatch is not None else 0)
                if width > widths[column]:
                    widths[column] = width
        return [width + _PADDING for width in widths]

    def tip_at(self, index: Index) -> str:
        """What to tell about a row."""
        tip = self.table.rows[index.row()].tip if index.isValid() else None
        return "" if tip is None else tip()

    def rows_for_copying(self) -> list[list[str]]:
        """Heads and rows with all digits."""
        return [list(self.table.heads), *(self._exact(row.values) for row in self.table.rows)]

    def copy_selected(self) -> None:
        """The selected rows; without one, the whole table."""
        chosen = set(self._selected)
        rows = [self._exact(row.values) for row in self.table.rows if row.key in chosen]
        if rows:
            self.copy_cells(rows)
        else:
            self.copy_table()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        index = self.indexAt(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and index.isValid():
            row = self.table.rows[index.row()]
            if row.link == index.column():
                self.pressed_link.emit(row.key)


def _sorted(rows: Sequence[Line], column: int, order: Qt.SortOrder) -> list[Line]:
    """Rows in the order of a column; equal ones as they were, those without a value last."""
    def value(row: Line) -> Any:
        found = row.values[column]
        return found.casefold() if isinstance(found, str) else found

    known = [row for row in rows if row.values[column] not in (None, "")]
    rest = [row for row in rows if row.values[column] in (None, "")]
    return sorted(known, key=value, reverse=order == Qt.SortOrder.DescendingOrder) + rest
