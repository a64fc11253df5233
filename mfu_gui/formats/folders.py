"""Where the user's own files are."""

from __future__ import annotations

import os
from pathlib import Path

HOME_VARIABLE = "MFU_GUI_HOME"


def user_folder() -> Path:
    """The folder for what the user makes: MFU_GUI_HOME, else the system's place for user data.

    It need not exist yet.
    """
    chosen = os.environ.get(HOME_VARIABLE)
    if chosen:
        return Path(chosen).expanduser().absolute()
    from platformdirs import user_data_path

    return user_data_path("mfu-gui", appauthor=False)


def log_folder() -> Path:
    """The folder for logs: ``logs`` in MFU_GUI_HOME, else the system's place for them.

    It need not exist yet.
    """
    if os.environ.get(HOME_VARIABLE):
        return user_folder() / "logs"
    from platformdirs import user_log_path

    return user_log_path("mfu-gui", appauthor=False)
