"""Banner: a remark that stays on the screen, with what can be done about it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from mfu_gui.ui import icons
from mfu_gui.ui.services import Services
from mfu_gui.ui.widgets.link import Link
from mfu_gui.ui.widgets.wrapped_label import WrappedLabel

Tone = Literal["warning", "error", "note"]
Links = tuple[tuple[str, Callable[[], object]], ...]
"""What can be done: words and what they do."""
_ICON = {"warning": "warning", "error": "error", "note": "info"}
_COLOR = {"warning": "warning", "error": "error", "note": "accent"}


class Banner(QFrame):
    """Icon, sentence, links.  Screen readers read it when it appears because it has its sentence as name."""

    def __init__(self, services: Services, tone: Tone, text: str, links: Links = (), *,
                 on_close: Callable[[], object] | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._tone = tone
        self._on_close = on_close
        self.setProperty("role", tone)
        self.setAccessibleName(text)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(9, 5, 9, 5)
        layout.setSpacing(8)
        self._icon = QLabel()
        layout.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        self.label = WrappedLabel(text)
        self.label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        layout.addWidget(self.label, 1)
        self._links = [Link(services.theme, caption, action, _COLOR[tone]) for caption, action in links]
        for link in self._links:
            layout.addWidget(link, 0, Qt.AlignmentFlag.AlignTop)
        self._close = QToolButton()
        if on_close is not None:
            self._close.setProperty("role", "flat")
            self._close.clicked.connect(lambda: self._on_close() if self._on_close is not None else None)
            layout.addWidget(self._close, 0, Qt.AlignmentFlag.AlignTop)
        else:
            self._close.setParent(self)
            self._close.hide()
        self._name_close()
        services.theme.changed.connect(self._restyle)
        self._restyle()

    def suits(self, tone: Tone, links: int, closes: bool) -> bool:
        """Whether it could say something else of this kind."""
        return (self._tone, len(self._links), self._on_close is not None) == (tone, links, closes)

    def say(self, text: str, links: Links, on_close: Callable[[], object] | None = None) -> None:
        """Say something else of the same kind: a new banner has to be dressed, which takes longer than all else."""
        self.setAccessibleName(text)
        self.label.setText(text)
        for link, (caption, action) in zip(self._links, links, strict=True):
            link.offer(caption, action)
        self._on_close = on_close
        self._name_close()

    def _name_close(self) -> None:
        for name in (self._close.setAccessibleName, self._close.setToolTip):
            name(self._services.language.tr("Dismiss"))

    def rest(self) -> None:
        """Say nothing for a while, and hold nothing of what was said."""
        self.hide()
        self.say("", tuple(("", _nothing) for _ in self._links), None if self._on_close is None else _nothing)

    def _restyle(self) -> None:
        theme = self._services.theme
        color = theme.color(_COLOR[self._tone])
        self._icon.setPixmap(icons.pixmap(_ICON[self._tone], color, ratio=self.devicePixelRatioF()))
        self._close.setIcon(icons.icon("close", theme.color("muted")))


def _nothing() -> None:
    """What the links of a resting banner do."""
