"""Nothing is clipped, overlaps or lies outside, at any size, in both languages, both themes, at 1× and 2×."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QCheckBox, QLabel, QLineEdit
from pytestqt.qtbot import QtBot

from mfu_gui.engine.fields import with_measured
from mfu_gui.engine.scenario import ConventionChoice
from mfu_gui.ui.main_window import MainWindow
from mfu_gui.ui.panels.measured import FIELD_OF
from mfu_gui.ui.theme import contrast
from mfu_gui.ui.widgets.value_label import SIDE

from .layout_check import SIZES, problems, settle

Type = Callable[..., QLineEdit]


def example(window: MainWindow) -> None:
    """As the window opens."""


def mixture_of_experts(window: MainWindow) -> None:
    workspace, presets = window.services.workspace, window.services.presets
    scenario = workspace.active.scenario
    model, device = presets.model("deepseek-v3"), presets.hardware("amd-mi250x")
    scenario = replace(scenario, model=model.spec, hardware=device.spec,
                       convention=ConventionChoice(id="megatron-2021-no-recompute"))
    workspace.edit(workspace.active, "x", scenario)
    for panel in (window.column.model, window.column.hardware, window.column.run_panel):
        panel.more.click()


def every_field_wrong(window: MainWindow) -> None:
    for panel in (window.column.model, window.column.hardware, window.column.run_panel, window.column.measured):
        for binding in panel.form.bindings:
            if isinstance(binding.editor, QLineEdit) and binding.row.isVisible():
                binding.editor.setFocus()
                binding.editor.setText("1,02,4")
                binding.editor.textEdited.emit("1,02,4")
                binding.row.show_message(binding._pending_message)


def impossible_and_slow(window: MainWindow) -> None:
    workspace = window.services.workspace
    scenario = replace(workspace.active.scenario, name="A name that is much too long for the box in which it is shown")
    workspace.edit(workspace.active, "x", with_measured(scenario, "step_time_s", 0.01))
    window.headline.remarks.refresh(workspace.active)
    window.files.duplicate()
    workspace.edit(workspace.active, "x", with_measured(scenario, "step_time_s", 12345.6))


def nothing_known(window: MainWindow) -> None:
    """A new scenario, and a rate of one device: what the devices and the batch would say is missing."""
    window.files.new()
    window.column.measured.know("tokens_per_s_per_device")


STATES = (example, mixture_of_experts, every_field_wrong, impossible_and_slow, nothing_known)


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.__name__)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_layout(window: MainWindow, language: str, state: Callable[[MainWindow], None]) -> None:
    state(window)
    window.status.set_language(language)
    found = {}
    for number, size in enumerate(SIZES):
        window.resize(*size)
        window.status.set_theme(("light", "dark")[number % 2])
        for page in window.tabs.keys:
            window.tabs.show_page(page)
            settle()
            assert window.size().toTuple() == size
            wrong = problems(window)
            if wrong:
                found[(size, page)] = wrong
    window.status.set_theme("light")
    window.status.set_language("en")
    assert not found, "\n".join(f"{where}:\n  " + "\n  ".join(what) for where, what in found.items())


def test_the_check_finds_what_is_clipped_overlaps_or_is_outside(window: MainWindow) -> None:
    settle()
    assert not problems(window)
    for x in (10, window.headline.width() - 20):
        label = QLabel("A text that is longer than the label", window.headline)
        label.setGeometry(x, 20, 60, 20)
        label.show()
    assert {text.split(":")[0].split(" ")[0] for text in problems(window)} == {"clipped", "overlaps", "outside"}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_layout_at_two_pixels_a_point(profile: Path, language: str) -> None:
    environment = {**os.environ, "QT_SCALE_FACTOR": "2", "MFU_GUI_HOME": str(profile)}
    script = Path(__file__).with_name("layout_check.py")
    done = subprocess.run([sys.executable, str(script), language], env=environment, capture_output=True, text=True,
                          timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[0] == "2.0"


def test_the_words_of_the_headline_are_in_line_with_its_bar(window: MainWindow) -> None:
    settle()
    headline = window.headline
    assert {headline.mfu.x() + SIDE, headline.sentence.x(), headline.bar.x(), headline.range.x()} == {headline.bar.x()}


def test_fields_stand_four_pixels_apart(window: MainWindow) -> None:
    settle()
    for panel in (window.column.model, window.column.hardware, window.column.measured):
        shown = [b.editor for b in panel.form.bindings if b.row.isVisible()]
        edges = [(e.mapTo(panel, e.rect().topLeft()).y(), e.height()) for e in shown]
        for (above, height), (below, _) in pairwise(edges):
            assert below - above - height >= 4, [e.objectName() for e in shown]


def test_what_is_ticked_has_a_tick(window: MainWindow) -> None:
    box = QCheckBox("", window.headline)
    box.setChecked(True)
    box.show()
    for theme in ("light", "dark"):
        window.status.set_theme(theme)
        settle()
        picture = box.grab(QRect(4, box.height() // 2 - 3, 7, 6)).toImage()  # within the edge of the box
        tokens = window.services.theme.tokens
        seen = {picture.pixelColor(x, y).name() for x in range(picture.width()) for y in range(picture.height())}
        assert tokens.accent in seen
        assert any(contrast(color, tokens.accent) > 3 for color in seen), seen
    window.status.set_theme("light")


@pytest.mark.parametrize("size", SIZES)
def test_the_run_panel_is_in_sight_beside_an_error(window: MainWindow, size: tuple[int, int]) -> None:
    """Its heading and first field, though the measured panel, which never scrolls, says what is wrong."""
    window.resize(*size)
    measured = window.column.measured.form.bindings[0]
    measured.row.show_message("The digits of “1,02,4” are not in groups of three.")
    settle()
    port = window.column.scroller.viewport()
    first = window.column.run_panel.form.bindings[0].editor
    assert first.mapTo(port, QPoint(0, first.height())).y() <= port.height()


def test_units_and_choices_of_the_measured_quantities_are_whole(window: MainWindow) -> None:
    for language in ("en", "zh"):
        window.status.set_language(language)
        for key in FIELD_OF:
            window.column.measured.know(key)
            settle()
            shown = [b.row.extra for b in window.column.measured.form.bindings if b.row.isVisible()]
            cut = [extra.text() for extra in shown if extra is not None and extra.text().strip() and extra.is_elided]
            assert not cut, (language, key)
    window.status.set_language("en")


def test_what_is_said_of_a_value_is_in_sight_where_it_is_typed(window: MainWindow, type_into: Type,
                                                               qtbot: QtBot) -> None:
    window.resize(1024, 700)
    settle()
    field = type_into("run.global_batch", "-3", enter=False)
    row, port = field.parentWidget(), window.column.scroller.viewport()
    qtbot.waitUntil(lambda: row.height() > field.height() + 8, timeout=2000)  # something is said of it
    settle()
    assert row.mapTo(port, QPoint(0, 0)).y() >= 0
    assert row.mapTo(port, QPoint(0, row.height())).y() <= port.height()


def test_all_tabs_are_in_sight_in_the_lowest_window_where_nothing_stands_beside_them(window: MainWindow) -> None:
    window.resize(1024, 700)
    for language in ("en", "zh"):
        window.status.set_language(language)
        for key in ("plan", "compare"):
            window.tabs.show_page(key)
            settle()
            assert not [tab.text() for tab in window.tabs._tabs.values() if tab.isHidden()], (language, key)
            assert not problems(window)
    window.status.set_language("en")


def test_a_table_ends_with_a_whole_row(window: MainWindow) -> None:
    window.resize(1024, 700)
    window.tabs.show_page("published")
    settle()
    view = window.tabs.page("published").view
    cut = view.cut_row()
    for height in range(view.height() - 24, view.height()):
        view.parentWidget().resize(view.width(), height)
        cut = view.cut_row()
        if not cut.isEmpty() and view.viewport().height() - cut.top() >= 16:  # enough of it for its words to be seen
            break
    assert view.viewport().height() - cut.top() >= 16
    ground = window.services.theme.color("surface")
    picture = view.viewport().grab(QRect(0, cut.top(), view.viewport().width(), view.viewport().height() - cut.top()))
    image = picture.toImage()
    assert {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())} == {
        ground.name()}


def test_how_many_rows_there_are_is_whole_in_the_lowest_window(window: MainWindow) -> None:
    window.resize(1024, 700)
    for language in ("en", "zh"):
        window.status.set_language(language)
        for key in ("conventions", "published"):
            window.tabs.show_page(key)
            settle()
            note = window.tabs.page(key).filter.note
            assert note.text()
            assert not note.is_elided, (language, key)
    window.status.set_language("en")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_run_panel_is_in_sight_above_100_percent(window: MainWindow, type_into: Type, qtbot: QtBot,
                                                     language: str) -> None:
    window.resize(1024, 700)
    window.status.set_language(language)
    type_into("run.measured.step_time_s", "0.5")
    measured, port = window.column.measured, window.column.scroller.viewport()
    window.plot.setFocus()
    qtbot.waitUntil(measured.mends.isVisible, timeout=2000)  # what it may be changed to is said too
    settle()
    first = window.column.run_panel.form.bindings[0].editor
    assert first.mapTo(port, QPoint(0, first.height())).y() <= port.height()
    window.status.set_language("en")
