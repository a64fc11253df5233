"""A report as Markdown: charts are tables there."""

from __future__ import annotations

from collections.abc import Iterator

from mfu_gui.formats import text_table
from mfu_gui.formats.reports.document import (
    BarChart,
    Block,
    Headline,
    HyperbolaChart,
    Paragraph,
    Report,
    Table,
    written,
)
from mfu_gui.formats.text_table import in_markdown
from mfu_gui.texts import Translator


def markdown(report: Report, tr: Translator) -> str:
    """The whole report as UTF-8 text."""
    lines = [f"# {in_markdown(report.title)}", "", f"{in_markdown(report.kind)}  ",
             in_markdown(report.stamp), ""]
    for section in report.sections:
        if section.title:
            lines += [f"## {in_markdown(section.title)}", ""]
        for block in section.blocks:
            lines += [*_block(block, tr), ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def _block(block: Block, tr: Translator) -> Iterator[str]:
    if isinstance(block, Paragraph):
        yield from _paragraph(block)
    elif isinstance(block, Headline):
        main = block.main
        yield f"**{in_markdown(main.caption)}: {in_markdown(written(main.cell, tr))}**"
        yield ""
        yield in_markdown(block.sentence)
    elif isinstance(block, Table):
        yield from table_lines(block, tr)
    elif isinstance(block, HyperbolaChart):
        yield from table_lines(block.data, tr)
    else:
        assert isinstance(block, BarChart)  # noqa: S101 - there is no other block
        yield in_markdown(f"{block.title}: {block.description}")


def _paragraph(block: Paragraph) -> Iterator[str]:
    lines = [in_markdown(line) for line in block.text.splitlines()]
    if block.style == "formula":
        yield "  \n".join(lines)
    elif block.style in ("remark", "serious"):
        yield f"> {' '.join(lines)}"
    else:
        yield from lines


def table_lines(table: Table, tr: Translator) -> list[str]:
    """A table; rows that stand out are bold."""
    heads = [column.head for column in table.columns]
    rows = [[written(cell, tr) for cell in row.cells] for row in table.rows]
    right = [place for place, column in enumerate(table.columns) if column.numbers]
    bold = {place for place, row in enumerate(table.rows, 2) if row.tone in ("total", "chosen", "group")}
    lines = text_table.markdown([heads, *rows], right=right)
    return [_bold(line) if place in bold else line for place, line in enumerate(lines)]


def _bold(line: str) -> str:
    cells = line[2:-2].split(" | ")
    return f"| {' | '.join(f'**{cell}**' if cell.strip() else cell for cell in cells)} |"
