"""Form: the rows of one panel, made from the table of fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from mfu_gui.engine.fields import Field
from mfu_gui.ui.panels.binding import Binding
from mfu_gui.ui.services import Services
from mfu_gui.ui.widgets.field_row import FieldRow
from mfu_gui.ui.workspace import Document


class Form(QWidget):
    """All fields of a panel; those that do not apply, and those that are not main, are hidden."""

    editor_built = Signal(QWidget)
    """Something new to type into or to choose from, in its place in the form."""

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
            binding.built.connect(self._place)

    def _place(self, binding: Binding) -> None:
        """Put a row that was built just now where it belongs, for the eye and for the Tab key."""
        number = self.bindings.index(binding)
        before = [each for each in self.bindings[:number] if each.is_built]
        after = next((each for each in self.bindings[number + 1:] if each.is_built), None)
        self._layout.insertWidget(len(before), binding.row)
        if before:
            # What follows the editor in its row, such as the mark of a changed value, comes before the next row.
            above = before[-1].row
            last: QWidget = before[-1].editor
            while (following := last.nextInFocusChain()) is not None and above.isAncestorOf(following):
                last = following
            QWidget.setTabOrder(_focusable(last), binding.editor)
        else:
            first: QWidget = self if after is None else after.editor
            QWidget.setTabOrder(_focusable(first.previousInFocusChain() or first), binding.editor)
        self.editor_built.emit(binding.editor)

    def editor(self, key: str) -> QWidget | None:
        """What the field ``key`` is edited with, if it is one of these."""
        return next((binding.editor for binding in self.bindings if binding.field.key == key), None)

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
            if binding.is_shown is not shown:
                other.append((binding.row, shown))
        if other:
            # Each row that is shown would have all of the window laid out at once.
            free = self._layout.isEnabled()
            self._layout.setEnabled(False)
            for row, shown in other:
                row.setVisible(shown)
            self._layout.setEnabled(free)  # while the window is held, it stays held
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


def _focusable(widget: QWidget) -> QWidget:
    """``widget``, or the nearest one before it that can have the focus: Qt puts nothing behind others."""
    found: QWidget | None = widget
    while found is not None and found.focusPolicy() == Qt.FocusPolicy.NoFocus:
        found = found.previousInFocusChain()
        if found is widget:
            break
    return found or widget
