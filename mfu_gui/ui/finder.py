"""Finder: opens the palette, and brings the field that was chosen in it into sight."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QLineEdit, QScrollArea, QWidget

if TYPE_CHECKING:
    from mfu_gui.ui.field_places import Place
    from mfu_gui.ui.finding import Entry
    from mfu_gui.ui.main_window import MainWindow
    from mfu_gui.ui.widgets.palette import Palette


FIRST = 6
"""How many other entries stand before the presets that fit."""


class Finder(QObject):
    """The palette of one window.  Imported and built when it is first opened."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._palette: Palette | None = None

    def handlers(self) -> dict[str, Callable[[], object]]:
        """What its actions do."""
        return {"palette": self.open, "find_field": self.open_fields}

    @property
    def palette(self) -> Palette:
        """The palette, built if it was not yet."""
        if self._palette is None:
            from mfu_gui.ui.widgets.palette import Palette

            self._palette = Palette(self._window.services, self._window)
        return self._palette

    def open(self) -> None:
        """Offer everything."""
        from mfu_gui.ui.finding import Finding, found

        finding = Finding(self._window, self.show_place)
        entries = finding.everything()

        def search(text: str) -> Sequence[Entry]:
            fitting = found(entries, text)
            presets = finding.presets(text) if len(text.strip()) > 1 else []
            return [*fitting[:FIRST], *presets, *fitting[FIRST:]]

        self.palette.open(self._window.services.language.tr("Find an action, tab, field, model, device or convention"),
                          search)

    def open_fields(self) -> None:
        """Offer the fields, those of the pages among them."""
        from mfu_gui.ui.finding import Finding, found

        entries = Finding(self._window, self.show_place).fields()
        self.palette.open(self._window.services.language.tr("Find a field"), lambda text: found(entries, text))

    def show_place(self, place: Place) -> None:
        """Bring the editor of a field into sight, and give it the keyboard."""
        window = self._window
        if not place.page:
            self._show_in_panel(place)
            return
        window.tabs.show_page(place.page)
        page = window.tabs.page(place.page)
        show = getattr(page, "show_view", None) or getattr(page, "show_as", None)
        if show is not None:
            show(place.view)
        # After the page was laid out: before that there is nothing to scroll to.
        QTimer.singleShot(0, self, lambda: _focus(page.findChild(QWidget, place.field.key)))

    def _show_in_panel(self, place: Place) -> None:
        window, key = self._window, place.field.key
        if place.field.panel == "measured":
            window.column.measured.know(key.rpartition(".")[2])
        window.show_field(key)


def _focus(widget: QWidget | None) -> None:
    if widget is None or not widget.isVisible():
        return
    parent = widget.parentWidget()
    while parent is not None:
        if isinstance(parent, QScrollArea):
            parent.ensureWidgetVisible(widget, 0, 24)
        parent = parent.parentWidget()
    widget.setFocus(Qt.FocusReason.ShortcutFocusReason)
    if isinstance(widget, QLineEdit):
        widget.selectAll()
