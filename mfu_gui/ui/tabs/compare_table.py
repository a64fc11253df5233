"""Scenarios side by side: a column each, what differs from the reference in bold, shaded and in figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QBrush, QColor, QIcon, QPainter, QPixmap, QStandardItem
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from mfu_gui.ui import fonts, tips
from mfu_gui.ui.comparison import CompareRow, Side
from mfu_gui.ui.scenario_colors import swatch
from mfu_gui.ui.services import Services
from mfu_gui.ui.tabs.table_model import TableModel
from mfu_gui.ui.tabs.table_view import TableView
from mfu_gui.ui.tabs.text_table import SWATCH
from mfu_gui.ui.theme import Theme

LONGEST_NAME = 24
LONGEST_CELL = 24
FIRST_WIDTH = 178
_GAP = "   "


class MarkedCells(NamedTuple):
    """One row, as ``Cells``, with the columns that differ."""

    key: str
    texts: tuple[str, ...]
    values: tuple[Any, ...]
    tip: Callable[[], str] | None = None
    swatch: QPixmap | None = None
    muted: bool = False
    bold: bool = False
    link: int | None = None
    marked: frozenset[int] = frozenset()


class MarkedModel(TableModel):
    """A table in which single cells stand out."""

    def __init__(self, theme: Theme, parent: Any = None) -> None:
        super().__init__(parent=parent)
        self._theme = theme

    def _dress(self, item: QStandardItem, row: Any, column: int) -> None:
        super()._dress(item, row, column)
        marked = column in row.marked
        if marked:
            item.setData(fonts.bold(), Qt.ItemDataRole.FontRole)
        brush = QBrush(self._theme.color("accent_soft")) if marked else None
        item.setData(brush, Qt.ItemDataRole.BackgroundRole)


class _Shade(QStyledItemDelegate):
    """Fills what is marked; the style sheet leaves the backgrounds of items to it."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem,
              index: QModelIndex | QPersistentModelIndex) -> None:
        brush = index.data(Qt.ItemDataRole.BackgroundRole)
        if brush is not None:
            painter.fillRect(option.rect.adjusted(3, 2, -1, -2), brush)
        super().paint(painter, option, index)


class ScenarioTable(TableView):
    """Rows of ``CompareRow``; a press on the head of a column brings its scenario to the screen."""

    def __init__(self, services: Services) -> None:
        self._busy = False
        self._model = MarkedModel(services.theme)
        super().__init__(services, self._model, least=FIRST_WIDTH)
        self._model.setParent(self)
        self.setObjectName("compare.table")
        self.setItemDelegate(_Shade(self))
        self.header().setSectionsClickable(True)
        self._colors: list[QColor] = []

    def show_columns(self, sides: Sequence[Side], colors: Sequence[QColor], reference: int,
                     rows: Sequence[CompareRow]) -> None:
        """Show scenarios: their names, their colours, which of them the others differ from, and the rows."""
        tr = self.services.language.tr
        names = [_short(side.name) for side in sides]
        names[reference] = tr("{name} (reference)", name=names[reference])
        heads = ("", *names)
        words = (tr("{name}\nPress to show this scenario", name=side.name) for side in sides)
        if heads != self._model.heads or list(colors) != self._colors:
            self._busy = True
            self._model.show_rows(())
            self._model.set_heads(heads, ("", *map(tips.plain, words)))
            self._busy = False
            self._colors = list(colors)
            for number, color in enumerate(colors, 1):
                head = self._model.horizontalHeaderItem(number)
                head.setIcon(QIcon(swatch(color)))
                # The colour stands at the left: at the right, the name would be nearer to the next one's.
                head.setTextAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.show_rows([self._line(row, sides) for row in rows])

    def _line(self, row: CompareRow, sides: Sequence[Side]) -> MarkedCells:
        if row.head:
            empty = ("",) * len(sides)
            return MarkedCells(row.key, (row.label, *empty), (row.label, *empty), bold=True)
        texts = [_short(cell.text, LONGEST_CELL) + (_GAP + cell.difference if cell.difference else "")
                 for cell in row.cells]
        values = [cell.value for cell in row.cells]
        marked = frozenset(number for number, cell in enumerate(row.cells, 1) if cell.difference)
        return MarkedCells(row.key, (row.label, *texts), (row.label, *values), partial(self._tip, row, sides),
                           marked=marked)

    def _tip(self, row: CompareRow, sides: Sequence[Side]) -> str:
        """All digits, scenario by scenario."""
        exact = self.services.language.numbers.exact
        lines = [row.label]
        for cell, side in zip(row.cells, sides, strict=True):
            text = cell.text if isinstance(cell.value, str) or cell.value is None else exact(cell.value)
            lines.append(f"{side.name}: {text} {cell.difference}".rstrip())
        return "\n".join(lines)

    def _exact(self, values: Sequence[Any]) -> list[str]:
        return super()._exact(["" if value is None else value for value in values])

    def fit_columns(self) -> None:
        # Columns come and go here: fitting them while Qt is still adding them, or from within, does not end.
        if not self._busy:
            self._busy = True
            super().fit_columns()
            self._busy = False

    def _advance(self, bold: bool, text: str) -> int:
        return super()._advance(True, text)

    def _widths(self) -> list[int]:
        widths = super()._widths()  # empty while there are no columns yet: the table may be resized before it is filled
        return [*widths[:1], *(width + SWATCH + 10 for width in widths[1:])]


def _short(text: str, longest: int = LONGEST_NAME) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"
