"""MeasuredEdit: a number that was measured, with how exactly it was given."""

from __future__ import annotations

from PySide6.QtCore import Signal

from mfu_gui.formats.quantities import Parsed
from mfu_gui.formats.uncertain import parse_uncertain, split
from mfu_gui.ui.widgets.number_edit import NumberEdit


class MeasuredEdit(NumberEdit):
    """Takes "8.57 ± 0.02 s" too; ``restated()`` when the same number was typed with another exactness."""

    restated = Signal()

    _exactness: tuple[float | None, bool] = (None, False)

    @property
    def exactness(self) -> tuple[float | None, bool]:
        """Half the width of what was typed, in the field's unit, None if unknown; and whether "±" said so."""
        return self._exactness

    def read(self, text: str) -> Parsed:
        """The value; its width is kept beside it."""
        parsed, half = parse_uncertain(text, self._kind, self._unit)
        self._exactness = (half, bool(split(text)[1]))
        return parsed

    def step_by(self, steps: float) -> None:
        """A number that was stepped to has the digits that it shows."""
        self._exactness = (None, False)
        super().step_by(steps)

    def _typed(self, text: str) -> None:
        before = self._value
        super()._typed(text)
        if not self._wrong and self._value == before and text.strip():
            self.restated.emit()
