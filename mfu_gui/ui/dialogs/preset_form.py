"""The form in which a preset of the user's is edited in place; that of a shipped one cannot be changed."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFormLayout, QFrame, QLabel, QLineEdit, QScrollArea, QWidget

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.fields import BY_KEY, MODEL_FIELDS, Field, checked
from mfu_gui.engine.hardware import HardwareSpec
from mfu_gui.engine.run import RunSpec
from mfu_gui.engine.scenario import Scenario
from mfu_gui.formats.preset_edit import HARDWARE_PRESET_FIELDS, TEXT_FIELDS, PresetField, value_of, with_value
from mfu_gui.formats.preset_file import HardwarePreset, ModelPreset, Preset
from mfu_gui.ui.services import Services
from mfu_gui.ui.widgets.card import plain_label
from mfu_gui.ui.widgets.elided_edit import ElidedEdit
from mfu_gui.ui.widgets.number_edit import NumberEdit

_NO_DEVICE = HardwareSpec(peak_tflops={"bf16": 1.0})
_NO_RUN = RunSpec(sequence_length=1)
Change = Callable[[Preset], Preset]
Keep = Callable[[Preset, Change], Preset]
"""Takes the preset that is shown and a change of it, returns what is kept; InputError when it cannot be."""


class PresetForm(QScrollArea):
    """Label and editor for each value; what is changed is kept at once."""

    def __init__(self, services: Services, keep: Keep, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._keep = keep
        self.preset: Preset | None = None
        self.editors: dict[str, QLineEdit] = {}
        self._messages: dict[str, QLabel] = {}
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def show_preset(self, preset: Preset | None, *, own: bool) -> None:
        """Show the values of a preset; only those of an own one can be changed."""
        self.preset = preset
        self.editors, self._messages = {}, {}
        content = QWidget()
        form = QFormLayout(content)
        form.setContentsMargins(0, 4, 10, 4)
        form.setHorizontalSpacing(12)
        form.setVerticalSpacing(4)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        if preset is not None:
            for field in TEXT_FIELDS:
                self._add(form, field, own)
            if isinstance(preset, HardwarePreset):
                for field in HARDWARE_PRESET_FIELDS:
                    self._add(form, field, own)
            else:
                scenario = _scenario(preset)
                for each in MODEL_FIELDS:
                    if each.applies(scenario):
                        self._add_model_field(form, each, scenario, own)
        self.setWidget(content)
        self.viewport().setAutoFillBackground(False)
        content.setAutoFillBackground(False)

    def _add(self, form: QFormLayout, field: PresetField, own: bool) -> None:
        assert self.preset is not None  # noqa: S101 - for the type checker
        value = value_of(self.preset, field.key)
        editor: QLineEdit
        if field.kind == "text":
            editor = ElidedEdit(str(value))
            editor.editingFinished.connect(lambda: self._edit(field.key, editor.text().strip()))
        else:
            number = NumberEdit(field.kind, field.unit, optional=True)
            number.set_value(value)
            number.edited.connect(lambda typed, _burst: self._edit(field.key, typed))
            number.misread.connect(lambda error: self._say(field.key, error))
            editor = number
        tr = self._services.language.tr
        label = field.label if field.key.startswith("spec.peak_tflops.") else tr(field.label)
        self._row(form, field.key, f"{label} ({field.unit})" if field.unit else label, editor, own)

    def _add_model_field(self, form: QFormLayout, field: Field, scenario: Scenario, own: bool) -> None:
        number = NumberEdit(field.kind, field.unit, field.step, minimum=field.minimum, maximum=field.maximum)
        number.set_value(field.get(scenario))
        number.edited.connect(lambda typed, _burst: self._edit_model(field, typed))
        number.misread.connect(lambda error: self._say(field.key, error))
        tr = self._services.language.tr
        number.setToolTip(tr(field.help))
        number.setAccessibleDescription(tr(field.help))
        self._row(form, field.key, tr(field.label), number, own)

    def _row(self, form: QFormLayout, key: str, text: str, editor: QLineEdit, own: bool) -> None:
        editor.setReadOnly(not own)
        editor.setEnabled(own)
        editor.setObjectName(f"preset.{key}")
        editor.setAccessibleName(text)
        label = plain_label(text, tone="muted")
        label.setBuddy(editor)
        form.addRow(label, editor)
        message = plain_label(tone="error", small=True, wrap=True)
        message.hide()
        form.addRow(message)
        self.editors[key] = editor
        self._messages[key] = message

    def _edit(self, key: str, value: object) -> None:
        if self.preset is None or value == value_of(self.preset, key) or (not value and not value_of(self.preset, key)):
            return
        self._try(key, lambda preset: with_value(preset, key, value))

    def _edit_model(self, field: Field, value: object) -> None:
        def change(preset: Preset) -> Preset:
            if not isinstance(preset, ModelPreset):
                return preset
            return replace(preset, spec=field.set(_scenario(preset), checked(field, value)).model)

        self._try(field.key, change)

    def _try(self, key: str, change: Change) -> None:
        if self.preset is None:
            return
        try:
            expected = change(self.preset)
            self.preset = self._keep(self.preset, change)
        except InputError as error:
            self._say(key, error)
            return
        self._say(key, None)
        if self.preset != expected:
            self._follow(key)

    def _follow(self, typed: str) -> None:
        """Show what another program wrote into the preset meanwhile, in all fields but the one that was typed in."""
        if self.preset is None:
            return
        scenario = _scenario(self.preset) if isinstance(self.preset, ModelPreset) else None
        for key, editor in self.editors.items():
            field = BY_KEY.get(key) if scenario is not None else None
            value = value_of(self.preset, key) if field is None or scenario is None else field.get(scenario)
            if key == typed:
                continue
            if isinstance(editor, NumberEdit):
                editor.set_value(value)
            elif editor.text().strip() != str(value):
                editor.setText(str(value))

    def _say(self, key: str, error: InputError | None) -> None:
        tr = self._services.language.tr
        message = self._messages[key]
        message.setText("" if error is None else tr.sentence(error.code, error.values))
        message.setVisible(error is not None)


def _scenario(preset: ModelPreset) -> Scenario:
    """The fields of models are those of scenarios; nothing else of this one is looked at."""
    return Scenario(model=preset.spec, hardware=_NO_DEVICE, run=_NO_RUN)
