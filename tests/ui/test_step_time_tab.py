"""The Step time tab: waterfall, model and what-if, in both languages."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import pytest
from msgspec.structs import replace
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QLineEdit, QWidget

from mfu_gui.engine.run import Measured
from mfu_gui.engine.scenario import Scenario
from mfu_gui.planning.anchored import predict
from mfu_gui.planning.spec import plan_spec
from mfu_gui.planning.step_fields import FIELDS, what_if
from mfu_gui.planning.step_time import step_time
from mfu_gui.planning.waterfall import waterfall
from mfu_gui.ui import fonts
from mfu_gui.ui.charts.row_chart import TOP
from mfu_gui.ui.main_window import MainWindow
from mfu_gui.ui.step_words import NUMBERS
from mfu_gui.ui.tabs.step_time import StepTimePage
from mfu_gui.ui.tabs.step_views import ModelView, WaterfallView, WhatIfView
from mfu_gui.ui.theme import SMALL
from tests.planning.step_runs import megatron, of_set

from .layout_check import SIZES, problems, settle

TypeInto = Callable[..., QLineEdit]


def published(name: str = "175B full") -> Scenario:
    return megatron(next(run for run in of_set("korthikanti") if run["name"] == name))


@pytest.fixture
def page(window: MainWindow) -> StepTimePage:
    """The tab, shown, with a published run."""
    workspace = window.services.workspace
    workspace.edit(workspace.active, "x", published())
    window.tabs.show_page("step_time")
    settle()
    return cast(StepTimePage, window.tabs.page("step_time"))


def scenario_of(page: StepTimePage) -> Scenario:
    return page.services.workspace.active.scenario


def test_waterfall_and_its_table_say_the_same(page: StepTimePage) -> None:
    view = cast(WaterfallView, page.view)
    found = waterfall(published())
    labels = [row.label for row in view.chart.rows]
    assert labels == ["Whole step", *(part.label for part in found.parts)]
    assert view.chart.rows[-1].value == pytest.approx(found.utilization)
    assert view.chart.rows[0].value + sum(row.value for row in view.chart.rows[1:-1]) == pytest.approx(
        found.utilization)
    assert [row.texts[0] for row in view.model.rows] == [*labels[1:], "Whole step"]
    assert view.model.rows[-1].values[1] == 18.13
    assert "18.1 s" in view.words.text()
    assert "38.4%" in view.words.text()
    assert not view.table.isVisible()
    page.show_as("table")
    assert view.table.isVisible()
    assert not view.chart.isVisible()


@pytest.mark.parametrize("theme", ["light", "contrast"])
def test_lines_between_bars_pass_behind_no_word(window: MainWindow, page: StepTimePage, theme: str,
                                                monkeypatch: pytest.MonkeyPatch) -> None:
    window.resize(*SIZES[0])
    window.status.set_theme(theme)
    settle()
    chart = cast(WaterfallView, page.view).chart
    metrics = QFontMetricsF(fonts.bold(SMALL))
    whole = chart.grab().toImage()
    monkeypatch.setattr(chart, "_draw_connections", lambda painter: None)
    alone = chart.grab().toImage()
    drawn = [(x, y) for x in range(whole.width()) for y in range(whole.height())
             if whole.pixel(x, y) != alone.pixel(x, y)]
    assert drawn
    for number, row in enumerate(chart.rows):
        left = chart.width() - 2 - metrics.horizontalAdvance(row.text)
        top = chart.row_rect(number).top() + TOP
        assert not [(x, y) for x, y in drawn if x >= left and top <= y < top + metrics.lineSpacing()], row.label


def test_every_part_of_the_model_tells_its_formula(page: StepTimePage) -> None:
    view = cast(WaterfallView, page.view)
    tips = {row.label: row.tip() for row in view.chart.rows if row.tip is not None}
    assert "S4.tensor" in tips["Tensor-parallel communication"]
    assert "tensor parallel (t): 8" in tips["Tensor-parallel communication"]
    assert {name for figure in step_time(published()).components for name in figure.numbers} <= set(NUMBERS)


def test_own_parts_replace_the_models(page: StepTimePage, type_into: TypeInto) -> None:
    view = cast(WaterfallView, page.view)
    type_into("plan.step_parts.optimizer_s", "0.5")
    parts = plan_spec(scenario_of(page)).step_parts
    assert parts is not None
    assert parts.optimizer_s == 0.5
    assert [row.label for row in view.chart.rows if "communication" in row.label.lower()] == []
    assert view.basis.text() == "Parts as entered; the model is not asked."
    type_into("plan.step_parts.forward_backward_s", "10")
    assert "add up to 10.5 s" in view.problem.text()
    assert not view.chart.isVisible()
    page.services.workspace.undo()
    assert view.problem.text() == ""
    assert view.chart.isVisible()


def test_an_empty_part_shows_what_is_left(page: StepTimePage, type_into: TypeInto) -> None:
    type_into("plan.step_parts.data_s", "1.13")
    editor = page.findChild(QLineEdit, "plan.step_parts.forward_backward_s")
    assert editor is not None
    assert editor.placeholderText() == "17.0"


def test_model_lists_every_component_and_takes_what_is_reached(page: StepTimePage, type_into: TypeInto) -> None:
    page.show_view("model")
    view = cast(ModelView, page.view)
    found = step_time(published())
    assert [row.values[1] for row in view.model.rows[:-1]] == [figure.value for figure in found.components]
    assert view.model.rows[-1].values[1] == pytest.approx(found.total_s)
    type_into("plan.step.matmul_efficiency", "90")
    assert view.model.rows[-1].values[1] < found.total_s
    assert plan_spec(scenario_of(page)).step.matmul_efficiency == pytest.approx(0.9)


def test_what_if_predicts_and_opens_the_run(page: StepTimePage, type_into: TypeInto) -> None:
    page.show_view("what_if")
    view = cast(WhatIfView, page.view)
    assert "Fill in" in view.words.text()
    assert not view.open.isEnabled()
    type_into("plan.what_if.devices", "128")
    expected = predict(published(), replace(published(), run=replace(published().run, devices=128)))
    assert what_if(scenario_of(page)).run.devices == 128
    assert view.predicted is not None
    assert view.predicted[1].step_time_s == pytest.approx(expected.step_time_s)
    assert "2.2% off" in view.method.text()
    workspace = page.services.workspace
    before = len(workspace.documents)
    view.open.click()
    opened = workspace.active.scenario
    assert len(workspace.documents) == before + 1
    assert (opened.run.devices, opened.name) == (128, "175B full, predicted")
    assert opened.run.measured == Measured(step_time_s=pytest.approx(expected.step_time_s))
    assert plan_spec(opened).what_if.devices is None


def test_without_a_measured_step_it_is_said_what_is_missing(page: StepTimePage) -> None:
    workspace = page.services.workspace
    bare = replace(published(), run=replace(published().run, measured=None))
    workspace.edit(workspace.active, "x", bare)
    assert "The model has a step of" in page.view.words.text()
    page.show_view("what_if")
    assert "starts from a measured step" in page.view.problem.text()
    workspace.edit(workspace.active, "x", replace(bare, run=replace(bare.run, devices=None)))
    page.show_view("model")
    assert page.view.problem.text().startswith("Devices: ")


def test_nothing_is_computed_while_nobody_looks(window: MainWindow, page: StepTimePage) -> None:
    window.tabs.show_page("breakdown")
    before = page.view.words.text()
    workspace = window.services.workspace
    workspace.edit(workspace.active, "x", published("22B full"))
    assert page.view.words.text() == before
    window.tabs.show_page("step_time")
    assert page.view.words.text() != before


def test_every_control_has_a_name(page: StepTimePage) -> None:
    for key in page.views:
        page.show_view(key)
    keys = {field.key for field in FIELDS if field.applies(published())}
    named = {widget.objectName() for widget in page.findChildren(QWidget) if widget.accessibleName()}
    assert keys <= named


@pytest.mark.parametrize("language", ["en", "zh"])
def test_views_fit_at_every_size(window: MainWindow, page: StepTimePage, language: str) -> None:
    window.status.set_language(language)
    found = {}
    for size in SIZES:
        window.resize(*size)
        for key in page.views:
            page.show_view(key)
            settle()
            wrong = problems(window)
            if wrong:
                found[(size, key)] = wrong
    texts = page.view.words.text() + page.waterfall.basis.text()
    window.status.set_language("en")
    assert not found
    assert any("\u4e00" <= letter <= "\u9fff" for letter in texts) is (language == "zh")
