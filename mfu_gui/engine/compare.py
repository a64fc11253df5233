"""One scenario read by every convention, side by side."""

from __future__ import annotations

from typing import Literal

import msgspec

from mfu_gui.engine.axes import axes_of, tokens_per_sequence
from mfu_gui.engine.conventions import CONVENTIONS, Convention, chosen
from mfu_gui.engine.conventions.base import Status
from mfu_gui.engine.conventions.reading import Number, compile_reading, total2
from mfu_gui.engine.model import ModelSpec
from mfu_gui.engine.run import RunSpec
from mfu_gui.engine.scenario import ConventionChoice, Result, Scenario
from mfu_gui.engine.terms import Measure, PairCounting


class ConventionRow(msgspec.Struct, frozen=True, kw_only=True):
    """What one convention says.  Figures are None where it is undefined for the model, or where the
    scenario does not say enough.  ``utilization`` is a fraction and may exceed 1."""

    id: str
    kind: Literal["model", "hardware"]
    status: Status
    reason: str
    flops_per_token: float | None
    flops_per_step: int | None
    tflops_per_device: float | None
    utilization: float | None


def compare(scenario: Scenario, result: Result) -> tuple[ConventionRow, ...]:
    """All conventions for ``scenario`` at the speed that ``result`` found, in the order of the table.

    The chosen convention is read with its options, the others with their defaults.
    """
    known: dict[tuple[Measure, PairCounting], int] = {}
    axes = axes_of(scenario.model, scenario.run)
    tokens = tokens_per_sequence(scenario.model, scenario.run)
    rate = result.throughput.tokens_per_s_per_device
    rows = []
    for convention in CONVENTIONS:
        if convention.id == scenario.convention.id:
            convention = chosen(scenario.convention)
        status, reason = convention.status(scenario.model)
        per_token = tflops = utilization = per_step = None
        if status != "undefined":
            reading = compile_reading(convention, scenario.model, scenario.run.multi_token_prediction, False)
            twice = total2(reading, axes, known)
            per_token = float(twice / (2 * tokens))
            per_step = _per_step(twice, scenario.run.global_batch)
            if rate is not None:
                tflops = rate * per_token / 1e12
                utilization = tflops / result.peak_tflops_per_device
        rows.append(ConventionRow(id=convention.id, kind=convention.kind, status=status, reason=reason,
                                  flops_per_token=per_token, flops_per_step=per_step, tflops_per_device=tflops,
                                  utilization=utilization))
    return tuple(rows)


def sound_range(rows: tuple[ConventionRow, ...]) -> tuple[ConventionRow, ConventionRow] | None:
    """The lowest and highest of the model conventions that are sound for this model."""
    sound = [row for row in rows if row.kind == "model" and row.status == "sound" and row.flops_per_token]
    if not sound:
        return None
    return (min(sound, key=lambda row: row.flops_per_token or 0.0),
            max(sound, key=lambda row: row.flops_per_token or 0.0))


def convention_for(scenario: Scenario, convention_id: str) -> ConventionChoice:
    """The choice of another convention; options are kept when it is the same one."""
    if convention_id == scenario.convention.id:
        return scenario.convention
    return ConventionChoice(id=convention_id)


def _per_step(twice: Number, batch: int | None) -> int | None:
    """FLOPs of a step from twice those of a sequence; None without a batch."""
    if batch is None:
        return None
    return twice * batch // 2 if isinstance(twice, int) else round(twice * batch / 2)


def read_by(convention: Convention, model: ModelSpec, run: RunSpec) -> tuple[float, int | None]:
    """FLOPs of one trained token and of one step (None without a batch) by ``convention``."""
    twice = total2(compile_reading(convention, model, run.multi_token_prediction, False), axes_of(model, run), {})
    return float(twice / (2 * tokens_per_sequence(model, run))), _per_step(twice, run.global_batch)


def flops_per_token(convention: Convention, model: ModelSpec, run: RunSpec) -> float:
    """FLOPs of one trained token by ``convention``."""
    return read_by(convention, model, run)[0]
