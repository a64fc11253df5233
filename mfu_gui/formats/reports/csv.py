"""A report as comma-separated values: its tables one under the other, numbers with all their digits."""

from __future__ import annotations

from mfu_gui.formats import text_table
from mfu_gui.formats.reports.document import Block, Headline, HyperbolaChart, Paragraph, Report, Table, precise, unit_of
from mfu_gui.texts import Translator

BOM = "\ufeff"
"""Without it, spreadsheets read Chinese as the letters of an older encoding."""


def csv(report: Report, tr: Translator) -> str:
    """The whole report; every line has as many cells as the longest."""
    rows = [[report.title], [report.kind], [report.stamp]]
    for section in report.sections:
        rows.append([])
        if section.title:
            rows.append([section.title])
        for block in section.blocks:
            rows += _rows(block, tr)
    width = max(len(row) for row in rows)
    return BOM + text_table.csv([[*row, *[""] * (width - len(row))] for row in rows])


def _rows(block: Block, tr: Translator) -> list[list[str]]:
    if isinstance(block, Paragraph):
        return [[line] for line in block.text.splitlines()]
    if isinstance(block, Headline):
        metrics = (block.main, *block.others)
        rows = [[metric.caption, precise(metric.cell, tr), unit_of(metric.cell)] for metric in metrics]
        return [*rows, [block.sentence]]
    if isinstance(block, HyperbolaChart):
        return _rows(block.data, tr)
    if not isinstance(block, Table):
        return []  # the bars of a chart are in the table beside it
    units = sum(column.numbers for column in block.columns) == 1
    heads = [column.head for column in block.columns]
    lines = [[*heads, tr("Unit")] if units else heads] if any(heads) else []
    for row in block.rows:
        cells = [" ".join(precise(cell, tr).splitlines()) for cell in row.cells]
        unit = next((unit_of(cell) for cell in row.cells if not isinstance(cell.value, str)), "")
        lines.append([*cells, unit] if units else cells)
    return lines
