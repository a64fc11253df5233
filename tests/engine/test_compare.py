"""All conventions side by side."""

from __future__ import annotations

import pytest
from hypothesis import given
from msgspec.structs import replace

from mfu_gui.engine.compare import compare, convention_for, flops_per_token, sound_range
from mfu_gui.engine.conventions import CONVENTIONS, find
from mfu_gui.engine.evaluate import evaluate
from mfu_gui.engine.model import ModelSpec
from mfu_gui.engine.run import Measured, RunSpec
from mfu_gui.engine.scenario import ConventionChoice, Scenario
from mfu_gui.formats.presets import PresetStore
from tests.engine.strategies import models, runs, scenario

STORE = PresetStore()


def deepseek(convention: str = "matmul-causal", **options: bool) -> Scenario:
    run = RunSpec(sequence_length=4096, devices=2048, global_batch=15360, measured=Measured(step_time_s=19.926))
    hardware = STORE.hardware("nvidia-h800-sxm5-80gb").spec
    return Scenario(model=STORE.model("deepseek-v3").spec, hardware=hardware, run=run,
                    convention=ConventionChoice(id=convention, options=dict(options)))


def test_rows_come_in_the_order_of_the_table() -> None:
    made = deepseek()
    assert [row.id for row in compare(made, evaluate(made))] == [convention.id for convention in CONVENTIONS]


def test_the_chosen_convention_is_read_with_its_options_and_the_others_are_not() -> None:
    plain = {row.id: row for row in compare(deepseek(), evaluate(deepseek()))}
    made = deepseek("matmul-full", router=False)
    rows = {row.id: row for row in compare(made, evaluate(made))}
    # Router of DeepSeek-V3: 6 × 7168 × 256 × 58 layers.
    router = 6 * 7168 * 256 * 58
    assert plain["matmul-full"].flops_per_token == (rows["matmul-full"].flops_per_token or 0) + router
    assert rows["matmul-causal"].flops_per_token == plain["matmul-causal"].flops_per_token


def test_a_convention_of_another_month_is_a_row_of_its_own() -> None:
    made = deepseek("maxtext@2025-03")
    rows = compare(made, evaluate(made))
    assert rows[-1].id == "maxtext@2025-03"
    full = next(row for row in rows if row.id == "matmul-full")
    assert rows[-1].flops_per_token == full.flops_per_token


def test_speed_is_that_of_the_result_whatever_convention_measured_it() -> None:
    made = deepseek()
    rate = evaluate(made).throughput.tokens_per_s_per_device
    rows = compare(made, evaluate(made))
    by_tflops = replace(made, convention=ConventionChoice(id="megatron-lm"),
                        run=replace(made.run, measured=Measured(tflops_per_device=385.138)))
    again = compare(by_tflops, evaluate(by_tflops))
    assert rate == pytest.approx(1541.7043, rel=1e-6)
    for one, other in zip(rows, again, strict=True):
        assert one.flops_per_token == other.flops_per_token
        if one.utilization is not None:
            assert one.utilization == pytest.approx(other.utilization, rel=1e-4)


def test_range_spans_sound_model_conventions_only() -> None:
    made = deepseek()
    rows = compare(made, evaluate(made))
    found = sound_range(rows)
    assert found is not None
    low, high = found
    sound = [row for row in rows if row.status == "sound" and row.kind == "model"]
    assert {low.status, high.status} == {"sound"}
    assert low.flops_per_token == min(row.flops_per_token or 0 for row in sound)
    assert high.flops_per_token == max(row.flops_per_token or 0 for row in sound)
    assert sound_range(()) is None


def test_choosing_the_same_convention_keeps_its_options() -> None:
    made = deepseek("matmul-full", router=False)
    assert convention_for(made, "matmul-full") == made.convention
    assert convention_for(made, "palm") == ConventionChoice(id="palm")


@given(models(), runs())
def test_figures_agree_with_each_other(model: ModelSpec, run: RunSpec) -> None:
    made = scenario(model, replace(run, measured=Measured(tokens_per_s_per_device=1.0)))
    for row in compare(made, evaluate(made)):
        if row.status == "undefined":
            assert row.reason
            assert (row.flops_per_token, row.flops_per_step, row.utilization) == (None, None, None)
            continue
        assert (row.status == "sound") == (not row.reason)
        assert row.flops_per_token == flops_per_token(find(row.id), model, run)
        assert row.flops_per_token is not None
        assert row.flops_per_token > 0
        assert row.tflops_per_device == row.flops_per_token / 1e12
