"""The Log tab: logs are read by a process of their own, shown, compared, and used for the scenario."""

from __future__ import annotations

# ruff: noqa: E501 - lines of logs are as long as they are
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QApplication, QScrollArea
from pytestqt.qtbot import QtBot

from mfu_gui.formats.training_logs.mapping import KIND, LogMapping, Source
from mfu_gui.ui.dialogs.log_columns import LogColumnsDialog
from mfu_gui.ui.log_actions import header_of
from mfu_gui.ui.log_data import LogData, decimated, figures, moving_median, outliers
from mfu_gui.ui.log_files import is_log
from mfu_gui.ui.log_import import LogImport
from mfu_gui.ui.main_window import MainWindow
from mfu_gui.ui.tabs.log import LogPage

from .conftest import Answers
from .layout_check import SIZES, problems, settle

DATA = Path(__file__).resolve().parents[1] / "data"
LOGS = DATA / "logs"
LINE = (" [2026-01-10 {h:02d}:{m:02d}:{s:02d}.200114] iteration {n:8d}/   10000 | consumed samples: {c:12d} | elapsed time per "
        "iteration (ms): {ms:.1f} | throughput per GPU (TFLOP/s/GPU): {tflops:.1f} | learning rate: 3.0E-05 | "
        "global batch size:   256 | lm loss: 6.12E+00 | number of nan iterations:   0 |\n")
HEAD = "using world size: 64, data-parallel size: 64\n  seq_length ...................................... 8192\n"


def megatron(first: int, last: int, ms: float = 4000.0) -> str:
    """Steps of 64 GPUs; the first is slow, every fiftieth is a stall."""
    lines = []
    for n in range(first, last + 1):
        time = ms * (5 if n == 1 or n % 50 == 0 else 1) + n % 7
        clock = n * 4
        lines.append(LINE.format(h=8 + clock // 3600, m=clock // 60 % 60, s=clock % 60, n=n, c=n * 256, ms=time,
                                 tflops=1.7e6 / time))
    return "".join(lines)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "run.log"
    path.write_text(HEAD + megatron(1, 200))
    return path


@pytest.fixture
def read(window: MainWindow, qtbot: QtBot) -> Iterator[Callable[..., LogPage]]:
    """Opens logs as the window does, and waits until they are read."""

    def open_logs(*paths: Path) -> LogPage:
        window.files.open_paths(list(paths))
        page = window.tabs.page("log")
        assert isinstance(page, LogPage)
        settled(page, qtbot)
        return page

    yield open_logs
    for document in window.services.workspace.documents:
        for one in document.logs:
            one.stop()


def settled(page: LogPage, qtbot: QtBot) -> None:
    logs = page.services.workspace.active.logs
    qtbot.waitUntil(lambda: all(not one.busy for one in logs), timeout=20_000)
    qtbot.waitUntil(lambda: not page._soon.isActive(), timeout=2_000)
    QApplication.processEvents()


def test_a_log_is_shown(window: MainWindow, read: Callable[..., LogPage], log: Path) -> None:
    page = read(log)
    assert window.tabs.current == "log"
    chosen = page.chosen
    assert chosen is not None
    assert (chosen.state, chosen.data.format_name, len(chosen.data)) == ("ready", "Megatron-LM", 200)
    time = chosen.data.column("step_time_s")
    assert time is not None
    assert time[1] == pytest.approx(4.002)
    assert page._plot is not None
    assert page._plot._main is not None
    assert len(page._plot._main.steps) == 200


def test_mfu_follows_the_scenario(window: MainWindow, read: Callable[..., LogPage], log: Path, qtbot: QtBot) -> None:
    """256 sequences of 8192 tokens in 4 s on 64 GPUs are 8192 tokens/s of each; the FLOPs are the scenario's."""
    page = read(log)
    chosen, document = page.chosen, window.services.workspace.active
    assert chosen is not None
    assert document.result is not None
    view = page._view(chosen)
    assert view is not None
    assert view.mfu is not None
    flops, peak = document.result.flops.per_token, document.result.peak_tflops_per_device
    assert np.nanmedian(view.mfu) == pytest.approx(256 * 8192 / 4.003 / 64 * flops / (peak * 1e12), rel=1e-3)


def test_use_as_the_measured_value_is_one_step_of_undo(window: MainWindow, read: Callable[..., LogPage], log: Path) -> None:
    page = read(log)
    document = window.services.workspace.active
    before, count = document.scenario, document.history.count()
    median = page.side.rows[0]
    median.link.click()
    assert document.scenario.run.measured is not None
    assert document.scenario.run.measured.step_time_s == pytest.approx(4.003)
    assert document.history.count() == count + 1
    assert "Median" in document.history.undo_label()
    window.undo()
    assert document.scenario == before


def test_the_header_is_offered_and_not_taken_by_itself(window: MainWindow, read: Callable[..., LogPage], log: Path) -> None:
    document = window.services.workspace.active
    before = document.scenario
    page = read(log)
    assert document.scenario == before
    assert before.run.devices == 128
    assert page.side.header_link.isVisibleTo(page)
    page.side.header_link.click()
    assert (document.scenario.run.devices, document.scenario.run.sequence_length) == (64, 8192)
    window.undo()
    assert document.scenario == before


