"""Pages that have little to show say what is missing, calmly; pages with much room use it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from mfu_gui.engine.fields import with_measured
from mfu_gui.ui.charts.axis import MOST_MARKS, round_marks
from mfu_gui.ui.charts.bars import Treemap
from mfu_gui.ui.charts.stage_bars import StageBars
from mfu_gui.ui.charts.sweep_chart import marks
from mfu_gui.ui.main_window import MainWindow
from mfu_gui.ui.tabs.compare import ComparePage
from mfu_gui.ui.tabs.memory import MemoryPage
from mfu_gui.ui.tabs.step_time import StepTimePage
from mfu_gui.ui.tabs.step_views import ModelView
from mfu_gui.ui.tabs.sweep import SweepPage

from .layout_check import problems, settle

WIDE = (2560, 1440)


def test_what_is_missing_in_a_new_scenario_is_said_without_alarm(window: MainWindow, qtbot: QtBot) -> None:
    window.files.new()
    window.tabs.show_page("step_time")
    step_time = window.tabs.page("step_time")
    assert isinstance(step_time, StepTimePage)
    problem = step_time.waterfall.problem
    assert "A value is needed" in problem.text()
    assert problem.property("tone") == "muted"
    window.tabs.show_page("sweep")
    sweep = window.tabs.page("sweep")
    assert isinstance(sweep, SweepPage)
    view = sweep.sweep
    qtbot.waitUntil(lambda: view.stack.currentWidget() is view.problem, timeout=5000)
    assert "MFU: an input that it needs is missing" in view.problem.text()
    assert view.problem.property("tone") == "muted"


def test_the_lone_scenario_of_the_comparison_is_told_in_the_middle(window: MainWindow) -> None:
    window.tabs.show_page("compare")
    page = window.tabs.page("compare")
    assert isinstance(page, ComparePage)
    settle()
    middle = page.hint.mapTo(page, page.hint.rect().center())
    assert abs(middle.y() - page.stack.geometry().center().y()) < 40
    assert abs(middle.x() - page.rect().center().x()) < 8


def test_tall_pages_have_their_pictures_as_wide_as_their_tables(window: MainWindow) -> None:
    window.resize(*WIDE)
    for key, picture_type in (("breakdown", Treemap), ("memory", StageBars)):
        window.tabs.show_page(key)
        settle()
        page = window.tabs.page(key)
        picture, table = page.findChild(picture_type), page.view
        assert abs(picture.width() - table.width()) < 16, key
        assert not problems(window)
    breakdown = window.tabs.page("breakdown")._split.sizes()
    assert abs(breakdown[1] - 2 * breakdown[0]) < 8, "the picture has two thirds of a tall page"
    memory = window.tabs.page("memory")
    assert isinstance(memory, MemoryPage)
    above = memory.bars.mapTo(memory, memory.bars.rect().bottomLeft()).y()
    assert 0 < memory.view.y() - above < 40
    window.resize(1280, 800)
    window.tabs.show_page("breakdown")
    settle()
    assert window.tabs.page("breakdown")._split.orientation() == Qt.Orientation.Horizontal


def test_a_waterfall_with_room_has_thicker_bars(window: MainWindow) -> None:
    heights = {}
    for size in ((1280, 800), WIDE):
        window.resize(*size)
        window.tabs.show_page("step_time")
        settle()
        chart = window.tabs.page("step_time").waterfall.chart
        heights[size] = chart.bar_rect(0).height()
        assert chart.row_at(chart.height() - 1) == len(chart.rows) - 1
    assert heights[WIDE] == 2 * heights[(1280, 800)]


def test_the_numbers_of_the_headline_grow_slower_than_the_window(window: MainWindow) -> None:
    sizes = []
    for size in ((1280, 800), (1920, 1080), (2560, 1440), (3840, 2160)):
        window.resize(*size)
        settle()
        hfu = window.headline.metrics["hfu"]
        sizes.append((window.headline.mfu._number_font.pixelSize(), hfu._number_font.pixelSize()))
        assert hfu._unit_font.pixelSize() >= 12
        assert not problems(window)
    assert sizes == sorted(set(sizes))
    assert sizes[-1][0] < 3 * sizes[0][0]


def test_a_tall_page_on_memory_shows_its_terms_as_areas_too(window: MainWindow) -> None:
    window.tabs.show_page("memory")
    memory = window.tabs.page("memory")
    assert isinstance(memory, MemoryPage)
    settle()
    assert memory.areas.isHidden()
    window.resize(1920, 1080)
    settle()
    assert memory.areas.isVisible()
    assert memory.areas.x() > memory.view.geometry().right(), "beside the table, which is not low enough"
    assert not problems(window)
    window.resize(*WIDE)
    settle()
    assert memory.view.height() == memory.view.height_of_rows()
    assert 0 < memory.areas.y() - memory.view.geometry().bottom() < 20
    assert memory.areas.height() > memory.height() // 4
    assert abs(sum(part.share for part in memory.areas.parts) - 1) < 1e-9
    memory.areas._choose(0)
    assert memory.view.selected_keys == (memory.areas.parts[0].key,)


def test_tall_pages_on_the_step_show_picture_and_table(window: MainWindow) -> None:
    window.tabs.show_page("step_time")
    page = window.tabs.page("step_time")
    assert isinstance(page, StepTimePage)
    model = page.views["model"]
    assert isinstance(model, ModelView)
    for size, both in (((1280, 800), False), (WIDE, True), ((1280, 800), False)):
        window.resize(*size)
        page.show_view("waterfall")
        settle()
        assert page.waterfall.chart.isVisible()
        assert page.waterfall.table.isVisible() is both
        assert page.forms.isVisible() is not both, "a choice of one of them, where both are shown"
        page.show_view("model")
        settle()
        assert model.areas.isVisible() is both
        assert not problems(window)
    page.show_view("waterfall")
    page.show_as("table")
    window.resize(*WIDE)
    window.resize(1280, 800)
    settle()
    assert not page.waterfall.chart.isVisible()


def test_a_problem_hides_what_tall_pages_show_too(window: MainWindow) -> None:
    window.resize(*WIDE)
    window.files.new()
    window.tabs.show_page("step_time")
    page = window.tabs.page("step_time")
    assert isinstance(page, StepTimePage)
    for key in page.views:
        page.show_view(key)
        settle()
        assert page.view.problem.isVisible()
        assert not any(widget.isVisible() for widget in page.view.content())


def test_axes_of_high_pictures_have_neither_few_marks_nor_a_wall_of_them(window: MainWindow) -> None:
    window.resize(3840, 2160)
    settle()
    assert len(window.plot.view._left._marks) == 11, "every ten per cent"
    assert len(round_marks(26.6, 31.2, 60)) <= MOST_MARKS
    assert len(marks(0.0, 0.3, MOST_MARKS)) <= MOST_MARKS
    window.resize(1280, 800)
    settle()
    assert len(window.plot.view._left._marks) == 6


def test_charts_of_the_comparison_have_thicker_bars_on_tall_pages(window: MainWindow) -> None:
    window.files.duplicate()
    scenario = window.services.workspace.active.scenario
    window.services.workspace.edit(window.services.workspace.active, "x", with_measured(scenario, "step_time_s", 4.0))
    window.tabs.show_page("compare")
    page = window.tabs.page("compare")
    assert isinstance(page, ComparePage)
    for key in ("change", "sensitivity"):
        heights = []
        for size in ((1280, 800), WIDE):
            window.resize(*size)
            page.show_view(key)
            settle()
            heights.append(getattr(page, key).chart._bar)
            assert not problems(window)
        assert heights[1] > heights[0], key
