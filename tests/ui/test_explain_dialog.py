"""Explain a reported number: live answers, applied by one press."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from mfu_gui.engine.fields import with_measured
from mfu_gui.engine.run import Measured, RunSpec
from mfu_gui.engine.scenario import ConventionChoice, Reported, Scenario, Source
from mfu_gui.formats.published import published
from mfu_gui.ui.dialogs.explain import ExplainDialog
from mfu_gui.ui.explaining import Kind, half_digit_of_text, plausibility_word
from mfu_gui.ui.main_window import MainWindow
from mfu_gui.ui.workspace import Document

from .conftest import child


@pytest.fixture
def dialog(window: MainWindow, qtbot: QtBot) -> ExplainDialog:
    window.actions_table["explain"].trigger()
    found = window.findChild(ExplainDialog)
    assert found is not None
    return found


def wait(dialog: ExplainDialog, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not dialog.search.running, timeout=10_000)


def type_number(dialog: ExplainDialog, qtbot: QtBot, text: str) -> None:
    dialog.editor.selectAll()
    qtbot.keyClicks(dialog.editor, text)
    wait(dialog, qtbot)


def sentences(dialog: ExplainDialog) -> list[str]:
    return [answer.sentence.text() for answer in dialog.answers if not answer.isHidden()]


def v3(window: MainWindow) -> Scenario:
    """DeepSeek-V3 on 2048 H800, arXiv 2505.09343."""
    presets = window.services.presets
    device = "nvidia-h800-sxm5-80gb"
    run = RunSpec(sequence_length=4096, devices=2048, global_batch=15360, measured=Measured(step_time_s=19.926))
    scenario = window.services.workspace.active.scenario
    return replace(scenario, name="V3", model=presets.model("deepseek-v3").spec, run=run,
                   hardware=presets.hardware(device).spec, peak=replace(scenario.peak, tflops=989),
                   hardware_source=Source(preset=device), reported=None)


def show(window: MainWindow, scenario: Scenario) -> Document:
    document = Document(scenario)
    window.services.workspace.add(document)
    return document


def test_43_73_is_the_full_square_without_router_and_is_applied_as_one_step(
        window: MainWindow, dialog: ExplainDialog, qtbot: QtBot) -> None:
    document = show(window, v3(window))
    type_number(dialog, qtbot, "43.73")
    first = dialog.answers[0]
    assert first.sentence.text().startswith("“Exact, full square” gives 43.73%: Count the router: no")
    assert "V3" in dialog.about.text()
    qtbot.mouseClick(first.button, Qt.MouseButton.LeftButton)
    wait(dialog, qtbot)
    assert document.scenario.convention == ConventionChoice(id="matmul-full", options={"router": False})
    assert document.scenario.reported == Reported(mfu=0.4373)
    assert document.result is not None
    assert document.result.mfu == pytest.approx(0.4373, abs=5e-5)
    assert document.history.count() == 2  # the number, when its field was left, and what was applied
    assert not dialog.answers[0].button.isEnabled()
    assert "as the scenario says itself" in dialog.answers[0].remark.text()
    window.undo()
    assert document.scenario.convention == ConventionChoice()
    assert document.scenario.reported == Reported(mfu=0.4373)
    window.undo()
    assert document.scenario.reported is None


def test_the_number_is_kept_with_the_scenario_as_one_step(window: MainWindow, dialog: ExplainDialog,
                                                          qtbot: QtBot) -> None:
    document = show(window, v3(window))
    type_number(dialog, qtbot, "43.73")
    assert document.scenario.reported is None  # not at every digit
    qtbot.keyClick(dialog.editor, Qt.Key.Key_Return)
    assert document.scenario.reported == Reported(mfu=0.4373)
    assert document.history.count() == 1
    window.services.workspace.undo()
    dialog.keep()
    assert document.scenario.reported is None
    type_number(dialog, qtbot, "38.94")
    dialog.keep()
    assert document.scenario.reported == Reported(mfu=0.3894)
    dialog.editor.selectAll()
    qtbot.keyClick(dialog.editor, Qt.Key.Key_Delete)
    dialog.keep()
    assert document.scenario.reported is None


def test_a_number_typed_for_one_scenario_does_not_get_into_another(window: MainWindow, dialog: ExplainDialog,
                                                                   qtbot: QtBot) -> None:
    show(window, v3(window))
    type_number(dialog, qtbot, "43.73")
    other = show(window, v3(window))
    dialog.keep()
    assert other.scenario.reported is None


def test_the_sparse_peak_of_an_h100(window: MainWindow, dialog: ExplainDialog, qtbot: QtBot) -> None:
    # foundation-model-stack/fms-fsdp#89: 480 TFLOP/s over 1979 are 24.3 %.
    workspace = window.services.workspace
    workspace.edit(workspace.active, "x", with_measured(workspace.active.scenario, "tflops_per_device", 480.0))
    type_number(dialog, qtbot, "24.3 %")
    assert "2:4 sparsity" in sentences(dialog)[0]
    dialog.answers[0].button.click()
    assert workspace.active.scenario.peak.kind == "sparse"


def test_answers_follow_every_digit_and_are_kept_countings(window: MainWindow, dialog: ExplainDialog,
                                                           qtbot: QtBot) -> None:
    type_number(dialog, qtbot, "29.16")
    counted = dialog.search._counted
    assert sentences(dialog)[0].startswith("“Exact, causal” gives 29.16%")
    type_number(dialog, qtbot, "32.81")
    assert dialog.search._counted is counted
    assert any("full square" in sentence for sentence in sentences(dialog))


def test_a_rate_is_explained_as_well(window: MainWindow, dialog: ExplainDialog, qtbot: QtBot) -> None:
    # torchtitan counts the whole square: 57.91 GFLOP × 5605 tokens/s = 324.6 TFLOP/s.
    dialog.kind.set_value("tflops_per_device")
    dialog.kind.chosen.emit("tflops_per_device")
    assert dialog.rate.isVisible()
    assert not dialog.percent.isVisible()
    type_number(dialog, qtbot, "324.6")
    assert any("gives 324.6" in sentence and "full square" in sentence for sentence in sentences(dialog))


def test_a_file_that_says_what_was_reported_is_explained_at_once(window: MainWindow, dialog: ExplainDialog,
                                                                 qtbot: QtBot) -> None:
    # PaLM, sec. 4.1: 46.2 % MFU, 57.8 % HFU.
    asked = published().scenario(published().by_id["palm-chowdhery-et-al-2-001"])
    assert asked is not None
    show(window, replace(asked, reported=Reported(mfu=0.578)))
    wait(dialog, qtbot)
    assert dialog.percent.text() == "57.8"
    assert "recomputed FLOPs included" in sentences(dialog)[0]
    assert "HFU" in sentences(dialog)[0]


def test_without_a_speed_it_says_what_is_missing_and_leads_there(window: MainWindow, dialog: ExplainDialog,
                                                                 qtbot: QtBot) -> None:
    workspace = window.services.workspace
    workspace.edit(workspace.active, "x", with_measured(workspace.active.scenario, "step_time_s", None))
    type_number(dialog, qtbot, "40")
    assert "enter a measured value first" in dialog.message.text()
    assert sentences(dialog) == []
    assert dialog.go.isVisible()
    dialog.go.click()
    assert window.focusWidget() is child(window, "run.measured")


def test_what_cannot_be_explained_is_said(dialog: ExplainDialog, qtbot: QtBot) -> None:
    for text, words in (("", "as it was printed"), ("abc", "abc"), ("0.0000123", "No way"), ("123456", "No way")):
        type_number(dialog, qtbot, "29.16")
        assert sentences(dialog)
        dialog.editor.selectAll()
        qtbot.keyClick(dialog.editor, Qt.Key.Key_Delete)
        qtbot.keyClicks(dialog.editor, text)
        wait(dialog, qtbot)
        assert words in dialog.message.text()
        assert sentences(dialog) == []


def test_every_answer_is_translated(window: MainWindow, dialog: ExplainDialog, qtbot: QtBot) -> None:
    type_number(dialog, qtbot, "14.58")
    english = sentences(dialog)
    window.status.set_language("zh")
    wait(dialog, qtbot)
    chinese = sentences(dialog)
    assert len(chinese) == len(english)
    assert all(text.endswith("。") for text in chinese)
    assert dialog.windowTitle() == "解释一个公布的数值"
    window.status.set_language("en")


def test_the_dialog_is_one_and_its_key_leads_back_to_the_number(window: MainWindow, dialog: ExplainDialog) -> None:
    window.actions_table["explain"].trigger()
    assert window.findChildren(ExplainDialog) == [dialog]
    dialog.close()
    QApplication.processEvents()


@pytest.mark.parametrize(("text", "value", "kind", "half"), [
    ("43.73", 0.4373, "mfu", 5e-5), ("40.0 %", 0.40, "mfu", 5e-4), ("40", 0.40, "mfu", 5e-3),
    ("0.4373", 0.4373, "hfu", 5e-5), ("0.40", 0.40, "mfu", 5e-3), ("0.400", 0.40, "mfu", 5e-4),
    ("150", 150.0, "tflops_per_device", 0.5), ("150.00", 150.0, "tflops_per_device", 0.005),
    ("1.5P", 1500.0, "tflops_per_device", None),
])
def test_zeros_that_were_typed_count_as_digits(text: str, value: float, kind: Kind, half: float | None) -> None:
    assert half_digit_of_text(text, value, kind) == (half if half is None else pytest.approx(half))


def test_plausibility_falls_through_the_words() -> None:
    words = [plausibility_word(p) for p in (1.0, 0.5, 0.25, 0.12, 0.01)]
    assert len(set(words)) == 5


def test_the_window_is_low_until_there_is_something_to_show(dialog: ExplainDialog, qtbot: QtBot) -> None:
    empty = dialog.height()
    type_number(dialog, qtbot, "29.16")
    assert sentences(dialog)
    assert dialog.height() > 2 * empty
