"""Speed of sweeps and of the search for layouts.

Goals: 1,000,000 points over run fields in 0.3 s and 500 MiB; 50,000 layouts a second.
"""

from __future__ import annotations

from typing import Any

import pytest

from mfu_gui.engine.scenario import Scenario
from mfu_gui.planning.layouts import search
from mfu_gui.planning.sweep import sweep
from mfu_gui.planning.sweep_axes import axis_of_key
from tests.planning.scenarios import scenario

MILLION = 1_000_000
DEVICES = axis_of_key("run.devices", list(range(1024, 2024)))
BATCHES = axis_of_key("run.global_batch", list(range(15360, 16360)))
LENGTHS = axis_of_key("run.sequence_length", list(range(2048, 3048)))


def deepseek() -> Scenario:
    """DeepSeek-V3 as its authors laid it out."""
    return scenario("deepseek-v3", devices=2048, sequence_length=4096, global_batch=15360, micro_batch=1,
                    parallel={"pipeline": 16, "expert": 64, "zero_stage": 1}, measured={"step_time_s": 19.926})


@pytest.mark.parametrize("hold", ["hfu", "predicted"])
@pytest.mark.parametrize("axes", [(DEVICES, BATCHES), (LENGTHS, BATCHES)], ids=["devices-batch", "length-batch"])
def test_a_million_points(benchmark: Any, hold: Any, axes: Any) -> None:
    """MFU over two fields of the run, a thousand values each."""
    found = benchmark.pedantic(sweep, (deepseek(), axes, ("mfu",), hold), rounds=5, warmup_rounds=1)
    assert found.values["mfu"].size == MILLION


def test_a_million_lengths(benchmark: Any) -> None:
    """MFU over one field with a million values."""
    axis = axis_of_key("run.sequence_length", range(2048, 2048 + MILLION))
    found = benchmark.pedantic(sweep, (deepseek(), [axis], ("mfu",), "hfu"), rounds=3, warmup_rounds=1)
    assert found.values["mfu"].size == MILLION


def test_memory_of_many_points(benchmark: Any) -> None:
    """Memory over 100 × 100 points."""
    axes = [axis_of_key("run.devices", DEVICES.values[:100]), axis_of_key("run.sequence_length", LENGTHS.values[:100])]
    assert benchmark(sweep, deepseek(), axes, ("memory_share",)).values["memory_share"].size == 10_000


@pytest.mark.parametrize("model", ["deepseek-v3", "llama-3.1-70b"])
def test_layouts(benchmark: Any, model: str) -> None:
    """A whole search; ``layouts_per_second`` stands in the extra information."""
    base = deepseek() if model == "deepseek-v3" else scenario(
        model, "nvidia-h100-sxm5-80gb", devices=1024, sequence_length=8192, global_batch=2048, micro_batch=1,
        parallel={"tensor": 8, "pipeline": 4}, measured={"mfu": 0.4})
    found = benchmark.pedantic(search, (base,), rounds=3, warmup_rounds=1)
    benchmark.extra_info["layouts"] = found.space.count
    benchmark.extra_info["layouts_per_second"] = round(found.space.count / benchmark.stats.stats.min)
    assert found.space.count > 10_000
