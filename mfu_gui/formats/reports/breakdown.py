"""Where the FLOPs go: bars, and a table with the parameters beside them."""

from __future__ import annotations

from mfu_gui.engine.ledger import ledger
from mfu_gui.formats.reports.colors import component_color
from mfu_gui.formats.reports.document import Bar, BarChart, Cell, Column, Row, Section, Table
from mfu_gui.formats.reports.given import Given
from mfu_gui.formats.result_text import component_label
from mfu_gui.texts.components import COMPONENTS

SHARE = "=({2}+{3})/flops_per_token"


def breakdown(given: Given) -> Section:
    """FLOPs of a mean token by component of the model."""
    tr, flops = given.tr, given.result.flops
    whole = sum(part.forward + part.backward for part in flops.components.values())
    tokens = whole / flops.per_token if flops.per_token else 0.0
    keys = _columns(given)
    parameters = _parameters(given)
    order = {name: place for place, name in enumerate(COMPONENTS)}
    names = [*flops.components, *(name for name in parameters if name not in flops.components)]
    names.sort(key=lambda name: (name not in flops.components, order.get(name, len(order))))
    rows = []
    for name in names:
        part = flops.components.get(name)
        figures = [None if part is None or not tokens else getattr(part, key) / tokens for key in keys]
        share = None if part is None or not tokens else (part.forward + part.backward) / whole
        if part is not None or parameters.get(name):
            rows.append(Row((Cell(component_label(name, tr)), Cell(parameters.get(name) or None, "integer"),
                             *(Cell(value, "flop") for value in figures),
                             Cell(share, "percent1", formula="" if share is None else SHARE))))
    rows.append(_total(given, keys, tokens))
    heads = {"forward": tr("Forward"), "backward": tr("Backward"), "recompute": tr("Recompute")}
    columns = (Column(tr("Component"), 2.2), Column(tr("Parameters"), 1.4, numbers=True),
               *(Column(heads[key], 1.15, numbers=True) for key in keys), Column(tr("Share"), 0.8, numbers=True))
    table = Table(columns, tuple(rows))
    blocks = (_bars(given, whole), table) if whole else (table,)
    return Section(tr("FLOPs per token by component"), "breakdown", blocks)


def _columns(given: Given) -> tuple[str, ...]:
    """What is shown of a component: recomputation only where there is any."""
    repeated = any(part.recompute for part in given.result.flops.components.values())
    return ("forward", "backward", "recompute") if repeated else ("forward", "backward")


def _parameters(given: Given) -> dict[str, int]:
    """Trained parameters by component; together those of the model."""
    counts: dict[str, int] = {}
    for term in ledger(given.scenario.model, 0).terms:
        if term.section == "main" and term.kind != "buffer":
            counts[term.component] = counts.get(term.component, 0) + term.parameters
    total = given.result.parameters.total
    return counts if sum(counts.values()) == total else given.result.parameters.components


def _total(given: Given, keys: tuple[str, ...], tokens: float) -> Row:
    parts = given.result.flops.components.values()
    sums = [sum(getattr(part, key) for part in parts) / tokens if tokens else None for key in keys]
    cells = [Cell(value, "flop", formula="" if value is None else f"=SUM({{{column}:all}})")
             for column, value in enumerate(sums, 2)]
    share = Cell(1.0 if tokens else None, "percent1", formula=SHARE if tokens else "")
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
