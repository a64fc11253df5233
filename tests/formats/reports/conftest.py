"""Reports of the published examples and of scenarios made here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from mfu_gui.engine.compare import compare
from mfu_gui.engine.evaluate import evaluate
from mfu_gui.engine.run import Measured, RunSpec
from mfu_gui.engine.scenario import Scenario, Source
from mfu_gui.formats.presets import PresetStore
from mfu_gui.formats.reports.given import Given
from mfu_gui.formats.scenario_file import read_scenario
from mfu_gui.texts import translator

SCENARIOS = Path(__file__).resolve().parents[2] / "data" / "scenarios"
DATE = "2026-11-30"
Give = Callable[..., Given]


@pytest.fixture(scope="session")
def presets() -> PresetStore:
    return PresetStore()


@pytest.fixture(scope="session")
def give(presets: PresetStore) -> Give:
    """What a report is made from: ``give(scenario, language="en")``."""

    def made(scenario: Scenario, language: str = "en") -> Given:
        result = evaluate(scenario)
        return Given(scenario, result, compare(scenario, result), translator(language), presets, DATE)

    return made


@pytest.fixture(scope="session")
def deepseek(presets: PresetStore) -> Scenario:
    """DeepSeek-V3 on 2048 H800, 43.73 % (arXiv 2505.09343, table 4)."""
    return read_scenario(SCENARIOS / "deepseek-v3-2048-h800.mfu", presets).scenario


@pytest.fixture(scope="session")
def llama(presets: PresetStore) -> Callable[..., Scenario]:
    """Llama 3.1 8B on 64 H100, ``llama(step_time_s=8.0)``: with any one measured quantity, or none."""

    def made(name: str = "Llama", devices: int | None = 64, global_batch: int | None = 128, **measured: float,
             ) -> Scenario:
        run = RunSpec(sequence_length=8192, devices=devices, global_batch=global_batch, recompute="selective",
                      measured=Measured(**measured) if measured else None)
        return Scenario(name=name, model=presets.model("llama-3.1-8b").spec, run=run,
                        hardware=presets.hardware("nvidia-h100-sxm5-80gb").spec,
                        model_source=Source(preset="llama-3.1-8b"),
                        hardware_source=Source(preset="nvidia-h100-sxm5-80gb"))

    return made
