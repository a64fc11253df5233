"""The system libraries that Qt's wheels expect to find on Linux, and how to get them."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path

# What `import PySide6.QtWidgets` and the offscreen platform load. Shared object -> Debian package.
BASE_LIBRARIES: dict[str, str] = {
    "libGL.so.1": "libgl1",
    "libEGL.so.1": "libegl1",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libglib-2.0.so.0": "libglib2.0-0",
}

# What a window on X11 needs besides.
WINDOW_LIBRARIES: dict[str, str] = {
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libX11-xcb.so.1": "libx11-xcb1",
}


# Where Debian keeps fonts, and the files of those with simplified Chinese that the window asks for.
FONT_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.local/share/fonts", "~/.fonts")
CHINESE_FONTS = ("NotoSansCJK*", "NotoSansSC*", "SourceHanSans*")
CHINESE_PACKAGE = "fonts-noto-cjk"


class SystemPackagesError(Exception):
    """Something of the operating system is missing and cannot be installed from here."""


def missing_libraries(window: bool) -> dict[str, str]:
    """The shared objects (and their Debian packages) that cannot be loaded; empty except on Linux."""
    if not sys.platform.startswith("linux"):
        return {}
    wanted = dict(BASE_LIBRARIES)
    if window:
        wanted.update(WINDOW_LIBRARIES)
    return {library: package for library, package in wanted.items() if not _loads(library)}


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def missing_fonts() -> list[str]:
    """The package of a Chinese font, where root can install it and none is there.

    The window works without (it stays English and says what is missing), so nobody else is asked for it; its
    layout in Chinese can only be tested with one.
    """
    if not has_apt() or os.geteuid() != 0:
        return []
    folders = [Path(folder).expanduser() for folder in FONT_FOLDERS]
    found = any(next(folder.rglob(pattern), None) for folder in folders if folder.is_dir() for pattern in CHINESE_FONTS)
    return [] if found else [CHINESE_PACKAGE]


def has_apt() -> bool:
    return sys.platform.startswith("linux") and shutil.which("apt-get") is not None


def install_packages(packages: list[str]) -> None:
    """Install Debian packages as root, or raise `SystemPackagesError` with the line that does it."""
    if not packages:
        return
    names = sorted(set(packages))
    update, install = apt_commands(names)
    if os.geteuid() != 0:
        line = " && ".join("sudo " + " ".join(command) for command in (update, install))
        raise SystemPackagesError(f"Some system packages are missing. Install them with:\n  {line}")
    print(f"Installing system packages: {' '.join(names)}", flush=True)
    environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    # A failed update does not matter when the old lists are good enough: the installation decides.
    subprocess.call([*update, "-q"], env=environment, stdout=subprocess.DEVNULL)
    if subprocess.call([*install, "-q"], env=environment, stdout=subprocess.DEVNULL) != 0:
        raise SystemPackagesError(f"apt-get could not install: {' '.join(names)}")


def apt_commands(names: list[str]) -> tuple[list[str], list[str]]:
    """The two commands that bring Debian packages onto this machine."""
    return ["apt-get", "update"], ["apt-get", "install", "-y", "--no-install-recommends", *names]
