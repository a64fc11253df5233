"""The search for layouts: what divides (but layers over stages), each as computed alone, ranked and explained.

The counts are made here by going through all numbers, the times and memory by the functions for one run.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.evaluate import evaluate
from mfu_gui.engine.run import Parallel
from mfu_gui.engine.scenario import Scenario
from mfu_gui.formats.sweep_words import stages_text
from mfu_gui.planning.anchored import predict
from mfu_gui.planning.layout import layout_of
from mfu_gui.planning.layout_checks import layout_notices
from mfu_gui.planning.layout_space import DIMENSIONS, Space, space_of
from mfu_gui.planning.layouts import RANKINGS, Layouts, search, with_layout
from mfu_gui.planning.memory import verdict
from mfu_gui.planning.memory_advice import memory_of
from mfu_gui.planning.spec import plan_spec
from mfu_gui.planning.step_time import floor_s, step_inputs, step_time
from mfu_gui.planning.sweep import Cancelled
from mfu_gui.texts import translator
from tests.planning.scenarios import scenario

EXACT = 1e-12
DIVIDES = {"heads_by_tensor", "kv_heads_by_tensor", "mlp_by_tensor", "hidden_by_tensor", "sequence_by_context",
           "sequence_by_tensor", "virtual_without_pipeline", "more_stages_than_layers", "micro_batches_by_stages",
           "experts_by_expert_parallel", "expert_width_by_tensor", "devices_by_experts",
           "zero_with_pipeline", "layout_does_not_divide", "batch_does_not_divide", "expert_parallel_without_experts"}


def dense(plan: dict[str, Any] | None = None, **run: Any) -> Scenario:
    """Llama 3.1 70B on 64 H100, measured."""
    usual = {"devices": 64, "sequence_length": 8192, "global_batch": 64, "micro_batch": 1,
             "parallel": {"tensor": 8, "pipeline": 4}, "measured": {"mfu": 0.4}}
    return scenario("llama-3.1-70b", "nvidia-h100-sxm5-80gb", plan=plan or {"tokens": 1e12}, **(usual | run))


def routed(plan: dict[str, Any] | None = None, **run: Any) -> Scenario:
    """A mixture of experts, measured."""
    usual = {"devices": 32, "sequence_length": 4096, "global_batch": 64,
             "parallel": {"expert": 8, "zero_stage": 1}, "measured": {"step_time_s": 5.0}}
    return scenario("qwen3-30b-a3b", "nvidia-h100-sxm5-80gb", plan=plan, **(usual | run))


CASES = {
    "dense": dense(), "odd batch": dense(global_batch=48), "recompute": dense(recompute="palm"),
    "model only": dense(measured=None),
    "experts": routed(), "experts apart": routed(plan={"memory": {"expert_tensor": 1, "shard_devices": 16}}),
    "schedule": dense(plan={"memory": {"schedule": "zb-h1", "cross_entropy": "chunked", "optimizer": "muon"}}),
    "state space": scenario("mamba2-2.7b", "nvidia-a100-sxm4-80gb", devices=16, sequence_length=4096, global_batch=64),
    "one device": scenario("llama-3.1-8b", "nvidia-h100-sxm5-80gb", devices=1,
                           sequence_length=4096, global_batch=8, measured={"step_time_s": 4.0}),
}


@pytest.mark.parametrize("name", CASES)
def test_layouts_are_what_they_are_alone(name: str) -> None:
    found = search(CASES[name])
    random = np.random.default_rng(1)
    for index in random.choice(found.space.count, min(found.space.count, 25), replace=False):
        row = found.row(int(index))
        other = row.scenario
        assert memory_of(other).worst.total == pytest.approx(found.memory_bytes[index], rel=EXACT)
        alone = floor_s(other) if found.timing == "model" else predict(found.base, other).step_time_s
        assert alone == pytest.approx(found.step_time_s[index], rel=EXACT)
        assert row.step_time_s == pytest.approx(alone, rel=EXACT)
        assert row.mfu == evaluate(other).mfu
        assert row.verdict == verdict(row.memory_bytes, found.capacity)


@pytest.mark.parametrize("name", CASES)
def test_only_what_divides(name: str) -> None:
    base = CASES[name]
    found = search(base)
    for index in range(0, found.space.count, max(1, found.space.count // 200)):
        run = found.row(index).scenario.run if found.space.count < 2000 else _run(found, index)
        memory = plan_spec(base).memory
        codes = {notice.code for notice in layout_notices(base.model, run, memory, layout_of(run, memory))}
        assert not codes & DIVIDES, (run, codes & DIVIDES)
        assert "layers_by_stages" not in codes or run.parallel.virtual_pipeline == 1


def _run(found: Layouts, index: int) -> Any:
    from mfu_gui.planning.layouts import _scenario_at

    return _scenario_at(found.base, found.space, index).run


def test_all_that_divides_is_there() -> None:
    """Counted by going through all sizes up to the number of devices, for a model without experts."""
    base = dense(devices=16, global_batch=32)
    space = space_of(base, {"recompute": ("none",), "micro_batch": (1, 2)})
    got = {tuple(int(getattr(space, name)[i]) for name in DIMENSIONS[1:-1]) for i in range(space.count)}
    assert len(got) == space.count
    expected = set()
    sizes = range(1, 17)
    for tensor, pipeline, context in product(sizes, sizes, sizes):
        # 64 query heads, 8 key heads, widths that are multiples of 64; a node of eight; 80 layers; 8192 tokens.
        if 16 % (tensor * pipeline * context) or tensor not in (1, 2, 4, 8) or 80 % pipeline:
            continue
        data = 16 // (tensor * pipeline * context)
        for virtual, micro, zero in product(range(1, 81), (1, 2), range(4)):
            if 32 % (data * micro) or (pipeline == 1 and virtual > 1) or (80 // pipeline) % virtual:
                continue
            if virtual > 1 and (32 // (data * micro)) % pipeline:
                continue
            if zero and (data * context == 1 or (zero > 1 and pipeline > 1)):
                continue
            expected.add((tensor, pipeline, virtual, context, 1, micro, zero))
    assert got == expected


def index_of(space: Space, **sizes: float) -> int:
    """The only layout of these sizes."""
    (found,) = np.flatnonzero(np.all([getattr(space, name) == value for name, value in sizes.items()], axis=0))
    return int(found)


def deepseek() -> Scenario:
    """DeepSeek-V3 as it was trained, 16 stages and experts over 64 devices (arXiv 2412.19437, 3.2: "16-way
    Pipeline Parallelism, 64-way Expert Parallelism spanning 8 nodes, and ZeRO-1"; 61 layers, 4.2)."""
    return scenario("deepseek-v3", devices=2048, sequence_length=4096, global_batch=15360, micro_batch=1,
                    parallel={"pipeline": 16, "expert": 64, "zero_stage": 1}, measured={"step_time_s": 19.926})


def test_the_published_layout_of_deepseek_v3_is_searched() -> None:
    found = search(deepseek(), {"micro_batch": (1,), "recompute": ("none",)})
    assert set(found.space.pipeline) == {1, 2, 4, 8, 16, 32}
    assert set(found.space.virtual_pipeline) == {1}
    index = index_of(found.space, tensor=1, pipeline=16, context=1, expert=64, zero_stage=1)
    row = found.row(index)
    assert row.current
    assert row.stage_layers == (3, *(4,) * 13, 3, 3)
    assert stages_text(row.stage_layers, translator("en")) == "61 layers on 16 stages: 4 on 13, 3 on 3"
    assert row.step_time_s == pytest.approx(19.926, rel=EXACT)
    assert found.step_time_s[index] == pytest.approx(19.926, rel=EXACT)
    assert memory_of(row.scenario).worst.total == pytest.approx(found.memory_bytes[index], rel=EXACT)


def test_llama_3_405b_has_one_layer_less_at_both_ends() -> None:
    """126 layers on 16 stages: one layer less on the first and on the last (Llama 3, arXiv 2407.21783, 3.3.2)."""
    base = scenario("llama-3.1-405b", "nvidia-h100-sxm5-80gb", devices=1024, sequence_length=8192, global_batch=256)
    found = search(base, {"tensor": (8,), "context": (1,), "pipeline": (16,), "micro_batch": (1,),
                          "zero_stage": (1,), "recompute": ("none",)})
    row = found.row(index_of(found.space, pipeline=16))
    assert row.stage_layers == (7, *(8,) * 14, 7)


def test_the_slowest_stage_sets_the_pace() -> None:
    """80 layers on 32 stages: micro-batches times the fullest stage and the others once (3 layers of 80)."""
    base = scenario("llama-3.1-70b", "nvidia-h100-sxm5-80gb", devices=64, sequence_length=8192, global_batch=64)
    found = search(base, {"tensor": (1,), "context": (1,), "micro_batch": (1,), "zero_stage": (0,),
                          "recompute": ("none",), "virtual_pipeline": (1,)})
    assert 64 not in found.space.pipeline  # two layers of 80 on the fullest, 1.6 times the mean
    row = found.row(index_of(found.space, pipeline=32))
    assert row.stage_layers is not None
    assert (max(row.stage_layers), sum(row.stage_layers), len(row.stage_layers)) == (3, 80, 32)
    step = step_time(row.scenario)
    seconds = {figure.key: float(figure.value or 0) for figure in step.components}
    inputs = step_inputs(row.scenario)
    assert inputs.grid.busiest == 3 / 80
    assert inputs.grid.micro_batches == 32
    attention = seconds["attention"] / (32 * 3 / 80)
    alone = step_time(replace(row.scenario, run=replace(row.scenario.run, devices=2, global_batch=64,
                                                        parallel=Parallel()))).components
    whole = next(float(figure.value or 0) for figure in alone if figure.key == "attention") / 32
    assert attention == pytest.approx(whole, rel=EXACT)


def test_virtual_stages_are_even() -> None:
    with pytest.raises(InputError, match="layouts_none"):
        search(deepseek(), {"pipeline": (16,), "virtual_pipeline": (2,)})


def test_ranking() -> None:
    found = search(dense())
    for by, values in zip(RANKINGS, (found.step_time_s, found.memory_bytes, found.device_seconds), strict=True):
        order = found.order(by)
        share = found.memory_bytes[order] / (found.capacity or 1)
        rank = np.where(share < 0.9, 0, 1)
        assert (share <= 1).all()
        assert (np.diff(rank) >= 0).all()
        for part in (0, 1):
            assert (np.diff(values[order][rank == part]) >= -1e-6 * values.max()).all()
        assert values[order[0]] == pytest.approx(values[order][rank == 0].min(), rel=1e-8)
    assert len(found.order("time", all_of_them=True)) == found.space.count
    assert sum(found.counts().values()) == found.space.count


def test_nothing_fits() -> None:
    """What needs least is shown, with the verdict."""
    found = search(scenario("llama-3.1-405b", "nvidia-a100-sxm4-40gb", devices=8, sequence_length=8192, global_batch=8))
    assert found.counts()["fits"] == found.counts()["tight"] == 0
    rows = found.rows("memory", 3)
    assert len(rows) == 3
    assert {row.verdict for row in rows} == {"does_not_fit"}
    assert rows[0].memory_bytes == pytest.approx(found.memory_bytes.min(), rel=EXACT)


def test_rows_are_explained() -> None:
    found = search(dense())
    row = found.rows(count=1)[0]
    made = memory_of(row.scenario)
    largest = max(made.worst.terms, key=lambda term: term.value or 0)
    assert row.memory_mostly.label == largest.label
    assert row.memory_mostly.share == pytest.approx((largest.value or 0) / made.worst.total)
    assert row.time_lost is not None
    assert 0 < row.time_lost.share < 1
    assert row.days is not None
    assert row.cost is not None


def test_the_layout_that_is_there() -> None:
    found = search(dense())
    current = found.current()
    assert current is not None
    assert current.current
    assert current.step_time_s == pytest.approx(evaluate(dense()).throughput.step_time_s, rel=EXACT)
    assert search(scenario()).current() is None


def test_using_a_layout() -> None:
    base = dense(plan={"memory": {"layers_per_stage": [20, 20, 20, 20]}})
    found = search(base)
    assert [notice.code for notice in found.notices] == ["layouts_even_stages"]
    row = found.rows(count=1)[0]
    used = with_layout(base, row)
    assert used.run.parallel == row.parallel
    assert evaluate(used).throughput.step_time_s == pytest.approx(row.step_time_s, rel=EXACT)
    assert memory_of(used).worst.total == pytest.approx(row.memory_bytes, rel=EXACT)
    plain = dense(measured=None)
    assert with_layout(plain, search(plain).rows(count=1)[0]).run.measured is None


def test_limits() -> None:
    found = search(dense(), {"devices": (32, 64), "tensor": (4, 8), "zero_stage": ("1",), "recompute": ("full",)})
    assert set(found.space.devices) == {32, 64}
    assert set(found.space.tensor) == {4, 8}
    assert set(found.space.zero_stage) == {1}
    assert {row.recompute for row in found.rows(count=5)} == {"full"}
    with pytest.raises(InputError, match="layouts_none"):
        search(dense(), {"tensor": (3,)})
    with pytest.raises(InputError, match="required"):
        search(dense(devices=None, measured={"mfu": 0.4}))
    with pytest.raises(InputError, match="required"):
        search(dense(global_batch=None, measured={"mfu": 0.4}))


def test_progress_and_cancel() -> None:
    told: list[tuple[int, int]] = []

    def progress(done: int, of: int) -> bool:
        told.append((done, of))
        return len(told) < 2

    with pytest.raises(Cancelled):
        search(dense(), None, progress)
    assert told[0][0] == 0
    assert told[1][0] > 0
