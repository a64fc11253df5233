#!/usr/bin/env python3
"""The chores of a checkout: `python3 packaging/dev.py COMMAND [ARGUMENT…]`.

Each command first makes what it needs: the virtual environment .venv with the project in it and, on Debian
and Ubuntu, the system libraries of Qt. Arguments after the command go to the tool behind it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Callable

from devtools import environment

ROOT = Path(__file__).resolve().parent.parent


def run(arguments: list[str]) -> int:
    """Start the program from this checkout."""
    needs_window = sys.platform.startswith("linux") and "QT_QPA_PLATFORM" not in os.environ
    python = environment.ensure(ROOT, window=needs_window)
    return call([str(python), "-m", "mfu_gui", *arguments])


def test(arguments: list[str]) -> int:
    """Run the tests, on all cores unless there are arguments, which go to pytest."""
    return pytest(arguments or parallel())


def lint(arguments: list[str]) -> int:
    """Check style (ruff), types (mypy) and the direction of imports (import-linter)."""
    python = str(environment.ensure(ROOT, ["test"]))
    commands = {
        "ruff": [python, "-m", "ruff", "check", "--quiet", *arguments],
        "mypy": [python, "-m", "mypy", "--no-error-summary"],
        "import-linter": [str(environment.venv_script(ROOT, "lint-imports")), "--no-logo"],
    }
    failed = []
    for name, command in commands.items():
        if call(command, cwd=ROOT) != 0:
            failed.append(name)
    print("lint: " + (f"failed in {', '.join(failed)}" if failed else "all clean"), flush=True)
    return 1 if failed else 0


def bench(arguments: list[str]) -> int:
    """Measure the speed goals, print them in one table, and how far off step times are; arguments go to pytest."""
    columns = "--benchmark-columns=min,median,iqr,ops,rounds"
    with tempfile.TemporaryDirectory() as folder:
        result = os.path.join(folder, "benchmarks.json")
        timed = pytest(["tests/benchmarks", "-q", "--benchmark-disable-gc", "--benchmark-sort=name", columns,
                        f"--benchmark-json={result}", *arguments])
        python = environment.ensure(ROOT, ["test"])
        if os.path.exists(result) and os.path.getsize(result):
            print("\nGoals", flush=True)
            call([str(python), "-m", "tests.benchmarks.summary", result], cwd=ROOT)
    if arguments:
        return timed
    print("\nStep times: predicted ÷ measured − 1, in per cent", flush=True)
    return call([str(python), "-m", "tests.benchmarks.accuracy"], cwd=ROOT) or timed


def fuzz(arguments: list[str]) -> int:
    """Feed the readers with broken input for a while; arguments go to pytest."""
    environment.ensure(ROOT, ["test", "fuzz"])
    return pytest(["tests/fuzz", *arguments])


def texts(arguments: list[str]) -> int:
    """Collect the texts from the source, merge them into the catalogues and compile those."""
    python = environment.ensure(ROOT, ["test"])
    return call([str(python), str(ROOT / "packaging" / "devtools" / "texts.py"), *arguments], cwd=ROOT)


def commands(root: Path = ROOT) -> dict[str, Callable[[list[str]], int]]:
    """The commands that have something to work on in this checkout."""
    found: dict[str, Callable[[list[str]], int]] = {"run": run, "test": test, "lint": lint, "texts": texts}
    if (root / "tests" / "benchmarks").is_dir():
        found["bench"] = bench
    if (root / "tests" / "fuzz").is_dir():
        found["fuzz"] = fuzz
    return found


def parallel() -> list[str]:
    """Options for a run on up to four cores, a file of tests on one of them.

    pytest-benchmark warns of every parallel run, and warnings are errors: it stays out.
    """
    return ["-n", str(min(4, os.cpu_count() or 1)), "--dist", "loadfile", "-p", "no:benchmark", "-q"]


def pytest(arguments: list[str]) -> int:
    python = environment.ensure(ROOT, ["test"])
    offscreen = dict(os.environ, QT_QPA_PLATFORM="offscreen")
    return call([str(python), "-m", "pytest", *arguments], cwd=ROOT, env=offscreen)


def call(command: list[str], cwd: Path | None = None, env: dict[str, str] | None = None) -> int:
    """Run a program to its end and return its exit status as a shell would."""
    status = subprocess.call(command, cwd=cwd, env=env)
    return status if status >= 0 else 128 - status


def usage() -> str:
    lines = ["usage: python3 packaging/dev.py COMMAND [ARGUMENT…]", ""]
    for name, command in commands().items():
        lines.append(f"  {name:<6} {(command.__doc__ or '').splitlines()[0]}")
    return "\n".join(lines)


def main(argv: list[str]) -> int:
    if not argv or argv[0] in ("-h", "--help", "help"):
        print(usage())
        return 0 if argv else 2
    command = commands().get(argv[0])
    if command is None:
        print(f"There is no command {argv[0]!r}.\n{usage()}", file=sys.stderr)
        return 2
    try:
        return command(argv[1:])
    except environment.SetupError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
