"""The Step time tab: where the time of a step went, what the model says of it, and what another run would take."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from mfu_gui.ui.services import Services
from mfu_gui.ui.tabs.page import TabPage
from mfu_gui.ui.tabs.step_views import ModelView, StepView, WaterfallView, WhatIfView
from mfu_gui.ui.widgets.segments import Segments
from mfu_gui.ui.workspace import Document

VIEWS = ("waterfall", "model", "what_if")


class StepTimePage(TabPage):
    """Three views, one of them shown; computed only while looked at."""

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(services, parent)
        self.waterfall = WaterfallView(services)
        self.views: dict[str, StepView] = {
            "waterfall": self.waterfall, "model": ModelView(services), "what_if": WhatIfView(services)}
        self.stack = QStackedWidget()
        for view in self.views.values():
            self.stack.addWidget(view)
        self.segments = Segments(services.theme, tuple((key, "") for key in VIEWS))
        self.segments.chosen.connect(self.show_view)
        self.forms = Segments(services.theme, (("chart", "bars"), ("table", "table")))
        self.forms.chosen.connect(self.show_as)
        self.waterfall.roomy_changed.connect(self._show_choice)
        self.heads = QStackedWidget()
        for view in self.views.values():
            self.heads.addWidget(view.words)
        row = QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.heads, 1)
        top = Qt.AlignmentFlag.AlignTop
        row.addWidget(self.forms, 0, top)
        row.addWidget(self.segments, 0, top)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 4, 0, 0)
        layout.setSpacing(2)
        layout.addLayout(row)
        layout.addWidget(self.stack, 1)
        services.language.changed.connect(self._retranslate)
        services.theme.changed.connect(self._redraw)
        self.show_as("chart")
        self.show_view("waterfall")
        self._retranslate()

    @property
    def view(self) -> StepView:
        """The view that is shown."""
        return self.views[self.shown]

    def show_view(self, key: str) -> None:
        """Show ``waterfall``, ``model`` or ``what_if``."""
        self.shown = key
        self.segments.set_value(key)
        self._show_choice()
        self.stack.setCurrentWidget(self.views[key])
        self.heads.setCurrentWidget(self.views[key].words)
        self._redraw()

    def _show_choice(self) -> None:
        """Chart or table is a choice only where there is not room for both."""
        self.forms.setVisible(self.shown == "waterfall" and not self.waterfall.roomy)

    def show_as(self, form: str) -> None:
        """Show the waterfall as a ``chart`` or as a ``table``."""
        self.forms.set_value(form)
        self.waterfall.show_as(form)

    def refresh(self, document: Document) -> None:
        """Show ``document`` in the view that is looked at."""
        self.view.refresh(document)

    def forget(self) -> None:
        """Another document: no texts of the one before."""
        for view in self.views.values():
            view.form.forget()

    def _retranslate(self) -> None:
        tr = self.services.language.tr
        for key, caption, tip in (("waterfall", tr("Waterfall"), tr("Where the time of the step went")),
                                  ("model", tr("Model"), tr("What the model says of each component")),
                                  ("what_if", tr("What if"), tr("Predict another run from the measured one"))):
            self.segments.set_text(key, caption)
            self.segments.set_tip(key, tip)
        self.forms.set_tip("chart", tr("Show as a waterfall"))
        self.forms.set_tip("table", tr("Show as a table"))
        for view in self.views.values():
            view.retranslate()
        self._redraw()
