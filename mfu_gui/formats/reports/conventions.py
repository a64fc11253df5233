"""The same run by every convention, side by side."""

from __future__ import annotations

from mfu_gui.engine.compare import ConventionRow
from mfu_gui.engine.conventions import find
from mfu_gui.formats.reports.document import Cell, Column, Paragraph, Row, Section, Table
from mfu_gui.formats.reports.given import Given
from mfu_gui.texts import N_

WORDS = {"sound": N_("fits"), "quirk": N_("fits in part"), "undefined": N_("does not fit")}


def conventions(given: Given) -> Section:
    """One row a convention, in the order of the program."""
    tr, chosen = given.tr, given.convention.id
    columns = (Column(tr("Convention"), 1.9), Column(tr("FLOPs per token"), 1.1, numbers=True),
               Column(tr("TFLOP/s per device"), 1.0, numbers=True), Column(tr("Utilization"), 0.95, numbers=True),
               Column(tr("Difference"), 0.85, numbers=True), Column(tr("Fit"), 2.6))
    rows = tuple(_row(row, given, row.id == chosen) for row in given.rows)
    about = Paragraph(tr("What frameworks and papers would report for the same run, each by its own rules. Only "
                         "figures of the same convention can be compared."), "muted")
    return Section(tr("All conventions side by side"), "conventions", (about, Table(columns, rows)))


def _row(row: ConventionRow, given: Given, is_chosen: bool) -> Row:
    tr, per_token = given.tr, given.result.flops.per_token
    live = row.tflops_per_device is not None
    difference = None
    if row.flops_per_token is not None and per_token:
        difference = row.flops_per_token / per_token - 1
    words = [] if row.kind == "model" else [tr("counts hardware")]
    words += [tr(row.reason)] if row.reason else [tr(WORDS[row.status])]
    name = f"{tr(find(row.id).title)}\n{row.id}"
    cells = (Cell(name), Cell(row.flops_per_token, "flop"),
             Cell(row.tflops_per_device, "short", formula="={1}*tokens_per_s_per_device/1E12" if live else ""),
             Cell(row.utilization, "percent", formula="={2}/peak_tflops" if live else ""),
             Cell(difference, "change", formula="" if difference is None else "={1}/flops_per_token-1"),
             Cell("; ".join(words)))
    return Row(cells, "chosen" if is_chosen else "" if row.status == "sound" else "muted")
