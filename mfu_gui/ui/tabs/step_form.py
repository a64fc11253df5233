"""A form beside a view: fields of the plan under a heading, in a column that scrolls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QWidget

from mfu_gui.engine.fields import Field
from mfu_gui.ui.services import Services
from mfu_gui.ui.tabs.field_groups import FieldGroups
from mfu_gui.ui.widgets.card import plain_label
from mfu_gui.ui.widgets.down_scroll import DownScroll
from mfu_gui.ui.workspace import Document

WIDTH = 318


class SideForm(DownScroll):
    """Groups of fields, one beneath the other; as wide as its rows."""

    def __init__(self, services: Services, groups: tuple[tuple[str, tuple[Field, ...]], ...],
                 special: Mapping[str, Mapping[str, Any]] | None = None, parent: QWidget | None = None) -> None:
        """``groups``: (heading as a message id, fields)."""
        self._groups = FieldGroups(services)
        column = self.column = self._groups.column
        column.setContentsMargins(12, 0, 8, 4)
        column.setSpacing(2)
        for heading, fields in groups:
            self._groups.add_group(plain_label(tone="muted"), heading, fields, special)
            column.addSpacing(6)
        column.addStretch(1)
        super().__init__(self._groups, parent)
        self.setFixedWidth(WIDTH)
        self.forms = self._groups.forms
        for form in self.forms:
            form.editor_built.connect(self._watch)

    def _watch(self, editor: QWidget) -> None:
        editor.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FocusIn and isinstance(watched, QWidget):
            self.ensureWidgetVisible(watched, 0, 12)
        return super().eventFilter(watched, event)

    def retranslate(self) -> None:
        """Write all texts again."""
        self._groups.retranslate()

    def refresh(self, document: Document) -> None:
        """Show the fields of ``document``."""
        self._groups.refresh(document)

    def forget(self) -> None:
        """Give up texts that could not be used."""
        self._groups.forget()
