"""The Sweep tab: one or two quantities over many values, and the search for a better layout."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from mfu_gui.formats.reports.swept import Asked
from mfu_gui.ui.services import Services
from mfu_gui.ui.tabs.page import TabPage
from mfu_gui.ui.tabs.sweep_layouts import LayoutsView
from mfu_gui.ui.tabs.sweep_view import SweepView
from mfu_gui.ui.widgets.elided_label import ElidedLabel
from mfu_gui.ui.widgets.segments import Segments
from mfu_gui.ui.workspace import Document

VIEWS = ("sweep", "layouts")


class SweepPage(TabPage):
    """Two views, one of them shown; computed only while looked at."""

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(services, parent)
        self.sweep = SweepView(services)
        self.layouts = LayoutsView(services)
        self.views: dict[str, SweepView | LayoutsView] = {"sweep": self.sweep, "layouts": self.layouts}
        self.words = ElidedLabel("")
        self.segments = Segments(services.theme, tuple((key, "") for key in VIEWS))
        self.segments.chosen.connect(self.show_view)
        self.stack = QStackedWidget()
        for view in self.views.values():
            self.stack.addWidget(view)
        row = QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.words, 1)
        row.addWidget(self.segments)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 4, 0, 0)
        layout.setSpacing(2)
        layout.addLayout(row)
        layout.addWidget(self.stack, 1)
        services.language.changed.connect(self._retranslate)
        self.show_view("sweep")
        self._retranslate()

    def show_view(self, key: str) -> None:
        """Show ``sweep`` or ``layouts``."""
        self.shown = key
        self.segments.set_value(key)
        self.stack.setCurrentWidget(self.views[key])
        self._write_words()
        self._redraw()

    def asked(self) -> Asked | None:
        """The sweep that was shown last, for a report; None before the first."""
        return self.sweep.asked()

    def refresh(self, document: Document) -> None:
        """Show ``document`` in the view that is looked at."""
        self.views[self.shown].refresh(document)

    def _write_words(self) -> None:
        tr = self.services.language.tr
        self.words.setText({"sweep": tr("One or two quantities over many values"),
                            "layouts": tr("Every layout that divides, ranked")}[self.shown])

    def _retranslate(self) -> None:
        tr = self.services.language.tr
        for key, caption, tip in (("sweep", tr("Sweep"), tr("Vary one or two quantities")),
                                  ("layouts", tr("Layouts"), tr("Search for a better layout"))):
            self.segments.set_text(key, caption)
            self.segments.set_tip(key, tip)
        for view in self.views.values():
            view.retranslate()
        self._write_words()
        self._redraw()
