"""A thousand scenarios asked of window, command line and Python, and twenty real processes: `dev.py fuzz`."""

from __future__ import annotations

from pathlib import Path

import pytest

from mfu_gui.ui.main_window import MainWindow
from tests.ui.conftest import answers, make_window, services, window  # noqa: F401 - fixtures
from tests.ui.test_three_ways import ask, cli, processes  # noqa: F401 - fixtures
from tests.ui.three_ways import Ask, check_many


@pytest.mark.parametrize("seed", range(4))
def test_all_three_agree(window: MainWindow, ask: Ask, seed: int) -> None:  # noqa: F811 - the fixtures
    assert check_many(250, 1000 + seed, window, ask) > 100


def test_processes_say_the_same(profile: Path) -> None:
    processes(20, 99, profile)
