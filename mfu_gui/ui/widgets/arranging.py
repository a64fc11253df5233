"""HeldLayouts: parts of the window that are laid out once, after all that is in them has changed.

Left to itself Qt lays out from the inside out, and whenever something is shown: a form that lost a row first spreads
the others over its old height, then its card gets lower and moves them back.  Each such move is work, and paints
what is moved anew, though at the end it is where it was.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QAbstractScrollArea, QLayout, QWidget


class HeldLayouts:
    """The layouts of ``parts``, which lie in each other: what is outside comes first."""

    def __init__(self) -> None:
        self.parts: Sequence[QWidget] = ()
        self._held: list[tuple[QWidget, QLayout]] = []

    def hold(self) -> None:
        """From here on nothing in the parts moves, whatever is shown, hidden or written."""
        if self._held:
            return
        for part in self.parts:
            layout = part.layout()
            if layout is not None and part.isVisible():
                layout.setEnabled(False)
                self._held.append((part, layout))

    def arrange(self) -> None:
        """Lay out what has changed, from the outside in."""
        # First what is inside, such as the row of a field: it says that it needs another size.
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)
        held, self._held = self._held, []
        for _, layout in held:
            layout.setEnabled(True)
        for part, layout in reversed(held):
            if _is_dirty(layout):
                _invalidate(layout)
                _tell_outside(part)
        for part, layout in held:
            if _is_dirty(layout):
                # Sent, not done: the scroll area around it gives it the height it needs first.
                QCoreApplication.sendEvent(part, QEvent(QEvent.Type.LayoutRequest))


def _is_dirty(layout: QLayout) -> bool:
    """An invalid layout has forgotten its place."""
    return not layout.geometry().isValid()


def _invalidate(layout: QLayout) -> None:
    """Let the layouts inside a layout measure anew; Qt does so only when it lays them out."""
    for inner in layout.children():
        if isinstance(inner, QLayout):
            inner.invalidate()
            _invalidate(inner)


def _tell_outside(part: QWidget) -> None:
    """What is around a part asks it for its size again."""
    part.updateGeometry()
    viewport = part.parentWidget()
    area = None if viewport is None else viewport.parentWidget()
    if isinstance(area, QAbstractScrollArea) and area.viewport() is viewport:
        area.updateGeometry()
