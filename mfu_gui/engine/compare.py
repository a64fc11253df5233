"""One scenario read by every convention, side by side."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Literal

import msgspec
from msgspec.structs import replace

from mfu_gui.engine.axes import axes_of, images_of, tokens_per_sequence
from mfu_gui.engine.conventions import CONVENTIONS, Convention, chosen
from mfu_gui.engine.conventions.base import Status
from mfu_gui.engine.conventions.reading import Known, Number, total2
from mfu_gui.engine.conventions.rewrites import LANGUAGE_PART, language_part
from mfu_gui.engine.model import ModelSpec
from mfu_gui.engine.run import RunSpec
from mfu_gui.engine.scenario import ConventionChoice, Result, Scenario


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


@lru_cache(maxsize=16)
def statuses(model: ModelSpec, with_images: bool = True, with_depths: bool = True) -> tuple[tuple[Status, str], ...]:
    """(status, reason) of every convention of the table for ``model``, in its order."""
    return tuple(status_of(convention, model, with_images, with_depths) for convention in CONVENTIONS)


def status_of(convention: Convention, model: ModelSpec, with_images: bool = True, with_depths: bool = True,
              ) -> tuple[Status, str]:
    """(status, reason) of one convention for what the run uses of ``model``."""
    return convention.status(as_run(convention, model, with_images, with_depths))


def as_run(convention: Convention, model: ModelSpec, with_images: bool, with_depths: bool) -> ModelSpec:
    """What ``convention`` is asked about: without images in the run, leaving out a vision tower is right, and
    without prediction depths it does not matter how they would be counted."""
    if not with_images and LANGUAGE_PART in convention.rewrites:
        model = language_part(model)
    return model if with_depths or model.multi_token_prediction is None else _without_depths(model)


@lru_cache(maxsize=16)
def _without_depths(model: ModelSpec) -> ModelSpec:
    return replace(model, multi_token_prediction=None)


def compare(scenario: Scenario, result: Result) -> tuple[ConventionRow, ...]:
    """All conventions for ``scenario`` at the speed that ``result`` found, in the order of the table.

    The chosen convention is read with its options, the others with their defaults.  A chosen dated id
    that the table has no row for comes last.
    """
    model, run = scenario.model, scenario.run
    axes, known = axes_of(model, run), Known()
    tokens = tokens_per_sequence(model, run)
    rate, peak = result.throughput.tokens_per_s_per_device, result.peak_tflops_per_device
    selected = chosen(scenario.convention)
    rows, seen = [], False
    part = images_of(model, run) > 0, run.multi_token_prediction > 0
    for convention, (status, reason) in zip(CONVENTIONS, statuses(model, *part), strict=True):
        if convention.id == selected.id:
            convention, seen = selected, True
        twice = None if status == "undefined" else total2(convention, model, run, axes, known)
        rows.append(_row(convention, status, reason, twice, tokens, run.global_batch, rate, peak))
    if not seen:
        status, reason = status_of(selected, model, *part)
        twice = None if status == "undefined" else total2(selected, model, run, axes, known)
        rows.append(_row(selected, status, reason, twice, tokens, run.global_batch, rate, peak))
    return tuple(rows)


def _row(convention: Convention, status: Status, reason: str, twice: Number | None, tokens: int, batch: int | None,
         rate: float | None, peak: float) -> ConventionRow:
    """The row of one convention; ``twice`` is double the FLOPs of one sequence."""
    per_token = per_step = tflops = None
    if twice is not None:
        per_token = float(twice / (2 * tokens))
        if batch is not None:
            per_step = twice * batch // 2 if isinstance(twice, int) else round(twice * batch / 2)
        if rate is not None:
            tflops = rate * per_token / 1e12
    return ConventionRow(
        id=convention.id, kind=convention.kind, status=status, reason=reason, flops_per_token=per_token,
        flops_per_step=per_step, tflops_per_device=tflops, utilization=None if tflops is None else tflops / peak)


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


def flops_per_token(convention: Convention, model: ModelSpec, run: RunSpec) -> float:
    """FLOPs of one trained token by ``convention``."""
    twice = total2(convention, model, run, axes_of(model, run), Known())
    return float(twice / (2 * tokens_per_sequence(model, run)))


def exact_flops_per_token(convention: Convention, model: ModelSpec, run: RunSpec) -> Fraction:
    """The same without rounding."""
    twice = total2(convention, model, run, axes_of(model, run), Known())
    return Fraction(twice) / (2 * tokens_per_sequence(model, run))
