"""Nothing is lost when a window is killed, a disk is full, or another program writes the same files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from msgspec.structs import replace
from pytestqt.qtbot import QtBot

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.fields import BY_KEY, checked
from mfu_gui.formats.presets import PresetStore
from mfu_gui.ui import app as ui_app
from mfu_gui.ui.services import Services
from mfu_gui.ui.session import Session
from mfu_gui.ui.settings import Settings
from mfu_gui.ui.workspace import Document


def new_services(profile: Path) -> Services:
    settings = Settings(profile)
    settings.stored.language = "en"
    return ui_app.make_services(settings)


def test_a_preset_that_another_program_wrote_is_offered(services: Services, profile: Path) -> None:
    assert services.presets.find("quokka", "mfu-model") == []
    other = PresetStore()
    other.save(replace(other.model("gpt2"), id="mine", name="Quokka"))
    ui_app.look_for_presets(services)
    assert [info.id for info in services.presets.find("quokka", "mfu-model")] == ["mine"]


def test_what_a_session_cannot_give_back_is_kept_aside(services: Services, profile: Path) -> None:
    session = Session(services, profile)
    ui_app.fill(services, session)
    services.workspace.add(Document(services.workspace.active.scenario))
    session.end()
    path = profile / "session-1.json"
    stored = json.loads(path.read_bytes())
    stored["documents"][0]["scenario"]["run"]["sequence_length"] = -3
    path.write_text(json.dumps(stored))
    later = new_services(profile)
    again = Session(later, profile)
    ui_app.fill(later, again)
    again.keep()
    assert len(later.workspace.documents) == 1
    (notice,) = later.workspace.active.notices
    assert notice.code == "session_unread"
    assert json.loads(Path(notice.values["kept"]).read_bytes()) == stored
    again.end()


def test_a_session_that_is_no_session_is_kept_aside(services: Services, profile: Path) -> None:
    profile.mkdir(parents=True, exist_ok=True)
    (profile / "session-1.json").write_bytes(b'{"documents": [{"scena')
    session = Session(services, profile)
    ui_app.fill(services, session)
    session.keep()
    session.write()
    (aside,) = profile.glob("session-1-unread-*.json")
    assert aside.read_bytes() == b'{"documents": [{"scena'
    session.end()


def test_the_next_window_takes_up_what_a_second_killed_one_left(services: Services, profile: Path) -> None:
    from mfu_gui.engine.fields import with_measured

    first = Session(services, profile)
    ui_app.fill(services, first)
    second_services = new_services(profile)
    second = Session(second_services, profile)
    ui_app.fill(second_services, second)
    document = second_services.workspace.active
    second_services.workspace.edit(document, "x", with_measured(document.scenario, "step_time_s", 5.0))
    second.write()
    (profile / ".session-2.json.123-abc.tmp").write_bytes(b"half")
    first.end()
    second._lock.unlock()  # as the system does when a process dies
    later = new_services(profile)
    session = Session(later, profile)
    ui_app.fill(later, session)
    assert [d.scenario.run.measured.step_time_s for d in later.workspace.documents] == [2.923, 5.0]
    assert [notice.code for notice in later.workspace.documents[1].notices] == ["session_recovered"]
    assert (profile / "session-2.json").exists(), "until it is in the session of this window"
    session.keep()
    assert not list(profile.glob("*session-2.json*"))
    assert b"5.0" in (profile / "session-1.json").read_bytes()
    session.end()


def test_who_never_pauses_is_written_down_too(services: Services, profile: Path, qtbot: QtBot,
                                              monkeypatch: pytest.MonkeyPatch) -> None:
    from mfu_gui.engine.fields import with_measured
    from mfu_gui.ui import session as module

    monkeypatch.setattr(module, "LONGEST_MS", 30)
    session = Session(services, profile)
    ui_app.fill(services, session)
    session.keep()
    document = services.workspace.active
    for number in range(4):
        services.workspace.edit(document, "x", with_measured(document.scenario, "step_time_s", 5.0 + number))
        qtbot.wait(20)
    assert (profile / "session-1.json").exists(), "although the delay after the last edit is not over"
    session.end()


def test_a_home_that_cannot_be_written_is_said_once(services: Services, profile: Path) -> None:
    profile.mkdir(parents=True)
    blocked = profile / "file"
    blocked.write_text("")
    session = Session(services, blocked / "home")
    ui_app.fill(services, session)
    session.keep()
    assert "session_not_kept" in [notice.code for notice in services.workspace.active.notices]
    session.end()


def test_a_disk_that_fills_up_is_said_once_and_leaves_the_session(services: Services, profile: Path,
                                                                  monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session(services, profile)
    ui_app.fill(services, session)
    session.write()
    before = (profile / "session-1.json").read_bytes()
    said: list[str] = []
    services.announcer.said.connect(said.append)

    def full(*_: object) -> None:
        raise InputError("not_writable", "session-1.json", reason="No space left on device")

    monkeypatch.setattr("mfu_gui.formats.atomic.write_bytes", full)
    services.workspace.add(Document(services.workspace.active.scenario))
    session.write()
    session.write()
    assert len(said) == 1
    assert "No space left on device" in said[0]
    monkeypatch.undo()
    assert (profile / "session-1.json").read_bytes() == before
    session.end()


def test_an_edit_is_told_once(services: Services) -> None:
    from mfu_gui.engine.fields import with_measured

    ui_app.fill(services, None)
    workspace, told = services.workspace, list[frozenset[str]]()
    document = workspace.active
    workspace.changed.connect(lambda _document, aspects, _result: told.append(aspects))
    workspace.edit(document, "x", with_measured(document.scenario, "step_time_s", 5.0))
    assert len(told) == 1
    assert {"run", "result", "file"} <= told[0]
    assert document.dirty
    workspace.undo()
    assert not document.dirty
    assert "file" in told[-1]


def test_a_closed_document_is_freed_with_its_history(services: Services) -> None:
    import gc
    import weakref

    from mfu_gui.engine.fields import with_measured

    ui_app.fill(services, None)
    workspace = services.workspace
    document = Document(workspace.active.scenario)
    workspace.add(document)
    workspace.edit(document, "x", with_measured(document.scenario, "step_time_s", 5.0))
    known = weakref.ref(document)
    workspace.close(document)
    del document
    gc.collect()
    assert known() is None


def test_what_is_wrong_does_not_keep_what_was_on_the_screen_then(services: Services) -> None:
    ui_app.fill(services, None)
    workspace = services.workspace
    document = workspace.active
    field = BY_KEY["run.devices"]
    try:
        checked(field, 0)
    except InputError as error:
        workspace.set_invalid(document, field.key, error)
    heads = BY_KEY["model.heads"]
    workspace.edit(document, heads.key, heads.set(document.scenario, 7))  # eight groups of keys do not go into seven
    assert document.problem is not None
    for error in (document.invalid["run.devices"], document.problem):
        assert error.__traceback__ is None
        assert error.__context__ is None
