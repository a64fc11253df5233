"""The right side of the preset manager: one preset as values, as JSON, and beside the one it came from."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import msgspec
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from mfu_gui.engine.errors import InputError
from mfu_gui.formats.preset_edit import BASED_ON, OLD_DAYS, age_days, differences
from mfu_gui.formats.preset_file import Preset, encode_preset
from mfu_gui.texts import N_
from mfu_gui.ui import fonts
from mfu_gui.ui.dialogs.preset_form import Keep, PresetForm
from mfu_gui.ui.services import Services
from mfu_gui.ui.tabs.table_model import Cells, TableModel
from mfu_gui.ui.tabs.table_view import TableView
from mfu_gui.ui.widgets.card import plain_label
from mfu_gui.ui.widgets.segments import Segments

_VIEWS = (("values", N_("Values")), ("json", N_("JSON")), ("differences", N_("Differences")))
_DAYS_IN_MONTH = 30
_LONGEST = 22


class PresetDetails(QWidget):
    """Shows a preset; ``keep`` is given what was edited."""

    def __init__(self, services: Services, keep: Keep, today: Callable[[], date] = date.today,
                 parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._today = today
        self.preset: Preset | None = None
        self.title = plain_label(wrap=True)
        self.title.setFont(fonts.bold())
        self.hint = plain_label(small=True, wrap=True)
        self.views = Segments(services.theme, tuple((key, "") for key, _ in _VIEWS))
        self.views.chosen.connect(self.show_view)
        self.form = PresetForm(services, keep)
        self.json = QPlainTextEdit()
        self.json.setReadOnly(True)
        self.json.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        fixed = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        fixed.setPixelSize(12)
        self.json.setFont(fixed)
        self.table = TableModel(text_columns=3)
        self.differences = TableView(services, self.table)
        self.about = plain_label(tone="muted", small=True, wrap=True)
        self.copy = QPushButton()
        self.copy.setAutoDefault(False)
        self.copy.clicked.connect(self._copy)
        self.stack = QStackedWidget()
        for view in (self.form, self._with(self.json, self.copy), self._under(self.about, self.differences)):
            self.stack.addWidget(view)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(self.title)
        layout.addWidget(self.hint)
        layout.addWidget(self.views, 0, Qt.AlignmentFlag.AlignLeft)
        layout.addWidget(self.stack, 1)
        self.views.set_value("values")
        self.retranslate()

    @staticmethod
    def _with(text: QPlainTextEdit, button: QPushButton) -> QWidget:
        holder = QWidget()
        layout = QVBoxLayout(holder)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(text, 1)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(button)
        layout.addLayout(row)
        return holder

    @staticmethod
    def _under(label: QWidget, table: QWidget) -> QWidget:
        holder = QWidget()
        layout = QVBoxLayout(holder)
        layout.setContentsMargins(0, 4, 0, 0)
        layout.addWidget(label)
        layout.addWidget(table, 1)
        return holder

    def retranslate(self) -> None:
        """Write all texts again."""
        tr = self._services.language.tr
        for key, text in _VIEWS:
            self.views.set_text(key, tr(text))
        self.json.setAccessibleName(tr("JSON"))
        self.copy.setText(tr("Copy"))
        self.table.set_heads((tr("Value"), tr("Original"), tr("Own")))
        self.differences.setAccessibleName(tr("Differences"))

    def show_view(self, key: str) -> None:
        """Values, JSON or differences."""
        self.views.set_value(key)
        self.stack.setCurrentIndex([name for name, _ in _VIEWS].index(key))

    def show_preset(self, preset: Preset | None, *, own: bool, form: bool = True) -> None:
        """Show a preset; ``form`` False leaves the form alone, which is being typed into."""
        self.preset = preset
        self.setEnabled(preset is not None)
        tr = self._services.language.tr
        if form:
            self.form.show_preset(preset, own=own)
        if preset is None:
            self.title.setText(tr("Nothing is selected"))
            self.hint.clear()
            self.json.clear()
            self.differences.show_rows(())
            self.about.clear()
            return
        self.title.setText(preset.name)
        self._show_hint(preset, own)
        self.json.setPlainText(encode_preset(preset).decode())
        self._show_differences(preset, own)

    def _show_hint(self, preset: Preset, own: bool) -> None:
        tr = self._services.language.tr
        parts = [tr("Own preset; what you type is kept at once.") if own else
                 tr("Shipped with the program; duplicate it to change it.")]
        days = age_days(preset.date, self._today())
        old = days is not None and days > OLD_DAYS
        if days is not None:
            text = tr.plural("Data of {date}, {n} month old.", "Data of {date}, {n} months old.",
                             days // _DAYS_IN_MONTH, date=preset.date)
            parts.append(text if days >= _DAYS_IN_MONTH else tr("Data of {date}.", date=preset.date))
        if old:
            parts.append(tr("Figures and prices may have changed since; look at the source."))
        self.hint.setText(("" if tr.language == "zh" else " ").join(parts))
        self.hint.setProperty("tone", "warning" if old else "muted")
        self.hint.style().polish(self.hint)

    def _show_differences(self, preset: Preset, own: bool) -> None:
        tr = self._services.language.tr
        base = self._base(preset) if own else None
        if base is None:
            self.about.setText(tr("A shipped preset differs from nothing.") if not own else
                               tr("It is not known which preset this one was copied from."))
            self.differences.show_rows(())
            return
        found = differences(base, preset)
        self.about.setText(tr("Compared with “{name}”:", name=base.name) if found else
                           tr("The same as “{name}”.", name=base.name))
        self.differences.show_rows([Cells(each.key, (each.key, _short(each.before), _short(each.after)),
                                          (each.key, _long(each.before), _long(each.after))) for each in found])

    def _base(self, preset: Preset) -> Preset | None:
        based = preset.facts.get(BASED_ON)
        if not isinstance(based, str):
            return None
        try:
            return self._services.presets.get(preset.kind, based)
        except InputError:
            return None

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.json.toPlainText())
        self._services.announcer.say(self._services.language.tr("Copied"))


def _long(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _short(value: object) -> str:
    text = _long(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
