"""Segments: two or three views of the same thing, one of them shown."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QToolButton, QWidget

from mfu_gui.ui import icons
from mfu_gui.ui.theme import Theme


class Segments(QWidget):
    """Joined buttons; ``chosen(key)`` is emitted for a choice of the user."""

    chosen = Signal(str)

    def __init__(self, theme: Theme, keys: tuple[tuple[str, str], ...], parent: QWidget | None = None) -> None:
        """``keys``: (key, name of the icon); a segment without an icon is named by ``set_text``."""
        super().__init__(parent)
        self._theme = theme
        self._icons = dict(keys)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        group = QButtonGroup(self)
        group.setExclusive(True)
        self._buttons: dict[str, QToolButton] = {}
        for number, (key, _) in enumerate(keys):
            button = QToolButton()
            button.setProperty("role", "segment")
            place = "first" if number == 0 else "last" if number == len(keys) - 1 else "middle"
            button.setProperty("place", place)
            button.setCheckable(True)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.clicked.connect(lambda _checked, key=key: self.chosen.emit(key))
            group.addButton(button)
            layout.addWidget(button)
            self._buttons[key] = button
        self._faded = False
        theme.changed.connect(self._colors_changed)
        self._restyle()

    def set_value(self, key: str) -> None:
        """Show which one is chosen."""
        self._buttons[key].setChecked(True)

    def set_shown(self, key: str, shown: bool) -> None:
        """Offer a segment or not."""
        self._buttons[key].setVisible(shown)

    def set_text(self, key: str, text: str) -> None:
        """The word on a segment without an icon."""
        self._buttons[key].setText(text)
        self._buttons[key].setAccessibleName(text)

    def set_tip(self, key: str, text: str) -> None:
        """What a segment shows, in words."""
        self._buttons[key].setToolTip(text)
        self._buttons[key].setAccessibleName(text)

    def _colors_changed(self) -> None:
        """On a page that is not looked at, other colours can wait: an icon is drawn four times for them."""
        self._faded = not self.isVisible()
        if not self._faded:
            self._restyle()

    def showEvent(self, event: QShowEvent) -> None:
        if self._faded:
            self._faded = False
            self._restyle()
        super().showEvent(event)

    def _restyle(self) -> None:
        for key, button in self._buttons.items():
            if self._icons[key]:
                button.setIcon(icons.icon(self._icons[key], self._theme.color("text")))
