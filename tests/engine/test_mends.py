"""Each slip that a remark names can be mended by one press, and is then no longer remarked on."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from msgspec.structs import replace

import mfu_gui.engine
from mfu_gui.engine.errors import Notice
from mfu_gui.engine.evaluate import evaluate
from mfu_gui.engine.mends import MENDS, NOTHING_TO_MEND, Mend, hints, mends
from mfu_gui.engine.run import Measured, Parallel
from mfu_gui.engine.scenario import Peak, Scenario
from mfu_gui.texts import translator
from mfu_gui.texts.mends import caption

from .test_checks import DENSE, MOE, STORE, WINDOWED, scenario

SECONDS = Measured(step_time_s=2.0)


def noticed(made: Scenario, code: str) -> Notice:
    return next(notice for notice in (*evaluate(made).warnings, *hints(made)) if notice.code == code)


def offered(made: Scenario, code: str) -> dict[str, Mend]:
    """The mends of one remark by their caption; each has one in both languages."""
    found = mends(made, noticed(made, code))
    for mend in found:
        for language in ("en", "zh"):
            words = caption(mend.code, mend.values, translator(language))
            assert not {"{", "}", "_"} & set(words)
            assert len(words) <= 32, words
    return {f"{mend.code}{number or ''}": mend for number, mend in enumerate(found)}


SLIPS: tuple[tuple[str, Scenario, str], ...] = (
    ("convention_undefined", scenario(STORE.model("mixtral-8x7b").spec, convention="verl"), "exact_causal"),
    ("convention_quirk", scenario(convention="megatron-2021-no-recompute"), "exact_causal"),
    ("all_experts_counted", scenario(MOE, convention="6n", sequence_length=4096), "exact_causal"),
    ("window_ignored", scenario(WINDOWED, convention="megatron-lm", sequence_length=1025), "exact_causal"),
    ("full_square_share", scenario(convention="matmul-full", sequence_length=16384), "exact_causal"),
    ("hardware_convention", scenario(convention="megatron-2021"), "exact_causal"),
    ("convention_undefined", scenario(MOE, convention="olmo-core", sequence_length=4096), "exact_causal"),
    ("convention_quirk", scenario(convention="megatron-2021-no-recompute"), "exact_causal"),
    ("sequence_exceeds_context", scenario(sequence_length=131073), "sequence_length"),
    ("mtp_not_counted", scenario(MOE, sequence_length=4096), "prediction_depths"),
    ("hfu_above_one", scenario(measured=Measured(mfu=0.9), recompute="full"), "no_recompute"),
    ("layout_does_not_divide", scenario(parallel=Parallel(tensor=8, pipeline=12)), "devices"),
    ("batch_does_not_divide", scenario(parallel=Parallel(tensor=8), micro_batch=3), "global_batch"),
    ("sparse_peak", scenario(peak=Peak(kind="sparse")), "dense_peak"),
    ("peak_is_sparse_headline", scenario(peak=Peak(tflops=1979.0)), "peak"),
    ("throughput_of_one_device", scenario(measured=Measured(tokens_per_s=8000.0)), "tokens_of_one_device"),
    ("batch_of_one_device", scenario(global_batch=2, measured=SECONDS), "global_batch"),
    ("step_time_in_milliseconds", scenario(measured=Measured(step_time_s=2000.0)), "step_time"),
    ("cards_hold_dies", scenario(hardware="amd-mi250x"), "count_dies"),
)


@pytest.mark.parametrize(("code", "made", "mend"), SLIPS, ids=[code for code, *_ in SLIPS])
def test_the_mend_takes_the_slip_away(code: str, made: Scenario, mend: str) -> None:
    found = offered(made, code)
    assert mend in found
    for each in found.values():
        assert each.scenario != made
        assert code not in {notice.code for notice in (*evaluate(each.scenario).warnings, *hints(each.scenario))}
        assert replace(each.scenario, run=made.run, peak=made.peak, convention=made.convention) == made


def test_every_remark_of_the_engine_has_a_mend_or_is_known_to_need_none() -> None:
    folder = Path(mfu_gui.engine.__file__).parent
    codes = {code for name in ("checks", "batch", "evaluate")
             for code in re.findall(r'Notice\("(\w+)"', (folder / f"{name}.py").read_text(encoding="utf-8"))}
    assert {"sparse_peak", "mfu_above_one", "layout_does_not_divide", "hardware_convention"} <= codes
    assert codes - {"mfu_above_one"} <= MENDS.keys() | NOTHING_TO_MEND
    assert {code for code, *_ in SLIPS} == MENDS.keys()


CAUSES: tuple[tuple[str, Scenario, str], ...] = (
    ("scope", scenario(devices=8, measured=Measured(tokens_per_s_per_device=80_000.0)), "tokens_of_all_devices"),
    ("scope", scenario(devices=8, measured=Measured(tflops_per_device=3337.0)), "tflops_of_all_devices"),
    ("nodes", scenario(devices=64, measured=SECONDS), "devices"),
    ("milliseconds", scenario(measured=Measured(step_time_s=0.002)), "step_time"),
    ("batch_in_tokens", scenario(global_batch=1024 * 8192, measured=SECONDS), "global_batch"),
    ("full_square", scenario(convention="matmul-full", sequence_length=131072, measured=Measured(step_time_s=55.0)),
     "exact_causal"),
    ("all_experts", scenario(MOE, convention="6n", sequence_length=4096, measured=Measured(step_time_s=4.0)),
     "exact_causal"),
    ("petaflops", scenario(peak=Peak(tflops=0.989), measured=SECONDS), "peak"),
    ("precision", scenario(measured=Measured(tflops_per_device=1400.0)), "precision"),
    ("sparse", scenario(measured=Measured(tflops_per_device=1400.0)), "sparse_peak"),
)


@pytest.mark.parametrize(("cause", "made", "code"), CAUSES, ids=[f"{cause}-{code}" for cause, _, code in CAUSES])
def test_undoing_a_cause_gives_what_the_remark_said(cause: str, made: Scenario, code: str) -> None:
    notice = noticed(made, "mfu_above_one")
    assert cause in notice.values["causes"]
    mend = next(m for m in mends(made, notice) if m.code == code)
    result = evaluate(mend.scenario)
    assert result.implied_mfu is None
    if cause != "all_experts":  # the exact count of a mixture is more than 6 × its active parameters
        assert mend.utilization == pytest.approx(notice.values["corrected"][cause])
    assert result.mfu == pytest.approx(mend.utilization, rel=1e-3)
    offered(made, "mfu_above_one")


def test_prime_rl_20_is_mended_to_its_corrected_figure() -> None:
    # PrimeIntellect-ai/prime-rl#20: 337.59 % before, 42.2 % after dividing by the 8 GPUs.
    one = evaluate(scenario(devices=8, measured=Measured(mfu=0.42199)))
    total = one.throughput.tokens_per_s
    assert total is not None
    made = scenario(devices=8, measured=Measured(tokens_per_s_per_device=total))
    assert evaluate(made).implied_mfu == pytest.approx(3.3759, rel=1e-4)
    mend = offered(made, "mfu_above_one")["tokens_of_all_devices"]
    assert evaluate(mend.scenario).mfu == pytest.approx(0.42199)


def test_a_batch_of_one_replica_where_devices_share_the_model() -> None:
    # NVIDIA-BioNeMo/bionemo-recipes#1548: MFU low by the accumulation factor; one micro-batch against a full step.
    made = scenario(global_batch=2, parallel=Parallel(tensor=8), measured=SECONDS)
    batches = [mend.values["batch"] for mend in mends(made, noticed(made, "batch_of_one_device"))]
    assert batches == [2 * 512, 2 * 64]


def test_what_only_tells_offers_nothing() -> None:
    made = scenario(document_lengths=(4096, 2048))
    assert mends(made, noticed(made, "padding_present")) == ()
    assert hints(scenario(DENSE)) == ()
