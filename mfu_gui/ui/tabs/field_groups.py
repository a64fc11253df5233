"""FieldGroups: fields of the plan under headings, one group beneath the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from mfu_gui.engine.fields import Field
from mfu_gui.ui.panels.form import Form
from mfu_gui.ui.services import Services
from mfu_gui.ui.workspace import Document


class FieldGroups(QWidget):
    """Forms that are written, shown and forgotten together; ``column`` holds them and their headings."""

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._headings: list[tuple[QLabel, str]] = []
        self.forms: list[Form] = []
        self.column = QVBoxLayout(self)

    def add_group(self, label: QLabel, heading: str, fields: tuple[Field, ...],
                  special: Mapping[str, Mapping[str, Any]] | None = None) -> Form:
        """One more group under ``label``, which says ``heading``, a message id; ``special`` as ``Form`` takes it."""
        form = Form(self._services, fields, special)
        form.expanded = True
        self._headings.append((label, heading))
        self.forms.append(form)
        self.column.addWidget(label)
        self.column.addWidget(form)
        return form

    def retranslate(self) -> None:
        """Write all texts again."""
        for label, heading in self._headings:
            label.setText(self._services.language.tr(heading))
        for form in self.forms:
            form.retranslate()

    def refresh(self, document: Document) -> None:
        """Show the fields of ``document``."""
        for form in self.forms:
            form.refresh(document)

    def forget(self) -> None:
        """Give up texts that could not be used."""
        for form in self.forms:
            form.forget()
