"""The window, the command line and the Python interface never say different things."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from mfu_gui.engine.evaluate import evaluate
from mfu_gui.formats.presets import PresetStore
from mfu_gui.formats.scenario_file import load_scenario
from mfu_gui.ui.main_window import MainWindow
from tests.cli.conftest import Cli, cli  # noqa: F401 - a fixture
from tests.random_scenarios import random_scenario
from tests.ui.three_ways import Ask, check_many, same_as_python

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def ask(cli: Cli) -> Ask:  # noqa: F811 - the fixture
    def ask(data: bytes) -> tuple[int, str]:
        done = cli("compute", "-", "--format", "json", stdin=data)
        return done.status, done.out

    return ask


def test_all_three_agree(window: MainWindow, ask: Ask) -> None:
    assert check_many(40, 13, window, ask) > 20


def processes(count: int, seed: int, profile: Path) -> None:
    """The same of real processes of the command line; shared with the fuzz run."""
    chance, store = random.Random(seed), PresetStore()
    environment = {**os.environ, "MFU_GUI_HOME": str(profile), "PYTHONPATH": str(ROOT)}
    asked = 0
    while asked < count:
        data = json.dumps(random_scenario(chance)).encode()
        done = subprocess.run([sys.executable, "-m", "mfu_gui", "compute", "-", "--format", "json"], input=data,
                              env=environment, capture_output=True, check=False, timeout=60)
        assert done.returncode in (0, 2), done.stderr.decode()
        if done.returncode == 0:
            assert done.stderr == b""
            same_as_python(json.loads(done.stdout), evaluate(load_scenario(data, store).scenario))
            asked += 1


def test_a_process_says_the_same(profile: Path) -> None:
    processes(2, 5, profile)
