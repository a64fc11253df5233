"""On macOS the system hands files to the running program; elsewhere they come as arguments."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QUrl
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication

from mfu_gui.ui.open_events import OpenEvents


@pytest.fixture
def opened(qapp: QApplication) -> Iterator[list[list[str]]]:
    calls: list[list[str]] = []
    events = OpenEvents(qapp, calls.append)
    yield calls
    qapp.removeEventFilter(events)
    events.deleteLater()


def test_a_file_is_opened(qapp: QApplication, opened: list[list[str]], tmp_path: Path) -> None:
    path = str(tmp_path / "it's a 方案.mfu")
    QApplication.sendEvent(qapp, QFileOpenEvent(path))
    assert opened == [[path]]


def test_an_address_of_another_machine_is_not(qapp: QApplication, opened: list[list[str]]) -> None:
    QApplication.sendEvent(qapp, QFileOpenEvent(QUrl("https://example.invalid/run.mfu")))
    assert opened == []


def test_other_events_pass(qapp: QApplication, opened: list[list[str]]) -> None:
    QApplication.sendEvent(qapp, QEvent(QEvent.Type.User))
    assert opened == []
