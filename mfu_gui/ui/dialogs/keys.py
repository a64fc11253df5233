"""All keys of the window, from the table of actions."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QGridLayout, QVBoxLayout, QWidget

from mfu_gui.texts import N_
from mfu_gui.ui import fonts
from mfu_gui.ui.actions import ACTIONS, without_mnemonic
from mfu_gui.ui.services import Services
from mfu_gui.ui.widgets.card import plain_label

_IN_FIELDS = (
    ("↑  ↓", N_("Change a number by one step")),
    ("PgUp  PgDn", N_("Change a number by ten steps")),
    ("Enter", N_("Take the value")),
    ("Esc", N_("Show the last valid value again")),
    ("←  →", N_("Move the point of the plot by 1 %")),
    ("Ctrl+C", N_("Copy the number, row or table that has the focus")),
)


class KeysDialog(QDialog):
    """Two columns: key and what it does."""

    def __init__(self, services: Services, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        tr = services.language.tr
        self.setWindowTitle(tr("Keys"))
        layout = QVBoxLayout(self)
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(3)
        rows = [(keys[0], tr(text)) for _, _, text, keys, *_ in ACTIONS if keys]
        rows = [(QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText), without_mnemonic(text).rstrip("…"))
                for key, text in rows]
        rows += [(key, tr(text)) for key, text in _IN_FIELDS]
        half = (len(rows) + 1) // 2
        for number, (key, text) in enumerate(rows):
            column = 3 * (number // half)
            name = plain_label(key)
            name.setFont(fonts.bold())
            grid.addWidget(name, number % half, column)
            grid.addWidget(plain_label(text, tone="muted"), number % half, column + 1)
        grid.setColumnMinimumWidth(2, 12)
        layout.addLayout(grid)
        buttons = QDialogButtonBox()
        buttons.addButton(tr("Close"), QDialogButtonBox.ButtonRole.RejectRole).setDefault(True)
        buttons.rejected.connect(self.reject)
        layout.addSpacing(8)
        layout.addWidget(buttons)
