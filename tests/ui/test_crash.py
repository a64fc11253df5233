"""When something unforeseen happens: the log, the dialog, and processes that are killed and come back."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from mfu_gui.formats.scenario_file import read_scenario
from mfu_gui.ui import crash
from mfu_gui.ui.main_window import MainWindow

from .conftest import Answers

Type = Callable[..., QLineEdit]
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def log(profile: Path) -> Iterator[Path]:
    """The log of a run; its handlers are taken away afterwards."""
    root = logging.getLogger("mfu_gui")
    before, level = list(root.handlers), root.level
    # Linters that run inside the tests configure logging anew, which disables the loggers that are there.
    for name, logger in logging.root.manager.loggerDict.items():
        if name.startswith("mfu_gui") and isinstance(logger, logging.Logger):
            logger.disabled = False
    path = crash.start_log(profile)
    assert path is not None
    yield path
    for handler in [h for h in root.handlers if h not in before]:
        root.removeHandler(handler)
        handler.close()
    root.setLevel(level)
    crash.faulthandler.disable()


@pytest.fixture
def ended() -> list[str]:
    return []


@pytest.fixture
def handler(window: MainWindow, log: Path, ended: list[str]) -> Iterator[crash.CrashHandler]:
    made = crash.CrashHandler(window.services, window, window.files.save_as, lambda: ended.append("written"))
    made.install()
    yield made
    made.uninstall()


def fail(what: str) -> None:
    raise ZeroDivisionError(what)


def test_an_error_in_a_slot_opens_the_dialog_and_the_scenario_stays(
        window: MainWindow, handler: crash.CrashHandler, log: Path, type_into: Type, answers: Answers, qtbot: QtBot,
        tmp_path: Path) -> None:
    type_into("run.devices", "256")
    QTimer.singleShot(0, lambda: fail("first"))
    qtbot.waitUntil(lambda: handler.dialog is not None)
    dialog = handler.dialog
    assert dialog is not None
    assert "ZeroDivisionError: first" in dialog.details.toPlainText()
    assert "ZeroDivisionError: first" in log.read_text(encoding="utf-8")
    # What is told to a developer says nothing of the user's scenario.
    assert "Llama" not in dialog.details.toPlainText()
    # A second error while the dialog is open is logged only.
    QTimer.singleShot(0, lambda: fail("second"))
    qtbot.waitUntil(lambda: "second" in log.read_text(encoding="utf-8"))
    assert handler.dialog is dialog
    qtbot.mouseClick(dialog.buttons["copy"], Qt.MouseButton.LeftButton)
    assert "ZeroDivisionError: first" in QGuiApplication.clipboard().text()
    answers.save_to = tmp_path / "rescued.mfu"
    qtbot.mouseClick(dialog.buttons["save"], Qt.MouseButton.LeftButton)
    assert read_scenario(answers.save_to, window.services.presets).scenario.run.devices == 256
    qtbot.mouseClick(dialog.buttons["continue"], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: handler.dialog is None)
    type_into("run.devices", "512")
    assert window.services.workspace.active.scenario.run.devices == 512


def test_quitting_writes_the_session_first(window: MainWindow, handler: crash.CrashHandler, ended: list[str],
                                          qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    # Outside the loop of the program, which it would end, Qt has every later loop of the process end at once.
    monkeypatch.setattr(crash.QApplication, "exit", lambda code: ended.append(f"exit {code}"))
    QTimer.singleShot(0, lambda: fail("once"))
    qtbot.waitUntil(lambda: handler.dialog is not None)
    assert handler.dialog is not None
    qtbot.mouseClick(handler.dialog.buttons["quit"], Qt.MouseButton.LeftButton)
    assert ended == ["written", "exit 1"]
    handler.dialog.accept()
    QApplication.processEvents()


def test_a_large_log_is_put_aside(profile: Path, log: Path) -> None:
    log.write_bytes(b"x" * (crash.LARGEST_LOG + 1))
    path = crash.start_log(profile)
    assert path == log
    assert (profile / f"{crash.LOG_NAME}.1").stat().st_size > crash.LARGEST_LOG


def test_a_folder_that_cannot_be_written_is_no_reason_not_to_start(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert crash.start_log(blocked / "folder") is None


# Processes of their own

_BEGIN = """
import os, signal, sys
from PySide6.QtCore import QTimer, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit
from mfu_gui.ui import app, session
from mfu_gui.ui.main_window import active_window
session.DELAY_MS = 30
app.start_qt()
"""
_KILLED = _BEGIN + """
def type_and_die():
    field = active_window().findChild(QLineEdit, "run.measured.step_time_s")
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, "7.5")
    QTimer.singleShot(400, lambda: os.kill(os.getpid(), signal.SIGKILL))
QTimer.singleShot(300, type_and_die)
app.run(sys.argv[1:])
"""
_AGAIN = _BEGIN + """
def tell():
    window = active_window()
    document = window.services.workspace.active
    print(document.scenario.name, document.scenario.run.measured.step_time_s, document.dirty,
          [notice.code for notice in document.notices], window.headline.mfu.text, sep="|")
    document.unsaved = False
    for each in window.services.workspace.documents:
        each.unsaved = False
    window.close()
QTimer.singleShot(300, tell)
sys.exit(app.run(sys.argv[1:]))
"""


def process(script: str, profile: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "MFU_GUI_HOME": str(profile), "PYTHONPATH": str(ROOT), "LANG": "C.UTF-8"}
    return subprocess.run([sys.executable, "-c", script, *arguments], env=environment, capture_output=True, text=True,
                          timeout=60, check=False)


def test_what_was_typed_survives_a_kill(profile: Path) -> None:
    assert process(_KILLED, profile).returncode == -9
    again = process(_AGAIN, profile)
    assert again.returncode == 0, again.stderr
    _, step_time, dirty, notices, mfu = again.stdout.strip().split("|")
    assert (step_time, dirty, notices) == ("7.5", "True", "['session_recovered']")
    # 2.923 s are 29.16 % (the example, from torchtitan's published throughput).
    assert float(mfu) == pytest.approx(29.16 * 2.923 / 7.5, abs=0.01)
    # Once it was closed in order there is nothing to recover.
    third = process(_AGAIN, profile)
    assert third.stdout.strip().split("|")[3] == "[]"


def test_a_file_is_opened_by_its_name(profile: Path) -> None:
    example = ROOT / "resources" / "examples" / "deepseek-v3-2048-h800.mfu"
    done = process(_AGAIN, profile, str(example))
    assert done.returncode == 0, done.stderr
    # Zhao et al. 2025 (arXiv 2505.09343), table 4: non-causal 43.73 %.
    assert done.stdout.strip().split("|")[1:] == ["19.926", "False", "[]", "43.73"]
