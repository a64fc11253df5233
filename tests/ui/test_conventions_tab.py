"""The Conventions tab: sorting, filtering, why two differ, and what the run is divided by."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from mfu_gui.engine.compare import compare
from mfu_gui.engine.conventions import CONVENTIONS
from mfu_gui.engine.evaluate import evaluate
from mfu_gui.engine.fields import with_measured
from mfu_gui.engine.scenario import ConventionChoice, Source
from mfu_gui.ui.charts.waterfall import Step, Waterfall, origin, spans
from mfu_gui.ui.differences import compared, pair
from mfu_gui.ui.example import example_scenario
from mfu_gui.ui.main_window import MainWindow
from mfu_gui.ui.services import Services
from mfu_gui.ui.tabs.conventions import ConventionsPage

from .conftest import child


@pytest.fixture
def page(window: MainWindow) -> ConventionsPage:
    window.tabs.show_page("conventions")
    QApplication.processEvents()
    found = window.tabs.page("conventions")
    assert isinstance(found, ConventionsPage)
    return found


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_wide_window_shows_all_names_whole(window: MainWindow, page: ConventionsPage, language: str) -> None:
    window.status.set_language(language)
    window.resize(1920, 1080)
    QApplication.processEvents()
    header, needed = page.view.header(), page.view._widths()
    assert [header.sectionSize(column) >= width for column, width in enumerate(needed)] == [True] * len(needed)
    assert page.pane.width() >= 400
    page.split.moveSplitter(700, 1)
    window.resize(1900, 1080)
    QApplication.processEvents()
    assert page.view.width() < 760, "the share that the user gave it was taken back"


def take(window: MainWindow, model: str = "", hardware: str = "", **run: object) -> None:
    """Put presets and run values into the active scenario."""
    workspace, presets = window.services.workspace, window.services.presets
    scenario = workspace.active.scenario
    if model:
        scenario = replace(scenario, model=presets.model(model).spec, model_source=Source(preset=model))
    if hardware:
        scenario = replace(scenario, hardware=presets.hardware(hardware).spec, hardware_source=Source(preset=hardware))
    workspace.edit(workspace.active, "x", replace(scenario, run=replace(scenario.run, **run)))


def ids(page: ConventionsPage) -> list[str]:
    return [row.key for row in page.model.rows]


def column(page: ConventionsPage, number: int) -> list[object]:
    return [row.values[number] for row in page.model.rows]


def test_every_convention_has_a_row(page: ConventionsPage) -> None:
    assert ids(page) == [convention.id for convention in CONVENTIONS]
    assert page.filter.note.text() == f"{len(CONVENTIONS)} conventions"


def test_a_press_on_the_head_sorts_numbers_from_the_largest_and_words_from_a(page: ConventionsPage) -> None:
    own = ids(page)
    page.view.header().sectionClicked.emit(3)
    known = [value for value in column(page, 3) if isinstance(value, float)]
    assert known == sorted(known, reverse=True)
    assert ids(page)[0] == "eleuther-cookbook"
    page.view.header().sectionClicked.emit(3)
    assert all(a <= b for a, b in pairwise(value for value in column(page, 3) if isinstance(value, float)))
    page.view.header().sectionClicked.emit(3)
    assert ids(page) == own
    page.view.header().sectionClicked.emit(0)
    titles = [str(value).casefold() for value in column(page, 0)]
    assert titles == sorted(titles)


def test_what_has_no_value_comes_last_in_either_direction(window: MainWindow, page: ConventionsPage) -> None:
    take(window, "mamba2-2.7b")
    for order in (Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder):
        page.view.sort_by(3, order)
        without = [value is None for value in column(page, 3)]
        assert without == sorted(without)
        assert without[-1]


def test_rows_are_filtered_by_words_and_by_status(window: MainWindow, page: ConventionsPage) -> None:
    page.filter.search.setText("megatron bridge")
    assert ids(page) == ["megatron-bridge", "megatron-bridge@2026-05"]
    page.filter.search.clear()
    box = page.filter.boxes["status"]
    wanted = {"sound": {"sound"}, "quirk": {"quirk"}, "undefined": {"undefined"}}
    rows = {row.id: row for row in window.services.workspace.active.rows()}
    for status, statuses in wanted.items():
        box.set_value(status)
        box.chosen.emit(status)
        assert {rows[key].status for key in ids(page)} <= statuses
    box.set_value("hardware")
    box.chosen.emit("hardware")
    assert {rows[key].kind for key in ids(page)} == {"hardware"}
    assert page.filter.note.text() == f"{len(ids(page))} of {len(CONVENTIONS)} conventions"


@pytest.mark.parametrize(("start", "end", "parts"), [
    # Llama-3-8B at 8192 tokens: 6·V·h of the input embedding; 6·layers·h·S for the other half of the square.
    ("megatron-lm", "verl", {"the input embedding": 6 * 128256 * 4096}),
    ("megatron-lm", "torchtitan", {"the full square": 6 * 32 * 4096 * 8192, "norms": 6 * 65 * 4096}),
])
def test_two_rows_differ_by_named_terms(window: MainWindow, page: ConventionsPage, start: str, end: str,
                                        parts: dict[str, int]) -> None:
    page.view.select_keys([start, end])
    comparison = page.pane.comparison
    assert comparison is not None
    assert [part.flops_per_token for part in comparison.parts] == list(parts.values())
    for part, words in zip(comparison.parts, parts, strict=True):
        assert words in part.sentence
    assert comparison.difference == sum(parts.values())
    shown = child(page, "difference.words")
    assert "more than Megatron-LM" in shown.text()  # type: ignore[attr-defined]
    chart = page.pane.chart
    assert [row.value for row in chart.rows[1:-1]] == list(parts.values())
    assert sum(row.value for row in chart.rows[:-1]) == chart.rows[-1].value


@pytest.mark.parametrize("model", ["deepseek-v3", "gpt-oss-120b", "jamba-v0.1", "llama-3.1-8b"])
def test_the_terms_add_up_exactly_whatever_is_selected(services: Services, model: str) -> None:
    scenario = replace(example_scenario(services), model=services.presets.model(model).spec)
    defined = [row.id for row in compare(scenario, evaluate(scenario)) if row.flops_per_token is not None]
    for start, end in zip(defined, defined[7:] + defined[:7], strict=True):
        found = compared(scenario, start, end, services.language.tr)
        assert found.start + sum((part.flops_per_token for part in found.parts), Fraction(0)) == found.end
        assert "{" not in "".join(part.sentence for part in found.parts)


def test_one_row_is_compared_with_the_chosen_one_and_of_more_the_last_two(page: ConventionsPage,
                                                                          window: MainWindow) -> None:
    rows = window.services.workspace.active.rows()
    assert pair(("verl",), rows, "palm") == ("palm", "verl")
    assert pair(("palm",), rows, "palm") is None
    assert pair(("verl", "palm"), rows, "palm") == ("palm", "verl")
    assert pair(("torchtitan", "verl", "megatron-lm"), rows, "palm") == ("verl", "megatron-lm")
    assert pair(("gone",), rows, "palm") is None


def test_a_selection_survives_sorting_and_edits_and_follows_them(window: MainWindow, page: ConventionsPage) -> None:
    page.view.select_keys(["torchtitan"])
    before = page.pane.comparison
    assert before is not None
    assert before.start_title == "Exact, causal"
    page.view.sort_by(5, Qt.SortOrder.DescendingOrder)
    assert page.view.selected_keys == ("torchtitan",)
    chosen = page.view.selectionModel().selectedRows()
    assert [page.model.rows[index.row()].key for index in chosen] == ["torchtitan"]
    take(window, sequence_length=4096)
    after = page.pane.comparison
    assert after is not None
    assert after.parts[0].flops_per_token < before.parts[0].flops_per_token
    page.filter.search.setText("verl")
    assert page.view.selected_keys == ()
    assert page.pane.comparison is None


def test_what_does_not_fit_says_why_instead(window: MainWindow, page: ConventionsPage) -> None:
    take(window, "mamba2-2.7b")
    undefined = next(row for row in window.services.workspace.active.rows() if row.status == "undefined")
    page.view.select_keys([undefined.id])
    assert page.pane.comparison is None
    assert undefined.reason in page.pane.hint.text()


def test_the_waterfall_has_a_table_with_every_digit(page: ConventionsPage) -> None:
    page.view.select_keys(["megatron-lm", "torchtitan"])
    page.pane.show_as("table")
    assert page.pane.stack.currentWidget() is page.pane.table
    assert "6,442,450,944" in page.pane.model.rows[1].texts[1]
    page.pane.table.copy_table()
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[2].endswith("\t6442450944")
    assert len(lines) == 5


def test_enter_counts_by_the_row(window: MainWindow, page: ConventionsPage) -> None:
    page.view.activated.emit(page.model.index(ids(page).index("verl"), 0))
    assert window.services.workspace.active.scenario.convention == ConventionChoice(id="verl")
    window.undo()
    assert window.services.workspace.active.scenario.convention == ConventionChoice()


# The waterfall by itself


@pytest.mark.parametrize("values", [[3, -1], [0.5, 0.25], [Fraction(1, 3), Fraction(-1, 7)], []])
def test_bars_hang_together_exactly(values: list[int | float | Fraction]) -> None:
    bars = spans(10, values)
    assert (bars[0].low, bars[0].high, bars[0].total) == (0, 10, True)
    now: int | float | Fraction = 10
    for bar, value in zip(bars[1:-1], values, strict=True):
        assert {bar.low, bar.high} == {now, now + value}
        now += value
    assert (bars[-1].low, bars[-1].high, bars[-1].total) == (0, now, True)


def test_the_axis_is_cut_only_where_steps_would_be_too_small() -> None:
    assert origin(spans(10, [8])) == 0.0
    assert origin(spans(-2, [8])) == -2.0
    assert origin(spans(1000, [8])) == pytest.approx(998.0)
    assert origin(spans(5, [])) == 0.0


def test_the_waterfall_is_inside_itself_and_can_be_read_with_keys(window: MainWindow, qtbot: QtBot) -> None:
    chart = Waterfall(window.services)
    qtbot.addWidget(chart)
    chart.resize(300, 100)
    steps = [Step("A sentence that is long enough to need two lines in so narrow a chart", 30, "+30 G"),
             Step("less", -12, "−12 G")]
    chart.show_steps("From a to b", Step("a", 100, "100 G"), steps, Step("b", 118, "118 G"))
    chart.show()
    QApplication.processEvents()
    for number in range(4):
        assert chart.row_rect(number).contains(chart.bar_rect(number))
    assert chart.height() == round(chart.row_rect(3).bottom())
    assert chart.row_rect(1).height() > chart.row_rect(2).height()
    assert chart.bar_rect(1).left() == pytest.approx(chart.bar_rect(0).right())
    assert chart.bar_rect(3).right() == pytest.approx(chart.bar_rect(2).left())
    assert chart.accessibleName() == "From a to b"
    assert "less −12 G" in chart.accessibleDescription()
    heard: list[int] = []
    chart.selected.connect(heard.append)
    qtbot.keyClick(chart, Qt.Key.Key_Down)
    qtbot.keyClick(chart, Qt.Key.Key_Up)
    assert heard == [0, 3]
    qtbot.mouseClick(chart, Qt.MouseButton.LeftButton, pos=QPoint(20, round(chart.row_rect(1).center().y())))
    assert heard[-1] == 1
    assert chart.tip_of(1) == "A sentence that is long enough to need two lines in so narrow a chart\n+30 G"


# Denominators


@pytest.fixture
def peaks(page: ConventionsPage) -> ConventionsPage:
    page.segments.chosen.emit("denominators")
    QApplication.processEvents()
    return page


def named(page: ConventionsPage) -> dict[str, tuple[str, ...]]:
    return {row.texts[0]: row.texts for row in page.denominators.model.rows}


def test_every_dense_peak_is_there_and_sparse_is_labelled(peaks: ConventionsPage) -> None:
    rows = named(peaks)
    assert rows["BF16, dense"][2:] == ("989.4", "29.16%", "in use")
    # The H100's fp8 peak is twice that of bf16.
    assert rows["FP8, dense"][2:] == ("1,978.9", "14.58%", "Use")
    assert rows["BF16, 2:4 sparse"][2:4] == ("1,978.8", "14.58%")
    muted = {row.texts[0] for row in peaks.denominators.model.rows if row.muted}
    assert "BF16, 2:4 sparse" in muted
    assert "BF16, dense" not in muted
    assert rows["torchtitan"][2] == "989"
    # nanoGPT divides by the 312 TFLOP/s of an A100 on every device, and counts 6N + 12LHQT with all of N.
    assert rows["nanoGPT: the same constant on every device"][2] == "312"
    assert "prints none" in rows["llm-analysis"]


def test_a_peak_is_used_by_one_press_and_given_up_by_undo(window: MainWindow, peaks: ConventionsPage,
                                                          qtbot: QtBot) -> None:
    view = peaks.denominators.view
    number = [row.texts[0] for row in peaks.denominators.model.rows].index("FP8, dense")
    at = view.visualRect(peaks.denominators.model.index(number, 4)).center()
    view.scrollTo(peaks.denominators.model.index(number, 0))
    at = view.visualRect(peaks.denominators.model.index(number, 4)).center()
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)
    workspace = window.services.workspace
    assert workspace.active.scenario.peak.tflops == 1978.9
    assert workspace.active.result is not None
    assert workspace.active.result.mfu == pytest.approx(0.2916 / 2, rel=1e-3)
    assert named(peaks)["Peak as typed"][4] == "in use"
    peaks.denominators.use("sparse.bf16")
    assert workspace.active.scenario.peak.kind == "sparse"
    assert workspace.active.scenario.peak.tflops is None
    assert named(peaks)["BF16, 2:4 sparse"][4] == "in use"
    assert workspace.active.history.count() == 2
    window.undo()
    window.undo()
    assert named(peaks)["BF16, dense"][4] == "in use"


def test_an_fp8_run_is_over_both_peaks_and_over_a_mix(window: MainWindow, peaks: ConventionsPage) -> None:
    take(window, precision="fp8")
    remark = child(peaks, "denominators.remark")
    assert remark.isVisible()
    assert "29.2% over the BF16 peak and 14.6% over the FP8 peak" in remark.text()  # type: ignore[attr-defined]
    mix = named(peaks)["Mix: FP8 80%, BF16 20%"]
    # 1 ÷ (0.8 ÷ 1978.9 + 0.2 ÷ 989.4) = 1649.1
    assert mix[2] == "1,649.1"
    peaks.denominators.use("mix.usual")
    assert window.services.workspace.active.scenario.peak.mix == {"fp8": 0.8, "bf16": 0.2}
    assert named(peaks)["Mix: FP8 80%, BF16 20%"][4] == "in use"


def test_card_and_die_are_told_apart(window: MainWindow, peaks: ConventionsPage) -> None:
    take(window, hardware="amd-mi250x")
    # Two dies of 191.5 TFLOP/s in a module of 383.
    assert "2 devices of 191.5 TFLOP/s" in child(peaks, "denominators.remark").text()  # type: ignore[attr-defined]
    rows = named(peaks)
    assert rows["BF16, dense"][2] == "383"
    assert rows["BF16, per die"][2] == "191.5"
    peaks.denominators.use("unit")
    assert window.services.workspace.active.scenario.peak.devices_are == "framework_devices"
    assert window.services.workspace.active.result is not None
    assert window.services.workspace.active.result.peak_tflops_per_device == 191.5


def test_a_device_that_a_framework_does_not_know_is_said_to_be_taken_for_an_a100(window: MainWindow,
                                                                                peaks: ConventionsPage) -> None:
    take(window, hardware="amd-mi355x")
    rows = named(peaks)
    assert rows["OLMo-core: does not know the device, takes the A100's peak"][2] == "312"
    assert rows["MaxText"][3] == "stops with an error"
    assert rows["VeOmni"][3] == "prints 0"


def test_nothing_measured_leaves_the_peaks(window: MainWindow, peaks: ConventionsPage) -> None:
    workspace = window.services.workspace
    scenario = with_measured(workspace.active.scenario, "step_time_s", None)
    workspace.edit(workspace.active, "x", scenario)
    assert named(peaks)["BF16, dense"][2:] == ("989.4", "–", "in use")


def test_a_narrow_window_shows_one_thing_at_a_time(window: MainWindow, page: ConventionsPage) -> None:
    window.resize(1024, 700)
    QApplication.processEvents()
    assert page.view.isVisible()
    assert not page.pane.isVisible()
    page.view.select_keys(["verl"])
    page.segments.chosen.emit("difference")
    QApplication.processEvents()
    assert page.pane.isVisible()
    assert page.pane.comparison is not None
    assert page.pane.comparison.end_title == "verl"
    assert not page.view.isVisible()
