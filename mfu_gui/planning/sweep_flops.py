"""FLOPs of many runs at once: the ledger's rows as polynomials of the sequence length, in float64.

The coefficients are those that ``evaluate`` uses, the units are counted by the same functions (they take
arrays), and what ``evaluate`` rounds to whole FLOPs is rounded here, so that both agree to float64.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
import numpy as np
from msgspec.structs import replace

from mfu_gui.engine.axes import axes_of, padded_axes
from mfu_gui.engine.conventions import Convention
from mfu_gui.engine.conventions.reading import Number, Row, Unit, compile_reading, unit_of
from mfu_gui.engine.evaluate import repeated_rows
from mfu_gui.engine.model import ModelSpec
from mfu_gui.engine.run import RunSpec
from mfu_gui.engine.terms import Axes, units2
from mfu_gui.planning.communication import Array, Real


class StepFlops(msgspec.Struct, frozen=True, kw_only=True):
    """FLOPs of one step (of one sequence where there is no batch) and tokens of one sequence, as arrays."""

    model: Array
    hardware: Array
    """With recomputation and padding."""
    tokens: Array


def step_flops(model: ModelSpec, run: RunSpec, convention: Convention, lengths: Array | None, batch: Real) -> StepFlops:
    """FLOPs by ``convention`` for arrays of sequence lengths (None: the run's) and of global batches."""
    changed: Any = run if lengths is None else replace(run, sequence_length=lengths)
    rows = compile_reading(convention, model, run.multi_token_prediction, False, run.trainable)
    axes = axes_of(model, changed)
    units: dict[Unit, Array] = {}
    parts = ([(row, row.forward) for row in rows], [(row, row.backward) for row in rows])
    counted = sum(_rounded(_by_component(part, axes, units), batch) for part in parts)
    again = _rounded(_by_component(repeated_rows(model, run, convention, rows), axes, units), batch)
    padding = None if lengths is not None else padded_axes(model, run)
    if padding is not None:
        both = [(row, row.forward + row.backward) for row in rows]
        again = again + _rounded({"": sum(_by_component(both, padding, {}).values())}, batch)
    tokens = np.asarray(tokens_of(axes), dtype=np.float64)
    return StepFlops(model=np.asarray(counted), hardware=np.asarray(counted + again), tokens=tokens)


def tokens_of(axes: Axes) -> Any:
    """As ``tokens_per_sequence``, of axes whose lengths may be arrays."""
    heard = "frame" if "text" not in axes else "text"  # sound beside text is in the text's places
    tokens: Any = sum(axes[axis].positions for axis in {"text", "encoder", "decoder", heard} if axis in axes)
    if isinstance(tokens, int) and not tokens:
        return (axes["patch"].positions if "patch" in axes else 0) or 1
    return tokens


def _by_component(parts: Iterable[tuple[Row, Number]], axes: Axes, units: dict[Unit, Array]) -> dict[str, Array]:
    """FLOPs of one sequence by component."""
    sums: dict[str, Array] = {}
    for row, per_unit in parts:
        if not per_unit:
            continue
        unit = unit_of(row.measure, row.counting)
        counted = units.get(unit)
        if counted is None:
            counted = units[unit] = np.asarray(units2(*_arguments(unit, axes)), dtype=np.float64) / 2
        sums[row.component] = sums.get(row.component, 0.0) + float(per_unit) * counted
    return sums


def _arguments(unit: Unit, axes: Axes) -> tuple[Any, ...]:
    return unit[0], axes, unit[1], np.minimum


def _rounded(sums: dict[str, Any], batch: Real) -> Array:
    """Sum of all components of a step, each rounded to whole FLOPs as ``evaluate`` does."""
    whole: Any = 0.0
    rest: Any = 0.0
    for value in sums.values():
        if np.array_equal(value, np.rint(value)):
            whole = whole + value  # times whole batches it stays whole
        else:
            rest = rest + np.rint(value * batch)
    return np.asarray(whole * batch + rest, dtype=np.float64)
