"""A hundred thousand random edits over all tabs in a process of its own: `dev.py fuzz`.

It takes hours; MFU_SOAK_STEPS says how many edits there are to be instead.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MOST_GROWTH = 0.05


def test_soak() -> None:
    steps = os.environ.get("MFU_SOAK_STEPS", "100000")
    done = subprocess.run([sys.executable, "-m", "tests.soak.soak", steps], cwd=ROOT, capture_output=True, text=True,
                          env={**os.environ, "QT_QPA_PLATFORM": "offscreen"}, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    seen = json.loads(done.stdout)
    print(done.stdout)
    assert seen["failures"] == []
    assert seen["qt_messages"] == []
    assert seen["growth"] <= MOST_GROWTH
    assert seen["objects"][1] - seen["objects"][0] < 40, seen["more_of"]
