"""Which combination of rules, peak and scope yields a reported number.

Every way of counting (convention, options, recomputation, multi-token prediction) is combined with
every way of dividing (peak, scope, slip of units); what meets the printed digits is kept and ranked
by what its assumptions cost (see ``explain_reasons``).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from msgspec.structs import replace

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.evaluate import evaluate
from mfu_gui.engine.explain_counts import Counting, countings
from mfu_gui.engine.explain_digits import half_digit as half_digit_of
from mfu_gui.engine.explain_digits import half_digit_of_fraction, relative_half_digit
from mfu_gui.engine.explain_factors import SAME_PEAK, Factor, OtherPeak, factors
from mfu_gui.engine.explain_reasons import ALSO, COSTS, MOST_COST, Explanation, Reason
from mfu_gui.engine.run import RecomputeName
from mfu_gui.engine.scenario import ConventionChoice, Reported, Scenario

MOST = 12
"""Explanations that are offered at most."""
MOST_OF_ONE_DIVISION = 4
"""Explanations at most that divide in the same way and differ in the count alone."""
ROUNDING = 1e-9
"""What a value on the very edge of the printed digits may miss it by."""

__all__ = ["Explanation", "OtherPeak", "Reason", "apply", "explain", "reported_value"]


def reported_value(reported: Reported) -> tuple[float, float]:
    """The reported number and half of its last digit; InputError unless exactly one is given."""
    given = [value for value in (reported.mfu, reported.hfu, reported.tflops_per_device) if value is not None]
    if len(given) != 1:
        raise InputError("exactly_one", "reported", allowed="mfu, hfu, tflops_per_device")
    value = given[0]
    return value, half_digit_of(value) if reported.tflops_per_device is not None else half_digit_of_fraction(value)


def explain(scenario: Scenario, others: tuple[OtherPeak, ...] = (), counted: Sequence[Counting] | None = None,
            half_digit: float | None = None) -> list[Explanation]:
    """What the reported number of ``scenario`` may mean, most plausible first.

    ``others`` are the peaks that frameworks have for the device, ``counted`` the ``countings`` of the
    scenario where they are at hand, ``half_digit`` half of the last digit of the reported number where
    the number does not show it (40.0 %).  InputError ``required`` where nothing is reported, nothing is
    measured, or the speed of one device cannot be known.
    """
    if scenario.reported is None:
        raise InputError("required", "reported")
    if scenario.run.measured is None:
        raise InputError("required", "run.measured")
    target, half = reported_value(scenario.reported)
    half = half if half_digit is None else half_digit
    result = evaluate(replace(scenario, reported=None))
    rate = result.throughput.tokens_per_s_per_device
    if rate is None:
        raise InputError("required", "run.devices")
    inputs = relative_half_digit(scenario.run.measured)
    low, high = (target - half) / (1 + inputs), (target + half) / (1 - inputs)
    is_rate = scenario.reported.tflops_per_device is not None
    ways = factors(scenario, result.peak_tflops_per_device, others, is_rate=is_rate)
    multipliers = [way.factor for way in ways]
    found = []
    for counting in countings(scenario) if counted is None else counted:
        tflops = rate * counting.flops_per_token / 1e12
        for way in ways[bisect_left(multipliers, low / tflops) :]:
            value = tflops * way.factor
            if value > high:
                break
            one = _explanation(scenario, counting, way, value, target, half)
            if one.cost <= MOST_COST:
                found.append(one)
    return _best(found, result.peak_tflops_per_device)


def _explanation(scenario: Scenario, counting: Counting, way: Factor, value: float, target: float,
                 half: float) -> Explanation:
    peak = way.peak
    cost = counting.cost + way.cost
    if peak is not None and counting.convention.id.partition("@")[0] in peak.conventions:
        cost += max(COSTS["own_framework"], -peak.cost)
    return Explanation(
        convention=counting.convention.id, options=counting.options, title=counting.convention.title,
        multi_token_prediction=counting.depths, recompute=counting.recompute,
        peak_tflops=None if peak is None else peak.tflops, peak_kind="none" if peak is None else peak.kind,
        precision=scenario.run.precision if peak is None else peak.precision, scope=way.scope,
        unit_slip=way.unit_slip, value=value, residual=value / target - 1, cost=cost,
        digits_match=abs(value - target) <= half * (1 + ROUNDING),
        reasons=counting.reasons + way.reasons)


def _best(found: list[Explanation], own_peak: float) -> list[Explanation]:
    """The most plausible ones; of equal cost, the nearest first, and not too many of one division.

    Where two peaks of a device are as large (2:4 sparse and fp8), one explanation names both.
    """
    kept: list[Explanation] = []
    used: dict[tuple[object, ...], int] = {}
    for one in sorted(found, key=lambda e: (round(e.cost, 6), abs(e.residual))):
        like = next((place for place, other in enumerate(kept) if _as_large(one, other)), None)
        if like is not None:
            kept[like] = _with_name(kept[like], one, own_peak)
            continue
        if any(_same_number(one, other) or _roundabout(one, other, own_peak) for other in kept) or len(kept) == MOST:
            continue
        division = (one.peak_tflops, one.scope, one.unit_slip)
        number = used[division] = used.get(division, 0) + 1
        if number <= MOST_OF_ONE_DIVISION:
            kept.append(one)
    return kept


def _with_name(kept: Explanation, other: Explanation, own_peak: float) -> Explanation:
    """``kept``, which also says what else the peak may be; but for the peak that the scenario has itself."""
    if kept.peak_tflops is None or abs(kept.peak_tflops / own_peak - 1) < SAME_PEAK:
        return kept
    said = {reason.text for reason in kept.reasons}
    names = tuple(Reason(ALSO[reason.text], reason.values) for reason in other.reasons
                  if reason.text in ALSO and not said & {reason.text, ALSO[reason.text]})
    return replace(kept, reasons=(*kept.reasons, *names)) if names else kept


def _same_number(one: Explanation, other: Explanation) -> bool:
    """Whether two explanations divide equal FLOPs by equal peaks: the names differ, nothing else."""
    return (abs(one.value / other.value - 1) < 1e-11 and one.peak_tflops == other.peak_tflops
            and (one.scope, one.unit_slip) == (other.scope, other.unit_slip))


def _same_count(one: Explanation, other: Explanation) -> bool:
    return ((one.convention, one.options, one.recompute, one.multi_token_prediction)
            == (other.convention, other.options, other.recompute, other.multi_token_prediction))


def _roundabout(one: Explanation, other: Explanation, own_peak: float) -> bool:
    """Whether two mistakes that undo each other say what ``other`` says without them: the sparse peak
    and FLOPs doubled."""
    twice = one.peak_tflops not in (None, own_peak) and (one.unit_slip is not None or one.scope != "device")
    return (twice and other.unit_slip is None and other.scope == "device" and _same_count(one, other)
            and abs(one.value / other.value - 1) < SAME_PEAK)


def _as_large(one: Explanation, other: Explanation) -> bool:
    """Whether two explanations differ in the name or the rounding of one peak only (989, 989.4, 989.5)."""
    if one.peak_tflops is None or other.peak_tflops is None:
        return False
    return (abs(one.peak_tflops / other.peak_tflops - 1) < SAME_PEAK and _same_count(one, other)
            and (one.scope, one.unit_slip) == (other.scope, other.unit_slip))


def apply(scenario: Scenario, explanation: Explanation) -> Scenario:
    """The scenario changed to what the explanation assumes, as far as its fields can say it.

    Convention, options, recomputation, multi-token prediction, peak and the meaning of "device" are
    set; a slip of units or FLOPs of several devices over one peak have no field, and stay.
    """
    run, peak = scenario.run, scenario.peak
    changes: dict[str, object] = {"multi_token_prediction": explanation.multi_token_prediction}
    if explanation.recompute is not None and explanation.recompute != "run":
        name: RecomputeName = explanation.recompute  # type: ignore[assignment]
        changes["recompute"] = name
    if explanation.peak_kind == "sparse":
        peak = replace(peak, kind="sparse", tflops=explanation.peak_tflops)
    elif explanation.peak_tflops is not None and explanation.peak_tflops != _peak_of(scenario):
        peak = replace(peak, kind="dense", tflops=explanation.peak_tflops, mix=None)
    if explanation.scope == "unit":
        peak = replace(peak, devices_are="framework_devices")
    elif explanation.scope == "die":
        peak = replace(peak, devices_are="units")
    return replace(scenario, run=replace(run, **changes), peak=peak,
                   convention=ConventionChoice(id=explanation.convention, options=explanation.options))


def _peak_of(scenario: Scenario) -> float:
    return evaluate(replace(scenario, reported=None)).peak_tflops_per_device
