"""Form: the rows of one panel, made from the table of fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtWidgets import QVBoxLayout, QWidget

from mfu_gui.engine.fields import Field
from mfu_gui.ui.panels.binding import Binding
from mfu_gui.ui.services import Services
from mfu_gui.ui.widgets.field_row import FieldRow
from mfu_gui.ui.workspace import Document


class Form(QWidget):
    """All fields of a panel; those that do not apply, and those that are not main, are hidden."""

    def __init__(self, services: Services, fields: tuple[Field, ...],
                 special: Mapping[str, Mapping[str, Any]] | None = None, parent: QWidget | None = None) -> None:
        """``special``: keyword arguments of ``Binding`` for some fields, by key."""
        super().__init__(parent)
        layout = self._layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        self.expanded = False
        self.bindings = [Binding(services, field, self, **(special or {}).get(field.key, {})) for field in fields]
        for binding in self.bindings:
            layout.addWidget(binding.row)
        self.retranslate()

    def retranslate(self) -> None:
        """Write all texts again."""
        for binding in self.bindings:
            binding.retranslate()

    def refresh(self, document: Document) -> None:
        """Show the fields of ``document``."""
        other: list[tuple[FieldRow, bool]] = []
        for binding in self.bindings:
            field = binding.field
            shown = field.applies(document.scenario) and (
                self.expanded or field.main or self._has_problem(field, document))
            if shown:
                binding.refresh(document)
            if binding.row.isHidden() is shown:
                other.append((binding.row, shown))
        if other:
            # Each row that is shown would have all of the window laid out at once.
            self._layout.setEnabled(False)
            for row, shown in other:
                row.setVisible(shown)
            self._layout.setEnabled(True)
            self.updateGeometry()

    def forget(self) -> None:
        """Give up texts that could not be used."""
        for binding in self.bindings:
            binding.forget()

    def more(self, document: Document) -> int:
        """How many fields apply that are not main."""
        return sum(not b.field.main and b.field.applies(document.scenario) for b in self.bindings)

    @staticmethod
    def _has_problem(field: Field, document: Document) -> bool:
        return field.key in document.invalid or document.state.place == field.key
