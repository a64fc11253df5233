"""Reading the ledger by a convention: compiled once per model, evaluated per run.

A compiled reading is a short list of rows (coefficient × units), so that editing the run touches a
few integers only.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Literal

import msgspec

from mfu_gui.engine.conventions.base import Convention, Rewrite
from mfu_gui.engine.conventions.base import Number as Number
from mfu_gui.engine.conventions.groups import BACKWARD, Groups, Layout, Taken, groups_of, taken
from mfu_gui.engine.conventions.predicates import is_hybrid, is_tied
from mfu_gui.engine.model import ModelSpec
from mfu_gui.engine.run import RunSpec, Trainable
from mfu_gui.engine.terms import Axes, Measure, PairCounting, units2
from mfu_gui.engine.training import fitting

Training = Literal["full"] | Trainable
Unit = tuple[Measure, PairCounting]
Known = dict[Unit, int]
PLAIN = PairCounting()
COUNTED_PAIRS = ("pairs", "chunk_pairs")
"""Measures whose number depends on how pairs are counted."""


class Row(msgspec.Struct, frozen=True, gc=False):
    """FLOPs of one component per unit: ``forward`` and ``backward`` over all layers.

    ``source`` is the ledger's component (recomputation is looked up by it), ``in_layer`` whether it
    belongs to a layer (recomputation repeats layers; the head belongs to none).
    """

    component: str
    source: str
    in_layer: bool
    measure: Measure
    counting: PairCounting
    forward: Number
    backward: Number


def whole(value: Number) -> Number:
    """An integer where ``value`` is one."""
    return value.numerator if isinstance(value, Fraction) and value.denominator == 1 else value


def rewritten(convention: Convention, model: ModelSpec) -> ModelSpec:
    """The model as this convention sees it."""
    return _rewritten(convention.rewrites, model) if convention.rewrites else model


@lru_cache(maxsize=512)
def _rewritten(rewrites: tuple[Rewrite, ...], model: ModelSpec) -> ModelSpec:
    for rewrite in rewrites:
        model = rewrite(model)
    return model


def depths_of(convention: Convention, model: ModelSpec, asked: int) -> int:
    """Depths of multi-token prediction that the convention counts."""
    if model.multi_token_prediction is None or convention.mtp == "never":
        return 0
    return model.multi_token_prediction.depths if convention.mtp == "model" else asked


FACTS = {(tied, hybrid): frozenset({"tied" if tied else "untied", *(("hybrid",) if hybrid else ())})
         for tied in (True, False) for hybrid in (True, False)}


def facts_of(model: ModelSpec) -> frozenset[str]:
    """What ``Count.when`` asks of a model."""
    return FACTS[is_tied(model), is_hybrid(model)]


class Seen(msgspec.Struct, frozen=True):
    """A model as a convention sees it, with its groups and what is counted of them."""

    model: ModelSpec
    tied: bool
    groups: Groups
    facts: frozenset[str]
    taken: tuple[Taken, ...]
    trainable: Training
    """What is trained of what the convention sees."""


def see(convention: Convention, model: ModelSpec, asked: int, as_executed: bool = False,
        trainable: Training = "full") -> Seen:
    """Look at ``model`` through ``convention``; ``asked`` depths of multi-token prediction."""
    model_seen = rewritten(convention, model)
    tied = is_tied(model_seen)
    if convention.gradients != "needed":
        trainable = "full"
    elif trainable != "full" and model_seen is not model:
        trainable = fitting(trainable, model_seen)
    groups = groups_of(model_seen, depths_of(convention, model, asked), as_executed, trainable)
    facts = facts_of(model_seen)
    return Seen(model_seen, tied, groups, facts, taken(convention, groups.shape, facts), trainable)


def split(convention: Convention, seen: Seen, part: Taken) -> tuple[Number, Number]:
    """Forward and backward FLOPs of one counted group per unit."""
    amounts, count = seen.groups.amounts[part.index], part.count
    forward = amounts[part.amount]
    if convention.gradients == "needed" and part.amount == 0 and count.passes == 3:
        return forward, amounts[BACKWARD]
    return forward, whole(forward * (count.passes - 1))


def measure_of(layout: Layout, part: Taken) -> Measure:
    """What the FLOPs are per: parameters are met once a position, whatever their product is."""
    measure = layout.measures[part.index]
    return Measure("positions", measure.axis) if part.amount and measure.kind != "positions" else measure


def compile_reading(convention: Convention, model: ModelSpec, multi_token_prediction: int = 0,
                    as_executed: bool = False, trainable: Training = "full") -> tuple[Row, ...]:
    """Rows of ``convention`` over ``model``, merged by component and measure.

    ``as_executed`` reads what a reference implementation executes, waste included.  ``trainable``
    matters to conventions that count the gradients a run needs; the others charge them all.
    """
    return _compile(convention, model, multi_token_prediction, as_executed, trainable)


@lru_cache(maxsize=256)
def _compile(convention: Convention, model: ModelSpec, asked: int, as_executed: bool, trainable: Training,
             ) -> tuple[Row, ...]:
    seen = see(convention, model, asked, as_executed, trainable)
    merged: dict[tuple[str, str, bool, Measure, PairCounting], tuple[Number, Number]] = {}

    def add(key: tuple[str, str, bool, Measure, PairCounting], forward: Number, backward: Number) -> None:
        if forward or backward:
            old = merged.get(key, (0, 0))
            merged[key] = (old[0] + forward, old[1] + backward)

    for part in seen.taken:
        component, _, name, _, _, _, in_layer = seen.groups.shape.signatures[part.index]
        # A tied table that is counted stands for the head, and is recomputed as the head is.
        source = "lm_head" if seen.tied and name == "tokens" else component
        measure = measure_of(seen.groups.layout, part)
        add((part.count.shown_as or component, source, in_layer, measure, convention.counting),
            *split(convention, seen, part))
    for extras in convention.extras:
        for extra in extras(seen.model):
            add((extra.component, extra.component, True, extra.measure, extra.counting or convention.counting),
                extra.per_unit, whole(extra.per_unit * (extra.passes - 1)))
    return tuple(Row(*key, *value) for key, value in merged.items())


def unit_of(measure: Measure, counting: PairCounting) -> Unit:
    """What units are looked up by: how pairs are counted matters to pairs only."""
    return measure, counting if measure.kind in COUNTED_PAIRS else PLAIN


@lru_cache(maxsize=512)
def _sums(convention: Convention, layout: Layout, facts: frozenset[str],
          ) -> tuple[tuple[Unit, tuple[tuple[int, int, Number], ...]], ...]:
    """Which amounts of which groups, how many times, make up each sum of ``compile_totals``; decided once for all
    models of one structure, as an edit of one width leaves it."""
    needed = convention.gradients == "needed"
    merged: dict[Unit, list[tuple[int, int, Number]]] = {}
    for part in taken(convention, layout.shape, facts):
        parts = merged.setdefault(unit_of(measure_of(layout, part), convention.counting), [])
        if needed and part.amount == 0 and part.count.passes == 3:
            parts += [(part.index, 0, 1), (part.index, BACKWARD, 1)]
        else:
            parts.append((part.index, part.amount, part.count.passes))
    return tuple((unit, tuple(parts)) for unit, parts in merged.items())


@lru_cache(maxsize=512)
def compile_totals(convention: Convention, model: ModelSpec, asked: int, trainable: Training,
                   ) -> tuple[tuple[Unit, Number], ...]:
    """Forward and backward FLOPs together, merged by what they are per: all that a total needs."""
    seen = see(convention, model, asked, False, trainable)
    amounts = seen.groups.amounts
    merged: dict[Unit, Number] = {}
    for unit, parts in _sums(convention, seen.groups.layout, seen.facts):
        value: Number = 0
        for index, amount, passes in parts:
            value += amounts[index][amount] * passes
        if value:
            merged[unit] = value
    for extras in convention.extras:
        for extra in extras(seen.model):
            unit = unit_of(extra.measure, extra.counting or convention.counting)
            merged[unit] = merged.get(unit, 0) + whole(extra.per_unit * extra.passes)
    return tuple([(unit, value if isinstance(value, int) else whole(value)) for unit, value in merged.items()])


def units2_of(row: Row, axes: Axes, known: Known) -> int:
    """Twice the units of ``row``; ``known`` keeps what was computed for these axes."""
    return known_units2((row.measure, row.counting), axes, known)


def known_units2(unit: Unit, axes: Axes, known: Known) -> int:
    """Twice the units of ``unit``; ``known`` keeps what was computed for these axes."""
    units = known.get(unit)
    if units is None:
        units = known[unit] = units2(unit[0], axes, unit[1])
    return units


def total2(convention: Convention, model: ModelSpec, run: RunSpec, axes: Axes, known: Known) -> Number:
    """Twice the forward and backward FLOPs of one sequence of ``run``, whose axes are ``axes``."""
    total: Number = 0
    for unit, per_unit in compile_totals(convention, model, run.multi_token_prediction, run.trainable):
        total += per_unit * known_units2(unit, axes, known)
    return total
