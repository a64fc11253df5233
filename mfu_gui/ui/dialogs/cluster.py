"""Devices as cards × nodes × pods."""

from __future__ import annotations

from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QVBoxLayout, QWidget

from mfu_gui.engine.fields import BY_KEY, N_
from mfu_gui.ui import fonts
from mfu_gui.ui.services import Services
from mfu_gui.ui.theme import DIALOG_MARGINS
from mfu_gui.ui.widgets.card import plain_label
from mfu_gui.ui.widgets.field_row import FieldRow
from mfu_gui.ui.widgets.number_edit import NumberEdit

PARTS = (("cards", N_("Devices per node"), N_("As many as share one machine and its fast links.")),
         ("nodes", N_("Nodes"), N_("Machines, of one pod if there are several.")),
         ("pods", N_("Pods"), N_("Pods, racks or clusters that take part; 1 if there is one.")))
_USUAL_NODE = 8


def parts_of(devices: int | None, per_node: int | None) -> tuple[int, int, int]:
    """(cards, nodes, pods) that a number of devices may be; whole nodes if they are."""
    each = per_node or _USUAL_NODE
    if devices is None:
        return each, 1, 1
    return (each, devices // each, 1) if devices % each == 0 else (devices, 1, 1)


class ClusterDialog(QDialog):
    """Three numbers and their product, which is the number of devices."""

    def __init__(self, services: Services, parent: QWidget) -> None:
        super().__init__(parent)
        services.theme.dress(self)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._services = services
        tr = services.language.tr
        self.setWindowTitle(tr("Devices from nodes"))
        scenario = services.workspace.active.scenario
        layout = QVBoxLayout(self)
        layout.setContentsMargins(*DIALOG_MARGINS)
        layout.setSpacing(4)
        self.edits: dict[str, NumberEdit] = {}
        values = parts_of(scenario.run.devices, scenario.hardware.devices_per_node)
        for (key, label, help_text), value in zip(PARTS, values, strict=True):
            edit = NumberEdit("integer", minimum=1, maximum=10**7, step="double" if key != "cards" else 1)
            edit.setObjectName(f"cluster.{key}")
            edit.set_value(value)
            row = FieldRow(services, edit)
            row.set_texts(tr(label), tr(help_text), "")
            edit.edited.connect(lambda _value, _burst: self._show())
            edit.misread.connect(lambda _error: self._show())
            layout.addWidget(row)
            self.edits[key] = edit
        self.total = plain_label()
        self.total.setObjectName("cluster.total")
        self.total.setFont(fonts.bold())
        layout.addSpacing(4)
        layout.addWidget(self.total)
        buttons = QDialogButtonBox()
        self.take = buttons.addButton(tr("Use it"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.take.setDefault(True)
        buttons.addButton(tr("Cancel"), QDialogButtonBox.ButtonRole.RejectRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout.addSpacing(8)
        layout.addWidget(buttons)
        self.edits["nodes"].setFocus()
        self.edits["nodes"].selectAll()
        self._show()

    @property
    def devices(self) -> int | None:
        """The product; None while one of the numbers cannot be used, or it is more than a field takes."""
        product = 1
        for edit in self.edits.values():
            if edit.wrong or not isinstance(edit.value, int) or edit.value < 1:
                return None
            product *= edit.value
        return product if product <= (BY_KEY["run.devices"].maximum or product) else None

    def _show(self) -> None:
        devices, tr = self.devices, self._services.language.tr
        self.total.setText("–" if devices is None else tr("= {n} devices", n=tr.numbers.integer(devices)))
        self.take.setEnabled(devices is not None)

    def accept(self) -> None:
        """Make the product the number of devices, as one step of undo."""
        devices, workspace = self.devices, self._services.workspace
        if devices is None:
            return
        scenario = workspace.active.scenario
        workspace.edit(workspace.active, "run.devices", replace(scenario, run=replace(scenario.run, devices=devices)),
                       label=N_("Devices"))
        super().accept()
