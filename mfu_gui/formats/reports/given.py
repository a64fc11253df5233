"""What a report is made from, and the few words that its sections share."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mfu_gui.engine.compare import ConventionRow
from mfu_gui.engine.conventions import Convention, chosen
from mfu_gui.engine.errors import InputError, Notice
from mfu_gui.engine.scenario import Result, Scenario
from mfu_gui.formats.preset_file import HardwarePreset, ModelPreset
from mfu_gui.formats.presets import PresetStore
from mfu_gui.texts import Translator

if TYPE_CHECKING:
    from mfu_gui.formats.reports.swept import Asked, Swept

LONGEST_TEXT = 4000


@dataclass(frozen=True)
class Given:
    """A scenario with all that was computed for it; ``date`` is today's, ISO, which only the caller knows."""

    scenario: Scenario
    result: Result
    rows: tuple[ConventionRow, ...]
    tr: Translator
    presets: PresetStore
    date: str
    notices: tuple[Notice, ...] = ()
    """What reading the scenario remarked."""
    sweep: Asked | Swept | None = None
    """A sweep that the report shows too; one that cannot be computed is a remark in it."""

    @property
    def convention(self) -> Convention:
        return chosen(self.scenario.convention)

    def model_preset(self) -> ModelPreset | None:
        """The preset that the model came from, if it is still there."""
        preset_id = self.scenario.model_source.preset
        try:
            return None if preset_id is None else self.presets.model(preset_id)
        except InputError:
            return None

    def hardware_preset(self) -> HardwarePreset | None:
        """The preset that the accelerator came from, if it is still there."""
        preset_id = self.scenario.hardware_source.preset
        try:
            return None if preset_id is None else self.presets.hardware(preset_id)
        except InputError:
            return None


def plain(text: str, longest: int = LONGEST_TEXT) -> str:
    """A text from a file, as one that every kind of report can hold: no control characters, one line."""
    words = " ".join(text.split())
    kept = "".join(c if unicodedata.category(c) not in ("Cc", "Cs", "Cf", "Co", "Cn") else "�" for c in words)
    return kept if len(kept) <= longest else kept[: longest - 1] + "…"
