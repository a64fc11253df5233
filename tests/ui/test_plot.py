"""The plot: geometry, dragging, the table twin, what it copies, and 500 redraws."""

from __future__ import annotations

import gc
import math
import sys

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFontMetrics, QGuiApplication, QPainterPath, QWheelEvent
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from mfu_gui.engine.fields import with_measured
from mfu_gui.formats.curve import Range, curve_of, nice_step, points, range_of, table
from mfu_gui.ui import fonts
from mfu_gui.ui.charts.against_view import AgainstView
from mfu_gui.ui.main_window import MainWindow
from mfu_gui.ui.theme import SMALL

from .conftest import child


def test_the_curve_is_the_hyperbola_through_the_point(window: MainWindow) -> None:
    document = window.services.workspace.active
    result = document.result
    assert result is not None
    curve = curve_of(document.scenario, result, document.rows())
    assert curve is not None
    assert curve.quantity == "step_time_s"
    assert curve.at(2.923) == pytest.approx(result.mfu, rel=1e-12)
    full = result.flops.per_step / (result.peak_tflops_per_device * 1e12 * 128)
    assert curve.full == pytest.approx(full, rel=1e-12)
    assert curve.low < curve.full < curve.high
    assert curve.hardware == pytest.approx(curve.full * result.hfu / result.mfu, rel=1e-12)


def test_without_a_batch_time_is_that_of_a_token(window: MainWindow) -> None:
    document = window.services.workspace.active
    run = replace(document.scenario.run, global_batch=None, devices=None)
    scenario = with_measured(replace(document.scenario, run=run), "tokens_per_s_per_device", 5605.0)
    window.services.workspace.edit(document, "run.devices", scenario)
    result = document.result
    assert result is not None
    curve = curve_of(scenario, result, ())
    assert curve is not None
    assert (curve.quantity, curve.time) == ("token_time_us", pytest.approx(1e6 / 5605))
    assert curve.utilization == pytest.approx(result.mfu, rel=1e-12)


@pytest.mark.parametrize(("rough", "step"), [(7.7, 5), (5.0, 5), (1.0, 1), (0.19, 0.1), (0.2, 0.2), (99.0, 50)])
def test_steps_are_round_numbers(rough: float, step: float) -> None:
    assert nice_step(rough) == pytest.approx(step)


@pytest.mark.parametrize("scale", [1e-6, 1e-2, 1.0, 37.0, 1e5])
def test_the_range_holds_the_full_end_and_the_point(window: MainWindow, scale: float) -> None:
    document = window.services.workspace.active
    assert document.result is not None
    curve = curve_of(document.scenario, document.result, ())
    assert curve is not None
    curve = curve._replace(full=curve.full * scale, time=2.923 * scale)
    span = range_of(curve)
    assert span.start <= curve.full <= span.end
    assert span.start <= 2.923 * scale <= span.end
    assert 4 <= (span.end - span.start) / span.step <= 16


def test_points_stay_inside_the_picture() -> None:
    times, values = points(7.76, Range(5.0, 40.0, 5.0))
    assert times[-1] == 40.0
    assert times == sorted(times)
    assert all(value * time == pytest.approx(7.76) for time, value in zip(times, values, strict=True))
    assert points(60.0, Range(5.0, 40.0, 5.0)) == ([], [])


