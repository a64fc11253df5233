"""Five hundred saves of scenarios, workspaces, presets, settings and sessions, each killed at some moment.

`dev.py fuzz`.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.formats.test_saving import killed

pytestmark = pytest.mark.skipif(os.name == "nt", reason="fork and signals of POSIX")


def test_killed_saves(tmp_path: Path) -> None:
    seen = killed(tmp_path, 500, 2026)
    assert seen["first"] + seen["other"] == 500
    assert seen["left"] > 50, "too few were interrupted in the middle of writing"
