"""NoLogs: what the Log tab shows before the first log: what it reads, and a button to open one."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from mfu_gui.ui.services import Services
from mfu_gui.ui.widgets.card import plain_label


class NoLogs(QWidget):
    """Some words in the middle of the page, and below them the button that calls ``open_log``."""

    def __init__(self, services: Services, open_log: Callable[[], None], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self.hint = plain_label(tone="muted", wrap=True)
        self.hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.button = QPushButton()
        self.button.clicked.connect(open_log)
        column = QVBoxLayout(self)
        column.setSpacing(10)
        column.addStretch(1)
        column.addWidget(self.hint)
        column.addWidget(self.button, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(1)

    def retranslate(self) -> None:
        """Write the texts in the language in force."""
        tr = self._services.language.tr
        self.hint.setText(tr("Drop a training log on the window to see MFU over time.\nMegatron, NeMo, torchtitan, "
                             "DeepSpeed, Hugging Face, nanoGPT, verl, MaxText and many more; W&B and TensorBoard "
                             "exports; tables."))
        self.button.setText(tr("Open log…"))
