"""What somebody who helps needs to know of an installation, without anything that tells who or where it is."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import PackageNotFoundError, version

from PySide6 import __version__ as pyside_version
from PySide6.QtCore import QLocale, qVersion
from PySide6.QtGui import QGuiApplication

import mfu_gui
from mfu_gui.formats.preset_index import PresetInfo
from mfu_gui.ui.services import Services

_PACKAGES = ("pyqtgraph", "numpy", "msgspec", "platformdirs", "XlsxWriter")
_PERSONAL = ("recent", "geometry")
"""Settings that hold paths, or say nothing."""


def data_date(infos: list[PresetInfo]) -> str:
    """The newest date of the shipped presets' data; empty where none is known."""
    return max((info.date for info in infos if info.shipped), default="")


def diagnostics(services: Services) -> str:
    """One fact a line.  Counts of the user's own things, never their names, contents or places."""
    screens = ", ".join(f"{s.size().width()}×{s.size().height()} @{s.devicePixelRatio():g}"
                        for s in QGuiApplication.screens())
    infos, stored = services.presets.infos(), services.settings.stored
    settings = {name: getattr(stored, name) for name in stored.__struct_fields__ if name not in _PERSONAL}
    shipped, broken = sum(info.shipped for info in infos), len(services.presets.broken())
    lines = [
        f"MFU Calculator {mfu_gui.__version__} ({'bundle' if getattr(sys, 'frozen', False) else 'Python package'})",
        f"Data: {data_date(infos)}; {shipped} presets shipped, {len(infos) - shipped} own, {broken} broken",
        f"System: {platform.system()} {platform.release()}, {platform.machine()}",
        f"Python {platform.python_version()}, PySide6 {pyside_version}, Qt {qVersion()}",
        ", ".join(f"{name} {_version(name)}" for name in _PACKAGES),
        f"Platform: {QGuiApplication.platformName()}; screens: {screens}; locale: {QLocale.system().name()}",
        "Settings: " + ", ".join(f"{name}={_shown(value)}" for name, value in settings.items()),
        f"Open: {len(services.workspace.documents)} scenarios",
    ]
    return "\n".join(lines) + "\n"


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "?"


def _shown(value: object) -> str:
    """Words and numbers as they are; of everything longer, how much there is of it."""
    if isinstance(value, str):
        return value if len(value) <= 24 and "/" not in value and "\\" not in value else f"({len(value)} characters)"
    if value is None or isinstance(value, int | float):
        return str(value)
    return f"({len(value)} items)" if isinstance(value, list | tuple | dict | set) else "(…)"
