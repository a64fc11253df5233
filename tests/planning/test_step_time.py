"""What the step-time model, predictions and the waterfall must do for any run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.evaluate import evaluate
from mfu_gui.engine.hardware import HardwareSpec
from mfu_gui.engine.run import Measured, Parallel, Recompute
from mfu_gui.engine.scenario import Scenario
from mfu_gui.planning.anchored import changed, mfu_of_micro_batches, predict
from mfu_gui.planning.step_core import step_seconds
from mfu_gui.planning.step_figures import COMPONENTS
from mfu_gui.planning.step_layout import grid_of_sizes
from mfu_gui.planning.step_time import floor_s, step_inputs, step_time
from mfu_gui.planning.waterfall import waterfall
from tests.planning.scenarios import scenario
from tests.planning.step_runs import b200, megatron, of_set

DEEPSEEK_PARTS = {"data_s": 0.0, "forward_backward_s": 19.61, "optimizer_s": 0.29}
"""DeepSeek-V3's step (arXiv 2505.09343, table 4) in two parts: 1.13 + 2.06 + 1.99 + 0.48 + 13.95 s, and 0.29 s."""


def gpt(name: str = "175B full", **run: Any) -> Scenario:
    made = megatron(next(row for row in of_set("korthikanti") if row["name"] == name))
    return replace(made, run=replace(made.run, **run))


def laid_out(base: Scenario, **sizes: int) -> Scenario:
    return replace(base, run=replace(base.run, parallel=replace(base.run.parallel or Parallel(), **sizes)))


def refused(code: str, scenario: Scenario) -> str:
    with pytest.raises(InputError) as caught:
        waterfall(scenario)
    assert caught.value.code == code
    return caught.value.field


def test_components_add_up_and_carry_their_formula() -> None:
    found = step_time(gpt())
    assert sum(figure.value or 0.0 for figure in found.components) == pytest.approx(found.total_s, rel=1e-12)
    assert [figure.formula for figure in found.components] == [part.formula for part in COMPONENTS]
    assert all(figure.expression and figure.unit == "s" for figure in found.components)
    tensor = next(figure for figure in found.components if figure.key == "tensor")
    assert tensor.numbers["tensor"] == 8
    assert tensor.numbers["blocks"] == 2 * 96


SIZES = st.sampled_from([1, 2, 4, 8])
LAYOUT = st.fixed_dictionaries({
    "tensor": SIZES, "pipeline": st.sampled_from([1, 2, 3, 5, 8, 16]), "virtual_pipeline": st.sampled_from([1, 2, 3]),
    "context": st.sampled_from([1, 2]), "zero_stage": st.sampled_from([0, 1, 3])})


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(LAYOUT, SIZES), min_size=1, max_size=8))
def test_arrays_give_what_single_layouts_give(layouts: list[tuple[dict[str, int], int]]) -> None:
    base = replace(gpt(devices=1920, global_batch=1024), plan=None)
    cases = [laid_out(replace(base, run=replace(base.run, micro_batch=batch)), **sizes) for sizes, batch in layouts]
    inputs = [step_inputs(case) for case in cases]

    def column(key: str) -> np.ndarray[Any, np.dtype[np.float64]]:
        return np.array([float(sizes[key]) for sizes, _ in layouts])

    grid = grid_of_sizes(96, 1920.0, 1024.0, tensor=column("tensor"), pipeline=column("pipeline"),
                         virtual=column("virtual_pipeline"), context=column("context"), linear_again=1.0,
                         core_again=1.0, micro_batch=np.array([float(batch) for _, batch in layouts]),
                         zero_stage=column("zero_stage"))
    choices = replace(inputs[0].choices, schedule="1f1b")
    together = step_seconds(inputs[0].work, inputs[0].machine, grid, choices)
    for index, one in enumerate(inputs):
        alone = step_seconds(one.work, one.machine, one.grid, choices)
        for name in together.__struct_fields__:
            value = np.broadcast_to(getattr(together, name), len(layouts))[index]
            assert value == pytest.approx(float(getattr(alone, name)), rel=1e-12), name


