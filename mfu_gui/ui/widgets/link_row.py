"""LinkRow: a caption and links on one line; those for which there is no room are left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from mfu_gui.ui.theme import Theme
from mfu_gui.ui.widgets.card import plain_label
from mfu_gui.ui.widgets.link import Link

_GAP = 14
_HEIGHT = 22


class LinkRow(QWidget):
    """Never wider than it is given room; the first links are the ones that stay."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._caption = plain_label(tone="muted")
        self._caption.setParent(self)
        self._links: list[Link] = []
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    @property
    def has_links(self) -> bool:
        """Whether there is anything to press."""
        return bool(self._links)

    @property
    def links(self) -> list[Link]:
        """The links, those without room included."""
        return self._links

    def clear(self) -> None:
        """No links."""
        self.show_links("", ())

    def show_links(self, caption: str, links: Sequence[tuple[str, Callable[[], object]]]) -> None:
        """Show these after ``caption``."""
        # The links there are take the new words: while a number is typed they change with each key.
        for link in self._links[len(links):]:
            link.hide()
            link.deleteLater()
        self._caption.setText(caption)
        kept = self._links[:len(links)]
        for link, (text, action) in zip(kept, links, strict=False):
            link.offer(text, action)
        self._links = [*kept, *(Link(self._theme, text, action, parent=self) for text, action in links[len(kept):])]
        for link in self._links:
            link.setAccessibleName(f"{caption} {link.text()}")
        self._place()

    def sizeHint(self) -> QSize:
        return QSize(0, _HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, _HEIGHT)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def _place(self) -> None:
        hint = self._caption.sizeHint()
        self._caption.setGeometry(0, (_HEIGHT - hint.height()) // 2, hint.width(), hint.height())
        self._caption.setVisible(bool(self._links) and hint.width() <= self.width())
        x = hint.width() + 8
        room = True
        for link in self._links:
            size = link.sizeHint()
            room = room and x + size.width() <= self.width()
            link.setGeometry(x, (_HEIGHT - size.height()) // 2, size.width(), size.height())
            link.setVisible(room)
            x += size.width() + _GAP
