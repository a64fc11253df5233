"""Speed of explaining a number (goal 150 ms), of the published list (100 ms) and of a difference.

Nothing is asserted; `packaging/dev.py bench` prints the table.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
from msgspec.structs import replace

from mfu_gui.engine.conventions import find
from mfu_gui.engine.differences import differences
from mfu_gui.engine.run import Measured, RunSpec
from mfu_gui.engine.scenario import Reported, Scenario, Source
from mfu_gui.formats.explain_json import explain_scenario
from mfu_gui.formats.presets import PresetStore
from mfu_gui.formats.published import published

Benchmark = Callable[..., Any]
STORE = PresetStore()
RUN = RunSpec(sequence_length=4096, devices=2048, global_batch=15360, measured=Measured(step_time_s=19.926))


def scenario(preset: str, reported: float) -> Scenario:
    return Scenario(model=STORE.model(preset).spec, hardware=STORE.hardware("nvidia-h800-sxm5-80gb").spec, run=RUN,
                    hardware_source=Source(preset="nvidia-h800-sxm5-80gb"), reported=Reported(mfu=reported))


@pytest.mark.parametrize("preset", ["deepseek-v3", "llama-3.1-405b", "gpt-oss-120b"])
def test_explain_model_never_seen(benchmark: Benchmark, preset: str) -> None:
    numbers = count(1)

    def edit() -> tuple[tuple[Scenario], dict[str, Any]]:
        asked = scenario(preset, 0.4373)
        return (replace(asked, model=replace(asked.model, vocabulary=asked.model.vocabulary + next(numbers))),), {}

    benchmark.pedantic(explain_scenario, setup=edit, rounds=20)


@pytest.mark.parametrize("preset", ["deepseek-v3", "llama-3.1-405b"])
def test_explain_another_number(benchmark: Benchmark, preset: str) -> None:
    numbers = count(4000)

    def edit() -> tuple[tuple[Scenario], dict[str, Any]]:
        return (scenario(preset, next(numbers) / 1e4),), {}

    benchmark.pedantic(explain_scenario, setup=edit, rounds=20)


def test_published_list_read_and_recomputed(benchmark: Benchmark) -> None:
    def whole() -> int:
        published.cache_clear()
        return sum(len(published().recompute(row)) for row in published().rows)

    benchmark.pedantic(whole, rounds=10)


def test_difference_of_two_conventions(benchmark: Benchmark) -> None:
    model = STORE.model("deepseek-v3").spec
    numbers = count(4096)
    first, second = find("verl"), find("megatron-lm")
    benchmark(lambda: differences(model, replace(RUN, sequence_length=next(numbers)), first, second))
