"""A table on the pages of a report: columns as wide as they need, rows that break, heads on each page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtGui import QPainter

from mfu_gui.formats.reports import colors as c
from mfu_gui.formats.reports.document import Row, Table, written

if TYPE_CHECKING:
    from mfu_gui.ui.report_pages import Pages, Piece

SIZE, SMALL = 8.0, 7.0
PADDING, GUTTER = 2.2, 12.0
PAIRS_WIDTH = 0.62
"""Share of the page that a table of names and numbers takes: across a whole page, lines are hard to follow."""
FIRST_ROWS = 44.0
MOST_LINES_WIDTH = 10_000.0
GROUNDS = {"chosen": c.CHOSEN_SOFT, "group": c.SOFT}


class TableLayout:
    """Puts one table on the pages."""

    def __init__(self, pages: Pages, table: Table) -> None:
        self._pages, self._table = pages, table
        self._heads = [column.head for column in table.columns]
        self._texts = [[written(cell, pages.tr) for cell in row.cells] for row in table.rows]
        pairs = len(self._heads) == 2 and table.columns[1].numbers
        self._room = pages.room * PAIRS_WIDTH if pairs else pages.room
        self._widths = self._fitted()

    def add(self) -> None:
        """Add all rows, each whole on one page."""
        self._add_heads(FIRST_ROWS)
        for row, texts in zip(self._table.rows, self._texts, strict=True):
            pieces = self._pieces(row, texts)
            height = max(sum(piece.height for piece in cell) for cell in pieces) + 2 * PADDING
            below = height if row.tone == "group" else 0.0  # a heading of rows goes with the first of them
            if self._pages.need(height + below):
                self._add_heads(0.0)
            self._add_row(row, pieces, height)

    def _fitted(self) -> list[float]:
        """Columns of numbers are as wide as their longest; those of texts share what is left."""
        columns = self._table.columns
        room = self._room - GUTTER * (len(columns) - 1) - 8
        natural = [max((self._natural(place, row) for row in range(-1, len(self._texts))), default=0.0)
                   for place in range(len(columns))]
        if sum(natural) <= room:
            extra = (room - sum(natural)) / sum(column.weight for column in columns)
            return [width + extra * column.weight for width, column in zip(natural, columns, strict=True)]
        fixed = {place for place, column in enumerate(columns) if column.numbers and natural[place] < 0.4 * room}
        left = room - sum(natural[place] for place in fixed)
        return _shared(natural, [column.weight for column in columns], fixed, left)

    def _natural(self, place: int, row: int) -> float:
        """Width of a cell on one line; row -1 is the heads."""
        text = self._heads[place] if row < 0 else self._texts[row][place]
        bold = row < 0 or self._table.rows[row].tone in ("total", "chosen", "group")
        if row < 0 and self._table.columns[place].numbers and text.count(" "):
            parts = text.split(" ")  # the head of a column of numbers may take two lines
        else:
            parts = text.split("\n")
        longest = max(parts, key=len)
        return self._pages.piece(longest, SIZE, c.TEXT, MOST_LINES_WIDTH, bold=bold).width + 0.5

    def _pieces(self, row: Row, texts: Sequence[str]) -> list[list[Piece]]:
        """The lines of the cells of a row; what stands on a second line is smaller."""
        bold = row.tone in ("total", "chosen", "group")
        color = c.MUTED if row.tone == "muted" else c.TEXT
        pieces = []
        for place, (text, column) in enumerate(zip(texts, self._table.columns, strict=True)):
            first, _, rest = text.partition("\n")
            explains = row.tone == "group" and place == len(texts) - 1 and len(texts) > 2
            caption = place == 0 and not any(self._heads)
            made = [self._pages.piece(first, SIZE, c.MUTED if explains or caption else color, self._widths[place],
                                      bold=bold and not explains, right=column.numbers)]
            if rest:
                made.append(self._pages.piece(rest, SMALL, c.MUTED, self._widths[place], right=column.numbers))
            pieces.append(made)
        return pieces

    def _add_heads(self, room: float) -> None:
        if not any(self._heads):
            return
        pieces = [self._pages.piece(head, SIZE, c.MUTED, self._widths[place], bold=True, right=column.numbers)
                  for place, (head, column) in enumerate(zip(self._heads, self._table.columns, strict=True))]
        height = max(piece.height for piece in pieces) + 2 * PADDING
        self._pages.need(height + room)
        self._paint_cells([[piece] for piece in pieces], "", height, c.MUTED)

    def _add_row(self, row: Row, pieces: list[list[Piece]], height: float) -> None:
        self._paint_cells(pieces, row.tone, height, c.LINE)

    def _paint_cells(self, pieces: list[list[Piece]], tone: str, height: float, rule: str) -> None:
        pages = self._pages
        top, left = pages.y, pages.left

        def paint(painter: QPainter) -> None:
            if tone in GROUNDS:
                pages.box(painter, left, top + 0.4, self._room, height - 0.4, GROUNDS[tone])
            if tone == "total":
                pages.line(painter, left, top, left + self._room, top, c.MUTED, 0.7)
            x = left + 4
            for cell, width in zip(pieces, self._widths, strict=True):
                y = top + PADDING
                for piece in cell:
                    piece.paint(painter, x, y)
                    y += piece.height
                x += width + GUTTER
            pages.line(painter, left, top + height, left + self._room, top + height, rule, 0.5)

        pages.draw(paint)
        pages.y += height


def _shared(natural: list[float], weights: list[float], fixed: set[int], left: float) -> list[float]:
    """Share ``left`` among the columns that are not fixed, none wider than it needs."""
    widths = list(natural)
    open_ = [place for place in range(len(natural)) if place not in fixed]
    while open_:
        unit = left / sum(weights[place] for place in open_)
        small = [place for place in open_ if natural[place] <= unit * weights[place]]
        if not small:
            for place in open_:
                widths[place] = unit * weights[place]
            return widths
        for place in small:
            left -= natural[place]
        open_ = [place for place in open_ if place not in small]
    return widths
