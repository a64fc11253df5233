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
