"""Sweeps: every point is what it is computed alone, and what is held is what is said.

Expected values come from the definition (MFU = model FLOPs ÷ (peak × devices × time), Chowdhery et al. 2022,
arXiv 2204.02311, appendix B), from published tables, and from the program's own exact computation of one point.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.evaluate import evaluate
from mfu_gui.engine.scenario import Scenario
from mfu_gui.planning.anchored import predict
from mfu_gui.planning.sweep import Cancelled, Sweep, sweep
from mfu_gui.planning.sweep_axes import MOST_POINTS, axis_of_key, sweep_fields
from mfu_gui.planning.sweep_fast import fast_keys
from mfu_gui.planning.sweep_point import HOLDS, OUTCOMES, held_of
from tests.planning.scenarios import scenario

EXACT = 1e-12
ALL = tuple(OUTCOMES)
TOKENS = {"tokens": 15e12, "price_per_device_hour": 2.0, "failures": {"device_mtbf_hours": 50_000.0}}


def llama(**run: Any) -> Scenario:
    """Llama 3.1 405B as its report lays it out, with a measured step."""
    usual = {"devices": 16384, "sequence_length": 8192, "global_batch": 2048, "micro_batch": 1,
             "recompute": "selective", "parallel": {"tensor": 8, "pipeline": 16}, "attention_kernel": "flash",
             "measured": {"step_time_s": 40.0}}
    return scenario("llama-3.1-405b", "nvidia-h100-sxm5-80gb", plan=TOKENS, **(usual | run))


def hybrid() -> Scenario:
    """Attention beside state spaces, and recomputation that is no whole number of forward passes."""
    return scenario("jamba-v0.1", "nvidia-a100-sxm4-80gb", plan=TOKENS, devices=64, sequence_length=4096,
                    global_batch=512, recompute="palm", parallel={"tensor": 2, "zero_stage": 1},
                    measured={"tokens_per_s_per_device": 2000.0})


def windows() -> Scenario:
    """Sliding windows and recomputation of some layers' MLP."""
    return scenario("gemma-2-9b", "nvidia-a100-sxm4-80gb", devices=64, sequence_length=4096, global_batch=512,
                    recompute={"layers": 10, "repeat": {"mlp": 0.3}}, parallel={"tensor": 2, "zero_stage": 3},
                    measured={"tokens_per_s": 90_000.0})


def experts() -> Scenario:
    """DeepSeek-V3, whose measured run does not say its layout here."""
    return scenario(plan=TOKENS)


def assert_exact(found: Sweep) -> int:
    """Every point is to float64 what it is by itself, and missing where that is missing; the number of values."""
    compared = 0
    for place in found.places():
        try:
            exact = found.exact(place)
        except InputError:
            assert all(np.isnan(found.values[key][place]) for key in found.values), place
            assert found.error(place) is not None
            continue
        for key, value in exact.items():
            got = found.values[key][place]
            if value is None:
                assert np.isnan(got), (key, place)
            else:
                assert got == pytest.approx(value, rel=EXACT, abs=0), (key, found.at(place))
                compared += 1
    return compared


AXES: tuple[tuple[tuple[str, Sequence[Any]], ...], ...] = (
    (("run.devices", [1, 8, 64, 2048]), ("run.global_batch", [64, 512, 15360])),
    (("run.sequence_length", [100, 4096, 8191, 32768]), ("run.micro_batch", [1, 2])),
    (("run.parallel.tensor", [1, 2, 8]), ("run.parallel.pipeline", [1, 2, 16])),
    (("run.recompute", ["none", "selective", "full"]), ("run.sequence_length", [2048, 8192])),
    (("run.parallel.zero_stage", ["0", "1", "3"]), ("run.parallel.context", [1, 2])),
    (("hardware.peak_tflops", [300.0, 989.0]), ("model.layers", [10, 20])),
)


@pytest.mark.parametrize("make", [llama, hybrid, windows, experts])
@pytest.mark.parametrize("hold", HOLDS)
@pytest.mark.parametrize("axes", AXES, ids=lambda axes: axes[0][0])
def test_points_are_exact(make: Any, hold: Any, axes: Any) -> None:
    base = make()
    found = sweep(base, [axis_of_key(key, values) for key, values in axes], ALL, hold)
    # A layout beside a measured run that says none cannot be predicted; everything else has values.
    unknown = make is experts and hold == "predicted" and "parallel" in axes[0][0]
    assert (assert_exact(found) > 0) is not unknown


