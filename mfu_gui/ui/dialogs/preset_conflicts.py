"""What to do with presets that cannot simply be imported: overwrite, keep both, or skip; each by itself."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFrame, QGridLayout, QScrollArea, QVBoxLayout, QWidget

from mfu_gui.formats.preset_import import Decision, Incoming
from mfu_gui.texts import N_
from mfu_gui.ui import fonts
from mfu_gui.ui.services import Services
from mfu_gui.ui.theme import DIALOG_MARGINS
from mfu_gui.ui.widgets.card import plain_label
from mfu_gui.ui.widgets.choice_box import ChoiceBox

_DECISIONS: dict[Decision, str] = {"take": N_("Import"), "overwrite": N_("Overwrite"), "both": N_("Keep both"),
                                   "skip": N_("Skip")}
_REASONS = {"none": "", "same": N_("You have exactly this preset already."),
            "own": N_("You have another preset with this id."),
            "shipped": N_("A preset of the program has this id."), "broken": ""}


class ConflictDialog(QDialog):
    """One row for each file, with what can be done about it."""

    def __init__(self, services: Services, incoming: Sequence[Incoming], parent: QWidget) -> None:
        super().__init__(parent)
        services.theme.dress(self)
        self.incoming = list(incoming)
        tr = services.language.tr
        self.setWindowTitle(tr("Import presets"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(*DIALOG_MARGINS)
        layout.setSpacing(10)
        layout.addWidget(plain_label(tr("Not everything can simply be imported. What shall happen?"), wrap=True))
        content = QWidget()
        grid = QGridLayout(content)
        grid.setContentsMargins(0, 0, 8, 0)
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(2)
        grid.setColumnStretch(0, 1)
        self.boxes: list[ChoiceBox] = []
        for number, each in enumerate(self.incoming):
            name = plain_label(each.path.name if each.preset is None else f"{each.preset.name}  ({each.preset.id})",
                               wrap=True)
            name.setFont(fonts.bold())
            box = ChoiceBox(services.theme)
            box.set_choices([(decision, tr(_DECISIONS[decision])) for decision in each.decisions])
            box.set_value(each.decisions[0])
            box.setAccessibleName(name.text())
            box.setEnabled(len(each.decisions) > 1)
            known = _REASONS[each.conflict]
            reason = tr(known) if known else ""
            if each.error is not None:
                reason = tr.describe(each.error, beside=each.path.name)
            grid.addWidget(name, 2 * number, 0)
            grid.addWidget(box, 2 * number, 1, 2, 1, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(plain_label(reason, tone="error" if each.error else "muted", small=True, wrap=True),
                           2 * number + 1, 0, Qt.AlignmentFlag.AlignTop)
            grid.setRowMinimumHeight(2 * number + 1, 32)  # what belongs together stands closer than the next file
            self.boxes.append(box)
        grid.setRowStretch(2 * len(self.incoming), 1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(content)
        scroll.viewport().setAutoFillBackground(False)
        content.setAutoFillBackground(False)
        layout.addWidget(scroll, 1)
        buttons = QDialogButtonBox()
        buttons.addButton(tr("Import"), QDialogButtonBox.ButtonRole.AcceptRole).setDefault(True)
        buttons.addButton(tr("Cancel"), QDialogButtonBox.ButtonRole.RejectRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout.addWidget(buttons)
        self.resize(560, min(520, 150 + 54 * len(self.incoming)))

    @property
    def decisions(self) -> list[Decision]:
        """What was chosen for each file."""
        return [box.currentData() for box in self.boxes]
