"""FilterBar: one line of what narrows a table down: words, choices, and how many rows are left."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from mfu_gui.ui.services import Services
from mfu_gui.ui.widgets.choice_box import ChoiceBox
from mfu_gui.ui.widgets.elided_label import ElidedLabel

_SEARCH_WIDTH = 190
_CHOICE_WIDTH = 200
_NOTE_WIDTH = 110


class _Note(ElidedLabel):
    """How many rows there are: short enough to have its room before the boxes have theirs."""

    def setText(self, text: str) -> None:
        super().setText(text)
        width = min(self.fontMetrics().horizontalAdvance(text) + 2, _NOTE_WIDTH)
        if self.minimumWidth() < width:  # wider only: a number that falls while words are typed moves nothing
            self.setMinimumWidth(width)


class FilterBar(QWidget):
    """``changed`` is emitted when something else is asked for.  A choice of "" keeps everything."""

    changed = Signal()

    def __init__(self, services: Services, choices: tuple[str, ...] = (), parent: QWidget | None = None) -> None:
        """``choices``: keys of the boxes."""
        super().__init__(parent)
        self.row = QHBoxLayout(self)
        self.row.setContentsMargins(0, 4, 0, 4)
        self.row.setSpacing(8)
        self.search = QLineEdit()
        self.search.setClearButtonEnabled(True)
        self.search.setMinimumWidth(90)
        self.search.setMaximumWidth(_SEARCH_WIDTH)
        self.search.textChanged.connect(lambda _text: self.changed.emit())
        self.row.addWidget(self.search, 2)
        self.boxes: dict[str, ChoiceBox] = {}
        for key in choices:
            box = self.boxes[key] = ChoiceBox(services.theme)
            box.setMaximumWidth(_CHOICE_WIDTH)
            box.chosen.connect(lambda _value: self.changed.emit())
            self.row.addWidget(box, 1)
        self.note = _Note()
        self.note.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.row.addWidget(self.note, 1)

    def set_search(self, text: str) -> None:
        """What the field for words is for."""
        self.search.setPlaceholderText(text)
        self.search.setAccessibleName(text)

    def set_choices(self, key: str, name: str, choices: Sequence[tuple[str, str]]) -> None:
        """Offer (value, label) in a box; ``name`` is for screen readers and the tooltip."""
        box = self.boxes[key]
        value = box.currentData()
        box.set_choices(choices)
        box.set_value(value if value is not None else "")
        box.setAccessibleName(name)
        box.setToolTip(name)

    def choice(self, key: str) -> str:
        """What is chosen in a box; empty for everything."""
        return str(self.boxes[key].currentData() or "")

    def matches(self, *texts: str) -> bool:
        """Whether every word that was typed occurs in one of ``texts``."""
        words = self.words
        where = "\n".join(texts).casefold() if words else ""
        return all(word in where for word in words)

    @property
    def words(self) -> list[str]:
        """What was typed, word by word, in small letters."""
        return self.search.text().casefold().split()

    @property
    def is_empty(self) -> bool:
        """Whether everything is asked for."""
        return not self.search.text().split() and not any(self.choice(key) for key in self.boxes)
