"""FieldRow: label, editor, unit, reset mark, and beneath them why a value cannot be used."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from mfu_gui.ui import icons
from mfu_gui.ui.services import Services
from mfu_gui.ui.widgets.card import plain_label
from mfu_gui.ui.widgets.elided_label import ElidedLabel

LABEL_WIDTH = 112
EDITOR_WIDTH = 88
MARK_WIDTH = 18


class FieldRow(QWidget):
    """One line of a form.  ``reset`` is emitted when the mark of a changed value is pressed."""

    reset = Signal()

    def __init__(self, services: Services, editor: QWidget, *, wide: bool = False,
                 parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self.editor = editor
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 1, 0, 1)
        grid.setHorizontalSpacing(6)
        grid.setVerticalSpacing(2)
        self.label = plain_label(tone="muted")
        self.label.setBuddy(editor)
        self.label.setMinimumWidth(LABEL_WIDTH)
        self.label.setWordWrap(True)
        self.extra = ElidedLabel()
        self.mark = QToolButton()
        self.mark.setProperty("role", "flat")
        self.mark.setFixedWidth(MARK_WIDTH)
        self.mark.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.mark.clicked.connect(self.reset)
        policy = self.mark.sizePolicy()
        policy.setRetainSizeWhenHidden(not wide)
        self.mark.setSizePolicy(policy)
        self.mark.hide()
        self.message = plain_label(tone="error", small=True, wrap=True)
        self.message.hide()
        grid.addWidget(self.label, 0, 0)
        if wide:
            # A box, because unlike a grid it leaves no gap for a mark that is hidden.
            box = QHBoxLayout()
            box.setSpacing(6)
            box.addWidget(editor, 1)
            box.addWidget(self.mark)
            grid.addLayout(box, 0, 1, 1, 3)
            editor.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        else:
            editor.setFixedWidth(EDITOR_WIDTH)
            grid.addWidget(editor, 0, 1)
            grid.addWidget(self.extra, 0, 2)
            grid.addWidget(self.mark, 0, 3)
        grid.addWidget(self.message, 1, 0, 1, 4)
        grid.setColumnMinimumWidth(0, LABEL_WIDTH)
        grid.setColumnStretch(2, 1)
        services.theme.changed.connect(self._restyle)
        self._restyle()

    def set_texts(self, label: str, help_text: str, unit: str) -> None:
        """Write label, tooltip and unit; screen readers get all three."""
        self.label.setText(label)
        for widget in (self.label, self.editor):
            widget.setToolTip(help_text)
        self.editor.setAccessibleName(label)
        self.editor.setAccessibleDescription(f"{unit}. {help_text}" if unit else help_text)

    def show_extra(self, text: str, tone: str = "muted") -> None:
        """The small text after the editor: the unit, or what was understood."""
        if text != self.extra.text():
            self.extra.setText(text)
        _set_tone(self.extra, tone)

    def show_message(self, text: str) -> None:
        """Why the value cannot be used; empty hides it."""
        if text != self.message.text():
            self.message.setText(text)
            self.message.setVisible(bool(text))

    def show_mark(self, tip: str) -> None:
        """Mark the value as changed from the preset's, which ``tip`` names; empty for unchanged."""
        self.mark.setVisible(bool(tip))
        self.mark.setToolTip(tip)
        self.mark.setAccessibleName(tip)

    def _restyle(self) -> None:
        self.mark.setIcon(icons.icon("reset", self._services.theme.color("accent")))


def _set_tone(label: QLabel, tone: str) -> None:
    if label.property("tone") != tone:
        label.setProperty("tone", tone)
        label.style().unpolish(label)
        label.style().polish(label)
