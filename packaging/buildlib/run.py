"""Starts the programs of the build and says what happened when one fails."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from buildlib.errors import BuildError

# The Debian package of each tool that is called.
TOOL_PACKAGES: dict[str, str] = {
    "appstreamcli": "appstream",
    "desktop-file-validate": "desktop-file-utils",
    "dpkg": "dpkg",
    "dpkg-deb": "dpkg",
    "git": "git",
    "gzip": "gzip",
    "icotool": "icoutils",
    "import": "imagemagick",
    "makensis": "nsis",
    "makeself": "makeself",
    "mmdebstrap": "mmdebstrap",
    "objdump": "binutils",
    "osslsigncode": "osslsigncode",
    "strace": "strace",
    "strip": "binutils",
    "tar": "tar",
    "wine": "wine64",
    "x86_64-w64-mingw32-gcc": "gcc-mingw-w64-x86-64",
    "x86_64-w64-mingw32-windres": "gcc-mingw-w64-x86-64",
    "xdotool": "xdotool",
    "xz": "xz-utils",
    "Xvfb": "xvfb",
}


def step(text: str) -> None:
    """Say what is being done, at once."""
    print(f"== {text}", flush=True)


def tool(name: str) -> str:
    """The path of a program, or a `BuildError` that names its package."""
    found = shutil.which(name)
    if found is None:
        package = TOOL_PACKAGES.get(name, name)
        raise BuildError(f"{name} is needed and was not found. On Debian and Ubuntu: apt-get install {package}")
    return found


def run(command: Sequence[str | Path], cwd: Path | None = None, env: Mapping[str, str] | None = None) -> None:
    """Run a program with its output on the screen; `BuildError` when it fails."""
    sys.stdout.flush()
    status = subprocess.call([str(word) for word in command], cwd=cwd, env=env)
    if status != 0:
        raise BuildError(f"{Path(str(command[0])).name} ended with status {status}")


def output(command: Sequence[str | Path], cwd: Path | None = None, env: Mapping[str, str] | None = None) -> str:
    """What a program prints; `BuildError` with its complaint when it fails."""
    done = subprocess.run([str(word) for word in command], cwd=cwd, env=env, capture_output=True, text=True)
    if done.returncode != 0:
        name = Path(str(command[0])).name
        raise BuildError(f"{name} ended with status {done.returncode}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout
