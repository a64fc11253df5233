"""The colour of each open scenario, the same in the list, in the Compare tab and in the plot."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPainter, QPixmap

from mfu_gui.ui.theme import Theme
from mfu_gui.ui.workspace import Document

TOKENS = ("attention_projection", "experts", "head", "router", "attention_core", "shared", "other")
"""Colours that are told apart by people who see red and green alike."""


def token_of(document: Document) -> str:
    """The name of the colour of a document; it keeps it wherever it is moved."""
    return TOKENS[document.color % len(TOKENS)]


def color_of(document: Document, theme: Theme) -> QColor:
    """The colour of a document."""
    return theme.color(token_of(document))


def swatch(color: QColor) -> QPixmap:
    """A small square in a colour, sharp on any screen."""
    found = QPixmap(30, 30)
    found.fill(Qt.GlobalColor.transparent)
    painter = QPainter(found)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    painter.drawRoundedRect(0, 0, 30, 30, 6, 6)
    painter.end()
    found.setDevicePixelRatio(3)
    return found
