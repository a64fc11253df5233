"""One window for all files, second windows, and where the profile is."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace
from PySide6.QtCore import QByteArray
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from mfu_gui.formats import folders
from mfu_gui.ui import instances
from mfu_gui.ui.app import EFFECTS
from mfu_gui.ui.instances import FOLDER, Inbox, open_second_window, wants_own_window
from mfu_gui.ui.main_window import MainWindow


@pytest.fixture
def folder(profile: Path) -> Path:
    profile.mkdir(parents=True, exist_ok=True)
    return profile


def test_files_of_a_second_process_go_to_the_first(folder: Path, qtbot: QtBot) -> None:
    first, second = Inbox(folder), Inbox(folder)
    got: list[list[str]] = []
    assert first.take()
    first.listen(got.append)
    assert not second.take()
    answers: list[bool] = []
    names = ["运行 1.mfu", "a b.mfu"]
    thread = threading.Thread(target=lambda: answers.append(second.hand_over(names)))
    thread.start()
    qtbot.waitUntil(lambda: bool(got), timeout=5000)
    thread.join(5)
    assert answers == [True]
    assert got == [[str(Path(name).absolute()) for name in names]]
    assert not list((folder / FOLDER).glob("*.json"))
    first.release()
    second.take_if_free()
    assert second.take()
    second.release()


def test_what_is_asked_for_while_the_first_window_is_being_built_is_opened(folder: Path) -> None:
    inbox = Inbox(folder)
    assert inbox.take()
    (folder / FOLDER / "1.json").write_bytes(b'["early.mfu"]')
    got: list[list[str]] = []
    inbox.listen(got.append)
    assert got == [["early.mfu"]]
    inbox.release()


def test_a_window_that_does_not_answer_is_not_waited_for(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(instances, "WAIT_S", 0.1)
    first, second = Inbox(folder), Inbox(folder)
    assert first.take()
    assert not second.hand_over(["x.mfu"])
    assert not list((folder / FOLDER).glob("*.json"))
    first.release()


def test_what_is_no_list_of_paths_is_thrown_away(folder: Path) -> None:
    inbox = Inbox(folder)
    assert inbox.take()
    got: list[list[str]] = []
    inbox.listen(got.append)
    for number, content in enumerate((b"{", b'{"open": 1}', b"[1]", b"[" + b'"x",' * 2**19, b"\xff\xfe")):
        (folder / FOLDER / f"{number}.json").write_bytes(content)
    inbox.look()
    assert got == []
    assert not list((folder / FOLDER).glob("*.json"))
    inbox.release()


def test_left_requests_are_not_opened_at_the_next_start(folder: Path) -> None:
    (folder / FOLDER).mkdir()
    (folder / FOLDER / "1.json").write_bytes(b'["old.mfu"]')
    inbox = Inbox(folder)
    got: list[list[str]] = []
    assert inbox.take()
    inbox.listen(got.append)
    inbox.look()
    assert got == []
    inbox.release()


def test_without_a_place_to_write_a_window_of_its_own_is_opened(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    inbox = Inbox(file)
    assert not inbox.take()
    assert not inbox.hand_over(["x.mfu"])


def _start(profile: Path, *arguments: str) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "MFU_GUI_HOME": str(profile), "QT_QPA_PLATFORM": "offscreen"}
    return subprocess.Popen([sys.executable, "-m", "mfu_gui", *arguments], env=environment,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _names(profile: Path) -> list[str]:
    """The scenarios that the first window has written down."""
    try:
        stored = msgspec.json.decode((profile / "session-1.json").read_bytes())
    except (OSError, msgspec.DecodeError):
        return []
    return [each["scenario"].get("name", "") for each in stored["documents"]]


def test_a_file_opens_in_the_running_program(profile: Path, tmp_path: Path, window: MainWindow) -> None:
    from mfu_gui.formats.scenario_file import write_scenario

    file = tmp_path / "另一个 run.mfu"
    write_scenario(file, replace(window.services.workspace.active.scenario, name="Handed over"))
    home = tmp_path / "home of both"
    first = _start(home)
    try:
        _wait(lambda: (home / "window.lock").exists())
        second = _start(home, str(file))
        assert second.wait(30) == 0
        _wait(lambda: "Handed over" in _names(home))
        assert first.poll() is None
    finally:
        first.terminate()
        first.wait(30)


def _wait(condition: object) -> None:
    end = time.monotonic() + 30
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < end, "nothing happened in 30 s"
        time.sleep(0.05)


def test_a_second_window_is_a_program_that_hands_nothing_over(
        window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot) -> None:
    out = tmp_path / "out"
    code = f"import os; open({str(out)!r}, 'w').write(os.environ.get({instances.OWN_WINDOW!r}, ''))"
    monkeypatch.setattr("mfu_gui.ui.log_import.program", lambda: [sys.executable, "-c", code])
    window.actions_table["new_window"].trigger()
    qtbot.waitUntil(lambda: out.exists() and out.read_text() == "1", timeout=10_000)
    monkeypatch.setenv(instances.OWN_WINDOW, "1")
    assert wants_own_window()
    assert not wants_own_window()  # what this window starts in turn is none


def test_a_second_window_that_cannot_be_started_is_said(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mfu_gui.ui.log_import.program", lambda: ["/nowhere/at/all"])
    assert not open_second_window(["/nowhere/at/all"])
    window.actions_table["new_window"].trigger()
    assert window.status.said.text() == "No second window could be opened"


def test_nothing_moves_by_itself(window: MainWindow) -> None:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    assert not any(app.isEffectEnabled(effect) for effect in EFFECTS)
    sources = Path(instances.__file__).parent.rglob("*.py")
    assert not [path for path in sources if "QPropertyAnimation" in path.read_text(encoding="utf-8")]


def test_a_folder_beside_a_bundle_holds_the_profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MFU_GUI_HOME")
    program = tmp_path / "mfu-gui" / "mfu-gui"
    (program.parent / "portable").mkdir(parents=True)
    monkeypatch.setattr(sys, "executable", str(program))
    assert folders.user_folder() != program.parent / "portable"  # an interpreter is no bundle
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert folders.user_folder() == program.parent / "portable"
    assert folders.log_folder() == program.parent / "portable" / "logs"
    monkeypatch.setenv("MFU_GUI_HOME", str(tmp_path / "chosen"))
    assert folders.user_folder() == tmp_path / "chosen"


def test_size_split_tab_and_room_are_remembered(make_window, services) -> None:  # type: ignore[no-untyped-def]
    window = make_window()
    window.resize(1400, 900)
    QApplication.processEvents()
    window.split.setSizes([310, 250])  # low enough to differ, high enough for the table to leave the plot
    sizes = window.split.sizes()
    window.tabs.show_page("conventions")
    window.close()
    assert services.settings.stored.split == sizes
    assert services.settings.stored.tab == "conventions"
    again = make_window()
    assert again.tabs.current == "conventions"
    assert again.restoreGeometry(QByteArray.fromBase64(services.settings.stored.geometry.encode("ascii")))
    again.restore_geometry()
    first, second = again.split.sizes()
    assert first / second == pytest.approx(sizes[0] / sizes[1], rel=0.1)


def test_the_split_of_before_is_remembered_while_a_tab_has_the_whole_side(make_window, services) -> None:  # type: ignore[no-untyped-def]
    window = make_window()
    window.resize(1400, 900)
    QApplication.processEvents()
    window.split.setSizes([310, 250])
    sizes = window.split.sizes()
    services.settings.stored.split = [1, 1]  # of a start long ago
    window.actions_table["tab_room"].trigger()
    assert window.room.whole
    window.close()
    assert services.settings.stored.split == sizes
