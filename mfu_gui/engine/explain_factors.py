"""All ways of relating FLOPs to a peak that a reported number may rest on."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from mfu_gui.engine.denominators import A100_TFLOPS
from mfu_gui.engine.explain_reasons import (
    ALL_OVER_ONE,
    COSTS,
    DIE_OVER_UNIT,
    MOST_COST,
    NODE_OVER_ONE,
    ONE_MICRO_BATCH,
    ONE_OVER_REPLICA,
    OVER_CHOSEN,
    OVER_CONSTANT,
    OVER_FALLBACK,
    OVER_FRAMEWORK,
    OVER_PRECISION,
    OVER_SPARSE,
    OVER_TYPED,
    REPLICA_OVER_ONE,
    SLIPS,
    UNIT_OVER_DIE,
    PeakWord,
    Reason,
    Scope,
    UnitSlip,
)
from mfu_gui.engine.hardware import Precision
from mfu_gui.engine.run import RunSpec
from mfu_gui.engine.scenario import Scenario

SAME_PEAK = 0.006
"""Peaks of one device that differ by rounding only (989, 989.4, 989.5; 2614.9 and 2600 do not)."""
MOST_NAMES = 3
"""Frameworks that are named for one peak."""
LOW_PRECISIONS: tuple[Precision, ...] = ("fp8", "fp4", "int8")


class OtherPeak(msgspec.Struct, frozen=True, kw_only=True):
    """What a framework divides by on this device: ``kind`` framework, fallback or constant.
    ``convention`` is the id of its own count, empty if it has none."""

    framework: str
    convention: str
    kind: PeakWord
    tflops: float


USUAL_PEAKS = (
    OtherPeak(framework="nanoGPT", convention="nanogpt", kind="constant", tflops=A100_TFLOPS),
    OtherPeak(framework="torchtitan", convention="torchtitan", kind="fallback", tflops=A100_TFLOPS),
)
"""Known for any device."""


class PeakUsed(msgspec.Struct, frozen=True, kw_only=True):
    """One denominator: TFLOP/s of one device."""

    tflops: float
    kind: PeakWord
    precision: Precision
    cost: float
    reason: Reason
    conventions: frozenset[str] = frozenset()
    """Counts of the frameworks that divide by it."""


class Factor(msgspec.Struct, frozen=True, kw_only=True):
    """One way to get from TFLOP/s of a device to what was reported: multiplied by ``factor``."""

    factor: float
    peak: PeakUsed | None
    scope: Scope
    unit_slip: UnitSlip | None
    cost: float
    reasons: tuple[Reason, ...]


def factors(scenario: Scenario, peak_tflops: float, others: tuple[OtherPeak, ...], *, is_rate: bool) -> list[Factor]:
    """All factors, ascending; ``is_rate``: TFLOP/s were reported, which no peak divides."""
    peaks: list[PeakUsed | None] = [None] if is_rate else list(_peaks(scenario, peak_tflops, others))
    found = []
    for peak in peaks:
        per_peak = 1.0 if peak is None else 1.0 / peak.tflops
        for scope, of_scope, scope_cost, scope_words in _scopes(scenario):
            for slip, of_slip, slip_cost, slip_words in _slips(is_rate):
                cost = (peak.cost if peak is not None else 0.0) + scope_cost + slip_cost
                if cost <= MOST_COST:
                    words = () if peak is None else (peak.reason,)
                    found.append(Factor(factor=per_peak * of_scope * of_slip, peak=peak, scope=scope, unit_slip=slip,
                                        cost=cost, reasons=words + scope_words + slip_words))
    return sorted(found, key=lambda factor: factor.factor)


def shown(tflops: float) -> float:
    """A peak in six digits, as sentences show it."""
    return float(f"{tflops:.6g}")


def _peaks(scenario: Scenario, peak_tflops: float, others: tuple[OtherPeak, ...]) -> Iterator[PeakUsed]:
    """The scenario's peak, the other peaks of the device, and what frameworks take for its peak."""
    precision, kind = scenario.run.precision, scenario.peak.kind
    typed = scenario.peak.tflops is not None or scenario.peak.mix is not None
    word: PeakWord = kind if kind != "dense" else "typed" if typed else "dense"
    text = {"sparse": OVER_SPARSE, "typed": OVER_TYPED, "measured": OVER_TYPED, "dense": OVER_CHOSEN}[word]
    yield PeakUsed(tflops=peak_tflops, kind=word, precision=precision, cost=0.0,
                   reason=Reason(text, {"precision": precision, "peak": shown(peak_tflops)}))
    seen = {(peak_tflops, word)}
    for found in _device_peaks(scenario, peak_tflops):
        if (found.tflops, found.kind) not in seen:
            seen.add((found.tflops, found.kind))
            yield found
    for found in _others(scenario, others):
        if found.tflops != peak_tflops:
            yield found