def test_overlap_and_faster_links_never_cost_time() -> None:
    base = gpt("530B sel", devices=2240, global_batch=2240)
    plain = floor_s(base)
    for step in ({"tensor_overlap": 0.5}, {"data_overlap": True}, {"scale_up_efficiency": 1.0},
                 {"scale_out_efficiency": 1.0}, {"matmul_efficiency": 0.9}, {"memory_efficiency": 0.9}):
        assert floor_s(replace(base, plan={**(base.plan or {}), "step": step})) < plain


@pytest.mark.parametrize(("preparing", "waiting"), [(0.5, 0.0), (1.25, 0.25)])
def test_only_data_that_take_longer_than_the_step_are_waited_for(preparing: float, waiting: float) -> None:
    alone = floor_s(gpt())
    slow = replace(gpt(), plan={**(gpt().plan or {}), "step": {"loading_s": preparing * alone}})
    assert step_time(slow).value("loading") == pytest.approx(waiting * alone)
    assert floor_s(slow) == pytest.approx((1 + waiting) * alone)


def test_more_interleaving_shrinks_the_bubble_and_adds_sends() -> None:
    one, three = (step_time(laid_out(gpt(), virtual_pipeline=v)) for v in (1, 3))
    assert three.value("bubble") == pytest.approx(one.value("bubble") / 3)
    assert three.value("pipeline") > one.value("pipeline")


@pytest.mark.parametrize(("schedule", "less_than"), [("zb-h1", "1f1b"), ("zb-h2", "zb-h1"), ("dualpipe", "1f1b")])
def test_schedules_wait_less_than_1f1b(schedule: str, less_than: str) -> None:
    base = laid_out(gpt(), virtual_pipeline=1)

    def waiting(name: str) -> float:
        plan = {"memory": {**(base.plan or {}).get("memory", {}), "schedule": name}}
        return step_time(replace(base, plan=plan)).value("bubble")

    assert waiting(schedule) < waiting(less_than)


def test_uneven_stages_take_as_long_as_the_fullest() -> None:
    even, uneven = (replace(laid_out(gpt(), virtual_pipeline=1), plan={"memory": {"layers_per_stage": layers}})
                    for layers in ([12] * 8, [11] * 4 + [13] * 4))
    assert floor_s(uneven) > floor_s(even)


def test_ring_of_one_member_a_node_gets_one_card() -> None:
    """A data-parallel ring at tensor size 8 has one network card, a pure data-parallel one eight."""
    pure = laid_out(gpt("22B full", devices=64, global_batch=64, micro_batch=1), tensor=1)
    split = laid_out(gpt("22B full", devices=64, global_batch=64, micro_batch=1), tensor=8)
    per_byte = [step_time(case).value("data") * sizes / 22e9 for case, sizes in ((pure, 1), (split, 8))]
    assert per_byte[0] == pytest.approx(per_byte[1] * (2 * 63 / 64) / (2 * 7 / 8) / 8, rel=0.01)


def test_experts_exchange_tokens_and_context_exchanges_keys() -> None:
    experts = step_time(b200("deepseekv2_tp1_ep8_pp1_dp8_l4_mbc4_cef"))
    assert experts.value("expert") > 0
    assert experts.value("context") == 0
    long = step_time(b200("llama3_70b_l12_tp2_cp4_pp1_dp1_seq32768_mbc4_cef"))
    assert long.value("context") > 0
    assert long.value("expert") == 0


def test_what_the_device_does_not_say_is_left_out_and_remarked_on() -> None:
    bare = HardwareSpec(name="Chip", peak_tflops={"fp16": 312.0})
    found = step_time(replace(gpt(), hardware=bare))
    assert {notice.code for notice in found.notices} == {
        "step_efficiency_assumed", "step_without_memory_bandwidth", "step_without_link_bandwidth"}
    assert found.value("tensor") == found.value("optimizer") == 0
    assert {figure.basis for figure in found.components} == {"assumption", "exact"}


