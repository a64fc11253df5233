"""Reading the ledger by a convention: compiled once per model, evaluated per run.

A compiled reading is a short list of rows (coefficient × units), so that editing the run touches a
few integers only.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Literal

import msgspec

from mfu_gui.engine.conventions.base import Convention, Count, Rewrite
from mfu_gui.engine.conventions.base import Number as Number
from mfu_gui.engine.conventions.groups import Group, groups_of, selector
from mfu_gui.engine.model import ModelSpec
from mfu_gui.engine.run import RunSpec, Trainable
from mfu_gui.engine.terms import Axes, Measure, PairCounting, units2

Training = Literal["full"] | Trainable
Known = dict[tuple[Measure, PairCounting], int]


class Row(msgspec.Struct, frozen=True):
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


def is_tied(model: ModelSpec) -> bool:
    """Whether the head is the embedding's matrix."""
    return model.head is not None and model.head.tied


def count_group(convention: Convention, count: Count, group: Group) -> tuple[Number, Number]:
    """Forward and backward FLOPs of ``group`` per unit, counted by ``count``."""
    forward = group.per_unit(count.by)
    if convention.gradients == "needed" and count.by == "products" and count.passes == 3:
        return forward, group.backward
    return forward, whole(forward * (count.passes - 1))


def measure_of(count: Count, group: Group) -> Measure:
    """What the FLOPs are per: parameters are met once a position, whatever their product is."""
    if count.by == "products" or group.measure.kind == "positions":
        return group.measure
    return Measure("positions", group.measure.axis)


def compile_reading(convention: Convention, model: ModelSpec, multi_token_prediction: int = 0,
                    as_executed: bool = False, trainable: Training = "full") -> tuple[Row, ...]:
    """Rows of ``convention`` over ``model``, merged by component and measure.

    ``as_executed`` reads what a reference implementation executes, waste included.  ``trainable``
    matters to conventions that count the gradients a run needs; the others charge them all.
    """
    depths = depths_of(convention, model, multi_token_prediction)
    return _compile(convention, model, depths, as_executed, trainable if convention.gradients == "needed" else "full")


@lru_cache(maxsize=512)
def _compile(convention: Convention, model: ModelSpec, depths: int, as_executed: bool, trainable: Training,
             ) -> tuple[Row, ...]:
    seen = rewritten(convention, model)
    tied = is_tied(seen)
    select = selector(convention, tied)
    merged: dict[tuple[str, str, bool, Measure, PairCounting], tuple[Number, Number]] = {}
    for group in groups_of(seen, depths, as_executed, trainable):
        count = select(group.signature)
        if count is None:
            continue
        forward, backward = count_group(convention, count, group)
        if not forward and not backward:
            continue
        # A tied table that is counted stands for the head, and is recomputed as the head is.
        source = "lm_head" if tied and group.part == "tokens" else group.component
        key = (count.shown_as or group.component, source, group.in_layer, measure_of(count, group),
               convention.counting)
        old = merged.get(key, (0, 0))
        merged[key] = (old[0] + forward, old[1] + backward)
    for extras in convention.extras:
        for extra in extras(seen):
            key = (extra.component, extra.component, True, extra.measure, extra.counting or convention.counting)
            old = merged.get(key, (0, 0))
            merged[key] = (old[0] + extra.per_unit, old[1] + whole(extra.per_unit * (extra.passes - 1)))
    return tuple(Row(*key, *value) for key, value in merged.items())


@lru_cache(maxsize=512)
def compile_totals(convention: Convention, model: ModelSpec, multi_token_prediction: int, trainable: Training,
                   ) -> tuple[tuple[tuple[Measure, PairCounting], Number], ...]:
    """Forward and backward FLOPs together, merged by what they are per: all that a total needs."""
    merged: dict[tuple[Measure, PairCounting], Number] = {}
    for row in compile_reading(convention, model, multi_token_prediction, False, trainable):
        counting = row.counting if row.measure.kind in COUNTED_PAIRS else PLAIN
        key = (row.measure, counting)
        merged[key] = merged.get(key, 0) + row.forward + row.backward
    return tuple(merged.items())


PLAIN = PairCounting()
COUNTED_PAIRS = ("pairs", "chunk_pairs")
"""Measures whose number depends on how pairs are counted."""


def units2_of(row: Row, axes: Axes, known: Known) -> int:
    """Twice the units of ``row``; ``known`` keeps what was computed for these axes."""
    key = (row.measure, row.counting)
    units = known.get(key)
    if units is None:
        units = known[key] = units2(row.measure, axes, row.counting)
    return units


def total2(convention: Convention, model: ModelSpec, run: RunSpec, axes: Axes, known: Known) -> Number:
    """Twice the forward and backward FLOPs of one sequence of ``run``, whose axes are ``axes``."""
    total: Number = 0
    for key, per_unit in compile_totals(convention, model, run.multi_token_prediction, run.trainable):
        units = known.get(key)
        if units is None:
            units = known[key] = units2(key[0], axes, key[1])
        total += per_unit * units
    return total
