"""Every peak a run can be divided by, and what other frameworks divide by."""

from __future__ import annotations

import msgspec
import pytest
from msgspec.structs import replace

from mfu_gui.engine.denominators import mixed_peak, over_both_peaks, own_denominators, per_framework_device
from mfu_gui.engine.evaluate import evaluate
from mfu_gui.engine.hardware import HardwareSpec
from mfu_gui.engine.run import Measured, RunSpec
from mfu_gui.engine.scenario import ConventionChoice, Peak, Scenario, Source
from mfu_gui.formats.framework_peaks import framework_peaks, other_denominators, peak_table
from mfu_gui.formats.presets import PresetStore

from .test_known_figures import shape


def scenario(preset: str = "nvidia-h100-sxm5-80gb", precision: str = "bf16", **measured: float) -> Scenario:
    hardware = PresetStore().hardware(preset).spec
    run = RunSpec(sequence_length=8192, precision=precision, measured=Measured(**measured))  # type: ignore[arg-type]
    return Scenario(model=shape("llama3-8b"), hardware=hardware, run=run, hardware_source=Source(preset=preset),
                    convention=ConventionChoice(id="torchtitan"))


def test_every_dense_peak_and_the_sparse_one_apart() -> None:
    # foundation-model-stack/fms-fsdp#89: 480 TFLOP/s over the sparse 1979 are 24 %, over the dense 989 48.5 %.
    found = own_denominators(scenario(tflops_per_device=480.0), evaluate(scenario(tflops_per_device=480.0)))
    by_kind = {(d.kind, d.precision): d for d in found}
    assert round(by_kind["dense", "bf16"].utilization or 0, 3) == 0.485
    assert round(by_kind["sparse", "bf16"].utilization or 0, 3) == 0.243
    assert {precision for kind, precision in by_kind if kind == "dense"} == {
        "bf16", "fp16", "fp8", "int8", "tf32", "fp32"}
    assert found[0].kind == "chosen"


def test_fp8_run_has_both() -> None:
    # mlcommons/training_results_v3.1: GPT-3 on 10,752 H100, 58-60 % over 989 or 29-30 % over 1979.
    run = scenario(precision="fp8", tflops_per_device=583.0)
    both = over_both_peaks(run, evaluate(run))
    assert both is not None
    assert 0.58 < both.over_bf16 < 0.60
    assert 0.29 < both.over_own < 0.30
    assert over_both_peaks(scenario(tflops_per_device=583.0), evaluate(scenario(tflops_per_device=583.0))) is None


def test_mix_of_precisions_is_by_time() -> None:
    hardware = HardwareSpec(peak_tflops={"bf16": 1000.0, "fp8": 2000.0})
    assert mixed_peak(hardware, Peak(mix={"fp8": 0.8, "bf16": 0.2})) == pytest.approx(1 / (0.8 / 2000 + 0.2 / 1000))


def test_card_and_die() -> None:
    run = scenario("amd-mi250x", tflops_per_device=73.5)
    assert per_framework_device(run.hardware, run.run, run.peak) == (383.0, 191.5)
    assert per_framework_device(scenario(tflops_per_device=1.0).hardware, run.run, run.peak) is None


def test_table_names_presets_that_exist() -> None:
    store = PresetStore()
    presets = {info.id for info in store.infos("mfu-hardware")}
    assert set(peak_table().peaks) <= presets
    for preset, peaks in peak_table().peaks.items():
        for values in peaks.values():
            assert set(values) <= set(peak_table().frameworks), preset


@pytest.mark.parametrize(("preset", "framework", "kind", "tflops"), [
    # karpathy/nanoGPT#464: 312 whatever the device.
    ("nvidia-h100-sxm5-80gb", "nanogpt", "constant", 312.0),
    # allenai/OLMo-core#810: an H200 is taken for an A100.
    ("nvidia-h200-sxm5-141gb", "olmo-core", "fallback", 312.0),
    # AMD-AGI/Primus#772, pytorch/torchtitan#4779: an MI355X that is not in the table is taken for an A100.
    ("amd-mi355x", "prime-rl", "fallback", 312.0),
    # Half of the true value: the non-tensor rate.
    ("nvidia-rtx-4090", "lightning", "framework", 82.6),
    ("nvidia-h100-sxm5-80gb", "pytorch-inductor", "framework", 1979.0),
    ("nvidia-h800-sxm5-80gb", "verl", "framework", 989.0),
    # A device that no table has.
    ("apple-m1-max", "torchtitan", "fallback", 312.0), ("apple-m1-max", "verl", "no_peak", None),
])
def test_what_frameworks_divide_by(preset: str, framework: str, kind: str, tflops: float | None) -> None:
    found = next(p for p in framework_peaks(preset, "bf16") if p.id == framework)
    assert (found.kind, found.tflops) == (kind, tflops)


def test_what_frameworks_would_print() -> None:
    run = scenario("amd-mi355x", tokens_per_s_per_device=30_000.0)
    printed = {d.framework: d for d in other_denominators(run, evaluate(run))}
    # torchtitan counts 57.914 G a token and has 2500 for this device; prime-rl falls back to the A100.
    assert printed["torchtitan"].utilization == pytest.approx(30_000 * 57_914_449_920 / 2500e12)
    assert printed["prime-rl"].kind == "fallback"
    assert printed["prime-rl"].utilization == pytest.approx(30_000 * 57_912_852_480 / 312e12)
    assert (printed["NeMo AutoModel"].prints, printed["NeMo AutoModel"].utilization) == ("zero", None)
    assert printed["Lightning, LitGPT"].prints == "nothing"


def test_undefined_count_falls_back_to_the_chosen_one() -> None:
    run = replace(scenario(tokens_per_s_per_device=1000.0), model=shape("mixtral-8x7b"))
    result = evaluate(run)
    verl = next(d for d in other_denominators(run, result) if d.framework == "verl")
    assert verl.convention == "torchtitan"
    assert verl.utilization == pytest.approx(1000 * result.flops.per_token / 989e12)
    assert msgspec.to_builtins(verl)["kind"] == "framework"