def _device_peaks(scenario: Scenario, peak_tflops: float) -> Iterator[PeakUsed]:
    hardware, run = scenario.hardware, scenario.run
    share = hardware.framework_devices if scenario.peak.devices_are == "framework_devices" else 1
    dense = {name: value / share for name, value in hardware.peak_tflops.items()}
    own = dense.get(run.precision)
    rounded = own is not None and 0 < abs(own / peak_tflops - 1) < SAME_PEAK
    if own is not None and rounded:
        yield PeakUsed(tflops=own, kind="dense", precision=run.precision, cost=COSTS["rounded_peak"],
                       reason=Reason(OVER_CHOSEN, {"precision": run.precision, "peak": shown(own)}))
    if own is not None and hardware.sparse_factor is not None:
        sparse = own * hardware.sparse_factor
        yield _sparse(sparse, run.precision)
        if rounded or own == peak_tflops:
            # Datasheets print the sparse headline in whole TFLOP/s.
            yield _sparse(float(round(sparse)), run.precision)
            yield _sparse(peak_tflops * hardware.sparse_factor, run.precision)
    for precision, value in dense.items():
        if precision == run.precision:
            continue
        low = precision in LOW_PRECISIONS or (precision == "bf16" and run.precision in LOW_PRECISIONS)
        cost = COSTS["low_precision" if low else "other_precision"]
        ratio = {value} if own is None else {value, peak_tflops * value / own}
        for tflops in sorted(ratio):
            yield PeakUsed(tflops=tflops, kind="dense", precision=precision, cost=cost, reason=Reason(
                OVER_PRECISION, {"precision": precision, "peak": shown(tflops), "run_precision": run.precision}))


def _sparse(tflops: float, precision: Precision) -> PeakUsed:
    return PeakUsed(tflops=tflops, kind="sparse", precision=precision, cost=COSTS["sparse"],
                    reason=Reason(OVER_SPARSE, {"precision": precision, "peak": shown(tflops)}))


def _others(scenario: Scenario, others: tuple[OtherPeak, ...]) -> Iterator[PeakUsed]:
    own = scenario.hardware.peak_tflops.get(scenario.run.precision)
    texts = {"framework": OVER_FRAMEWORK, "fallback": OVER_FALLBACK, "constant": OVER_CONSTANT}
    costs = {"framework": "framework_peak", "fallback": "fallback", "constant": "constant"}
    together: dict[tuple[PeakWord, float], list[OtherPeak]] = {}
    for other in [*others, *(usual for usual in USUAL_PEAKS if usual not in others)]:
        together.setdefault((other.kind, other.tflops), []).append(other)
    for (kind, tflops), group in together.items():
        near = own is not None and abs(tflops / own - 1) < SAME_PEAK
        names = list(dict.fromkeys(other.framework for other in group))[:MOST_NAMES]
        yield PeakUsed(tflops=tflops, kind=kind, precision="bf16",
                       conventions=frozenset(other.convention for other in group if other.convention),
                       cost=COSTS["rounded_peak" if near else costs[kind]],
                       reason=Reason(OVER_FRAMEWORK if near else texts[kind],
                                     {"peak": shown(tflops), "framework": names}))


def _scopes(scenario: Scenario) -> Iterator[tuple[Scope, float, float, tuple[Reason, ...]]]:
    """(scope, factor, cost, reasons)."""
    hardware, run = scenario.hardware, scenario.run
    yield "device", 1.0, 0.0, ()
    parts = hardware.framework_devices
    if parts > 1:
        unit = {"unit": hardware.unit}
        yield "die", 1.0 / parts, COSTS["die"], (Reason(DIE_OVER_UNIT, unit),)
        yield "unit", float(parts), COSTS["die"], (Reason(UNIT_OVER_DIE, unit),)
    if run.devices is None or run.devices == 1:
        return
    yield "all_devices", float(run.devices), COSTS["all_devices"], (
        Reason(ALL_OVER_ONE, {"devices": run.devices}),)
    node = hardware.devices_per_node
    if node is not None and 1 < node < run.devices:
        yield "node", float(node), COSTS["node"], (Reason(NODE_OVER_ONE, {"devices": node}),)
    yield from _layout_scopes(run, run.devices)


def _layout_scopes(run: RunSpec, devices: int) -> Iterator[tuple[Scope, float, float, tuple[Reason, ...]]]:
    if run.parallel is None and run.micro_batch is None:
        return
    layout = run.parallel
    replica = layout.tensor * layout.pipeline * layout.context if layout is not None else 1
    if 1 < replica < devices:
        words = {"devices": replica}
        yield "replica", float(replica), COSTS["replica"], (Reason(REPLICA_OVER_ONE, words),)
        yield "per_replica", 1.0 / replica, COSTS["replica"], (Reason(ONE_OVER_REPLICA, words),)
    if run.micro_batch is not None and run.global_batch is not None and devices >= replica:
        steps = run.global_batch // (run.micro_batch * (devices // replica))
        if steps > 1:
            yield "accumulation", 1.0 / steps, COSTS["accumulation"], (Reason(ONE_MICRO_BATCH, {"steps": steps}),)


def _slips(is_rate: bool) -> Iterator[tuple[UnitSlip | None, float, float, tuple[Reason, ...]]]:
    """(slip, factor, cost, reasons)."""
    yield None, 1.0, 0.0, ()
    for slip, (factor, cost, text) in SLIPS.items():
        if not (is_rate and slip in ("percent", "fraction")):
            yield slip, factor, COSTS[cost], (Reason(text),)
