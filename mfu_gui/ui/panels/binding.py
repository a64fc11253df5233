"""Binding: one field of the table of fields, its row on the screen, and the workspace."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.fields import Field, checked
from mfu_gui.engine.scenario import Scenario
from mfu_gui.formats.quantities import Parsed, understood
from mfu_gui.ui.services import Services
from mfu_gui.ui.widgets.chip_set import ChipSet
from mfu_gui.ui.widgets.choice_box import ChoiceBox
from mfu_gui.ui.widgets.field_row import FieldRow
from mfu_gui.ui.widgets.list_edit import ListEdit
from mfu_gui.ui.widgets.measured_edit import MeasuredEdit
from mfu_gui.ui.widgets.number_edit import NumberEdit, is_typing
from mfu_gui.ui.workspace import Document, Typed

MESSAGE_DELAY_MS = 350
"""A text that is wrong only while it is being typed should not make the form jump."""

WIDE = ("choice", "set", "lengths", "text")
"""Kinds whose editors take all of the width."""
Extra = Callable[[Document], str]
Choices = Callable[[Document], Sequence[tuple[object, str]]]
Placeholder = Callable[[Document], str]
Put = Callable[[Document, Any], Scenario]
Editor = NumberEdit | ChoiceBox | ChipSet


class Binding(QObject):
    """Shows a field of the active document and brings edits of it to the workspace.

    Row and editor are built when they are first asked for.  Three of four fields are hidden in most windows, and each
    would be built, dressed and translated with those that are seen.
    """

    built = Signal(QObject)
    """Row and editor of this binding are there now, hidden."""

    def __init__(self, services: Services, field: Field, parent: QWidget, *, extra: Extra | None = None,
                 choices: Choices | None = None, placeholder: Placeholder | None = None,
                 put: Put | None = None, width: int | None = None) -> None:
        """``extra``: what to write after the editor instead of the unit (empty: the unit);
        ``choices``: what to offer instead of the field's own; ``placeholder``: what an empty field shows;
        ``put``: how a value becomes part of the scenario, instead of the field's own way; ``width``: pixels of the
        editor instead of the usual ones."""
        super().__init__(parent)
        self.field = field
        self._services, self._parent = services, parent
        self._extra, self._choices, self._placeholder, self._put = extra, choices, placeholder, put
        self._width = width
        self._told = ""
        self._pending_message = self._pending_short = ""
        self._row: FieldRow | None = None
        self._editor: Editor | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(MESSAGE_DELAY_MS)
        self._timer.timeout.connect(lambda: self.row.show_message(self._pending_message, self._pending_short))

    @property
    def editor(self) -> Editor:
        """The widget the field is edited with."""
        return self._editor or self._build()[1]

    @property
    def row(self) -> FieldRow:
        """The line of the form."""
        return self._row or self._build()[0]

    @property
    def is_built(self) -> bool:
        """Whether the row is there already."""
        return self._row is not None

    @property
    def is_shown(self) -> bool:
        """Whether the row is one of those that the form shows."""
        return self._row is not None and not self._row.isHidden()

    def _build(self) -> tuple[FieldRow, Editor]:
        editor = self._editor = self._make_editor()
        editor.setObjectName(self.field.key)
        row = self._row = FieldRow(self._services, editor, wide=self.field.kind in WIDE, parent=self._parent)
        row.hide()
        if self._width is not None:
            editor.setFixedWidth(self._width)
        row.reset.connect(self._reset)
        self.retranslate()
        self.built.emit(self)
        return row, editor

    def _make_editor(self) -> Editor:
        field = self.field
        if field.kind in ("set", "choice"):
            choosing = ChipSet() if field.kind == "set" else ChoiceBox(self._services.theme)
            choosing.chosen.connect(lambda value: self._edit(value, ""))
            return choosing
        number = MeasuredEdit if field.panel == "measured" else NumberEdit
        editor = ListEdit(field.kind) if field.kind in ("lengths", "text") else number(
            field.kind, field.unit, field.step, minimum=field.minimum, maximum=field.maximum, optional=field.optional)
        if isinstance(editor, MeasuredEdit):
            editor.restated.connect(self._restated)
        editor.edited.connect(self._edit)
        editor.misread.connect(self._misread)
        editor.understood.connect(self._understood)
        return editor

    def retranslate(self) -> None:
        """Write all texts in the language in force."""
        if not self.is_built:
            return
        tr = self._services.language.tr
        unit = tr(self.field.unit) if self.field.unit else ""
        self.row.set_texts(tr(self.field.label), tr(self.field.help), unit)
        if isinstance(self.editor, ChoiceBox) and self._choices is None:
            self.editor.set_choices([(value, tr(label)) for value, label in self.field.choices])

    def refresh(self, document: Document) -> None:
        """Show the field of ``document``."""
        scenario = document.scenario
        value = self.field.get(scenario)
        if isinstance(self.editor, ChoiceBox):
            if self._choices is not None:
                self.editor.set_choices(self._choices(document))
            self.editor.set_value(value)
        elif isinstance(self.editor, ChipSet):
            tr, offers = self._services.language.tr, self.field.offers
            offered = None if offers is None else offers(scenario)
            self.editor.set_choices([(name, tr(label)) for name, label in self.field.choices
                                     if offered is None or name in offered])
            self.editor.set_value(value)
        else:
            if self.editor.wrong and self.field.key not in document.invalid:
                self.editor.mark(False)
                self.editor.set_value(None)
            self.editor.set_value(value)
            if self._placeholder is not None:
                self.editor.setPlaceholderText(self._placeholder(document))
        self._show_extra(document)
        self._show_problem(document)
        self._show_mark(scenario, value)

    def forget(self) -> None:
        """Give up text that could not be used: another document is shown."""
        self._told = ""
        if isinstance(self._editor, NumberEdit) and self._editor.wrong:
            self._editor.restore()

    def _show_extra(self, document: Document) -> None:
        if not isinstance(self.editor, NumberEdit):
            return
        tr = self._services.language.tr
        text = self._told or (self._extra(document) if self._extra is not None else "")
        typed = document.typed.get(self.field.key)
        unit = tr(self.field.unit) if self.field.unit else ""
        if typed is not None and typed.by_sign and typed.half is not None and typed.value == self.editor.value:
            shown = typed.half * 100 if self.field.kind == "fraction" else typed.half
            unit = f"± {tr.numbers.exact(float(f'{shown:.6g}'))}"
        self.row.show_extra(text or unit,
                            "accent" if self._told else "muted")

    def _show_problem(self, document: Document) -> None:
        error = document.invalid.get(self.field.key)
        if error is None and document.state.place == self.field.key:
            error = document.problem
        tr = self._services.language.tr
        text, short = self._impossible(document) if error is None else (tr.sentence(error.code, error.values), "")
        if text == self._pending_message:
            return
        self._pending_message, self._pending_short = text, short
        if text and not self.row.message and is_typing():
            self._timer.start()
        else:
            self._timer.stop()
            self.row.show_message(text, short)

    def _impossible(self, document: Document) -> tuple[str, str]:
        """Of a measured value: why it cannot be, if it means more than the peak; in full and in a line."""
        if self.field.panel != "measured" or document.result is None or document.problem is not None:
            return "", ""
        found = next((n for n in document.result.warnings if n.code == "mfu_above_one"), None)
        if found is None:
            return "", ""
        tr = self._services.language.tr
        percent = tr.numbers.percent(document.result.implied_mfu)
        return tr.sentence(found.code, found.values), tr("{percent} of the peak: more than there is.", percent=percent)

    def _show_mark(self, scenario: Scenario, value: object) -> None:
        tip = ""
        preset = self._preset_value(scenario)
        if preset is not _NO_PRESET and preset != value:
            tr = self._services.language.tr
            tip = tr("Reset to the preset's value: {value}", value=self._written(preset))
        self.row.show_mark(tip)

    def _preset_value(self, scenario: Scenario) -> object:
        if self.field.panel not in ("model", "hardware") or self.field.key.startswith("run."):
            return _NO_PRESET
        origin = self._services.origins.of(scenario)
        if origin is None or not self.field.applies(origin):
            return _NO_PRESET
        return self.field.get(origin)

    def _written(self, value: object) -> str:
        tr = self._services.language.tr
        if value is None:
            return tr("the preset's own")
        for choice, label in self.field.choices:
            if choice == value:
                return tr(label)
        return self._in_words(value) if isinstance(value, int | float) else str(value)

    def _in_words(self, value: float) -> str:
        unit = self._services.language.tr(self.field.unit) if self.field.unit else ""
        return understood(value, self.field.kind, unit)

    def _understood(self, parsed: Parsed | None) -> None:
        before, self._told = self._told, ""
        if parsed is not None:
            is_time = self.field.kind == "time"  # lists have words of their own
            self._told = f"= {self._in_words(parsed.value) if is_time else parsed.understood}"
            extra = self.row.extra
            if extra is not None and extra.fontMetrics().horizontalAdvance(self._told) > extra.width():
                self._told = f"= {self._services.language.numbers.count(parsed.value)}"
        if self._told != before and not self._services.workspace.is_empty:
            self._show_extra(self._services.workspace.active)

    def _edit(self, value: object, burst: str) -> None:
        workspace = self._services.workspace
        document = workspace.active
        try:
            allowed = checked(self.field, value)
            scenario = self.field.set(document.scenario, allowed) if self._put is None else self._put(document, allowed)
            scenario = self._services.origins.sourced(document.scenario, scenario)
        except InputError as error:
            if isinstance(self.editor, NumberEdit):
                self.editor.mark(True)
            workspace.set_invalid(document, self.field.key, error)
            return
        if isinstance(self.editor, MeasuredEdit):
            document.typed[self.field.key] = self._typed(value)
        merge_key = f"{self.field.key}|{burst}" if burst else ""
        workspace.edit(document, self.field.key, scenario, merge_key, self.field.label)

    def _typed(self, value: object) -> Typed:
        half, by_sign = self.editor.exactness if isinstance(self.editor, MeasuredEdit) else (None, False)
        return Typed(value, half, by_sign)

    def _restated(self) -> None:
        """The same number, typed with more or fewer digits."""
        workspace = self._services.workspace
        if isinstance(self.editor, MeasuredEdit):
            workspace.set_typed(workspace.active, self.field.key, self._typed(self.editor.value))

    def _misread(self, error: InputError | None) -> None:
        workspace = self._services.workspace
        workspace.set_invalid(workspace.active, self.field.key, error)

    def _reset(self) -> None:
        workspace = self._services.workspace
        document = workspace.active
        preset = self._preset_value(document.scenario)
        if preset is not _NO_PRESET:
            scenario = self._services.origins.sourced(document.scenario, self.field.set(document.scenario, preset))
            workspace.edit(document, self.field.key, scenario, label=self.field.label)


_NO_PRESET = object()
