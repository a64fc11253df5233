"""LazyModel: a table of many rows whose cells are computed when they come into sight."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor, QFont

from mfu_gui.ui.tabs.table_model import Line

Index = QModelIndex | QPersistentModelIndex
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_DISPLAY, _ALIGN = int(Qt.ItemDataRole.DisplayRole), int(Qt.ItemDataRole.TextAlignmentRole)
_COLOR, _TIP = int(Qt.ItemDataRole.ForegroundRole), int(Qt.ItemDataRole.ToolTipRole)


class LazyModel(QAbstractTableModel):
    """Read-only; the counterpart of TableModel for lists that are long and seldom change."""

    def __init__(self, text_columns: int = 1, right: tuple[int, ...] = (), parent: QObject | None = None) -> None:
        """Columns from ``text_columns`` on are sorted as numbers, from the largest; ``right``: set to the right."""
        super().__init__(parent)
        self.text_columns = text_columns
        self.heads: tuple[str, ...] = ()
        self.rows: Sequence[Line] = ()
        self._right = frozenset(right)
        self._tips: tuple[str, ...] = ()
        self._muted: QColor | None = None

    def set_look(self, muted: QColor, bold: QFont, accent: QColor | None = None) -> None:
        """Colour of muted rows."""
        self._muted = muted
        self.show_again()

    def set_heads(self, heads: tuple[str, ...], tips: tuple[str, ...] = ()) -> None:
        """The words above the columns."""
        self.beginResetModel()
        self.heads, self._tips = heads, tips
        self.endResetModel()

    def show_rows(self, rows: Sequence[Line]) -> None:
        """Show other rows."""
        if [row.key for row in rows] == [row.key for row in self.rows]:
            self.rows = rows
            self.show_again()
            return
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def show_again(self) -> None:
        """The cells have changed."""
        if self.rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.rows) - 1, len(self.heads) - 1))

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - as Qt declares it
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - as Qt declares it
        return 0 if parent.isValid() else len(self.heads)

    def data(self, index: Index, role: int = _DISPLAY) -> Any:
        if role == _DISPLAY:
            return self.rows[index.row()].texts[index.column()]
        if role == _ALIGN:
            return _RIGHT if index.column() in self._right else _LEFT
        if role == _COLOR and self.rows[index.row()].muted:
            return self._muted
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY) -> Any:
        if orientation != Qt.Orientation.Horizontal or section >= len(self.heads):
            return None
        if role == _DISPLAY:
            return self.heads[section]
        if role == _ALIGN:
            return _RIGHT if section in self._right else _LEFT
        if role == _TIP and section < len(self._tips):
            return self._tips[section]
        return None
