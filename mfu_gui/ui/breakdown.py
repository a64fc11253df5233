"""The breakdown of one result as rows.  No Qt here."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from mfu_gui.engine.ledger import ledger
from mfu_gui.engine.scenario import ComponentFlops, Result, Scenario
from mfu_gui.engine.terms import Term
from mfu_gui.texts import Translator
from mfu_gui.ui.formulas import COMPONENT_NAMES, component_name, share

MOST_TERMS = 12


class Row(NamedTuple):
    """One component.  FLOPs are means per token (None without any), ``share`` is of the forward and backward;
    ``formula`` writes its matrices and its FLOPs out."""

    key: str
    name: str
    layers: int | None
    parameters: int
    forward: float | None
    backward: float | None
    recompute: float | None
    share: float | None
    formula: Callable[[], str]


def rows_of(scenario: Scenario, result: Result, tr: Translator) -> tuple[Row, ...]:
    """All components, those with FLOPs first, in the order of the model; without the total."""
    terms: dict[str, list[Term]] = {}
    for term in ledger(scenario.model, scenario.run.multi_token_prediction).terms:
        terms.setdefault(term.component, []).append(term)
    flops = result.flops.components
    whole = sum(part.forward + part.backward for part in flops.values())
    tokens = whole / result.flops.per_token if result.flops.per_token else 0.0
    order = {name: number for number, name in enumerate(COMPONENT_NAMES)}
    names = [*flops, *(name for name in terms if name not in flops)]
    names.sort(key=lambda name: (name not in flops, order.get(name, len(order))))
    rows = [_row(name, flops.get(name), terms.get(name, []), whole, tokens, tr) for name in names]
    return tuple(row for row in rows if row.forward is not None or row.parameters)


def _row(name: str, part: ComponentFlops | None, terms: list[Term], whole: int, tokens: float,
         tr: Translator) -> Row:
    parameters = sum(term.parameters for term in terms if term.section == "main")
    layers = {(t.layer, t.executed) for t in terms if t.layer and t.section == "main"}
    shown = component_name(name, tr)
    formula = partial(_formula, shown, part if tokens else None, terms, whole, tr)
    if part is None or not tokens:
        return Row(name, shown, None, parameters, None, None, None, None, formula)
    total = part.forward + part.backward
    return Row(name, shown, sum(count for _, count in layers) or None, parameters, part.forward / tokens,
               part.backward / tokens, part.recompute / tokens if part.recompute else None,
               total / whole if whole else None, formula)


def _formula(name: str, part: ComponentFlops | None, terms: list[Term], whole: int, tr: Translator) -> str:
    """The matrices of a component, and its FLOPs in full."""
    lines = [name]
    for term in terms[:MOST_TERMS]:
        line = _term(term, tr)
        if line and line not in lines:
            lines.append(line)
    if len(terms) > MOST_TERMS:
        lines.append("…")
    if part is not None:
        lines.append(tr("forward {forward} + backward {backward} FLOP = {share} of the step",
                        forward=f"{part.forward:,}", backward=f"{part.backward:,}",
                        share=share(part.forward + part.backward, whole, tr)))
        if part.recompute:
            lines.append(tr("executed again: {flops} FLOP", flops=f"{part.recompute:,}"))
    return "\n".join(lines)


def _term(term: Term, tr: Translator) -> str:
    """One matrix product: ``q: 2 × 4,096 × 4,096 × 32 layers``."""
    part = term.part.replace("_", " ")
    times = f" × {tr.plural('{n} layer', '{n} layers', term.executed)}" if term.layer else ""
    used = f" × {term.used}" if term.used > 1 else ""
    if term.kind == "matrix" and term.per_unit:
        return tr("{part}: 2 × {rows} × {columns}{used}{times} per position", part=part, rows=f"{term.rows:,}",
                  columns=f"{term.columns:,}", used=used, times=times)
    if term.measure.kind == "pairs" and term.per_unit:
        return tr("{part}: {flops} FLOP per query and key{times}", part=part, flops=f"{term.per_unit:,}", times=times)
    return ""
