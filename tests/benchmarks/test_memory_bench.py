"""Speed of the memory estimate of DeepSeek-V3 in 16 stages, and of a key press with the Memory tab shown (16 ms at
the 95th percentile at 1280 × 800).

Nothing is asserted; `packaging/dev.py bench` prints the table.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator
from itertools import count, cycle
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit

from mfu_gui.engine.model_edit import with_layer_count
from mfu_gui.engine.run import Measured, Parallel, RunSpec
from mfu_gui.engine.scenario import Scenario, Source
from mfu_gui.formats.presets import PresetStore
from mfu_gui.planning.memory_advice import advice, memory_of
from mfu_gui.ui import app as ui_app
from mfu_gui.ui.main_window import MainWindow
from mfu_gui.ui.settings import Settings

Benchmark = Callable[..., Any]
STORE = PresetStore()
RUN = RunSpec(sequence_length=4096, devices=2048, global_batch=15360, micro_batch=1,
              measured=Measured(step_time_s=19.926), parallel=Parallel(pipeline=16, expert=64, zero_stage=1))
DEEPSEEK = Scenario(
    name="DeepSeek-V3", model=STORE.model("deepseek-v3").spec, run=RUN,
    hardware=STORE.hardware("nvidia-h800-sxm5-80gb").spec, model_source=Source(preset="deepseek-v3"),
    hardware_source=Source(preset="nvidia-h800-sxm5-80gb"))


def test_memory_run_changed(benchmark: Benchmark) -> None:
    lengths = count(4096)

    def edit() -> tuple[tuple[Scenario], dict[str, Any]]:
        return (replace(DEEPSEEK, run=replace(RUN, sequence_length=next(lengths))),), {}

    benchmark.pedantic(memory_of, setup=edit, rounds=100, warmup_rounds=3)


def test_memory_model_changed(benchmark: Benchmark) -> None:
    layers = count(17)

    def edit() -> tuple[tuple[Scenario], dict[str, Any]]:
        return (replace(DEEPSEEK, model=with_layer_count(DEEPSEEK.model, next(layers))),), {}

    benchmark.pedantic(memory_of, setup=edit, rounds=100, warmup_rounds=3)


def test_memory_advice(benchmark: Benchmark) -> None:
    now = memory_of(DEEPSEEK)
    benchmark(lambda: advice(DEEPSEEK, now))


def settle() -> None:
    """Until nothing is left to lay out or to paint."""
    for _ in range(3):
        QApplication.processEvents()


@pytest.fixture
def window(profile: Path) -> Iterator[MainWindow]:
    """DeepSeek-V3 in a window of 1280 × 800, the layout opened, the Memory tab shown."""
    ui_app.start_qt()
    settings = Settings(profile)
    settings.stored.language, settings.stored.theme = "en", "light"
    made = ui_app.make_window(ui_app.make_services(settings))
    made.resize(1280, 800)
    made.show()
    made.complete()
    workspace = made.services.workspace
    workspace.dismiss_notices(workspace.active)
    workspace.edit(workspace.active, "model.preset", DEEPSEEK)
    made.column.run_panel.layout_part.open(True)
    made.tabs.show_page("memory")
    settle()
    yield made
    workspace.active.unsaved = False
    workspace.active.history.mark_saved()
    made.close()
    made.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


@pytest.mark.parametrize("field", ["run.devices", "model.layers", "run.sequence_length", "run.micro_batch",
                                   "plan.memory.framework_gib"])
@pytest.mark.parametrize("form", ["table", "bars"])
def test_memory_key_press(window: MainWindow, benchmark: Benchmark, capsys: pytest.CaptureFixture[str], field: str,
                          form: str) -> None:
    window.tabs.page("memory").show_as(form)  # type: ignore[attr-defined]
    editor = window.findChild(QLineEdit, field)
    assert editor is not None
    editor.setFocus()
    editor.setText("64")
    editor.textEdited.emit("64")
    settle()
    keys = cycle((Qt.Key.Key_3, Qt.Key.Key_Backspace, Qt.Key.Key_7, Qt.Key.Key_Backspace))

    def press() -> None:
        QTest.keyClick(editor, next(keys))
        settle()

    benchmark.pedantic(press, rounds=100, warmup_rounds=5)
    wall = benchmark.stats.stats.data  # type: ignore[attr-defined]
    p95 = statistics.quantiles(wall, n=20)[-1] * 1e3
    benchmark.extra_info["p95_ms"] = round(p95, 2)  # type: ignore[attr-defined]
    with capsys.disabled():
        print(f"\nkey press in {field}, memory as {form}: median {statistics.median(wall) * 1e3:.1f} ms, "
              f"p95 {p95:.1f} ms; goal 16 ms")
