"""Remarks: each appears for the slip it is about, and not for its honest neighbour."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from mfu_gui.engine.compare import compare
from mfu_gui.engine.errors import InputError, Notice
from mfu_gui.engine.evaluate import evaluate
from mfu_gui.engine.model import ModelSpec
from mfu_gui.engine.run import Measured, Parallel, RunSpec
from mfu_gui.engine.scenario import ConventionChoice, Peak, Scenario
from mfu_gui.formats.presets import PresetStore
from mfu_gui.texts import translator

STORE = PresetStore()
DENSE = STORE.model("llama-3.1-8b").spec
MOE = STORE.model("deepseek-v3").spec
WINDOWED = STORE.model("gemma-3-1b").spec


def scenario(model: ModelSpec = DENSE, hardware: str = "nvidia-h100-sxm5-80gb", convention: str = "matmul-causal",
             peak: Peak | None = None, measured: Measured | None = None, **run: Any) -> Scenario:
    values: dict[str, Any] = {"sequence_length": 8192, "devices": 512, "global_batch": 1024, **run}
    return Scenario(model=model, hardware=STORE.hardware(hardware).spec, peak=peak or Peak(),
                    run=RunSpec(measured=measured, **values), convention=ConventionChoice(id=convention))


def found(made: Scenario) -> dict[str, Notice]:
    """The remarks on a scenario by code; each has a sentence without holes in both languages."""
    notices = {notice.code: notice for notice in evaluate(made).warnings}
    for notice in notices.values():
        english, chinese = (translator(language).sentence(notice.code, notice.values) for language in ("en", "zh"))
        assert english[0].isupper() or english[0].isdigit(), english
        assert not {"{", "}"} & set(english + chinese)
        assert any("\u4e00" <= c <= "\u9fff" for c in chinese), chinese
    return notices


def utilization(made: Scenario) -> float:
    result = evaluate(made)
    value = result.implied_mfu if result.mfu is None else result.mfu
    assert value is not None
    return value


def test_an_honest_run_draws_no_remark() -> None:
    made = scenario(measured=Measured(step_time_s=2.0))
    assert 0.3 < utilization(made) < 0.7
    assert found(made) == {}


def test_sequence_longer_than_the_model_was_made_for() -> None:
    assert DENSE.context_length == 131072
    assert "sequence_exceeds_context" not in found(scenario(sequence_length=131072))
    notice = found(scenario(sequence_length=131073))["sequence_exceeds_context"]
    assert notice.field == "run.sequence_length"
    assert notice.values == {"length": 131073, "context": 131072}


@pytest.mark.parametrize("convention", ["6n", "nanogpt"])
def test_all_experts_counted(convention: str) -> None:
    values = found(scenario(MOE, convention=convention, sequence_length=4096))["all_experts_counted"].values
    # DeepSeek-V3 report, arXiv 2412.19437: 671B parameters, 37B active.
    assert round(values["total"] / 1e9) == 671
    assert round(values["active"] / 1e9, -0) == 38
    assert "all_experts_counted" not in found(scenario(DENSE, convention=convention))
    assert "all_experts_counted" not in found(scenario(MOE, convention="6n-active", sequence_length=4096))


def test_a_convention_without_a_figure_for_the_model_says_so() -> None:
    # verl-project/verl: model types that are not registered (Mixtral) print 0; huggingface/trl stops with an error.
    for convention in ("verl", "trl", "lightning"):
        notice = found(scenario(STORE.model("mixtral-8x7b").spec, convention=convention))["convention_undefined"]
        assert notice.field == "convention.id"
        assert len(notice.values["reasons"]) == 1
    assert "convention_undefined" not in found(scenario(DENSE, convention="verl"))


def test_a_form_that_is_wrong_for_the_model_says_so() -> None:
    # The 72-form assumes multi-head attention and a plain MLP of 4h: wrong for grouped heads, gated MLPs, experts and
    # latent attention. Inferring head_dim from the hidden size is wrong for Qwen3 (128, not 64).
    for model in (DENSE, MOE):
        assert "convention_quirk" in found(scenario(model, convention="megatron-2021-no-recompute"))
    gpt3 = STORE.model("gpt3-175b").spec
    assert "convention_quirk" not in found(scenario(gpt3, convention="megatron-2021-no-recompute"))
    assert "convention_quirk" in found(scenario(STORE.model("qwen3-0.6b").spec, convention="nanotron"))
    assert "convention_quirk" not in found(scenario(DENSE, convention="nanotron"))


def test_how_prediction_depths_are_counted_matters_only_with_them() -> None:
    # AI-Hypercomputer/maxtext: a depth without its head and join projection, 4.0 for 10.2 GFLOP a token.
    assert "convention_quirk" not in found(scenario(MOE, convention="maxtext"))
    assert "convention_quirk" in found(scenario(MOE, convention="maxtext", multi_token_prediction=1))
    for depths, status in ((0, "sound"), (1, "quirk")):
        made = scenario(MOE, multi_token_prediction=depths)
        row = next(row for row in compare(made, evaluate(made)) if row.id == "maxtext")
        assert row.status == status
        assert row.flops_per_token


def test_window_ignored_only_where_it_matters() -> None:
    # Gemma 3 1B: five of six layers see 512 tokens.
    notice = found(scenario(WINDOWED, convention="megatron-lm", sequence_length=1025))["window_ignored"]
    assert notice.values == {"window": 512, "length": 1025}
    assert "window_ignored" not in found(scenario(WINDOWED, convention="megatron-lm", sequence_length=1024))
    assert "window_ignored" not in found(scenario(WINDOWED, convention="matmul-causal", sequence_length=32768))
    assert "window_ignored" not in found(scenario(WINDOWED, convention="6n", sequence_length=32768))
    assert "window_ignored" not in found(scenario(DENSE, convention="megatron-lm", sequence_length=32768))


def test_full_square_of_a_long_sequence() -> None:
    share = found(scenario(convention="matmul-full", sequence_length=16384))["full_square_share"].values["share"]
    result = evaluate(scenario(convention="matmul-full", sequence_length=16384))
    parts = result.flops.components
    assert result.flops.forward is not None
    assert share == pytest.approx((parts["attention_qk"].forward + parts["attention_av"].forward)
                                  / result.flops.forward)
    assert share > 0.3
    assert "full_square_share" not in found(scenario(convention="matmul-full", sequence_length=4096))
    assert "full_square_share" not in found(scenario(convention="matmul-causal", sequence_length=131072))


def test_sparse_headline_typed_as_the_peak() -> None:
    # foundation-model-stack/fms-fsdp#89: 1979 is the 2:4-sparse figure of an H100 SXM; dense bf16 is 989.
    notice = found(scenario(peak=Peak(tflops=1979.0)))["peak_is_sparse_headline"]
    assert notice.field == "hardware.peak_tflops"
    assert notice.values["dense"] == pytest.approx(989, rel=1e-3)
    assert "peak_is_sparse_headline" not in found(scenario(peak=Peak(tflops=989.0)))
    assert "peak_is_sparse_headline" not in found(scenario(hardware="google-tpu-v4", peak=Peak(tflops=550.0)))


def test_sparse_peak_chosen() -> None:
    assert "sparse_peak" in found(scenario(peak=Peak(kind="sparse")))
    assert "sparse_peak" not in found(scenario())


def test_padding_is_told() -> None:
    assert found(scenario(document_lengths=(4096, 2048)))["padding_present"].values["share"] == 0.25
    assert "padding_present" not in found(scenario(document_lengths=(4096, 4096)))


def test_multi_token_prediction_that_is_not_counted_is_told() -> None:
    assert "mtp_not_counted" in found(scenario(MOE, sequence_length=4096))
    assert "mtp_not_counted" not in found(scenario(MOE, sequence_length=4096, multi_token_prediction=1))
    assert "mtp_not_counted" not in found(scenario(MOE, sequence_length=4096, convention="6n-active"))
    assert "mtp_not_counted" not in found(scenario(DENSE))


def test_a_layout_that_does_not_divide() -> None:
    layout = Parallel(tensor=8, pipeline=12)
    notice = found(scenario(parallel=layout))["layout_does_not_divide"]
    assert notice.values == {"devices": 512, "product": 96, "offers": [480, 576]}
    assert "layout_does_not_divide" not in found(scenario(parallel=layout, devices=480))
    batch = found(scenario(parallel=Parallel(tensor=8), micro_batch=3))["batch_does_not_divide"]
    assert batch.values == {"batch": 1024, "product": 192, "offers": [960, 1152]}
    assert "batch_does_not_divide" not in found(scenario(parallel=Parallel(tensor=8), micro_batch=2))


def test_global_throughput_given_as_that_of_one_device() -> None:
    # PrimeIntellect-ai/prime-rl#20: 337.59 % before, 42.2 % after dividing by the 8 GPUs.
    one = evaluate(scenario(devices=8, measured=Measured(mfu=0.3375900)))
    each = one.throughput.tokens_per_s_per_device
    assert each is not None
    made = scenario(devices=8, measured=Measured(tokens_per_s_per_device=each * 10))
    assert utilization(made) == pytest.approx(3.3759)
    notice = found(made)["mfu_above_one"]
    assert notice.values["causes"][0] == "scope"
    assert notice.values["corrected"]["scope"] == pytest.approx(0.42199, abs=1e-5)


def test_full_square_pushes_a_fast_run_above_the_peak() -> None:
    # NVIDIA/Megatron-LM#831: the full square at 16k prints more than 100 % where the causal count does not.
    made = scenario(convention="matmul-full", sequence_length=131072, measured=Measured(step_time_s=1.0))
    seconds = utilization(made) / 1.2
    fast = replace(made, run=replace(made.run, measured=Measured(step_time_s=seconds)))
    notice = found(fast)["mfu_above_one"]
    assert notice.values["implied_mfu"] == pytest.approx(1.2)
    causal = utilization(replace(fast, convention=ConventionChoice(id="matmul-causal")))
    assert notice.values["corrected"]["full_square"] == pytest.approx(causal)
    assert evaluate(fast).mfu is None


def test_experts_of_a_mixture_explain_more_than_the_peak() -> None:
    made = scenario(MOE, convention="6n", sequence_length=4096, measured=Measured(step_time_s=4.0))
    notice = found(made)["mfu_above_one"]
    assert "all_experts" in notice.values["causes"]
    assert 0 < notice.values["corrected"]["all_experts"] < 1


def test_batch_in_tokens_nodes_for_devices_and_milliseconds_too_many() -> None:
    honest = utilization(scenario(measured=Measured(step_time_s=2.0)))
    tokens = scenario(global_batch=1024 * 8192, measured=Measured(step_time_s=2.0))
    assert found(tokens)["mfu_above_one"].values["corrected"]["batch_in_tokens"] == pytest.approx(honest)
    nodes = scenario(devices=64, measured=Measured(step_time_s=2.0))
    assert found(nodes)["mfu_above_one"].values["corrected"]["nodes"] == pytest.approx(honest)
    milli = scenario(measured=Measured(step_time_s=0.002))
    assert found(milli)["mfu_above_one"].values["corrected"]["milliseconds"] == pytest.approx(honest)
    peta = scenario(peak=Peak(tflops=0.989), measured=Measured(step_time_s=2.0))
    assert found(peta)["mfu_above_one"].values["corrected"]["petaflops"] == pytest.approx(honest, rel=1e-3)


def test_higher_precision_explains_more_than_the_peak() -> None:
    made = scenario(measured=Measured(tflops_per_device=1400.0))
    notice = found(made)["mfu_above_one"]
    assert notice.values["corrected"]["precision"] == pytest.approx(1400 / 1979, rel=1e-3)


def test_more_than_the_peak_without_a_likely_cause_still_says_so() -> None:
    made = scenario(hardware="google-tpu-v4", devices=3, measured=Measured(tokens_per_s_per_device=1e9))
    notice = found(made)["mfu_above_one"]
    assert notice.values["causes"] is None
    assert evaluate(made).implied_mfu == utilization(made)


def test_throughput_of_one_device_given_as_that_of_all() -> None:
    notice = found(scenario(measured=Measured(tokens_per_s=8000.0)))["throughput_of_one_device"]
    each = utilization(scenario(measured=Measured(tokens_per_s_per_device=8000.0)))
    assert notice.values["corrected"] == pytest.approx(each)
    assert "throughput_of_one_device" not in found(scenario(measured=Measured(tokens_per_s=8000.0 * 512)))


def test_step_time_in_milliseconds() -> None:
    notice = found(scenario(measured=Measured(step_time_s=2000.0)))["step_time_in_milliseconds"]
    assert notice.field == "run.measured.step_time_s"
    assert notice.values["seconds"] == 2.0
    assert notice.values["corrected"] == pytest.approx(utilization(scenario(measured=Measured(step_time_s=2.0))))
    assert "step_time_in_milliseconds" not in found(scenario(measured=Measured(step_time_s=2.0)))


def test_batch_of_one_device_given_as_the_global_batch() -> None:
    made = scenario(global_batch=2, measured=Measured(step_time_s=2.0))
    assert found(made)["batch_of_one_device"].field == "run.global_batch"
    assert "batch_of_one_device" not in found(scenario(measured=Measured(step_time_s=2.0)))


def test_a_hardware_convention_has_no_mfu() -> None:
    made = scenario(STORE.model("gpt-3-175b-megatron").spec, convention="megatron-2021", sequence_length=2048,
                    measured=Measured(step_time_s=60.0))
    result = evaluate(made)
    assert result.mfu is None
    assert result.hfu is not None
    assert "hardware_convention" in found(made)


def test_hfu_above_one_is_refused_beside_a_possible_mfu() -> None:
    made = scenario(recompute="full", measured=Measured(mfu=0.9))
    result = evaluate(made)
    assert result.mfu == 0.9
    assert result.hfu is None
    assert found(made)["hfu_above_one"].values["implied_hfu"] > 1



@pytest.mark.parametrize(("preset", "convention", "code", "values"), [
    # Dao & Gu 2024 (arXiv 2405.21060): the chunked form; Nemotron-H trains with chunks of 128 (its config.json).
    ("nemotron-h-8b", "matmul-causal", "state_core_counted", {"chunk": 128}),
    # Megatron-LM counts 7·w·N forward and 21·w·N with the backward pass; NeMo 2·w·N and 6·w·N.
    ("nemotron-h-8b", "megatron-lm", "state_core_by_state", {"forward": 7, "total": 21}),
    ("nemotron-h-8b", "nemo", "state_core_by_state", {"forward": 2, "total": 6}),
    ("nemotron-h-8b", "6n", "state_core_left_out", {}),
    ("qwen3-next-80b-a3b", "verl", "state_core_by_state", {"forward": 5, "total": 15}),
    ("llama-3.1-8b", "megatron-lm", "", {}),
])
def test_the_count_of_a_scan_is_named(preset: str, convention: str, code: str, values: dict[str, int]) -> None:
    store = PresetStore()
    scenario = Scenario(model=store.model(preset).spec, hardware=store.hardware("nvidia-h100-sxm5-80gb").spec,
                        run=RunSpec(sequence_length=4096, global_batch=8),
                        convention=ConventionChoice(id=convention))
    found = [n for n in evaluate(scenario).warnings if n.code.startswith("state_core")]
    assert [(n.code, n.values) for n in found] == ([(code, values)] if code else [])


def test_a_rate_in_flops_of_nothing_is_refused() -> None:
    """A picture model without a picture: a convention for language models counts nothing of it."""
    store = PresetStore()
    run = RunSpec(sequence_length=7, devices=8, global_batch=16, images=0, measured=Measured(mfu=0.4))
    made = Scenario(model=store.model("vit-large-16").spec, hardware=store.hardware("nvidia-h100-sxm5-80gb").spec,
                    run=run, convention=ConventionChoice(id="megatron-lm"))
    with pytest.raises(InputError, match="nothing_counted"):
        evaluate(made)
    timed = evaluate(replace(made, run=replace(run, measured=Measured(step_time_s=2.0))))
    assert (timed.mfu, timed.throughput.tflops_per_device) == (0.0, 0.0)
