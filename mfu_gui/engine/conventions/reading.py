"""Reading the ledger by a convention: compiled once per model, evaluated per run.

A compiled reading is a short list of rows (coefficient × units), so that editing the run touches a
few integers only.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import msgspec

from mfu_gui.engine.conventions.base import Convention, per_unit, selects
from mfu_gui.engine.ledger import ledger
from mfu_gui.engine.model import ModelSpec
from mfu_gui.engine.terms import Axes, Measure, PairCounting, units2

Number = int | Fraction


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


def _whole(value: Number) -> Number:
    return value.numerator if isinstance(value, Fraction) and value.denominator == 1 else value


def rewritten(convention: Convention, model: ModelSpec) -> ModelSpec:
    """The model as this convention sees it."""
    for rewrite in convention.rewrites:
        model = rewrite(model)
    return model


def _depths(convention: Convention, model: ModelSpec, asked: int) -> int:
    if model.multi_token_prediction is None or convention.mtp == "never":
        return 0
    return model.multi_token_prediction.depths if convention.mtp == "model" else asked


@lru_cache(maxsize=512)
def compile_reading(convention: Convention, model: ModelSpec, multi_token_prediction: int = 0,
                    as_executed: bool = False) -> tuple[Row, ...]:
    """Rows of ``convention`` over ``model``, merged by component and measure.

    ``as_executed`` reads what a reference implementation executes, waste included.
    """
    model = rewritten(convention, model)
    tied = model.head is not None and model.head.tied
    merged: dict[tuple[str, str, bool, Measure, PairCounting], tuple[Number, Number]] = {}

    def add(key: tuple[str, str, bool, Measure, PairCounting], forward: Number, backward: Number) -> None:
        old = merged.get(key, (0, 0))
        merged[key] = (old[0] + forward, old[1] + backward)

    depths = _depths(convention, model, multi_token_prediction)
    for term in ledger(model, depths, as_executed).terms:
        count = next((c for c in convention.counts if selects(c, term, tied)), None)
        if count is None or not count.passes:
            continue
        forward, measure = per_unit(count, term)
        if not forward:
            continue
        passes = count.passes
        if count.by == "products" and passes == 3:
            backward: Number = forward * term.backward_passes
        else:
            backward = _whole(forward * (passes - 1))
        add((count.shown_as or term.component, term.component, bool(term.layer), measure, convention.counting),
            forward, backward)
    for extras in convention.extras:
        for extra in extras(model):
            counting = extra.counting or convention.counting
            add((extra.component, extra.component, True, extra.measure, counting),
                _whole(extra.per_unit), _whole(extra.per_unit * (extra.passes - 1)))
    return tuple(Row(*key, *value) for key, value in merged.items())


def units2_of(row: Row, axes: Axes, known: dict[tuple[Measure, PairCounting], int]) -> int:
    """Twice the units of ``row``; ``known`` keeps what was computed for these axes."""
    key = (row.measure, row.counting)
    units = known.get(key)
    if units is None:
        units = known[key] = units2(row.measure, axes, row.counting)
    return units


def total2(rows: tuple[Row, ...], axes: Axes, known: dict[tuple[Measure, PairCounting], int]) -> Number:
    """Twice the forward and backward FLOPs of one sequence."""
    total: Number = 0
    for row in rows:
        total += (row.forward + row.backward) * units2_of(row, axes, known)
    return total
