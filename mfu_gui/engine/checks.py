"""What a careful colleague would remark on a scenario and its result, as data.

Cheap by design: what depends on the model or the convention alone is found once and kept, so that a
key press pays for a few comparisons only.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import msgspec

from mfu_gui.engine.axes import images_of
from mfu_gui.engine.batch import identity_notices
from mfu_gui.engine.compare import as_run, flops_per_token
from mfu_gui.engine.conventions import Convention, find
from mfu_gui.engine.conventions.parts import CHUNKS_IGNORED, TOTAL_OF_MOE, WINDOW_IGNORED
from mfu_gui.engine.conventions.reading import compile_reading
from mfu_gui.engine.conventions.rewrites import is_moe
from mfu_gui.engine.errors import Notice
from mfu_gui.engine.ledger import ledger
from mfu_gui.engine.model import MLA, Attention, ModelSpec
from mfu_gui.engine.model_edit import mixers_of
from mfu_gui.engine.scenario import Flops, Result, Scenario

LEAST_PLAUSIBLE, MOST_PLAUSIBLE = 0.05, 0.9
"""Utilizations that training runs report; a slip is suspected only where its correction lands between."""
SMALL = 0.005
"""Below this a utilization is more likely a slip than a slow run."""
LARGE_ATTENTION_SHARE = 0.3
SAME_PEAK = 0.005
"""Relative distance within which two printed peaks are the same (989 × 2 and 1979)."""

CORE = frozenset({"attention_qk", "attention_av", "attention_term"})
STATE_CORES = ("ssm_core", "linear_attention_core")
INFORMATIVE = frozenset({"mtp_not_counted", "padding_present", "state_core_counted", "state_core_by_state",
                         "state_core_left_out"})
"""Codes that tell and do not warn."""


class ModelFacts(msgspec.Struct, frozen=True):
    """What the rules ask of a model.  ``reach``: the fewest keys that a window or chunk leaves a query."""

    moe: bool
    total: int
    active: int
    reach: int | None
    causal: bool


class ReadingFacts(msgspec.Struct, frozen=True):
    """What the rules ask of a convention that reads a model."""

    core: bool
    all_experts: bool
    full_square: bool
    ignores_windows: bool
    state_core: Notice | None
    """How the convention counts the scan or chunked core of the model, if it has one."""
    unfit: Notice | None
    """Why the convention's figure is not one of this model, if it is not."""


@lru_cache(maxsize=64)
def model_facts(model: ModelSpec) -> ModelFacts:
    """Facts of ``model`` that no run changes."""
    # The arguments are spelled as evaluate spells them, so that its kept counts are found again.
    parameters = ledger(model, 0, False).parameters
    attention = mixers_of(model, Attention)
    limits = [limit for m in attention for limit in (m.window, m.chunk) if limit is not None]
    limits += [m.window for m in mixers_of(model, MLA) if m.window is not None]
    causal = any(m.mask == "causal" and m.keys_from == "self" for m in attention) or bool(mixers_of(model, MLA))
    return ModelFacts(is_moe(model), parameters.total, parameters.active, min(limits, default=None), causal)


@lru_cache(maxsize=256)
def reading_facts(convention: Convention, model: ModelSpec, depths: int, with_images: bool = True) -> ReadingFacts:
    """Facts of ``convention`` over ``model`` that no run changes."""
    pairs = [row.measure for row in compile_reading(convention, model, depths, False) if row.measure.kind == "pairs"]
    core = bool(pairs)
    limited = any(measure.window or measure.chunk for measure in pairs)
    ignores = convention.counting.window == "ignored" or not limited
    all_experts = is_moe(model) and any(c.by == "all_parameters" and c.passes for c in convention.counts)
    return ReadingFacts(core, all_experts, core and convention.counting.pairs == "full", core and ignores,
                        _state_core(convention, model, depths),
                        _unfit(convention, as_run(convention, model, with_images, depths > 0))
                        if convention.statuses else None)


def _unfit(convention: Convention, model: ModelSpec) -> Notice | None:
    """What the convention does not see of ``model``, but for what has a remark with numbers of its own."""
    if convention.status(model)[0] == "undefined":
        return Notice("convention_undefined", "convention.id", {"reasons": list(convention.quirks(model)[:1])})
    told = {rule.reason for rule in (TOTAL_OF_MOE, WINDOW_IGNORED, CHUNKS_IGNORED)}
    reasons = [reason for reason in convention.quirks(model) if reason not in told]
    return Notice("convention_quirk", "convention.id", {"reasons": reasons}) if reasons else None


