"""The formula behind each cell of the breakdown, with its numbers filled in.  No Qt here."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from mfu_gui.engine.conventions.base import Number
from mfu_gui.engine.fields import N_
from mfu_gui.engine.pieces import Counted
from mfu_gui.engine.terms import Measure, Term
from mfu_gui.texts import Translator
from mfu_gui.texts.numbers import DASH
from mfu_gui.ui.breakdown import Breakdown, Node

COLUMNS = ("name", "layers", "parameters", "forward", "backward", "recompute", "share")
MOST_LINES = 10
UNITS = {
    "positions": N_("positions"), "pairs": N_("pairs of query and key"), "sequences": N_("sequences"),
    "documents": N_("documents"), "chunks": N_("chunks"), "whole_chunks": N_("chunks"),
    "chunk_pairs": N_("pairs in chunks"), "first_chunk": N_("positions of the first chunk"),
    "last_chunk": N_("positions of the last chunk"), "chunk_borders": N_("pairs of chunk states"),
}


def cell_formula(node: Node, column: str, whole: Breakdown, tr: Translator) -> str:
    """How the number in ``column`` of ``node`` comes about; lines of text."""
    if column == "parameters":
        lines = [_parameters(term, tr) for term in node.stored()]
        return _listed(node, lines, tr("= {n} parameters", n=f"{node.figures.parameters:,}"), tr)
    if column == "share":
        return _share(node, whole, tr)
    if column in ("forward", "backward", "recompute"):
        return _flops(node, column, whole, tr)
    if column == "layers" and node.layers is not None:
        return f"{node.name}\n{tr.plural('executed in {n} layer', 'executed in {n} layers', node.layers)}"
    return node.name


def _listed(node: Node, lines: Sequence[str], last: str, tr: Translator) -> str:
    shown = list(dict.fromkeys(lines))
    if len(shown) > MOST_LINES:
        shown = [*shown[:MOST_LINES], tr("… and {n} more", n=len(shown) - MOST_LINES)]
    return "\n".join((node.name, *shown, last))


def _parameters(term: Term, tr: Translator) -> str:
    """``q: 4,096 × 4,096 × 32 layers = 536,870,912``."""
    factors = [f"{term.rows:,}"]
    if term.columns > 1:
        factors.append(f"{term.columns:,}")
    if term.copies > 1:
        factors.append(tr("{n} copies", n=f"{term.copies:,}"))
    if term.layer:
        factors.append(tr.plural("{n} layer", "{n} layers", term.stored))
    return f"{term.part}: {' × '.join(factors)} = {term.parameters:,}"


def _flops(node: Node, column: str, whole: Breakdown, tr: Translator) -> str:
    lines = []
    for counted in node.lines():
        value = getattr(counted, column)
        if value:
            lines.append(_forward(counted, whole, tr) if column == "forward" else _multiple(counted, column, tr))
    total = getattr(node.figures, column)
    last = tr("= {n} FLOP", n=f"{total:,}")
    if whole.tokens:
        last = tr("= {n} FLOP a step ÷ {tokens} tokens = {mean}", n=f"{total:,}", tokens=f"{round(whole.tokens):,}",
                  mean=tr.numbers.si(total / whole.tokens, 4, "FLOP"))
    return _listed(node, lines, last, tr)


def _forward(counted: Counted, whole: Breakdown, tr: Translator) -> str:
    """``q: 2 × 4,096 × 4,096 × 32 layers × 8,192 positions × 256 sequences = …``."""
    line, term = counted.line, counted.line.term
    factors: list[str]
    if term is None:
        name, factors = line.component, [_number(line.forward)]
    else:
        name, factors = term.part, _factors(term, line.by, tr)
    factors.append(f"{_number(counted.units)} {unit_name(line.measure, tr)}")
    batch = whole.scenario.run.global_batch
    if batch is not None:
        factors.append(tr.plural("{n} sequence", "{n} sequences", batch))
    return f"{name}: {' × '.join(factors)} = {_number(counted.forward)}"


def _factors(term: Term, by: str, tr: Translator) -> list[str]:
    if by == "products" and term.kind != "matrix":
        factors = [f"{term.per_unit:,}"]
    else:
        factors = ["2", f"{term.rows:,}", f"{term.columns:,}"]
        used = term.copies if by == "all_parameters" else term.used if by == "products" else min(term.used, term.copies)
        if used > 1:
            factors.append(tr("{n} used", n=used))
    times = term.executed if by in ("products", "executed_parameters") else term.stored
    if term.layer:
        factors.append(tr.plural("{n} layer", "{n} layers", times))
    return factors


def _multiple(counted: Counted, column: str, tr: Translator) -> str:
    """``q: 2 × forward = …``: the backward pass, or what runs again, as a multiple of the forward."""
    line, value = counted.line, getattr(counted, column)
    name = line.term.part if line.term is not None else line.component
    if not counted.forward:
        return f"{name}: {_number(value)}"
    ratio = Fraction(value) / Fraction(counted.forward)
    return f"{name}: {tr.numbers.short(float(ratio), 4)} × {_number(counted.forward)} = {_number(value)}"


def _share(node: Node, whole: Breakdown, tr: Translator) -> str:
    if not whole.whole or not node.lines():
        return f"{node.name}\n{DASH}"
    figures = node.figures
    return f"{node.name}\n" + tr("({forward} + {backward}) ÷ {whole} FLOP = {share}", forward=f"{figures.forward:,}",
                                  backward=f"{figures.backward:,}", whole=f"{whole.whole:,}",
                                  share=tr.numbers.percent(figures.flops / whole.whole, 2))


def unit_name(measure: Measure, tr: Translator) -> str:
    """What the FLOPs of a measure are per, in words."""
    name = tr(UNITS[measure.kind])
    limits = [tr("window {n}", n=f"{measure.window:,}") if measure.window is not None else "",
              tr("chunks of {n}", n=f"{measure.chunk:,}") if measure.chunk is not None else "",
              tr("best {n}", n=f"{measure.top_k:,}") if measure.top_k is not None else ""]
    said = ", ".join(limit for limit in limits if limit)
    return f"{name} ({said})" if said else name


def _number(value: Number) -> str:
    """An exact number: with its half, or as a fraction where it is neither whole nor a half."""
    if isinstance(value, int) or value.denominator == 1:
        return f"{int(value):,}"
    return f"{float(value):,.1f}" if value.denominator == 2 else f"{float(value):,.6g}"


def one_line(head: str, formula: str) -> str:
    """The formula of a cell without line breaks: the head of its column, the result, what it is made of."""
    name, *lines = formula.split("\n")
    if not lines:
        return name
    return "  ·  ".join((f"{head} {lines[-1]}".strip(), *lines[:-1]))
