"""Opening, saving, dropping, pasting, closing; the session and its recovery; settings."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDropEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QLineEdit

from mfu_gui.formats.scenario_file import read_scenario
from mfu_gui.ui import app as ui_app
from mfu_gui.ui.main_window import MainWindow
from mfu_gui.ui.services import Services
from mfu_gui.ui.session import Session
from mfu_gui.ui.settings import Settings
from mfu_gui.ui.workspace import Document

from .conftest import Answers

Type = Callable[..., QLineEdit]
CONFIG = {
    "model_type": "llama", "hidden_size": 2048, "intermediate_size": 8192, "num_hidden_layers": 16,
    "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256, "tie_word_embeddings": True,
    "_name_or_path": "meta-llama/Llama-3.2-1B",
}


def test_save_and_open_again(window: MainWindow, answers: Answers, type_into: Type, tmp_path: Path) -> None:
    type_into("run.devices", "256")
    answers.save_to = tmp_path / "my run.mfu"
    assert window.isWindowModified()
    window.actions_table["save"].trigger()
    assert not window.isWindowModified()
    saved = read_scenario(answers.save_to, window.services.presets).scenario
    assert saved == window.services.workspace.active.scenario
    window.files.new()
    window.files.close(window.services.workspace.documents[0])
    window.files.open_paths([answers.save_to])
    assert window.services.workspace.active.scenario == saved
    assert not window.services.workspace.active.dirty
    assert window.services.settings.recent == [answers.save_to]


def test_a_suggested_name_can_be_a_file(window: MainWindow, answers: Answers) -> None:
    document = window.services.workspace.active
    from msgspec.structs import replace

    window.services.workspace.edit(document, "name", replace(document.scenario, name="A/B: \\run*?"))
    window.files.save_as()
    assert answers.suggested is not None
    assert answers.suggested.name == "A-B- -run.mfu"


def test_opening_a_file_twice_shows_it_once(window: MainWindow, answers: Answers, tmp_path: Path) -> None:
    answers.save_to = tmp_path / "a.mfu"
    window.files.save()
    window.files.new()
    count = len(window.services.workspace.documents)
    window.files.open_paths([tmp_path / "." / "a.mfu"])
    assert len(window.services.workspace.documents) == count
    assert window.services.workspace.active.path == answers.save_to


def test_what_cannot_be_read_is_told_and_changes_nothing(window: MainWindow, answers: Answers, tmp_path: Path) -> None:
    before = window.services.workspace.active.scenario
    bad = tmp_path / "bad.mfu"
    bad.write_text('{"kind": "mfu-scenario", "schema": 1, "model": {}}')
    window.files.open_paths([bad, tmp_path / "none.mfu"])
    assert len(answers.told) == 2
    assert "bad.mfu" in answers.told[0]
    assert "none.mfu" in answers.told[1]
    assert window.services.workspace.active.scenario is before


def test_a_config_json_becomes_the_model_as_one_step(window: MainWindow, answers: Answers, tmp_path: Path) -> None:
    answers.config = tmp_path / "config.json"
    answers.config.write_text(json.dumps(CONFIG))
    window.column.model.load.click()
    scenario = window.services.workspace.active.scenario
    assert scenario.model.main.layer_count() == 16
    assert scenario.model_source.hf_config == CONFIG
    assert window.column.model.search.text() == "Llama-3.2-1B"
    window.actions_table["undo"].trigger()
    assert window.column.model.search.text() == "Llama 3.1 8B"


def test_the_config_json_of_a_folder_is_read(window: MainWindow, answers: Answers, tmp_path: Path) -> None:
    """Only that one name, directly in the folder; what else is in it is not looked at."""
    folder = tmp_path / "Llama 3"
    (folder / "inner").mkdir(parents=True)
    (folder / "inner" / "config.json").write_text("{}")
    (folder / "model.json").write_text("{}")
    window.files.open_paths([folder])
    (told,) = answers.told
    assert told.startswith("Llama 3: This folder has no config.json directly in it; ")
    document = window.services.workspace.active
    (folder / "config.json").write_text(json.dumps(CONFIG))
    window.files.open_paths([folder])
    assert document.scenario.model_source.hf_config == CONFIG
    assert "config_of_folder" in [notice.code for notice in document.notices]
    assert len(answers.told) == 1
    (folder / "config.json").unlink()
    (folder / "config.json").mkdir()
    window.files.open_paths([folder])
    assert len(answers.told) == 2


def test_a_config_json_is_pasted(window: MainWindow) -> None:
    QGuiApplication.clipboard().setText(json.dumps(CONFIG))
    window.actions_table["paste"].trigger()
    assert window.services.workspace.active.scenario.model.main.layer_count() == 16
    QGuiApplication.clipboard().setText("good morning")
    window.actions_table["paste"].trigger()
    assert "good morning" in window.status.said.text()


def drop(window: MainWindow, data: QMimeData) -> None:
    event = QDropEvent(QPoint(300, 300).toPointF(), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton,
                       Qt.KeyboardModifier.NoModifier)
    window.dropEvent(event)
    assert event.isAccepted()


def test_files_are_dropped(window: MainWindow, answers: Answers, tmp_path: Path) -> None:
    answers.save_to = tmp_path / "目录 with space" / "方案 1.mfu"
    answers.save_to.parent.mkdir()
    window.files.save()
    window.files.new()
    window.files.close(window.services.workspace.documents[0])
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(answers.save_to))])
    drop(window, data)
    assert window.services.workspace.active.path == answers.save_to
    config = QMimeData()
    config.setText(json.dumps(CONFIG))
    drop(window, config)
    assert window.services.workspace.active.scenario.model.main.layer_count() == 16


@pytest.mark.parametrize(("answer", "closed"), [("cancel", False), ("discard", True), ("save", True)])
def test_unsaved_changes_are_asked_for(window: MainWindow, answers: Answers, type_into: Type, tmp_path: Path,
                                       answer: str, closed: bool) -> None:
    type_into("run.devices", "256")
    answers.unsaved_answer = answer  # type: ignore[assignment]
    answers.save_to = tmp_path / "kept.mfu"
    window.close()
    assert window.isHidden() is closed
    assert answers.asked == [["Example: Llama 3.1 8B on 128 H100"]]
    assert answers.save_to.exists() is (answer == "save")


def test_saving_that_is_cancelled_keeps_the_window(window: MainWindow, answers: Answers, type_into: Type) -> None:
    type_into("run.devices", "256")
    answers.unsaved_answer, answers.save_to = "save", None
    window.close()
    assert window.isVisible()


def test_closing_the_last_document_leaves_a_new_one(window: MainWindow) -> None:
    window.actions_table["close"].trigger()
    assert [d.scenario.name for d in window.services.workspace.documents] == ["Untitled"]
    assert window.headline.mfu.text == "–"


def test_the_example_is_named_as_one_until_it_is_dismissed(window: MainWindow) -> None:
    banner = window.headline.remarks.banners[-1]
    assert banner.property("role") == "note"
    assert "example" in banner.label.text().lower()
    banner._close.click()
    QApplication.processEvents()
    assert all(b.property("role") != "note" for b in window.headline.remarks.banners)


def test_documents_are_switched_and_keep_their_history(window: MainWindow, type_into: Type) -> None:
    type_into("run.devices", "256")
    window.actions_table["duplicate"].trigger()
    assert not window.actions_table["undo"].isEnabled()
    type_into("run.devices", "512")
    window.actions_table["previous"].trigger()
    assert window.findChild(QLineEdit, "run.devices").text() == "256"
    window.actions_table["undo"].trigger()
    assert window.findChild(QLineEdit, "run.devices").text() == "128"
    window.toolbar.documents.chosen.emit(1)
    assert window.findChild(QLineEdit, "run.devices").text() == "512"


# Session and settings


def new_services(profile: Path) -> Services:
    settings = Settings(profile)
    settings.stored.language = "en"
    return ui_app.make_services(settings)


def test_the_workspace_of_last_time_is_restored(services: Services, profile: Path, tmp_path: Path) -> None:
    session = Session(services, profile)
    ui_app.fill(services, session)
    services.workspace.add(Document(services.workspace.active.scenario))
    services.workspace.activate(services.workspace.documents[0])
    session.end()
    later = new_services(profile)
    ui_app.fill(later, Session(later, profile))
    assert [d.scenario for d in later.workspace.documents] == [d.scenario for d in services.workspace.documents]
    assert later.workspace.documents.index(later.workspace.active) == 0
    assert not later.workspace.active.notices


def test_changes_survive_a_crash(services: Services, profile: Path) -> None:
    from mfu_gui.engine.fields import with_measured

    session = Session(services, profile)
    ui_app.fill(services, session)
    document = services.workspace.active
    services.workspace.edit(document, "x", with_measured(document.scenario, "step_time_s", 5.0))
    session.write()
    session._lock.unlock()  # as the system does when a process dies
    later = new_services(profile)
    ui_app.fill(later, Session(later, profile))
    recovered = later.workspace.active
    assert recovered.scenario.run.measured.step_time_s == 5.0
    assert recovered.dirty
    assert [notice.code for notice in recovered.notices] == ["session_recovered"]


def test_a_saved_file_is_read_again_and_a_lost_one_is_kept(services: Services, profile: Path, tmp_path: Path) -> None:
    from mfu_gui.formats.scenario_file import write_scenario

    session = Session(services, profile)
    ui_app.fill(services, session)
    kept, lost = tmp_path / "kept.mfu", tmp_path / "lost.mfu"
    scenario = services.workspace.active.scenario
    for path in (kept, lost):
        write_scenario(path, scenario)
        services.workspace.add(Document(scenario, path))
    session.end()
    lost.unlink()
    later = new_services(profile)
    ui_app.fill(later, Session(later, profile))
    assert [d.dirty for d in later.workspace.documents] == [False, False, True]


def test_a_broken_session_does_not_keep_the_window_from_opening(services: Services, profile: Path) -> None:
    profile.mkdir(parents=True, exist_ok=True)
    (profile / "session-1.json").write_text('{"documents": [{"scenario": {"kind": 5}}, 3]}')
    (profile / "settings.json").write_text("[1, 2")
    Settings(profile)
    ui_app.fill(services, Session(services, profile))
    assert services.workspace.active.example


def test_two_windows_keep_two_sessions(services: Services, profile: Path) -> None:
    first, other = Session(services, profile), Session(services, profile)
    assert first._path != other._path
    first.end()
    other.end()


def test_settings_are_kept(window: MainWindow, profile: Path) -> None:
    window.tabs.show_page("conventions")
    window.status.set_theme("dark")
    window.status.set_language("zh")
    window.close()
    stored = Settings(profile).stored
    assert (stored.tab, stored.theme, stored.language) == ("conventions", "dark", "zh")
    window.status.set_theme("light")
