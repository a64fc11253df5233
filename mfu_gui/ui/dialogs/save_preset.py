"""Keep the model or the hardware of the scenario, as it was edited, as a preset of the user's own."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLineEdit, QVBoxLayout, QWidget

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.fields import N_
from mfu_gui.engine.hardware import HardwareSpec
from mfu_gui.engine.scenario import Scenario, Source
from mfu_gui.formats.preset_edit import made_of_hardware, made_of_model
from mfu_gui.formats.preset_file import Kind, slug
from mfu_gui.ui.services import Services
from mfu_gui.ui.theme import DIALOG_MARGINS
from mfu_gui.ui.widgets.card import plain_label
from mfu_gui.ui.widgets.segments import Segments

_KINDS: tuple[tuple[Kind, str], ...] = (("mfu-model", N_("Model")), ("mfu-hardware", N_("Hardware")))


class SavePresetDialog(QDialog):
    """What, under which name, and where its figures are from."""

    def __init__(self, services: Services, parent: QWidget, today: Callable[[], date] = date.today) -> None:
        super().__init__(parent)
        services.theme.dress(self)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._services = services
        self._today = today
        self._document = services.workspace.active
        self.kind: Kind = "mfu-model"
        tr = services.language.tr
        self.setWindowTitle(tr("Save as preset"))
        self.setMinimumWidth(420)
        self.kinds = Segments(services.theme, tuple((key, "") for key, _ in _KINDS))
        for key, text in _KINDS:
            self.kinds.set_text(key, tr(text))
        self.kinds.chosen.connect(self.show_kind)
        self.name, self.source = QLineEdit(), QLineEdit()
        self.note = plain_label(tone="muted", small=True, wrap=True)
        self.problem = plain_label(tone="error", small=True, wrap=True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(*DIALOG_MARGINS)
        layout.setSpacing(6)
        layout.addWidget(self.kinds, 0, Qt.AlignmentFlag.AlignLeft)
        for text, editor in ((tr("Name"), self.name), (tr("Source of the figures"), self.source)):
            label = plain_label(text, tone="muted")
            label.setBuddy(editor)
            editor.setAccessibleName(text)
            layout.addWidget(label)
            layout.addWidget(editor)
        layout.addWidget(self.note)
        layout.addWidget(self.problem)
        buttons = QDialogButtonBox()
        buttons.addButton(tr("Save"), QDialogButtonBox.ButtonRole.AcceptRole).setDefault(True)
        buttons.addButton(tr("Cancel"), QDialogButtonBox.ButtonRole.RejectRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout.addWidget(buttons)
        scenario = self._document.scenario
        edited = services.origins.is_edited(scenario) or scenario.model_source.preset is None
        self.show_kind("mfu-hardware" if scenario.peak.tflops is not None and not edited else "mfu-model")

    def show_kind(self, kind: str) -> None:
        """Model or hardware."""
        self.kind = "mfu-hardware" if kind == "mfu-hardware" else "mfu-model"
        self.kinds.set_value(kind)
        scenario, tr = self._document.scenario, self._services.language.tr
        own = scenario.model.name if self.kind == "mfu-model" else scenario.hardware.name
        self.name.setText(tr("{name}, own", name=own) if own else tr("Own model") if self.kind == "mfu-model" else
                          tr("Own hardware"))
        self.name.selectAll()
        self.note.clear()
        if self.kind == "mfu-hardware" and _folds(scenario):
            self.note.setText(tr("The peak that was typed becomes the preset's dense {precision} peak.",
                                 precision=scenario.run.precision.upper()))
        self.problem.clear()

    def accept(self) -> None:
        name = self.name.text().strip()
        store, tr = self._services.presets, self._services.language.tr
        scenario, today = self._document.scenario, self._today()
        try:
            if not name:
                raise InputError("required", "name")
            new_id = store.free_id(self.kind, slug(name))
            if self.kind == "mfu-model":
                origin = self._services.origins.of_model(scenario)
                based = None if origin is None else origin.source.preset
                model = made_of_model(scenario.model, new_id, name, self.source.text().strip(), today, based)
                store.save(model)
                changed = replace(scenario, model=model.spec, model_source=Source(preset=new_id))
            else:
                device = made_of_hardware(_with_typed_peak(scenario), new_id, name, self.source.text().strip(), today,
                                          scenario.hardware_source.preset)
                store.save(device)
                changed = replace(scenario, hardware=device.spec, hardware_source=Source(preset=new_id),
                                  peak=replace(scenario.peak, tflops=None) if _folds(scenario) else scenario.peak)
        except InputError as error:
            self.problem.setText(tr.sentence(error.code, error.values))
            return
        self._services.origins.forget()
        key = "model.preset" if self.kind == "mfu-model" else "hardware.preset"
        self._services.workspace.edit(self._document, key, changed, label=N_("Save as preset"))
        self._services.announcer.say(tr("Saved the preset {name}", name=name))
        super().accept()


def _folds(scenario: Scenario) -> bool:
    """Whether a typed peak can be a preset's: those are dense, and of one unit."""
    return scenario.peak.tflops is not None and scenario.peak.kind == "dense" and scenario.peak.mix is None


def _with_typed_peak(scenario: Scenario) -> HardwareSpec:
    device = scenario.hardware
    if not _folds(scenario) or scenario.peak.tflops is None:
        return device
    return replace(device, peak_tflops={**device.peak_tflops, scenario.run.precision: scenario.peak.tflops})
