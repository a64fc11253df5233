"""What the window remembers between two starts: language, colours, sizes, recent files."""

from __future__ import annotations

import logging
from pathlib import Path

import msgspec

from mfu_gui.engine.errors import InputError
from mfu_gui.formats import atomic
from mfu_gui.formats.folders import user_folder

FILE_NAME = "settings.json"
MOST_RECENT = 10
_log = logging.getLogger(__name__)


class Stored(msgspec.Struct, omit_defaults=True):
    """The file.  Unknown keys are kept out, missing ones take their default."""

    language: str = ""
    """Empty: that of the system."""
    theme: str = "system"
    tab: str = "breakdown"
    target: float | None = 0.5
    published: bool = False
    """Published runs are shown in the plot."""
    log_axes: bool = False
    """The axes of the plot are logarithmic."""
    overlay: bool = True
    """The curves of the other open scenarios are shown in the plot."""
    whole_side: dict[str, bool] = {}
    """Of each kind of tab: whether it has the whole right side, as the user chose."""
    recent: list[str] = []
    geometry: str = ""
    """QWidget.saveGeometry, in base 64."""
    split: list[int] = []


class Settings:
    """Reads the file once; ``save`` writes what has changed since."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder if folder is not None else user_folder()
        self._path = self.folder / FILE_NAME
        self.stored = self._read()
        self._written = msgspec.json.encode(self.stored)

    def _read(self) -> Stored:
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=Stored)
        except (OSError, msgspec.MsgspecError):
            # Settings are a convenience: a broken file must not keep the window from opening.
            return Stored()

    @property
    def target(self) -> float | None:
        """Utilization of the target line in the plot; None hides it."""
        return self.stored.target

    @target.setter
    def target(self, value: float | None) -> None:
        self.stored.target = value

    @property
    def recent(self) -> list[Path]:
        """Files used lately, the last one first."""
        return [Path(text) for text in self.stored.recent]

    def add_recent(self, path: Path) -> None:
        """Remember a file."""
        text = str(path.absolute())
        self.stored.recent = [text, *(t for t in self.stored.recent if t != text)][:MOST_RECENT]

    def save(self) -> None:
        """Write the file if there is something new; a failure is logged only."""
        data = msgspec.json.encode(self.stored)
        if data == self._written:
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            atomic.write_bytes(self._path, msgspec.json.format(data, indent=2))
            self._written = data
        except (OSError, InputError) as error:
            _log.warning("settings not written: %s", error)