def _state_core(convention: Convention, model: ModelSpec, depths: int) -> Notice | None:
    """What a scan costs depends on the kernel, so which count is used is said.

    The model count, what the mathematics needs; the closed form of a framework; or none at all.
    """
    cores = [term for term in ledger(model, 0, False).terms if term.component in STATE_CORES and term.per_unit]
    if not cores:
        return None
    component = cores[0].component
    for extras in convention.extras:
        factors = dict(extras.values)
        forward, passes = factors.get("factor"), factors.get("passes", 3)
        if extras.replaces != component or not isinstance(forward, Fraction | int) or not extras(model):
            continue
        if isinstance(passes, Fraction | int):
            return Notice("state_core_by_state", "convention.id", {"forward": forward, "total": forward * passes})
    rows = compile_reading(convention, model, depths, False)
    if any(row.source == component and row.forward for row in rows):
        chunk = next((term.measure.chunk for term in cores if term.measure.chunk is not None), None)
        return Notice("state_core_counted", "convention.id", {} if chunk is None else {"chunk": chunk})
    return Notice("state_core_left_out", "convention.id")


def notices(scenario: Scenario, convention: Convention, result: Result, utilization: float | None,
            ) -> tuple[Notice, ...]:
    """Remarks on ``scenario`` counted by ``convention``; ``utilization`` may exceed 1."""
    facts = model_facts(scenario.model)
    reading = reading_facts(convention, scenario.model, scenario.run.multi_token_prediction,
                            images_of(scenario.model, scenario.run) > 0)
    found: list[Notice] = []
    found += _about_counting(scenario, facts, reading, result)
    found += _about_run(scenario, convention)
    found += _about_peak(scenario)
    if reading.unfit is not None:
        found.append(reading.unfit)
    if reading.state_core is not None:
        found.append(reading.state_core)
    if utilization is not None:
        if utilization > 1:
            found.append(above_one(scenario, convention, reading, result, utilization))
        elif utilization < SMALL:
            found += _too_small(scenario, utilization)
    return tuple(found)


def _about_counting(scenario: Scenario, facts: ModelFacts, reading: ReadingFacts, result: Result) -> list[Notice]:
    found: list[Notice] = []
    length = scenario.run.sequence_length
    if reading.all_experts:
        found.append(Notice("all_experts_counted", "convention.id", {"total": facts.total, "active": facts.active}))
    if reading.ignores_windows and facts.reach is not None and length > 2 * facts.reach:
        found.append(Notice("window_ignored", "convention.id", {"window": facts.reach, "length": length}))
    if reading.full_square and facts.causal:
        share = core_share(result.flops)
        if share > LARGE_ATTENTION_SHARE:
            found.append(Notice("full_square_share", "convention.id", {"share": share}))
    return found


def core_share(flops: Flops) -> float:
    """Share of the attention core in the FLOPs of a step."""
    parts = flops.components
    whole = sum(part.forward + part.backward for part in parts.values())
    core = sum(part.forward + part.backward for name, part in parts.items() if name in CORE)
    return core / whole if whole else 0.0


def _about_run(scenario: Scenario, convention: Convention) -> list[Notice]:
    model, run = scenario.model, scenario.run
    found: list[Notice] = []
    if model.context_length is not None and run.sequence_length > model.context_length:
        found.append(Notice("sequence_exceeds_context", "run.sequence_length",
                            {"length": run.sequence_length, "context": model.context_length}))
    if run.document_lengths is not None:
        missing = run.sequence_length - sum(run.document_lengths)
        if missing > 0:
            found.append(Notice("padding_present", "run.document_lengths", {"share": missing / run.sequence_length}))
    if model.multi_token_prediction is not None and not run.multi_token_prediction and convention.mtp == "run":
        found.append(Notice("mtp_not_counted", "run.multi_token_prediction",
                            {"depths": model.multi_token_prediction.depths}))
    return found + identity_notices(run)