def test_warm_up_can_be_set(read: Callable[..., LogPage], log: Path, window: MainWindow) -> None:
    page = read(log)
    chosen = page.chosen
    assert chosen is not None
    assert chosen.data.warm_up == 1
    page.side.warm.edited.emit(100, "")
    assert page._plot is not None
    assert page._plot._marked is not None
    assert page._plot._marked.first == 100
    page._plot.cut_moved.emit(60)
    assert page.side.warm.value == 60
    page.side.auto.click()
    assert page.side.warm.value == 1


def test_stalls_are_marked(read: Callable[..., LogPage], log: Path) -> None:
    page = read(log)
    assert page._plot is not None
    assert page._plot._marked is not None
    assert list(page._plot._marked.stalls) == [49, 99, 149, 199]
    assert "4 stalls" in page.side.odd.text()


def test_several_logs_are_overlaid_and_taken_away(read: Callable[..., LogPage], log: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.log"
    other.write_text(HEAD + megatron(1, 80, 5000.0))
    page = read(log, other)
    assert page._plot is not None
    assert [len(shown.steps) for shown in page._plot._others] == [200]
    page.logs.chosen.emit(0)
    assert [len(shown.steps) for shown in page._plot._others] == [80]
    page.remove.click()
    page.remove.click()
    assert page.chosen is None
    assert page._stack.currentIndex() == 0


def test_why_the_log_prints_another_figure(read: Callable[..., LogPage], qtbot: QtBot) -> None:
    """Lines of pytorch/torchtitan issue 1287 show 34.29 % against 989 TFLOP/s with attention in full."""
    page = read(LOGS / "torchtitan" / "reference.log")
    qtbot.waitUntil(lambda: page.side.reason.isVisibleTo(page), timeout=10_000)
    assert page.side.reason.text()


def test_what_cannot_be_settled_is_asked(read: Callable[..., LogPage], tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "metrics.csv"
    path.write_text("Step,run - throughput\n" + "".join(f"{n},{5000 + n}\n" for n in range(1, 60)))
    page = read(path)
    box = page.side.findChild(object, "log.question.throughput")
    assert box is not None
    box.chosen.emit("tokens_per_s_per_device")  # type: ignore[attr-defined]
    settled(page, qtbot)
    chosen = page.chosen
    assert chosen is not None
    rate = chosen.data.column("tokens_per_s_per_device")
    assert rate is not None
    assert rate[0] == 5001


def test_columns_of_a_table_are_said_by_the_user(read: Callable[..., LogPage], tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "own.csv"
    path.write_text("n,how long,how many\n" + "".join(f"{n},{2000 + n},262144\n" for n in range(1, 60)))
    page = read(path)
    chosen = page.chosen
    assert chosen is not None
    assert page.columns_link.isVisibleTo(page)
    assert page._plot is None or page._plot.isHidden(), "axes of another log under a message"
    dialog = LogColumnsDialog(page.services, chosen, page)
    bar = dialog.findChild(QScrollArea).horizontalScrollBar()
    dialog.show()
    QApplication.processEvents()
    assert bar.maximum() == 0, "a column is cut off"
    dialog.accept()
    assert dialog.message.isVisibleTo(dialog)
    dialog.show_mapping(LogMapping(kind=KIND, schema=1, columns={
        "step": Source(name="n"), "step_time_s": Source(name="how long", unit="ms"), "tokens": Source(name="how many")}))
    assert dialog.columns["step_time_s"].currentData() == "how long"
    dialog.accept()
    settled(page, qtbot)
    time = chosen.data.column("step_time_s")
    assert time is not None
    assert time[0] == pytest.approx(2.001)


def test_a_growing_log_is_followed(read: Callable[..., LogPage], log: Path, qtbot: QtBot) -> None:
    page = read(log)
    chosen = page.chosen
    assert chosen is not None
    page.follow.click()
    settled(page, qtbot)
    assert chosen.following
    with log.open("a") as file:
        file.write(megatron(201, 210))
    qtbot.waitUntil(lambda: len(chosen.data) == 210 and chosen.state == "ready", timeout=20_000)
    page.follow.click()
    assert not chosen.following


def test_reading_can_be_cancelled(window: MainWindow, log: Path) -> None:
    one = LogImport(log, "en")
    one.start()
    one.cancel()
    assert one.state == "cancelled"
    assert one._process is None
    one.close()


@pytest.mark.parametrize(("data", "words"), [(b"hello\nworld\n", "Looked for"), (b"\x93NUMPY\x01\0", "neither text")])
def test_what_is_no_log_is_told(read: Callable[..., LogPage], window: MainWindow, tmp_path: Path, qtbot: QtBot, data: bytes,
                                words: str) -> None:
    path = tmp_path / "some.log"
    path.write_bytes(data)
    window._show_logs([path])
    page = window.tabs.page("log")
    assert isinstance(page, LogPage)
    settled(page, qtbot)
    assert words in page.message.text()
    assert page.message.textFormat() == Qt.TextFormat.PlainText


def test_a_log_is_dropped(window: MainWindow, log: Path, qtbot: QtBot, answers: Answers) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(log))])
    event = QDropEvent(QPoint(300, 300), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton,
                       Qt.KeyboardModifier.NoModifier)
    window.dropEvent(event)
    logs = window.services.workspace.active.logs
    assert [one.path for one in logs] == [log]
    qtbot.waitUntil(lambda: logs[0].state == "ready", timeout=20_000)
    assert not answers.told


