"""ChipSet: any of a few, each a small button that is on or off."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QToolButton, QWidget

from mfu_gui.ui import fonts
from mfu_gui.ui.theme import SMALL

COLUMNS = 3


class ChipSet(QWidget):
    """``chosen(tuple)`` is emitted for a choice of the user, in the order in which the chips stand."""

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 2, 0, 2)
        self._grid.setSpacing(4)
        self._chips: dict[str, QToolButton] = {}
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def set_choices(self, choices: Sequence[tuple[str, str]]) -> None:
        """Offer these (value, label)."""
        if [(value, chip.text()) for value, chip in self._chips.items()] == list(choices):
            return
        on = self.value
        for chip in self._chips.values():
            chip.setParent(None)
            chip.deleteLater()
        self._chips = {}
        for number, (value, label) in enumerate(choices):
            chip = QToolButton(self)
            chip.setProperty("role", "chip")
            chip.setFont(fonts.font(SMALL))
            chip.setText(label)
            chip.setCheckable(True)
            chip.setChecked(value in on)
            chip.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            chip.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            chip.clicked.connect(lambda _on: self.chosen.emit(self.value))
            self._grid.addWidget(chip, number // COLUMNS, number % COLUMNS)
            self._chips[value] = chip
        if self._chips:
            self.setFocusProxy(next(iter(self._chips.values())))
        self._name_chips()

    @property
    def value(self) -> tuple[str, ...]:
        """What is on."""
        return tuple(value for value, chip in self._chips.items() if chip.isChecked())

    def set_value(self, value: Sequence[str] | None) -> None:
        """Show what is on."""
        for name, chip in self._chips.items():
            if chip.isChecked() is not (name in (value or ())):
                chip.setChecked(name in (value or ()))

    def setAccessibleName(self, name: str) -> None:
        super().setAccessibleName(name)
        self._name_chips()

    def _name_chips(self) -> None:
        for chip in self._chips.values():
            chip.setAccessibleName(f"{self.accessibleName()}: {chip.text()}".lstrip(": "))