@pytest.mark.parametrize("key", ["step_time_s", "tokens_per_s", "tokens_per_s_per_device", "tflops_per_device", "mfu"])
def test_measured_quantities_as_axes(key: str) -> None:
    values = [0.2, 0.45] if key == "mfu" else [5.0, 50.0, 500.0]
    found = sweep(llama(), [axis_of_key(f"run.measured.{key}", values), axis_of_key("run.devices", [8192, 16384])], ALL)
    assert found.held.how == "axis"
    assert assert_exact(found) > 0


def test_what_the_issue_calls_run_fields_is_computed_in_arrays() -> None:
    base = llama()
    for key in ("run.devices", "run.global_batch", "run.sequence_length", "run.micro_batch", "hardware.peak_tflops",
                "run.parallel.tensor"):
        held = held_of(base, [axis_of_key(key, [2])])
        assert fast_keys(base, [key], held, ALL) == {key}, key


def test_the_definition_of_mfu_over_devices() -> None:
    """At a held step time the MFU is inverse to the devices, whatever the model."""
    found = sweep(llama(), [axis_of_key("run.devices", [8192, 16384, 32768])], ("mfu",), "step-time")
    first, second, third = found.values["mfu"]
    assert first == pytest.approx(2 * second, rel=EXACT)
    assert second == pytest.approx(2 * third, rel=EXACT)


def test_days_and_cost_are_inverse_to_the_throughput() -> None:
    """At a held throughput twice the devices take half the time and cost the same, without failures."""
    base = scenario(plan={"tokens": 14.8e12, "price_per_device_hour": 2.0})
    found = sweep(base, [axis_of_key("run.devices", [1024, 2048])], ("days", "cost", "device_hours"), "throughput")
    days, cost, hours = (found.values[key] for key in ("days", "cost", "device_hours"))
    assert days[0] == pytest.approx(2 * days[1], rel=EXACT)
    assert cost[0] == pytest.approx(cost[1], rel=EXACT)
    # DeepSeek-V3: 14.8T tokens in 2.664M H800 hours (arXiv 2412.19437, table 1) from its own step of 19.926 s.
    assert hours[1] == pytest.approx(2.664e6, rel=0.035)


def test_every_hold_keeps_what_it_says() -> None:
    base, axis = llama(), [axis_of_key("run.sequence_length", [4096, 8192])]
    now = evaluate(base)
    for hold, key, value in (("mfu", "mfu", now.mfu), ("hfu", "hfu", now.hfu),
                             ("step-time", "step_time_s", now.throughput.step_time_s),
                             ("throughput", "tokens_per_s_per_device", now.throughput.tokens_per_s_per_device)):
        found = sweep(base, axis, (key,), hold)  # type: ignore[arg-type]
        assert found.values[key] == pytest.approx([value, value], rel=EXACT), hold
    predicted = sweep(base, axis, ("step_time_s",), "predicted")
    assert predicted.values["step_time_s"][0] == pytest.approx(
        predict(base, predicted.scenario((0,))).step_time_s, rel=EXACT)


def test_usual_holds() -> None:
    axis = [axis_of_key("run.devices", [1024])]
    assert held_of(llama(), axis).how == "predicted"
    assert held_of(llama(measured={"mfu": 0.4}), axis).how == "mfu"
    assert held_of(llama(measured=None), axis).how == "model"
    assert held_of(llama(global_batch=None, measured={"tokens_per_s_per_device": 100.0}), axis).how == "hfu"
    assert held_of(llama(global_batch=None, measured=None), axis).how == "none"


def test_what_cannot_be_held_is_refused() -> None:
    axis = [axis_of_key("run.measured.mfu", [0.4])]
    with pytest.raises(InputError, match="sweep_hold_axis"):
        sweep(llama(), axis, ("mfu",), "mfu")
    with pytest.raises(InputError, match="sweep_hold_needs"):
        sweep(llama(measured=None), [axis_of_key("run.devices", [8])], ("mfu",), "hfu")


