"""TableModel: rows of texts with what a table needs beside them; for the tables of the tabs.

The texts live in Qt's own model, so that painting calls no Python.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QPixmap, QStandardItem, QStandardItemModel

_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_FLAGS = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren


class Cells(NamedTuple):
    """One row: its key, the texts, the values behind them for copying, and how it looks.

    ``tip`` is asked for when the mouse rests on the row; ``link`` is the column that reads like a link.
    """

    key: str
    texts: tuple[str, ...]
    values: tuple[Any, ...]
    tip: Callable[[], str] | None = None
    swatch: QPixmap | None = None
    muted: bool = False
    bold: bool = False
    link: int | None = None


class Line(Protocol):
    """What a table needs to know of a row; ``Cells`` is one that is complete, others compute when asked."""

    @property
    def key(self) -> str: ...
    @property
    def texts(self) -> tuple[str, ...]: ...
    @property
    def values(self) -> tuple[Any, ...]: ...
    @property
    def tip(self) -> Callable[[], str] | None: ...
    @property
    def swatch(self) -> QPixmap | None: ...
    @property
    def muted(self) -> bool: ...
    @property
    def bold(self) -> bool: ...
    @property
    def link(self) -> int | None: ...


class TableModel(QStandardItemModel):
    """Read-only rows.  ``show_rows`` changes what is different and leaves selection and scrolling alone."""

    def __init__(self, text_columns: int = 1, parent: QObject | None = None) -> None:
        """The first ``text_columns`` columns hold words and are set to the left."""
        super().__init__(parent)
        self.text_columns = text_columns
        self.heads: tuple[str, ...] = ()
        self.rows: Sequence[Cells] = ()
        self._muted: QColor | None = None
        self._accent: QColor | None = None
        self._bold = QFont()

    def set_look(self, muted: QColor, bold: QFont, accent: QColor | None = None) -> None:
        """Colour of muted rows, the font of bold ones, and the colour of links."""
        self._muted, self._bold, self._accent = muted, bold, accent
        self.blockSignals(True)  # one signal for all cells is enough
        for number, row in enumerate(self.rows):
            for column in range(len(row.texts)):
                self._dress(self.item(number, column), row, column)
        self.blockSignals(False)
        if self.rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.rows) - 1, len(self.heads) - 1))

    def set_heads(self, heads: tuple[str, ...], tips: tuple[str, ...] = ()) -> None:
        """The words above the columns."""
        self.heads = heads
        self.setColumnCount(len(heads))
        for column, text in enumerate(heads):
            item = QStandardItem(text)
            item.setTextAlignment(_LEFT if column < self.text_columns else _RIGHT)
            item.setToolTip(tips[column] if column < len(tips) else "")
            self.setHorizontalHeaderItem(column, item)

    def show_rows(self, rows: Sequence[Any]) -> None:
        """Show other rows, which are Cells."""
        old, self.rows = self.rows, rows
        if len(rows) < len(old):
            self.setRowCount(len(rows))
        first = last = -1
        self.blockSignals(True)  # one signal for all cells is enough
        for number, (was, now) in enumerate(zip(old, rows, strict=False)):
            if was.texts != now.texts or was[4:] != now[4:]:
                self._change(number, was, now)
                first, last = (number if first < 0 else first), number
        self.blockSignals(False)
        if first >= 0:
            self.dataChanged.emit(self.index(first, 0), self.index(last, len(self.heads) - 1))
        for number in range(len(old), len(rows)):
            row = rows[number]
            self.insertRow(number, [self._item(row, column) for column in range(len(row.texts))])

    def _item(self, row: Cells, column: int) -> QStandardItem:
        item = QStandardItem(row.texts[column])
        item.setFlags(_FLAGS)
        item.setTextAlignment(_LEFT if column < self.text_columns else _RIGHT)
        self._dress(item, row, column)
        return item

    def _dress(self, item: QStandardItem, row: Cells, column: int) -> None:
        color = self._accent if column == row.link else self._muted if row.muted else None
        brush = None if color is None else QBrush(color)
        item.setData(brush, Qt.ItemDataRole.ForegroundRole)
        item.setData(self._bold if row.bold else None, Qt.ItemDataRole.FontRole)
        if column == 0:
            item.setData(row.swatch, Qt.ItemDataRole.DecorationRole)

    def _change(self, number: int, was: Cells, now: Cells) -> None:
        looks = was[4:] != now[4:]
        for column, (old, new) in enumerate(zip(was.texts, now.texts, strict=True)):
            if old != new or looks:
                item = self.item(number, column)
                item.setText(new)
                if looks:
                    self._dress(item, now, column)
