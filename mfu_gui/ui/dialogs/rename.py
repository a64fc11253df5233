"""Name and notes of a scenario."""

from __future__ import annotations

from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLineEdit, QPlainTextEdit, QVBoxLayout, QWidget

from mfu_gui.engine.fields import N_
from mfu_gui.ui.services import Services
from mfu_gui.ui.theme import DIALOG_MARGINS
from mfu_gui.ui.widgets.card import plain_label


class RenameDialog(QDialog):
    """Edits the active document as one step of undo."""

    def __init__(self, services: Services, parent: QWidget) -> None:
        super().__init__(parent)
        services.theme.dress(self)
        self.services = services
        self._document = services.workspace.active
        tr = services.language.tr
        self.setWindowTitle(tr("Rename"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(*DIALOG_MARGINS)
        layout.setSpacing(6)
        self.name = QLineEdit(self._document.scenario.name)
        self.name.setMinimumWidth(380)
        self.notes = QPlainTextEdit(self._document.scenario.notes)
        self.notes.setTabChangesFocus(True)
        for text, editor in ((tr("Name"), self.name), (tr("Notes"), self.notes)):
            label = plain_label(text, tone="muted")
            label.setBuddy(editor)
            editor.setAccessibleName(text)
            layout.addWidget(label)
            layout.addWidget(editor)
        buttons = QDialogButtonBox()
        ok = buttons.addButton(tr("OK"), QDialogButtonBox.ButtonRole.AcceptRole)
        ok.setDefault(True)
        buttons.addButton(tr("Cancel"), QDialogButtonBox.ButtonRole.RejectRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout.addSpacing(6)
        layout.addWidget(buttons)
        self.name.selectAll()

    def accept(self) -> None:
        scenario = replace(self._document.scenario, name=self.name.text().strip(), notes=self.notes.toPlainText())
        self.services.workspace.edit(self._document, "name", scenario, label=N_("Rename"))
        super().accept()