@pytest.mark.parametrize("name", ["devices", "global_batch"])
def test_a_step_needs_devices_and_batch(name: str) -> None:
    with pytest.raises(InputError) as caught:
        step_time(gpt(**{name: None}))
    assert (caught.value.code, caught.value.field) == ("required", f"run.{name}")


def test_only_trained_parameters_are_reduced_and_updated() -> None:
    full = scenario("llama-3.1-8b", "nvidia-h100-sxm5-80gb", devices=8, sequence_length=4096, global_batch=64)
    low_rank = scenario("llama-3.1-8b", "nvidia-h100-sxm5-80gb", devices=8, sequence_length=4096, global_batch=64,
                        trainable={"lora_rank": 8, "targets": ["q", "v"]})
    assert step_time(low_rank).value("optimizer") < 0.01 * step_time(full).value("optimizer")
    assert step_time(low_rank).value("matmul") < step_time(full).value("matmul")


def test_predicting_the_measured_run_gives_it_back() -> None:
    found = predict(gpt(), gpt())
    assert found.step_time_s == pytest.approx(18.13)
    assert found.method == "same"
    assert found.worst == 0
    assert found.mfu == pytest.approx(evaluate(gpt()).mfu)


@pytest.mark.parametrize(("change", "named", "method"), [
    ({"devices": 128}, ("devices",), "model"), ({"global_batch": 128}, ("batch",), "model"),
    ({"recompute": "selective"}, ("recompute",), "constant-hfu"),
    ({"sequence_length": 4096}, ("sequence",), "constant-hfu"),
    ({"sequence_length": 16384}, ("long-sequence",), "constant-hfu"),
    ({"devices": 128, "sequence_length": 4096}, ("devices", "sequence"), "model"),
])
def test_each_change_has_its_method_and_band(change: dict[str, Any], named: tuple[str, ...], method: str) -> None:
    other = gpt(**change)
    found = predict(gpt(), other)
    assert (found.changes, found.method) == (named, method)
    assert changed(gpt(), other) == named
    assert found.lowest_s <= found.low_s < found.step_time_s < found.high_s <= found.highest_s
    if method == "constant-hfu":
        assert found.hfu == pytest.approx(found.hfu_anchor)


def test_sharded_runs_on_more_devices_are_no_change_of_layout() -> None:
    base = scenario("llama-3.1-8b", "nvidia-h100-sxm5-80gb", devices=64, sequence_length=4096, global_batch=256,
                    parallel={"zero_stage": 3}, measured={"step_time_s": 4.0})
    other = replace(base, run=replace(base.run, devices=128, global_batch=512))
    assert predict(base, other).changes == ("batch",)


def test_two_measured_batches_are_joined_by_a_line() -> None:
    """llama3_70b_tp2 on B200: 725.5 ms with 4, 1387.0 with 8 and 5376.5 with 32 micro-batches (SimuMax v1.2)."""
    case = "llama3_70b_tp2_pp1_dp4_l12_mbc4_cef"
    base = b200(case, 0.7255)
    anchored = replace(base, plan={**(base.plan or {}), "step_anchor": {"global_batch": 32, "step_time_s": 1.387}})
    other = replace(anchored, run=replace(base.run, global_batch=128, measured=None))
    found = predict(anchored, other)
    assert found.method == "affine"
    assert found.step_time_s == pytest.approx(5.3765, rel=0.005)
    assert mfu_of_micro_batches(1.0, found.step_time_s, found.step_time_s, 1) == 0.5


def test_anchors_of_one_batch_or_two_runs_are_refused() -> None:
    base = gpt()
    for anchor, code in (({"global_batch": 64, "step_time_s": 9.0}, "same_micro_batches"),
                         ({"global_batch": 65, "step_time_s": 99.0}, "anchors_contradict")):
        plan = {**(base.plan or {}), "step_anchor": anchor}
        with pytest.raises(InputError) as caught:
            predict(replace(base, plan=plan), gpt(global_batch=8))
        assert caught.value.code == code


def test_a_prediction_needs_a_measured_step() -> None:
    with pytest.raises(InputError) as caught:
        predict(gpt(measured=None), gpt())
    assert caught.value.code == "prediction_needs_step"


