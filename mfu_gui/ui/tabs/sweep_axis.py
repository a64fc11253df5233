"""One axis of a sweep in the window: which field, and its values as they are typed."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.field import Field
from mfu_gui.engine.scenario import Scenario
from mfu_gui.formats.quantities import to_text
from mfu_gui.formats.sweep_axis import read_values
from mfu_gui.planning.sweep_axes import Axis, applying, axis_of, sweep_fields
from mfu_gui.texts import Translator
from mfu_gui.ui.services import Services
from mfu_gui.ui.widgets.choice_box import ChoiceBox

GROUPS = ("run.", "hardware.", "model.", "plan.")
"""Order of the fields in the list."""


def usual_values(field: Field, scenario: Scenario) -> str:
    """Values around the present one, as they would be typed."""
    if field.kind == "choice":
        return ", ".join(choice for choice, _ in field.choices if choice)
    value = field.get(scenario)
    if value is None:
        value = {"fraction": 0.4, "time": 10.0}.get(field.kind, 4)
    if field.kind == "fraction":
        values: Sequence[float] = [round(value * share, 3) for share in (0.5, 0.75, 1.0, 1.25, 1.5)]
    elif field.kind == "integer":
        values = sorted({max(1, round(value * 2.0**power)) for power in range(-2, 3)})
    else:
        values = [float(f"{value * share:.6g}") for share in (0.5, 0.75, 1.0, 1.25, 1.5)]
    low, high = field.minimum, field.maximum
    values = [v for v in values if (low is None or v >= low) and (high is None or v <= high)] or [value]
    return ", ".join(_typed(field, each) for each in values)


def _typed(field: Field, value: float) -> str:
    text = to_text(value, field.kind, field.unit).replace(",", "")
    return f"{text} %" if field.kind == "fraction" and not text.endswith("%") else text


class AxisEdit(QWidget):
    """``changed`` when another field or other values are wanted."""

    changed = Signal()

    def __init__(self, services: Services, name: str, key: str, parent: QWidget | None = None, *,
                 optional: bool = False) -> None:
        """``name`` begins the object names; ``key``: the field at first; ``optional``: may vary nothing."""
        super().__init__(parent)
        self.services = services
        self.key = key
        self._optional = optional
        self._own = False
        """Whether the values were typed, not proposed."""
        self.box = ChoiceBox(services.theme)
        self.box.setObjectName(f"{name}.field")
        self.box.setMinimumWidth(120)
        self.box.setMaximumWidth(210)
        self.box.chosen.connect(self._choose)
        self.edit = QLineEdit()
        self.edit.setObjectName(f"{name}.values")
        self.edit.setMinimumWidth(80)
        self.edit.textEdited.connect(self._typed)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        row.addWidget(self.box, 1)
        row.addWidget(self.edit, 1)

    def show_scenario(self, scenario: Scenario, tr: Translator) -> None:
        """Offer the fields of a scenario; values that were not typed follow it."""
        fields = applying(scenario)
        ordered = sorted(fields, key=lambda f: next((n for n, g in enumerate(GROUPS) if f.key.startswith(g)), 9))
        doubled = {f.label for f in fields if sum(other.label == f.label for other in fields) > 1}
        choices: list[tuple[object, str]] = [("", tr("nothing else"))] if self._optional else []
        for field in ordered:
            label = tr(field.label)
            if field.label in doubled and field.key.startswith("plan."):
                label = tr("{label} (plan)", label=label)
            choices.append((field.key, label))
        self.box.set_choices(choices)
        if self.key and self.key not in {field.key for field in fields}:
            self.key = "" if self._optional else "run.sequence_length"
            self._own = False
        self.box.set_value(self.key)
        self.box.setToolTip(self.box.currentText())
        self.edit.setVisible(bool(self.key))
        if self.key and not self._own:
            self.edit.setText(usual_values(sweep_fields()[self.key], scenario))
            self.edit.setCursorPosition(0)

    def axis(self) -> Axis | None:
        """The axis that is described; None for none.  InputError for values that cannot be read."""
        if not self.key:
            return None
        field = sweep_fields()[self.key]
        try:
            made = axis_of(field, read_values(field, self.edit.text()))
        except InputError:
            self._mark(True)
            raise
        self._mark(False)
        return made

    def set_axis(self, key: str, values: str) -> None:
        """Vary another field."""
        self.key, self._own = key, True
        self.box.set_value(key)
        self.edit.setText(values)
        self.edit.setVisible(bool(key))
        self.changed.emit()

    def _mark(self, wrong: bool) -> None:
        self.edit.setProperty("state", "invalid" if wrong else "")
        self.edit.style().unpolish(self.edit)
        self.edit.style().polish(self.edit)

    def _choose(self, key: object) -> None:
        self.key, self._own = str(key), False
        self.changed.emit()

    def _typed(self, _text: str) -> None:
        self._own = True
        self.changed.emit()

    def set_names(self, field: str, values: str, tip: str) -> None:
        """Names for screen readers, and how values are typed."""
        self.box.setAccessibleName(field)
        self.edit.setAccessibleName(values)
        self.edit.setToolTip(tip)
        self.edit.setPlaceholderText("512, 1024, 2048")
