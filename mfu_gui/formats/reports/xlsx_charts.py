"""Charts of a workbook, drawn by the spreadsheet from cells."""

from __future__ import annotations

from typing import Any

from mfu_gui.formats.reports import colors as c
from mfu_gui.formats.reports.document import BarChart, HyperbolaChart, Table

AXIS_FONT = {"color": c.MUTED, "size": 9, "bold": False}
TITLE_FONT = {"size": 12, "bold": True, "color": c.TEXT}
COLORS = (c.ACCENT, "#93a0b0", "#93a0b0", "#5c6878")


def add_scatter(book: Any, page: Any, name: str, chart: HyperbolaChart, first: int, below: int) -> None:
    """MFU against time beside its table, whose rows run from ``first`` to ``below`` (exclusive)."""
    made = book.add_chart({"type": "scatter", "subtype": "smooth"})
    for column in range(1, len(chart.data.columns)):
        line = {"color": COLORS[column - 1], "width": 2.25 if column == 1 else 1.0}
        if column > 1:
            line["dash_type"] = "dash"
        made.add_series({"name": [name, first - 1, column], "categories": [name, first, 0, below - 1, 0],
                         "values": [name, first, column, below - 1, column], "line": line})
    made.set_title({"name": chart.title, "name_font": TITLE_FONT})
    made.set_x_axis({"name": chart.data.columns[0].head, "min": chart.span[0], "max": chart.span[1],
                     "num_font": AXIS_FONT, "name_font": AXIS_FONT, "major_gridlines": {"visible": False}})
    made.set_y_axis({"min": 0, "max": 1, "num_format": "0%", "num_font": AXIS_FONT,
                     "major_gridlines": {"visible": True, "line": {"color": c.LINE, "width": 0.75}}})
    made.set_legend({"position": "bottom", "font": AXIS_FONT})
    made.set_size({"width": 640, "height": 380})
    page.insert_chart(first - 1, len(chart.data.columns) + 1, made)


def add_bars(book: Any, page: Any, name: str, chart: BarChart, table: Table, first: int) -> None:
    """Shares beside their table, whose first row is ``first``: names in column 0, shares in the last one."""
    share = len(table.columns) - 1
    count = sum(row.tone != "total" and row.cells[share].value is not None for row in table.rows)
    if not count:
        return
    made = book.add_chart({"type": "bar"})
    made.add_series({"name": chart.title, "categories": [name, first, 0, first + count - 1, 0],
                     "values": [name, first, share, first + count - 1, share], "fill": {"color": c.ACCENT}, "gap": 60,
                     "data_labels": {"value": True, "num_format": "0.0%", "font": AXIS_FONT}})
    made.set_title({"name": chart.title, "name_font": TITLE_FONT})
    made.set_legend({"none": True})
    made.set_x_axis({"visible": False, "major_gridlines": {"visible": False}})
    made.set_y_axis({"reverse": True, "num_font": AXIS_FONT, "line": {"none": True}, "major_tick_mark": "none"})
    made.set_size({"width": 560, "height": 60 + 30 * count})
    page.insert_chart(first - 1, len(table.columns) + 1, made)
