"""The Compare tab, the list of scenarios and workspaces: in both languages, by mouse, keys and files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import cast

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QKeySequence
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from mfu_gui.engine.attribution import attribute
from mfu_gui.engine.fields import BY_KEY
from mfu_gui.engine.scenario import Scenario
from mfu_gui.formats.scenario_file import read_scenario
from mfu_gui.formats.workspace_file import read_workspace
from mfu_gui.planning.sensitivity import sensitivities
from mfu_gui.resources import resource_path
from mfu_gui.texts import translator
from mfu_gui.ui.actions import ACTIONS
from mfu_gui.ui.comparison import Side, difference, rows_of
from mfu_gui.ui.dialogs.scenarios import MFU, NAME, ScenariosDialog
from mfu_gui.ui.main_window import MainWindow
from mfu_gui.ui.scenario_colors import color_of, token_of
from mfu_gui.ui.tabs.compare import MOST_COLUMNS, ComparePage
from mfu_gui.ui.workspace import Document

from .conftest import Answers
from .layout_check import SIZES, problems, settle

PUBLISHED = ("deepseek-v3-2048-h800", "gpt-3-175b-64-a100")


def published(window: MainWindow, name: str) -> Scenario:
    return read_scenario(resource_path("examples", f"{name}.mfu"), window.services.presets).scenario


def changed(scenario: Scenario, name: str, **values: object) -> Scenario:
    for key, value in values.items():
        scenario = BY_KEY[key.replace("__", ".")].set(scenario, value)
    return replace(scenario, name=name)


@pytest.fixture
def page(window: MainWindow) -> ComparePage:
    """The tab, shown, with DeepSeek-V3 as published and a variant of it; the published run is the reference."""
    workspace = window.services.workspace
    base = published(window, PUBLISHED[0])
    workspace.add(Document(base))
    workspace.add(Document(changed(base, "Half of it", run__devices=1024, run__measured__step_time_s=36.5,
                                   run__recompute="full")))
    workspace.close(workspace.documents[0])
    window.tabs.show_page("compare")
    settle()
    return cast(ComparePage, window.tabs.page("compare"))


def texts(page: ComparePage) -> dict[str, tuple[str, ...]]:
    return {row.key: row.texts[1:] for row in page.table.table.rows}


def test_every_scenario_has_a_column_with_its_difference(page: ComparePage) -> None:
    found = texts(page)
    # DeepSeek-V3: 43.73 % non-causal MFU in 19.926 s (Zhao et al. 2025, arXiv 2505.09343, table 4).
    assert found["result.mfu"] == ("43.73%", "47.74%   +4.0 points")
    assert found["run.devices"] == ("2,048", "1,024   ×0.500")
    assert found["run.sequence_length"] == ("4,096", "4,096")
    assert found["run.recompute"] == ("none", "full (every layer)   ≠")
    assert page.table.table.heads[1:] == ("DeepSeek-V3, 2048 H800 (reference)", "Half of it")
    marked = {row.key: row.marked for row in page.table.table.rows}  # type: ignore[attr-defined]
    assert marked["run.devices"] == {2}
    assert not marked["run.sequence_length"]


def test_only_differences(page: ComparePage) -> None:
    page.only.setChecked(True)
    keys = set(texts(page))
    assert {"run.devices", "run.recompute", "run.measured.step_time_s", "result.mfu"} <= keys
    assert not {"run.sequence_length", "model.layers", "head.model", "convention"} & keys
    page.only.setChecked(False)
    assert "run.sequence_length" in texts(page)


def test_the_reference_can_be_another(page: ComparePage) -> None:
    page.reference.chosen.emit(1)
    assert texts(page)["run.devices"] == ("1,024", "2,048   ×2.00")
    assert page.table.table.heads[1] == "Half of it (reference)"
    workspace = page.services.workspace
    workspace.close(workspace.documents[1])
    assert page.hint.isVisible()
    assert "Ctrl+D" in page.hint.text()


def test_the_change_adds_up_on_the_screen(page: ComparePage) -> None:
    page.show_view("change")
    first, second = (document.scenario for document in page.services.workspace.documents)
    expected = attribute(first, second)
    assert expected is not None
    rows = page.change.chart.rows
    assert [row.label for row in rows[1:-1]] == ["Devices: 2,048 → 1,024", "Measured: 19.93 s → 36.50 s"]
    assert rows[0].value + sum(Fraction(row.value) for row in rows[1:-1]) == rows[-1].value == expected.after
    assert [row.value for row in rows[1:-1]] == [part.amount for part in expected.parts if part.amount]
    assert "43.73%" in page.change.words.text()
    assert "+4.0 points" in page.change.words.text()
    assert "Without effect: Recompute: none → full (every layer)." in page.change.remarks.text()
    page.show_as("table")
    assert page.change.table.isVisible()
    assert not page.change.chart.isVisible()
    page.quantities.chosen.emit("hfu")
    assert any("Recompute" in row.label for row in page.change.chart.rows)


def test_the_chain_of_devices_says_which_peak(page: ComparePage) -> None:
    workspace = page.services.workspace
    document = workspace.documents[1]
    faster = changed(document.scenario, "fp8", run__precision="fp8", hardware__peak_tflops=None)
    workspace.edit(document, "x", faster)
    page.show_view("change")
    assert any("(989 → 1,978.9 TFLOP/s)" in row.label for row in page.change.chart.rows)


def test_sensitivity_shows_what_the_planner_found(page: ComparePage) -> None:
    page.show_view("sensitivity")
    scenario = page.services.workspace.active.scenario
    expected = sensitivities(scenario, "mfu")
    moving = [each for each in expected.inputs if each.swing(expected.base) > 0]
    rows = page.sensitivity.chart.rows
    assert [(row.low, row.high) for row in rows] == [
        (each.low and each.low.target, each.high and each.high.target) for each in moving]
    assert rows[0].label == "Sequence length: 3,584 … 4,608"
    assert "Step time." in page.sensitivity.remarks.text()
    assert [row.key for row in page.sensitivity.table.table.rows] == [each.key for each in expected.inputs]
    page.targets.chosen.emit("step_time_s")
    assert "The MFU stays" in page.sensitivity.remarks.text()
    page.targets.chosen.emit("days")
    assert page.sensitivity.words.text().startswith("Tokens are needed")
    assert not page.sensitivity.chart.isVisible()


def test_bars_end_where_the_values_are(page: ComparePage) -> None:
    page.show_view("sensitivity")
    chart = page.sensitivity.chart
    assert chart.x_of(chart._span[0]) == 2
    assert chart.x_of(chart._span[1]) == chart.width() - 2
    top = chart.rows[0]
    assert top.low is not None
    assert top.high is not None
    assert chart.bar_rect(0, top.low).left() == pytest.approx(chart.x_of(min(top.low, chart._base)))
    assert chart.bar_rect(0, top.high).right() == pytest.approx(chart.x_of(max(top.high, chart._base)))
    QApplication.processEvents()
    assert chart.row_at(chart.row_rect(2).center().y()) == 2
    assert chart.row_at(1e6) == -1


def test_an_edit_is_shown_after_a_moment(page: ComparePage, qtbot: QtBot) -> None:
    page.show_view("sensitivity")
    before = page.sensitivity.words.text()
    workspace = page.services.workspace
    workspace.edit(workspace.active, "x", changed(workspace.active.scenario, "Renamed"))
    assert page.sensitivity.words.text() == before
    qtbot.waitUntil(lambda: "Renamed" in page.sensitivity.words.text(), timeout=3000)


def test_nothing_is_computed_while_nobody_looks(window: MainWindow, page: ComparePage) -> None:
    before = texts(page)
    window.tabs.show_page("breakdown")
    workspace = window.services.workspace
    workspace.edit(workspace.active, "x", changed(workspace.active.scenario, "Quarter", run__devices=512))
    assert texts(page) == before
    window.tabs.show_page("compare")
    assert texts(page)["run.devices"][1].startswith("512")


def test_what_cannot_be_compared_is_said(page: ComparePage) -> None:
    workspace = page.services.workspace
    document = workspace.documents[1]
    workspace.edit(document, "x", replace(document.scenario, run=replace(document.scenario.run, measured=None)))
    page.show_view("change")
    assert page.change.words.text() == "Half of it has no MFU: it does not say enough of what was measured."
    page.show_view("sensitivity")
    assert "measured quantity is needed" in page.sensitivity.words.text()
    impossible = changed(document.scenario, "Half of it", hardware__peak_kind="sparse", hardware__peak_tflops=None)
    impossible = replace(impossible, hardware=replace(impossible.hardware, sparse_factor=None))
    workspace.edit(document, "x", impossible)
    page.show_view("change")
    assert page.change.words.text().startswith("Half of it cannot be computed: ")


def test_the_table_is_copied_with_all_digits(window: MainWindow, page: ComparePage) -> None:
    window.actions_table["copy_table"].trigger()
    lines = QApplication.clipboard().text().splitlines()
    mfu = next(line.split("\t") for line in lines if line.startswith("MFU"))
    results = [document.result for document in window.services.workspace.documents]
    assert mfu[1:] == [repr(result.mfu) for result in results if result is not None]
    page.show_view("change")
    window.actions_table["copy_table"].trigger()
    assert QApplication.clipboard().text().splitlines()[2].startswith("Devices: 2,048 → 1,024\t")


def test_more_scenarios_than_columns(page: ComparePage) -> None:
    workspace = page.services.workspace
    for number in range(MOST_COLUMNS):
        workspace.add(Document(changed(workspace.active.scenario, f"Variant {number}")))
    assert len(page.shown_documents) == MOST_COLUMNS
    last = workspace.documents[-1]
    page.show_column(last, True)
    assert page.shown_documents[-1] is last
    page.show_column(workspace.documents[1], False)
    assert workspace.documents[1] not in page.shown_documents
    page.table.header().sectionClicked.emit(2)
    assert workspace.active is page.shown_documents[1]


def test_differences_in_words() -> None:
    tr = translator("en")
    assert difference(0.4, 0.388, "utilization", tr) == "−1.2 points"
    assert difference(100, 250, "integer", tr) == "×2.50"
    assert difference(989, 989.4, "exact", tr) == "+0.04%"
    assert difference(None, 3, "integer", tr) == "≠"
    assert difference("a", "a", "text", tr) == ""
    assert difference(True, False, "choice", tr) == "≠"


def test_rows_of_quite_different_models(window: MainWindow) -> None:
    sides = [Side(name, published(window, name), None) for name in PUBLISHED]
    rows = {row.key: row for row in rows_of(sides, 0, translator("en"))}
    assert [cell.text for cell in rows["model.experts"].cells] == ["256", "–"]
    assert rows["model.experts"].differs
    assert all(len(row.cells) in (0, 2) for row in rows.values())


# The list of scenarios


@pytest.fixture
def scenario_list(window: MainWindow, page: ComparePage) -> Iterator[ScenariosDialog]:
    window.actions_table["scenarios"].trigger()
    dialog = window.findChild(ScenariosDialog)
    assert dialog is not None
    settle()
    yield dialog
    dialog.close()


def names(window: MainWindow) -> list[str]:
    return [document.scenario.name for document in window.services.workspace.documents]


def test_list_shows_and_selects(window: MainWindow, scenario_list: ScenariosDialog) -> None:
    rows = [scenario_list.list.topLevelItem(number) for number in range(2)]
    assert [row.text(NAME) for row in rows] == names(window)
    assert [row.text(MFU) for row in rows] == ["43.73%", "47.74%"]
    scenario_list.list.setCurrentItem(rows[0])
    assert window.services.workspace.active is window.services.workspace.documents[0]
    assert scenario_list.notes.toPlainText() == window.services.workspace.active.scenario.notes
    icons = [row.icon(NAME).pixmap(10, 10).toImage().pixelColor(5, 5).name() for row in rows]
    assert len(set(icons)) == 2


def test_list_moves_by_key_and_by_drag(window: MainWindow, scenario_list: ScenariosDialog, qtbot: QtBot) -> None:
    workspace = window.services.workspace
    before = [document.color for document in workspace.documents]
    active = workspace.active
    qtbot.keyClick(scenario_list.list, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert names(window) == ["Half of it", "DeepSeek-V3, 2048 H800"]
    assert workspace.active is active
    assert [document.color for document in workspace.documents] == before[::-1]
    qtbot.keyClick(scenario_list.list, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert names(window)[0] == "Half of it"
    below = scenario_list.list.visualItemRect(scenario_list.list.topLevelItem(1)).bottomLeft()
    drop = QDropEvent(QPointF(below), Qt.DropAction.MoveAction, QMimeData(), Qt.MouseButton.LeftButton,
                      Qt.KeyboardModifier.NoModifier)
    scenario_list.list.dropEvent(drop)
    assert names(window) == ["DeepSeek-V3, 2048 H800", "Half of it"]
    assert scenario_list.list.topLevelItemCount() == 2


def test_list_renames_notes_duplicates_and_closes(window: MainWindow, scenario_list: ScenariosDialog,
                                                  qtbot: QtBot) -> None:
    workspace = window.services.workspace
    scenario_list.list.currentItem().setText(NAME, "  Other name ")
    assert workspace.active.scenario.name == "Other name"
    scenario_list.list.currentItem().setText(NAME, " ")
    assert scenario_list.list.currentItem().text(NAME) == "Other name"
    scenario_list.notes.setPlainText("first")
    scenario_list.notes.setPlainText("first, second")
    assert workspace.active.scenario.notes == "first, second"
    workspace.undo()
    assert scenario_list.notes.toPlainText() != "first, second"
    scenario_list.buttons["duplicate"].click()
    assert names(window)[-1] == "Other name, copy"
    assert scenario_list.list.currentItem().text(NAME) == "Other name, copy"
    qtbot.keyClick(scenario_list.list, Qt.Key.Key_Delete)
    assert names(window) == ["DeepSeek-V3, 2048 H800", "Other name"]


def test_typing_a_name_in_the_list(scenario_list: ScenariosDialog, window: MainWindow, qtbot: QtBot) -> None:
    scenario_list.edit_name()
    editor = scenario_list.list.viewport().findChild(QLineEdit)
    assert editor is not None
    qtbot.keyClicks(editor, "Typed")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    settle()
    assert window.services.workspace.active.scenario.name == "Typed"


# Workspaces


def test_a_workspace_is_saved_and_opened(window: MainWindow, page: ComparePage, answers: Answers,
                                         tmp_path: Path) -> None:
    workspace = window.services.workspace
    path = tmp_path / "两个 runs.mfuw"
    workspace.documents[1].unsaved = True
    answers.workspace_to = path
    window.actions_table["save_workspace"].trigger()
    assert answers.suggested == Path("Scenarios.mfuw")
    saved = [document.scenario for document in workspace.documents]
    assert [each.scenario for each in read_workspace(path, window.services.presets).scenarios] == saved
    assert not any(document.dirty for document in workspace.documents)
    window.files.open_paths([path])
    assert len(workspace.documents) == 2
    for document in list(workspace.documents):
        window.files.close(document)
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    assert window.files.can_drop(data)
    window.files.drop(data)
    assert [document.scenario for document in workspace.documents[-2:]] == saved
    assert workspace.active is workspace.documents[-1]
    assert not workspace.active.dirty
    assert path in window.services.settings.recent


def test_a_scenario_with_a_file_of_its_own_still_differs_from_it(window: MainWindow, page: ComparePage,
                                                                 answers: Answers, tmp_path: Path) -> None:
    workspace = window.services.workspace
    workspace.active.path, workspace.active.unsaved = tmp_path / "own.mfu", True
    answers.workspace_to = tmp_path / "all.mfuw"
    window.actions_table["save_workspace"].trigger()
    assert workspace.active.dirty
    assert workspace.active.home is None


def test_what_is_wrong_with_a_workspace_is_told(window: MainWindow, answers: Answers, tmp_path: Path) -> None:
    path = tmp_path / "bad.mfuw"
    path.write_text(json.dumps({"kind": "mfu-workspace", "schema": 1, "scenarios": [{"kind": "mfu-scenario"}]}))
    window.files.open_paths([path])
    assert answers.told == ['bad.mfuw: scenarios[0].schema: The key “schema” is missing.']
    answers.workspace_to = tmp_path / "no folder" / "a.mfuw"
    window.actions_table["save_workspace"].trigger()
    assert "folder does not exist" in answers.told[-1]
    answers.workspace_to = None
    window.actions_table["save_workspace"].trigger()
    assert len(answers.told) == 2


# Looks


def test_actions_have_keys_of_their_own(window: MainWindow) -> None:
    keys = [QKeySequence(key).toString() for spec in ACTIONS for key in spec.shortcuts]
    assert len(keys) == len(set(keys))
    for key, view in (("change", "change"), ("sensitivity", "sensitivity")):
        window.actions_table[key].trigger()
        assert window.tabs.current == "compare"
        assert cast(ComparePage, window.tabs.page("compare")).shown == view


def test_every_control_has_a_name(page: ComparePage) -> None:
    for key in ("table", "change", "sensitivity"):
        page.show_view(key)
    for name in ("compare.reference", "compare.other", "compare.quantity", "compare.target", "compare.columns",
                 "compare.only_differences", "compare.table", "compare.change.chart", "compare.change.table",
                 "compare.sensitivity.chart", "compare.sensitivity.table"):
        widget = page.findChild(QWidget, name)
        assert widget is not None
        assert widget.accessibleName(), name


@pytest.mark.parametrize("language", ["en", "zh"])
def test_views_fit_at_every_size(window: MainWindow, page: ComparePage, language: str) -> None:
    window.status.set_language(language)
    found = {}
    for size in SIZES:
        window.resize(*size)
        for key in ("table", "change", "sensitivity"):
            page.show_view(key)
            for form in ("chart", "table"):
                page.show_as(form)
                settle()
                wrong = problems(window)
                if wrong:
                    found[(size, key, form)] = wrong
    words = page.change.words.text() + page.sensitivity.remarks.text() + page.only.text()
    window.status.set_language("en")
    assert not found
    assert any("\u4e00" <= letter <= "\u9fff" for letter in words) is (language == "zh")


def test_the_plot_has_the_colours_of_the_list(window: MainWindow, page: ComparePage) -> None:
    workspace = window.services.workspace
    window.plot.refresh(workspace.active)
    view = window.plot.view
    assert view is not None
    other = workspace.documents[0]
    token = token_of(other)
    assert token != token_of(workspace.active)
    assert [name for name, item in view._overlay.items() if not item.path().isEmpty()] == [token]
    assert view._overlay[token].pen().color() == color_of(other, window.services.theme)
    window.status.set_theme("dark")
    assert view._overlay[token].pen().color() == color_of(other, window.services.theme)
    spots = view._others.points()
    assert [spot.brush().color() for spot in spots] == [color_of(other, window.services.theme)]
    window.status.set_theme("light")
