"""TabPage: what the pages of the tabs that show the active document have in common."""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtWidgets import QWidget

from mfu_gui.engine.scenario import Result
from mfu_gui.ui.services import Services
from mfu_gui.ui.workspace import ACTIVE, FILE, Document


class TabPage(QWidget):
    """A page about the active document.  It computes and draws only while it is looked at."""

    NOT_SHOWN: ClassVar[frozenset[str]] = frozenset({FILE})
    """Aspects of a document that change nothing on the page."""

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.services = services
        self._active = False
        services.workspace.changed.connect(self._changed)

    def refresh(self, document: Document) -> None:
        """Show ``document``."""
        raise NotImplementedError

    def forget(self) -> None:
        """Another document is the active one: give up what belongs to the one before."""

    def set_active(self, active: bool) -> None:
        """Whether the page is looked at."""
        self._active = active
        self._redraw()

    def _changed(self, document: Document, aspects: frozenset[str], result: Result | None) -> None:
        if document is not self.services.workspace.active:
            return
        if ACTIVE in aspects:
            self.forget()
        if self._active and aspects - self.NOT_SHOWN:
            self.refresh(document)

    def _redraw(self) -> None:
        if self._active and not self.services.workspace.is_empty:
            self.refresh(self.services.workspace.active)
