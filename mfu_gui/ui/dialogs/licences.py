"""The licences of the works of others that come with the program, readable without a network."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QPlainTextEdit, QVBoxLayout, QWidget

from mfu_gui.notices import third_party_notices
from mfu_gui.ui import fonts
from mfu_gui.ui.services import Services
from mfu_gui.ui.theme import DIALOG_MARGINS, SMALL


class LicencesDialog(QDialog):
    """One long text."""

    def __init__(self, services: Services, parent: QWidget) -> None:
        super().__init__(parent)
        services.theme.dress(self)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        tr = services.language.tr
        self.setWindowTitle(tr("Licences"))
        self.resize(760, 560)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(*DIALOG_MARGINS)
        layout.setSpacing(8)
        self.text = QPlainTextEdit(third_party_notices())
        self.text.setReadOnly(True)
        self.text.setFont(fonts.font(SMALL))
        self.text.setAccessibleName(tr("Licences"))
        layout.addWidget(self.text, 1)
        buttons = QDialogButtonBox()
        buttons.addButton(tr("Close"), QDialogButtonBox.ButtonRole.RejectRole).setDefault(True)
        buttons.rejected.connect(self.reject)
        layout.addWidget(buttons)
