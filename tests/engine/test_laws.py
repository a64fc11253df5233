"""What must hold for every model and every run."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace

from mfu_gui.engine.compare import compare
from mfu_gui.engine.evaluate import evaluate
from mfu_gui.engine.model import Attention, ModelSpec
from mfu_gui.engine.model_edit import map_mixers
from mfu_gui.engine.run import MEASURED_KEYS, Measured, Recompute, RunSpec
from mfu_gui.engine.scenario import ConventionChoice, Result, Scenario
from mfu_gui.engine.utilization import step_time_at, utilization_at
from tests.engine.strategies import attentions, models, runs, scenario

EXACT = 1e-12
STEP_TIMES = st.floats(1e-3, 1e6)
RECOMPUTES = st.sampled_from(["none", "selective", "full", "full-with-head", "palm", "korthikanti-printed"])
COUNTS = st.sampled_from(["matmul-causal", "matmul-full", "6n", "6n-active", "palm", "megatron-lm", "nanogpt"])


def close(one: float | None, other: float | None) -> bool:
    """Equal up to the rounding of a few operations."""
    assert one is not None
    assert other is not None
    return math.isclose(one, other, rel_tol=EXACT)


def utilization(result: Result) -> float:
    """The ratio itself, below 1 or not."""
    rates = result.throughput
    assert rates.tflops_per_device is not None
    return rates.tflops_per_device / result.peak_tflops_per_device


def measured_at(model: ModelSpec, run: RunSpec, step_time_s: float, convention: str = "matmul-causal") -> Scenario:
    """A scenario whose step time leaves the utilization below 1."""
    made = scenario(model, run, convention=convention, measured=Measured(step_time_s=step_time_s))
    assume(utilization(evaluate(made)) < 0.5)
    return made


@given(models(), runs(), STEP_TIMES, st.floats(0.1, 2.0))
def test_mfu_is_linear_in_throughput(model: ModelSpec, run: RunSpec, step_time_s: float, factor: float) -> None:
    made = measured_at(model, run, step_time_s)
    slow = evaluate(made)
    assert slow.throughput.tokens_per_s is not None
    tokens = Measured(tokens_per_s=slow.throughput.tokens_per_s * factor)
    assume(0 < (tokens.tokens_per_s or 0) < 1e18)
    fast = evaluate(replace(made, run=replace(made.run, measured=tokens)))
    assert close(utilization(fast), utilization(slow) * factor)


@given(models(), runs(), STEP_TIMES, COUNTS)
def test_every_form_of_the_measured_quantity_gives_the_same_result(
        model: ModelSpec, run: RunSpec, step_time_s: float, convention: str) -> None:
    made = measured_at(model, run, step_time_s, convention)
    first = evaluate(made)
    known = {"mfu": first.mfu, **{key: getattr(first.throughput, key) for key in MEASURED_KEYS if key != "mfu"}}
    for key, value in known.items():
        again = evaluate(replace(made, run=replace(run, measured=Measured(**{key: value}))))
        assert close(again.mfu, first.mfu), key
        for other in MEASURED_KEYS[:-1]:
            assert close(getattr(again.throughput, other), known[other]), (key, other)


@given(models(), runs(), STEP_TIMES)
def test_step_time_and_utilization_are_inverse(model: ModelSpec, run: RunSpec, step_time_s: float) -> None:
    result = evaluate(measured_at(model, run, step_time_s))
    assert result.flops.per_step is not None
    assert run.devices is not None
    given_peak = (result.flops.per_step, result.peak_tflops_per_device, run.devices)
    assert close(utilization_at(step_time_s, *given_peak), result.mfu)
    assert close(step_time_at(utilization_at(step_time_s, *given_peak), *given_peak), step_time_s)


@given(models(), runs(), STEP_TIMES, st.floats(1.001, 100))
def test_mfu_falls_as_the_step_takes_longer(model: ModelSpec, run: RunSpec, step_time_s: float, longer: float) -> None:
    made = measured_at(model, run, step_time_s)
    slower = replace(made, run=replace(run, measured=Measured(step_time_s=step_time_s * longer)))
    assert utilization(evaluate(slower)) < utilization(evaluate(made))


@given(models(), runs(), COUNTS, RECOMPUTES)
def test_parts_add_up_exactly(model: ModelSpec, run: RunSpec, convention: str, recompute: str) -> None:
    flops = evaluate(scenario(model, replace(run, recompute=recompute), convention=convention)).flops
    parts = flops.components.values()
    assert all(isinstance(n, int) for part in parts for n in (part.forward, part.backward, part.recompute))
    assert sum(part.forward for part in parts) == flops.forward
    assert sum(part.backward for part in parts) == flops.backward
    assert sum(part.recompute for part in parts) == flops.recompute
    assert flops.forward is not None
    assert flops.backward is not None
    assert flops.forward + flops.backward == flops.per_step


@given(models(), runs(), st.integers(2, 50))
def test_flops_are_proportional_to_the_batch(model: ModelSpec, run: RunSpec, times: int) -> None:
    assert run.global_batch is not None
    one = evaluate(scenario(model, run)).flops
    many = evaluate(scenario(model, replace(run, global_batch=run.global_batch * times))).flops
    assert one.per_step is not None
    assert many.per_step == one.per_step * times
    assert many.per_token == one.per_token


@given(models(), runs(), STEP_TIMES, RECOMPUTES, st.sampled_from([None, "flash", "unfused"]))
def test_hfu_is_never_below_mfu(model: ModelSpec, run: RunSpec, step_time_s: float, recompute: str,
                                kernel: str | None) -> None:
    made = measured_at(model, run, step_time_s)
    result = evaluate(replace(made, run=replace(made.run, recompute=recompute, attention_kernel=kernel)))
    assert result.mfu == evaluate(made).mfu, "recomputation never counts in MFU"
    assert result.hfu is None or result.hfu >= (result.mfu or 0)
    if recompute == "none" and kernel != "flash":
        assert result.hfu == result.mfu


@given(models(), runs(), st.integers(0, 20))
def test_recomputing_more_layers_repeats_more(model: ModelSpec, run: RunSpec, layers: int) -> None:
    def repeated(count: int | None) -> int:
        recompute = Recompute(layers=count, repeat={"*": 1.0})
        flops = evaluate(scenario(model, replace(run, recompute=recompute))).flops
        assert flops.recompute is not None
        return flops.recompute

    every = evaluate(scenario(model, run)).flops
    assert repeated(0) == 0
    assert repeated(layers) <= repeated(layers + 1) <= repeated(None)
    assert repeated(None) == sum(p.forward for name, p in every.components.items() if name != "lm_head")


@given(models(), runs(), st.lists(st.integers(1, 512), min_size=2, max_size=6), COUNTS)
def test_packed_documents_cost_no_more_than_one_of_their_length(
        model: ModelSpec, run: RunSpec, lengths: list[int], convention: str) -> None:
    run = replace(run, sequence_length=sum(lengths))
    whole = evaluate(scenario(model, run, convention=convention)).flops
    packed = evaluate(scenario(model, replace(run, document_lengths=tuple(lengths)), convention=convention)).flops
    assert whole.per_step is not None
    assert packed.per_step is not None
    assert packed.per_step <= whole.per_step
    alone = evaluate(scenario(model, replace(run, document_lengths=(sum(lengths),)), convention=convention)).flops
    assert alone == whole


@given(models(), runs(), st.integers(1, 512), st.integers(1, 512))
def test_padding_is_executed_and_is_no_model_work(model: ModelSpec, run: RunSpec, tokens: int, padding: int) -> None:
    padded = evaluate(scenario(model, replace(run, sequence_length=tokens + padding, document_lengths=(tokens,))))
    plain = evaluate(scenario(model, replace(run, sequence_length=tokens)))
    assert padded.flops.per_step == plain.flops.per_step
    assert padded.flops.per_token == plain.flops.per_token
    assert padded.flops.padding is not None
    assert padded.flops.padding > 0
    assert padded.flops.hardware_per_token > plain.flops.hardware_per_token
    assert "padding_present" in {notice.code for notice in padded.warnings}


@given(models(mixers=attentions()), runs())
def test_a_window_never_adds_pairs(model: ModelSpec, run: RunSpec) -> None:
    def core(spec: ModelSpec, convention: str) -> int:
        parts = evaluate(scenario(spec, run, convention=convention)).flops.components
        return parts["attention_qk"].forward + parts["attention_av"].forward

    unlimited = map_mixers(model, lambda m: replace(m, window=None, chunk=None) if isinstance(m, Attention) else m)
    assert core(model, "matmul-causal") <= core(unlimited, "matmul-causal") <= core(unlimited, "matmul-full")
    assert core(model, "matmul-full") == core(unlimited, "matmul-full")


@given(models(mixers=attentions()), runs())
def test_a_window_as_long_as_the_sequence_changes_nothing(model: ModelSpec, run: RunSpec) -> None:
    def limited(**limit: int | None) -> int | None:
        spec = map_mixers(model, lambda m: replace(m, **limit) if isinstance(m, Attention) else m)
        return evaluate(scenario(spec, run)).flops.per_step

    length = run.sequence_length
    full = limited(window=None, chunk=None)
    assert limited(window=length, chunk=None) == full
    assert limited(window=None, chunk=length) == full


@given(models(), runs())
def test_causal_pairs_lie_between_half_and_all(model: ModelSpec, run: RunSpec) -> None:
    spec = map_mixers(model, lambda m: replace(m, window=None, chunk=None) if isinstance(m, Attention) else m)
    causal = evaluate(scenario(spec, run)).flops.components
    full = evaluate(scenario(spec, run, convention="matmul-full")).flops.components
    length = run.sequence_length
    for name in ("attention_qk", "attention_av"):
        assert causal[name].forward * 2 * length == full[name].forward * (length + 1)


@given(models(), runs())
def test_parameters_add_up_and_active_is_no_more_than_total(model: ModelSpec, run: RunSpec) -> None:
    counts = evaluate(scenario(model, run)).parameters
    assert sum(counts.components.values()) == counts.total <= counts.checkpoint_total
    assert counts.active <= counts.total


@given(models(), runs(), STEP_TIMES, COUNTS)
def test_the_chosen_row_of_the_comparison_is_the_result(model: ModelSpec, run: RunSpec, step_time_s: float,
                                                        convention: str) -> None:
    made = measured_at(model, run, step_time_s, convention)
    result = evaluate(made)
    row = next(row for row in compare(made, result) if row.id == convention)
    assert row.flops_per_step == result.flops.per_step
    assert close(row.utilization, result.mfu)


@given(models(), st.integers(1, 4096), st.floats(1e-3, 1e6))
def test_a_rate_of_one_device_needs_neither_devices_nor_batch(model: ModelSpec, length: int, rate: float) -> None:
    run = RunSpec(sequence_length=length, measured=Measured(tokens_per_s_per_device=rate))
    made = scenario(model, run)
    result = evaluate(made)
    assert result.throughput.tokens_per_s is None
    assert result.throughput.step_time_s is None
    assert result.flops.per_step is None
    full = evaluate(replace(made, run=replace(run, devices=8, global_batch=16)))
    assert utilization(result) == utilization(full)


@given(models(), runs())
def test_without_a_measurement_there_is_no_utilization(model: ModelSpec, run: RunSpec) -> None:
    result = evaluate(scenario(model, run))
    assert (result.mfu, result.hfu, result.implied_mfu) == (None, None, None)
    assert result.throughput.tflops_per_device is None
    assert result.flops.per_step is not None


@given(st.dictionaries(st.sampled_from(["bf16", "fp8", "fp4"]), st.integers(1, 99), min_size=1))
def test_a_mix_of_precisions_lies_between_its_peaks(shares: dict[str, int]) -> None:
    from mfu_gui.engine.hardware import HardwareSpec
    from mfu_gui.engine.scenario import Peak
    from mfu_gui.engine.utilization import peak_tflops_per_device

    hardware = HardwareSpec(peak_tflops={"bf16": 1000.0, "fp8": 2000.0, "fp4": 4000.0})
    whole = sum(shares.values())
    mix = {precision: share / whole for precision, share in shares.items()}
    peak = peak_tflops_per_device(hardware, "bf16", Peak(mix=mix))
    used = [hardware.peak_tflops[precision] for precision in mix]
    assert min(used) * (1 - EXACT) <= peak <= max(used) * (1 + EXACT)
    time = sum(share / hardware.peak_tflops[precision] for precision, share in mix.items())
    assert close(peak, 1 / time)


def test_a_step_exactly_at_the_peak_passes() -> None:
    from mfu_gui.engine.model import Dense, Head, Layer, Stack

    layer = Layer(mixers=(), ffns=(Dense(width=10**6, matrices=2),))
    model = ModelSpec(vocabulary=0, head=Head(), stacks=(
        Stack(hidden_size=10**6, kinds=(layer,), order=(("layer", 1),)),))
    run = RunSpec(sequence_length=1, devices=1, global_batch=1)
    flops = evaluate(scenario(model, run)).flops.per_step
    assert flops == 12 * 10**12
    exact = evaluate(scenario(model, run, peak=12.0, measured=Measured(step_time_s=1.0)))
    assert (exact.mfu, exact.hfu, exact.implied_mfu) == (1.0, 1.0, None)
    above = evaluate(scenario(model, run, peak=12.0, measured=Measured(step_time_s=0.999)))
    assert (above.mfu, above.hfu) == (None, None)
    assert above.implied_mfu == pytest.approx(1 / 0.999)
    assert ConventionChoice() == above.convention
