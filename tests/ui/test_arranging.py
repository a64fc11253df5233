"""The column and the headline are laid out once for each change: nothing moves away and back."""

from __future__ import annotations

from collections import Counter

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QWidget

from mfu_gui.ui.main_window import MainWindow
from mfu_gui.ui.widgets.field_row import FieldRow


class Sizes(QObject):
    """Counts how often each of some widgets got another size."""

    def __init__(self, watched: list[QWidget]) -> None:
        super().__init__()
        self.count: Counter[QObject] = Counter()
        for each in watched:
            each.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self.count[watched] += 1
        return False


@pytest.mark.parametrize(("before", "after"), [
    ("qwen3-235b-a22b", "llama-3.1-405b"), ("llama-3.1-405b", "nemotron-h-8b"), ("deepseek-v3", "qwen3-235b-a22b")])
def test_rows_that_stay_are_not_pressed_together_in_between(window: MainWindow, before: str, after: str) -> None:
    window.resize(1280, 800)
    choose = window.column.model.search.chosen.emit
    choose(before)
    for _ in range(4):
        QApplication.processEvents()
    rows: list[QWidget] = [row for row in window.column.model.findChildren(FieldRow) if row.isVisible()]
    heights = {row.height() for row in rows}
    assert len(rows) >= 4
    assert len(heights) == 1
    sizes = Sizes(rows)
    choose(after)
    for _ in range(4):
        QApplication.processEvents()
    staying = [row for row in rows if row.isVisible()]
    assert staying
    assert {row.height() for row in staying} == heights
    assert not [row for row in staying if sizes.count[row]]


def test_layouts_are_free_after_each_change(window: MainWindow) -> None:
    for model in ("nemotron-h-8b", "llama-3.1-405b"):
        window.column.model.search.chosen.emit(model)
        layouts = [part.layout() for part in window.column.parts()]
        assert all(layout is not None and layout.isEnabled() for layout in layouts)
