"""Editing: text that is not yet a number, undo, reset, presets."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from mfu_gui.ui.main_window import MainWindow
from mfu_gui.ui.panels.binding import Binding
from mfu_gui.ui.widgets.number_edit import NumberEdit

Type = Callable[..., QLineEdit]


def binding(window: MainWindow, key: str) -> Binding:
    panels = (window.column.model, window.column.hardware, window.column.run_panel, window.column.measured)
    return next(b for panel in panels for b in panel.form.bindings if b.field.key == key)


def value(window: MainWindow, key: str) -> object:
    return binding(window, key).field.get(window.services.workspace.active.scenario)


@pytest.mark.parametrize(
    ("key", "text", "expected", "written"),
    [
        ("run.measured.step_time_s", "6.2s", 6.2, "6.2"),
        ("run.measured.step_time_s", "6200 ms", 6.2, "6.2"),
        ("run.measured.step_time_s", "2:03", 123.0, "123"),
        ("run.sequence_length", "1,024", 1024, "1,024"),
        ("run.sequence_length", "1 024", 1024, "1,024"),
        ("run.sequence_length", "１，０２４", 1024, "1,024"),
        ("run.sequence_length", "4Ki", 4096, "4,096"),
        ("run.global_batch", "1.1e6", 1_100_000, "1,100,000"),
        ("run.global_batch", "1.5万", 15_000, "15,000"),
        ("hardware.peak_tflops", "1.979P", 1979.0, "1,979"),
    ],
)
def test_numbers_as_people_type_them(window: MainWindow, type_into: Type, key: str, text: str, expected: float,
                                     written: str) -> None:
    field = type_into(key, text)
    assert value(window, key) == expected
    assert field.text() == written


def test_a_percentage_is_understood_and_shown(window: MainWindow, type_into: Type) -> None:
    window.column.measured.known.chosen.emit("mfu")
    field = type_into("run.measured.mfu", "38,94 %", enter=False)
    assert value(window, "run.measured.mfu") == 0.3894
    row = binding(window, "run.measured.mfu").row
    assert row.extra.text() == "= 38.94 %"
    field.returnPressed.emit()
    assert (field.text(), row.extra.text()) == ("38.94", "%")


def test_a_digit_more_in_a_grouped_number_needs_no_other_comma(window: MainWindow, qtbot: QtBot) -> None:
    field = window.findChild(NumberEdit, "run.sequence_length")
    assert field is not None
    assert field.text() == "8,192"
    field.setFocus()
    field.end(False)
    qtbot.keyClicks(field, "0")
    assert value(window, "run.sequence_length") == 81920
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert field.text() == "81,920"
    field.home(False)
    qtbot.keyClick(field, Qt.Key.Key_Delete)
    assert value(window, "run.sequence_length") == 1920
    # A comma that somebody types must stand where one belongs.
    field.selectAll()
    qtbot.keyClicks(field, "1,02")
    assert field.wrong


def test_a_wrong_text_stays_says_why_and_dims_the_last_result(window: MainWindow, type_into: Type,
                                                             qtbot: QtBot) -> None:
    before = window.headline.mfu.text
    field = type_into("run.devices", "1.024", paste=True)
    row = binding(window, "run.devices").row
    assert field.text() == "1.024"
    assert field.property("state") == "invalid"
    qtbot.waitUntil(lambda: bool(row.message))
    assert "1024" in row.message
    assert window.headline.mfu.text == before
    assert not window.services.workspace.active.settled
    type_into("run.devices", "1024")
    assert window.services.workspace.active.settled
    assert not row.message
    assert field.property("state") == ""


def test_out_of_range_names_the_range(window: MainWindow, type_into: Type, qtbot: QtBot) -> None:
    type_into("run.devices", "0")
    row = binding(window, "run.devices").row
    qtbot.waitUntil(lambda: bool(row.message))
    assert "1" in row.message
    assert "10000000" in row.message.replace(",", "")
    assert value(window, "run.devices") == 128


def test_a_wrong_text_survives_an_edit_elsewhere_and_escape_gives_it_up(window: MainWindow, type_into: Type,
                                                                       qtbot: QtBot) -> None:
    field = type_into("run.devices", "many")
    type_into("run.global_batch", "512")
    assert field.text() == "many"
    assert "run.devices" in window.services.workspace.active.invalid
    field.setFocus()
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert field.text() == "128"
    assert window.services.workspace.active.settled


def test_undo_gives_a_wrong_text_up_first(window: MainWindow, type_into: Type) -> None:
    type_into("run.global_batch", "512")
    field = type_into("run.devices", "many")
    window.actions_table["undo"].trigger()
    assert field.text() == "128"
    assert value(window, "run.global_batch") == 512
    window.actions_table["undo"].trigger()
    assert value(window, "run.global_batch") == 256


def test_one_burst_of_typing_is_one_step(window: MainWindow, type_into: Type) -> None:
    history = window.services.workspace.active.history
    type_into("run.global_batch", "1024")
    type_into("run.devices", "64")
    assert history.count() == 2
    window.actions_table["undo"].trigger()
    assert (value(window, "run.devices"), value(window, "run.global_batch")) == (128, 1024)
    window.actions_table["undo"].trigger()
    assert value(window, "run.global_batch") == 256
    assert not window.actions_table["undo"].isEnabled()
    window.actions_table["redo"].trigger()
    assert value(window, "run.global_batch") == 1024


def test_a_pause_ends_a_burst(window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = window.services.workspace
    now = [0.0]
    workspace._clock = lambda: now[0]
    field = window.findChild(NumberEdit, "run.devices")
    assert field is not None
    field.setFocus()
    field.selectAll()
    for pause, key in ((0.0, "1"), (1.0, "2"), (5.0, "8"), (6.0, "0")):
        now[0] = pause
        qtbot.keyClicks(field, key)
    assert workspace.active.history.count() == 2
    workspace.undo()
    assert value(window, "run.devices") == 12


def test_undo_key_in_a_field_is_that_of_the_window(window: MainWindow, type_into: Type, qtbot: QtBot) -> None:
    field = type_into("run.devices", "64", enter=False)
    qtbot.keySequence(field, QKeySequence(QKeySequence.StandardKey.Undo))
    assert value(window, "run.devices") == 128
    assert field.text() == "128"


def test_arrow_keys_step(window: MainWindow, qtbot: QtBot) -> None:
    field = window.findChild(NumberEdit, "run.devices")
    assert field is not None
    field.setFocus()
    qtbot.keyClick(field, Qt.Key.Key_Up)
    assert value(window, "run.devices") == 256
    qtbot.keyClick(field, Qt.Key.Key_Down)
    qtbot.keyClick(field, Qt.Key.Key_Down)
    assert value(window, "run.devices") == 64
    layers = window.findChild(NumberEdit, "model.layers")
    assert layers is not None
    layers.setFocus()
    qtbot.keyClick(layers, Qt.Key.Key_PageUp)
    assert value(window, "model.layers") == 42


def test_a_changed_field_is_marked_and_reset(window: MainWindow, type_into: Type, qtbot: QtBot) -> None:
    row = binding(window, "model.layers").row
    assert row.mark is None
    type_into("model.layers", "40")
    assert row.mark is not None
    assert "32" in row.mark.toolTip()
    qtbot.mouseClick(row.mark, Qt.MouseButton.LeftButton)
    assert value(window, "model.layers") == 32
    assert row.mark is None


def test_a_typed_peak_is_reset_to_the_presets(window: MainWindow, type_into: Type, qtbot: QtBot) -> None:
    field = type_into("hardware.peak_tflops", "500")
    result = window.services.workspace.active.result
    assert result is not None
    assert result.peak_tflops_per_device == 500
    qtbot.mouseClick(binding(window, "hardware.peak_tflops").row.mark, Qt.MouseButton.LeftButton)
    assert field.text() == ""
    assert field.placeholderText() == "989.4"


def test_the_problem_of_a_model_is_shown_at_the_field_that_made_it(window: MainWindow, type_into: Type,
                                                                 qtbot: QtBot) -> None:
    # 32 query heads in 5 groups: what the engine refuses is no field of the form.
    type_into("model.kv_heads", "5")
    row = binding(window, "model.kv_heads").row
    qtbot.waitUntil(lambda: bool(row.message))
    assert not window.services.workspace.active.settled
    window.actions_table["undo"].trigger()
    assert window.services.workspace.active.settled
    assert not row.message


def test_a_device_without_the_precision_says_so_at_the_precision(window: MainWindow, type_into: Type) -> None:
    binding(window, "run.precision").editor.chosen.emit("fp8")
    type_into("hardware.preset", "A100 80GB SXM")
    row = binding(window, "run.precision").row
    assert bool(row.message)
    assert "fp8" in row.message
    binding(window, "run.precision").editor.chosen.emit("bf16")
    assert window.services.workspace.active.settled


@pytest.mark.parametrize(("text", "preset"), [("405B", "llama-3.1-405b"), ("deepseek v3", "deepseek-v3")])
def test_models_are_found_by_typing(window: MainWindow, type_into: Type, text: str, preset: str) -> None:
    type_into("model.preset", text)
    assert window.services.workspace.active.scenario.model_source.preset == preset


@pytest.mark.parametrize(("text", "vendor"), [("A100 80", "NVIDIA"), ("MI300X", "AMD"), ("昇腾", "Huawei")])
def test_hardware_is_found_by_typing(window: MainWindow, type_into: Type, text: str, vendor: str) -> None:
    type_into("hardware.preset", text)
    assert window.services.workspace.active.scenario.hardware.vendor == vendor


def test_the_list_of_presets_opens_and_closes(window: MainWindow, qtbot: QtBot) -> None:
    search = window.column.model.search
    qtbot.mouseClick(search, Qt.MouseButton.LeftButton)
    assert len(search.items) > 100
    qtbot.keyClicks(search, "qwen3")
    assert 0 < len(search.items) < 100
    qtbot.keyClick(search, Qt.Key.Key_Escape)
    assert search.text() == "Llama 3.1 8B"


def test_fields_that_do_not_apply_are_hidden(window: MainWindow, type_into: Type) -> None:
    assert binding(window, "model.kv_heads").row.isVisible()
    assert not binding(window, "model.experts").row.isVisible()
    type_into("model.preset", "deepseek-v3")
    assert not binding(window, "model.kv_heads").row.isVisible()
    assert binding(window, "model.experts").row.isVisible()
    assert binding(window, "model.layers").row.extra.text() == "3 dense"
    assert not binding(window, "model.vocabulary").row.isVisible()
    window.column.model.more.click()
    assert binding(window, "model.vocabulary").row.isVisible()


def test_every_field_has_name_and_help_for_screen_readers(window: MainWindow) -> None:
    for panel in (window.column.model, window.column.hardware, window.column.run_panel, window.column.measured):
        for each in panel.form.bindings:
            editor: QWidget = each.editor
            assert editor.accessibleName()
            assert editor.accessibleDescription()
            assert each.row.label.buddy() is editor
