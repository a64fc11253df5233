"""What a pasted text was understood as, row by row, before any of it changes the scenario."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QFrame,
    QGridLayout,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.fields import BY_KEY, N_
from mfu_gui.engine.scenario import Scenario
from mfu_gui.formats.pasted import Option, Pasted, Proposal, group_of
from mfu_gui.formats.pasted.apply import apply
from mfu_gui.formats.quantities import understood
from mfu_gui.texts import Translator
from mfu_gui.ui import fonts
from mfu_gui.ui.example import without_its_story
from mfu_gui.ui.services import Services
from mfu_gui.ui.theme import DIALOG_MARGINS
from mfu_gui.ui.widgets.card import plain_label
from mfu_gui.ui.widgets.choice_box import ChoiceBox
from mfu_gui.ui.workspace import Document, computed

_LABELS = {"model": N_("Model"), "hardware.preset": N_("Hardware"), "reported.mfu": N_("Reported MFU"),
           "reported.hfu": N_("Reported HFU"), "reported.tflops_per_device": N_("Reported TFLOP/s per device")}
_MOST_UNREAD = 12
_LONGEST_WHERE = 110
_LABEL_WIDTH = 200


class ProposalRow(QWidget):
    """A check box with what would be set, beside it what is set now, beneath it the words it is from."""

    changed = Signal()

    def __init__(self, services: Services, proposal: Proposal, document: Document) -> None:
        super().__init__()
        self.proposal = proposal
        self._services = services
        self.tick = QCheckBox()
        self.choice: ChoiceBox | None = None
        self.option: Option | None = proposal.options[0] if len(proposal.options) == 1 else None
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 6, 0, 6)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(1)
        grid.setColumnStretch(2, 1)
        tr = services.language.tr
        keys = {option.key for option in proposal.options}
        label = _label(keys.pop(), tr) if len(keys) == 1 else tr("One of these") if keys else tr("Not usable")
        self.tick.setText(label.replace("&", "&&"))
        self.tick.setMinimumWidth(_LABEL_WIDTH)
        self.tick.setChecked(proposal.certain)
        self.tick.setEnabled(self.option is not None)
        self.tick.toggled.connect(lambda _on: self.changed.emit())
        grid.addWidget(self.tick, 0, 0)
        if len(proposal.options) > 1:
            self.choice = self._choices(label)
            grid.addWidget(self.choice, 0, 1)
        elif self.option is not None:
            value = plain_label(value_text(self.option, tr))
            value.setFont(fonts.bold())
            grid.addWidget(value, 0, 1)
        self.tick.setAccessibleDescription(self._what(tr))
        now = self._now(document.scenario, tr)
        if now:
            same = self.option is not None and now == value_text(self.option, tr)
            text = tr("as now") if same else tr("now {value}", value=now)
            grid.addWidget(plain_label(text, tone="muted"), 0, 2)
        if proposal.where:
            grid.addWidget(self._small(_shortened(proposal.where), "muted"), 1, 0, 1, 3)
        if proposal.doubt:
            grid.addWidget(self._small(tr.sentence(proposal.doubt, {}), "warning"), 2, 0, 1, 3)

    def _choices(self, label: str) -> ChoiceBox:
        tr = self._services.language.tr
        several = len({option.key for option in self.proposal.options}) > 1
        names = [f"{_label(o.key, tr)}: {value_text(o, tr)}" if several else value_text(o, tr)
                 for o in self.proposal.options]
        box = ChoiceBox(self._services.theme)
        box.setAccessibleName(label)
        box.set_choices([(-1, tr("Choose…")), *enumerate(names)])
        box.set_value(-1)
        box.chosen.connect(self._chosen)
        return box

    def _small(self, text: str, tone: str) -> QWidget:
        label = plain_label(text, tone=tone, small=True, wrap=True)
        label.setContentsMargins(20, 0, 0, 0)
        return label

    def _what(self, tr: Translator) -> str:
        value = "" if self.option is None else value_text(self.option, tr)
        doubt = tr.sentence(self.proposal.doubt, {}) if self.proposal.doubt else ""
        return ". ".join(part for part in (value, self.proposal.where, doubt) if part)

    def _now(self, scenario: Scenario, tr: Translator) -> str:
        keys = {option.key for option in self.proposal.options}
        return present_text(keys.pop(), scenario, tr) if len(keys) == 1 else ""

    def _chosen(self, number: object) -> None:
        good = isinstance(number, int) and number >= 0
        self.option = self.proposal.options[number] if isinstance(number, int) and good else None
        self.tick.setEnabled(good)
        self.tick.setChecked(good)
        self.changed.emit()

    @property
    def taken(self) -> Option | None:
        """What would be set; None when it is not ticked."""
        return self.option if self.tick.isChecked() else None


class PastePreview(QDialog):
    """Rows with check marks, what was not understood, and the MFU that would come of it.

    ``reported`` says that a reported number was among what was taken.
    """

    reported = Signal()

    def __init__(self, services: Services, pasted: Pasted, parent: QWidget) -> None:
        super().__init__(parent)
        services.theme.dress(self)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.services = services
        self._document = services.workspace.active
        tr = services.language.tr
        self.setWindowTitle(tr("Paste"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(*DIALOG_MARGINS)
        layout.setSpacing(8)
        head = {"arguments": tr("The text is a list of arguments. What is ticked will be set:"),
                "log": tr("The text is of a log ({format}). What is ticked will be set:", format=pasted.detail),
                "text": tr("This was understood of the text. What is ticked will be set:")}[pasted.kind]
        layout.addWidget(plain_label(head, wrap=True))
        self.rows = [ProposalRow(services, proposal, self._document) for proposal in pasted.proposals]
        layout.addWidget(self._list(), 1)
        if pasted.unread:
            layout.addWidget(plain_label(self._unread(pasted.unread), tone="muted", small=True, wrap=True))
        self.outcome = plain_label(wrap=True)
        layout.addWidget(self.outcome)
        buttons = QDialogButtonBox()
        self.apply_button = buttons.addButton(tr("Apply"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.apply_button.setDefault(True)
        buttons.addButton(tr("Cancel"), QDialogButtonBox.ButtonRole.RejectRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout.addWidget(buttons)
        for row in self.rows:
            row.changed.connect(lambda row=row: self._row_changed(row))
        self._show_outcome()
        self.resize(640, min(560, 210 + 56 * len(self.rows)))

    def _list(self) -> QScrollArea:
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 8, 0)
        column.setSpacing(0)
        for number, row in enumerate(self.rows):
            if number:
                rule = QFrame()
                rule.setProperty("role", "rule")
                column.addWidget(rule)
            column.addWidget(row)
        column.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(content)
        scroll.viewport().setAutoFillBackground(False)
        content.setAutoFillBackground(False)
        return scroll

    def _unread(self, unread: tuple[str, ...]) -> str:
        tr = self.services.language.tr
        words = "  ·  ".join(_shortened(text, 50) for text in unread[:_MOST_UNREAD])
        rest = len(unread) - _MOST_UNREAD
        if rest > 0:
            words += "  ·  " + tr("and {n} more", n=rest)
        return tr("Not used: {words}", words=words)

    def _row_changed(self, changed: ProposalRow) -> None:
        """Two rows that exclude each other are never both ticked."""
        if changed.taken is not None:
            group = group_of(changed.taken.key)
            for row in self.rows:
                if row is not changed and row.taken is not None and group_of(row.taken.key) == group:
                    row.tick.setChecked(False)
        self._show_outcome()

    def _scenario(self) -> Scenario:
        scenario = apply(self._document.scenario, [row.taken for row in self.rows if row.taken], self.services.presets)
        return without_its_story(self.services, self._document, scenario)

    def _show_outcome(self) -> None:
        tr = self.services.language.tr
        taken = [row for row in self.rows if row.taken is not None]
        text, tone = "", "muted"
        self.apply_button.setEnabled(bool(taken))
        try:
            state = computed(self._scenario())
            if state.problem is not None:
                text, tone = tr.describe(state.problem), "warning"
            elif state.result is not None and state.result.implied_mfu is not None:
                text, tone = tr("MFU would be {mfu}: more than is possible.",
                                mfu=tr.numbers.percent(state.result.implied_mfu)), "warning"
            elif state.result is not None and state.result.mfu is not None:
                text = tr("MFU would be {mfu}.", mfu=tr.numbers.percent(state.result.mfu))
        except InputError as error:
            text, tone = tr.describe(error), "error"
            self.apply_button.setEnabled(False)
        self.outcome.setText(text)
        self.outcome.setProperty("tone", tone)
        self.outcome.style().polish(self.outcome)

    def accept(self) -> None:
        taken = [row.taken for row in self.rows if row.taken]
        self.services.workspace.edit(self._document, taken[0].key, self._scenario(), label=N_("Paste"))
        super().accept()
        if any(option.key.startswith("reported.") for option in taken):
            self.reported.emit()


def _label(key: str, tr: Translator) -> str:
    field = BY_KEY.get(key)
    return tr(field.label) if field is not None else tr(_LABELS[group_of(key)])


def value_text(option: Option, tr: Translator) -> str:
    """The value of an option as a person reads it."""
    return option.name or _written(option.key, option.value, tr)


def present_text(key: str, scenario: Scenario, tr: Translator) -> str:
    """What the scenario has now where an option would set something; empty for nothing."""
    if group_of(key) == "model":
        return scenario.model.name
    if key == "hardware.preset":
        return scenario.hardware.name
    if key.startswith("reported."):
        value = getattr(scenario.reported, key.removeprefix("reported.")) if scenario.reported else None
    else:
        value = BY_KEY[key].get(scenario)
    return "" if value is None else _written(key, value, tr)


def _written(key: str, value: object, tr: Translator) -> str:
    field = BY_KEY.get(key)
    if field is None:
        if key == "reported.tflops_per_device":
            return understood(float(str(value)), "real", "TFLOP/s") + " TFLOP/s"
        return understood(float(str(value)), "fraction", "%")
    for choice, name in field.choices:
        if choice == value:
            return tr(name)
    if not isinstance(value, int | float):
        return str(value)
    text = understood(value, field.kind, tr(field.unit) if field.unit else "")
    return text if field.kind in ("time", "fraction") or not field.unit else f"{text} {tr(field.unit)}"


def _shortened(text: str, longest: int = _LONGEST_WHERE) -> str:
    text = " ".join(text.split())
    return text if len(text) <= longest else text[: longest - 1] + "…"
