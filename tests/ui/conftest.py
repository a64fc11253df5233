"""The window in tests: on a fresh profile, complete, answered by a chooser instead of dialogs, closed cleanly."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from mfu_gui.ui import app as ui_app
from mfu_gui.ui.chooser import Answer, ChangedAnswer
from mfu_gui.ui.main_window import MainWindow
from mfu_gui.ui.services import Services
from mfu_gui.ui.settings import Settings


class Answers:
    """Stands in for the dialogs: gives what a test put into it, and remembers what it was told."""

    def __init__(self) -> None:
        self.files: list[Path] = []
        self.logs: list[Path] = []
        self.config: Path | None = None
        self.save_to: Path | None = None
        self.report_to: Path | None = None
        self.workspace_to: Path | None = None
        self.plot_to: Path | None = None
        self.unsaved_answer: Answer = "discard"
        self.changed_answer: ChangedAnswer = "cancel"
        self.changed: list[str] = []
        self.asked: list[list[str]] = []
        self.told: list[str] = []
        self.suggested: Path | None = None

    def open_files(self) -> list[Path]:
        return self.files

    def open_config(self) -> Path | None:
        return self.config

    def open_logs(self) -> list[Path]:
        return self.logs

    def save_file(self, suggestion: Path) -> Path | None:
        self.suggested = suggestion
        return self.save_to

    def save_workspace(self, suggestion: Path) -> Path | None:
        self.suggested = suggestion
        return self.workspace_to

    def save_report(self, suggestion: Path) -> Path | None:
        self.suggested = suggestion
        return self.report_to

    def save_plot(self, suggestion: Path) -> Path | None:
        self.suggested = suggestion
        return self.plot_to

    def unsaved(self, names: list[str]) -> Answer:
        self.asked.append(names)
        return self.unsaved_answer

    def changed_elsewhere(self, name: str) -> ChangedAnswer:
        self.changed.append(name)
        return self.changed_answer

    def tell(self, text: str) -> None:
        self.told.append(text)


@pytest.fixture
def answers() -> Answers:
    return Answers()


@pytest.fixture
def services(qapp: QApplication, profile: Path) -> Iterator[Services]:
    ui_app.start_qt()
    settings = Settings(profile)
    settings.stored.language = "en"
    settings.stored.theme = "light"
    made = ui_app.make_services(settings)
    yield made
    qapp.setStyleSheet("")
    # Without a screen the clipboard is a static object: what Python gave it would be freed after Python itself.
    qapp.clipboard().clear()


@pytest.fixture
def make_window(services: Services, answers: Answers, qtbot: QtBot) -> Iterator[Callable[[], MainWindow]]:
    """Makes a window of the services; closes it at the end, whatever is unsaved."""
    made: list[MainWindow] = []

    def make() -> MainWindow:
        window = ui_app.make_window(services, answers)
        made.append(window)
        window.resize(1280, 800)
        window.show()
        window.complete()
        QApplication.processEvents()
        return window

    yield make
    answers.unsaved_answer = "discard"
    for window in made:
        window.close()
        window.deleteLater()
    # processEvents leaves deferred deletions alone; windows that live on would make each later test slower.
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert not [w for w in QApplication.topLevelWidgets() if isinstance(w, MainWindow)]


@pytest.fixture
def window(make_window: Callable[[], MainWindow]) -> MainWindow:
    """A window with the example in it."""
    return make_window()


def child(window: QWidget, name: str) -> QWidget:
    """The widget with an object name; names are part of the interface."""
    found = window.findChild(QWidget, name)
    assert found is not None, f"no widget is called {name}"
    return found


@pytest.fixture
def type_into(window: MainWindow, qtbot: QtBot) -> Callable[..., QLineEdit]:
    """Types text into a field as a person does: focus, select all, type; and Enter unless told otherwise.

    Text with letters beyond Latin is pasted: QtTest has no keys for them.
    """

    def type_text(name: str, text: str, *, enter: bool = True, paste: bool = False) -> QLineEdit:
        field = child(window, name)
        assert isinstance(field, QLineEdit)
        field.setFocus(Qt.FocusReason.TabFocusReason)
        field.selectAll()
        if text.isascii() and not paste:
            qtbot.keyClicks(field, text)
        else:
            QApplication.clipboard().setText(text)
            field.paste()
        if enter:
            qtbot.keyClick(field, Qt.Key.Key_Return)
        return field

    return type_text
