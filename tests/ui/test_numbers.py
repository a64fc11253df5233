"""The numbers on the screen, read from the widgets."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from mfu_gui.ui.main_window import MainWindow

Type = Callable[..., QLineEdit]


def pick_deepseek(window: MainWindow, type_into: Type) -> None:
    window.files.new()
    type_into("model.preset", "deepseek-v3")
    type_into("hardware.preset", "H800")
    # Zhao et al. 2025 (ISCA, arXiv 2505.09343), table 4: 2048 H800, 19.926 s a step, peak taken as 989.
    for name, text in (("hardware.peak_tflops", "989"), ("run.devices", "2048"), ("run.global_batch", "15360"),
                       ("run.measured.step_time_s", "19.926s")):
        type_into(name, text)


@pytest.mark.parametrize("convention", ["megatron-lm", "deepseek"])
def test_deepseek_v3_as_published(window: MainWindow, type_into: Type, convention: str) -> None:
    pick_deepseek(window, type_into)
    type_into("convention", convention)
    # arXiv 2505.09343, table 4: causal 385 TFLOP/s and 38.94 %.
    assert window.services.workspace.active.scenario.convention.id == convention
    assert (window.headline.mfu.text, window.headline.mfu.unit) == ("38.94", "%")
    assert window.headline.metrics["tflops_per_device"].text == "385.1"


def test_deepseek_v3_with_full_attention_as_published(window: MainWindow, type_into: Type) -> None:
    pick_deepseek(window, type_into)
    type_into("convention", "matmul-full")
    from mfu_gui.ui.convention_options import set_option

    set_option(window.services, "router", False)
    # arXiv 2505.09343, table 4: non-causal 43.73 %.
    assert window.headline.mfu.text == "43.73"


def test_the_result_follows_while_typing(window: MainWindow, type_into: Type) -> None:
    before = float(window.headline.mfu.exact)
    type_into("run.measured.step_time_s", "5.846", enter=False)  # twice the example's time
    assert float(window.headline.mfu.exact) == pytest.approx(before / 2, rel=1e-12)


def test_a_click_copies_all_digits(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.mouseClick(window.headline.mfu, Qt.MouseButton.LeftButton)
    copied = QGuiApplication.clipboard().text()
    result = window.services.workspace.active.result
    assert result is not None
    assert float(copied) == result.mfu
    window.headline.metrics["tflops_per_device"].setFocus()
    qtbot.keyClick(window.headline.metrics["tflops_per_device"], Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert float(QGuiApplication.clipboard().text()) == result.throughput.tflops_per_device


def test_every_number_shows_its_formula(window: MainWindow) -> None:
    for label in (window.headline.mfu, *window.headline.metrics.values()):
        assert "=" in label.formula
    assert "2.923 s" in window.headline.mfu.formula
    assert "128" in window.headline.mfu.formula


def test_more_than_the_peak_is_refused_with_its_causes(window: MainWindow, type_into: Type, qtbot: QtBot) -> None:
    type_into("run.measured.step_time_s", "0.5")
    assert window.headline.mfu.text == "–"
    row = next(b.row for b in window.column.measured.form.bindings if b.field.key == "run.measured.step_time_s")
    qtbot.waitUntil(lambda: "Likely causes" in row.message)
    assert "170.5%" in row.message  # 2.923 s at 29.16 % would be 0.5 s at 170.5 %
    assert "sparse" in row.message
    assert "wrong" in window.headline.sentence.text()
    type_into("run.measured.step_time_s", "2.923")
    assert not row.message


def test_switching_the_known_quantity_changes_no_number(window: MainWindow, qtbot: QtBot) -> None:
    before = float(window.headline.mfu.exact)
    for key in ("tokens_per_s", "tflops_per_device", "mfu", "tokens_per_s_per_device", "step_time_s"):
        window.column.measured.known.chosen.emit(key)
        assert window.column.measured.known.currentData() == key
        assert float(window.headline.mfu.exact) == pytest.approx(before, rel=1e-12)


def test_a_target_gives_the_step_time(window: MainWindow, type_into: Type) -> None:
    window.column.measured.known.chosen.emit("mfu")
    type_into("run.measured.mfu", "50")
    result = window.services.workspace.active.result
    assert result is not None
    assert result.mfu == pytest.approx(0.5)
    full = result.flops.per_step / (result.peak_tflops_per_device * 1e12 * 128)
    assert float(window.headline.metrics["step_time_s"].exact) == pytest.approx(2 * full, rel=1e-12)


def test_the_plain_sentence_says_the_same_number(window: MainWindow) -> None:
    result = window.services.workspace.active.result
    assert result is not None
    assert result.mfu is not None
    assert f"in {round(result.mfu * 100)} s" in window.headline.sentence.text()
