"""The FLOPs of a step in pieces: what each component costs in the layers of each kind of each stack.

The pieces of a component add up to the figure of ``evaluate`` to the digit.  ``evaluate`` itself never
needs them; they are for tables that open a component, and for the formula behind each of their cells.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Literal

import msgspec

from mfu_gui.engine.axes import axes_of
from mfu_gui.engine.conventions import Convention, chosen
from mfu_gui.engine.conventions.base import By, Count, Number
from mfu_gui.engine.conventions.groups import Signature, rule_for
from mfu_gui.engine.conventions.reading import (
    Known,
    Row,
    Seen,
    Training,
    depths_of,
    facts_of,
    known_units2,
    see,
    unit_of,
    whole,
)
from mfu_gui.engine.ledger import ledger
from mfu_gui.engine.model import ModelSpec
from mfu_gui.engine.recompute import first_layers, repeats, share_of, to_integer
from mfu_gui.engine.run import Recompute, RunSpec
from mfu_gui.engine.scenario import Scenario
from mfu_gui.engine.terms import Axes, Measure, PairCounting, Section, Term


class Line(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One product of a piece, or what a convention adds: ``term`` is None for the latter.

    ``forward`` and ``backward``: FLOPs per unit of ``measure`` over all layers; ``by`` what they are
    counted from.
    """

    component: str
    source: str
    stack: str = ""
    layer: str = ""
    section: Section = "main"
    in_layer: bool = False
    term: Term | None = None
    by: By = "products"
    measure: Measure
    counting: PairCounting
    forward: Number
    backward: Number


class Counted(msgspec.Struct, frozen=True):
    """A line in one step: its units (queries and keys, positions, …) and its FLOPs, in exact numbers."""

    line: Line
    units: Number
    """In one sequence."""
    forward: Number
    backward: Number
    recompute: Number


class Piece(msgspec.Struct, frozen=True, kw_only=True):
    """One component in the layers of one kind.

    ``layer`` is empty outside the layers, ``stack`` for what a convention adds to the whole model.
    ``layers``: how many layers there are of the kind.  FLOPs are those of a step, or of a sequence
    where the batch is not known.  ``parameters`` are those that are trained in a full training.
    """

    component: str
    stack: str
    layer: str
    section: Section
    layers: int
    parameters: int
    forward: int
    backward: int
    recompute: int
    lines: tuple[Counted, ...]
    stored: tuple[Term, ...]
    """The terms that the parameters are of."""

    @property
    def flops(self) -> int:
        """Forward and backward together."""
        return self.forward + self.backward


Place = tuple[str, str, str, Section]
"""component, stack, layer, section."""


def pieces_of(scenario: Scenario) -> tuple[Piece, ...]:
    """All pieces of ``scenario`` by its convention, in the order of execution.

    Components without FLOPs are there with their parameters.  InputError as ``evaluate`` raises it.
    """
    model, run = scenario.model, scenario.run
    convention = chosen(scenario.convention)
    axes, known = axes_of(model, run), Known()
    scale = run.global_batch or 1
    counted: dict[Place, list[Counted]] = {}
    repeated = _repeated(convention, model, run, axes, known)
    for line in lines_of(convention, model, run.multi_token_prediction, run.trainable):
        units2 = known_units2(unit_of(line.measure, line.counting), axes, known)
        place = _place(line)
        again = repeated.pop((place, line.measure, _part(line)), 0) if repeated else 0
        entry = Counted(line, _half(units2), _half(line.forward * units2 * scale),
                        _half(line.backward * units2 * scale), whole(again * scale))
        counted.setdefault(place, []).append(entry)
    return _rounded(counted, {place: (terms, count)
                              for place, terms, count in _stored(model, run.multi_token_prediction)})


def _half(value: Number) -> Number:
    """Half of an exact number.  Whole halves of integers are by far the most; fractions are slow."""
    if isinstance(value, int):
        return Fraction(value, 2) if value & 1 else value >> 1
    return whole(value / 2)


@lru_cache(maxsize=8)
def _stored(model: ModelSpec, asked: int) -> tuple[tuple[Place, tuple[Term, ...], int], ...]:
    """What stores parameters, by place, and how many; the same for every run of a model."""
    found: dict[Place, list[Term]] = {}
    for term in ledger(model, asked).terms:
        if term.section == "main" and term.kind != "buffer" and term.parameters:
            found.setdefault((term.component, term.stack, term.layer, term.section), []).append(term)
    return tuple((place, tuple(terms), sum(term.parameters for term in terms)) for place, terms in found.items())


def _place(line: Line) -> Place:
    return line.component, line.stack, line.layer, line.section


def _part(line: Line) -> str:
    return "" if line.term is None else line.term.part


