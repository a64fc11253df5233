"""The build's own Python environment: a fixed version of everything, checked by hash."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

from buildlib.errors import BuildError
from buildlib.run import run, step

# The best first. On 3.11 a release of Qt's bindings once ended the process (see pyproject.toml).
VERSIONS = ("3.13", "3.12", "3.14", "3.11")


def find_python() -> Path:
    """The Python to bundle: the first of `VERSIONS` that is installed and has a shared library.

    MFU_BUILD_PYTHON names another one.
    """
    given = os.environ.get("MFU_BUILD_PYTHON")
    if given:
        return Path(given)
    for version in VERSIONS:
        for candidate in _candidates(version):
            if _suitable(candidate, version):
                return candidate
    raise BuildError(
        f"No Python {' or '.join(VERSIONS)} with a shared library and the venv module was found.\n"
        "On Debian and Ubuntu: apt-get install python3-venv; or name one in MFU_BUILD_PYTHON."
    )


def _candidates(version: str) -> list[Path]:
    name = f"python{version}"
    found = shutil.which(name)
    # pyenv's folders are looked at themselves: its shims refuse versions that are installed but not chosen.
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    installed = sorted(pyenv.glob(f"{version}.*/bin/{name}"), key=_patch_level, reverse=True)
    return [*installed, *([Path(found)] if found else [])]


def _patch_level(python: Path) -> int:
    last = python.parent.parent.name.rsplit(".", 1)[-1]
    return int(last) if last.isdecimal() else -1


def _suitable(python: Path, version: str) -> bool:
    code = (
        "import ensurepip, sys, sysconfig, venv; value = sysconfig.get_config_var; "
        "shared = value('Py_ENABLE_SHARED') or value('PYTHONFRAMEWORK'); "
        f"sys.exit(not (shared and '%d.%d' % sys.version_info[:2] == '{version}'))"
    )
    try:
        return subprocess.run([str(python), "-c", code], capture_output=True).returncode == 0
    except OSError:
        return False


def ensure(folder: Path, requirements: Path) -> Path:
    """The Python of an environment in `folder` with exactly these requirements; made anew when they change."""
    base = find_python()
    python = folder / "bin" / "python"
    stamp = folder / "requirements.sha256"
    wanted = hashlib.sha256(str(base).encode() + requirements.read_bytes()).hexdigest()
    if python.exists() and stamp.exists() and stamp.read_text() == wanted:
        return python
    step(f"Making the build environment with {base}")
    shutil.rmtree(folder, ignore_errors=True)
    run([base, "-m", "venv", folder])
    options = ["--quiet", "--disable-pip-version-check", "--root-user-action=ignore", "--no-deps"]
    run([python, "-m", "pip", "install", *options, "--require-hashes", "-r", requirements])
    stamp.write_text(wanted)
    return python
