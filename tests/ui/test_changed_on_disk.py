"""Files that another program or window changed: nothing of theirs is written over unasked, and it can be read again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtWidgets import QFileDialog, QLineEdit, QMessageBox, QWidget

from mfu_gui.engine.scenario import Scenario
from mfu_gui.formats.scenario_file import dump_scenario, read_scenario, write_scenario
from mfu_gui.formats.workspace_file import read_workspace, write_workspace
from mfu_gui.ui import app as ui_app
from mfu_gui.ui import on_disk
from mfu_gui.ui.chooser import DialogChooser
from mfu_gui.ui.main_window import MainWindow
from mfu_gui.ui.services import Services
from mfu_gui.ui.session import Session
from mfu_gui.ui.settings import Settings
from mfu_gui.ui.workspace import CHANGED_ON_DISK, Document

from .conftest import Answers

Type = Callable[..., QLineEdit]
FILE = "run.mfu"


@pytest.fixture
def file(window: MainWindow, answers: Answers, tmp_path: Path) -> Path:
    """The file of the document on the screen, just saved."""
    answers.save_to = tmp_path / FILE
    assert window.files.save()
    return answers.save_to


def document_of(window: MainWindow) -> Document:
    return window.services.workspace.active


def other_program(path: Path, scenario: Scenario, **changes: object) -> bytes:
    """Another program writes the file; what it wrote."""
    write_scenario(path, replace(scenario, **({"notes": "of somebody else"} | changes)))
    return path.read_bytes()


def links(window: MainWindow) -> list[str]:
    return [link.text() for banner in window.headline.remarks.banners for link in banner._links]


def again(window: MainWindow) -> None:
    (link,) = [link for banner in window.headline.remarks.banners for link in banner._links
               if link.text() == "Read again"]
    link.click()


def test_saving_over_what_somebody_else_wrote_is_asked_for(window: MainWindow, answers: Answers, file: Path,
                                                           type_into: Type) -> None:
    document = document_of(window)
    theirs = other_program(file, document.scenario)
    type_into("run.devices", "256")
    mine = document.scenario
    assert not window.files.save()
    assert answers.changed == [FILE]
    assert file.read_bytes() == theirs
    assert (document.scenario, document.dirty, document.path) == (mine, True, file)
    answers.changed_answer = "overwrite"
    assert window.files.save()
    assert read_scenario(file, window.services.presets).scenario == mine
    type_into("run.devices", "512")
    assert window.files.save()
    assert answers.changed == [FILE, FILE]  # what it wrote itself is no surprise


def test_both_stay_where_another_name_is_chosen(window: MainWindow, answers: Answers, file: Path,
                                                type_into: Type) -> None:
    theirs = other_program(file, document_of(window).scenario)
    type_into("run.devices", "256")
    answers.changed_answer, answers.save_to = "save_as", file.with_name("mine.mfu")
    assert window.files.save()
    assert file.read_bytes() == theirs
    assert document_of(window).path == answers.save_to
    assert read_scenario(answers.save_to, window.services.presets).scenario.run.devices == 256
    answers.changed_answer, answers.save_to = "cancel", file
    theirs = other_program(file, document_of(window).scenario, notes="once more")
    assert not window.files.save_as()  # onto the file of before, which changed since
    assert file.read_bytes() == theirs


def test_a_file_that_was_opened_is_known_too(window: MainWindow, answers: Answers, tmp_path: Path,
                                             type_into: Type) -> None:
    path = tmp_path / FILE
    write_scenario(path, document_of(window).scenario)
    window.files.open_paths([path])
    theirs = other_program(path, document_of(window).scenario)
    type_into("run.devices", "256")
    assert not window.files.save()
    assert answers.changed == [FILE]
    assert path.read_bytes() == theirs


@pytest.mark.parametrize("change", ["deleted", "touched", "the same by somebody else"])
def test_nothing_is_asked_where_nothing_can_be_lost(window: MainWindow, answers: Answers, file: Path, type_into: Type,
                                                    change: str) -> None:
    type_into("run.devices", "256")
    if change == "deleted":
        file.unlink()
    elif change == "touched":
        data = file.read_bytes()
        file.unlink()
        file.write_bytes(data)
    else:
        file.write_bytes(dump_scenario(document_of(window).scenario))
    assert window.files.save()
    assert answers.changed == []
    assert read_scenario(file, window.services.presets).scenario.run.devices == 256


def test_what_can_no_longer_be_read_counts_as_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / FILE
    path.write_bytes(b"theirs")
    assert not on_disk.would_lose(path, on_disk.digest(b"theirs"), b"mine")
    monkeypatch.setattr(Path, "open", lambda *_: (_ for _ in ()).throw(PermissionError()))
    assert on_disk.would_lose(path, on_disk.digest(b"theirs"), b"mine")


def test_the_window_stays_where_saving_at_the_end_is_cancelled(window: MainWindow, answers: Answers, file: Path,
                                                               type_into: Type) -> None:
    other_program(file, document_of(window).scenario)
    type_into("run.devices", "256")
    answers.unsaved_answer = "save"
    window.close()
    assert window.isVisible()
    assert answers.changed == [FILE]
    assert document_of(window).dirty


def test_two_documents_on_one_file_do_not_write_over_each_other(window: MainWindow, answers: Answers, file: Path,
                                                                type_into: Type) -> None:
    first = document_of(window)
    window.files.duplicate()
    assert window.files.save_as()  # onto the first one's file: the system's dialog asked
    assert answers.changed == []
    window.services.workspace.activate(first)
    type_into("run.devices", "256")
    assert not window.files.save()
    assert answers.changed == [FILE]


def test_a_session_remembers_what_its_files_had(services: Services, answers: Answers, profile: Path,
                                                tmp_path: Path) -> None:
    session = Session(services, profile)
    ui_app.fill(services, session)
    window = ui_app.make_window(services, answers)
    document, answers.save_to = services.workspace.active, tmp_path / FILE
    window.files.save()
    services.workspace.edit(document, "notes", replace(document.scenario, notes="mine"))
    session.write()
    session._lock.unlock()  # type: ignore[union-attr]  # as the system does when a process dies
    window.deleteLater()
    other_program(answers.save_to, document.scenario)
    settings = Settings(profile)
    settings.stored.language = "en"
    later = ui_app.make_services(settings)
    ui_app.fill(later, Session(later, profile))
    again = ui_app.make_window(later, answers)
    assert later.workspace.active.dirty
    assert not again.files.save()
    assert answers.changed == [FILE]
    again.deleteLater()


def test_a_workspace_is_not_written_over_either(window: MainWindow, answers: Answers, tmp_path: Path,
                                                type_into: Type) -> None:
    window.files.duplicate()
    path = answers.workspace_to = tmp_path / "set.mfuw"
    assert window.scenarios.save_workspace()
    assert window.scenarios.save_workspace()
    assert answers.changed == []
    write_workspace(path, [replace(document_of(window).scenario, notes="of somebody else")])
    theirs = path.read_bytes()
    type_into("run.devices", "256")
    assert not window.scenarios.save_workspace()
    assert (answers.changed, path.read_bytes()) == ([path.name], theirs)
    assert document_of(window).dirty
    answers.changed_answer = "overwrite"
    assert window.scenarios.save_workspace()
    assert len(read_workspace(path, window.services.presets).scenarios) == 2
    for document in window.services.workspace.documents[:]:
        window.files.close(document)
    window.files.open_paths([path])
    write_workspace(path, [replace(document_of(window).scenario, notes="once more")])
    type_into("run.devices", "512")
    answers.changed_answer = "cancel"
    assert not window.scenarios.save_workspace()


@pytest.fixture
def kept(window: MainWindow, answers: Answers, tmp_path: Path) -> Path:
    """A workspace file with the two scenarios of the window, called First and Second."""
    workspace = window.services.workspace
    window.files.duplicate()
    for document, name in zip(workspace.documents, ("First", "Second"), strict=True):
        workspace.edit(document, "name", replace(document.scenario, name=name))
    answers.workspace_to = tmp_path / "set.mfuw"
    assert window.scenarios.save_workspace()
    return answers.workspace_to


def names(window: MainWindow) -> list[str]:
    return [document.scenario.name for document in window.services.workspace.documents]


def test_a_workspace_that_changed_is_offered_and_read_again(window: MainWindow, kept: Path) -> None:
    workspace = window.services.workspace
    first, second = workspace.documents
    before = second.scenario
    on_disk.look(window.services)
    assert "Read again" not in links(window)
    # Another order, other notes, and one more.
    write_workspace(kept, [replace(before, notes="theirs"), replace(before, name="Third"), first.scenario])
    on_disk.look(window.services)
    assert [notice.code for document in (first, second) for notice in document.notices] == [CHANGED_ON_DISK] * 2
    again(window)
    assert names(window) == ["First", "Second", "Third"]
    assert second.scenario.notes == "theirs"
    assert not any(document.dirty or document.notices for document in workspace.documents)
    assert {document.home for document in workspace.documents} == {kept}
    on_disk.look(window.services)
    assert "Read again" not in links(window)
    workspace.activate(second)
    window.actions_table["undo"].trigger()
    assert (second.scenario, second.dirty) == (before, True)


def test_a_scenario_that_left_its_workspace_stays_unsaved(window: MainWindow, answers: Answers, kept: Path) -> None:
    workspace = window.services.workspace
    first, second = workspace.documents
    write_workspace(kept, [second.scenario])
    on_disk.look(window.services)
    again(window)
    assert names(window) == ["First", "Second"]
    assert (first.dirty, first.home, second.dirty) == (True, None, False)
    assert window.scenarios.save_workspace()
    assert (answers.suggested, answers.changed) == (kept, [])


def test_a_workspace_with_changes_is_not_offered_and_is_asked_about(window: MainWindow, answers: Answers, kept: Path,
                                                                    type_into: Type) -> None:
    type_into("run.devices", "256")
    write_workspace(kept, [replace(document_of(window).scenario, notes="theirs")])
    on_disk.look(window.services)
    assert [document.notices for document in window.services.workspace.documents] == [(), ()]
    assert not window.scenarios.save_workspace()
    assert answers.changed == [kept.name]


def test_a_workspace_that_cannot_be_read_again_is_told(window: MainWindow, answers: Answers, kept: Path) -> None:
    kept.write_text("{")
    on_disk.look(window.services)
    again(window)
    assert names(window) == ["First", "Second"]
    assert window.status.said.text().startswith("set.mfuw: ")
    answers.changed_answer = "overwrite"
    assert window.scenarios.save_workspace()
    assert "Read again" not in links(window)


def test_a_session_remembers_its_workspace_file(services: Services, answers: Answers, profile: Path,
                                                tmp_path: Path) -> None:
    session = Session(services, profile)
    ui_app.fill(services, session)
    window = ui_app.make_window(services, answers)
    window.files.duplicate()
    kept = answers.workspace_to = tmp_path / "set.mfuw"
    assert window.scenarios.save_workspace()
    ours = [document.scenario for document in services.workspace.documents]
    session.end()
    window.deleteLater()
    write_workspace(kept, [replace(ours[0], notes="theirs"), ours[1]])
    settings = Settings(profile)
    settings.stored.language = "en"
    later = ui_app.make_services(settings)
    ui_app.fill(later, Session(later, profile))
    again = ui_app.make_window(later, answers)
    assert [document.home for document in later.workspace.documents] == [kept, kept]
    assert not any(document.dirty for document in later.workspace.documents)
    answers.suggested = None
    assert not again.scenarios.save_workspace()  # what somebody else wrote meanwhile is not lost
    assert (answers.suggested, answers.changed) == (kept, [kept.name])
    on_disk.look(later)
    assert [notice.code for notice in later.workspace.active.notices] == [CHANGED_ON_DISK]
    again.deleteLater()


def test_scenarios_of_a_workspace_file_that_is_gone_are_unsaved(services: Services, answers: Answers, profile: Path,
                                                                tmp_path: Path) -> None:
    session = Session(services, profile)
    ui_app.fill(services, session)
    window = ui_app.make_window(services, answers)
    answers.workspace_to = tmp_path / "set.mfuw"
    assert window.scenarios.save_workspace()
    session.end()
    window.deleteLater()
    answers.workspace_to.unlink()
    later = ui_app.make_services(Settings(profile))
    ui_app.fill(later, Session(later, profile))
    assert later.workspace.active.dirty


def test_what_changed_is_offered_to_be_read_again(window: MainWindow, file: Path) -> None:
    document = document_of(window)
    before = document.scenario
    on_disk.look(window.services)
    assert "Read again" not in links(window)
    other_program(file, before, name="Theirs")
    on_disk.look(window.services)
    again(window)
    assert (document.scenario.name, document.scenario.notes, document.dirty) == ("Theirs", "of somebody else", False)
    assert "Read again" not in links(window)
    window.actions_table["undo"].trigger()
    assert (document.scenario, document.dirty) == (before, True)  # what it was is one step away


def test_it_is_offered_once_and_taken_back_with_its_reason(window: MainWindow, file: Path) -> None:
    document = document_of(window)
    ours = file.read_bytes()
    other_program(file, document.scenario)
    on_disk.look(window.services)
    window.services.workspace.dismiss_notices(document)
    on_disk.look(window.services)
    assert document.notices == ()
    other_program(file, document.scenario, notes="once more")
    on_disk.look(window.services)
    assert [notice.code for notice in document.notices] == [CHANGED_ON_DISK]
    file.write_bytes(ours)
    on_disk.look(window.services)
    assert document.notices == ()


def test_nothing_is_offered_to_who_has_changes_or_no_file(window: MainWindow, file: Path, type_into: Type) -> None:
    document = document_of(window)
    type_into("run.devices", "256")
    other_program(file, document.scenario)
    on_disk.look(window.services)
    assert document.notices == ()
    window.actions_table["undo"].trigger()
    file.unlink()
    on_disk.look(window.services)
    assert document.notices == ()


def test_what_cannot_be_read_again_is_told_and_changes_nothing(window: MainWindow, file: Path) -> None:
    before = document_of(window).scenario
    file.write_text("{")
    on_disk.look(window.services)
    again(window)
    assert document_of(window).scenario is before
    assert window.status.said.text().startswith(f"{FILE}: ")
    again(window)  # still offered: the other program may not be done


@pytest.mark.parametrize(("button", "kept"), [("Overwrite", True), ("Cancel", False)])
def test_a_name_that_gets_its_ending_here_is_asked_about(services: Services, tmp_path: Path, button: str, kept: bool,
                                                         monkeypatch: pytest.MonkeyPatch) -> None:
    """The system's dialog asked about the name without the ending."""
    boxes: list[QMessageBox] = []

    def press(box: QMessageBox) -> None:
        boxes.append(box)
        next(each for each in box.buttons() if each.text() == button).click()

    monkeypatch.setattr(QMessageBox, "exec", press)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "run"), ""))
    parent = QWidget()
    chooser = DialogChooser(parent, services.language, services.theme)
    assert chooser.save_file(Path("x.mfu")) == tmp_path / FILE
    assert boxes == []
    (tmp_path / FILE).write_text("there")
    assert chooser.save_file(Path("x.mfu")) == (tmp_path / FILE if kept else None)
    assert len(boxes) == 1
    parent.deleteLater()


@pytest.mark.parametrize(("button", "answer"), [("Overwrite", "overwrite"), ("Save as…", "save_as"),
                                                ("Cancel", "cancel")])
def test_the_question_has_three_answers(services: Services, button: str, answer: str,
                                        monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QMessageBox, "exec",
                        lambda box: next(each for each in box.buttons() if each.text() == button).click())
    parent = QWidget()
    assert DialogChooser(parent, services.language, services.theme).changed_elsewhere(FILE) == answer
    parent.deleteLater()
