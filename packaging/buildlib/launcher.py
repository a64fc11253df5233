"""The two executables of the Windows edition: the window and the command line."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from buildlib.desktop import NAME, write
from buildlib.run import run, tool

PREFIX = "x86_64-w64-mingw32-"


@dataclass(frozen=True)
class Launcher:
    """One of them: its file, what Windows shows as its description, and whether it comes without a console."""

    file: str
    description: str
    description_zh: str
    windowed: bool


LAUNCHERS = (
    Launcher(f"{NAME}.exe", NAME, "MFU 计算器", True),
    Launcher("mfu-gui.exe", f"{NAME}, command line", "MFU 计算器（命令行）", False),
)


def numbers(version: str) -> str:
    """`0.1.0` -> `0,1,0,0`, as Windows wants it."""
    parts = [int("".join(filter(str.isdecimal, part)) or 0) for part in version.split(".")][:4]
    return ",".join(map(str, [*parts, *[0] * (4 - len(parts))]))


def build(launcher: Launcher, sources: Path, values: Mapping[str, str | Path], work: Path, target: Path) -> Path:
    """Compile one launcher from the folder `sources` into the folder `target`; its path.

    `values`: version, python_dll (a name), icon and file_icon (paths).
    """
    work.mkdir(parents=True, exist_ok=True)
    version = str(values["version"])
    fields = {
        "ICON": values["icon"],
        "FILE_ICON": values["file_icon"],
        "MANIFEST": sources / "launcher.manifest",
        "NUMBERS": numbers(version),
        "VERSION": version,
        "DESCRIPTION": launcher.description,
        "DESCRIPTION_ZH": launcher.description_zh,
        "FILE": launcher.file,
    }
    text = (sources / "launcher.rc.in").read_text(encoding="utf-8")
    for name, value in fields.items():
        text = text.replace(f"@{name}@", str(value))
    resource, compiled, exe = work / "launcher.rc", work / "launcher.o", target / launcher.file
    write(resource, text)
    run([tool(f"{PREFIX}windres"), "--codepage=65001", "-O", "coff", "-i", resource, "-o", compiled])
    options = ["-municode", "-O2", "-s", "-std=c17", "-Wall", "-Wextra", "-Werror", "-static-libgcc"]
    # The same bytes each time: without the hour of the build.
    options += ["-Wl,--no-insert-timestamp", "-Wl,--dynamicbase,--nxcompat,--high-entropy-va"]
    options += ["-mwindows", "-DWINDOWED"] if launcher.windowed else ["-mconsole"]
    library = f'-DPYTHON_DLL=L"{values["python_dll"]}"'
    environment = dict(os.environ, LC_ALL="C.UTF-8")
    run([tool(f"{PREFIX}gcc"), *options, library, "-o", exe, sources / "launcher.c", compiled], env=environment)
    return exe
