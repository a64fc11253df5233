"""PasteController: what to do with a text that was copied elsewhere, whatever it is."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from mfu_gui.ui.files import FileController
from mfu_gui.ui.services import Services

MOST_TOLD = 60


class PasteController:
    """Scenarios and configurations are opened; of anything else a preview asks what to take."""

    def __init__(self, services: Services, files: FileController, window: QWidget,
                 explain: Callable[[], object]) -> None:
        """``explain`` opens the dialog about a reported number."""
        self._services = services
        self._files = files
        self._window = window
        self._explain = explain

    def paste(self) -> None:
        """Take what is on the clipboard."""
        text = QGuiApplication.clipboard().text()
        if self.take(text):
            return
        tr = self._services.language.tr
        start = " ".join(text.split())[:MOST_TOLD]
        self._services.announcer.say(
            tr("Nothing was understood of “{text}”", text=start) if start else tr("There is no text on the clipboard"))

    def take(self, text: str) -> bool:
        """Open or preview a text; False when nothing of it is understood."""
        if _is_one_object(text) and self._files.paste(text):
            return True
        # Only now: reading sentences needs all names of presets, and most windows never do.
        from mfu_gui.formats.pasted import Names, read_pasted
        from mfu_gui.ui.dialogs.paste_preview import PastePreview

        workspace = self._services.workspace
        pasted = read_pasted(text, Names(self._services.presets.infos()), workspace.active.scenario)
        if pasted is None:
            return self._files.paste(text)
        preview = PastePreview(self._services, pasted, self._window)
        preview.reported.connect(self._explain_reported)
        preview.open()
        return True

    def _explain_reported(self) -> None:
        """Who pastes a figure that somebody reported wants to know what it means."""
        from mfu_gui.ui.dialogs.explain import ExplainDialog

        self._explain()
        dialog = self._window.findChild(ExplainDialog)
        if dialog is not None:
            dialog.show_reported()


def _is_one_object(text: str) -> bool:
    """Whether it is JSON of one object, and not a log of many, or a dictionary that Python printed."""
    lines = [line.strip() for line in text.strip().splitlines()[:2]]
    printed = text.lstrip().startswith(("{'", "{\"loss\"", "{'loss'"))
    many = len(lines) > 1 and all(line.startswith("{") and line.endswith("}") for line in lines)
    return text.lstrip().startswith("{") and not printed and not many
