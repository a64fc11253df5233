"""From one measured step to the step of another layout, batch, sequence or number of devices.

The prediction is carried on HFU: hardware FLOPs and peaks are exact, so only the ratio of two hardware
utilizations has to be guessed.  Which guess is best was found on published runs: where parallelism or the
number of devices changes, the ratio of the component model; where recomputation or the sequence changes, no
change of HFU at all (A100 Megatron runs: 1.0 % off instead of 3.8 %; FSDP runs: 10 % instead of 15 %, and
3.3 % instead of 4.9 %).  Two measured batches need no guess: a step is affine in its micro-batches.
"""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec.structs import replace

from mfu_gui.engine.errors import InputError, Notice
from mfu_gui.engine.evaluate import evaluate
from mfu_gui.engine.fields import N_
from mfu_gui.engine.run import Measured, Parallel, RunSpec
from mfu_gui.engine.scenario import Scenario
from mfu_gui.planning.formula import formula
from mfu_gui.planning.layout import layout_of
from mfu_gui.planning.spec import MemorySpec, StepAnchor, plan_spec
from mfu_gui.planning.step_time import floor_s, hardware_seconds, layout_unknown

Method = Literal["same", "model", "constant-hfu", "affine"]
Change = Literal["none", "layout", "devices", "recompute", "sharded-recompute", "sequence", "long-sequence", "batch",
                 "micro-batch", "hardware", "model", "two-batches"]


class Band(msgspec.Struct, frozen=True, kw_only=True):
    """How far off such predictions were: mean absolute and largest error, as fractions, and where."""

    typical: float
    worst: float
    source: str


MEGATRON_PAIRS = N_("28 pairs of A100 Megatron runs that differ in devices, recomputation or replicas")
BANDS: dict[Change, Band] = {
    "none": Band(typical=0.0, worst=0.0, source=N_("the measured run itself")),
    "layout": Band(typical=0.022, worst=0.065, source=MEGATRON_PAIRS),
    "devices": Band(typical=0.022, worst=0.065, source=MEGATRON_PAIRS),
    "recompute": Band(typical=0.022, worst=0.065, source=MEGATRON_PAIRS),
    "sharded-recompute": Band(typical=0.103, worst=0.48,
                              source=N_("170 pairs of FSDP runs with and without recomputation")),
    "sequence": Band(typical=0.033, worst=0.31, source=N_("206 pairs of FSDP runs, sequence doubled")),
    "long-sequence": Band(typical=0.076, worst=0.51, source=N_("678 pairs of FSDP runs, any sequence")),
    "batch": Band(typical=0.050, worst=0.36, source=N_("304 pairs of FSDP runs on other numbers of devices")),
    "micro-batch": Band(typical=0.050, worst=0.36, source=N_("304 pairs of FSDP runs on other numbers of devices")),
    "hardware": Band(typical=0.198, worst=0.542, source=N_("209 FSDP steps without calibration")),
    "model": Band(typical=0.050, worst=0.36, source=N_("304 pairs of FSDP runs on other numbers of devices")),
    "two-batches": Band(typical=0.022, worst=0.069, source=N_("12 B200 runs predicted from two smaller batches")),
}
"""Errors of anchored predictions on published runs, by what changes."""


class Prediction(msgspec.Struct, frozen=True, kw_only=True):
    """A predicted step with the band in which such predictions were.

    ``low_s`` and ``high_s`` are the typical band, ``lowest_s`` and ``highest_s`` the worst that was seen.
    ``hfu`` and ``mfu`` are fractions in the scenario's own convention; ``hfu_anchor`` is the measured one.
    """

    step_time_s: float
    low_s: float
    high_s: float
    lowest_s: float
    highest_s: float
    method: Method
    changes: tuple[Change, ...]
    typical: float
    worst: float
    hfu_anchor: float
    hfu: float
    mfu: float | None
    tokens_per_s: float
    floor_s: float
    notices: tuple[Notice, ...] = ()


@formula("A1.affine_in_m", expression=N_("T(m) = T₀ + m·τ through two measured steps"), unit="s", basis="model",
         source="two measured steps of one run", accuracy=N_("12 B200 runs: 2.2% on average, 6.9% at worst."))
def affine_in_micro_batches(first_m: float, first_s: float, second_m: float, second_s: float, m: float) -> float:
    """The step with ``m`` micro-batches, from the steps with two other numbers of them.

    Any unit of time.  InputError ``same_micro_batches`` when the two are not different.
    """
    if first_m == second_m:
        raise InputError("same_micro_batches", "plan.step_anchor.global_batch", value=first_m)
    return first_s + (second_s - first_s) * (m - first_m) / (second_m - first_m)


def mfu_of_micro_batches(limit_mfu: float, constant_s: float, each_s: float, m: float) -> float:
    """MFU with ``m`` micro-batches, from that of endlessly many: MFU∞ · m ÷ (m + T₀ ÷ τ)."""
    return limit_mfu * m / (m + constant_s / each_s)


