"""What is on the screen is what a fresh painting of the whole window gives: parts that only moved are not painted."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from mfu_gui.ui.main_window import MainWindow

MODELS = ("qwen3-235b-a22b", "llama-3.1-405b", "nemotron-h-8b", "deepseek-v3")


def on_screen(window: MainWindow) -> QImage:
    screen = window.screen()
    return screen.grabWindow(window.winId()).toImage().convertToFormat(QImage.Format.Format_RGB32)


def painted_anew(window: MainWindow) -> QImage:
    return window.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)


def differing(window: MainWindow) -> list[tuple[int, int]]:
    """Some places where the screen shows something else."""
    for _ in range(4):
        QApplication.processEvents()
    there, fresh = on_screen(window), painted_anew(window)
    assert there.size() == fresh.size()
    if there == fresh:
        return []
    return [(x, y) for y in range(0, there.height(), 2) for x in range(0, there.width(), 2)
            if there.pixel(x, y) != fresh.pixel(x, y)][:10]


def choose(window: MainWindow, model: str) -> None:
    window.column.model.search.chosen.emit(model)


def fold(window: MainWindow) -> None:
    window.column.model.more.click()


@pytest.fixture
def wide(window: MainWindow) -> MainWindow:
    window.resize(1280, 800)
    for _ in range(4):
        QApplication.processEvents()
    return window


def test_other_models_leave_no_trace(wide: MainWindow) -> None:
    for model in (*MODELS, *reversed(MODELS)):
        choose(wide, model)
        assert differing(wide) == [], model


@pytest.mark.parametrize("act", [
    pytest.param(lambda window: fold(window), id="more fields"),
    pytest.param(lambda window: window.resize(1280, 700), id="lower"),
    pytest.param(lambda window: window.resize(1400, 900), id="larger"),
    pytest.param(lambda window: window.split.setSizes([400, 120]), id="the line between plot and tabs"),
    pytest.param(lambda window: window.status.set_theme("dark"), id="dark"),
    pytest.param(lambda window: window.status.set_language("zh"), id="Chinese"),
    pytest.param(lambda window: window.column.scroller.verticalScrollBar().setValue(30), id="scrolled"),
])
def test_nothing_of_before_stays(wide: MainWindow, act: Callable[[MainWindow], object]) -> None:
    act(wide)
    assert differing(wide) == []
    choose(wide, "nemotron-h-8b")
    assert differing(wide) == []