def drag(window: MainWindow, qtbot: QtBot, pixels: int) -> None:
    view = window.plot.view
    assert view is not None
    QApplication.processEvents()
    start = view.point_position.toPoint()
    port = view.viewport()
    qtbot.mouseMove(port, start)
    qtbot.mousePress(port, Qt.MouseButton.LeftButton, pos=start)
    for step in range(1, 11):
        qtbot.mouseMove(port, start + QPoint(pixels * step // 10, 0))
        qtbot.wait(8)
    qtbot.mouseRelease(port, Qt.MouseButton.LeftButton, pos=start + QPoint(pixels, 0))
    QApplication.processEvents()


def test_dragging_the_point_edits_the_step_time_as_one_step(window: MainWindow, qtbot: QtBot) -> None:
    workspace = window.services.workspace
    drag(window, qtbot, 120)
    result = workspace.active.result
    assert result is not None
    time = result.throughput.step_time_s
    assert time > 3.0
    assert window.column.measured.form.bindings[0].editor.text() == f"{time:g}"
    assert workspace.active.history.count() == 1
    view = window.plot.view
    assert view is not None
    assert view._point.pos().x() == pytest.approx(time)
    assert view._point.pos().y() == pytest.approx(result.mfu)
    drag(window, qtbot, -60)
    assert workspace.active.history.count() == 2
    workspace.undo()
    workspace.undo()
    assert workspace.active.scenario.run.measured.step_time_s == 2.923


def test_the_point_stops_at_100_percent(window: MainWindow, qtbot: QtBot) -> None:
    drag(window, qtbot, -700)
    result = window.services.workspace.active.result
    assert result is not None
    assert result.mfu is not None
    assert result.mfu <= 1.0
    assert result.mfu > 0.98


def test_dragging_says_the_time_in_the_known_quantity(window: MainWindow, qtbot: QtBot) -> None:
    window.column.measured.known.chosen.emit("tokens_per_s_per_device")
    drag(window, qtbot, 100)
    measured = window.services.workspace.active.scenario.run.measured
    assert measured is not None
    assert measured.tokens_per_s_per_device is not None
    assert measured.tokens_per_s_per_device < 5605


def test_arrow_keys_move_the_point(window: MainWindow, qtbot: QtBot) -> None:
    view = window.plot.view
    assert view is not None
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert window.services.workspace.active.scenario.run.measured.step_time_s == pytest.approx(2.923 * 1.01, rel=1e-3)


def test_the_table_says_what_the_picture_shows(window: MainWindow, qtbot: QtBot) -> None:
    window.actions_table["plot_table"].trigger()
    grid = window.plot._table
    assert grid.isVisible()
    times = [grid.item(row, 0).text() for row in range(grid.rowCount())]
    assert "2.923" in times
    assert grid.item(times.index("2.923"), 1).text() == "29.2%"
    window.plot.copy_table()
    data = QGuiApplication.clipboard().mimeData()
    lines = data.text().splitlines()
    assert lines[0].startswith("step time, s\tMFU")
    assert len(lines) == grid.rowCount() + 1
    assert "<th>MFU</th>" in data.html()


def test_rows_of_the_table_multiply_to_the_full_time(window: MainWindow) -> None:
    document = window.services.workspace.active
    assert document.result is not None
    curve = curve_of(document.scenario, document.result, document.rows())
    assert curve is not None
    for time, mfu, *_ in table(curve, range_of(curve)):
        assert time * mfu == pytest.approx(curve.full)
        assert mfu <= 1.0


def test_the_picture_can_be_copied(window: MainWindow) -> None:
    window.plot.copy_picture()
    data = QGuiApplication.clipboard().mimeData()
    assert data.hasImage()
    svg = bytes(data.data("image/svg+xml").data())
    assert svg.startswith(b"<?xml")
    assert b"</svg>" in svg


def test_other_scenarios_are_points(window: MainWindow) -> None:
    window.files.duplicate()
    document = window.services.workspace.active
    window.services.workspace.edit(document, "x", with_measured(document.scenario, "step_time_s", 4.0))
    window.services.workspace.activate(window.services.workspace.documents[0])
    view = window.plot.view
    assert view is not None
    shown = view._others.points()
    assert [round(point.pos().x(), 3) for point in shown] == [4.0]
    assert "copy" in shown[0].data()


def test_the_target_line_can_be_moved_and_hidden(window: MainWindow) -> None:
    view = window.plot.view
    assert view is not None
    window.plot._target_moved(0.4)
    assert "40%" in view._texts["target"].text()
    window.actions_table["target"].trigger()
    assert not view._target_line.isVisible()
    assert window.services.settings.target is None


def test_a_screen_reader_is_told_the_picture(window: MainWindow) -> None:
    view = window.plot.view
    assert view is not None
    assert "29.16%" in view.accessibleDescription()
    assert "100%" in view.accessibleDescription()


def test_500_redraws_leave_the_process_alive(window: MainWindow) -> None:
    """PySide6 6.12.0 on Python 3.11 gives back one reference to None too many on each void call, and ends the
    process after about 90 redraws; None is immortal from 3.12 on."""
    view, curve, span = window.plot.view, window.plot._curve, window.plot._span
    assert view is not None
    assert curve is not None
    assert span is not None
    view.viewport().repaint()
    counts = sys.version_info < (3, 12)
    gc.collect()  # windows of earlier tests hold hundreds of references to None, and would give them back meanwhile
    before = sys.getrefcount(None) if counts else 0
    painted = 0
    for number in range(500):
        time = 2.0 + math.sin(number / 20)
        now = curve._replace(time=time, utilization=curve.full / time)
        view.show_curve(now, span._replace(end=span.end + number % 2), 0.5, window.plot._marks(span),
                        window.plot._texts(now))
        view.viewport().repaint()
        painted += view.point_position.x() > 0
    assert painted == 500
    if counts:
        assert sys.getrefcount(None) - before > -500


def ends(path: QPainterPath) -> tuple[QPainterPath.Element, QPainterPath.Element]:
    return path.elementAt(0), path.elementAt(path.elementCount() - 1)


def test_logarithmic_axes_make_the_curve_a_line_and_are_kept(window: MainWindow, qtbot: QtBot) -> None:
    window.actions_table["plot_log"].trigger()
    view = window.plot.view
    assert view is not None
    first, last = ends(view._main.path())
    assert first.y - last.y == pytest.approx(last.x - first.x)
    assert window.services.settings.stored.log_axes
    drag(window, qtbot, 60)
    measured = window.services.workspace.active.scenario.run.measured
    assert 2.923 < measured.step_time_s < 6
    assert view._point.pos().x() == pytest.approx(math.log10(measured.step_time_s))
    view._target_line.setValue(math.log10(0.4))
    view._target_line.sigDragged.emit(view._target_line)
    assert window.services.settings.target == pytest.approx(0.4)
    window.actions_table["plot_log"].trigger()
    assert 0 < ends(view._main.path())[1].y < 1


def test_zoom_by_wheel_keys_and_actions_and_back(window: MainWindow, qtbot: QtBot) -> None:
    plot, view = window.plot, window.plot.view
    assert view is not None
    whole = plot._span
    window.actions_table["zoom_in"].trigger()
    near = plot._span
    assert near.end - near.start < whole.end - whole.start
    assert near.start < 2.923 < near.end
    window.services.workspace.edit(window.services.workspace.active, "x", with_measured(
        window.services.workspace.active.scenario, "step_time_s", 3.0))
    assert plot._span == near  # it stays while numbers are typed
    window.actions_table["zoom_all"].trigger()
    assert plot._span == range_of(plot._curve)
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_Plus)
    assert plot.is_zoomed
    qtbot.keyClick(view, Qt.Key.Key_0)
    assert not plot.is_zoomed
    wheel = QWheelEvent(view.rect().center().toPointF(), view.mapToGlobal(view.rect().center()).toPointF(), QPoint(),
                        QPoint(0, 120), Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier,
                        Qt.ScrollPhase.NoScrollPhase, False)
    QApplication.sendEvent(view.viewport(), wheel)
    assert plot.is_zoomed
    qtbot.mouseDClick(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(200, 60))
    assert not plot.is_zoomed


@pytest.mark.parametrize("key", ["run.devices", "run.sequence_length", "run.global_batch"])
def test_mfu_against_another_input_says_what_stays(window: MainWindow, qtbot: QtBot, key: str) -> None:
    plot = window.plot
    while plot.against != key:
        window.actions_table["plot_axis"].trigger()
    view = child(window, "plot.against")
    assert isinstance(view, AgainstView)
    assert view.isVisible()
    assert "Step time 2.923 s" in plot.note.text()
    assert view.accessibleName() == plot.axis.currentText()
    assert "29.16%" in view.accessibleDescription()
    for x in (20, view.width() // 2 + 80):  # a pointer that does not move sends nothing
        qtbot.mouseMove(view, QPoint(x, 40))
        QApplication.processEvents()
    assert view.probed is not None
    view.setFocus()
    before = view.probed
    qtbot.keyClick(view, Qt.Key.Key_Left)
    assert view.probed.value < before.value
    assert view.read_out(view.probed) == view.accessibleDescription()
    plot.show_as("table")
    grid = plot._table
    assert grid.columnCount() == 5
    assert "29.16%" in {grid.item(row, 1).text() for row in range(grid.rowCount())}
    plot.copy_table()
    assert len(QGuiApplication.clipboard().text().splitlines()) == grid.rowCount() + 1
    plot.show_as("curve")
    assert b"</svg>" in plot.svg()
    assert not plot.png().isNull()


def test_against_without_a_measurement_asks_for_one(window: MainWindow) -> None:
    workspace = window.services.workspace
    workspace.edit(workspace.active, "x", with_measured(workspace.active.scenario, "step_time_s", None))
    window.plot.show_against("run.devices")
    view = child(window, "plot.against")
    assert view.accessibleDescription() == "Enter a measured value and Devices."
    assert not view.grab().isNull()


def test_the_heading_says_what_the_time_is_of(window: MainWindow) -> None:
    workspace, plot = window.services.workspace, window.plot
    first = workspace.active.scenario
    run = replace(first.run, global_batch=None, devices=None, parallel=None, micro_batch=None, measured=None)
    workspace.edit(workspace.active, "x", replace(first, run=run))
    assert plot.axis.currentText() == "MFU against time per token"
    assert plot.accessibleName() == "MFU against time per token"
    workspace.edit(workspace.active, "x", first)
    assert plot.axis.currentText() == "MFU against step time"


def test_marks_of_the_axis_speak_the_language_of_the_window(window: MainWindow) -> None:
    view = window.plot.view
    assert view is not None
    for code, unit in (("zh", "秒"), ("en", "s")):
        window.status.set_language(code)
        assert {word.split(" ")[1] for _, word in view._bottom._marks} == {unit}


def test_without_a_result_there_are_words_and_no_point(window: MainWindow) -> None:
    window.plot._show_curve_or_words(None)
    shown = window.plot._stack.currentWidget()
    assert isinstance(shown, QLabel)
    assert "no result" in shown.text()


def test_the_last_word_of_the_axis_is_inside_the_picture(window: MainWindow) -> None:
    """Long words at the right end: of a token's time, the numbers have units of their own."""
    view = window.plot.view
    assert view is not None
    axis, edge = view._bottom, view.mapToScene(view.viewport().rect().bottomRight()).x()
    metrics = QFontMetrics(axis._font)
    for word in ("6 s", "400 µs", "1,000,000,000 µs"):
        half = metrics.horizontalAdvance(word) / 2
        right = axis.mapToScene(axis.place(axis.rect().right(), half), 0).x() + half
        assert right <= edge


def test_words_in_the_plot_are_set_as_the_language_is_written(window: MainWindow) -> None:
    """As in a window that was started in it."""
    view = window.plot.view
    assert view is not None
    for code in ("zh", "en"):
        window.status.set_language(code)
        wanted = fonts.font(SMALL)
        assert view._texts["target"].font() == wanted
        assert view._bottom._font == wanted


def test_no_line_runs_through_the_words_at_the_target(window: MainWindow) -> None:
    """Not in high contrast either, whose lines are dark."""
    window.status.set_theme("contrast")
    QApplication.processEvents()
    view = window.plot.view
    words, theme = view._texts["target"], window.services.theme
    image = view.grab().toImage()
    place = words.deviceTransform(view.viewportTransform()).mapRect(words.boundingRect())
    rect = place.toRect().adjusted(2, 5, -2, -5)
    seen = {image.pixelColor(x, y).name() for y in range(rect.top(), rect.bottom())
            for x in (rect.left(), rect.right())}
    window.status.set_theme("light")
    assert seen == {theme.tokens.surface}