@pytest.mark.parametrize("name", ["22B full", "22B sel", "175B full", "530B sel", "1T full"])
def test_waterfall_adds_up_from_all_to_the_mfu(name: str) -> None:
    found = waterfall(gpt(name))
    assert found.basis == "model"
    assert sum(part.share for part in found.parts) == pytest.approx(1.0, abs=1e-12)
    assert found.parts[-1].key == "useful"
    assert found.parts[-1].share == pytest.approx(evaluate(gpt(name)).mfu)
    assert (found.share("recompute") > 0.1) == name.endswith("full")


def test_without_a_measured_step_the_waterfall_is_of_the_floor() -> None:
    found = waterfall(gpt(measured=None))
    assert found.basis == "floor"
    assert found.step_s == pytest.approx(floor_s(gpt()))
    assert found.share("unexplained") == 0


def test_a_peak_that_cannot_be_reached_is_a_part_of_its_own() -> None:
    sparse = replace(gpt(), peak=replace(gpt().peak, tflops=624.0))
    found = waterfall(sparse)
    assert found.share("peak") == pytest.approx(found.share("useful"))
    assert sum(part.share for part in found.parts) == pytest.approx(1.0, abs=1e-12)


def test_parts_of_the_user_replace_the_models() -> None:
    found = waterfall(scenario(plan={"step_parts": DEEPSEEK_PARTS}))
    assert found.basis == "measured"
    assert sum(part.share for part in found.parts) == pytest.approx(1.0, abs=1e-12)
    assert found.share("optimizer") == pytest.approx(0.29 / 19.926)
    assert found.share("rounding") == pytest.approx(0.026 / 19.926)
    assert found.share("tensor") == found.share("elementwise") == 0


def test_parts_that_are_not_the_step_are_refused() -> None:
    short = {**DEEPSEEK_PARTS, "forward_backward_s": 15.0}
    assert refused("step_parts_sum", scenario(plan={"step_parts": short})) == "plan.step_parts"
    speechless = scenario(plan={"step_parts": DEEPSEEK_PARTS})
    speechless = replace(speechless, run=replace(speechless.run, measured=None))
    assert refused("step_parts_need_step", speechless) == "plan.step_parts"


def test_a_faster_step_than_the_model_leaves_a_negative_rest() -> None:
    fast = gpt(measured=Measured(step_time_s=12.0))
    assert waterfall(fast).share("unexplained") < 0


def test_a_run_without_a_layout_is_counted_without_communication() -> None:
    unknown = scenario()
    found = waterfall(unknown)
    assert [notice.code for notice in found.notices] == ["step_layout_unknown"]
    assert found.share("data") == found.share("tensor") == 0
    assert found.share("unexplained") > 0.1
    with pytest.raises(InputError) as caught:
        predict(unknown, laid_out(unknown, tensor=8))
    assert caught.value.code == "prediction_needs_layout"
    assert predict(unknown, replace(unknown, run=replace(unknown.run, recompute="full"))).step_time_s > 19.926


def test_a_faster_step_is_remarked_on() -> None:
    fast = gpt(measured=Measured(step_time_s=12.0))
    assert "step_faster_than_model" in {notice.code for notice in waterfall(fast).notices}


@pytest.mark.parametrize(("recompute", "linear", "core"), [("none", 0, 0), ("selective", 0, 1), ("full", 1, 1)])
def test_recomputation_of_experts_is_repeated_like_that_of_dense_layers(recompute: str, linear: int, core: int) -> None:
    base = b200("deepseekv3_l4_tp1_ep8_pp1_dp8_mbc4_cef")
    grid = step_inputs(replace(base, run=replace(base.run, recompute=recompute))).grid
    assert (grid.linear_again, grid.core_again) == (linear, core)


def test_recomputation_of_some_layers_is_repeated_in_part() -> None:
    base = gpt(recompute=Recompute(layers=24, repeat={"*": 1.0}))
    assert step_inputs(base).grid.linear_again == pytest.approx(0.25)
