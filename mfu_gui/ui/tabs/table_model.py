"""TableModel: rows of texts with what a table needs beside them; for the tree views of the tabs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor, QFont

Index = QModelIndex | QPersistentModelIndex
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)


class Cells(NamedTuple):
    """One row: its key, the texts, the exact values for copying, a tooltip, and how it looks."""

    key: str
    texts: tuple[str, ...]
    exact: tuple[str, ...]
    tip: str = ""
    swatch: QColor | None = None
    muted: bool = False
    bold: bool = False


class TableModel(QAbstractTableModel):
    """Read-only rows.  ``show_rows`` changes what is different and leaves selection and scrolling alone."""

    def __init__(self, text_columns: int = 1, parent: QObject | None = None) -> None:
        """The first ``text_columns`` columns hold words and are set to the left."""
        super().__init__(parent)
        self._text_columns = text_columns
        self._heads: tuple[str, ...] = ()
        self._tips: tuple[str, ...] = ()
        self.rows: Sequence[Cells] = ()
        self._muted = QColor()
        self._bold = QFont()

    def set_look(self, muted: QColor, bold: QFont) -> None:
        """Colour of muted rows and the font of bold ones."""
        self._muted, self._bold = muted, bold

    def set_heads(self, heads: tuple[str, ...], tips: tuple[str, ...] = ()) -> None:
        """The words above the columns."""
        if heads == self._heads and tips == self._tips:
            return
        if len(heads) != len(self._heads):
            self.beginResetModel()
            self._heads, self._tips = heads, tips
            self.endResetModel()
        else:
            self._heads, self._tips = heads, tips
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(heads) - 1)

    def show_rows(self, rows: Sequence[Cells]) -> None:
        """Show other rows."""
        before, self_keys = [row.key for row in self.rows], [row.key for row in rows]
        if before != self_keys:
            self.beginResetModel()
            self.rows = rows
            self.endResetModel()
            return
        old, self.rows = self.rows, rows
        for number, (was, now) in enumerate(zip(old, rows, strict=True)):
            if was != now:
                self.dataChanged.emit(self.index(number, 0), self.index(number, len(self._heads) - 1))

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - as Qt declares it
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._heads)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal or section >= len(self._heads):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._heads[section]
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._tips[section] if section < len(self._tips) else None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _LEFT if section < self._text_columns else _RIGHT
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row, column = self.rows[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return row.texts[column]
        if role == Qt.ItemDataRole.ToolTipRole:
            return row.tip or None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _LEFT if column < self._text_columns else _RIGHT
        if role == Qt.ItemDataRole.DecorationRole:
            return row.swatch if column == 0 else None
        if role == Qt.ItemDataRole.ForegroundRole:
            return self._muted if row.muted else None
        if role == Qt.ItemDataRole.FontRole:
            return self._bold if row.bold else None
        return None

    def table(self) -> list[list[str]]:
        """Heads and rows with their exact values, for the clipboard."""
        return [list(self._heads), *(list(row.exact) for row in self.rows)]
