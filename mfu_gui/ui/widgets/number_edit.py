"""NumberEdit: one line in which a number is typed as people type numbers."""

from __future__ import annotations

from typing import Any, Literal

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.fields import Kind
from mfu_gui.formats.quantities import Parsed, parse, to_text

Number = int | float


class NumberEdit(QLineEdit):
    """Edits one number of a kind and unit.

    ``edited(value, burst)`` is emitted while typing whenever the text is a number other than the one shown
    before; ``burst`` is the same for what belongs together.  ``misread(error)`` carries why the text is no
    number, and None when it is one again or was given up.  Text that is no number stays until it is mended,
    Escape is pressed, or ``restore`` is called.
    """

    edited = Signal(object, str)
    misread = Signal(object)
    understood = Signal(object)
    """The Parsed of what was just typed, None when the text is the plain form of the value."""

    _bursts = 0

    def __init__(self, kind: Kind, unit: str = "", step: float | Literal["double"] = 1, *,
                 minimum: float | None = None, maximum: float | None = None, optional: bool = False,
                 parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._kind: Kind = kind
        self._unit = unit
        self._step = step
        self._minimum, self._maximum = minimum, maximum
        self._optional = optional
        self._value: Any = None
        self._wrong = False
        self._own_groups = 0
        """Commas in the text that were written here; -1 once the user typed one."""
        self._start_burst()
        self.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.textEdited.connect(self._typed)
        self.returnPressed.connect(self.commit)
        self.editingFinished.connect(self._start_burst)

    @property
    def value(self) -> Any:
        """The last number that was shown or typed."""
        return self._value

    @property
    def wrong(self) -> bool:
        """Whether the text is no number, or not one that is possible here."""
        return self._wrong

    def set_value(self, value: Any) -> None:
        """Show a value.  Text that is being typed and means this value stays as it was typed."""
        if value == self._value and (self._wrong or self.text()):
            return
        self._value = value
        if not self._wrong:
            self._write()

    def restore(self) -> None:
        """Give up what was typed and show the value."""
        self.mark(False)
        self._write()
        self.understood.emit(None)

    def mark(self, wrong: bool) -> None:
        """Paint the field as wrong, or not."""
        if wrong != self._wrong:
            self._wrong = wrong
            self.setProperty("state", "invalid" if wrong else "")
            self.style().unpolish(self)
            self.style().polish(self)

    def commit(self) -> None:
        """Write the value in its plain form and end the burst of typing."""
        if not self._wrong:
            self._write()
            self.understood.emit(None)
            self.selectAll()
        self._start_burst()

    def _write(self) -> None:
        text = "" if self._value is None else self.written(self._value)
        if text != self.text():
            position = self.cursorPosition()
            self.setText(text)
            self.setCursorPosition(position if self.hasFocus() else 0)
        self._own_groups = text.count(",")

    def read(self, text: str) -> Parsed:
        """The value that a text means; InputError if none."""
        return parse(text, self._kind, self._unit)

    def written(self, value: Any) -> str:
        """A value in its plain form."""
        return to_text(value, self._kind, self._unit)

    def _needs_telling(self, text: str, parsed: Parsed) -> bool:
        """Whether the typed text could be doubted: it is not just the digits of the value."""
        plain = {parsed.understood, self.written(parsed.value), self.written(parsed.value).replace(",", "")}
        return text.strip() not in plain and text.strip().rstrip(".") not in plain

    def _start_burst(self) -> None:
        NumberEdit._bursts += 1
        self._burst = f"typing:{NumberEdit._bursts}"

    def _typed(self, text: str) -> None:
        if not text.strip() and self._optional:
            self._accept(None)
            self.understood.emit(None)
            return
        commas = text.count(",")
        if self._own_groups >= 0:
            self._own_groups = -1 if commas > self._own_groups else commas
        try:
            # "2,048" with a digit more is "2,0489": the comma was written here and means nothing.
            parsed = self.read(text.replace(",", "") if self._own_groups > 0 else text)
        except InputError as error:
            self.mark(True)
            self.understood.emit(None)
            self.misread.emit(error)
            return
        self.understood.emit(parsed if self._needs_telling(text, parsed) else None)
        self._accept(parsed.value)

    def _accept(self, value: Any) -> None:
        if self._wrong:
            self.mark(False)
            self.misread.emit(None)
        # The same number in another spelling is no edit, but a wrong one before it was still shown as wrong.
        if value != self._value:
            self._value = value
            self.edited.emit(value, self._burst)

    def step_by(self, steps: float) -> None:
        """Change the value by so many steps, within its range."""
        value = self._value
        if value is None or self._wrong:
            return
        if self._step == "double":
            value = value * 2**steps if steps > 0 else value / 2**-steps
            value = round(value) if self._kind == "integer" else value
        else:
            size = self._step if self._kind == "integer" else _fine_step(float(value), float(self._step), self._kind)
            value = value + steps * size
            value = round(value) if self._kind == "integer" else float(f"{value:.12g}")
        if self._minimum is not None:
            value = max(value, type(value)(self._minimum))
        if self._maximum is not None:
            value = min(value, type(value)(self._maximum))
        if value != self._value:
            self._value = value
            self._write()
            self.understood.emit(None)
            self.edited.emit(value, self._burst)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Up: 1, Qt.Key.Key_Down: -1, Qt.Key.Key_PageUp: 10, Qt.Key.Key_PageDown: -10}.get(
            Qt.Key(event.key()))
        if step is not None:
            if self._step == "double" and abs(step) == 10:
                step //= 5
            self.step_by(step)
            event.accept()
        elif event.key() == Qt.Key.Key_Escape and (self._wrong or self.isModified()):
            wrong = self._wrong
            self.restore()
            if wrong:
                self.misread.emit(None)
            event.accept()
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._start_burst()
        if event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason,
                              Qt.FocusReason.ShortcutFocusReason):
            self.selectAll()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if not self._wrong and event.reason() not in (Qt.FocusReason.PopupFocusReason,
                                                      Qt.FocusReason.ActiveWindowFocusReason):
            self._write()
            self.understood.emit(None)


def is_typing() -> bool:
    """Whether a number may be half typed at this moment: "2048" is "2" first, which nobody means."""
    return isinstance(QApplication.focusWidget(), NumberEdit)


def _fine_step(value: float, step: float, kind: Kind) -> float:
    """A step of about one percent, as a round number: 0.1 at 19.9 s."""
    if kind == "fraction":
        return 0.01
    if kind != "time":
        return step
    size = 10.0
    power = -8
    while size**power * 100 <= abs(value) * 1.0001 and power < 6:
        power += 1
    return float(10.0 ** (power - 1))
