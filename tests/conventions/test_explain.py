"""Reported numbers whose meaning is known, each explained first."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.evaluate import evaluate
from mfu_gui.engine.explain import Explanation, apply, explain
from mfu_gui.engine.explain_digits import half_digit, half_digit_of_fraction
from mfu_gui.engine.run import Measured, Parallel, RunSpec
from mfu_gui.engine.scenario import ConventionChoice, Peak, Reported, Scenario, Source
from mfu_gui.formats.explain_json import explain_scenario, explanation_object, explanation_sentence
from mfu_gui.formats.presets import PresetStore
from mfu_gui.formats.published import published
from mfu_gui.texts import translator

from .test_known_figures import shape

STORE = PresetStore()
H100, H800 = "nvidia-h100-sxm5-80gb", "nvidia-h800-sxm5-80gb"
DEFAULT = ConventionChoice()
V3_RATE = round(14.8e12 / (2.664e6 * 3600), 2)
"""Tokens/s of one GPU: 14.8T tokens in 2.664M H800-hours."""


def scenario(model: str, device: str, run: RunSpec, reported: Reported, convention: ConventionChoice = DEFAULT,
             peak_tflops: float | None = None) -> Scenario:
    return Scenario(model=shape(model), hardware=STORE.hardware(device).spec, hardware_source=Source(preset=device),
                    run=run, reported=reported, convention=convention, peak=Peak(tflops=peak_tflops))


def run_of(length: int, measured: dict[str, float], **values: Any) -> RunSpec:
    return RunSpec(sequence_length=length, measured=Measured(**measured), **values)


def first(asked: Scenario) -> Explanation:
    return explain_scenario(asked)[0]


def v3(reported: float, convention: ConventionChoice = DEFAULT) -> Scenario:
    run = run_of(4096, {"step_time_s": 19.926}, devices=2048, global_batch=15360)
    return scenario("deepseek-v3", H800, run, Reported(mfu=reported), convention, 989)


@pytest.mark.parametrize("convention", [DEFAULT, ConventionChoice(id="matmul-full", options={"router": False})])
def test_deepseek_v3_is_the_full_square_without_router(convention: ConventionChoice) -> None:
    # arXiv 2505.09343, table 4: 43.73 % non-causal.
    found = first(v3(0.4373, convention))
    assert (found.convention, found.options) == ("matmul-full", {"router": False})
    assert (found.peak_tflops, found.scope, found.recompute, found.unit_slip) == (989, "device", None, None)


def test_deepseek_v3_causal() -> None:
    # arXiv 2505.09343, table 4: 38.94 % causal.
    found = first(v3(0.3894))
    assert (found.convention, found.options) == ("matmul-causal", {"router": False})


@pytest.mark.parametrize("reported", [0.37, 0.372, 0.37156])
def test_37_percent_is_a_slip_of_binary_units(reported: float) -> None:
    # feifeibear/DPSKV3MFU commit d84c2cf: 37.156 % with 1024³ FLOPs and 1024 hours; corrected 38.96 %.
    run = run_of(4096, {"tokens_per_s_per_device": V3_RATE})
    asked = scenario("deepseek-v3", H800, run, Reported(mfu=reported), ConventionChoice(id="deepseek"), 989.5)
    found = first(asked)
    assert (found.convention, found.unit_slip) == ("deepseek", "binary_2")
    assert found.value == pytest.approx(0.37156, abs=5e-6)
    assert evaluate(apply(asked, found)).mfu == pytest.approx(0.38961, abs=5e-6)


@pytest.mark.parametrize("convention", ["matmul-causal", "palm", "torchtitan"])
def test_24_percent_on_h100_is_the_sparse_peak(convention: str) -> None:
    # foundation-model-stack/fms-fsdp#89: 480 TFLOP/s over 1979 are 24.3 %; over the dense 989 they are 48.5 %.
    run = run_of(4096, {"tflops_per_device": 480.0})
    asked = scenario("llama2-7b", H100, run, Reported(mfu=0.243), ConventionChoice(id=convention))
    found = first(asked)
    assert (found.peak_kind, found.convention) == ("sparse", convention)
    assert found.peak_tflops == pytest.approx(1979, abs=1)
    applied = evaluate(apply(asked, found))
    assert applied.mfu == pytest.approx(found.value)


@pytest.mark.parametrize("convention", ["matmul-causal", "nanogpt"])
def test_104_percent_on_h100_is_the_a100_peak_of_nanogpt(convention: str) -> None:
    # karpathy/nanoGPT#464: 104 % on an H100 against the fixed 312 TFLOP/s of an A100: 1.04 × 312 = 324.5 TFLOP/s.
    batch, length = 480, 1024
    step = round(batch * length * 854_770_176 / (8 * 324.5e12), 4)
    run = run_of(length, {"step_time_s": step}, devices=8, global_batch=batch)
    found = first(scenario("gpt2-124m-v50304", H100, run, Reported(mfu=1.04), ConventionChoice(id=convention)))
    assert (found.convention, found.peak_tflops, found.peak_kind) == ("nanogpt", 312.0, "constant")


@pytest.mark.parametrize("convention", ["matmul-causal", "torchtitan"])
def test_563_percent_on_mi355x_is_the_a100_fallback(convention: str) -> None:
    # AMD-AGI/Primus#772: MI355X unknown to torchtitan's table, 563 % shown; 5.63 × 312 = 1756.6 TFLOP/s.
    run = run_of(8192, {"tflops_per_device": 1756.6}, devices=8)
    found = first(scenario("llama3-8b", "amd-mi355x", run, Reported(mfu=5.63), ConventionChoice(id=convention)))
    assert (found.peak_tflops, found.peak_kind, found.scope) == (312.0, "fallback", "device")


@pytest.mark.parametrize("recompute", ["none", "palm"])
@pytest.mark.parametrize("convention", ["matmul-causal", "palm"])
def test_palm_57_percent_is_hfu(recompute: str, convention: str) -> None:
    # PaLM, sec. 4.1: 46.2 % MFU, 57.8 % HFU; articles quote the second as "utilisation".
    asked = published().scenario(published().by_id["palm-chowdhery-et-al-2-001"])
    assert asked is not None
    asked = replace(asked, reported=Reported(mfu=0.578), convention=ConventionChoice(id=convention),
                    run=replace(asked.run, recompute=recompute))
    found = first(asked)
    assert found.recompute == ("run" if recompute == "palm" else "palm")
    assert found.value == pytest.approx(0.5783, abs=5e-5)
    applied = evaluate(apply(asked, found))
    assert applied.hfu == pytest.approx(found.value)
    assert applied.mfu == pytest.approx(0.4623, abs=5e-5)


@pytest.mark.parametrize("recompute", ["none", "full"])
def test_bloom_150_tflops_are_hardware_flops(recompute: str) -> None:
    # BigScience tr11 chronicles: 104.5 s a step, 150.05 TFLOP/s with activations recomputed.
    asked = published().scenario(published().by_id["bloom-bigscience-tr11-003"])
    assert asked is not None
    found = first(replace(asked, convention=DEFAULT, run=replace(asked.run, recompute=recompute)))
    assert found.convention == "megatron-2021"
    assert found.peak_tflops is None
    assert any("hardware FLOPs" in reason.text for reason in found.reasons)


def test_337_percent_is_eight_gpus_over_one_peak() -> None:
    # PrimeIntellect-ai/prime-rl#20: 337.59 before, divided by 8 GPUs after (42.2 of this step).
    run = run_of(2048, {"mfu": 3.3759 / 8}, devices=8, global_batch=512)
    asked = scenario("qwen3-30b-a3b", H100, run, Reported(mfu=3.3759), ConventionChoice(id="prime-rl"))
    found = first(asked)
    assert (found.scope, found.convention, found.unit_slip) == ("all_devices", "prime-rl", None)


@pytest.mark.parametrize("convention", [None, DEFAULT])
def test_maverick_18_percent_is_the_fp8_peak(convention: ConventionChoice | None) -> None:
    # NVIDIA dgxc-benchmarking, llama4/README.md: 18.71 % divides bf16 work by 4900 TFLOP/s of fp8.
    asked = published().scenario(published().by_id["nvidia-dgxc-benchmarki-112"])
    assert asked is not None
    found = first(asked if convention is None else replace(asked, convention=convention))
    assert (found.peak_tflops, found.precision, found.peak_kind) == (4900.0, "fp8", "dense")


def test_total_parameters_for_active_ones() -> None:
    # PrimeIntellect-ai/prime-rl#778: all experts of a mixture in place of those a token uses.
    run = run_of(4096, {"tokens_per_s_per_device": 1541.7})
    value = 1541.7 * 6 * 671_026_404_352 / 989e12
    found = first(scenario("deepseek-v3", H800, run, Reported(mfu=round(value, 4)), peak_tflops=989))
    assert found.convention == "6n"
    assert any("all experts" in reason.text for reason in found.reasons)


def test_one_accumulated_micro_batch() -> None:
    # NVIDIA-BioNeMo/bionemo-recipes#1548: MFU low by the accumulation factor.
    run = run_of(8192, {"step_time_s": 8.0}, devices=64, global_batch=1024, micro_batch=1,
                 parallel=Parallel(tensor=8))
    asked = scenario("llama3-8b", H100, run, Reported(mfu=0.4), ConventionChoice(id="torchtitan"))
    truth = evaluate(asked).mfu or 0.0
    found = first(replace(asked, reported=Reported(mfu=round(truth / 128, 6))))
    assert found.scope == "accumulation"


def test_milliseconds_and_macs() -> None:
    # facebookresearch/fvcore#69: MACs printed as FLOPs, a factor of two.
    run = run_of(8192, {"tokens_per_s_per_device": 5605.0}, devices=128)
    asked = scenario("llama3-8b", H100, run, Reported(tflops_per_device=1.0), ConventionChoice(id="torchtitan"))
    truth = evaluate(asked).throughput.tflops_per_device or 0.0
    halved = first(replace(asked, reported=Reported(tflops_per_device=round(truth / 2, 2))))
    assert (halved.unit_slip, halved.convention) == ("macs", "torchtitan")
    slow = first(replace(asked, reported=Reported(tflops_per_device=round(truth / 1000, 5))))
    assert slow.unit_slip == "milliseconds"


def test_one_die_of_mi250x() -> None:
    # Frontier, Dash et al. 2023: 73.5 TFLOP/s of a GCD over 191.5 are 38.38 %; over the module they are 19.19 %.
    run = run_of(2048, {"tflops_per_device": 73.5})
    asked = scenario("gpt3-175b", "amd-mi250x", run, Reported(mfu=0.3838))
    found = first(asked)
    assert found.scope == "unit"
    assert evaluate(apply(asked, found)).mfu == pytest.approx(0.3838, abs=5e-5)


@pytest.mark.parametrize(("value", "half"), [(19.926, 0.0005), (150.0, 0.5), (238300.0, 0.5), (0.1, 0.05),
                                             (480.0, 0.5), (0.30000000000000004, 0.05)])
def test_digits_are_those_that_were_typed(value: float, half: float) -> None:
    assert half_digit(value) == pytest.approx(half)


@pytest.mark.parametrize(("value", "half"), [(0.4373, 5e-5), (0.37, 5e-3), (0.4, 5e-3), (1.04, 5e-3), (1.0, 5e-3),
                                             (3.3759, 5e-5)])
def test_utilizations_are_printed_in_whole_per_cent_at_least(value: float, half: float) -> None:
    assert half_digit_of_fraction(value) == pytest.approx(half)


@pytest.mark.parametrize(("changes", "field"), [
    ({"reported": None}, "reported"), ({"reported": Reported()}, "reported"),
    ({"reported": Reported(mfu=0.4, hfu=0.5)}, "reported"),
    ({"run": RunSpec(sequence_length=4096)}, "run.measured"),
    ({"run": RunSpec(sequence_length=4096, measured=Measured(step_time_s=1.0))}, "run.devices"),
])
def test_what_cannot_be_explained_is_said(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(InputError) as caught:
        explain(replace(v3(0.4373), **changes))
    assert caught.value.field == field


@settings(max_examples=30, deadline=None)
@given(st.floats(0.01, 5.0), st.sampled_from(["deepseek-v3", "llama3-8b", "gpt-oss-120b"]))
def test_every_explanation_meets_the_printed_digits(reported: float, model: str) -> None:
    reported = round(reported, 4)
    run = run_of(4096, {"step_time_s": 19.926}, devices=2048, global_batch=15360)
    found = explain_scenario(scenario(model, H800, run, Reported(mfu=reported)))
    reach = half_digit_of_fraction(reported) / reported + 0.0005 / 19.926 + 1e-6
    assert all(abs(one.residual) <= reach for one in found)
    assert [one.cost for one in found] == sorted(one.cost for one in found)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_json_has_the_agreed_fields(language: str) -> None:
    tr = translator(language)
    found = [explanation_object(each, tr) for each in explain_scenario(v3(0.4373))]
    assert list(found[0]) == ["sentence", "convention", "options", "peak_tflops", "peak_kind", "scope", "recompute",
                              "unit_slip", "value", "residual", "plausibility"]
    for one in found:
        assert "{" not in one["sentence"]
        assert one["sentence"][-1] in ".。"
    assert found[0]["convention"] == "matmul-full"
    assert found[0]["plausibility"] > found[-1]["plausibility"] > 0


def test_peaks_that_are_as_large_are_named_together() -> None:
    """H100: 1978.8 with 2:4 sparsity, 1978.9 in fp8, 1979 in a framework's table are one denominator."""
    run = run_of(4096, {"step_time_s": 19.926}, devices=2048, global_batch=15360)
    asked = scenario("deepseek-v3", H100, run, Reported(mfu=0.1946))
    found = explain_scenario(asked)
    over = [each for each in found if each.peak_tflops is not None and 1960 < each.peak_tflops < 2000]
    assert over
    keys = [(e.convention, tuple(e.options.items()), e.recompute, e.multi_token_prediction, e.scope, e.unit_slip)
            for e in over]
    assert len(set(keys)) == len(keys), "two rows differ in nothing but the name of the peak"
    sentence = explanation_sentence(over[0], translator("en"))
    assert "2:4 sparsity" in sentence
    assert "the fp8 peak is as large" in sentence
    # Of the scenario's own peak no other name is of interest: A100s have as many TFLOP/s in fp16 as in bf16.
    a100 = STORE.hardware("nvidia-a100-sxm4-80gb").spec
    own = replace(asked, hardware=a100, reported=Reported(mfu=0.4373), peak=Peak(tflops=989))
    assert "as large" not in explanation_sentence(explain_scenario(own)[0], translator("en"))


def test_digits_that_match_are_no_mismatch() -> None:
    near = first(v3(0.4373))
    assert near.digits_match
    assert near.residual != 0
    # A step time of 20 s is 19.5 to 20.5: values with other digits than 43.6 % may be what was printed, too.
    run = run_of(4096, {"step_time_s": 20.0}, devices=2048, global_batch=15360)
    found = explain_scenario(scenario("deepseek-v3", H800, run, Reported(mfu=0.436), peak_tflops=989))
    assert {each.digits_match for each in found} == {True, False}
    for each in found:
        assert each.digits_match == (abs(each.value - 0.436) <= 0.0005)
