"""What the build must know of a Windows program or library, read with objdump."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from buildlib.contents_windows import is_system_library
from buildlib.run import output, tool

SUFFIXES = (".dll", ".exe", ".pyd")


def is_pe(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(2) == b"MZ"


@cache
def _headers(path: Path) -> str:
    return output([tool("objdump"), "-p", path])


def needed(path: Path) -> tuple[str, ...]:
    """The names of the libraries that this one is linked to, in lower case; of those loaded late only the rest."""
    return tuple(name.lower() for name in re.findall(r"^\s*DLL Name: (\S+)", _headers(path), re.MULTILINE))


def is_64_bit(path: Path) -> bool:
    return "pei-x86-64" in _headers(path)


def is_windowed(path: Path) -> bool:
    """Whether it starts without a console."""
    return re.search(r"^Subsystem\s+0*2\b", _headers(path), re.MULTILINE) is not None


def files(folder: Path) -> list[Path]:
    """All machine code below a folder."""
    return sorted(path for path in folder.rglob("*") if path.suffix.lower() in SUFFIXES and path.is_file())


def missing(folder: Path) -> dict[str, list[str]]:
    """The libraries that are neither below `folder` nor part of Windows, and who is linked to them."""
    code = files(folder)
    carried = {path.name.lower() for path in code}
    found: dict[str, list[str]] = {}
    for path in code:
        for name in needed(path):
            if name not in carried and not is_system_library(name):
                found.setdefault(name, []).append(path.relative_to(folder).as_posix())
    return found


def unused(folder: Path) -> list[Path]:
    """The libraries (.dll) that nothing else below `folder` is linked to, again and again until none is left.

    Python's modules (.pyd) and Qt's plugins are loaded by name and count as used.
    """
    code = files(folder)
    gone: list[Path] = []
    while True:
        rest = [path for path in code if path not in gone]
        used = {name for path in rest for name in needed(path)}
        idle = [path for path in rest if path.suffix.lower() == ".dll" and path.name.lower() not in used]
        idle = [path for path in idle if "plugins" not in path.relative_to(folder).parts]
        if not idle:
            return gone
        gone += idle
