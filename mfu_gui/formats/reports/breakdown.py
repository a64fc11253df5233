"""Where the FLOPs go: bars, and a table with the parameters beside them."""

from __future__ import annotations

from mfu_gui.formats.reports.colors import component_color
from mfu_gui.formats.reports.document import Bar, BarChart, Cell, Column, Row, Section, Table
from mfu_gui.formats.reports.given import Given
from mfu_gui.formats.result_text import component_label
from mfu_gui.texts.components import COMPONENTS


def breakdown(given: Given) -> Section:
    """FLOPs of a mean token by component of the model."""
    tr, flops = given.tr, given.result.flops
    whole = sum(part.forward + part.backward for part in flops.components.values())
    tokens = whole / flops.per_token if flops.per_token else 0.0
    parameters = given.result.parameters.components
    order = {name: place for place, name in enumerate(COMPONENTS)}
    names = [*flops.components, *(name for name in parameters if name not in flops.components)]
    names.sort(key=lambda name: (name not in flops.components, order.get(name, len(order))))
    rows = []
    for name in names:
        part = flops.components.get(name)
        if part is None or not tokens:
            figures: tuple[float | None, ...] = (None, None, None, None)
        else:
            figures = (part.forward / tokens, part.backward / tokens, part.recompute / tokens,
                       (part.forward + part.backward) / whole)
        if part is not None or parameters.get(name):
            rows.append(Row((Cell(component_label(name, tr)), Cell(parameters.get(name), "integer"),
                             *_cells(figures))))
    rows.append(_total(given, tokens))
    columns = (Column(tr("Component"), 2.2), Column(tr("Parameters"), 1.4, numbers=True),
               *(Column(head, 1.15, numbers=True) for head in (tr("Forward"), tr("Backward"), tr("Recompute"))),
               Column(tr("Share"), 0.8, numbers=True))
    table = Table(columns, tuple(rows))
    blocks = (_bars(given, whole), table) if whole else (table,)
    return Section(tr("FLOPs per token by component"), "breakdown", blocks)


def _cells(figures: tuple[float | None, ...]) -> tuple[Cell, ...]:
    *flops, share = figures
    formula = "" if share is None else "=({2}+{3})/flops_per_token"
    return (*(Cell(value, "flop") for value in flops), Cell(share, "percent1", formula=formula))


def _total(given: Given, tokens: float) -> Row:
    parts = given.result.flops.components.values()
    sums = [sum(getattr(part, key) for part in parts) / tokens if tokens else None
            for key in ("forward", "backward", "recompute")]
    cells = [Cell(value, "flop", formula="" if value is None else f"=SUM({{{column}:all}})")
             for column, value in enumerate(sums, 2)]
    share = Cell(1.0 if tokens else None, "percent1", formula="=({2}+{3})/flops_per_token" if tokens else "")
    total = Cell(given.result.parameters.total, "integer", formula="=SUM({1:all})")
    return Row((Cell(given.tr("Total")), total, *cells, share), "total")


def _bars(given: Given, whole: int) -> BarChart:
    tr = given.tr
    parts = sorted(given.result.flops.components.items(), key=lambda item: -(item[1].forward + item[1].backward))
    bars = []
    for name, part in parts:
        share = (part.forward + part.backward) / whole
        if share:
            bars.append(Bar(component_label(name, tr), share, tr.numbers.percent(share), component_color(name)))
    described = tr.join([f"{bar.name} {bar.label}" for bar in bars])
    return BarChart(tr("Share of the FLOPs of a step"), described, tuple(bars))
