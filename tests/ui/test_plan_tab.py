"""The Plan tab: what is typed is planned, what is shown can be copied and explained, nothing is computed unseen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from mfu_gui.engine.scenario import Scenario
from mfu_gui.planning.plan_fields import SECTIONS
from mfu_gui.planning.spec import plan_spec
from mfu_gui.ui.main_window import MainWindow
from mfu_gui.ui.tabs import plan as plan_module
from mfu_gui.ui.tabs.plan import PlanPage
from mfu_gui.ui.widgets.choice_box import ChoiceBox
from mfu_gui.ui.widgets.value_label import ValueLabel

from .conftest import child
from .layout_check import SIZES, problems, settle

Type = Callable[..., QLineEdit]
PLAN: dict[str, Any] = {"tokens": 15e12, "price_per_device_hour": 2.0}


def set_plan(window: MainWindow, plan: dict[str, Any], **other: Any) -> None:
    document = window.services.workspace.active
    window.services.workspace.edit(document, "x", replace(document.scenario, plan=plan, **other))


def scenario_of(window: MainWindow) -> Scenario:
    return window.services.workspace.active.scenario


def deepseek(window: MainWindow) -> None:
    """DeepSeek-V3 on 2048 H800, as its authors measured it."""
    presets = window.services.presets
    scenario = scenario_of(window)
    run = replace(scenario.run, devices=2048, sequence_length=4096, global_batch=15360,
                  measured=replace(scenario.run.measured, step_time_s=19.926))
    set_plan(window, {"tokens": 14.8e12, "price_per_device_hour": 2.0}, run=run,
             model=presets.model("deepseek-v3").spec,
             hardware=presets.hardware("nvidia-h800-sxm5-80gb").spec)


@pytest.fixture
def page(window: MainWindow) -> PlanPage:
    window.tabs.show_page("plan")
    found = window.tabs.page("plan")
    assert isinstance(found, PlanPage)
    window.split.setSizes([100, 600])
    settle()
    return found


def label(window: MainWindow, name: str) -> ValueLabel:
    found = child(window, name)
    assert isinstance(found, ValueLabel)
    return found


def choose(window: MainWindow, name: str, value: str) -> None:
    box = child(window, name)
    assert isinstance(box, ChoiceBox)
    box.chosen.emit(value)


def shown(page: QWidget, name: str) -> bool:
    found = page.findChild(QWidget, name)
    return found is not None and not found.isHidden() and not found.parentWidget().isHidden()


def test_deepseek_v3_in_one_sentence(window: MainWindow, page: PlanPage) -> None:
    deepseek(window)
    assert page.answer.text() == ("14.8T tokens on 2,048 H800 SXM5 80GB at 39.0% MFU take 54.3 days and cost $5.333M.")
    assert label(window, "plan.time.days").text == "54.3"
    assert label(window, "plan.cost.total").text == "$5.333M"
    assert label(window, "plan.goodput.fraction").text == "100.0%"
    assert label(window, "plan.time.whole_run_utilization").text == label(window, "plan.time.mfu").text


def test_tokens_are_typed_as_people_type_them(window: MainWindow, page: PlanPage, type_into: Type) -> None:
    assert page.answer.text().startswith("Tokens are needed")
    type_into("plan.tokens", "15T")
    assert plan_spec(scenario_of(window)).tokens == 15e12
    assert page.answer.text().startswith("15.0T tokens on 128 H100")
    window.undo()
    assert scenario_of(window).plan is None
    assert page.answer.text().startswith("Tokens are needed")
    window.services.workspace.redo()
    assert plan_spec(scenario_of(window)).tokens == 15e12


@pytest.mark.parametrize(("unknown", "given", "hidden", "words"), [
    ("days", {}, "plan.days", "take"), ("devices", {"plan.days": "60"}, "plan.devices", "take 5"),
    ("tokens", {"plan.days": "60"}, "plan.tokens", "train"),
    ("mfu", {"plan.days": "600"}, "plan.mfu", "need an MFU of"),
    ("budget", {}, "plan.budget", "and cost $"),
])
def test_any_quantity_can_be_the_unknown(window: MainWindow, page: PlanPage, type_into: Type, unknown: str,
                                         given: dict[str, str], hidden: str, words: str) -> None:
    set_plan(window, PLAN)
    choose(window, "plan.unknown", unknown)
    for name, text in given.items():
        type_into(name, text)
    assert plan_spec(scenario_of(window)).unknown == unknown
    assert words in page.answer.text()
    assert not shown(page, hidden), "what is to be found cannot be typed"


def test_tokens_by_a_rule(window: MainWindow, page: PlanPage) -> None:
    choose(window, "plan.token_rule", "tokens_per_parameter")
    assert plan_spec(scenario_of(window)).tokens_per_parameter == 20
    assert label(window, "plan.time.tokens").exact == str(20 * 8_030_261_248)
    choose(window, "plan.token_rule", "hoffmann")
    spec = plan_spec(scenario_of(window))
    assert (spec.compute_optimal, spec.tokens_per_parameter, spec.tokens) == ("hoffmann", None, None)
    assert label(window, "plan.time.tokens").text == label(window, "plan.scaling.tokens_hoffmann").text


def test_failures_by_a_rule(window: MainWindow, page: PlanPage, type_into: Type) -> None:
    set_plan(window, PLAN)
    assert not shown(page, "plan.failures.checkpoint_s")
    choose(window, "plan.failure_rule", "device_mtbf_hours")
    assert shown(page, "plan.failures.checkpoint_s")
    type_into("plan.failures.checkpoint_s", "5 min")
    failures = plan_spec(scenario_of(window)).failures
    assert failures is not None
    assert (failures.device_mtbf_hours, failures.checkpoint_s) == (50_000, 300)
    before = label(window, "plan.goodput.fraction").text
    choose(window, "plan.failure_rule", "mtbf_hours")
    assert label(window, "plan.goodput.fraction").text != before
    choose(window, "plan.failure_rule", "goodput")
    assert label(window, "plan.goodput.fraction").text == "95.0%"
    choose(window, "plan.failure_rule", "none")
    assert label(window, "plan.goodput.fraction").text == "100.0%"


def test_a_day_that_is_none_is_named_beside_it(window: MainWindow, page: PlanPage, type_into: Type,
                                               qtbot: QtBot) -> None:
    set_plan(window, PLAN)
    type_into("plan.start_date", "2025-02-28")
    assert "From 28 February 2025 until" in page.answer.text()
    type_into("plan.start_date", "2025-02-30")
    document = window.services.workspace.active
    assert document.invalid["plan.start_date"].code == "bad_date"
    assert "From 28 February 2025 until" in page.answer.text(), "the last plan stays"
    assert not document.settled
    type_into("plan.start_date", "2025-03-30")
    assert not document.invalid
    field = type_into("plan.start_date", "2025-03-31")
    field.selectAll()
    qtbot.keyClick(field, Qt.Key.Key_Delete)
    assert plan_spec(scenario_of(window)).start_date is None
    assert "From" not in page.answer.text()


def test_what_takes_the_answer_back_stands_beside_it(window: MainWindow, page: PlanPage) -> None:
    set_plan(window, {**PLAN, "unknown": "mfu", "days": 3, "budget": 10})
    assert page.band.property("role") == "warning"
    assert "more than there is" in page.alarm.text()
    assert "more than the budget of 10" in page.alarm.text()
    set_plan(window, PLAN)
    assert page.band.property("role") == "note"
    assert page.alarm.isHidden()
    assert "6ND leaves out attention scores" in page.remarks.text()


def test_every_figure_can_be_copied_and_says_its_formula(window: MainWindow, page: PlanPage) -> None:
    set_plan(window, {**PLAN, "failures": {"device_mtbf_hours": 5e4}, "post_training": {"method": "ppo"},
                      "inference": {"time_per_token_s": 0.05, "prefill_s": 1}})
    for view in ("run", "serving", "post_training"):
        page.show_view(view)
        labels = [found for found in page.findChildren(ValueLabel) if found.isVisibleTo(page)]
        assert len(labels) > 7
        for found in labels:
            found.copy()
            assert QApplication.clipboard().text() == found.exact != ""
            assert found.accessibleName()
            first, *rest = found.formula.splitlines()
            assert found.exact in first
            assert any(words in "\n".join(rest) for words in ("Exact:", "A model:", "Rests on an assumption")), first
    page.show_view("run")
    formula = label(window, "plan.time.flops_6nd").formula
    assert "6 × active parameters × tokens" in formula
    assert "Kaplan et al. 2020" in formula
    assert "18 of 25" in formula


def test_serving_and_post_training(window: MainWindow, page: PlanPage, type_into: Type) -> None:
    deepseek(window)
    page.show_view("serving")
    type_into("plan.inference.batch", "64")
    assert page.answer.text().startswith("The first token takes at least ")
    assert label(window, "plan.cache.bytes_per_token").exact == "70272"
    assert "do not" in page.alarm.text() or "more than the" in page.alarm.text(), "one node is too small"
    page.show_view("post_training")
    assert page.answer.text() == "A trained token takes 100.0% of the FLOPs of training everything."
    choose(window, "plan.post_training.method", "grpo")
    assert "of it is rollout" in page.answer.text()
    assert page.splits["loop_time"].isVisibleTo(page)
    assert "Training" in page.splits["loop_time"].accessibleDescription()
    choose(window, "plan.run.trainable", "lora")
    assert "plan.training.rule_of_thumb" in {found.objectName() for found in page.findChildren(ValueLabel)}


def test_contradictory_inputs_are_said_in_the_place_of_the_answer(window: MainWindow, page: PlanPage) -> None:
    page.show_view("serving")
    set_plan(window, {"inference": {"prompt_tokens": 10, "prefix_tokens": 10}})
    assert page.band.property("role") == "error"
    assert "plan.inference.prefix_tokens" in page.answer.text()
    assert not [found for found in page.findChildren(ValueLabel) if found.isVisibleTo(page)]
    set_plan(window, {})
    assert page.band.property("role") == "note"


def test_nothing_is_computed_unseen(window: MainWindow, page: PlanPage, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    original = plan_module.plan_run
    monkeypatch.setattr(plan_module, "plan_run", lambda *given: (calls.append(1), original(*given))[1])
    window.tabs.show_page("breakdown")
    set_plan(window, PLAN)
    assert not calls
    window.tabs.show_page("plan")
    assert calls
    assert page.answer.text().startswith("15.0T tokens")
    page.show_view("serving")
    calls.clear()
    set_plan(window, {**PLAN, "days": 3})
    assert not calls


def test_each_document_has_its_own_plan(window: MainWindow, page: PlanPage) -> None:
    set_plan(window, PLAN)
    first = page.answer.text()
    window.files.duplicate()
    set_plan(window, {"tokens": 1e12})
    assert page.answer.text() != first
    workspace = window.services.workspace
    workspace.activate(workspace.documents[0])
    assert page.answer.text() == first


def test_chinese_and_the_themes(window: MainWindow, page: PlanPage) -> None:
    set_plan(window, {**PLAN, "start_date": "2025-01-01"})
    window.status.set_language("zh")
    assert "H100" in page.answer.text()
    assert "从2025年1月1日到" in page.answer.text()
    assert "美元" in label(window, "plan.cost.total").text
    window.status.set_language("en")
    assert "15.0T tokens" in page.answer.text()


def test_texts_from_files_are_plain(window: MainWindow, page: PlanPage) -> None:
    document = window.services.workspace.active
    hardware = replace(document.scenario.hardware, name="<b>X</b>\u202e")
    set_plan(window, {**PLAN, "currency": "<i>e</i>"}, hardware=hardware)
    assert "<b>X</b>" in page.answer.text()
    assert "<i>e</i>" in page.answer.text()
    assert page.answer.textFormat() == QLabel().textFormat().PlainText


def test_every_field_has_a_name_and_help(window: MainWindow, page: PlanPage) -> None:
    for view in SECTIONS:
        page.show_view(view)
        for form in page.forms[view].forms:
            for binding in form.bindings:
                assert binding.editor.accessibleName()
                assert binding.editor.toolTip()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_layout(window: MainWindow, page: PlanPage, language: str) -> None:
    deepseek(window)
    set_plan(window, {**PLAN, "unknown": "mfu", "days": 3, "budget": 10, "start_date": "2025-01-01",
                      "failures": {"mtbf_hours": 0.2}, "post_training": {"method": "ppo"},
                      "inference": {"devices": 1}, "billed_device_hours": 1e6})
    window.status.set_language(language)
    for number, size in enumerate(SIZES):
        window.resize(*size)
        window.status.set_theme(("light", "dark")[number % 2])
        for view in SECTIONS:
            page.show_view(view)
            settle()
            assert not problems(window), (size, view)
            for found in page.findChildren(ValueLabel):
                if found.isVisibleTo(page):
                    assert found.width() >= found.sizeHint().width(), found.objectName()
                    assert found.parentWidget().rect().contains(found.geometry()), found.objectName()
    window.status.set_theme("light")
    window.status.set_language("en")


def test_a_tall_page_has_larger_numbers_and_the_days_of_other_runs(window: MainWindow, page: PlanPage) -> None:
    set_plan(window, PLAN)
    assert page.days.isHidden()
    small = label(window, "plan.time.days")._number_font.pixelSize()
    window.resize(2560, 1440)
    settle()
    assert page.days.isVisible()
    assert label(window, "plan.time.days")._number_font.pixelSize() > small
    shown = [row.texts for row in page.days.model.rows]
    assert [row[0] for row in shown] == ["32", "64", "128", "256", "512"]
    assert [row.bold for row in page.days.model.rows] == [False, False, True, False, False]
    column = page.days.model.heads.index("MFU 29.2%")
    assert shown[2][column] == label(window, "plan.time.days").text
    page.cards["cost"].setMinimumHeight(200)  # as where its figures stand in several rows
    settle()
    energy = page.cards["energy"]
    assert energy.height() >= 200, "it stands beside the other"
    assert energy.title.height() <= energy.title.sizeHint().height() + 1, "its heading is not in the middle of it"
    assert not problems(window)
    page.show_view("serving")
    settle()
    assert page.days.isHidden()
    set_plan(window, {})
    page.show_view("run")
    settle()
    assert page.days.isVisible()
    assert "20 per parameter" in page.days.note.text()
    window.resize(1280, 800)
    settle()
    assert page.days.isHidden()
    assert label(window, "plan.time.devices")._number_font.pixelSize() == small
