"""Tooltips that show their text as it is.

Qt takes a tooltip for HTML when it looks like it, and names, sources and remarks come from files: whatever of
them is in a tooltip goes through here.
"""

from __future__ import annotations

from PySide6.QtCore import QPoint
from PySide6.QtGui import Qt
from PySide6.QtWidgets import QToolTip, QWidget


def plain(text: str) -> str:
    """``text`` for ``setToolTip`` and the tooltip role of an item; what looks like HTML is escaped."""
    return Qt.convertFromPlainText(text) if Qt.mightBeRichText(text) else text


def show(place: QPoint, text: str, widget: QWidget) -> None:
    """Show a tooltip now; an empty text takes away the one that is shown."""
    QToolTip.showText(place, plain(text), widget)
