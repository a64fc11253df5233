"""How long a report takes: to build, and to become each kind of file."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytest_benchmark.fixture import BenchmarkFixture

from mfu_gui.engine.compare import compare
from mfu_gui.engine.evaluate import evaluate
from mfu_gui.formats.presets import PresetStore
from mfu_gui.formats.reports.build import build
from mfu_gui.formats.reports.files import KINDS, rendered
from mfu_gui.formats.reports.given import Given
from mfu_gui.formats.scenario_file import read_scenario
from mfu_gui.texts import translator
from mfu_gui.ui.pdf_report import pdf

DEEPSEEK = Path(__file__).resolve().parents[1] / "data" / "scenarios" / "deepseek-v3-2048-h800.mfu"
EN = translator("en")


@pytest.fixture
def given() -> Given:
    presets = PresetStore()
    scenario = read_scenario(DEEPSEEK, presets).scenario
    result = evaluate(scenario)
    return Given(scenario, result, compare(scenario, result), EN, presets, "2026-11-30")


def test_build(benchmark: BenchmarkFixture, given: Given) -> None:
    assert benchmark(build, given).sections


@pytest.mark.parametrize("kind", KINDS)
def test_render(benchmark: BenchmarkFixture, qapp: QApplication, given: Given, kind: str) -> None:
    report = build(given)
    assert benchmark(pdf, report, EN) if kind == ".pdf" else benchmark(rendered, report, kind, EN)
