"""Pasting on the window: a preview asks first, what is ticked becomes one step of undo."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from mfu_gui.engine.fields import with_measured
from mfu_gui.formats.scenario_file import dump_value
from mfu_gui.texts import system_language_or_none
from mfu_gui.ui.dialogs.explain import ExplainDialog
from mfu_gui.ui.dialogs.paste_preview import PastePreview, present_text, value_text
from mfu_gui.ui.example import EXAMPLE_NAME
from mfu_gui.ui.first_start import LanguageQuestion
from mfu_gui.ui.main_window import MainWindow
from tests.ui.conftest import Answers, child

SENTENCE = "Llama 3.1 70B on 512 H100 SXM, 4.1 s/step, seq 8192, batch 1024"


def preview(window: MainWindow, text: str) -> PastePreview:
    QApplication.clipboard().setText(text)
    window.actions_table["paste"].trigger()
    found = window.findChild(PastePreview)
    assert found is not None
    return found


def test_nothing_changes_before_apply_and_it_is_one_step(window: MainWindow) -> None:
    document = window.services.workspace.active
    before = document.scenario
    dialog = preview(window, SENTENCE)
    assert document.scenario is before
    assert "MFU" in dialog.outcome.text()
    dialog.accept()
    run = document.scenario.run
    assert (document.scenario.model.name, run.devices, run.sequence_length, run.global_batch) == (
        "Llama 3.1 70B", 512, 8192, 1024)
    assert run.measured is not None
    assert run.measured.step_time_s == 4.1
    assert document.history.count() == 1
    window.undo()
    assert document.scenario == before


def test_only_what_is_ticked_is_taken(window: MainWindow) -> None:
    dialog = preview(window, SENTENCE)
    for row in dialog.rows:
        row.tick.setChecked(row.proposal.options[0].key == "run.devices")
    dialog.accept()
    scenario = window.services.workspace.active.scenario
    assert scenario.run.devices == 512
    assert scenario.model.name == "Llama 3.1 8B"


def test_a_name_with_several_meanings_waits_for_a_choice(window: MainWindow) -> None:
    dialog = preview(window, "128 H100")
    row = next(row for row in dialog.rows if row.choice is not None)
    assert not row.tick.isChecked()
    assert not row.tick.isEnabled()
    assert row.choice is not None
    row.choice.setCurrentIndex(2)
    row.choice.activated.emit(2)
    assert row.tick.isChecked()
    dialog.accept()
    assert window.services.workspace.active.scenario.hardware_source.preset == "nvidia-h100-pcie-80gb"


def test_rows_that_exclude_each_other_are_never_both_ticked(window: MainWindow) -> None:
    dialog = preview(window, "DeepSeek-V3\nQwen3 32B")
    first, second = dialog.rows
    first.tick.setChecked(True)
    second.tick.setChecked(True)
    assert not first.tick.isChecked()
    assert dialog.apply_button.isEnabled()
    second.tick.setChecked(False)
    assert not dialog.apply_button.isEnabled()


def test_what_was_not_understood_is_shown(window: MainWindow) -> None:
    dialog = preview(window, SENTENCE + ", cosine decay")
    texts = [label.text() for label in dialog.findChildren(type(dialog.outcome))]
    assert any("cosine decay" in text for text in texts)


def test_a_scenario_is_opened_without_a_question(window: MainWindow) -> None:
    import json

    text = json.dumps(dump_value(window.services.workspace.active.scenario))
    QApplication.clipboard().setText(text)
    window.actions_table["paste"].trigger()
    assert window.findChild(PastePreview) is None
    assert len(window.services.workspace.documents) == 2


def test_a_text_that_means_nothing_is_named(window: MainWindow, answers: Answers) -> None:
    QApplication.clipboard().setText("hello world")
    window.actions_table["paste"].trigger()
    assert window.findChild(PastePreview) is None
    assert "hello world" in window.status.said.text()


def test_ctrl_v_belongs_to_the_editor_that_has_the_focus(window: MainWindow, qtbot: QtBot) -> None:
    editor = child(window, "run.devices")
    assert isinstance(editor, QLineEdit)
    editor.setFocus()
    editor.selectAll()
    QApplication.clipboard().setText("256")
    qtbot.keyClick(editor, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert window.findChild(PastePreview) is None
    assert editor.text() == "256"


def test_the_banner_of_the_example_leads_to_the_hardware(window: MainWindow, qtbot: QtBot) -> None:
    from mfu_gui.ui.widgets.link import Link

    link = next(link for link in window.findChildren(Link) if link.text() == "Your hardware?")
    link.click()
    assert window.column.hardware.search.hasFocus()
    window.column.hardware.search.chosen.emit("amd-mi300x")
    QApplication.processEvents()
    shown = [link.text() for link in window.headline.remarks.findChildren(Link) if link.isVisible()]
    assert "Your measured value" in shown
    assert "Your hardware?" not in shown


def test_another_model_takes_the_story_and_the_layout_of_the_example_away(window: MainWindow) -> None:
    document = window.services.workspace.active
    window.column.model.search.chosen.emit("deepseek-v3")
    run = document.scenario.run
    assert document.scenario.name == "Untitled"
    assert document.scenario.notes == ""
    assert (run.parallel, run.micro_batch, run.recompute) == (None, None, "none")
    assert (run.devices, run.global_batch) == (128, 256)  # still the example's, and the banner says so
    assert "torchtitan" not in " ".join(b.label.text() for b in window.headline.remarks.banners)
    window.services.workspace.edit(document, "x", with_measured(document.scenario, "step_time_s", 19.926))
    window.headline.remarks.refresh(document)
    assert "example" not in " ".join(b.label.text() for b in window.headline.remarks.banners)
    while document.history.can_undo():
        window.services.workspace.undo()
    assert document.scenario.name == EXAMPLE_NAME
    assert document.scenario.run.parallel is not None


def test_what_a_chosen_model_lacks_is_said_where_it_is_seen(window: MainWindow) -> None:
    document = window.services.workspace.active
    window.column.model.search.chosen.emit("t5-small")
    window.headline.remarks.refresh(document)
    said = [banner.label.text() for banner in window.headline.remarks.banners]
    assert any(text.startswith("Decoder length: ") for text in said)
    assert window.column.model.note.text() == ""  # not the size of the model before


def test_a_pasted_model_takes_the_story_of_the_example_away_too(window: MainWindow) -> None:
    document = window.services.workspace.active
    preview(window, SENTENCE).accept()
    assert document.scenario.name == "Untitled"
    assert document.scenario.run.parallel is None


def test_the_own_layout_stays_with_another_model(window: MainWindow) -> None:
    document = window.services.workspace.active
    scenario = document.scenario
    own = replace(scenario, name="Mine", run=replace(scenario.run, micro_batch=1))
    window.services.workspace.edit(document, "x", own)
    window.column.model.search.chosen.emit("deepseek-v3")
    assert document.scenario.name == "Mine"
    assert document.scenario.run == own.run


def test_the_example_follows_the_language_until_it_is_renamed(window: MainWindow) -> None:
    document = window.services.workspace.active
    window.services.language.set_code("zh")
    assert document.scenario.name != EXAMPLE_NAME
    assert document.history.count() == 0
    window.services.language.set_code("en")
    assert document.scenario.name == EXAMPLE_NAME


def test_the_example_has_the_layout_it_was_run_with(window: MainWindow) -> None:
    run = window.services.workspace.active.scenario.run
    assert run.parallel is not None
    assert run.parallel.zero_stage == 3
    assert run.micro_batch == 256 // 128


@pytest.mark.parametrize(("environment", "expected"), [
    ({"LANG": "zh_CN.UTF-8"}, "zh"), ({"LANG": "en_GB.UTF-8"}, "en"), ({"LANG": "C.UTF-8"}, "en"),
    ({"LANG": "fr_FR.UTF-8"}, None), ({"LC_ALL": "ja_JP.UTF-8", "LANG": "en_US.UTF-8"}, None),
])
def test_the_language_is_asked_for_where_the_system_speaks_neither(environment: dict[str, str],
                                                                    expected: str | None) -> None:
    assert system_language_or_none(environment) == expected


def test_the_question_for_the_language(qtbot: QtBot, qapp: QApplication) -> None:
    question = LanguageQuestion()
    qtbot.addWidget(question)
    question.buttons["zh"].click()
    assert question.code == "zh"
    assert question.result() == question.DialogCode.Accepted


def test_a_reported_number_that_is_taken_is_explained(window: MainWindow, qtbot: QtBot) -> None:
    """The figure goes into the scenario, and what it may mean stands beside the window."""
    def paste(text: str) -> None:
        dialog = preview(window, text)
        row = next(row for row in dialog.rows if row.choice is not None)
        options = [option.key for option in row.proposal.options]
        row.choice.chosen.emit(options.index("reported.mfu"))  # type: ignore[union-attr]
        dialog.accept()
        QApplication.sendPostedEvents(dialog, QEvent.Type.DeferredDelete.value)

    paste("MFU 18.9 %")
    scenario = window.services.workspace.active.scenario
    assert scenario.reported is not None
    assert scenario.reported.mfu == pytest.approx(0.189)
    explained = window.findChild(ExplainDialog)
    assert explained is not None
    assert explained.isVisible()
    assert explained.percent.value == pytest.approx(0.189)
    paste("MFU 21.5 %")
    assert explained.percent.value == pytest.approx(0.215), "a dialog that is open already asks of the new number"
    qtbot.waitUntil(lambda: not explained.search.running)


def test_what_reports_nothing_opens_no_explanation(window: MainWindow) -> None:
    preview(window, SENTENCE).accept()
    assert window.findChild(ExplainDialog) is None


def test_times_are_named_in_the_language_of_the_window(window: MainWindow) -> None:
    window.status.set_language("zh")
    dialog = preview(window, "2.1 s/step")
    assert {value_text(option, window.services.language.tr) for row in dialog.rows
            for option in row.proposal.options} == {"2.1 秒"}
    assert present_text("run.measured.step_time_s", window.services.workspace.active.scenario,
                        window.services.language.tr).endswith(" 秒")
