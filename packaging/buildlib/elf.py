"""What the build must know of a shared library, read with objdump."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from buildlib.run import output, tool


def is_elf(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


@cache
def _headers(path: Path) -> str:
    return output([tool("objdump"), "-p", path])


def needed(path: Path) -> tuple[str, ...]:
    """The names of the libraries that this one is linked to."""
    return tuple(re.findall(r"^ +NEEDED +(\S+)", _headers(path), re.MULTILINE))


def glibc_versions(path: Path) -> set[tuple[int, ...]]:
    """The versions of the C library whose functions it calls, e.g. {(2, 34)}."""
    return {tuple(map(int, found.split("."))) for found in re.findall(r"\bGLIBC_([0-9.]+)", _headers(path))} or {(2, 0)}


def imported_functions(path: Path) -> set[str]:
    """The functions of other libraries that it calls."""
    table = output([tool("objdump"), "-T", path])
    return {line.split()[-1] for line in table.splitlines() if "*UND*" in line}
