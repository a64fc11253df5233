"""Makes the checkout's .venv and keeps it in step with pyproject.toml."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Sequence

from devtools import system
from devtools.locking import locked

OLDEST_PYTHON = (3, 11)
NEWEST_PYTHON = (3, 14)  # PySide6 6.11 has no wheels for later ones
# The best first: 3.12 and 3.13 have the fewest surprises with Qt's bindings.
CANDIDATES = ("python3.13", "python3.12", "python3.14", "python3.11", "python3")

# Files that decide what an installation looks like.
INPUTS = ("pyproject.toml", "packaging/hatch_build.py")


class SetupError(Exception):
    """The environment could not be made; the message tells the person what to do."""


def ensure(root: Path, extras: Sequence[str] = (), window: bool = False) -> Path:
    """The Python of an environment in which the project is installed with these extras.

    Makes or mends whatever is missing. `window` asks for the libraries of a visible window too.
    Raises `SetupError`.
    """
    python = venv_python(root)
    with locked(root / "pyproject.toml"):
        fresh = not _usable(python, root)
        _install_system_packages(window, _base_python() if fresh else None)
        if fresh:
            _create_venv(_base_python(), root)
        installed = None if fresh else _installed_extras(root)
        if installed is None or not set(extras) <= installed:
            _install(python, root, sorted(set(extras) | (installed or set())))
    return python


def venv_python(root: Path) -> Path:
    return venv_script(root, "python")


def venv_script(root: Path, name: str) -> Path:
    """A program inside the environment."""
    if sys.platform == "win32":
        return root / ".venv" / "Scripts" / f"{name}.exe"
    return root / ".venv" / "bin" / name


def _stamp_path(root: Path) -> Path:
    return root / ".venv" / "mfu-gui-setup.json"


def _read_stamp(root: Path) -> dict[str, object] | None:
    try:
        stamp = json.loads(_stamp_path(root).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return stamp if isinstance(stamp, dict) else None


def _installed_extras(root: Path) -> set[str] | None:
    """The extras of an installation that is up to date, or None."""
    stamp = _read_stamp(root)
    if stamp is None or stamp.get("inputs") != _fingerprint(root):
        return None
    extras = stamp.get("extras")
    return {str(extra) for extra in extras} if isinstance(extras, list) else None


def _fingerprint(root: Path) -> str:
    digest = hashlib.sha256()
    for name in INPUTS:
        # Line ends differ between checkouts and do not matter.
        digest.update((root / name).read_bytes().replace(b"\r\n", b"\n"))
    return digest.hexdigest()


def _usable(python: Path, root: Path) -> bool:
    """Whether the environment is there, was made for this folder, and can run and install."""
    if not python.exists():
        return False
    stamp = _read_stamp(root)
    if stamp is not None:
        # The programs inside name their folder: after a move they would start another copy's Python.
        return stamp.get("root") == str(root)
    version = _version(python, "import pip")
    return version is not None and version >= OLDEST_PYTHON


def _version(python: Path, also: str = "") -> tuple[int, int] | None:
    """The version of an interpreter that starts (and can run the statement `also`)."""
    code = f"{also or 'pass'}\nimport sys\nprint(*sys.version_info[:2])"
    try:
        done = subprocess.run([str(python), "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    except OSError:
        return None
    words = done.stdout.split()
    if done.returncode != 0 or len(words) != 2:
        return None
    return int(words[0]), int(words[1])


def _base_python() -> Path:
    """The interpreter to make the environment from: this one, or the best other one."""
    if OLDEST_PYTHON <= sys.version_info[:2] <= NEWEST_PYTHON:
        return Path(sys.executable)
    for name in CANDIDATES:
        found = shutil.which(name)
        version = _version(Path(found)) if found else None
        if found and version and OLDEST_PYTHON <= version <= NEWEST_PYTHON:
            return Path(found)
    if sys.platform == "win32" and shutil.which("py"):
        for minor in (13, 12, 14, 11):
            command = ["py", f"-3.{minor}", "-c", "import sys; print(sys.executable)"]
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            if done.returncode == 0:
                return Path(os.fsdecode(done.stdout).strip())
    wanted = "{}.{} to {}.{}".format(*OLDEST_PYTHON, *NEWEST_PYTHON)
    raise SetupError(f"Python {wanted} is needed; this is {sys.version.split()[0]} and no other was found.")


def _install_system_packages(window: bool, python_for_venv: Path | None) -> None:
    libraries = system.missing_libraries(window)
    packages = list(libraries.values())
    if python_for_venv is not None:
        version = _version(python_for_venv, "import ensurepip, venv")
        if version is None and system.has_apt():
            # Debian splits these two modules off; the package carries the version in its name.
            found = _version(python_for_venv) or OLDEST_PYTHON
            packages.append("python{}.{}-venv".format(*found))
        elif version is None:
            raise SetupError(f"{python_for_venv} lacks the modules venv and ensurepip; please install them.")
    if packages and not system.has_apt():
        print(f"Warning: Qt may not start without {', '.join(libraries)}.", file=sys.stderr, flush=True)
        return
    try:
        system.install_packages(packages)
    except system.SystemPackagesError as error:
        raise SetupError(str(error)) from None
    try:
        system.install_packages(system.missing_fonts())
    except system.SystemPackagesError as error:  # the program works without
        print(f"Warning: {error}", file=sys.stderr, flush=True)


def _create_venv(python: Path, root: Path) -> None:
    print(f"Making {root / '.venv'}", flush=True)
    if subprocess.call([str(python), "-m", "venv", "--clear", str(root / ".venv")]) != 0:
        raise SetupError("The virtual environment could not be made; the message above says why.")


def _install(python: Path, root: Path, extras: list[str]) -> None:
    print("Installing the project and what it needs (the first time takes a minute or two)", flush=True)
    target = f"{root}[{','.join(extras)}]" if extras else str(root)
    options = ["--quiet", "--disable-pip-version-check", "--root-user-action=ignore"]
    if subprocess.call([str(python), "-m", "pip", "install", *options, "-e", target]) != 0:
        raise SetupError("pip could not install the project; its message above says why.")
    stamp = {"root": str(root), "inputs": _fingerprint(root), "extras": extras}
    _stamp_path(root).write_text(json.dumps(stamp, indent=2) + "\n", encoding="utf-8")
