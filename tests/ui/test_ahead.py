"""What is loaded before it is asked for: every page, and no more of it than its module."""

from __future__ import annotations

import subprocess
import sys

from pytestqt.qtbot import QtBot

from mfu_gui.ui.ahead import LoadInPauses
from mfu_gui.ui.main_window import MainWindow
from mfu_gui.ui.tabs.pages import PAGES


def test_the_modules_of_all_pages_are_there_soon_after_the_window(window: MainWindow, qtbot: QtBot) -> None:
    loading = window.findChildren(LoadInPauses)
    qtbot.waitUntil(lambda: not window.findChildren(LoadInPauses), timeout=5000)
    assert len(loading) == 1
    assert {f"mfu_gui.ui.tabs.{page.key}" for page in PAGES} <= set(sys.modules)


def test_the_window_says_when_all_is_loaded(window: MainWindow, qtbot: QtBot) -> None:
    with qtbot.waitSignal(window.loaded, timeout=5000):
        assert window.findChildren(LoadInPauses)


def test_what_stays_is_not_looked_through_again() -> None:
    """In a process of its own: what is frozen stays so for all tests that follow."""
    code = "import gc; from mfu_gui.ui import ahead; ahead.stay(); print(gc.get_freeze_count(), len(gc.get_objects()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    frozen, looked_through = map(int, done.stdout.split())
    assert frozen > 10_000 > looked_through


def test_each_page_is_built_from_the_module_of_its_name(window: MainWindow) -> None:
    for page in PAGES:
        assert type(window.tabs.page(page.key)).__module__ == f"mfu_gui.ui.tabs.{page.key}"


def test_the_window_itself_imports_neither_numpy_nor_the_plot() -> None:
    code = "import sys; import mfu_gui.ui.app; print([m for m in ('numpy', 'pyqtgraph') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_source_of_no_module_is_read_when_the_window_starts() -> None:
    """PySide would look in each of them for its own name."""
    code = ("import linecache, mfu_gui.ui.app; from mfu_gui.ui.charts import graphics; "
            "print([name for name in linecache.cache if 'mfu_gui' in name or 'pyqtgraph' in name])")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
