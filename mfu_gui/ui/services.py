"""What every part of the window is given: the workspace, and who knows colours, words, presets and settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    from mfu_gui.formats.presets import PresetStore
    from mfu_gui.ui.language import Language
    from mfu_gui.ui.origins import Origins
    from mfu_gui.ui.settings import Settings
    from mfu_gui.ui.theme import Theme
    from mfu_gui.ui.workspace import Workspace


class Announcer(QObject):
    """Short remarks for the status line ("Copied 38.94")."""

    said = Signal(str)

    def say(self, text: str) -> None:
        self.said.emit(text)


@dataclass(frozen=True)
class Services:
    """Shared by all widgets of one window; nothing of it is global."""

    workspace: Workspace
    theme: Theme
    language: Language
    presets: PresetStore
    origins: Origins
    settings: Settings
    announcer: Announcer
