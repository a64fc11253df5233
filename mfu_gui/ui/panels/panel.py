"""Panel: a card with a form, as all four at the left are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QToolButton, QWidget

from mfu_gui.engine.fields import Field
from mfu_gui.engine.scenario import Result
from mfu_gui.ui import icons
from mfu_gui.ui.panels.form import Form
from mfu_gui.ui.services import Services
from mfu_gui.ui.widgets.card import Card
from mfu_gui.ui.workspace import ACTIVE, EVERYTHING, FILE_ONLY, Document

Special = Mapping[str, Mapping[str, Any]]
"""Keyword arguments of ``Binding`` for some fields, by key."""


class Panel(Card):
    """Draws the active document; subclasses give the title, and add to the form."""

    SHOWS: ClassVar[frozenset[str]] = EVERYTHING
    """Aspects of a document that change something on the panel, as long as nothing is wrong in it."""

    def __init__(self, services: Services, fields: tuple[Field, ...],
                 special: Special | None = None, parent: QWidget | None = None) -> None:
        super().__init__(services.theme, parent)
        self.services = services
        self._drawn: tuple[bool, int] = (False, -1)
        self.add_lead()
        self.form = Form(services, fields, special)
        self.body.addWidget(self.form)
        self.more = QToolButton()
        self.more.setProperty("role", "flat")
        self.more.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.more.setFixedSize(20, 20)
        self.more.clicked.connect(self._toggle)
        self.head.addWidget(self.more)
        services.workspace.changed.connect(self._changed)
        services.language.changed.connect(self._language_changed)
        services.theme.changed.connect(self._restyle)
        self._restyle()

    def add_lead(self) -> None:
        """Put what stands above the form into the body: added before the form, the Tab key comes to it first."""

    def start(self) -> None:
        """Write the texts; called by subclasses when they are complete."""
        self.retranslate()
        if not self.services.workspace.is_empty:
            self.refresh(self.services.workspace.active)

    def retranslate(self) -> None:
        """Write all texts again."""
        self.form.retranslate()

    def refresh(self, document: Document) -> None:
        """Show ``document``."""
        self.form.refresh(document)
        count = self.form.more(document)
        tr = self.services.language.tr
        text = tr("Fewer fields") if self.form.expanded else tr.plural("{n} more field…", "{n} more fields…", count)
        if text != self.more.accessibleName():
            self.more.setToolTip(text)
            self.more.setAccessibleName(text)
        self.more.setVisible(count > 0)

    def show_all_for(self, widget: QWidget) -> None:
        """Show all fields if ``widget`` edits one that is not among the main ones."""
        if not self.form.expanded and any(
                b.is_built and b.editor is widget and not b.field.main for b in self.form.bindings):
            self._toggle()

    def _restyle(self) -> None:
        name = "fold" if self.form.expanded else "unfold"
        self.more.setIcon(icons.icon(name, self.services.theme.color("muted")))

    def _toggle(self) -> None:
        self.form.expanded = not self.form.expanded
        self._restyle()
        self.refresh(self.services.workspace.active)

    def _changed(self, document: Document, aspects: frozenset[str], result: Result | None) -> None:
        if document is self.services.workspace.active and aspects != FILE_ONLY:
            if ACTIVE in aspects:
                self.form.forget()
            # A panel that would show the same costs a tenth of a key press all the same.
            drawn = document.settled, self.services.origins.version
            if ACTIVE in aspects or aspects & self.SHOWS or drawn != self._drawn or not document.settled:
                self._drawn = drawn
                self.refresh(document)

    def _language_changed(self) -> None:
        self.retranslate()
        if not self.services.workspace.is_empty:
            self.refresh(self.services.workspace.active)
