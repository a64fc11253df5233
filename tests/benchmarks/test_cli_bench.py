"""Time of a whole `mfu-gui compute` beside that of `python -c "import msgspec"`; the goal is 2.5 times as long.

Both are measured in turn in the same run, because the time of a process differs from hour to hour. Python
files are compiled beforehand, as an installation does.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import mfu_gui

ROOT = Path(mfu_gui.__file__).resolve().parent.parent
SCENARIO = ROOT / "resources" / "examples" / "deepseek-v3-2048-h800.mfu"
PAIRS = 25


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Compiled files in a folder of their own, written by one run of each command."""
    folder = tmp_path_factory.mktemp("compiled")
    values = {**os.environ, "PYTHONPYCACHEPREFIX": str(folder), "PYTHONPATH": str(ROOT)}
    values.pop("PYTHONDONTWRITEBYTECODE", None)
    subprocess.run(_compute(), env=values, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(_import(), env=values, check=True)
    return values


def _compute(*more: str) -> list[str]:
    return [sys.executable, "-m", "mfu_gui", "compute", str(SCENARIO), "--format", "json", *more]


def _import() -> list[str]:
    return [sys.executable, "-c", "import msgspec"]


def _seconds(command: list[str], environment: dict[str, str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


@pytest.mark.parametrize("language", ["en", "zh"])
def test_compute_process(benchmark: Callable[..., Any], environment: dict[str, str], language: str,
                         capsys: pytest.CaptureFixture[str]) -> None:
    imports: list[float] = []

    def beside() -> None:
        imports.append(_seconds(_import(), environment))

    command = _compute("--lang", language)
    benchmark.pedantic(_seconds, args=(command, environment), setup=beside, rounds=PAIRS)
    ratio = benchmark.stats.stats.median / statistics.median(imports)  # type: ignore[attr-defined]
    with capsys.disabled():
        print(f"\ncompute --lang {language}: {ratio:.2f} times `import msgspec` "
              f"({statistics.median(imports) * 1e3:.1f} ms); the goal is 2.5")
    benchmark.extra_info["ratio"] = round(ratio, 2)  # type: ignore[attr-defined]

