"""The first start: in which language, and what the example says about itself."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from mfu_gui.texts import LANGUAGES, system_language_or_none, translator
from mfu_gui.ui import fonts
from mfu_gui.ui.example import EXAMPLE_NAME, EXAMPLE_NOTES, HARDWARE, MODEL, example_notes
from mfu_gui.ui.services import Services
from mfu_gui.ui.status_line import language_names, set_language
from mfu_gui.ui.theme import VALUE
from mfu_gui.ui.widgets.card import plain_label
from mfu_gui.ui.workspace import Document, State

Links = tuple[tuple[str, Callable[[], object]], ...]


class LanguageQuestion(QDialog):
    """Asks, in both languages, for the one to speak; closing it is English."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.code = "en"
        self.setWindowTitle("Language · 语言")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(28, 24, 28, 24)
        layout.setSpacing(16)
        title = plain_label("MFU Calculator · MFU 计算器")
        title.setFont(fonts.bold(VALUE))
        layout.addWidget(title, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addWidget(plain_label("Which language?  ·  使用哪种语言？", tone="muted"), 0,
                         Qt.AlignmentFlag.AlignHCenter)
        row = QHBoxLayout()
        row.setSpacing(12)
        self.buttons: dict[str, QPushButton] = {}
        for code, name in language_names():
            button = QPushButton(name)
            button.setMinimumSize(150, 40)
            button.setAccessibleName(name)
            button.clicked.connect(lambda _checked=False, code=code: self._choose(code))
            row.addWidget(button)
            self.buttons[code] = button
        self.buttons["en"].setDefault(True)
        layout.addLayout(row)

    def _choose(self, code: str) -> None:
        self.code = code
        self.accept()


def ask_language(services: Services) -> None:
    """On the first start, where the system speaks neither of the two languages: ask, and remember it.

    Without a font for one of them there is nothing to ask.
    """
    if services.settings.stored.language or system_language_or_none() is not None or not fonts.write_chinese():
        return
    question = LanguageQuestion()
    services.theme.dress(question)
    question.exec()
    set_language(services, question.code)


def example_remark(services: Services, document: Document, show_field: Callable[[str], object]) -> tuple[str, Links]:
    """What the banner of the example says and offers: first the user's hardware, then the measured value."""
    tr = services.language.tr
    scenario = document.scenario
    if scenario.hardware_source.preset == HARDWARE and scenario.model_source.preset == MODEL:
        notes = tr(EXAMPLE_NOTES) if scenario.notes == example_notes(tr) else scenario.notes
        text = tr("An example: {notes}", notes=notes) if notes else tr("An example to start with.")
        links: Links = ((tr("Your hardware?"), lambda: show_field("hardware.preset")),)
    elif scenario.hardware_source.preset == HARDWARE:
        text = tr("Your model, with the rest still of the example: now hardware, devices, batch and your own measured "
                  "value.")
        links = ((tr("Your hardware?"), lambda: show_field("hardware.preset")),)
    else:
        text = tr("Your hardware, with the rest still of the example: now devices, batch and your own measured value.")
        links = ((tr("Your measured value"), lambda: show_field("run.measured")),)
    if not services.settings.stored.language:
        code, name = next((code, name) for code, name in language_names() if code != services.language.code)
        links += ((name, lambda: set_language(services, code)),)
    return text, links


def follow_language(services: Services) -> None:
    """Name the example in the language that was just chosen, unless the user has named it."""
    tr = services.language.tr
    told = [translator(code) for code in LANGUAGES]
    names, notes = {each(EXAMPLE_NAME) for each in told}, {example_notes(each) for each in told}
    for document in services.workspace.documents:
        scenario = document.scenario
        if not document.example or scenario.name not in names:
            continue
        scenario = replace(scenario, name=tr(EXAMPLE_NAME),
                           notes=example_notes(tr) if scenario.notes in notes else scenario.notes)
        # No step of undo: nothing was edited.
        state = document.state
        services.workspace.show(document, State(scenario, state.result, state.problem, state.place))
