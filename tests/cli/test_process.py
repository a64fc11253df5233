"""The whole process: what it loads, and how it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import mfu_gui
from tests.cli.conftest import SCENARIOS

ROOT = Path(mfu_gui.__file__).resolve().parent.parent
SCENARIO = str(SCENARIOS / "deepseek-v3-2048-h800.mfu")
COMMAND = [sys.executable, "-m", "mfu_gui"]

# What no command may load: the window, arrays, and what takes long without need.
HEAVY = ("PySide6", "shiboken6", "pyqtgraph", "numpy", "xlsxwriter", "asyncio", "unittest", "email", "http", "socket",
         "multiprocessing", "sqlite3", "xml", "importlib.metadata", "platformdirs")


def run(*arguments: str, **more: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*COMMAND, *arguments], cwd=ROOT, capture_output=True, timeout=120, **more)  # type: ignore[call-overload, no-any-return]


@pytest.mark.parametrize("arguments", [
    ["compute", SCENARIO], ["compute", SCENARIO, "--format", "text", "--lang", "zh"],
    ["explain", SCENARIO], ["inspect", "deepseek-v3", "--sequence-length", "8"], ["conventions"],
    ["schema", "scenario"], ["--help"],
    ["compute", "missing.mfu"],
], ids=" ".join)
def test_loads_nothing_heavy(arguments: list[str]) -> None:
    code = ("import sys\nfrom mfu_gui.__main__ import main\nmain(sys.argv[1:])\n"
            "print('LOADED', *sys.modules, file=sys.stderr)")
    done = subprocess.run([sys.executable, "-c", code, *arguments], cwd=ROOT, capture_output=True, check=True)
    loaded = done.stderr.decode().split("LOADED")[1].split()
    assert [name for name in loaded if any(name == one or name.startswith(one + ".") for one in HEAVY)] == []


def test_exit_status_reaches_the_shell() -> None:
    assert run("compute", SCENARIO).returncode == 0
    assert run("compute", "missing.mfu").returncode == 2


def test_json_is_utf_8_whatever_the_locale() -> None:
    plain = dict(os.environ, LC_ALL="C", PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    done = run("compute", SCENARIO, "--format", "json", "--lang", "zh", env=plain)
    assert done.returncode == 0
    assert "该模型" in done.stdout.decode("utf-8")


def test_text_survives_a_terminal_that_cannot_show_it() -> None:
    plain = dict(os.environ, LC_ALL="C", PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    done = run("compute", SCENARIO, "--format", "text", "--lang", "zh", env=plain)
    assert done.returncode == 0
    assert b"43.73%" in done.stdout
    assert done.stderr == b""


@pytest.mark.skipif(os.name == "nt", reason="POSIX pipes and signals")
def test_a_reader_that_goes_away_is_no_error() -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([*COMMAND, "presets", "--format", "json"], cwd=ROOT, stdout=write, stderr=subprocess.PIPE,
                          check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(os.name == "nt", reason="POSIX pipes and signals")
def test_interruption_ends_with_130() -> None:
    process = subprocess.Popen([*COMMAND, "compute", "-"], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    assert process.stdin is not None
    try:
        _wait_until_reading(process.pid)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    finally:
        process.kill()
    assert (process.returncode, out) == (130, b"")
    assert err == b"Interrupted.\n"


def _wait_until_reading(pid: int) -> None:
    """Until the process sleeps in a read of its standard input; it has nothing else to wait for."""
    import time

    status = Path(f"/proc/{pid}/wchan")
    for _ in range(600):
        if not status.exists() or "pipe" in status.read_text():
            break
        time.sleep(0.05)
    time.sleep(0.3)


def test_closed_standard_streams() -> None:
    code = ("import sys; sys.stderr = None; sys.stdin = None\nfrom mfu_gui.cli import main\n"
            "sys.exit(main(['compute', '-']))")
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (2, b"")
