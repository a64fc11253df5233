"""The Sweep tab: what it shows is what a point is alone, and a point or layout becomes the scenario in one step."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from mfu_gui.engine.evaluate import evaluate
from mfu_gui.engine.scenario import Scenario
from mfu_gui.planning.memory_advice import memory_of
from mfu_gui.planning.sweep import Cancelled, Progress
from mfu_gui.ui.charts.sweep_chart import marks, spread_marks
from mfu_gui.ui.latest import Latest
from mfu_gui.ui.main_window import MainWindow
from mfu_gui.ui.tabs.sweep import SweepPage
from mfu_gui.ui.workspace import Document
from tests.planning.scenarios import scenario
from tests.ui.conftest import Answers
from tests.ui.layout_check import problems


def llama(**run: Any) -> Scenario:
    """Llama 3.1 70B on 64 H100, with its layout and a plan."""
    usual = {"devices": 64, "sequence_length": 8192, "global_batch": 64, "micro_batch": 1,
             "parallel": {"tensor": 8, "pipeline": 4, "zero_stage": 1}, "measured": {"step_time_s": 9.0}}
    return scenario("llama-3.1-70b", "nvidia-h100-sxm5-80gb", plan={"tokens": 1e12, "price_per_device_hour": 2.0},
                    **(usual | run))


@pytest.fixture
def page(window: MainWindow, qtbot: QtBot) -> SweepPage:
    """The tab, looked at, with the first sweep computed."""
    window.services.workspace.add(Document(llama()))
    window.tabs.show_page("sweep")
    found = window.findChild(SweepPage)
    assert isinstance(found, SweepPage)
    wait(found, qtbot)
    return found


def wait(page: SweepPage, qtbot: QtBot) -> None:
    """Until what was asked for is computed and shown."""
    view = page.sweep
    qtbot.waitUntil(lambda: not view._later.isActive() and not view.work.busy and not page.layouts.work.busy,
                    timeout=8000)
    QApplication.processEvents()


def document(page: SweepPage) -> Document:
    return page.services.workspace.active


def texts(page: SweepPage) -> list[tuple[str, ...]]:
    """The table of the sweep."""
    return [row.texts for row in page.sweep.model.rows]


def test_first_sweep(page: SweepPage) -> None:
    """Devices around the present number, the present one marked, its own MFU at it."""
    done = page.sweep.done
    assert done is not None
    assert done.sweep.axes[0].values == (16, 32, 64, 128, 256)
    assert done.sweep.current() == (2,)
    picture = page.sweep.chart.picture
    assert picture is not None
    assert picture.current == (2,)
    mfu = evaluate(document(page).scenario).mfu
    assert picture.values[2] == pytest.approx(mfu, rel=1e-12)
    assert page.sweep.point.text() == "What is held: step time predicted from the measured run (9.00 s)."


def test_what_is_shown_is_exact(page: SweepPage, qtbot: QtBot) -> None:
    page.sweep.result.chosen.emit("days")
    page.sweep.result.set_value("days")
    wait(page, qtbot)
    done = page.sweep.done
    assert done is not None
    assert done.key == "days"
    for place, exact in done.exact.items():
        assert isinstance(exact, dict)
        assert exact == done.sweep.exact(place)


def test_two_axes_make_a_map_and_a_table(page: SweepPage, qtbot: QtBot) -> None:
    page.sweep.second.set_axis("run.micro_batch", "1, 2")
    wait(page, qtbot)
    picture = page.sweep.chart.picture
    assert picture is not None
    assert picture.values.shape == (5, 2)
    page.sweep.show_as("table")
    assert page.sweep.stack.currentWidget() is page.sweep.table
    assert len(texts(page)) == 10
    assert texts(page)[4][:2] == ("64", "1")
    page.sweep.second.set_axis("", "")
    wait(page, qtbot)
    assert len(texts(page)[0]) == 2


def test_wrong_values_say_why(page: SweepPage, qtbot: QtBot) -> None:
    page.sweep.first.set_axis("run.devices", "64, many")
    wait(page, qtbot)
    assert page.sweep.stack.currentWidget() is page.sweep.problem
    assert page.sweep.problem.text().startswith("Devices: ")
    assert page.sweep.first.edit.property("state") == "invalid"
    page.sweep.first.set_axis("run.devices", "64, 128")
    wait(page, qtbot)
    assert page.sweep.stack.currentWidget() is page.sweep.chart
    assert page.sweep.first.edit.property("state") == ""


def test_a_point_without_a_value(page: SweepPage, qtbot: QtBot) -> None:
    page.sweep.first.set_axis("run.precision", "bf16, fp4")
    wait(page, qtbot)
    page.sweep.pick((1,))
    assert "fp4" in page.sweep.point.text()
    assert not page.sweep.take.isVisible()
    page.sweep.pick((0,))
    assert page.sweep.take.isVisible()


def test_filters(page: SweepPage, qtbot: QtBot) -> None:
    page.sweep.fits.setChecked(True)
    wait(page, qtbot)
    done, picture = page.sweep.done, page.sweep.chart.picture
    assert done is not None
    assert picture is not None
    assert (picture.kept == (done.sweep.values["memory_share"] <= 1)).all()
    assert len(texts(page)) == int(picture.kept.sum())
    days = sorted(float(value["days"] or 0) for value in _with(page, "days", qtbot))
    page.sweep.days.set_value(days[2])
    page.sweep.days.edited.emit(days[2], "")
    wait(page, qtbot)
    assert page.sweep.chart.picture is not None
    assert int(page.sweep.chart.picture.kept.sum()) <= 3


def _with(page: SweepPage, key: str, qtbot: QtBot) -> list[Any]:
    page.sweep.result.set_value(key)
    page.sweep.result.chosen.emit(key)
    wait(page, qtbot)
    done = page.sweep.done
    assert done is not None
    return [value for value in done.exact.values() if isinstance(value, dict)]


def test_a_click_chooses_and_one_step_takes_it(page: SweepPage, qtbot: QtBot) -> None:
    before = document(page).scenario
    chart = page.sweep.chart
    qtbot.mouseClick(chart, Qt.MouseButton.LeftButton, pos=chart.point_of((3,)).toPoint())
    assert chart.chosen == (3,)
    assert page.sweep.point.text().startswith("Devices 128: MFU ")
    expected = page.sweep.done.sweep.exact((3,))["mfu"] if page.sweep.done else None
    count = document(page).history.count()
    page.sweep.take.click()
    assert document(page).history.count() == count + 1
    assert document(page).scenario.run.devices == 128
    assert document(page).result.mfu == expected
    page.services.workspace.undo()
    assert document(page).scenario == before


def test_the_report_has_the_sweep_that_was_shown_last(window: MainWindow, page: SweepPage, answers: Answers,
                                                      qtbot: QtBot, tmp_path: Path) -> None:
    """Of the scenario as it is now, whichever tab is shown."""
    answers.report_to = tmp_path / "a.md"
    shown = [row.texts[0] for row in page.sweep.model.rows]
    window.tabs.show_page("breakdown")
    window.actions_table["export_report"].trigger()
    qtbot.waitUntil(lambda: not window.export.jobs, timeout=20_000)
    text = answers.report_to.read_text(encoding="utf-8")
    lines = text.split("\n## Sweep\n")[1].split("\n## ")[0].splitlines()
    rows = [line.split("|")[1].strip(" *") for line in lines if line.startswith("| ")][2:]
    assert rows == shown


def test_keys_choose_points(page: SweepPage, qtbot: QtBot) -> None:
    chart = page.sweep.chart
    chart.setFocus()
    qtbot.keyClick(chart, Qt.Key.Key_Right)
    assert chart.chosen == (2,)
    qtbot.keyClick(chart, Qt.Key.Key_Right)
    qtbot.keyClick(chart, Qt.Key.Key_Right)
    qtbot.keyClick(chart, Qt.Key.Key_Right)
    assert chart.chosen == (4,)
    assert "256" in chart.accessibleDescription()


def test_a_point_as_a_new_scenario(page: SweepPage) -> None:
    first = document(page)
    page.sweep.pick((1,))
    page.sweep.open_new.click()
    assert document(page) is not first
    assert document(page).scenario.run.devices == 32
    assert document(page).scenario.name.endswith("32")
    assert first.scenario == llama()


def test_edits_of_the_scenario_are_followed(page: SweepPage, qtbot: QtBot) -> None:
    changed = document(page).scenario
    changed = replace(changed, run=replace(changed.run, devices=128))
    page.services.workspace.edit(document(page), "run.devices", changed)
    wait(page, qtbot)
    assert page.sweep.done is not None
    assert page.sweep.done.sweep.axes[0].values == (32, 64, 128, 256, 512)


def test_nothing_is_computed_while_not_looked_at(window: MainWindow, page: SweepPage, qtbot: QtBot) -> None:
    window.tabs.show_page("breakdown")
    done = page.sweep.done
    changed = document(page).scenario
    page.services.workspace.edit(document(page), "run.devices", replace(changed, run=replace(changed.run, devices=128)))
    qtbot.wait(200)
    assert page.sweep.done is done


@pytest.fixture
def layouts(page: SweepPage, qtbot: QtBot) -> SweepPage:
    """The search, done."""
    page.show_view("layouts")
    page.layouts.search.click()
    assert page.layouts.work.busy
    wait(page, qtbot)
    return page


def test_layouts(layouts: SweepPage) -> None:
    view = layouts.layouts
    assert view.found is not None
    assert view.stack.currentWidget() is view.table
    assert "layouts: " in view.counts.text()
    times = [row.step_time_s for row in view.found.rows if row.verdict == "fits" and not row.current]
    assert times == pytest.approx(sorted(times), rel=1e-8)
    assert [row.texts[0] for row in view.model.rows if row.bold] == ["TP8 PP4 ZeRO1 (now)"]


def test_using_a_layout_is_one_step(layouts: SweepPage) -> None:
    view, before = layouts.layouts, document(layouts).scenario
    row = view.chosen()
    assert row is not None
    count = document(layouts).history.count()
    view.take.click()
    assert document(layouts).history.count() == count + 1
    made = document(layouts).scenario
    assert made.run.parallel == row.parallel
    assert math.isclose(memory_of(made).worst.total, row.memory_bytes, rel_tol=1e-12)
    assert document(layouts).result.throughput.step_time_s == row.step_time_s
    assert next(line.texts[0] for line in view.model.rows if line.bold).endswith("(now)")
    layouts.services.workspace.undo()
    assert document(layouts).scenario == before


def test_ranked_by_memory(layouts: SweepPage, qtbot: QtBot) -> None:
    view = layouts.layouts
    view.by.set_value("memory")
    view.by.chosen.emit("memory")
    wait(layouts, qtbot)
    assert view.found is not None
    sizes = [row.memory_bytes for row in view.found.rows if row.verdict == "fits" and not row.current]
    assert sizes == sorted(sizes)


def test_a_changed_scenario_is_another_search(layouts: SweepPage) -> None:
    changed = document(layouts).scenario
    changed = replace(changed, run=replace(changed.run, sequence_length=4096))
    layouts.services.workspace.edit(document(layouts), "run.sequence_length", changed)
    assert "has changed" in layouts.layouts.foot.text()
    assert not layouts.layouts.take.isVisible()


def test_a_search_that_cannot_be(page: SweepPage, qtbot: QtBot) -> None:
    changed = document(page).scenario
    changed = replace(changed, run=replace(changed.run, global_batch=None))
    page.services.workspace.edit(document(page), "run.global_batch", changed)
    page.show_view("layouts")
    page.layouts.search.click()
    wait(page, qtbot)
    assert page.layouts.stack.currentWidget() is page.layouts.problem
    assert page.layouts.problem.text().startswith("Global batch: ")


def test_cancel(page: SweepPage, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """The button cancels while a search runs, and the search stops when it next tells its progress."""
    stopped: list[bool] = []

    def slow(base: Scenario, by: str, progress: Progress) -> object:
        while progress(1, 100):
            qtbot_sleep()
        stopped.append(True)
        raise Cancelled

    monkeypatch.setattr("mfu_gui.ui.tabs.sweep_layouts.find", slow)
    page.show_view("layouts")
    view = page.layouts
    view.search.click()
    qtbot.waitUntil(lambda: "1 of 100" in view.counts.text(), timeout=4000)
    assert view.search.text() == "Cancel"
    view.search.click()
    assert view.search.text() == "Search layouts"
    assert not view.progress.isVisible()
    qtbot.waitUntil(lambda: stopped == [True], timeout=4000)


def qtbot_sleep() -> None:
    """A little work in the thread of the search."""
    import time

    time.sleep(0.002)


def test_only_the_newest_work_counts(qapp: QApplication, qtbot: QtBot) -> None:
    latest, told = Latest(), []
    latest.finished.connect(told.append)
    for number in range(5):
        latest.start(lambda _progress, number=number: number)  # type: ignore[misc]
    qtbot.waitUntil(lambda: not latest.busy, timeout=4000)
    qtbot.wait(50)
    assert told == [4]


@pytest.mark.parametrize(("low", "high", "most"), [(0.0, 1.0, 5), (3.1, 3.7, 6), (1e9, 7e9, 4), (2.0, 2.0, 5)])
def test_marks_are_round_and_inside(low: float, high: float, most: int) -> None:
    found = marks(low, high, most)
    assert 1 <= len(found) <= most + 1
    assert all(low - 1e-9 <= mark <= high * (1 + 1e-9) for mark in found)


def test_words_on_an_axis_have_room() -> None:
    assert spread_marks(5, 500.0, 60.0) == [0, 1, 2, 3, 4]
    assert spread_marks(1000, 500.0, 50.0) == list(range(0, 1000, 100))
    assert spread_marks(0, 500.0, 50.0) == []


@pytest.mark.parametrize("size", [(1024, 700), (1280, 800), (2560, 1440)])
@pytest.mark.parametrize("view", ["sweep", "layouts"])
def test_layout(window: MainWindow, page: SweepPage, qtbot: QtBot, size: tuple[int, int], view: str) -> None:
    window.resize(*size)
    page.show_view(view)
    if view == "layouts":
        page.layouts.search.click()
    else:
        page.sweep.second.set_axis("run.micro_batch", "1, 2, 4")
        page.sweep.pick((0,)) if page.sweep.chart.picture is not None else None
    wait(page, qtbot)
    assert problems(window) == []


def test_names_for_screen_readers(page: SweepPage) -> None:
    from PySide6.QtWidgets import QAbstractButton, QComboBox, QLineEdit, QTreeView

    for kind in (QComboBox, QLineEdit, QTreeView, QAbstractButton):
        for widget in page.findChildren(kind):
            if widget.focusPolicy() != Qt.FocusPolicy.NoFocus:
                assert widget.accessibleName() or getattr(widget, "text", str)(), widget.objectName()
    assert page.sweep.chart.accessibleName()


def test_tooltip_place(page: SweepPage) -> None:
    chart = page.sweep.chart
    assert chart.place_at(chart.point_of((2,))) == (2,)
    outside: QWidget = chart
    assert chart.place_at(QPoint(outside.width() + 5, 5).toPointF()) is None
