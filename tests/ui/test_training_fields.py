"""The folded training part of the run panel: adapters, frozen parts, documents, recomputation by component."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.run import Recompute, Trainable
from mfu_gui.ui.main_window import MainWindow
from mfu_gui.ui.panels.binding import Binding
from mfu_gui.ui.widgets.chip_set import ChipSet
from mfu_gui.ui.widgets.list_edit import lengths, written

from .conftest import child

Type = Callable[..., QLineEdit]


def binding(window: MainWindow, key: str) -> Binding:
    part = window.column.run_panel.training_part
    return next(b for b in part.form.bindings if b.field.key == key)


@pytest.fixture
def opened(window: MainWindow, qtbot: QtBot) -> MainWindow:
    qtbot.mouseClick(child(window, "training.fold"), Qt.MouseButton.LeftButton)
    return window


def test_the_part_is_folded_until_it_is_wanted(window: MainWindow, qtbot: QtBot) -> None:
    part = window.column.run_panel.training_part
    assert not binding(window, "run.trainable").row.isVisible()
    qtbot.mouseClick(part.title, Qt.MouseButton.LeftButton)
    assert binding(window, "run.trainable").row.isVisible()
    qtbot.keyClick(part.fold, Qt.Key.Key_Space)
    assert not binding(window, "run.trainable").row.isVisible()


def test_adapters(opened: MainWindow, type_into: Type, qtbot: QtBot) -> None:
    binding(opened, "run.trainable").editor.chosen.emit("lora")
    run = opened.services.workspace.active.scenario.run
    assert run.trainable == Trainable(lora_rank=16, targets=("q", "v"))
    chips = binding(opened, "run.trainable.targets").editor
    assert isinstance(chips, ChipSet)
    assert list(chips._chips) == ["q", "k", "v", "o", "gate", "up", "down", "head"]  # no experts in Llama 3.1 8B
    qtbot.mouseClick(chips._chips["o"], Qt.MouseButton.LeftButton)
    type_into("run.trainable.lora_rank", "64")
    run = opened.services.workspace.active.scenario.run
    assert run.trainable == Trainable(lora_rank=64, targets=("q", "v", "o"))
    assert opened.column.run_panel.training_part.summary.text() == "LoRA r 64"


def test_frozen_layers(opened: MainWindow, type_into: Type, qtbot: QtBot) -> None:
    binding(opened, "run.trainable").editor.chosen.emit("frozen")
    type_into("run.trainable.frozen_layers", "0:16", paste=True)
    run = opened.services.workspace.active.scenario.run
    assert run.trainable == Trainable(frozen=("embedding", "layers[0:16]"))
    result = opened.services.workspace.active.result
    assert result is not None
    proj = result.flops.components["attention_proj"]
    assert proj.backward == proj.forward  # 16 of 32 layers have a backward pass, of twice their forward
    type_into("run.trainable.frozen_layers", "16:40", paste=True)
    row = binding(opened, "run.trainable.frozen_layers").row
    qtbot.waitUntil(lambda: "32" in row.message)


def test_documents(opened: MainWindow, type_into: Type) -> None:
    field = type_into("run.document_lengths", "2×1024, 2048 4096", paste=True)
    assert opened.services.workspace.active.scenario.run.document_lengths == (1024, 1024, 2048, 4096)
    assert field.text() == "2×1024 2048 4096"
    type_into("run.document_lengths", "a lot", paste=True)
    assert "a" in opened.services.workspace.active.invalid["run.document_lengths"].values["text"]
    opened.actions_table["undo"].trigger()
    type_into("run.document_lengths", " ", paste=True)
    assert opened.services.workspace.active.scenario.run.document_lengths is None


def test_recomputation_by_component_starts_from_the_named_one(window: MainWindow, type_into: Type) -> None:
    recompute = child(window, "run.recompute")
    assert not window.column.run_panel.training_part.opened  # the example's own
    recompute.chosen.emit("selective")  # type: ignore[attr-defined]
    recompute.chosen.emit("")  # type: ignore[attr-defined]
    run = window.services.workspace.active.scenario.run
    assert run.recompute == Recompute(repeat={"attention_qk": 1.0, "attention_av": 1.0})
    assert window.column.run_panel.training_part.opened
    type_into("run.recompute.repeat.mlp", "50")
    type_into("run.recompute.layers", "16")
    run = window.services.workspace.active.scenario.run
    assert run.recompute == Recompute(layers=16, repeat={"attention_qk": 1.0, "attention_av": 1.0, "mlp": 0.5})
    result = window.services.workspace.active.result
    assert result is not None
    mlp = result.flops.components["mlp"]
    assert mlp.recompute * 4 == mlp.forward  # half of it in half of the layers


def test_the_way_to_a_field_opens_its_part(window: MainWindow, type_into: Type) -> None:
    type_into("model.preset", "deepseek-v3")
    window.show_field("run.multi_token_prediction")
    assert binding(window, "run.multi_token_prediction").editor.isVisible()


@pytest.mark.parametrize(("text", "values"), [
    ("1024", (1024,)), ("1024 2048", (1024, 2048)), ("1024,2048;1", (1024, 2048, 1)), ("3×7", (7, 7, 7)),
    ("2 x 1K, 5", (1000, 1000, 5)), ("１０、２", (10, 2)),
])
def test_lengths(text: str, values: tuple[int, ...]) -> None:
    assert lengths(text) == values
    assert lengths(written(values)) == values


@pytest.mark.parametrize("text", ["0", "-4", "1.5", "9×", "1000000×1", "ten"])
def test_what_is_no_length(text: str) -> None:
    with pytest.raises(InputError) as caught:
        lengths(text)
    assert caught.value.code == "list_unreadable"
