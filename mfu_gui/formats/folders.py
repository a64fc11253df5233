"""Where the user's own files are."""

from __future__ import annotations

import os
import sys
from pathlib import Path

HOME_VARIABLE = "MFU_GUI_HOME"
MARKER = "portable"
"""A folder of this name beside the program holds everything the user makes, for a memory stick."""


def user_folder() -> Path:
    """The folder for what the user makes: MFU_GUI_HOME, else ``portable`` beside the program, else the system's place
    for user data.

    It need not exist yet.
    """
    chosen = _chosen()
    if chosen is not None:
        return chosen
    from platformdirs import user_data_path

    return user_data_path("mfu-gui", appauthor=False)


def _chosen() -> Path | None:
    """Where the user said that everything is to be."""
    named = os.environ.get(HOME_VARIABLE)
    if named:
        return Path(named).expanduser().absolute()
    if getattr(sys, "frozen", False):  # a bundle stands in a folder of its own, an interpreter does not
        beside = Path(sys.executable).resolve().parent / MARKER
        if beside.is_dir():
            return beside
    return None


def log_folder() -> Path:
    """The folder for logs: ``logs`` in a folder that was chosen, else the system's place for them.

    It need not exist yet.
    """
    chosen = _chosen()
    if chosen is not None:
        return chosen / "logs"
    from platformdirs import user_log_path

    return user_log_path("mfu-gui", appauthor=False)
