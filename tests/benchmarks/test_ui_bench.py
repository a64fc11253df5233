"""Speed of the open window at 1280 × 800.  Goals, from the design: key press to everything repainted 16 ms at the
95th percentile, 33 ms with 20 scenarios in the plot; another tab 50 ms; another language or other colours 150 ms.

Nothing is asserted.  What counts is the 95th percentile of the wall time; that of the processor time is printed
beside it, because other programs on the machine do not change that one.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit

from mfu_gui.engine.fields import with_measured
from mfu_gui.engine.run import Measured, RunSpec
from mfu_gui.engine.scenario import Scenario, Source
from mfu_gui.ui import app as ui_app
from mfu_gui.ui.main_window import MainWindow
from mfu_gui.ui.settings import Settings
from mfu_gui.ui.workspace import Document

Benchmark = Callable[..., Any]
ROUNDS = 200
RUN = RunSpec(sequence_length=4096, devices=2048, global_batch=15360, measured=Measured(step_time_s=19.926))


def deepseek(window: MainWindow) -> Scenario:
    presets = window.services.presets
    return Scenario(name="DeepSeek-V3", model=presets.model("deepseek-v3").spec, run=RUN,
                    hardware=presets.hardware("nvidia-h800-sxm5-80gb").spec,
                    model_source=Source(preset="deepseek-v3"),
                    hardware_source=Source(preset="nvidia-h800-sxm5-80gb"))


@pytest.fixture
def window(profile: Path) -> Iterator[MainWindow]:
    """A window as a user has it after a while: DeepSeek-V3 in it, every tab visited once."""
    ui_app.start_qt()
    settings = Settings(profile)
    settings.stored.language, settings.stored.theme = "en", "light"
    made = ui_app.make_window(ui_app.make_services(settings))
    made.resize(1280, 800)
    made.show()
    made.complete()
    workspace = made.services.workspace
    workspace.dismiss_notices(workspace.active)
    workspace.edit(workspace.active, "model.preset", deepseek(made))
    for key in (*made.tabs.keys, made.tabs.keys[0]):
        made.tabs.show_page(key)
        settle()
    yield made
    for document in workspace.documents:
        document.unsaved = False
        document.history.mark_saved()
    made.close()
    made.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


def settle() -> None:
    """Until nothing is left to lay out or to paint."""
    for _ in range(3):
        QApplication.processEvents()


def measured(benchmark: Benchmark, capsys: pytest.CaptureFixture[str], what: str, goal_ms: float,
             act: Callable[[], object], rounds: int = ROUNDS) -> None:
    """Time ``act`` and the painting that follows it."""
    processor: list[float] = []

    def once() -> None:
        start = time.process_time()
        act()
        settle()
        processor.append(time.process_time() - start)

    benchmark.pedantic(once, rounds=rounds, warmup_rounds=5)
    wall = benchmark.stats.stats.data  # type: ignore[attr-defined]
    p95, median = (statistics.quantiles(wall, n=20)[-1] * 1e3, statistics.median(wall) * 1e3)
    cpu95 = statistics.quantiles(processor[5:], n=20)[-1] * 1e3
    benchmark.extra_info["p95_ms"] = round(p95, 2)  # type: ignore[attr-defined]
    benchmark.extra_info["processor_p95_ms"] = round(cpu95, 2)  # type: ignore[attr-defined]
    with capsys.disabled():
        print(f"\n{what}: median {median:.1f} ms, p95 {p95:.1f} ms (processor p95 {cpu95:.1f} ms); goal {goal_ms:g} ms")


def typing(window: MainWindow, name: str) -> Callable[[], None]:
    """Each call presses one key in a field, as somebody does who tries numbers: a digit more, a digit less."""
    field = window.findChild(QLineEdit, name)
    assert field is not None
    window.activateWindow()
    field.setFocus()
    field.end(False)
    QTest.keyClick(field, Qt.Key.Key_Backspace)
    keys = cycle((Qt.Key.Key_3, Qt.Key.Key_Backspace, Qt.Key.Key_7, Qt.Key.Key_Backspace))
    return lambda: QTest.keyClick(field, next(keys))


FIELDS = ("run.devices", "model.layers", "run.sequence_length")


@pytest.mark.parametrize("tab", ["breakdown", "conventions"])
@pytest.mark.parametrize("field", FIELDS)
def test_ui_key_press(window: MainWindow, benchmark: Benchmark, capsys: pytest.CaptureFixture[str], field: str,
                      tab: str) -> None:
    window.tabs.show_page(tab)
    settle()
    measured(benchmark, capsys, f"key press in {field}, {tab} shown", 16, typing(window, field))


@pytest.mark.parametrize("tab", ["breakdown", "conventions"])
def test_ui_preset(window: MainWindow, benchmark: Benchmark, capsys: pytest.CaptureFixture[str], tab: str) -> None:
    """Enter on a preset of the list."""
    window.tabs.show_page(tab)
    presets = cycle(("qwen3-235b-a22b", "llama-3.1-405b", "nemotron-h-8b", "deepseek-v3"))
    measured(benchmark, capsys, f"another model, {tab} shown", 16,
             lambda: window.column.model.search.chosen.emit(next(presets)))


@pytest.mark.parametrize("field", FIELDS)
def test_ui_key_press_with_20_scenarios(window: MainWindow, benchmark: Benchmark,
                                        capsys: pytest.CaptureFixture[str], field: str) -> None:
    workspace = window.services.workspace
    base = workspace.active
    for number in range(19):
        run = replace(base.scenario.run, devices=512 + 128 * number)
        scenario = with_measured(replace(base.scenario, name=f"scenario {number}", run=run), "step_time_s",
                                 15.0 + number)
        workspace.add(Document(scenario), activate=False)
    settle()
    measured(benchmark, capsys, f"key press in {field}, 20 scenarios in the plot", 33, typing(window, field))


def test_ui_tab_switch(window: MainWindow, benchmark: Benchmark, capsys: pytest.CaptureFixture[str]) -> None:
    tabs = cycle(window.tabs.keys)
    measured(benchmark, capsys, "another tab", 50, lambda: window.tabs.show_page(next(tabs)), 100)


def test_ui_language_switch(window: MainWindow, benchmark: Benchmark, capsys: pytest.CaptureFixture[str]) -> None:
    codes = cycle(("zh", "en"))
    measured(benchmark, capsys, "another language", 150, lambda: window.status.set_language(next(codes)), 30)


def test_ui_theme_switch(window: MainWindow, benchmark: Benchmark, capsys: pytest.CaptureFixture[str]) -> None:
    modes = cycle(("dark", "light"))
    measured(benchmark, capsys, "other colours", 150, lambda: window.status.set_theme(next(modes)), 30)


def test_ui_drag_of_the_point(window: MainWindow, benchmark: Benchmark, capsys: pytest.CaptureFixture[str]) -> None:
    times = cycle([18.0 + 0.1 * number for number in range(40)])
    measured(benchmark, capsys, "the point dragged by a little", 16, lambda: window.plot._dragged(next(times)))
