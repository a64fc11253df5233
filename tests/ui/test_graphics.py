"""What the charts load of pyqtgraph: all that they use, and little else."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

LOADED = """
import json, sys, PySide6.QtGui, PySide6.QtWidgets
before = PySide6.QtGui
from mfu_gui.ui.charts import graphics
import mfu_gui.ui.charts.plot_view, mfu_gui.ui.charts.log_plot
pg = graphics.pg
mirror = sys.modules["pyqtgraph.Qt.QtWidgets"]
eager = [name for name in vars(mirror) if name.startswith("Q")]
try:
    sys.modules["pyqtgraph.graphicsItems.ROI"].ROI((0, 0))
except RuntimeError as error:
    said = str(error)
print(json.dumps({
    "restored": PySide6.QtGui is before, "finders": [type(f).__name__ for f in sys.meta_path],
    "same": mirror.QTableWidget is PySide6.QtWidgets.QTableWidget, "eager": eager, "said": said,
    "modules": [name for name in sys.modules if name.startswith("pyqtgraph.")], "left_out": sorted(graphics.LEFT_OUT),
    "empty": [name for name in sys.modules if isinstance(sys.modules[name], graphics._Empty)]}))
"""


@pytest.fixture(scope="module")
def loaded() -> dict[str, Any]:
    """What a process of its own tells after it has loaded the charts."""
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_modules_that_no_chart_uses_stay_empty(loaded: dict[str, Any]) -> None:
    empty = set(loaded["empty"])
    assert empty == set(loaded["left_out"]) & set(loaded["modules"])
    assert len(empty) > 50
    assert not [name for name in loaded["modules"] if "parametertree" in name or "multiprocess" in name]


def test_classes_of_qt_are_found_when_they_are_needed(loaded: dict[str, Any]) -> None:
    assert loaded["same"]
    assert len(loaded["eager"]) < 5


def test_qt_and_the_import_system_are_as_before(loaded: dict[str, Any]) -> None:
    assert loaded["restored"]
    assert "_LeavesOut" not in loaded["finders"]


def test_what_was_left_out_says_so(loaded: dict[str, Any]) -> None:
    assert loaded["said"] == "pyqtgraph.graphicsItems.ROI.ROI is not loaded: take it out of LEFT_OUT"
