"""Speed of the calculation.  Goals, from the design: a run edit 0.1 ms, a model edit 0.3 ms; all conventions
0.7 ms and 4 ms.  Nothing is asserted; `packaging/dev.py bench` prints the table."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
from msgspec.structs import replace

from mfu_gui.engine.compare import compare
from mfu_gui.engine.evaluate import evaluate
from mfu_gui.engine.model_edit import map_ffns
from mfu_gui.engine.run import Measured, RunSpec
from mfu_gui.engine.scenario import ConventionChoice, Scenario
from mfu_gui.formats.presets import PresetStore

STORE = PresetStore()
Benchmark = Callable[..., Any]
RUN = RunSpec(sequence_length=4096, devices=2048, global_batch=15360, measured=Measured(step_time_s=19.926))


def base(preset: str, convention: str = "matmul-causal") -> Scenario:
    return Scenario(model=STORE.model(preset).spec, hardware=STORE.hardware("nvidia-h800-sxm5-80gb").spec, run=RUN,
                    convention=ConventionChoice(id=convention))


def run_edits(scenario: Scenario) -> Callable[[], tuple[tuple[Scenario], dict[str, Any]]]:
    """Scenarios that differ in devices and sequence length, as typing makes them."""
    numbers = count(1)

    def edit() -> tuple[tuple[Scenario], dict[str, Any]]:
        n = next(numbers)
        run = replace(scenario.run, devices=2048 + n, sequence_length=4096 + n)
        return (replace(scenario, run=run),), {}

    return edit


def model_edits(scenario: Scenario) -> Callable[[], tuple[tuple[Scenario], dict[str, Any]]]:
    """Scenarios whose models nobody has counted yet."""
    numbers = count(1)

    def edit() -> tuple[tuple[Scenario], dict[str, Any]]:
        n = next(numbers)
        model = map_ffns(scenario.model, lambda ffn: replace(ffn, width=ffn.width + n))
        return (replace(scenario, model=replace(model, vocabulary=model.vocabulary + n)),), {}

    return edit


def all_conventions(scenario: Scenario) -> object:
    return compare(scenario, evaluate(scenario))


@pytest.mark.parametrize("preset", ["deepseek-v3", "llama-3.1-405b", "opt-175b"])
def test_evaluate_run_edit(benchmark: Benchmark, preset: str) -> None:
    scenario = base(preset)
    evaluate(scenario)
    benchmark.pedantic(evaluate, setup=run_edits(scenario), rounds=2000)


@pytest.mark.parametrize("preset", ["deepseek-v3", "llama-3.1-405b", "opt-175b"])
def test_evaluate_model_edit(benchmark: Benchmark, preset: str) -> None:
    benchmark.pedantic(evaluate, setup=model_edits(base(preset)), rounds=500)


def test_all_conventions_run_edit(benchmark: Benchmark) -> None:
    scenario = base("deepseek-v3")
    all_conventions(scenario)
    benchmark.pedantic(all_conventions, setup=run_edits(scenario), rounds=500)


def test_all_conventions_model_edit(benchmark: Benchmark) -> None:
    benchmark.pedantic(all_conventions, setup=model_edits(base("deepseek-v3")), rounds=100)


def test_warnings_above_the_peak(benchmark: Benchmark) -> None:
    """The costliest remark: more than the peak, with all its causes."""
    scenario = base("deepseek-v3", "matmul-full")
    fast = replace(scenario, run=replace(RUN, measured=Measured(step_time_s=5.0)))
    evaluate(fast)
    benchmark.pedantic(evaluate, setup=run_edits(fast), rounds=1000)


def test_evaluate_beside_llm_analysis(benchmark: Benchmark, capsys: pytest.CaptureFixture[str]) -> None:
    """OPT-175B on 1024 A100 as the training analysis of llm-analysis 0.2.2 computes it, in the same run."""
    peer = pytest.importorskip("llm_analysis.analysis", reason="the peer is not installed: pip install llm-analysis")
    import logging
    import statistics
    import time

    logging.disable(logging.CRITICAL)
    analysis = peer.LLMAnalysis(
        peer.get_model_config_by_name("facebook_opt-175b"), peer.get_gpu_config_by_name("a100-sxm-80gb"),
        peer.get_dtype_config_by_name("w16a16e16"), peer.ParallelismConfig(tp_size=8, pp_size=16, dp_size=8),
        achieved_tflops=147)
    times: list[float] = []

    def beside() -> tuple[tuple[Scenario], dict[str, Any]]:
        start = time.perf_counter()
        analysis.training(batch_size_per_gpu=1, seq_len=2048, total_num_tokens=180 * 10**9)
        times.append(time.perf_counter() - start)
        return edits()

    scenario = base("opt-175b")
    edits = run_edits(scenario)
    evaluate(scenario)
    try:
        benchmark.pedantic(evaluate, setup=beside, rounds=300)
    finally:
        logging.disable(logging.NOTSET)
    ours = benchmark.stats.stats.median  # type: ignore[attr-defined]
    benchmark.extra_info["peer_ms"] = statistics.median(times) * 1e3  # type: ignore[attr-defined]
    with capsys.disabled():
        print(f"\nllm-analysis training(): {statistics.median(times) * 1e3:.3f} ms, evaluate(): {ours * 1e3:.3f} ms")


def test_formula_of_a_framework(benchmark: Benchmark) -> None:
    """The least that counting can cost: products of one dense shape, as frameworks write them; no parts, no checks."""

    def formula(batch: int, length: int, layers: int, hidden: int, heads: int, groups: int, width: int,
                vocabulary: int) -> int:
        attention = 2 * hidden * (hidden + hidden // heads * groups) * 2 + 2 * length * hidden * 2
        return 3 * batch * length * (layers * (attention + 4 * hidden * width) + 2 * hidden * vocabulary)

    benchmark(formula, 1536, 2048, 96, 12288, 96, 96, 49152, 50272)
