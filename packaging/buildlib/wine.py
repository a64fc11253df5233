"""Windows programs on Linux, by wine: enough for the setup program and the command line.

Wine 8 has neither the WinRT that a Qt window asks for nor all of the newer C library that numpy is linked to, so a
window and what needs numpy are for a Windows machine to prove.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from buildlib.errors import BuildError
from buildlib.run import tool


@dataclass(frozen=True)
class Done:
    """How a program ended, and what it said on both streams."""

    status: int
    said: str


class Wine:
    """A Windows of its own in a folder, as a context manager."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.drive = folder / "drive_c"

    def __enter__(self) -> Wine:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.run("wineboot", "--init")
        # It says that it is Windows 7 unless told otherwise.
        self.run("winecfg", "-v", "win10")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        subprocess.run([tool("wineserver"), "--kill"], env=self._environment(), check=False)

    def _environment(self) -> dict[str, str]:
        quiet = {"WINEDEBUG": "-all", "WINEDLLOVERRIDES": "mscoree=;mshtml=;winemenubuilder.exe="}
        return dict(os.environ, WINEPREFIX=str(self.folder), LC_ALL="C.UTF-8", DISPLAY="", **quiet)

    def run(self, *words: str | Path, seconds: int = 180) -> Done:
        """Run to the end. Output goes through a pipe and input is empty: wine knows no other handles."""
        command = [tool("wine"), *map(str, words)]
        try:
            done = subprocess.run(
                command, env=self._environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, timeout=seconds, encoding="utf-8", errors="replace",
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise BuildError(f"{words[0]} did not end within {seconds} s under wine") from None
        # Debian's wrapper regrets in every run that there is no 32-bit wine.
        lines = [line for line in done.stdout.splitlines() if not line.startswith(_REGRETS)]
        return Done(done.returncode, "\n".join(lines).strip())

    def expect(self, status: int, *words: str | Path) -> str:
        """What a program says that must end with this status."""
        done = self.run(*words)
        if done.status != status:
            raise BuildError(f"{words} ended with status {done.status}, not {status}: {done.said[-1500:]}")
        return done.said

    def registry(self, key: str, name: str = "") -> str | None:
        """A value of the registry; None when it is not there."""
        done = self.run("reg", "query", key, *(["/v", name] if name else ["/ve"]))
        found = [line.split("REG_SZ", 1)[1] for line in done.said.splitlines() if "REG_SZ" in line]
        return found[0].strip() if done.status == 0 and found else None

    def windows_path(self, path: Path) -> str:
        """Z:\\… of a file of this machine."""
        return "Z:" + str(path).replace("/", "\\")


_REGRETS = (
    "it looks like wine32 is missing",
    "multiarch needs to be enabled",
    'execute "dpkg --add-architecture',
    "apt-get install wine32",
    "wine: failed to open L\"C:\\\\windows\\\\syswow64",
)


def wait_until_gone(path: Path, seconds: float = 60) -> None:
    """An uninstaller goes on in a copy of itself after it was left."""
    end = time.monotonic() + seconds
    while path.exists() and time.monotonic() < end:
        time.sleep(0.2)
    if path.exists():
        raise BuildError(f"{path} is still there; in it: {sorted(each.name for each in path.iterdir())[:10]}")
