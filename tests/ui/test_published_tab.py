"""The Published tab: all figures computed again, filtered, opened as scenarios, and shown in the plot."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics, QGuiApplication
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from mfu_gui.formats.published import published
from mfu_gui.ui import fonts
from mfu_gui.ui.charts.published_points import points_on
from mfu_gui.ui.main_window import MainWindow
from mfu_gui.ui.tabs.published import PublishedPage

from .conftest import child

PALM = "palm-chowdhery-et-al-2-001"
MAVERICK = "nvidia-dgxc-benchmarki-112"
H100 = "nvidia-h100-sxm5-80gb"


@pytest.fixture
def page(window: MainWindow) -> PublishedPage:
    window.tabs.show_page("published")
    QApplication.processEvents()
    found = window.tabs.page("published")
    assert isinstance(found, PublishedPage)
    return found


def ids(page: PublishedPage) -> list[str]:
    return [row.key for row in page.model.rows]


def choose(page: PublishedPage, key: str, value: str) -> None:
    page.filter.boxes[key].set_value(value)
    page.filter.boxes[key].chosen.emit(value)


def words(page: PublishedPage) -> str:
    return "\n".join(label.text() for label in page.details.findChildren(QLabel) if not label.isHidden())


def test_every_published_row_is_there(page: PublishedPage) -> None:
    assert ids(page) == [row.id for row in published().rows]
    assert page.filter.note.text() == "571 figures"


def test_nothing_is_read_before_the_tab_is_looked_at(window: MainWindow) -> None:
    built = window.tabs.page("published")
    assert isinstance(built, PublishedPage)
    assert not built.lines


def test_a_row_shows_reported_recomputed_and_how_far_off(page: PublishedPage) -> None:
    # PaLM, sec. 4.1: 46.2 % MFU and 57.8 % HFU, recomputed 46.23 and 57.83.
    line = page.lines[PALM]
    assert line.texts[5:8] == ("46.2% · 57.8%", "46.230% · 57.829%", "+0.06%")
    assert line.texts[4] == "238,300 tokens/s"
    assert line.closes == "yes"


@pytest.mark.parametrize("size", [(1024, 700), (1280, 800)])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_two_figures_of_a_row_are_shown_whole(window: MainWindow, page: PublishedPage, language: str,
                                              size: tuple[int, int]) -> None:
    window.status.set_language(language)
    window.resize(*size)
    QApplication.processEvents()
    header, metrics = page.view.header(), QFontMetrics(fonts.font())
    for column in (5, 6):
        assert not header.isSectionHidden(column)
        assert header.sectionSize(column) >= metrics.horizontalAdvance(page.lines[PALM].texts[column]) + 12


def test_rows_are_computed_in_the_background_and_only_while_looked_at(window: MainWindow, page: PublishedPage,
                                                                      qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not page._waiting, timeout=20_000)
    assert all("figures" in line.__dict__ for line in page.lines.values())
    assert not page._timer.isActive()
    page._waiting = list(page.lines.values())
    page.set_active(True)
    assert page._timer.isActive()
    window.tabs.show_page("breakdown")
    assert not page._timer.isActive()


def test_filters_by_words_closing_hardware_and_model(page: PublishedPage) -> None:
    rows = {row.id: row for row in published().rows}
    choose(page, "closes", "no")
    assert set(ids(page)) == {key for key, row in rows.items() if not row.closes}
    choose(page, "closes", "yes")
    assert len(ids(page)) == sum(row.closes for row in rows.values())
    choose(page, "closes", "")
    choose(page, "hardware", "H100 SXM5 80GB")
    assert {rows[key].hardware for key in ids(page)} == {H100}
    choose(page, "hardware", "")
    choose(page, "model", "PaLM 540B")
    assert {rows[key].model_name for key in ids(page)} == {"PaLM 540B"}
    choose(page, "model", "")
    page.filter.search.setText("megascale 6144")
    assert ids(page) == []
    page.filter.search.setText("megascale nsdi")
    assert ids(page)
    assert all("MegaScale" in rows[key].source for key in ids(page))
    assert page.filter.note.text() == f"{len(ids(page))} of 571"


def test_the_furthest_off_can_be_sorted_to_the_top(page: PublishedPage) -> None:
    page.view.sort_by(7, Qt.SortOrder.DescendingOrder)
    # llama4/README.md: 18.71 % where 37.4 % is meant.
    assert ids(page)[0] == MAVERICK
    assert page.lines[ids(page)[-1]].worst is None


def test_a_row_that_does_not_close_says_why(page: PublishedPage) -> None:
    page.view.select_keys([MAVERICK])
    assert "peak of another precision" in child(page, "published.reason").text()  # type: ignore[attr-defined]
    assert "printed 18.71%, recomputed 37.4" in words(page)
    page.view.select_keys([PALM])
    assert child(page, "published.reason").isHidden()
    assert "238,300 tokens/s" in words(page)
    assert "2,048 sequences of 2,048 tokens" in words(page)
    assert "Sec. 4.1" in words(page)


def test_every_row_can_be_shown(page: PublishedPage) -> None:
    for row in published().rows[::9]:
        page.view.select_keys([row.id])
        line = page.lines[row.id]
        assert len(line.texts) == len(page.model.heads) == len(line.values)
        assert "{" not in words(page) + "".join(line.texts) + line.tip()


def test_a_row_is_opened_as_a_scenario_that_gives_the_recomputed_figure(window: MainWindow,
                                                                        page: PublishedPage) -> None:
    page.view.select_keys([PALM])
    child(page, "published.load").click()  # type: ignore[attr-defined]
    document = window.services.workspace.active
    assert document.scenario.name == "PaLM 540B, PaLM (Chowdhery et al. 2022)"
    assert document.result is not None
    assert document.result.mfu == pytest.approx(0.462289, rel=2e-4)
    assert document.result.hfu == pytest.approx(0.578281, rel=2e-4)
    assert document.scenario.reported is not None
    assert not document.dirty


def test_what_says_too_little_offers_no_scenario(window: MainWindow, page: PublishedPage) -> None:
    poor = next(row for row in published().rows if published().scenario(row) is None)
    page.view.select_keys([poor.id])
    assert child(page, "published.load").isHidden()
    count = len(window.services.workspace.documents)
    page.load(poor.id)
    assert len(window.services.workspace.documents) == count


def test_rows_are_copied_with_all_digits(page: PublishedPage) -> None:
    page.view.select_keys([PALM])
    page.view.copy_selected()
    cells = QGuiApplication.clipboard().text().split("\t")
    assert cells[0] == "PaLM 540B"
    assert cells[5] == "46.2"
    assert cells[6].startswith("46.229")


def test_the_list_follows_the_language(window: MainWindow, page: PublishedPage) -> None:
    window.status.set_language("zh")
    assert page.lines[PALM].closes == "是"
    assert page.model.heads[0] == "模型"
    assert page.lines[PALM].texts[4] == "238,300 词元/秒"
    window.status.set_language("en")
    assert page.lines[PALM].texts[4] == "238,300 tokens/s"


# In the plot


def test_published_runs_on_the_same_device_are_dots(window: MainWindow) -> None:
    window.actions_table["published"].trigger()
    view = window.plot.view
    assert view is not None
    shown = view._published.points()
    assert len(shown) == len(points_on(H100, "step_time_s")) == 143
    assert "of 143 published runs" in window.plot.note.text()
    told = shown[0].data()()
    assert "H100" in told or "h100" in told
    assert len(told.splitlines()) == 4
    window.actions_table["published"].trigger()
    assert not len(view._published.points())
    assert "published" not in window.plot.note.text()


def test_a_dot_is_where_its_source_puts_it() -> None:
    # PaLM: 2048 × 2048 tokens a step at 238,300 tokens/s, 46.2 %.
    point = next(p for p in points_on("google-tpu-v4", "step_time_s") if p.row.id == PALM)
    assert point.time == pytest.approx(2048 * 2048 / 238_300)
    assert point.utilization == 0.462
    token = next(p for p in points_on("google-tpu-v4", "token_time_us") if p.row.id == PALM)
    assert token.time == pytest.approx(1e6 / (238_300 / 6144))


def test_figures_of_other_quantities_have_their_units(page: PublishedPage) -> None:
    seen = {quantity: line.texts[5] for line in page.lines.values() for quantity, _ in line.row.figures}
    assert seen["tflops_per_token"].endswith(" TFLOP")
    assert "TFLOP/s" in seen["tflops_per_device"]
    assert seen["mfu"].endswith("%") or "·" in seen["mfu"]
