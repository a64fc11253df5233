"""The frozen program: one folder with Python, Qt and the program, made the same way each time."""

from __future__ import annotations

import json
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from buildlib import elf
from buildlib.contents import SYSTEM_LIBRARIES
from buildlib.errors import BuildError
from buildlib.run import run, step, tool


@dataclass(frozen=True)
class Manifest:
    """Where each part of the bundle came from; modules lie in the archive inside the executable."""

    modules: tuple[tuple[str, Path], ...]
    files: tuple[tuple[str, Path], ...]

    @classmethod
    def read(cls, path: Path) -> Manifest:
        data = json.loads(path.read_text(encoding="utf-8"))
        return cls(
            modules=tuple((name, Path(source)) for name, source in data["modules"]),
            files=tuple((name, Path(source)) for name, source in data["files"]),
        )

    def present_in(self, program: Path) -> Manifest:
        """Without the files that were removed again."""
        internal = program / "_internal"
        return Manifest(self.modules, tuple(each for each in self.files if (internal / each[0]).exists()))


def freeze(python: Path, source: Path, work: Path, date: int, icon: Path | None = None) -> tuple[Path, Manifest]:
    """Freeze `source` with the environment of `python`; the folder of the program and its manifest.

    On macOS the folder is an application, and `icon` is its .icns.
    """
    step("Freezing the program")
    if sys.platform != "darwin":
        tool("objdump")
    folder, manifest = work / "frozen", work / "manifest.json"
    for old in (folder, work / "pyinstaller"):
        shutil.rmtree(old, ignore_errors=True)
    # Byte code is written anew: what pip compiled carries the dates of the installation.
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": os.environ.get("HOME", "/"),
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "SOURCE_DATE_EPOCH": str(date),
        "PYINSTALLER_CONFIG_DIR": str(work / "pyinstaller"),
        "MFU_BUILD_SOURCE": str(source),
        "MFU_BUILD_MANIFEST": str(manifest),
        "QT_QPA_PLATFORM": "offscreen",
    }
    if icon is not None:
        environment["MFU_BUILD_ICON"] = str(icon)
    command: list[str | Path] = [python, "-m", "PyInstaller", "--noconfirm", "--clean", "--log-level", "ERROR"]
    command += ["--distpath", folder, "--workpath", work / "pyinstaller" / "work"]
    run([*command, source / "packaging" / "app.spec"], cwd=work, env=environment)
    if sys.platform == "darwin":
        return next(folder.glob("*.app")), Manifest.read(manifest)
    program = folder / "mfu-gui"
    strip(program)
    prune(program)
    check_libraries(program)
    return program, Manifest.read(manifest).present_in(program)


def strip(program: Path) -> None:
    """Take the debugger's tables out of Python's own libraries (25 MB).

    Only there: Qt's and numpy's libraries come stripped, and numpy's OpenBLAS is ruined by it.
    """
    internal = program / "_internal"
    for library in [*internal.glob("libpython*"), *internal.glob("python*/lib-dynload/*.so")]:
        run([tool("strip"), "-g", library])


def prune(program: Path) -> None:
    """Remove the system's libraries that nothing needs any more because their users were dropped."""
    internal = program / "_internal"
    while True:
        used = {needed for path in libraries(program) for needed in elf.needed(path)}
        unused = [path for path in internal.glob("lib*.so*") if path.name not in used and "libpython" not in path.name]
        if not unused:
            return
        for path in unused:
            path.unlink()


def libraries(program: Path) -> list[Path]:
    """All machine code of the bundle."""
    return sorted(path for path in program.rglob("*") if path.is_file() and not path.is_symlink() and elf.is_elf(path))


def system_libraries(program: Path) -> set[str]:
    """The libraries that the bundle expects from the system."""
    found = libraries(program)
    carried = {path.name for path in program.rglob("*.so*")}
    return {needed for path in found for needed in elf.needed(path)} - carried


def check_libraries(program: Path) -> None:
    """Fail when something is needed that is neither bundled nor known to be on every desktop."""
    unknown = system_libraries(program) - set(SYSTEM_LIBRARIES)
    if unknown:
        users = {name: [p.name for p in libraries(program) if name in elf.needed(p)] for name in sorted(unknown)}
        raise BuildError(f"neither bundled nor declared: {users}")


def newest_glibc(program: Path) -> tuple[int, ...]:
    """The version of the C library that the bundle needs at least."""
    return max(version for path in libraries(program) for version in elf.glibc_versions(path))
