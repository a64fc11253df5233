"""Which column of a table is what: the user says it, and may save it for the next log."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QStyle,
    QVBoxLayout,
    QWidget,
)

from mfu_gui.engine.errors import InputError
from mfu_gui.formats.training_logs.mapping import KIND, LogMapping, Source, read_mapping, write_mapping
from mfu_gui.formats.training_logs.names import meanings_of, units_of
from mfu_gui.texts import N_
from mfu_gui.ui.log_import import LogImport
from mfu_gui.ui.services import Services
from mfu_gui.ui.theme import DIALOG_MARGINS
from mfu_gui.ui.widgets.card import plain_label
from mfu_gui.ui.widgets.choice_box import ChoiceBox

MEANINGS = (
    ("step", N_("Step number")), ("step_time_s", N_("Step time")), ("elapsed_s", N_("Time since the start")),
    ("wall_s", N_("Time of day")), ("steps_per_s", N_("Steps/s")),
    ("tokens_per_s", N_("Tokens/s, all devices")), ("tokens_per_s_per_device", N_("Tokens/s per device")),
    ("samples_per_s", N_("Sequences/s, all devices")), ("tokens", N_("Tokens of a step")),
    ("total_tokens", N_("Tokens since the start")), ("global_batch", N_("Global batch")),
    ("sequence_length", N_("Sequence length")), ("tflops_per_device", N_("TFLOP/s per device")),
    ("hardware_tflops_per_device", N_("Hardware TFLOP/s per device")), ("mfu", N_("MFU")), ("hfu", N_("HFU")),
    ("loss", N_("Loss")),
)
"""What a column can be, in the order of the dialog."""


class LogColumnsDialog(QDialog):
    """For each meaning the column that has it, and its unit where there are several."""

    def __init__(self, services: Services, log: LogImport, parent: QWidget) -> None:
        super().__init__(parent)
        services.theme.dress(self)
        self.services = services
        self.log = log
        tr = services.language.tr
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Which column is what"))
        content = QWidget()
        grid = QGridLayout(content)
        grid.setContentsMargins(0, 0, 8, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(1, 1)
        names = self._names()
        self.columns: dict[str, ChoiceBox] = {}
        self.units: dict[str, ChoiceBox] = {}
        for number, (meaning, title) in enumerate(MEANINGS):
            label = plain_label(tr(title), tone="muted")
            box = ChoiceBox(services.theme)
            box.setObjectName(f"log_columns.{meaning}")
            box.setAccessibleName(tr(title))
            box.set_choices([("", tr("none")), *((name, name) for name in names)])
            box.set_value("")
            box.setMinimumWidth(230)
            grid.addWidget(label, number, 0)
            grid.addWidget(box, number, 1)
            self.columns[meaning] = box
            units = [unit for unit in units_of(meaning) if unit]
            if units:
                unit_box = ChoiceBox(services.theme)
                unit_box.setAccessibleName(tr("Unit of {name}", name=tr(title)))
                unit_box.set_choices([(unit, unit) for unit in units])
                unit_box.set_value(units[0])
                grid.addWidget(unit_box, number, 2)
                self.units[meaning] = unit_box
        scroll = QScrollArea()
        scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(content)
        self.message = plain_label(tone="error", wrap=True)
        self.message.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(*DIALOG_MARGINS)
        layout.setSpacing(10)
        layout.addWidget(plain_label(tr("Names of {file}", file=log.name), tone="muted"))
        layout.addWidget(scroll, 1)
        layout.addWidget(self.message)
        layout.addLayout(self._buttons())
        if log.mapping is not None:
            self.show_mapping(log.mapping)
        elif (known := log.data.document.get("mapping")) is not None:
            self.show_mapping(msgspec.convert(known, LogMapping))
        bar = self.style().pixelMetric(QStyle.PixelMetric.PM_ScrollBarExtent, None, scroll)
        self.resize(content.sizeHint().width() + bar + DIALOG_MARGINS[0] + DIALOG_MARGINS[2], 560)

    def _names(self) -> list[str]:
        document = self.log.data.document
        mapping = document.get("mapping") or {"columns": {}}
        used = [source["from"] for source in mapping["columns"].values()]
        return list(dict.fromkeys([*used, *document.get("unused_names", []), *self.log.names,
                                   *(source.name for source in (self.log.mapping.columns.values()
                                                                if self.log.mapping else ()))]))

    def _buttons(self) -> QHBoxLayout:
        tr = self.services.language.tr
        row = QHBoxLayout()
        for text, action in ((tr("Load…"), self._load), (tr("Save…"), self._save)):
            button = QPushButton(text)
            button.setAutoDefault(False)
            button.clicked.connect(action)
            row.addWidget(button)
        row.addStretch(1)
        buttons = QDialogButtonBox()
        buttons.addButton(tr("Use"), QDialogButtonBox.ButtonRole.AcceptRole).setDefault(True)
        buttons.addButton(tr("Cancel"), QDialogButtonBox.ButtonRole.RejectRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        row.addWidget(buttons)
        return row

    def show_mapping(self, mapping: LogMapping) -> None:
        """Fill the boxes; a name that this log does not have is left out."""
        for meaning, box in self.columns.items():
            source = mapping.columns.get(meaning)
            box.set_value(source.name if source is not None and box.findData(source.name) >= 0 else "")
            if source is not None and source.unit and meaning in self.units:
                self.units[meaning].set_value(source.unit)

    def mapping(self) -> LogMapping:
        """What the boxes say."""
        columns = {}
        for meaning, box in self.columns.items():
            name = box.currentData()
            if not name:
                continue
            unit = self.units[meaning].currentData() if meaning in self.units else ""
            known = next((found for found in meanings_of(name) if found.column == meaning), None)
            source = Source(name=name, unit=unit)
            columns[meaning] = replace(source, average=known.average) if known is not None else source
        return LogMapping(kind=KIND, schema=1, columns=columns)

    def accept(self) -> None:
        mapping = self.mapping()
        if not set(mapping.columns) - {"step", "loss"}:
            self._tell(self.services.language.tr("At least a time or a speed is needed."))
            return
        self.log.mapping = mapping
        self.log.answers.clear()
        self.log.start()
        super().accept()

    def _tell(self, text: str) -> None:
        self.message.setText(text)
        self.message.show()

    def _save(self) -> None:
        tr = self.services.language.tr
        name, _ = QFileDialog.getSaveFileName(self, tr("Save the columns"), "log-columns.json", "JSON (*.json)")
        if name:
            self._try(lambda: write_mapping(name, self.mapping()))

    def _load(self) -> None:
        tr = self.services.language.tr
        name, _ = QFileDialog.getOpenFileName(self, tr("Load columns"), "", f"JSON (*.json);;{tr('All files')} (*)")
        if name:
            self._try(lambda: self.show_mapping(read_mapping(name)))

    def _try(self, action: Callable[[], object]) -> None:
        self.message.hide()
        try:
            action()
        except InputError as error:
            self._tell(self.services.language.tr.describe(error))
