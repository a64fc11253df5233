"""Explain a reported number: from the figure of a slide, a paper or a log to what it was made of."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFrame,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.explain import MOST, Explanation, apply
from mfu_gui.engine.fields import N_, measured_key
from mfu_gui.engine.scenario import Reported, Result, Scenario
from mfu_gui.formats.explain_json import explanation_sentence
from mfu_gui.texts import Translator
from mfu_gui.ui.explaining import (
    LARGEST,
    Search,
    half_digit_of_text,
    kind_of,
    plausibility_word,
    reported_as,
)
from mfu_gui.ui.services import Services
from mfu_gui.ui.theme import DIALOG_MARGINS
from mfu_gui.ui.widgets.card import plain_label
from mfu_gui.ui.widgets.choice_box import ChoiceBox
from mfu_gui.ui.widgets.elided_label import ElidedLabel
from mfu_gui.ui.widgets.link import Link
from mfu_gui.ui.widgets.number_edit import NumberEdit
from mfu_gui.ui.workspace import ACTIVE, Document

_EDITOR_WIDTH = 110
_WIDTH, _HEIGHT_EMPTY, _HEIGHT_FOUND = 680, 190, 520
_NEAR = 1e-4
_CERTAIN = 0.8


class Answer(QFrame):
    """One explanation: a sentence, how plausible it is and how near it comes, and what applies it."""

    def __init__(self, services: Services, use: Callable[[Explanation], object]) -> None:
        super().__init__()
        self._services = services
        self._use = use
        self.explanation: Explanation | None = None
        self.sentence = plain_label(wrap=True)
        self.sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.remark = plain_label(tone="muted", small=True, wrap=True)
        self.button = QPushButton()
        self.button.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.button.setAutoDefault(False)
        self.button.clicked.connect(lambda: self._pressed())
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(self.sentence)
        words.addWidget(self.remark)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 8, 0, 8)
        layout.setSpacing(16)
        layout.addLayout(words, 1)
        layout.addWidget(self.button, 0, Qt.AlignmentFlag.AlignTop)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(QPen(self._services.theme.color("line"), 1))
        painter.drawLine(0, self.height() - 1, self.width(), self.height() - 1)

    def _pressed(self) -> None:
        if self.explanation is not None:
            self._use(self.explanation)

    def show_explanation(self, explanation: Explanation, *, as_it_is: bool) -> None:
        """Show one; ``as_it_is``: the scenario says so already, and there is nothing to apply."""
        tr = self._services.language.tr
        self.explanation = explanation
        sentence = explanation_sentence(explanation, tr)
        self.sentence.setText(sentence)
        self.remark.setText(f"{tr(plausibility_word(explanation.plausibility))} · {_residual(explanation, tr)}")
        self.button.setText(tr("Apply"))
        self.button.setAccessibleName(f"{tr('Apply')}: {sentence}")
        stays = explanation.unit_slip is not None or explanation.scope not in ("device", "die", "unit")
        self.button.setToolTip(tr("Sets the convention, the peak and what is recomputed; the slip itself has no field.")
                               if stays else tr("Makes the scenario what this explanation says; undo takes it back."))
        self.button.setEnabled(not as_it_is)
        self.show()


class ExplainDialog(QDialog):
    """Stays open beside the window and follows the scenario in it."""

    def __init__(self, services: Services, show_field: Callable[[str], object], parent: QWidget) -> None:
        super().__init__(parent)
        services.theme.dress(self)
        self.services = services
        self._show_field = show_field
        self._missing = ""
        self._grown = False
        self._about: tuple[Document, Reported] | None = None
        self._kept: tuple[Document, Reported | None] | None = None
        self.answers: list[Answer] = []
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.search = Search(self)
        self.search.found.connect(self._show_found)
        self._build()
        services.workspace.changed.connect(self._changed)
        services.language.changed.connect(self._retranslate)
        self._take_reported(services.workspace.active)
        self._retranslate()
        # As high as an answer or two: it grows with what is found.
        self.resize(_WIDTH, _HEIGHT_EMPTY)

    def _build(self) -> None:
        theme = self.services.theme
        self.label = plain_label(tone="muted")
        self.kind = ChoiceBox(theme)
        self.kind.setObjectName("explain.kind")
        self.kind.chosen.connect(lambda _kind: self._kind_chosen())
        self.percent = NumberEdit("fraction", "%", optional=True)
        self.percent.setObjectName("explain.percent")
        self.rate = NumberEdit("real", "TFLOP/s", optional=True)
        self.rate.setObjectName("explain.rate")
        self.unit = plain_label(tone="muted")
        top = QHBoxLayout()
        top.setSpacing(8)
        top.addWidget(self.label)
        for editor in (self.percent, self.rate):
            editor.setFixedWidth(_EDITOR_WIDTH)
            editor.edited.connect(lambda *_: self.look())
            editor.misread.connect(self._misread)
            editor.editingFinished.connect(self.keep)
            top.addWidget(editor)
        top.addWidget(self.unit)
        top.addWidget(self.kind)
        top.addStretch(1)
        self.about = ElidedLabel()
        self.message = plain_label(tone="muted", wrap=True)
        self.message.setObjectName("explain.message")
        self.go = Link(theme, "", lambda: self._show_field(self._missing))
        note = QHBoxLayout()
        note.addWidget(self.message, 1)
        note.addWidget(self.go, 0, Qt.AlignmentFlag.AlignTop)
        content = QWidget()
        self._column = QVBoxLayout(content)
        self._column.setContentsMargins(0, 0, 8, 0)
        self._column.setSpacing(0)
        self._column.addStretch(1)
        scroll = self._scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(content)
        scroll.viewport().setAutoFillBackground(False)
        content.setAutoFillBackground(False)
        self.buttons = QDialogButtonBox()
        self._close = self.buttons.addButton("", QDialogButtonBox.ButtonRole.RejectRole)
        self._close.setAutoDefault(False)
        self.buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(*DIALOG_MARGINS)
        layout.setSpacing(8)
        layout.addLayout(top)
        layout.addWidget(self.about)
        layout.addLayout(note)
        layout.addWidget(scroll, 1)
        layout.addWidget(self.buttons)

    @property
    def editor(self) -> NumberEdit:
        """The field for the kind of number that is chosen."""
        return self.rate if self.kind.currentData() == "tflops_per_device" else self.percent

    def look(self) -> None:
        """Look for what the typed number means in the scenario on the screen."""
        document = self.services.workspace.active
        value = self.editor.value
        tr = self.services.language.tr
        if value is None or value <= 0:
            self.search.stop()
            self._about = None
            self._show_answers([])
            self._say(tr("Type the number as it was printed, with all its digits: 43.73% is not 43.7%."))
            return
        kind = self.kind.currentData()
        if value > LARGEST[kind]:
            self.search.stop()
            self._show_found([], None)
            return
        reported = reported_as(kind, float(value))
        self._about = (document, reported)
        half = half_digit_of_text(self.editor.text(), float(value), kind)
        self.search.look(replace(document.scenario, reported=reported), half)
        if self.search.running and not self.answers:
            self._say(tr("Looking…"))

    def keep(self) -> None:
        """Put the number that was typed into the scenario: its file and its report then say it too."""
        emptied = (self.services.workspace.active, None) if not self.editor.text().strip() else None
        about = self._about or emptied
        if about is None or about == self._kept:  # said once: undo is not undone by leaving the field
            return
        self._kept = about
        document, reported = about
        if document.scenario.reported != reported:
            self.services.workspace.edit(document, "reported", replace(document.scenario, reported=reported),
                                         label=N_("Reported number"))

    def _take_reported(self, document: Document) -> None:
        """Begin with what the scenario's file says was reported."""
        reported = document.scenario.reported
        kind = kind_of(reported)
        self._start_kind = kind
        for editor in (self.percent, self.rate):
            editor.set_value(None)
        if reported is not None:
            (self.rate if kind == "tflops_per_device" else self.percent).set_value(getattr(reported, kind))

    def show_reported(self) -> None:
        """Look again at what the scenario says was reported."""
        self._take_reported(self.services.workspace.active)
        self.kind.set_value(self._start_kind)
        self._kind_chosen()

    def _kind_chosen(self) -> None:
        is_rate = self.kind.currentData() == "tflops_per_device"
        self.percent.setVisible(not is_rate)
        self.rate.setVisible(is_rate)
        self.unit.setText("TFLOP/s" if is_rate else "%")
        self.look()

    def _misread(self, error: InputError | None) -> None:
        if error is None:
            self.look()
            return
        self.search.stop()
        self._show_answers([])
        self._say(self.services.language.tr.sentence(error.code, error.values))

    def _show_found(self, found: list[Explanation], error: InputError | None) -> None:
        tr = self.services.language.tr
        if error is not None:
            self._show_answers([])
            missing = error.field if error.code == "required" else ""
            words = {"run.measured": tr("To divide, the speed must be known: enter a measured value first."),
                     "run.devices": tr("To divide, the speed of one device must be known: enter the devices first.")}
            self._say(words.get(missing, tr.describe(error)), missing if missing in words else "")
            return
        self._show_answers(found)
        if found:
            self._say(tr.plural("{n} way to get this number, the most plausible first:",
                                "{n} ways to get this number, the most plausible first:", len(found)))
        else:
            self._say(tr("No way of counting and dividing that is known gives this number. Look at the inputs: step "
                         "time, devices, batch and sequence length."))

    def _show_answers(self, found: list[Explanation]) -> None:
        while len(self.answers) < min(len(found), MOST):
            answer = Answer(self.services, self._use)
            self._column.insertWidget(len(self.answers), answer)
            self.answers.append(answer)
        for answer, explanation in zip(self.answers, found, strict=False):
            answer.show_explanation(explanation, as_it_is=self._changes_nothing(explanation))
        for answer in self.answers[len(found):]:
            answer.hide()
        if found and self.height() < _HEIGHT_FOUND and not self._grown:
            self._grown = True  # once: who makes it lower again wants it so
            self.resize(self.width(), min(_HEIGHT_FOUND, self.screen().availableGeometry().height()))

    def _changes_nothing(self, explanation: Explanation) -> bool:
        """Whether the scenario says already what an explanation can set; only these can: nothing assumed, or a slip."""
        candidate = explanation.plausibility > _CERTAIN or explanation.unit_slip is not None
        if not candidate and explanation.scope == "device":
            return False
        return self._applied(explanation) == self._asked()

    def _asked(self) -> Scenario | None:
        return None if self._about is None else replace(self._about[0].scenario, reported=self._about[1])

    def _applied(self, explanation: Explanation) -> Scenario | None:
        asked = self._asked()
        return None if asked is None else apply(asked, explanation)

    def _use(self, explanation: Explanation) -> None:
        """Make the scenario what an explanation says, as one step of undo."""
        scenario = self._applied(explanation)
        if self._about is None or scenario is None:
            return
        self.services.workspace.edit(self._about[0], "convention.id", scenario, label=N_("Apply an explanation"))
        tr = self.services.language.tr
        self.services.announcer.say(tr("Applied: {sentence}", sentence=explanation_sentence(explanation, tr)))

    def _say(self, text: str, missing: str = "") -> None:
        self._missing = missing
        self.message.setText(text)
        self.go.setVisible(bool(missing))

    def _changed(self, document: Document, aspects: frozenset[str], result: Result | None) -> None:
        if document is not self.services.workspace.active:
            return
        if ACTIVE in aspects and document.scenario.reported is not None:
            self.show_reported()
        self._show_about(document)
        self.look()
        if ACTIVE in aspects:
            self._kept = self._about  # asked of this scenario, but not typed for it

    def _show_about(self, document: Document) -> None:
        tr, scenario = self.services.language.tr, document.scenario
        devices = f"{scenario.run.devices:,} × " if scenario.run.devices is not None else ""
        parts = [scenario.name or tr("Untitled"), scenario.model.name, f"{devices}{scenario.hardware.name}"]
        result, key = document.result, measured_key(scenario)
        if key == "step_time_s" and result is not None:
            parts.append(tr.numbers.duration(result.throughput.step_time_s, 4))
        self.about.setText(" · ".join(part for part in parts if part))

    def _retranslate(self) -> None:
        tr = self.services.language.tr
        self.setWindowTitle(tr("Explain a reported number"))
        self._scroll.setAccessibleName(tr("What the number may mean"))
        self.label.setText(tr("Somebody reports"))
        self.kind.set_choices([("mfu", "MFU"), ("hfu", "HFU"), ("tflops_per_device", tr("per device"))])
        if self.kind.currentIndex() < 0:
            self.kind.set_value(self._start_kind)
        self.kind.setAccessibleName(tr("What the number is"))
        for editor in (self.percent, self.rate):
            editor.setAccessibleName(tr("Reported number"))
        self.go.setText(tr("Show field"))
        self._close.setText(tr("Close"))
        for answer in self.answers:
            answer.hide()
        self._show_about(self.services.workspace.active)
        self._kind_chosen()


def _residual(explanation: Explanation, tr: Translator) -> str:
    if explanation.digits_match:
        return tr("matches the digits reported")
    residual = explanation.residual
    if abs(residual) < _NEAR:
        return tr("off by less than 0.01%")
    return tr("off by {residual}", residual=f"{residual * 100:+.2f}%")