def _about_peak(scenario: Scenario) -> list[Notice]:
    peak, hardware = scenario.peak, scenario.hardware
    if peak.kind == "sparse":
        return [Notice("sparse_peak", "hardware.peak_kind")]
    dense = hardware.peak_tflops.get(scenario.run.precision)
    if peak.tflops is None or dense is None or hardware.sparse_factor is None:
        return []
    if peak.devices_are == "framework_devices":
        dense /= hardware.framework_devices
    headline = dense * hardware.sparse_factor
    if abs(peak.tflops - headline) <= SAME_PEAK * headline and headline > dense:
        return [Notice("peak_is_sparse_headline", "hardware.peak_tflops",
                       {"peak": peak.tflops, "dense": dense, "precision": scenario.run.precision})]
    return []


def _plausible(utilization: float) -> bool:
    return LEAST_PLAUSIBLE <= utilization <= MOST_PLAUSIBLE


def _too_small(scenario: Scenario, utilization: float) -> list[Notice]:
    """Slips that make a utilization implausibly small, where undoing them makes it plausible."""
    run, measured = scenario.run, scenario.run.measured
    found: list[Notice] = []
    if measured is None or measured.mfu is not None:
        return found
    if run.devices is not None and _plausible(utilization * run.devices):
        corrected = {"devices": run.devices, "corrected": utilization * run.devices}
        if measured.tokens_per_s is not None:
            found.append(Notice("throughput_of_one_device", "run.measured.tokens_per_s", corrected))
        elif measured.step_time_s is not None:
            found.append(Notice("batch_of_one_device", "run.global_batch", corrected))
    if measured.step_time_s is not None and _plausible(utilization * 1000):
        found.append(Notice("step_time_in_milliseconds", "run.measured.step_time_s",
                            {"corrected": utilization * 1000, "seconds": measured.step_time_s / 1000}))
    return found


def above_one(scenario: Scenario, convention: Convention, reading: ReadingFacts, result: Result,
              utilization: float) -> Notice:
    """More than the peak: refused, with the slips whose correction would make it possible.

    ``causes`` are names of phrases, likeliest first; ``corrected`` holds for each the utilization
    that undoing it would give.
    """
    corrected = {**_slips(scenario, utilization), **_counting_causes(scenario, convention, reading, utilization),
                 **_peak_causes(scenario, result, utilization)}
    return Notice("mfu_above_one", "run.measured", {
        "implied_mfu": utilization, "causes": list(corrected) or None, "corrected": corrected})


def _slips(scenario: Scenario, utilization: float) -> dict[str, float]:
    run, measured = scenario.run, scenario.run.measured
    if measured is None:
        return {}
    whole_run = measured.step_time_s is not None or measured.tokens_per_s is not None
    per_node = scenario.hardware.devices_per_node
    candidates: dict[str, int | None] = {
        "scope": None if whole_run else run.devices,
        "nodes": per_node if whole_run else None,
        "milliseconds": 1000 if measured.step_time_s is not None else None,
        "batch_in_tokens": run.sequence_length if measured.step_time_s is not None else None,
    }
    return {name: utilization / factor for name, factor in candidates.items()
            if factor is not None and _plausible(utilization / factor)}


def _counting_causes(scenario: Scenario, convention: Convention, reading: ReadingFacts, utilization: float,
                     ) -> dict[str, float]:
    if not reading.full_square and not reading.all_experts:
        return {}
    counted = flops_per_token(convention, scenario.model, scenario.run)
    exact = utilization * flops_per_token(find("matmul-causal"), scenario.model, scenario.run) / counted
    if exact > 1:
        return {}
    return {"all_experts" if reading.all_experts else "full_square": exact}


def _peak_causes(scenario: Scenario, result: Result, utilization: float) -> dict[str, float]:
    hardware, peak = scenario.hardware, scenario.peak
    causes: dict[str, float] = {}
    used = result.peak_tflops_per_device
    known = hardware.peak_tflops.get(scenario.run.precision)
    if peak.tflops is not None and known is not None and used * 100 < known:
        causes["petaflops"] = utilization / 1000
    higher = max(hardware.peak_tflops.values())
    if peak.tflops is None and higher > used and utilization * used <= higher:
        causes["precision"] = utilization * used / higher
    factor = hardware.sparse_factor
    if peak.kind == "dense" and peak.tflops is None and factor is not None and factor > 1 and utilization <= factor:
        causes["sparse"] = utilization / factor
    return {name: value for name, value in causes.items() if value <= 1}
