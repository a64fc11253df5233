"""A report as a workbook: numbers as numbers, and formulas that recalculate what follows from the inputs."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from math import ceil
from typing import Any

from mfu_gui.formats.reports import xlsx_charts
from mfu_gui.formats.reports.document import (
    BarChart,
    Block,
    Cell,
    Headline,
    HyperbolaChart,
    Paragraph,
    Report,
    Section,
    Sheet,
    Table,
    written,
)
from mfu_gui.formats.reports.drawing import text_width
from mfu_gui.formats.reports.xlsx_look import WIDTHS, Look, Tone, in_days
from mfu_gui.texts import N_, Translator

SHEETS: dict[Sheet, str] = {
    "inputs": N_("Inputs"), "results": N_("Results"), "breakdown": N_("Breakdown"), "conventions": N_("Conventions"),
    "memory": N_("Memory"), "plan": N_("Plan"), "sweep": N_("Sweep"),
}
LINE_HEIGHT = 15
CHART_ROWS = 20
LARGEST = 1e300
GIB, DAY_S = 2**30, 86400


def xlsx(report: Report, tr: Translator) -> bytes:
    """The bytes of the workbook; the same document gives the same bytes."""
    from xlsxwriter import Workbook

    data = io.BytesIO()
    book = Workbook(data, {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False})
    created = datetime.fromisoformat(report.date).replace(tzinfo=UTC)
    book.set_properties({"title": report.title, "subject": report.kind, "comments": report.stamp, "created": created})
    book.set_calc_mode("auto")
    writer = _Writer(book, report, tr)
    for sheet in SHEETS:
        writer.sheet(sheet)
    book.close()
    return data.getvalue()


class _Writer:
    """Writes the sheets of one workbook, each from the top down."""

    def __init__(self, book: Any, report: Report, tr: Translator) -> None:
        self._book, self._report, self._tr = book, report, tr
        self._look = Look(book, tr("days"))
        self._page: Any = None
        self._key: Sheet = "inputs"
        self._name = ""
        self._row = 0
        self._chart_end = 0
        """The row below a chart that stands beside its table."""
        self._bars: BarChart | None = None

    def sheet(self, key: Sheet) -> None:
        """The sections that belong to a sheet; nothing when there is none."""
        sections = [section for section in self._report.sections if section.sheet == key]
        if not sections:
            return
        self._key, self._name = key, self._tr(SHEETS[key])
        self._page = self._book.add_worksheet(self._name)
        self._prepare(key)
        for section in sorted(sections, key=_place_in_sheet):
            self._section(section)

    def _section(self, section: Section) -> None:
        blocks = [block for block in section.blocks if not _left_out(block, section)]
        if not blocks:
            return
        self._row = max(self._row, self._chart_end)
        if section.title:
            self._line(section.title, self._look.heading)
        if any(isinstance(block, Paragraph) and block.style == "formula" for block in blocks):
            self._line(self._tr("With the numbers that were exported."), self._look.muted)
        for number, block in enumerate(blocks):
            if number and isinstance(block, Table) and isinstance(blocks[number - 1], Table):
                self._row += 1
            self._block(block)
        self._row += 1

    def _line(self, text: str, look: Any) -> None:
        """A text across the columns of the sheet, as high as it needs."""
        widths = WIDTHS[self._key]
        self._page.merge_range(self._row, 0, self._row, len(widths) - 1, text, look)
        self._page.set_row(self._row, LINE_HEIGHT * max(_lines(text, sum(widths)), look.font_size / 11))
        self._row += 1

    def _prepare(self, key: Sheet) -> None:
        page, look, tr = self._page, self._look, self._tr
        page.hide_gridlines(2)
        for column, width in enumerate(WIDTHS[key]):
            page.set_column(column, column, width)
        page.set_paper(9)
        if key not in ("inputs", "results"):
            page.set_landscape()
        page.fit_to_pages(1, 0)
        page.set_footer("&L&8&A&R&8&P / &N")
        self._row = self._chart_end = 0
        self._line(self._report.title, look.title)
        self._line(f"{self._report.kind} · {self._report.stamp}", look.muted)
        if key == "inputs":
            self._line(tr(
                "Blue numbers can be changed: what follows from them is recalculated. FLOPs per token depend on the "
                "model, the sequence length and the convention; only the program counts them."), look.muted)
        self._row += 1
        if key == "results":
            page.activate()

    def _block(self, block: Block) -> None:
        if isinstance(block, Paragraph):
            for line in block.text.splitlines():
                self._line(line, getattr(self._look, block.style))
        elif isinstance(block, HyperbolaChart):
            first = self._table(block.data)
            xlsx_charts.add_scatter(self._book, self._page, self._name, block, first, self._row)
            self._chart_end = first + CHART_ROWS
        elif isinstance(block, BarChart):
            self._bars = block
        elif isinstance(block, Table):
            first = self._table(block)
            if self._bars is not None:
                xlsx_charts.add_bars(self._book, self._page, self._name, self._bars, block, first)
                self._bars = None

    def _table(self, table: Table) -> int:
        """Write a table; the number of its first row below the heads."""
        look, page = self._look, self._page
        heads = [column.head for column in table.columns]
        if any(heads):
            for place, column in enumerate(table.columns):
                page.write_string(self._row, place, column.head, look.head(column.numbers))
            self._row += 1
        first = self._row
        for row in table.rows:
            for place, cell in enumerate(row.cells):
                explains = row.tone == "group" and place == len(row.cells) - 1
                self._cell(self._row, place, cell, "ground" if explains else row.tone, (first, self._row - 1),
                           table.columns[place].numbers, any(heads))
            widths = WIDTHS[self._key] if any(heads) else (WIDTHS[self._key][0], sum(WIDTHS[self._key][1:]))
            height = max((_lines(cell.value, width) for cell, width in zip(row.cells, widths, strict=False)
                          if isinstance(cell.value, str)), default=1)
            if height > 1:
                page.set_row(self._row, LINE_HEIGHT * height)
            self._row += 1
        return first

    def _cell(self, row: int, column: int, cell: Cell, tone: Tone, span: tuple[int, int], numbers: bool,
              headed: bool) -> None:
        page, value = self._page, cell.value
        formula = _with_places(cell.formula, row, span) if cell.formula else ""
        look = self._look.cell(cell, tone, numbers, editable=bool(cell.name) and not formula and _is_input(cell))
        if value is None:
            page.write_string(row, column, "–", look)
        elif isinstance(value, str) and column and not headed:
            page.merge_range(row, column, row, len(WIDTHS[self._key]) - 1, _one_line(value), look)
        elif isinstance(value, str):
            page.write_string(row, column, _one_line(value), look)
        elif not abs(value) < LARGEST:
            page.write_string(row, column, written(cell, self._tr), look)
        elif formula:
            page.write_formula(row, column, formula, look, _in_sheet(cell, value))
        else:
            page.write_number(row, column, _in_sheet(cell, value), look)
        if cell.name and isinstance(value, int | float):
            self._book.define_name(cell.name, f"='{self._name}'!{_place(row, column, absolute=True)}")


def _in_sheet(cell: Cell, value: float) -> float:
    """The number as it stands in a cell: no form of a number can divide by 2³⁰, or by the seconds of a day."""
    if in_days(cell):
        return value / DAY_S
    return value / GIB if cell.form == "bytes" else float(value)


def _place_in_sheet(section: Section) -> int:
    """Remarks first, then what other cells are computed from, then the rest."""
    if not section.title:
        return 0
    tables = (block for block in section.blocks if isinstance(block, Table))
    return 1 if any(cell.name for table in tables for row in table.rows for cell in row.cells) else 2


def _one_line(text: str) -> str:
    """A name and its id, which other kinds of reports have on two lines."""
    first, _, rest = text.partition("\n")
    return f"{first} ({rest})" if rest else text


def _lines(text: str, width: float) -> int:
    """Lines that a text takes in a column: about, since the spreadsheet chooses the font."""
    return max(ceil(text_width(_one_line(text), 1.72) / max(width - 1, 1)), 1)


INPUTS = frozenset({"devices", "global_batch", "peak_tflops"})


def _is_input(cell: Cell) -> bool:
    """Whether a formula somewhere reads the cell as an input."""
    return cell.name in INPUTS or cell.name.endswith("_measured")


def _left_out(block: Block, section: Section) -> bool:
    """The headline's sentences would stay behind when an input is changed; its numbers are in the table."""
    if isinstance(block, Headline):
        return True
    return not section.title and isinstance(block, Paragraph) and block.style == "muted"


def _with_places(formula: str, row: int, span: tuple[int, int]) -> str:
    """``{2}`` and ``{2:all}`` as places of the sheet."""
    from string import Formatter

    parts = []
    for text, field, spec, _ in Formatter().parse(formula):
        parts.append(text)
        if field is not None:
            column = int(field)
            first, last = (_place(each, column) for each in span)
            parts.append(f"{first}:{last}" if spec == "all" else _place(row, column))
    return "".join(parts)


def _place(row: int, column: int, *, absolute: bool = False) -> str:
    from xlsxwriter.utility import xl_rowcol_to_cell

    place: str = xl_rowcol_to_cell(row, column, row_abs=absolute, col_abs=absolute)
    return place
