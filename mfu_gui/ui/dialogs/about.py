"""What the program is, which version, and that it talks to nobody."""

from __future__ import annotations

import platform

from PySide6 import __version__ as pyside_version
from PySide6.QtCore import Qt, qVersion
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QVBoxLayout, QWidget

import mfu_gui
from mfu_gui.ui import fonts
from mfu_gui.ui.diagnostics import data_date
from mfu_gui.ui.services import Services
from mfu_gui.ui.theme import DIALOG_MARGINS, VALUE
from mfu_gui.ui.widgets.card import plain_label


class AboutDialog(QDialog):
    """A few lines."""

    def __init__(self, services: Services, parent: QWidget) -> None:
        super().__init__(parent)
        services.theme.dress(self)
        self._services = services
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        tr = services.language.tr
        self.setWindowTitle(tr("About"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(*DIALOG_MARGINS)
        layout.setSpacing(8)
        title = plain_label(tr("MFU Calculator"))
        title.setFont(fonts.bold(VALUE))
        layout.addWidget(title)
        infos = services.presets.infos()
        lines = (
            tr("Version {version}", version=mfu_gui.__version__),
            tr("How well does a training run use its hardware, why, and what would change it?"),
            tr("It works offline and sends nothing. Your files are in {folder}.", folder=str(services.settings.folder)),
            tr("Data of {date}: {n} models and devices.", date=data_date(infos), n=sum(i.shipped for i in infos)),
            f"Python {platform.python_version()} · PySide6 {pyside_version} · Qt {qVersion()}",
        )
        for number, line in enumerate(lines):
            label = plain_label(line, tone="" if number == 1 else "muted", wrap=True)
            label.setMinimumWidth(420)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            layout.addWidget(label)
        buttons = QDialogButtonBox()
        # The role keeps it away from Close; it does not end the dialog.
        self.licences = buttons.addButton(tr("Licences…"), QDialogButtonBox.ButtonRole.HelpRole)
        self.licences.clicked.connect(self._show_licences)
        buttons.addButton(tr("Close"), QDialogButtonBox.ButtonRole.RejectRole).setDefault(True)
        buttons.rejected.connect(self.reject)
        layout.addWidget(buttons)

    def _show_licences(self) -> None:
        from mfu_gui.ui.dialogs.licences import LicencesDialog

        LicencesDialog(self._services, self).open()
