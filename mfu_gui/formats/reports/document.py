"""The document of a report: what it says, independent of the kind of file it becomes.

Texts are in the reader's language already; numbers are numbers, with the form in which they are to be
written.  Nothing here knows a scenario, and no text is markup: renderers escape what they write.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from mfu_gui.texts import Translator
from mfu_gui.texts.numbers import DASH

Value = str | int | float | None
Form = Literal["text", "integer", "short", "exact", "percent", "percent1", "change", "count", "flop", "duration",
               "bytes"]
Style = Literal["plain", "muted", "formula", "remark", "serious"]
Curve = Literal["main", "hardware"]
Span = tuple[float, float]


class Cell(NamedTuple):
    """One value.

    ``formula`` is how a spreadsheet computes it: names of other cells, ``{2}`` for column 2 (from 0) of
    the same row, ``{2:all}`` for that column of all rows above.  ``name`` is what other formulas call it.
    """

    value: Value
    form: Form = "text"
    unit: str = ""
    formula: str = ""
    name: str = ""


class Paragraph(NamedTuple):
    """A text; a formula keeps its line breaks."""

    text: str
    style: Style = "plain"


class Column(NamedTuple):
    """Head of a column, and its share of the width where there is only so much."""

    head: str
    weight: float = 1.0
    numbers: bool = False
    """Set to the right."""


class Row(NamedTuple):
    """Cells of a table; ``tone`` ``total`` and ``chosen`` stand out, ``muted`` steps back."""

    cells: tuple[Cell, ...]
    tone: Literal["", "total", "chosen", "muted", "group"] = ""


class Table(NamedTuple):
    """Rows under heads; a table of names and values has empty heads."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]


class Metric(NamedTuple):
    """A number of the headline with its caption."""

    caption: str
    cell: Cell


class Headline(NamedTuple):
    """The number that matters, those that belong to it, and what it means in a sentence."""

    main: Metric
    others: tuple[Metric, ...]
    sentence: str


class Mark(NamedTuple):
    """A place on an axis and what is written at it."""

    at: float
    label: str


class HyperbolaChart(NamedTuple):
    """Utilization against time: curves u = full ÷ t, 100 % at ``full``.

    ``band`` are the ``full`` of the lowest and the highest curve of a range; ``point`` is what was
    measured; ``data`` are the same curves as a table.
    """

    title: str
    description: str
    x_title: str
    span: Span
    x_marks: tuple[Mark, ...]
    full: float
    full_label: str
    hardware: float | None
    band: Span | None
    point: tuple[float, float, str] | None
    legend: tuple[tuple[str, str], ...]
    """(what it is drawn as: ``main``, ``band``, ``hardware``; words)."""
    data: Table


class Bar(NamedTuple):
    """One bar: its name, its length, and what is written behind it."""

    name: str
    value: float
    label: str
    color: str


class BarChart(NamedTuple):
    """Bars to the right, their lengths shares of a whole."""

    title: str
    description: str
    bars: tuple[Bar, ...]


Chart = HyperbolaChart | BarChart
Block = Paragraph | Table | Headline | HyperbolaChart | BarChart
LONGEST_TYPED = 8
SMALLEST_CHANGE = 0.0005

Sheet = Literal["inputs", "results", "breakdown", "conventions", "memory", "plan", "sweep"]


class Section(NamedTuple):
    """A heading and what stands under it; ``sheet`` is where a workbook has it."""

    title: str
    sheet: Sheet
    blocks: tuple[Block, ...]


class Report(NamedTuple):
    """The whole document.  ``title`` names the scenario, ``kind`` the report, ``stamp`` program and date."""

    language: str
    title: str
    kind: str
    stamp: str
    date: str
    """ISO, as ``2026-11-30``."""
    sections: tuple[Section, ...]


def written(cell: Cell, tr: Translator) -> str:
    """A cell as people read it."""
    value, numbers = cell.value, tr.numbers
    if isinstance(value, str):
        return value
    if cell.form == "flop":
        return numbers.si(value, 4, "FLOP")
    if cell.form == "duration":
        return numbers.duration(value, 4)
    if cell.form == "bytes":
        return numbers.bytes(value)
    if cell.form == "change":
        return _signed(value, tr)
    if cell.form in ("percent", "percent1"):
        return numbers.percent(value, 2 if cell.form == "percent" else 1)
    if cell.form == "integer":
        text = numbers.integer(value)
    elif cell.form == "count":
        text = numbers.count(value, 4)
    elif cell.form == "exact":
        text = _as_typed(value, tr)
    else:
        text = numbers.short(value, 4)
    return f"{text} {cell.unit}" if cell.unit and value is not None else text


def _signed(value: float | None, tr: Translator) -> str:
    """A change in percent, with its sign; one that is too small to show is none."""
    if value is not None and abs(value) < SMALLEST_CHANGE:
        value = 0.0
    text = tr.numbers.percent(value)
    return f"+{text}" if value is not None and value > 0 else text


def _as_typed(value: float | None, tr: Translator) -> str:
    """A number with the digits that somebody typed; a computed one with five."""
    exact = tr.numbers.exact(value)
    return (exact or DASH) if len(exact) <= LONGEST_TYPED else tr.numbers.short(value, 5)


def unit_of(cell: Cell) -> str:
    """The unit in which ``precise`` writes a number; empty for a fraction or a count."""
    return cell.unit or {"flop": "FLOP", "duration": "s", "bytes": "B"}.get(cell.form, "")


def precise(cell: Cell, tr: Translator) -> str:
    """A cell with all its digits and without a unit, for other programs; empty without a value."""
    return cell.value if isinstance(cell.value, str) else tr.numbers.exact(cell.value)
