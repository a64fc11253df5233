"""What the reading of a config.json assumed, as a list that can be read and copied."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from mfu_gui.engine.errors import Notice
from mfu_gui.ui.services import Services
from mfu_gui.ui.theme import DIALOG_MARGINS
from mfu_gui.ui.widgets.card import plain_label


class AssumptionsDialog(QDialog):
    """One sentence a line."""

    def __init__(self, services: Services, notices: Sequence[Notice], parent: QWidget) -> None:
        super().__init__(parent)
        services.theme.dress(self)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        tr = services.language.tr
        self.setWindowTitle(tr("Assumptions"))
        self.resize(620, 340)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(*DIALOG_MARGINS)
        layout.setSpacing(8)
        layout.addWidget(plain_label(tr("Where the file leaves something open, this was assumed:"), wrap=True))
        sentences = [tr.sentence(notice.code, notice.values) for notice in notices]
        self.text = QPlainTextEdit("\n".join(f"• {sentence}" for sentence in sentences))
        self.text.setReadOnly(True)
        self.text.setAccessibleName(tr("Assumptions"))
        layout.addWidget(self.text, 1)
        row = QHBoxLayout()
        copy, close = QPushButton(tr("Copy")), QPushButton(tr("Close"))
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText("\n".join(sentences)))
        close.clicked.connect(self.reject)
        close.setDefault(True)
        row.addWidget(copy)
        row.addStretch(1)
        row.addWidget(close)
        layout.addLayout(row)
