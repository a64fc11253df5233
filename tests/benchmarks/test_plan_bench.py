"""How long plans take: the Plan tab computes one of them on every key press (goal: a few tenths of a ms)."""

from __future__ import annotations

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from mfu_gui.engine.evaluate import evaluate
from mfu_gui.planning.inference import inference
from mfu_gui.planning.post_training import post_training
from mfu_gui.planning.run_plan import plan_run
from mfu_gui.planning.spec import plan_spec
from tests.planning.scenarios import scenario

PLAN = {"tokens": 14.8e12, "failures": {"device_mtbf_hours": 5e4}, "inference": {"batch": 64},
        "post_training": {"method": "ppo", "prompts_per_step": 512}}


@pytest.mark.parametrize("unknown", ["days", "devices"])
def test_plan_of_a_run(benchmark: BenchmarkFixture, unknown: str) -> None:
    of = scenario(plan={**PLAN, "unknown": unknown, "days": 60})
    result = evaluate(of)
    benchmark(lambda: plan_run(of, plan_spec(of), result))


def test_serving(benchmark: BenchmarkFixture) -> None:
    of = scenario(plan=PLAN)
    benchmark(lambda: inference(of, plan_spec(of)))


def test_post_training(benchmark: BenchmarkFixture) -> None:
    of = scenario(plan=PLAN)
    result = evaluate(of)
    benchmark(lambda: post_training(of, plan_spec(of), result))
