"""Fields of the window: the four of the batch, cards × nodes × pods, other ways to say the speed, ±."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import cast

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from mfu_gui.engine.run import Measured
from mfu_gui.ui import exactness
from mfu_gui.ui.dialogs.cluster import ClusterDialog, parts_of
from mfu_gui.ui.exactness import plus_minus
from mfu_gui.ui.main_window import MainWindow
from mfu_gui.ui.widgets.number_edit import NumberEdit
from mfu_gui.ui.workspace import Document

from .conftest import child

Type = Callable[..., QLineEdit]


def run_of(window: MainWindow):  # type: ignore[no-untyped-def]
    return window.services.workspace.active.scenario.run


def extra_of(window: MainWindow, key: str) -> str:
    panel = window.column.run_panel
    binding = next(b for b in (*panel.form.bindings, *panel.layout_part.form.bindings) if b.field.key == key)
    return binding.row.extra.text()


def test_the_one_typed_longest_ago_follows(window: MainWindow, type_into: Type) -> None:
    window.column.run_panel.layout_part.open(True)
    assert run_of(window).global_batch == 256
    assert extra_of(window, "run.accumulation") == "follows"
    type_into("run.micro_batch", "2")
    assert run_of(window).global_batch == 256
    assert child(window, "run.accumulation").text() == "1"  # type: ignore[attr-defined]
    type_into("run.accumulation", "8")
    assert run_of(window).global_batch == 2 * 8 * 128
    assert extra_of(window, "run.global_batch") == "follows"
    type_into("run.micro_batch", "4")  # keeps the accumulation that was typed
    assert run_of(window).global_batch == 4 * 8 * 128
    type_into("run.global_batch", "2048")  # now the accumulation is the oldest
    assert (run_of(window).micro_batch, run_of(window).global_batch) == (4, 2048)
    assert child(window, "run.accumulation").text() == "4"  # type: ignore[attr-defined]
    assert run_of(window).devices == 128


def test_cards_nodes_and_pods(window: MainWindow, qtbot: QtBot) -> None:
    assert window.column.hardware.nodes.text() == "16 × 8"
    window.actions_table["cluster"].trigger()
    dialog = window.findChild(ClusterDialog)
    assert dialog is not None
    assert [edit.value for edit in dialog.edits.values()] == [8, 16, 1]
    for name, text in (("nodes", "64"), ("pods", "4")):
        edit = dialog.edits[name]
        edit.setFocus()
        edit.selectAll()
        qtbot.keyClicks(edit, text)
    assert dialog.total.text() == "= 2,048 devices"
    dialog.edits["pods"].setText("")
    qtbot.keyClicks(dialog.edits["pods"], "x")
    assert not dialog.take.isEnabled()
    qtbot.keyClick(dialog.edits["pods"], Qt.Key.Key_Backspace)
    qtbot.keyClicks(dialog.edits["pods"], "4")
    dialog.accept()
    assert run_of(window).devices == 2048
    assert window.services.workspace.active.history.undo_label() == "Devices"


@pytest.mark.parametrize(("devices", "each", "parts"), [
    (512, 8, (8, 64, 1)), (100, 8, (100, 1, 1)), (None, 4, (4, 1, 1)), (16, None, (8, 2, 1))])
def test_parts_of_a_number_of_devices(devices: int | None, each: int | None, parts: tuple[int, int, int]) -> None:
    assert parts_of(devices, each) == parts


def test_tokens_per_day_stay_as_they_were_typed(window: MainWindow, type_into: Type) -> None:
    window.column.measured.know("tokens_per_day")
    edit = type_into("run.measured.tokens_per_day", "62B")
    assert run_of(window).measured == Measured(tokens_per_s=62e9 / 86400)
    assert edit.text() == "62,000,000,000"
    assert window.column.measured.known_key(window.services.workspace.active) == "tokens_per_day"
    window.services.workspace.undo()
    assert edit.text() != "62,000,000,000"


def test_days_for_tokens(window: MainWindow, type_into: Type) -> None:
    panel = window.column.measured
    panel.know("days")
    type_into("run.measured.days", "54")
    assert window.services.workspace.active.invalid["run.measured.days"].code == "days_need_tokens"
    type_into("run.measured.days_tokens", "15T")
    type_into("run.measured.days", "165.5")
    assert window.services.workspace.active.scenario.plan == {"tokens": 15 * 10**12}
    assert run_of(window).measured.tokens_per_s == pytest.approx(15e12 / 165.5 / 86400)
    assert panel.known_key(window.services.workspace.active) == "days"
    panel.know("step_time_s")
    assert run_of(window).measured.step_time_s == pytest.approx(2.0, rel=0.01)
    assert child(window, "run.measured.days_tokens").isHidden() or not child(
        window, "run.measured.days_tokens").isVisible()


def mfu_caption(window: MainWindow) -> str:
    return window.headline.mfu.accessibleName().partition(":")[0]


def test_digits_and_plus_minus_are_shown_at_the_mfu(window: MainWindow, type_into: Type) -> None:
    document = window.services.workspace.active
    type_into("run.measured.step_time_s", "8.57")
    half = plus_minus(document)
    assert half is not None
    assert document.result is not None
    assert document.result.mfu is not None
    lowest, highest = (document.result.mfu * 8.57 / time for time in (8.575, 8.565))
    assert half >= max(highest - document.result.mfu, document.result.mfu - lowest)
    assert half <= 2 * (highest - document.result.mfu)
    assert mfu_caption(window) == f"MFU ± {100 * half:.1g}"
    type_into("run.measured.step_time_s", "8.570")  # the same number, ten times as exact
    assert plus_minus(document) == pytest.approx(half / 10, rel=0.3)
    edit = type_into("run.measured.step_time_s", "8.57 ± 0.2 s")
    assert plus_minus(document) == pytest.approx(document.result.mfu * 0.2 / 8.37, rel=0.5)
    row = next(b for b in window.column.measured.form.bindings if b.editor is edit).row
    assert row.extra.text() == "± 0.2"
    assert isinstance(edit, NumberEdit)
    edit.step_by(1)
    QApplication.processEvents()
    assert row.extra.text() == "s"


def test_a_target_and_a_computed_value_have_no_width(window: MainWindow, type_into: Type) -> None:
    document = window.services.workspace.active
    window.column.measured.know("mfu")
    type_into("run.measured.mfu", "40 %")
    assert plus_minus(document) is None
    assert mfu_caption(window) == "MFU"
    window.column.measured.know("tokens_per_s")
    assert plus_minus(document) is None


def test_a_width_larger_than_the_number_is_refused(window: MainWindow, type_into: Type) -> None:
    type_into("run.measured.step_time_s", "2 ± 3")
    invalid = window.services.workspace.active.invalid
    assert invalid["run.measured.step_time_s"].code == "number_width"


def test_tab_goes_through_a_panel_from_the_top_down(window: MainWindow) -> None:
    """What stands above a form is reached before it, and a link directly after the field beside it."""
    for panel, lead in ((window.column.model, window.column.model.search),
                        (window.column.hardware, window.column.hardware.search),
                        (window.column.measured, window.column.measured.known)):
        # Last to first: rows are built when they are first shown, in whatever order that is.
        editors = [binding.editor for binding in reversed(panel.form.bindings)][::-1]
        following, widget = [], lead.nextInFocusChain()
        while panel.isAncestorOf(widget):
            following.append(widget)
            widget = widget.nextInFocusChain()
        assert [widget for widget in following if widget in editors] == editors
        stops = [widget for widget in following if widget.focusPolicy() & Qt.FocusPolicy.TabFocus]
        if panel is window.column.hardware:
            assert stops[stops.index(child(window, "run.devices")) + 1] is panel.nodes


@pytest.mark.parametrize("value", [0.0, 5e-324, 1e-310])
def test_an_mfu_of_nothing_has_no_plus_minus(value: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """A convention may count nothing of a model."""
    monkeypatch.setattr(exactness, "relative_width", lambda document: 0.01)
    document = SimpleNamespace(result=SimpleNamespace(mfu=value, hfu=None), problem=None)
    assert plus_minus(cast(Document, document)) is None