def _rounded(counted: dict[Place, list[Counted]], stored: dict[Place, tuple[tuple[Term, ...], int]],
             ) -> tuple[Piece, ...]:
    """Pieces of whole FLOPs.  Halves are carried on to the next piece of the component, so that the pieces
    add up to the rounded whole."""
    carried: dict[tuple[str, str], tuple[Number, int]] = {}

    def integer(component: str, what: str, value: Number) -> int:
        exact, given = carried.get((component, what), (0, 0))
        exact = exact + value
        now = to_integer(exact)
        carried[component, what] = exact, now
        return now - given

    found = []
    for place in (*counted, *(place for place in stored if place not in counted)):
        component, stack, layer, section = place
        lines, (terms, parameters) = tuple(counted.get(place, ())), stored.get(place, ((), 0))
        found.append(Piece(
            component=component, stack=stack, layer=layer, section=section,
            layers=_layers(layer, [line.line.term for line in lines] or list(terms)),
            parameters=parameters, lines=lines, stored=terms,
            forward=integer(component, "forward", sum([line.forward for line in lines])),
            backward=integer(component, "backward", sum([line.backward for line in lines])),
            recompute=integer(component, "recompute", sum([line.recompute for line in lines]))))
    return tuple(found)


def _layers(layer: str, terms: list[Term | None]) -> int:
    """Layers of one kind: frozen ones and the others are counted apart, so each number once."""
    if not layer:
        return 0
    by_part: dict[str, int] = {}
    for term in terms:
        if term is not None:
            by_part[term.part] = by_part.get(term.part, 0) + term.executed
    return max(by_part.values(), default=0)


def _repeated(convention: Convention, model: ModelSpec, run: RunSpec, axes: Axes, known: Known,
              ) -> dict[tuple[Place, Measure, str], Number]:
    """FLOPs of one sequence that run again, by place and product; the rules are those of ``evaluate``."""
    shares = repeats(run)
    found: dict[tuple[Place, Measure, str], Number] = {}
    if convention.kind == "hardware":
        return found

    def add(lines: tuple[Line, ...], share: dict[str, Fraction]) -> None:
        for line in lines:
            again = share_of(_row(line), share)
            if again and line.forward:
                units = Fraction(known_units2(unit_of(line.measure, line.counting), axes, known), 2)
                key = (_place(line), line.measure, _part(line))
                found[key] = found.get(key, 0) + line.forward * again * units

    lines = lines_of(convention, model, run.multi_token_prediction, run.trainable)
    if shares:
        part: ModelSpec | None = model
        if isinstance(run.recompute, Recompute) and run.recompute.layers is not None:
            part = first_layers(model, run.recompute.layers)
        if part is model:
            add(lines, shares)
        elif part is not None:
            add(lines_of(convention, part, run.multi_token_prediction, "full"), shares)
    if run.attention_kernel == "flash":
        add(tuple(line for line in lines if line.source == "attention_qk"), {"attention_qk": Fraction(1)})
    # Equal products of one place (frozen layers and others) share what runs again: the first takes it.
    return found


def _row(line: Line) -> Row:
    return Row(line.component, line.source, line.in_layer, line.measure, line.counting, line.forward, line.backward)


def lines_of(convention: Convention, model: ModelSpec, multi_token_prediction: int = 0, trainable: Training = "full",
             ) -> tuple[Line, ...]:
    """What ``convention`` counts of ``model``, product by product."""
    return _lines(convention, model, multi_token_prediction, trainable)


@lru_cache(maxsize=32)
def _lines(convention: Convention, model: ModelSpec, asked: int, trainable: Training) -> tuple[Line, ...]:
    seen = see(convention, model, asked, False, trainable)
    facts = facts_of(seen.model)
    needed = convention.gradients == "needed"
    depths = depths_of(convention, model, asked)
    rules: dict[Signature, Count | None] = {}
    found: list[Line] = []
    for term in ledger(seen.model, depths, False, seen.trainable).terms:
        signature = (term.component, term.store, term.part, term.stack, term.section, term.kind, bool(term.layer))
        if signature not in rules:
            rules[signature] = rule_for(convention, signature, facts)
        count = rules[signature]
        if count is not None and count.passes:
            line = _line(convention, seen, term, count, needed)
            if line.forward or line.backward:
                found.append(line)
    for extras in convention.extras:
        found += [Line(
            component=extra.component, source=extra.component, in_layer=True, measure=extra.measure,
            counting=extra.counting or convention.counting, forward=extra.per_unit,
            backward=whole(extra.per_unit * (extra.passes - 1))) for extra in extras(seen.model)]
    return tuple(found)


def _line(convention: Convention, seen: Seen, term: Term, count: Count, needed: bool) -> Line:
    forward: Number = _amount(term, count.by)
    measure = term.measure
    if count.by != "products" and measure.kind != "positions":
        measure = Measure("positions", measure.axis)
    if needed and count.by == "products" and count.passes == 3:
        backward: Number = (term.per_unit * term.backward_passes + term.backward_extra) * term.executed
    else:
        backward = whole(forward * (count.passes - 1))
    return Line(component=count.shown_as or term.component,
                source="lm_head" if seen.tied and term.part == "tokens" else term.component,
                stack=term.stack, layer=term.layer, section=term.section, in_layer=bool(term.layer), term=term,
                by=count.by, measure=measure, counting=convention.counting, forward=forward, backward=backward)


def _amount(term: Term, by: Literal["products", "parameters", "all_parameters", "executed_parameters"]) -> int:
    """Forward FLOPs per unit over all layers, as a rule reads them."""
    if by == "products":
        return term.per_unit * term.executed
    size = 2 * term.rows * term.columns
    if by == "all_parameters":
        return size * term.copies * term.stored
    used = size * min(term.used, term.copies)
    return used * (term.stored if by == "parameters" else term.executed)
