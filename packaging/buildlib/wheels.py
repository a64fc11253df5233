"""The wheels of the program for Windows, in the versions and with the checksums of the lock file."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from buildlib.contents_windows import BUILD_TOOLS
from buildlib.errors import BuildError
from buildlib.run import run

PLATFORM = "win_amd64"


def runtime_requirements(locked: str) -> str:
    """The part of a lock file that the program itself needs: all but the tools that make bundles."""
    kept = []
    for block in re.split(r"^(?=[A-Za-z0-9])", locked, flags=re.MULTILINE):
        name = re.match(r"[A-Za-z0-9._-]+(?===)", block)
        if name and name.group().lower() not in BUILD_TOOLS:
            kept.append(block)
    if not kept:
        raise BuildError("the lock file names nothing")
    return "".join(kept)


def fetch(python: Path, requirements: Path, minor: str, folder: Path) -> None:
    """Unpack the wheels for Windows and Python `minor` (3.13) into `folder`, with the pip of `python`."""
    shutil.rmtree(folder, ignore_errors=True)
    chosen = folder.parent / "requirements-windows.txt"
    chosen.write_text(runtime_requirements(requirements.read_text(encoding="utf-8")), encoding="utf-8")
    options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--no-compile", "--require-hashes"]
    system = ["--platform", PLATFORM, "--python-version", minor, "--implementation", "cp", "--only-binary=:all:"]
    run([python, "-m", "pip", "install", *options, *system, "--target", folder, "-r", chosen])
