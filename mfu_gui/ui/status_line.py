"""The line at the bottom: what just happened, where the peak comes from, language and colours."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from mfu_gui.engine.errors import Notice
from mfu_gui.engine.scenario import Result, Scenario
from mfu_gui.texts import N_
from mfu_gui.ui import fonts
from mfu_gui.ui.services import Services
from mfu_gui.ui.theme import MODES, Mode
from mfu_gui.ui.widgets.card import plain_label
from mfu_gui.ui.widgets.choice_box import ChoiceBox
from mfu_gui.ui.widgets.elided_label import ElidedLabel
from mfu_gui.ui.workspace import Document

MODE_NAMES: dict[Mode, str] = {"system": N_("System colours"), "light": N_("Light"), "dark": N_("Dark"),
                                "contrast": N_("High contrast")}
_SAY_MS = 4000


def language_names() -> tuple[tuple[str, str], ...]:
    """Each language by its own name, as far as there is a font to write it."""
    return ("en", "English"), ("zh", "简体中文" if fonts.write_chinese() else "Chinese")


def set_language(services: Services, code: str) -> None:
    """Speak this language from now on, unless nobody could read it: then say what is missing."""
    if code == "zh" and not fonts.write_chinese():
        services.workspace.set_notices(services.workspace.active, (Notice("no_font_for_chinese", ""),))
        services.language.changed.emit()  # the choices show the language that stays
        return
    services.settings.stored.language = code
    services.language.set_code(code)


class StatusLine(QFrame):
    """Quiet facts."""

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "foot")
        self.services = services
        layout = QHBoxLayout(self)
        layout.setContentsMargins(14, 2, 8, 2)
        layout.setSpacing(8)
        self.source = ElidedLabel()
        self.said = plain_label(tone="accent", small=True)
        layout.addWidget(self.source, 1)
        layout.addWidget(self.said)
        self.language = ChoiceBox(services.theme, flat=True)
        self.language.setObjectName("language")
        self.language.set_choices(language_names())
        self.language.chosen.connect(self.set_language)
        self.colours = ChoiceBox(services.theme, flat=True)
        self.colours.setObjectName("theme")
        self.colours.chosen.connect(self.set_theme)
        layout.addWidget(self.colours)
        layout.addWidget(self.language)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_SAY_MS)
        self._timer.timeout.connect(self.said.clear)
        services.announcer.said.connect(self._say)
        services.workspace.changed.connect(self._changed)
        services.language.changed.connect(self._retranslate)
        services.theme.changed.connect(self._show_mode)
        self._retranslate()

    def _say(self, text: str) -> None:
        self.said.setText(text)
        self._timer.start()

    def set_language(self, code: str) -> None:
        set_language(self.services, code)

    def set_theme(self, mode: Mode) -> None:
        self.services.settings.stored.theme = mode
        self.services.theme.set_mode(mode)
        self._show_mode()

    def _show_mode(self) -> None:
        self.colours.set_value(self.services.theme.mode)

    def _retranslate(self) -> None:
        tr = self.services.language.tr
        self.language.set_value(self.services.language.code)
        self.language.setAccessibleName(tr("Language"))
        self.colours.setAccessibleName(tr("Colours"))
        self.colours.set_choices(theme_choices(self.services))
        self._show_mode()
        if not self.services.workspace.is_empty:
            self.refresh(self.services.workspace.active)

    def refresh(self, document: Document) -> None:
        """Say where the peak of ``document`` comes from."""
        text = self._source(document.scenario)
        if text != self.source.text():
            self.source.setText(text)

    def _source(self, scenario: Scenario) -> str:
        tr = self.services.language.tr
        peak = scenario.peak
        if peak.tflops is not None:
            return tr("Peak: as typed, {peak} TFLOP/s", peak=tr.numbers.short(peak.tflops, 4))
        # Origins has it: the store would read the file again for each key press.
        preset = self.services.origins.device(scenario.hardware_source.preset)
        source = "" if preset is None else preset.source
        text = tr("Peak: {source}", source=source) if source else tr("Peak: of this scenario's own hardware")
        factor = scenario.hardware.sparse_factor
        dense = scenario.hardware.peak_tflops.get(scenario.run.precision)
        if factor is not None and factor > 1 and dense is not None and peak.kind == "dense":
            text += " · " + tr("dense; the headline {sparse} is sparse", sparse=tr.numbers.short(dense * factor, 4))
        return text

    def _changed(self, document: Document, aspects: frozenset[str], result: Result | None) -> None:
        if document is self.services.workspace.active and aspects & {"hardware", "peak", "run", "active"}:
            self.refresh(document)


def theme_choices(services: Services) -> list[tuple[object, str]]:
    """The modes of the theme with their names."""
    return [(mode, services.language.tr(MODE_NAMES[mode])) for mode in MODES]
