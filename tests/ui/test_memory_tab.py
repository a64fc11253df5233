"""The Memory tab and the layout part of the run panel: what they show, and what editing them does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QLineEdit, QToolButton
from pytestqt.qtbot import QtBot

from mfu_gui.engine.run import Parallel
from mfu_gui.engine.scenario import Scenario
from mfu_gui.planning import memory_advice
from mfu_gui.planning.memory import memory
from mfu_gui.planning.spec import MemorySpec
from mfu_gui.ui.main_window import MainWindow
from mfu_gui.ui.tabs import memory as memory_tab
from mfu_gui.ui.tabs.memory import MemoryPage
from mfu_gui.ui.widgets.choice_box import ChoiceBox

from .layout_check import SIZES, problems, settle

Type = Callable[..., QLineEdit]


@pytest.fixture
def page(window: MainWindow) -> MemoryPage:
    window.resize(1600, 1000)
    window.split.setSizes([150, 700])
    window.tabs.show_page("memory")
    settle()
    found = window.tabs.page("memory")
    assert isinstance(found, MemoryPage)
    return found


def deepseek(window: MainWindow, **run: Any) -> Scenario:
    presets, workspace = window.services.presets, window.services.workspace
    scenario = workspace.active.scenario
    changed = replace(
        scenario, model=presets.model("deepseek-v3").spec, hardware=presets.hardware("nvidia-h800-sxm5-80gb").spec,
        run=replace(scenario.run, devices=2048, sequence_length=4096, global_batch=15360, micro_batch=1,
                    recompute="none", parallel=Parallel(pipeline=16, expert=64, zero_stage=1), **run))
    workspace.edit(workspace.active, "x", changed)
    settle()
    return changed


def texts(page: MemoryPage) -> dict[str, tuple[str, ...]]:
    return {row.key: row.texts for row in page.model.rows}


def test_verdict_terms_and_bars_are_those_of_the_estimate(window: MainWindow, page: MemoryPage) -> None:
    scenario = deepseek(window)
    expected = memory(scenario.model, scenario.run, scenario.hardware)
    assert page.verdict.text().startswith(f"Does not fit: stage {expected.worst.stage} takes about ")
    numbers = window.services.language.numbers
    for size in (expected.worst.total, expected.capacity, expected.worst.total - (expected.capacity or 0)):
        assert numbers.bytes(size) in page.verdict.text()
    assert page.model.heads[1] == f"Stage {expected.worst.stage}"
    assert {row.key for row in page.model.rows} >= {"weights", "gradients", "optimizer", "activations", "framework"}
    for term in expected.worst.terms:
        row = next(row for row in page.model.rows if row.key == term.key)
        assert row.values[1] == term.value
        assert row.tip is not None
        assert numbers.bytes(term.value, 4) in row.tip()
        assert "Source: " in row.tip()
    activations = next(row for row in page.model.rows if row.key == "activations")
    assert activations.tip is not None
    assert f"– Routed experts: {numbers.bytes(expected.worst.activation_parts['experts'])}" in activations.tip()
    assert [bar.total for bar in page.bars.bars] == pytest.approx([stage.total for stage in expected.stages])
    assert "estimate" in page.note.text()
    assert "61 layers" in page.remarks.text()


def test_stages_that_hold_the_same_are_shown_together(window: MainWindow, page: MemoryPage) -> None:
    scenario = deepseek(window)
    plan = {"memory": {"schedule": "dualpipe"}}
    window.services.workspace.edit(window.services.workspace.active, "x", replace(scenario, plan=plan))
    settle()
    assert [bar.name for bar in page.bars.bars] == ["Stages 2–13", "Stages 1, 14", "Stages 0, 15"]


def test_a_press_on_a_bar_shows_that_stage_first(window: MainWindow, page: MemoryPage, qtbot: QtBot) -> None:
    deepseek(window)
    place = QPoint(page.bars.width() // 2, 20 + 22 * 3 + 10)
    qtbot.mouseClick(page.bars, Qt.MouseButton.LeftButton, pos=place)
    assert page.model.heads[1] == page.bars.bars[3].name
    qtbot.keyClick(page.bars, Qt.Key.Key_Down)
    assert page.model.heads[1] == page.bars.bars[4].name


def test_terms_are_edited_as_steps_of_undo(window: MainWindow, page: MemoryPage, type_into: Type) -> None:
    document = window.services.workspace.active
    before = document.scenario
    optimizer = page.findChild(ChoiceBox, "plan.memory.optimizer")
    assert optimizer is not None
    optimizer.chosen.emit("mixed-adam-16")
    assert document.scenario.plan == {"memory": {"optimizer": "mixed-adam-16"}}
    type_into("plan.memory.framework_gib", "3.5")
    type_into("plan.memory.fragmentation", "10")
    assert document.scenario.plan == {
        "memory": {"optimizer": "mixed-adam-16", "framework_gib": 3.5, "fragmentation": 0.1}}
    assert texts(page)["framework"][1] == "3.50"
    expected = memory(before.model, before.run, before.hardware,
                      MemorySpec(optimizer="mixed-adam-16", framework_gib=3.5, fragmentation=0.1))
    assert page.model.rows[-1].values[1] == expected.worst.total
    for _ in range(3):
        window.services.workspace.undo()
    assert document.scenario == before


def test_an_empty_term_shows_what_is_usual(window: MainWindow, page: MemoryPage, type_into: Type,
                                           qtbot: QtBot) -> None:
    field = page.findChild(QLineEdit, "plan.memory.optimizer_bytes")
    assert field is not None
    assert (field.text(), field.placeholderText()) == ("", "12")
    share = page.findChild(QLineEdit, "plan.memory.fragmentation")
    assert share is not None
    assert share.placeholderText() == "5"  # the unit stands behind the field
    type_into("plan.memory.optimizer_bytes", "4")
    qtbot.keyClick(field, Qt.Key.Key_Backspace)
    assert window.services.workspace.active.scenario.plan is None


def test_what_would_help_is_offered_and_taken(window: MainWindow, page: MemoryPage, qtbot: QtBot) -> None:
    document = window.services.workspace.active
    assert page.verdict.text().startswith("Fits")  # the example ran
    run = replace(document.scenario.run, recompute="none")
    window.services.workspace.edit(document, "run.recompute", replace(document.scenario, run=run))
    assert page.verdict.text().startswith("Does not fit")
    page.show_advice()
    best = memory_advice.advice(document.scenario, memory_advice.memory_of(document.scenario))[0]
    link = page.help.links[0]
    assert window.services.language.numbers.bytes(best.total) in link.text()
    qtbot.mouseClick(link, Qt.MouseButton.LeftButton)
    assert document.scenario == best.scenario
    assert page.verdict.text().startswith("Fits")
    assert not page.help.links
    window.services.workspace.undo()
    assert page.verdict.text().startswith("Does not fit")


def test_it_is_computed_once_a_state_and_only_while_looked_at(window: MainWindow, page: MemoryPage, type_into: Type,
                                                              monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def counted(scenario: Scenario) -> Any:
        calls.append(scenario)
        return memory_advice.memory_of(scenario)

    monkeypatch.setattr(memory_tab, "memory_of", counted)
    type_into("run.devices", "64", enter=False)
    typed = len(calls)
    assert 1 <= typed <= 2
    window.status.set_theme("dark")
    window.status.set_theme("light")
    page.choose(0)
    assert len(calls) == typed
    window.tabs.show_page("breakdown")
    type_into("run.devices", "32")
    assert len(calls) == typed


def test_inputs_that_do_not_fit_are_said(window: MainWindow, page: MemoryPage) -> None:
    workspace = window.services.workspace
    scenario = workspace.active.scenario
    workspace.edit(workspace.active, "x", replace(scenario, plan={"memory": {"optimizer": "adamw"}}))
    assert "adamw" in page.verdict.text()
    assert not page.bars.bars
    workspace.edit(workspace.active, "x", scenario)
    assert page.bars.bars


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_form_of_the_page_has_room(window: MainWindow, language: str) -> None:
    window.status.set_language(language)
    window.tabs.show_page("memory")
    deepseek(window)
    window.column.run_panel.layout_part.open(True)
    page = window.tabs.page("memory")
    assert isinstance(page, MemoryPage)
    page.show_advice()
    for size in SIZES:
        window.resize(*size)
        for heights in ([600, 100], [100, 600]):
            window.split.setSizes(heights)
            for form in ("fields", "bars", "table"):
                page.show_as(form)
                settle()
                assert window.size().toTuple() == size
                assert problems(window) == []


# --- layout in the run panel -----------------------------------------------------------------------

@pytest.mark.parametrize("size", [(1024, 700), (1280, 800)])
def test_the_table_has_the_width_that_bars_out_of_sight_leave(window: MainWindow, size: tuple[int, int]) -> None:
    window.resize(*size)
    window.tabs.show_page("memory")
    settle()
    page = window.tabs.page("memory")
    assert isinstance(page, MemoryPage)
    assert page.bars.visibleRegion().isEmpty()
    assert page.view.width() == page.verdict.width() > 500


def test_the_layout_is_folded_until_it_is_wanted(window: MainWindow, qtbot: QtBot, type_into: Type) -> None:
    part = window.column.run_panel.layout_part
    assert part.form.isHidden()
    assert part.summary.text() == "DP 128 · ZeRO 3"
    fold = window.findChild(QToolButton, "layout.fold")
    assert fold is not None
    assert fold.accessibleName()
    qtbot.mouseClick(fold, Qt.MouseButton.LeftButton)
    assert not part.form.isHidden()
    type_into("run.parallel.tensor", "8")
    assert window.services.workspace.active.scenario.run.parallel == Parallel(tensor=8, zero_stage=3)
    assert part.summary.text() == "TP 8 · DP 16 · ZeRO 3"


def test_three_of_four_give_the_fourth(window: MainWindow, type_into: Type, qtbot: QtBot) -> None:
    part, document = window.column.run_panel.layout_part, window.services.workspace.active
    part.open(True)
    type_into("run.micro_batch", "1")
    accumulation = window.findChild(QLineEdit, "run.accumulation")
    assert accumulation is not None
    assert accumulation.text() == "2"  # 256 sequences ÷ 128 replicas
    type_into("run.accumulation", "4")
    assert document.scenario.run.global_batch == 512
    type_into("run.replicas", "64")
    assert document.scenario.run.devices == 64
    assert accumulation.text() == "4"  # it was typed, so the batch follows
    assert document.scenario.run.global_batch == 256
    qtbot.keyClick(type_into("run.micro_batch", "1"), Qt.Key.Key_Backspace)
    type_into("run.accumulation", "2")
    assert document.scenario.run.micro_batch == 2
    type_into("run.micro_batch", "3")
    assert document.scenario.run.global_batch == 3 * 2 * 64
    type_into("run.global_batch", "512")
    assert accumulation.text() == ""
    assert accumulation.placeholderText() == "2.67"


def test_what_does_not_divide_is_named_and_mended(window: MainWindow, qtbot: QtBot, type_into: Type) -> None:
    from mfu_gui.ui.widgets.link import Link

    part, document = window.column.run_panel.layout_part, window.services.workspace.active
    part.open(True)
    type_into("run.parallel.tensor", "6")
    QApplication.processEvents()
    links = [link for link in part.findChildren(Link) if link.isVisible()]
    named = {link.accessibleName() for link in links}
    assert {"Devices 126", "Devices 132", "Tensor parallel 4", "Tensor parallel 8"} <= named
    part.open(False)
    assert part.summary.text().startswith("⚠")
    part.open(True)
    settle()
    eight = next(link for link in part.findChildren(Link)
                 if link.isVisible() and link.accessibleName() == "Tensor parallel 8")
    qtbot.mouseClick(eight, Qt.MouseButton.LeftButton)
    assert document.scenario.run.parallel == Parallel(tensor=8, zero_stage=3)
    settle()
    assert not [link for link in part.findChildren(Link) if link.isVisible()]


def test_show_field_opens_the_layout(window: MainWindow) -> None:
    window.show_field("run.parallel.tensor")
    settle()
    focus = QApplication.focusWidget()
    assert window.column.run_panel.layout_part.opened
    assert focus is not None
    assert focus.objectName() == "run.parallel.tensor"
