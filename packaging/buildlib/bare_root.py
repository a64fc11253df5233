"""A minimal Debian 12 in a folder, to install a package in as on a machine of its own.

Whoever makes one runs in a mount name space of its own (`separate`), so that its mounts end with the process.
"""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from buildlib.errors import BuildError
from buildlib.run import run, tool

SUITE = "bookworm"
USER = "tester"
_CLONE_NEWNS = 0x00020000
_MS_REC_PRIVATE = 0x4000 | 0x40000


def separate() -> None:
    """Give this process mounts of its own; needs root."""
    if os.geteuid() != 0:
        raise BuildError("Making a bare Debian needs root: mounts and chroot. Run it as root, or with sudo.")
    library = ctypes.CDLL(None, use_errno=True)
    if library.unshare(_CLONE_NEWNS) != 0 or library.mount(None, b"/", None, _MS_REC_PRIVATE, None) != 0:
        raise BuildError(f"This machine does not allow a mount name space: {os.strerror(ctypes.get_errno())}")


class BareRoot:
    """The folder; commands run in it by chroot."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def make(self) -> None:
        """Fill the folder; takes about ten seconds and a mirror of Debian."""
        mmdebstrap = tool("mmdebstrap")
        if self.folder.exists():
            raise BuildError(f"{self.folder} is there already")
        run([mmdebstrap, "--quiet", "--variant=minbase", SUITE, self.folder])
        for name in ("resolv.conf", "hosts"):
            shutil.copyfile(Path("/etc") / name, self.folder / "etc" / name)
        self._share_download_settings()
        for name in ("proc", "dev"):
            run(["mount", "--rbind", f"/{name}", self.folder / name])
        self.run("useradd", "--create-home", "--shell", "/bin/bash", USER)

    def _share_download_settings(self) -> None:
        """The host's way to the mirror: proxies and the like, and certificates if they are its own."""
        for file in sorted(Path("/etc/apt/apt.conf.d").iterdir()):
            text = file.read_text(encoding="utf-8", errors="replace")
            if re.search(r"^Acquire::", text, re.MULTILINE):
                shutil.copyfile(file, self.folder / "etc" / "apt" / "apt.conf.d" / file.name)
        certificates = Path("/etc/ssl/certs/ca-certificates.crt")
        target = self.folder / str(certificates).lstrip("/")
        if certificates.exists() and not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(certificates, target)

    def share_display(self) -> None:
        """Let programs in the root reach the X servers of the host."""
        sockets = self.folder / "tmp" / ".X11-unix"
        sockets.mkdir(parents=True, exist_ok=True)
        run(["mount", "--bind", "/tmp/.X11-unix", sockets])

    def command(self, *words: str, user: str = "root", env: dict[str, str] | None = None) -> list[str]:
        """The host's command line that runs `words` in the root."""
        home = "/root" if user == "root" else f"/home/{user}"
        variables = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": home, "USER": user, "LANG": "C.UTF-8"}
        variables |= env or {}
        settings = [f"{name}={value}" for name, value in variables.items()]
        return ["chroot", f"--userspec={user}:{user}", str(self.folder), "env", "-i", *settings, *words]

    def run(self, *words: str, user: str = "root", env: dict[str, str] | None = None) -> None:
        """Run to the end with the output on the screen; `BuildError` when it fails."""
        run(self.command(*words, user=user, env=env))

    def output(self, *words: str, user: str = "root", env: dict[str, str] | None = None, stdin: str = "") -> str:
        """What it prints; `BuildError` with its complaint when it fails."""
        command = self.command(*words, user=user, env=env)
        done = subprocess.run(command, input=stdin, capture_output=True, text=True)
        if done.returncode != 0:
            raise BuildError(f"{' '.join(words)} ended with status {done.returncode}: {done.stderr or done.stdout}")
        return done.stdout

    def apt(self, *words: str) -> None:
        """Run apt-get without questions; what it prints goes to a log in the root."""
        line: Sequence[str] = self.command(
            "apt-get", "-y", "-q", *words, env={"DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}
        )
        log = self.folder / "var" / "log" / "proof-apt.log"
        with log.open("ab") as file:
            status = subprocess.call(line, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT)
        if status != 0:
            tail = log.read_text(encoding="utf-8", errors="replace").splitlines()[-15:]
            raise BuildError("apt-get failed:\n  " + "\n  ".join(tail))

    def drop(self) -> None:
        """Remove the folder; what is mounted in it is unmounted first."""
        mounts = Path("/proc/self/mounts").read_text(encoding="utf-8").splitlines()
        inside = [line.split()[1] for line in mounts if line.split()[1].startswith(f"{self.folder}/")]
        for mount in reversed(inside):
            subprocess.run(["umount", "--lazy", mount], check=True)
        if self.folder.exists():
            run(["rm", "-rf", "--one-file-system", self.folder])