def test_the_action_asks_for_logs(window: MainWindow, answers: Answers, log: Path, qtbot: QtBot) -> None:
    answers.logs = [log]
    window.actions_table["open_log"].trigger()
    logs = window.services.workspace.active.logs
    qtbot.waitUntil(lambda: logs[0].state == "ready", timeout=20_000)


def test_logs_are_told_from_scenarios_and_configs(tmp_path: Path) -> None:
    assert all(is_log(path) for path in LOGS.glob("*/*") if path.name not in ("all_results.json",)), [
        path for path in LOGS.glob("*/*") if not is_log(path)]
    assert not any(is_log(path) for path in (DATA / "scenarios").glob("*.mfu"))
    assert not any(is_log(path) for path in (DATA / "hf_configs").glob("*.json"))
    assert not is_log(tmp_path)


def test_a_page_that_is_not_looked_at_does_not_draw(window: MainWindow, read: Callable[..., LogPage], log: Path) -> None:
    page = read(log)
    window.tabs.show_page("breakdown")
    drawn: list[int] = []
    page._show = lambda log: drawn.append(1)  # type: ignore[method-assign]
    window.services.workspace.edit(window.services.workspace.active, "x", window.services.workspace.active.scenario)
    page._draw_soon()
    QApplication.processEvents()
    assert not drawn


def test_a_million_steps_keep_their_extremes() -> None:
    x = np.arange(1_000_000, dtype=float)
    y = np.sin(x / 5e4) + 10
    y[123_456], y[765_432] = 99.0, -5.0
    thin_x, thin_y = decimated(x, y, 800)
    assert len(thin_x) <= 1600
    assert {99.0, -5.0} <= set(thin_y)
    assert (np.diff(thin_x) > 0).all()
    places, medians = moving_median(x, y, 1001)
    assert len(places) <= 500
    assert np.abs(medians - (np.sin(places / 5e4) + 10)).max() < 0.05


def test_steps_that_come_again_replace_the_old_ones() -> None:
    data = LogData()
    data.extend({"step": [1, 2, 3, 4], "step_time_s": [1.0, 1.0, None, 1.0]})
    data.extend({"step": [3, 4, 5], "step_time_s": [2.0, 2.0, 2.0], "tokens": [8, 8, 8]})
    time, tokens = data.column("step_time_s"), data.column("tokens")
    assert time is not None
    assert tokens is not None
    assert time.tolist() == [1, 1, 2, 2, 2]
    assert np.isnan(tokens[:2]).all()
    found = figures(time, 2)
    assert found is not None
    assert (found.steps, found.median) == (3, 2.0)
    assert not len(outliers(time, 0).stalls)


def test_language_and_theme(window: MainWindow, read: Callable[..., LogPage], log: Path, qtbot: QtBot) -> None:
    page = read(log)
    window.status.set_language("zh")
    window.status.set_theme("dark")
    settled(page, qtbot)
    assert "每步时间" in page.side.rows[0].name.text()
    assert page.chosen is not None
    assert page.chosen.data.complete
    window.status.set_language("en")
    window.status.set_theme("light")
    settled(page, qtbot)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_layout_with_a_log(window: MainWindow, read: Callable[..., LogPage], log: Path, qtbot: QtBot, language: str) -> None:
    page = read(log, LOGS / "torchtitan" / "reference.log")
    window.status.set_language(language)
    settled(page, qtbot)
    for size in SIZES:
        window.resize(*size)
        settle()
        assert not problems(window), (size, problems(window))
    window.status.set_language("en")
    settled(page, qtbot)


def test_header_has_what_the_columns_say(read: Callable[..., LogPage], log: Path) -> None:
    page = read(log)
    assert page.chosen is not None
    view = page._view(page.chosen)
    assert view is not None
    assert header_of(view)["run"] == {"devices": 64, "sequence_length": 8192, "global_batch": 256}
    assert json.dumps(header_of(view))


def test_a_log_of_one_step_is_a_point(read: Callable[..., LogPage], tmp_path: Path) -> None:
    """A line needs two steps: one would be an empty picture."""
    path = tmp_path / "one.log"
    path.write_text(HEAD + megatron(7, 7))
    plot = read(path)._plot
    assert plot is not None
    assert [point.pos().x() for point in plot._alone.points()] == [7]
    longer = tmp_path / "three.log"
    longer.write_text(HEAD + megatron(7, 9))
    assert not len(read(longer)._plot._alone.points())