def test_axes_are_checked() -> None:
    devices = axis_of_key("run.devices", [8, 16])
    with pytest.raises(InputError, match="sweep_axes"):
        sweep(llama(), [], ("mfu",))
    with pytest.raises(InputError, match="duplicate_name"):
        sweep(llama(), [devices, devices], ("mfu",))
    with pytest.raises(InputError, match="out_of_range"):
        axis_of_key("run.devices", [8, 0])
    with pytest.raises(InputError, match="unknown_choice"):
        axis_of_key("run.precision", ["bf8"])
    with pytest.raises(InputError, match="sweep_no_values"):
        axis_of_key("run.devices", [])
    with pytest.raises(InputError, match="sweep_too_many"):
        sweep(llama(), [axis_of_key("run.devices", list(range(1, MOST_POINTS // 2))),
                        axis_of_key("run.global_batch", [1, 2, 3])], ("mfu",))
    with pytest.raises(InputError, match="unknown_choice"):
        sweep(llama(), [devices], ("speed",))


def test_a_point_that_cannot_be_computed_has_a_reason() -> None:
    found = sweep(scenario("llama-3.1-8b", "nvidia-a100-sxm4-80gb", devices=8, sequence_length=4096, global_batch=8,
                           measured={"mfu": 0.4}), [axis_of_key("run.precision", ["bf16", "fp8"])], ("mfu",))
    assert np.isnan(found.values["mfu"]).tolist() == [False, True]
    error = found.error((1,))
    assert error is not None
    assert error.code == "peak_missing"
    assert found.error((0,)) is None


def test_current_best_and_filters() -> None:
    found = sweep(llama(), [axis_of_key("run.devices", [8192, 16384]), axis_of_key("run.micro_batch", [1, 2])],
                  ("step_time_s", "memory_share", "days", "mfu"))
    assert found.current() == (1, 0)
    assert found.at((1, 0)) == (16384, 1)
    fastest = found.best("step_time_s")
    assert fastest is not None
    assert found.values["step_time_s"][fastest] == found.values["step_time_s"].min()
    assert found.best("mfu") == tuple(np.unravel_index(found.values["mfu"].argmax(), found.shape))
    limit = float(np.median(found.values["days"]))
    assert (found.kept(most_days=limit) == (found.values["days"] <= limit)).all()
    assert (found.kept(fits=True) == (found.values["memory_share"] <= 1)).all()
    assert found.best("mfu", np.zeros(found.shape, dtype=np.bool_)) is None


def test_the_scenario_of_a_point_has_its_results() -> None:
    found = sweep(llama(), [axis_of_key("run.devices", [8192, 16384])], ("mfu", "step_time_s"))
    made = evaluate(found.scenario((0,)))
    assert made.mfu == pytest.approx(found.values["mfu"][0], rel=EXACT)
    assert found.scenario((0,)).run.devices == 8192


def test_progress_and_cancel() -> None:
    told: list[tuple[int, int]] = []

    def progress(done: int, of: int) -> bool:
        told.append((done, of))
        return len(told) < 3

    axes = [axis_of_key("model.layers", list(range(1, 400)))]
    with pytest.raises(Cancelled):
        sweep(llama(), axes, ("mfu",), "mfu", progress)
    assert told[0] == (0, 399)
    assert len(told) == 3


def test_large_sweeps_are_computed_in_parts() -> None:
    """Parts and whole agree: the same numbers whichever way they are cut."""
    devices = list(range(1024, 1024 + 300))
    both = sweep(llama(), [axis_of_key("run.devices", devices), axis_of_key("run.global_batch", range(2000, 2400))],
                 ("mfu",))
    row = sweep(llama(), [axis_of_key("run.devices", devices)], ("mfu",))
    assert both.values["mfu"][:, 48] == pytest.approx(row.values["mfu"], rel=EXACT)


def test_every_field_that_can_be_varied_keeps_its_own_value() -> None:
    """Putting the value that is there changes no result."""
    base = llama()
    for key, field in sweep_fields().items():
        value = field.get(base)
        if value is None or value == "" or not field.applies(base) or key.startswith("run.measured."):
            continue
        found = sweep(base, [axis_of_key(key, [value])], ("mfu", "memory_bytes"), "step-time")
        assert found.values["mfu"][0] == pytest.approx(evaluate(base).mfu, rel=EXACT), key


@settings(max_examples=25, deadline=None)
@given(lengths=st.lists(st.integers(1, 10**6), min_size=1, max_size=6, unique=True),
       convention=st.sampled_from(["matmul-causal", "matmul-full", "palm", "megatron-2021", "nanogpt", "deepseek"]),
       model=st.sampled_from(["llama-3.1-8b", "gemma-3-12b", "llama-4-scout", "qwen3-next-80b-a3b", "mamba2-2.7b",
                              "bert-base"]))
def test_any_length_and_convention(lengths: list[int], convention: str, model: str) -> None:
    base = scenario(model, "nvidia-h100-sxm5-80gb", convention={"id": convention}, devices=8, sequence_length=2048,
                    global_batch=3, measured={"tokens_per_s_per_device": 0.001})
    found = sweep(base, [axis_of_key("run.sequence_length", lengths)], ("flops_per_step", "flops_per_token", "mfu"),
                  "throughput")
    assert_exact(found)
