"""The language of the window, which can change while it is open."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from mfu_gui.texts import LANGUAGES, Numbers, Translator, translator


class Language(QObject):
    """Holds the translator in force; ``changed`` asks everybody to write their texts again."""

    changed = Signal()

    def __init__(self, code: str = "en") -> None:
        super().__init__()
        self._translator = translator(code)

    @property
    def code(self) -> str:
        return self._translator.language

    @property
    def tr(self) -> Translator:  # type: ignore[override]
        """The translator of this moment; do not keep it."""
        return self._translator

    @property
    def numbers(self) -> Numbers:
        return self._translator.numbers

    def set_code(self, code: str) -> None:
        """Speak another language from now on."""
        if code in LANGUAGES and code != self.code:
            self._translator = translator(code)
            self.changed.emit()
