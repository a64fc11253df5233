"""What must hold of every shipped model on every shipped device, however it is run and counted."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import msgspec
from msgspec.structs import replace

from mfu_gui.engine.axes import axes_of, tokens_per_sequence
from mfu_gui.engine.compare import compare
from mfu_gui.engine.conventions import CONVENTIONS, find
from mfu_gui.engine.conventions.reading import total2
from mfu_gui.engine.differences import differences
from mfu_gui.engine.errors import InputError
from mfu_gui.engine.evaluate import evaluate
from mfu_gui.engine.pieces import lines_of
from mfu_gui.engine.run import MEASURED_KEYS, Measured
from mfu_gui.engine.scenario import Result, Scenario
from mfu_gui.engine.utilization import step_time_at, utilization_at
from mfu_gui.formats.presets import PresetStore
from mfu_gui.formats.scenario_file import load_scenario
from tests.random_scenarios import random_scenario

EXACT = 1e-12
STORE = PresetStore()


def close(one: float | None, other: float | None) -> bool:
    """Equal up to the rounding of a few operations."""
    return one is not None and other is not None and math.isclose(one, other, rel_tol=EXACT)


def scenarios(count: int, seed: int) -> Iterator[tuple[dict[str, Any], Scenario]]:
    """``count`` random scenarios that can be computed, each with its file."""
    chance = random.Random(seed)
    found = 0
    while found < count:
        value = random_scenario(chance)
        try:
            scenario = load_scenario(json.dumps(value).encode(), STORE).scenario
            evaluate(scenario)
        except InputError:
            continue
        found += 1
        yield value, scenario


def check_laws(count: int, seed: int) -> None:
    """All laws on ``count`` scenarios; the file of one that breaks a law is in the message."""
    chance = random.Random(seed)
    for value, scenario in scenarios(count, seed):
        try:
            check(scenario, chance)
        except Exception as error:
            raise AssertionError(json.dumps(value)) from error


def check(scenario: Scenario, chance: random.Random) -> None:
    result = evaluate(scenario)
    finite(msgspec.to_builtins(result))
    finite([msgspec.to_builtins(row) for row in compare(scenario, result)])
    sums_are_exact(scenario, result)
    hardware_is_never_less(result)
    differences_are_exact(scenario, chance)
    timed = with_step_time(scenario)
    if timed is not None:
        linear_in_throughput(timed, chance.uniform(0.01, 100))
        inverses(timed)
        falls_with_step_time(timed, chance.uniform(1.001, 50))
        same_in_other_units(timed, chance)


def with_step_time(scenario: Scenario) -> Scenario | None:
    """The scenario with devices, batch and a step time that leaves its MFU far below 1."""
    if not evaluate(scenario).flops.per_token:
        return None  # a picture model without a picture, read by a convention that sees nothing else
    run = replace(scenario.run, devices=scenario.run.devices or 8, global_batch=scenario.run.global_batch or 16,
                  measured=Measured(mfu=0.01))
    step = evaluate(replace(scenario, run=run)).throughput.step_time_s
    if step is None or not 1e-17 < step < 1e16:
        return None
    return replace(scenario, run=replace(run, measured=Measured(step_time_s=step)))


def utilization(result: Result) -> float:
    """The ratio itself, whichever of the figures it is shown as."""
    rate = result.throughput.tflops_per_device
    assert rate is not None
    return rate / result.peak_tflops_per_device


def finite(value: Any) -> None:
    """No NaN and no infinity anywhere in a result."""
    if isinstance(value, float):
        assert math.isfinite(value)
    elif isinstance(value, dict):
        for each in value.values():
            finite(each)
    elif isinstance(value, list | tuple):
        for each in value:
            finite(each)


def sums_are_exact(scenario: Scenario, result: Result) -> None:
    flops, parts = result.flops, result.flops.components.values()
    if flops.per_step is not None:
        assert all(type(n) is int for part in parts for n in (part.forward, part.backward, part.recompute))
        assert sum(part.forward for part in parts) == flops.forward
        assert sum(part.backward for part in parts) == flops.backward
        assert sum(part.recompute for part in parts) == flops.recompute
        assert (flops.forward or 0) + (flops.backward or 0) == flops.per_step
    counts = result.parameters
    assert sum(counts.components.values()) == counts.total <= counts.checkpoint_total
    assert counts.active <= counts.total
    assert lines_of(find(scenario.convention.id), scenario.model, scenario.run.multi_token_prediction,
                    scenario.run.trainable) or flops.per_token == 0


def hardware_is_never_less(result: Result) -> None:
    assert result.mfu is None or 0 <= result.mfu <= 1
    assert result.implied_mfu is None or (result.implied_mfu > 1 and result.mfu is None)
    if result.convention_kind == "hardware":
        assert result.mfu is None
    elif result.mfu is not None and result.hfu is not None:
        assert result.hfu >= result.mfu
    assert result.flops.hardware_per_token >= result.flops.per_token * (1 - EXACT)


def differences_are_exact(scenario: Scenario, chance: random.Random) -> None:
    """The named terms between two conventions add up to the difference, to the last FLOP."""
    first, second = chance.sample(CONVENTIONS, 2)
    model, run = scenario.model, scenario.run
    axes, tokens = axes_of(model, run), tokens_per_sequence(model, run)
    one, other = (Fraction(total2(convention, model, run, axes, {})) / (2 * tokens) for convention in (first, second))
    assert sum((term.flops_per_token for term in differences(model, run, first, second)), Fraction(0)) == one - other


def linear_in_throughput(scenario: Scenario, factor: float) -> None:
    slow = evaluate(scenario)
    rate = slow.throughput.tokens_per_s
    assert rate is not None
    if 0 < rate * factor < 1e18:
        run = replace(scenario.run, measured=Measured(tokens_per_s=rate * factor))
        fast = evaluate(replace(scenario, run=run))
        assert close(utilization(fast), utilization(slow) * factor)


def inverses(scenario: Scenario) -> None:
    """Each form of the measured quantity leads to all the others and back."""
    first = evaluate(scenario)
    assert scenario.run.devices is not None
    assert first.flops.per_step is not None
    step = first.throughput.step_time_s
    assert step is not None
    given = (first.flops.per_step, first.peak_tflops_per_device, scenario.run.devices)
    if first.flops.per_step:
        assert close(step_time_at(utilization_at(step, *given), *given), step)
    used = utilization(first)
    known: dict[str, float | None] = {key: getattr(first.throughput, key, None) for key in MEASURED_KEYS}
    known["mfu"] = used
    for key, value in known.items():
        if value is None or not 0 < value < 1e18:
            continue
        again = evaluate(replace(scenario, run=replace(scenario.run, measured=Measured(**{key: value}))))
        assert close(utilization(again), used), key
        assert (again.mfu is None) == (first.mfu is None)
        assert first.mfu is None or close(again.mfu, first.mfu)
        assert first.hfu is None or close(again.hfu, first.hfu)
        for other in MEASURED_KEYS[:-1]:
            assert close(getattr(again.throughput, other), known[other]), (key, other)


def falls_with_step_time(scenario: Scenario, factor: float) -> None:
    measured = scenario.run.measured
    assert measured is not None
    assert measured.step_time_s is not None
    slower = replace(scenario, run=replace(scenario.run, measured=Measured(step_time_s=measured.step_time_s * factor)))
    assert utilization(evaluate(slower)) < utilization(evaluate(scenario))


def same_in_other_units(scenario: Scenario, chance: random.Random) -> None:
    """A peak given in hundredths, or twice the devices with twice the batch, changes nothing."""
    first = evaluate(scenario)
    times = chance.randint(2, 9)
    run = scenario.run
    assert run.devices is not None
    assert run.global_batch is not None
    # A contrastive loss compares every image with every text of the batch: its work grows with the square.
    if not scenario.model.contrastive and max(run.devices, run.global_batch) * times <= 10**12:
        larger = replace(run, devices=run.devices * times, global_batch=run.global_batch * times)
        more = evaluate(replace(scenario, run=larger))
        assert close(utilization(more), utilization(first))
        assert more.flops.per_token == first.flops.per_token
        assert more.flops.per_step == (first.flops.per_step or 0) * times
    peak = first.peak_tflops_per_device
    typed = replace(scenario, peak=replace(scenario.peak, tflops=peak, kind="measured", mix=None))
    assert evaluate(typed).mfu == first.mfu
