"""Banner: a remark that stays on the screen, with what can be done about it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from mfu_gui.ui import icons
from mfu_gui.ui.services import Services
from mfu_gui.ui.widgets.card import plain_label
from mfu_gui.ui.widgets.link import Link

Tone = Literal["warning", "error", "note"]
_ICON = {"warning": "warning", "error": "error", "note": "info"}
_COLOR = {"warning": "warning", "error": "error", "note": "accent"}


class Banner(QFrame):
    """Icon, sentence, links.  Screen readers read it when it appears because it has its sentence as name."""

    def __init__(self, services: Services, tone: Tone, text: str,
                 links: tuple[tuple[str, Callable[[], object]], ...] = (), *,
                 on_close: Callable[[], object] | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._tone = tone
        self.setProperty("role", tone)
        self.setAccessibleName(text)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(9, 5, 9, 5)
        layout.setSpacing(8)
        self._icon = QLabel()
        layout.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        self.label = plain_label(text, wrap=True)
        self.label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        layout.addWidget(self.label, 1)
        for caption, action in links:
            layout.addWidget(Link(services.theme, caption, action, _COLOR[tone]), 0, Qt.AlignmentFlag.AlignTop)
        self._close = QToolButton()
        if on_close is not None:
            self._close.setProperty("role", "flat")
            self._close.setAccessibleName(services.language.tr("Dismiss"))
            self._close.setToolTip(services.language.tr("Dismiss"))
            self._close.clicked.connect(lambda: on_close())
            layout.addWidget(self._close, 0, Qt.AlignmentFlag.AlignTop)
        else:
            self._close.setParent(self)
            self._close.hide()
        services.theme.changed.connect(self._restyle)
        self._restyle()

    def _restyle(self) -> None:
        theme = self._services.theme
        color = theme.color(_COLOR[self._tone])
        self._icon.setPixmap(icons.pixmap(_ICON[self._tone], color, ratio=self.devicePixelRatioF()))
        self._close.setIcon(icons.icon("close", theme.color("muted")))
