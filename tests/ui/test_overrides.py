"""An error inside an override is told; the process lives on."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_SCRIPT = """
import sys
from PySide6.QtWidgets import QApplication
from mfu_gui.ui import app
window = app.make_window(app.make_services()) if app.start_qt() else None
told = []
sys.excepthook = lambda kind, error, trace: told.append(str(error))
window.show()
QApplication.processEvents()
failing = (lambda: 1 / 0, lambda: [][3], lambda: {}["key"], lambda: None.nothing, lambda: int("x"))
for number, window.headline._fit in enumerate(failing):
    try:
        window.resize(1300 + 20 * number, 820)
        QApplication.processEvents()
    except Exception as error:  # the error goes to the Python code that made Qt call the override, if there is any
        told.append(str(error))
print("alive", len(told))
"""


def test_an_error_in_an_override_ends_no_process(profile: Path) -> None:
    """Whatever the interpreter raises itself crashed the process on Python 3.11."""
    done = subprocess.run([sys.executable, "-c", _SCRIPT], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False, timeout=60)
    assert done.returncode == 0, (done.returncode, done.stderr[-500:])
    assert done.stdout == "alive 5\n"