def predict(measured: Scenario, other: Scenario) -> Prediction:
    """The step of ``other`` from the one that ``measured`` says it took.

    InputError ``required`` where either lacks devices or a batch, ``prediction_needs_step`` without a
    measured step, ``prediction_needs_layout`` where only one of the two says how it lies on its devices.
    """
    anchor = evaluate(measured)
    step = anchor.throughput.step_time_s
    if step is None:
        raise InputError("prediction_needs_step", "run.measured")
    if layout_unknown(measured) != layout_unknown(other):
        raise InputError("prediction_needs_layout", "run.parallel.tensor")
    plan = plan_spec(measured)
    changes = changed(measured, other)
    second = plan.step_anchor or StepAnchor()
    if second.global_batch is not None and second.step_time_s is not None and changes == ("batch",):
        return _between(measured, other, plan.memory, (second.global_batch, second.step_time_s), step)
    seconds = step * hardware_seconds(other) / hardware_seconds(measured) / _ratio(measured, other, changes)
    method: Method = "same" if changes == ("none",) else "model" if _models(changes) else "constant-hfu"
    return _prediction(measured, other, seconds, step, method, changes)


def _ratio(measured: Scenario, other: Scenario, changes: tuple[Change, ...]) -> float:
    """HFU of ``other`` over that of ``measured``: as the model has it for what the model is good at."""
    if not _models(changes):
        return 1.0
    # Sequence and recomputation are carried at constant HFU, so the model compares both at the measured ones.
    moved = other if _MODELLED.issuperset(changes) else _as_measured(other, measured.run)
    return (hardware_seconds(moved) / floor_s(moved)) / (hardware_seconds(measured) / floor_s(measured))


_MODELLED = frozenset[Change]({"layout", "devices", "batch", "micro-batch", "hardware", "model"})
"""Changes in which the component model beats a constant HFU."""


def _models(changes: tuple[Change, ...]) -> bool:
    return not _MODELLED.isdisjoint(changes)


def _as_measured(scenario: Scenario, run: RunSpec) -> Scenario:
    kept = replace(scenario.run, sequence_length=run.sequence_length, document_lengths=run.document_lengths,
                   decoder_sequence_length=run.decoder_sequence_length, recompute=run.recompute)
    return replace(scenario, run=kept)


def changed(first: Scenario, second: Scenario) -> tuple[Change, ...]:
    """What is different between two runs, in the terms of ``BANDS``; ``("none",)`` for nothing."""
    a, b = first.run, second.run
    found: list[Change] = []
    if first.model != second.model:
        found.append("model")
    if first.hardware != second.hardware or a.precision != b.precision:
        found.append("hardware")
    sharded = _pure_sharded(first) and _pure_sharded(second)
    if (a.parallel or Parallel()) != (b.parallel or Parallel()):
        found.append("layout")
    if a.devices != b.devices and not sharded:
        found.append("devices")
    elif a.devices != b.devices or a.global_batch != b.global_batch:
        found.append("batch")
    if (a.micro_batch or 1) != (b.micro_batch or 1):
        found.append("micro-batch")
    if a.recompute != b.recompute:
        found.append("sharded-recompute" if sharded else "recompute")
    if a.sequence_length != b.sequence_length:
        longer = max(a.sequence_length, b.sequence_length) / min(a.sequence_length, b.sequence_length)
        found.append("sequence" if longer <= 2 else "long-sequence")
    return tuple(found) or ("none",)


def _pure_sharded(scenario: Scenario) -> bool:
    """FSDP: parameters sharded, nothing else."""
    parallel = scenario.run.parallel or Parallel()
    return parallel.zero_stage == 3 and parallel.tensor * parallel.pipeline * parallel.context == 1


def _between(measured: Scenario, other: Scenario, memory: MemorySpec, second: tuple[int, float],
             step: float) -> Prediction:
    """Affine through both measured batches; ``second`` is (global batch, seconds)."""
    counts = [float(layout_of(replace(measured.run, global_batch=batch), memory).micro_batches or 1)
              for batch in (measured.run.global_batch, second[0], other.run.global_batch)]
    seconds = affine_in_micro_batches(counts[0], step, counts[1], second[1], counts[2])
    if seconds <= 0:
        raise InputError("anchors_contradict", "plan.step_anchor", first=step, second=second[1])
    return _prediction(measured, other, seconds, step, "affine", ("two-batches",))


def _prediction(measured: Scenario, other: Scenario, seconds: float, step: float, method: Method,
                changes: tuple[Change, ...]) -> Prediction:
    bands = [BANDS[change] for change in changes]
    typical = sum(band.typical**2 for band in bands) ** 0.5
    worst = min(sum(band.worst for band in bands), 0.9)
    result = evaluate(replace(other, run=replace(other.run, measured=Measured(step_time_s=seconds))))
    floor = floor_s(other)
    notices: list[Notice] = []
    if floor > seconds * (1.0 + worst):
        notices.append(Notice("prediction_below_floor", "", {"step_time_s": seconds, "floor_s": floor}))
    return Prediction(
        step_time_s=seconds, low_s=seconds / (1.0 + typical), high_s=seconds * (1.0 + typical),
        lowest_s=seconds / (1.0 + worst), highest_s=seconds * (1.0 + worst), method=method, changes=changes,
        typical=typical, worst=worst, hfu_anchor=hardware_seconds(measured) / step,
        hfu=hardware_seconds(other) / seconds, mfu=result.mfu, floor_s=floor, notices=tuple(notices),
        tokens_per_s=(result.tokens_per_step or 0) / seconds)


__all__ = ["BANDS", "Band", "Change", "Method", "Prediction", "affine_in_micro_batches", "changed",
           "mfu_of_micro_batches", "predict"]
