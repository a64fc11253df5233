"""Who may import whom, and what a command loads before it needs it."""

from __future__ import annotations

import ast
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

import mfu_gui

ROOT = Path(mfu_gui.__file__).parent.parent
PARTS = sorted(part.name for part in pkgutil.iter_modules(mfu_gui.__path__) if part.name != "ui")

# Loading one of these costs more than the whole of a quick command.
HEAVY = {"PySide6", "shiboken6", "pyqtgraph", "numpy", "xlsxwriter", "asyncio", "importlib.metadata"}
NETWORK = {
    "socket",
    "ssl",
    "http",
    "urllib.request",
    "ftplib",
    "smtplib",
    "xmlrpc",
    "socketserver",
    "requests",
    "httpx",
    "aiohttp",
    "PySide6.QtNetwork",
    "PySide6.QtWebSockets",
    "webbrowser",
}


def test_contracts(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    status = lint_imports(config_filename=str(ROOT / "pyproject.toml"), cache_dir=str(tmp_path))
    assert status == 0, capsys.readouterr().out


@pytest.mark.parametrize("part", PARTS)
def test_import_loads_nothing_heavy(part: str) -> None:
    allowed = {"numpy"} if part == "planning" else set()
    code = f"import sys, mfu_gui.{part}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not set(done.stdout.split()) & (HEAVY - allowed)


def test_no_module_can_reach_the_network() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line} {name}"
        for path in sorted(Path(mfu_gui.__file__).parent.rglob("*.py"))
        for name, line in _imports(path)
        if any(name == one or name.startswith(f"{one}.") for one in NETWORK)
    ]
    assert not found


def _imports(path: Path) -> list[tuple[str, int]]:
    names = []
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            names += [(alias.name, node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.append((node.module, node.lineno))
            names += [(f"{node.module}.{alias.name}", node.lineno) for alias in node.names]
    return names
