"""Sensitivity: what the laws of MFU = FLOPs ÷ (peak × devices × time) say of each input, and moves that divide."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from mfu_gui.engine.batch import accumulation, identity_notices, replicas
from mfu_gui.engine.errors import InputError
from mfu_gui.engine.evaluate import evaluate
from mfu_gui.engine.fields import BY_KEY, with_measured
from mfu_gui.engine.hardware import HardwareSpec
from mfu_gui.engine.run import Measured, Parallel, RunSpec
from mfu_gui.engine.scenario import Peak, Scenario
from mfu_gui.formats.presets import PresetStore
from mfu_gui.planning.sensitivity import FURTHEST, TARGETS, Sensitivities, Sensitivity, sensitivities, step_of
from mfu_gui.planning.spec import PlanSpec, with_plan
from tests.engine.strategies import models, runs, scenario

STORE = PresetStore()


def base(**run: object) -> Scenario:
    made = RunSpec(sequence_length=8192, devices=512, global_batch=1024, measured=Measured(step_time_s=10.0))
    made = replace(made, **run)
    plan = PlanSpec(tokens=15e12)
    return with_plan(Scenario(model=STORE.model("llama-3-8b").spec, run=made,
                              hardware=STORE.hardware("nvidia-h100-sxm5-80gb").spec), plan)


def of(found: Sensitivities, key: str) -> Sensitivity:
    return next(each for each in found.inputs if each.key == key)


def ratios(found: Sensitivities, key: str) -> tuple[float, float]:
    """Target ÷ base at both ends."""
    each = of(found, key)
    assert each.low is not None
    assert each.high is not None
    assert each.low.target is not None
    assert each.high.target is not None
    return each.low.target / found.base, each.high.target / found.base


def test_mfu_moves_as_its_definition_says() -> None:
    """MFU = FLOPs per step ÷ (peak × devices × step time), Chowdhery et al. 2022, appendix B."""
    found = sensitivities(base(), "mfu")
    assert found.held == "step_time_s"
    assert found.base == evaluate(base()).mfu
    assert ratios(found, "run.measured.step_time_s") == pytest.approx((1 / 0.9, 1 / 1.1))
    assert ratios(found, "hardware.peak_tflops") == pytest.approx((1 / 0.9, 1 / 1.1))
    devices = of(found, "run.devices")
    assert (devices.low.input, devices.high.input) == (448, 576)  # type: ignore[union-attr]
    assert ratios(found, "run.devices") == pytest.approx((512 / 448, 512 / 576))
    assert ratios(found, "run.global_batch") == pytest.approx((896 / 1024, 1152 / 1024))


def test_step_time_and_days_are_computed_at_the_same_mfu() -> None:
    step = sensitivities(base(), "step_time_s")
    assert (step.held, step.base) == ("mfu", pytest.approx(10.0))
    assert ratios(step, "run.devices") == pytest.approx((512 / 448, 512 / 576))
    assert ratios(step, "run.measured.mfu") == pytest.approx((1 / 0.9, 1 / 1.1))
    days = sensitivities(base(), "days")
    assert days.base == pytest.approx(15e12 / (1024 * 8192 / 10.0) / 86400)
    assert ratios(days, "plan.tokens") == pytest.approx((0.9, 1.1))
    assert ratios(days, "run.global_batch") == pytest.approx((1, 1))


def test_the_strongest_comes_first() -> None:
    for target in TARGETS:
        found = sensitivities(base(), target)
        swings = [each.swing(found.base) for each in found.inputs]
        assert swings == sorted(swings, reverse=True)
        assert swings[0] > 0


@pytest.mark.parametrize(("key", "value", "step"), [
    ("run.sequence_length", 4096, 512), ("model.layers", 61, 1), ("run.devices", 6144, 512), ("run.devices", 10, 1),
    ("run.global_batch", 15360, 1024), ("model.kv_heads", 1, 1),
])
def test_steps_are_what_the_value_is_a_multiple_of(key: str, value: int, step: int) -> None:
    assert step_of(base(), key, value) == step


def test_a_layout_still_divides_after_a_move() -> None:
    run = replace(base().run, devices=1536, global_batch=1920, micro_batch=2,
                  parallel=Parallel(tensor=8, pipeline=12, context=2))
    start = replace(base(), run=run)
    assert not identity_notices(start.run)
    assert replicas(run) == 8
    found = sensitivities(start, "mfu")
    for key in ("run.devices", "run.global_batch", "model.heads"):
        for end in (of(found, key).low, of(found, key).high):
            if end is None:
                continue
            there = BY_KEY[key].set(start, end.input)
            assert not identity_notices(there.run)
            assert end.input != of(found, key).input
            if key == "run.global_batch":
                assert accumulation(there.run) is not None
    assert of(found, "run.global_batch").high is not None
    heads = of(found, "model.heads")
    assert heads.high is not None
    assert heads.high.input % 8 == 0


def test_what_cannot_move_says_so() -> None:
    """One device has no half; a device count that only doubling divides moves up by a factor of two at most."""
    start = base(devices=1)
    assert of(sensitivities(start, "mfu"), "run.devices").low is None
    tight = replace(base(), run=replace(base().run, devices=64, global_batch=64, parallel=Parallel(tensor=8)))
    devices = of(sensitivities(tight, "mfu"), "run.devices")
    assert devices.high is not None
    assert devices.high.input / devices.input <= FURTHEST
    assert 64 % (devices.high.input / 8) == 0


@pytest.mark.parametrize(("change", "target", "code"), [
    (lambda s: replace(s, run=replace(s.run, measured=None)), "mfu", "sensitivity_needs_measured"),
    (lambda s: with_measured(s, "step_time_s", 1e-3), "days", "sensitivity_needs_measured"),
    (lambda s: replace(with_measured(s, "tokens_per_s_per_device", 9000.0),
                       run=replace(with_measured(s, "tokens_per_s_per_device", 9000.0).run, devices=None)),
     "step_time_s", "sensitivity_needs_step"),
    (lambda s: replace(s, plan=None), "days", "plan_needs_tokens"),
])
def test_what_is_missing_is_said(change, target, code) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InputError) as caught:
        sensitivities(change(base()), target)
    assert caught.value.code == code


def test_a_mix_of_precisions_has_a_peak_that_moves() -> None:
    start = replace(base(), peak=Peak(mix={"fp8": 0.5, "bf16": 0.5}))
    found = sensitivities(start, "mfu")
    assert of(found, "hardware.peak_tflops").input == pytest.approx(evaluate(start).peak_tflops_per_device)
    assert ratios(found, "hardware.peak_tflops") == pytest.approx((1 / 0.9, 1 / 1.1))


@settings(max_examples=40, deadline=None)
@given(models(), runs(), st.floats(0.01, 1))
def test_ends_are_what_the_engine_says_there(model, run, mfu: float) -> None:  # type: ignore[no-untyped-def]
    start = replace(scenario(model, run, peak=1e6), hardware=HardwareSpec(peak_tflops={"bf16": 1e6}))
    start = with_measured(start, "mfu", mfu)
    found = sensitivities(start, "step_time_s")
    for each in found.inputs:
        for end in (each.low, each.high):
            if end is None or each.key == "hardware.peak_tflops":
                continue
            there = evaluate(BY_KEY[each.key].set(start, end.input))
            assert end.target == there.throughput.step_time_s
            assert end.input > 0
            assert (end is each.low) == (end.input < each.input)
            assert end.input <= each.input * FURTHEST + 1
