"""Byte readers led to new ways through the code by atheris, 180,000 inputs: `dev.py fuzz`."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz.guided import KINDS

ROOT = Path(__file__).resolve().parents[2]
RUNS = {"log": 10_000, "events": 60_000, "json": 60_000, "mapping": 20_000}
pytestmark = pytest.mark.skipif(importlib.util.find_spec("atheris") is None,
                                reason="atheris has no build for this system or this Python")


@pytest.mark.parametrize("kind", KINDS)
def test_guided(kind: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.fuzz.guided", kind, str(RUNS.get(kind, 10_000)), str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    print("\n".join(line for line in done.stderr.splitlines() if line.startswith(("stat::", "Done"))))
    kept = [path.read_bytes() for path in tmp_path.iterdir() if path.is_file()]
    assert done.returncode == 0, f"{kept!r}\n{done.stderr[-6000:]}"
