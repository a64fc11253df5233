"""The model panel: published beside computed sizes, edited presets and the way back, assumptions of a config."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit
from pytestqt.qtbot import QtBot

from mfu_gui.engine.scenario import Source
from mfu_gui.formats.scenario_file import read_scenario
from mfu_gui.ui.main_window import MainWindow
from mfu_gui.ui.published_size import deviation

from .conftest import Answers
from .test_files import CONFIG

Type = Callable[..., QLineEdit]


def test_published_figures_stand_beside_the_computed_ones(window: MainWindow, type_into: Type) -> None:
    type_into("model.preset", "deepseek-v3")
    # DeepSeek-AI 2024 (arXiv 2412.19437), abstract: 671B parameters, 37B active.
    assert window.column.model.published.text() == "published 671B (±0), active 37.0B (+1.5%)"
    tip = window.column.model.published.toolTip()
    assert "671,026,419,200" in tip
    assert "37,000,000,000" in tip
    assert window.column.model.note.text() == "671B total · 37.6B active"


def test_deviations_have_a_sign(window: MainWindow) -> None:
    tr = window.services.language.tr
    assert [deviation(n, 1000, tr) for n in (1000, 1015, 985)] == ["±0", "+1.5%", "-1.5%"]


def test_an_edited_preset_is_a_model_of_its_own_with_a_way_back(window: MainWindow, type_into: Type, qtbot: QtBot,
                                                              answers: Answers, tmp_path: Path) -> None:
    workspace, panel = window.services.workspace, window.column.model
    assert workspace.active.scenario.model_source == Source(preset="llama-3.1-8b")
    assert not panel.reset.isVisible()
    type_into("model.layers", "40")
    assert workspace.active.scenario.model_source == Source()
    assert panel.reset.isVisible()
    assert panel.published.text() == "changed by hand"
    # Saved and opened again it is still known what it was.
    answers.save_to = tmp_path / "edited.mfu"
    window.actions_table["save"].trigger()
    saved = read_scenario(answers.save_to, window.services.presets)
    assert saved.scenario.model_source == Source()
    assert not saved.notices
    assert window.services.origins.is_edited(saved.scenario)
    # Typing the preset's number makes it the preset again.
    type_into("model.layers", "32")
    assert workspace.active.scenario.model_source == Source(preset="llama-3.1-8b")
    type_into("model.ffn_width", "15000")
    type_into("model.layers", "33")
    qtbot.mouseClick(panel.reset, Qt.MouseButton.LeftButton)
    assert workspace.active.scenario.model_source == Source(preset="llama-3.1-8b")
    assert workspace.active.scenario.model == window.services.presets.model("llama-3.1-8b").spec
    window.actions_table["undo"].trigger()
    assert workspace.active.scenario.model.main.layer_count() == 33


def test_assumptions_of_a_config_are_listed(window: MainWindow, type_into: Type, qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps({key: value for key, value in CONFIG.items() if key != "num_key_value_heads"}))
    window.files.open_paths([path])
    panel = window.column.model
    document = window.services.workspace.active
    expected = window.services.language.tr.sentence(document.notices[0].code, document.notices[0].values)
    assert panel.assumed.isVisible()
    qtbot.mouseClick(panel.assumed, Qt.MouseButton.LeftButton)
    dialog = next(w for w in window.findChildren(QPlainTextEdit) if w.accessibleName() == "Assumptions")
    assert expected in dialog.toPlainText()
    dialog.window().close()
    # An edit of the model can be taken back to what the file said.
    type_into("model.layers", "20")
    assert document.scenario.model_source == Source()
    assert not panel.assumed.isVisible()
    qtbot.mouseClick(panel.reset, Qt.MouseButton.LeftButton)
    assert document.scenario.model_source.hf_config is not None
    assert document.scenario.model.main.layer_count() == 16
