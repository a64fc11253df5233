"""Taking what was shown out of a layout."""

from __future__ import annotations

from PySide6.QtWidgets import QLayout, QWidget


def emptied(layout: QLayout) -> list[QWidget]:
    """Take all widgets out of a layout, and the layouts inside it; its spaces stay.

    The widgets, in their order: the caller keeps or deletes them.  Not ``takeAt``: nobody deletes the items that it
    hands to Python, and a window that is open all day would gather them.
    """
    found: list[QWidget] = []
    for index in reversed(range(layout.count())):
        item = layout.itemAt(index)
        widget, inner = (None, None) if item is None else (item.widget(), item.layout())
        if widget is not None:
            layout.removeWidget(widget)
            found.insert(0, widget)
        elif inner is not None:
            found[:0] = emptied(inner)
            layout.removeItem(inner)
            inner.deleteLater()
    return found


def delete_all(layout: QLayout) -> None:
    """Take all widgets out of a layout, out of sight at once, and delete them."""
    for widget in emptied(layout):
        widget.hide()
        widget.deleteLater()
