"""TreeTable: a table whose rows can be opened.  What is inside a row is built when it is opened."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QBrush, QGuiApplication, QKeyEvent, QPixmap, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QMenu, QWidget

from mfu_gui.ui import fonts
from mfu_gui.ui.services import Services
from mfu_gui.ui.tabs.text_table import SWATCH, Index, TextTable

INDENT = 14
_PADDING = 18
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_FLAGS = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable


class Branch(NamedTuple):
    """One row: its key (the same for the same thing in the next result), texts, the values behind them,
    ``tip(column)``, and ``children()``, None for a row that cannot be opened."""

    key: str
    texts: tuple[str, ...]
    values: tuple[Any, ...]
    tip: Callable[[int], str]
    children: Callable[[], tuple[Branch, ...]] | None = None
    swatch: QPixmap | None = None
    muted: bool = False
    bold: bool = False


class TreeTable(TextTable):
    """Rows of branches.  ``looked_at(formula)`` is emitted when another cell becomes the current one."""

    looked_at = Signal(str)
    row_chosen = Signal(str)

    def __init__(self, services: Services, optional: tuple[int, ...] = (), parent: QWidget | None = None) -> None:
        """``optional``: columns that may be missing in a narrow window."""
        super().__init__(services, optional, parent)
        self.heads: tuple[str, ...] = ()
        self.branches: tuple[Branch, ...] = ()
        self._by_key: dict[str, Branch] = {}
        self._items: dict[str, list[QStandardItem]] = {}
        self._open: set[str] = set()
        self._filling = False
        self._widest: list[int] = []
        self._model = QStandardItemModel(self)
        self.setModel(self._model)
        self.setIndentation(INDENT)
        self.setExpandsOnDoubleClick(True)
        self.expanded.connect(self._expanded)
        self.collapsed.connect(self._collapsed)
        self.selectionModel().currentChanged.connect(self._current_changed)

    # Content

    def set_heads(self, heads: tuple[str, ...], tips: tuple[str, ...] = ()) -> None:
        """The words above the columns."""
        self.heads = heads
        self._model.setColumnCount(len(heads))
        for column, text in enumerate(heads):
            item = QStandardItem(text)
            item.setTextAlignment(_RIGHT if column else _LEFT)
            item.setToolTip(tips[column] if column < len(tips) else "")
            self._model.setHorizontalHeaderItem(column, item)

    def show_branches(self, branches: tuple[Branch, ...]) -> None:
        """Show other rows; what is open, selected and scrolled to stays where the rows are the same."""
        same = [branch.key for branch in branches] == [branch.key for branch in self.branches]
        self.branches = branches
        self._filling = True
        try:
            if not (same and self._refill(branches)):
                self._rebuild(branches)
        finally:
            self._filling = False
        self.fit_columns()
        self._tell()

    def _refill(self, branches: Sequence[Branch]) -> bool:
        """Write what is different into the rows there are; False where rows inside are others."""
        for branch in branches:
            items, old = self._items[branch.key], self._by_key[branch.key]
            self._by_key[branch.key] = branch
            if old.texts != branch.texts:
                for item, text, before in zip(items, branch.texts, old.texts, strict=True):
                    if text != before:
                        item.setText(text)
            if old.swatch is not branch.swatch or old[6:] != branch[6:]:
                self._dress(items, branch)
            if (old.children is None) is not (branch.children is None):
                return False
            if branch.children is not None and branch.key in self._open:
                inside = branch.children()
                keys = [items[0].child(row).data() for row in range(items[0].rowCount())]
                if keys != [child.key for child in inside] or not self._refill(inside):
                    return False
        return True

    def _rebuild(self, branches: Sequence[Branch]) -> None:
        current = self.current_key
        if not self._merge(branches):
            self._model.setRowCount(0)
            self._items.clear()
            self._by_key.clear()
            for branch in branches:
                self._model.appendRow(self._row(branch))
        for branch in branches:
            self._reopen(branch)
        if current in self._items:
            self.setCurrentIndex(self._items[current][0].index())

    def _merge(self, branches: Sequence[Branch]) -> bool:
        """Keep the rows whose keys are still there: another model has most of the same, and making a row takes longer
        than all else about it.  False where rows were opened, or come in another order."""
        if len(self._items) != self._model.rowCount() or any(branch.key in self._open for branch in branches):
            return False
        wanted = {branch.key for branch in branches}
        before = [self._model.item(row).data() for row in range(self._model.rowCount())]
        if [key for key in before if key in wanted] != [branch.key for branch in branches if branch.key in self._items]:
            return False
        for row in reversed(range(len(before))):
            if before[row] not in wanted:
                self._model.removeRow(row)
                del self._items[before[row]], self._by_key[before[row]]
        for row, branch in enumerate(branches):
            if branch.key not in self._items:
                self._model.insertRow(row, self._row(branch))
        self._items = {branch.key: self._items[branch.key] for branch in branches}  # in the order of the rows
        return self._refill(branches)

    def _reopen(self, branch: Branch) -> None:
        if branch.children is not None and branch.key in self._open:
            self._fill(branch)
            self.setExpanded(self._items[branch.key][0].index(), True)

    def _row(self, branch: Branch) -> list[QStandardItem]:
        items = []
        for column, text in enumerate(branch.texts):
            item = QStandardItem(text)
            item.setFlags(_FLAGS)
            item.setTextAlignment(_RIGHT if column else _LEFT)
            items.append(item)
        items[0].setData(branch.key)
        self._items[branch.key] = items
        self._by_key[branch.key] = branch
        if branch.muted or branch.bold or branch.swatch is not None:  # what is new is plain already
            self._dress(items, branch)
        if branch.children is not None:
            items[0].appendRow(QStandardItem())  # shows that there is something inside
        return items

    def _dress(self, items: list[QStandardItem], branch: Branch) -> None:
        brush = QBrush(self.services.theme.color("muted")) if branch.muted else None
        for item in items:
            item.setData(brush, Qt.ItemDataRole.ForegroundRole)
            item.setData(fonts.bold() if branch.bold else None, Qt.ItemDataRole.FontRole)
        items[0].setData(branch.swatch, Qt.ItemDataRole.DecorationRole)

    def _fill(self, branch: Branch) -> None:
        """Build what is inside a row."""
        first = self._items[branch.key][0]
        first.removeRows(0, first.rowCount())
        inside = () if branch.children is None else branch.children()
        for child in inside:
            first.appendRow(self._row(child))
        for child in inside:
            self._reopen(child)

    def _expanded(self, index: Index) -> None:
        key = index.sibling(index.row(), 0).data(Qt.ItemDataRole.UserRole + 1)
        if self._filling or key not in self._by_key:
            return
        self._open.add(key)
        self._filling = True
        self._fill(self._by_key[key])
        self._filling = False
        self.fit_columns()

    def _collapsed(self, index: Index) -> None:
        if not self._filling:
            self._open.discard(index.sibling(index.row(), 0).data(Qt.ItemDataRole.UserRole + 1))

    def restyle(self) -> None:
        """Take the colours in force."""
        for key, items in self._items.items():
            self._dress(items, self._by_key[key])

    # Columns

    def _widths(self) -> list[int]:
        """What each column needs, measured here: asking the view for it lays out every cell."""
        advance = self._advance
        widths = [advance(False, head) for head in self.heads]

        def measure(branches: Sequence[Branch], depth: int) -> None:
            for branch in branches:
                for column, text in enumerate(branch.texts):
                    width = advance(branch.bold, text) + (0 if column else depth * INDENT + SWATCH + 6)
                    if width > widths[column]:
                        widths[column] = width
                if branch.key in self._open and branch.children is not None:
                    first = self._items[branch.key][0]
                    keys = [first.child(row).data() for row in range(first.rowCount())]
                    measure([self._by_key[key] for key in keys if key in self._by_key], depth + 1)

        measure(self.branches, 1)
        return [width + _PADDING for width in widths]

    # Looking and copying

    @property
    def current_key(self) -> str:
        """Key of the current row, empty without one."""
        index = self.currentIndex()
        return "" if not index.isValid() else str(index.sibling(index.row(), 0).data(Qt.ItemDataRole.UserRole + 1))

    def choose(self, key: str) -> None:
        """Make the row with this key the current one."""
        if key in self._items and key != self.current_key:
            self.setCurrentIndex(self._items[key][-1].index())

    def branch_at(self, index: Index) -> Branch | None:
        """The branch of a cell."""
        if not index.isValid():
            return None
        return self._by_key.get(index.sibling(index.row(), 0).data(Qt.ItemDataRole.UserRole + 1))

    def _current_changed(self, now: Index, before: Index) -> None:
        if not self._filling:
            self._tell()
            self.row_chosen.emit(self.current_key)

    def _tell(self) -> None:
        index = self.currentIndex()
        branch = self.branch_at(index)
        self.looked_at.emit("" if branch is None else branch.tip(max(index.column(), 0)))

    def tip_at(self, index: Index) -> str:
        """The formula of a cell."""
        branch = self.branch_at(index)
        return "" if branch is None else branch.tip(index.column())

    def _shown(self, branches: Sequence[Branch], depth: int = 0) -> list[tuple[int, Branch]]:
        found: list[tuple[int, Branch]] = []
        for branch in branches:
            found.append((depth, branch))
            if branch.children is not None and branch.key in self._open:
                found += self._shown(branch.children(), depth + 1)
        return found

    def rows_for_copying(self) -> list[list[str]]:
        """Heads and all open rows with all digits; what is inside a row is set in by two spaces."""
        return [list(self.heads), *(self._inset(branch, depth) for depth, branch in self._shown(self.branches))]

    def _inset(self, branch: Branch, depth: int) -> list[str]:
        cells = self._exact(branch.values)
        return ["  " * depth + cells[0], *cells[1:]]

    def copy_selected(self) -> None:
        """The current row; without one, the whole table."""
        branch = self.branch_at(self.currentIndex())
        if branch is None:
            self.copy_table()
        else:
            self.copy_cells([self._exact(branch.values)])

    def copy_formula(self) -> None:
        """The formula of the current cell."""
        index = self.currentIndex()
        branch = self.branch_at(index)
        if branch is not None:
            QGuiApplication.clipboard().setText(branch.tip(index.column()))
            self.services.announcer.say(self.services.language.tr("Copied the formula"))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        index = self.currentIndex()
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()), 0)
        if step and index.isValid() and event.modifiers() & Qt.KeyboardModifier.AltModifier:
            # Alt and an arrow walk over the cells; arrows alone open and close rows.
            columns = [c for c in range(len(self.heads)) if not self.isColumnHidden(c)]
            place = columns.index(index.column()) if index.column() in columns else 0
            self.setCurrentIndex(index.sibling(index.row(), columns[min(max(place + step, 0), len(columns) - 1)]))
            return
        super().keyPressEvent(event)

    def _fill_menu(self, menu: QMenu) -> None:
        menu.addAction(self.services.language.tr("Copy formula"), self.copy_formula)
        super()._fill_menu(menu)
