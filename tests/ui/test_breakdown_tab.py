"""The Breakdown tab: a tree that opens, exact sums, the formula of each cell, pictures by FLOPs or parameters."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from mfu_gui.ui.breakdown import Breakdown, Node
from mfu_gui.ui.main_window import MainWindow
from mfu_gui.ui.tabs.breakdown import BreakdownPage

from .layout_check import settle

Type = Callable[..., QLineEdit]


@pytest.fixture
def page(window: MainWindow, type_into: Type) -> BreakdownPage:
    type_into("model.preset", "deepseek-v3")
    window.tabs.show_page("breakdown")
    QApplication.processEvents()
    found = window.tabs.page("breakdown")
    assert isinstance(found, BreakdownPage)
    return found


def open_row(page: BreakdownPage, key: str) -> None:
    page.view.setExpanded(page.view._items[key][0].index(), True)


def texts(page: BreakdownPage) -> list[list[str]]:
    return [row[:2] for row in page.view.rows_for_copying()[1:]]


def test_a_component_opens_to_layer_kinds_and_products(page: BreakdownPage) -> None:
    open_row(page, "attention_proj")
    kinds = [key for key in page.view._items if key.startswith("attention_proj/")]
    open_row(page, kinds[1])
    # DeepSeek-AI 2024 (arXiv 2412.19437), section 4.2: 61 layers, the first three dense; MLA with q and kv compressed.
    shown = [(cells[0], cells[1]) for cells in texts(page)]
    start = shown.index(("Attention projections", "61"))
    assert shown[start : start + 8] == [
        ("Attention projections", "61"), ("  Layers: dense", "3"), ("  Layers: moe", "58"), ("    q_a", "58"),
        ("    q_b", "58"), ("    kv_a", "58"), ("    kv_b", "58"), ("    o", "58")]


def test_every_level_adds_up(page: BreakdownPage, window: MainWindow) -> None:
    document = window.services.workspace.active
    assert document.result is not None
    whole = Breakdown(document.scenario, document.result, window.services.language.tr)
    checked = 0

    def check(nodes: tuple[Node, ...]) -> tuple[int, ...]:
        nonlocal checked
        for node in nodes:
            if node.children is not None:
                inside = check(node.children())
                assert inside == tuple(node.figures), node.key
                checked += 1
        return tuple(sum(values) for values in zip(*(node.figures for node in nodes), strict=True))

    for nodes in (whole.by_component(), whole.by_structure()):
        total = check(nodes)
        assert total[0] == document.result.parameters.total
        assert total[1] + total[2] == document.result.flops.per_step
    assert checked > 20


def test_a_cell_shows_its_formula_and_it_can_be_copied(page: BreakdownPage, window: MainWindow) -> None:
    open_row(page, "lm_head")
    page.view.setCurrentIndex(page.view._items["lm_head"][3].index())
    assert page.formula.text().startswith("Forward =")
    run = window.services.workspace.active.scenario.run
    flops = 2 * 7168 * 129280 * run.sequence_length * run.global_batch
    assert f"2 × 7,168 × 129,280 × {run.sequence_length:,} positions × {run.global_batch} sequences = {flops:,}" in (
        page.formula.text())
    window.actions_table["copy_formula"].trigger()
    assert f"= {flops:,} FLOP" in QGuiApplication.clipboard().text()
    page.view.setCurrentIndex(page.view._items["lm_head"][2].index())
    assert "head: 7,168 × 129,280 = 926,679,040" in page.formula.text()


def test_rows_by_structure(page: BreakdownPage, window: MainWindow, qtbot: QtBot) -> None:
    window.actions_table["structure"].trigger()
    names = [cells[0] for cells in texts(page)]
    assert names[:2] == ["Layers: dense", "Layers: moe"]
    assert "LM head" in names
    page.view.setFocus()
    page.view.setCurrentIndex(page.view._items[next(iter(page.view._items))][0].index())
    qtbot.keyClick(page.view, Qt.Key.Key_Right)
    assert "  Dense MLP" in [cells[0] for cells in texts(page)]
    qtbot.keyClick(page.view, Qt.Key.Key_Left)
    assert "  Dense MLP" not in [cells[0] for cells in texts(page)]


def test_what_is_open_stays_open_while_numbers_change(page: BreakdownPage, type_into: Type) -> None:
    open_row(page, "attention_proj")
    before = texts(page)
    type_into("run.sequence_length", "2048")
    assert [row[0] for row in texts(page)] == [row[0] for row in before]


def test_the_picture_shows_flops_or_parameters(page: BreakdownPage, window: MainWindow) -> None:
    picture = page._pictures["areas"]
    assert math.isclose(sum(part.share for part in picture.parts), 1.0)
    by_flops = {part.key: part.share for part in picture.parts}
    window.actions_table["parameters"].trigger()
    by_parameters = {part.key: part.share for part in picture.parts}
    # 653.9 of 671.0 billion parameters are routed experts, of which a token uses 8 of 256.
    assert by_parameters["experts"] == pytest.approx(653.9 / 671.0, abs=1e-3)
    assert by_flops["experts"] < 0.7
    assert "embedding" in by_parameters
    assert "embedding" not in by_flops


def test_other_scenarios_are_thin_curves_that_can_be_hidden(window: MainWindow) -> None:
    view = window.plot.view
    assert view is not None
    overlays = view._overlay.values()

    def curves() -> int:
        return sum(not item.path().isEmpty() for item in overlays)

    assert curves() == 0
    window.files.duplicate()
    assert curves() == 1
    window.actions_table["overlay"].trigger()
    assert curves() == 0
    assert not window.services.settings.stored.overlay


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_table_has_its_room_before_the_picture(window: MainWindow, language: str) -> None:
    """Also when the page was laid out before it had anything to show."""
    window.status.set_language(language)
    window.tabs.show_page("breakdown")
    for width in (1024, 1060, 1100, 1180, 1280):
        window.resize(width, 700)
        settle()
        view = window.tabs.page("breakdown").view
        assert view.header().length() <= view.viewport().width(), width
    window.status.set_language("en")


def test_longer_words_send_the_picture_away_rather_than_under_the_table(window: MainWindow) -> None:
    window.status.set_language("zh")
    window.resize(1100, 700)
    window.tabs.show_page("breakdown")
    settle()
    page = window.tabs.page("breakdown")
    assert page._side.isVisible()
    window.status.set_language("en")
    settle()
    assert page.view.header().length() <= page.view.viewport().width()
