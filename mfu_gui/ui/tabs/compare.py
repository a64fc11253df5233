"""The Compare tab: scenarios side by side, where a change comes from, and what a result is sensitive to."""

from __future__ import annotations

from functools import partial
from weakref import WeakSet

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QMenu, QStackedWidget, QToolButton, QVBoxLayout, QWidget

from mfu_gui.engine.attribution import QUANTITIES, Quantity
from mfu_gui.engine.scenario import Result
from mfu_gui.planning.sensitivity import TARGETS, Target
from mfu_gui.texts import N_
from mfu_gui.ui import tips
from mfu_gui.ui.comparison import QUANTITY_NAMES, CompareRow, rows_of
from mfu_gui.ui.scenario_colors import color_of
from mfu_gui.ui.services import Services
from mfu_gui.ui.tabs.compare_table import ScenarioTable
from mfu_gui.ui.tabs.compare_views import TARGET_NAMES, ChangeView, SensitivityView, side_of
from mfu_gui.ui.tabs.step_views import LowTable
from mfu_gui.ui.widgets.card import plain_label
from mfu_gui.ui.widgets.choice_box import ChoiceBox
from mfu_gui.ui.widgets.link import Link
from mfu_gui.ui.widgets.segments import Segments
from mfu_gui.ui.workspace import FILE_ONLY, Document

VIEWS = ("table", "change", "sensitivity")
LATER_MS = 120
"""Views that take longer than a frame are drawn so long after the last key press."""
MOST_COLUMNS = 6
"""So many scenarios have a column at first; more can be chosen."""
NARROW = 720
"""Under this width the row of controls says less."""
MOST_LIVE = 4
"""So many columns are written again within a frame."""
_BOX_WIDTH = 170


class ComparePage(QWidget):
    """Three views, one of them shown; computed only while looked at."""

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.services = services
        self._active = self._narrow = False
        self._left_out: WeakSet[Document] = WeakSet()
        self._taken_in: WeakSet[Document] = WeakSet()
        self._reference: Document | None = None
        self._other: Document | None = None
        self.quantity: Quantity = "mfu"
        self.target: Target = "mfu"
        self.rows: list[CompareRow] = []
        self._columns: list[Document] = []
        self.table = ScenarioTable(services)
        self.change = ChangeView(services)
        self.sensitivity = SensitivityView(services)
        self.hint = plain_label(tone="muted", wrap=True)
        self.hint.setObjectName("compare.hint")
        self.hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._views: dict[str, QWidget] = {
            "table": self.table, "change": self.change, "sensitivity": self.sensitivity}
        self.stack = QStackedWidget()
        self._alone = QWidget()
        self.to_sensitivity = Link(services.theme, "", lambda: self.show_view("sensitivity"))
        column = QVBoxLayout(self._alone)
        column.setContentsMargins(0, 4, 0, 4)
        column.setSpacing(8)
        column.addStretch(1)
        column.addWidget(self.hint)
        column.addWidget(self.to_sensitivity, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(1)
        for view in (*self._views.values(), self._alone):
            self.stack.addWidget(view)
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(LATER_MS)
        self._later.timeout.connect(self.refresh)
        self._build()
        self.table.header().sectionClicked.connect(self._head_pressed)
        services.workspace.changed.connect(self._changed)
        services.language.changed.connect(self._retranslate)
        services.theme.changed.connect(self._redraw)
        self.show_as("chart")
        self.show_view("table")
        self._retranslate()

    def _build(self) -> None:
        theme = self.services.theme
        self.reference = ChoiceBox(theme)
        self.reference.setObjectName("compare.reference")
        self.reference.chosen.connect(self._choose_reference)
        self.other = ChoiceBox(theme)
        self.other.setObjectName("compare.other")
        self.other.chosen.connect(self._choose_other)
        self.quantities = ChoiceBox(theme)
        self.quantities.setObjectName("compare.quantity")
        self.quantities.chosen.connect(self._choose_quantity)
        self.targets = ChoiceBox(theme)
        self.targets.setObjectName("compare.target")
        self.targets.chosen.connect(self._choose_target)
        self.columns = QToolButton()
        self.columns.setProperty("role", "button")
        self.columns.setObjectName("compare.columns")
        self.columns.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.columns.clicked.connect(self._open_columns)
        self.only = QCheckBox()
        self.only.setObjectName("compare.only_differences")
        self.only.toggled.connect(self._redraw)
        self._labels: dict[str, QLabel] = {key: plain_label(tone="muted") for key in ("reference", "arrow")}
        row = QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        for widget in (self._labels["reference"], self.reference, self._labels["arrow"], self.other,
                       self.quantities, self.targets, self.columns, self.only):
            row.addWidget(widget)
        for box in (self.reference, self.other):
            box.setMinimumWidth(70)
            box.setMaximumWidth(_BOX_WIDTH)
        row.addStretch(1)
        self.forms = Segments(theme, (("chart", "bars"), ("table", "table")))
        self.forms.chosen.connect(self.show_as)
        self.segments = Segments(theme, tuple((key, "") for key in VIEWS))
        self.segments.chosen.connect(self.show_view)
        row.addWidget(self.forms)
        row.addWidget(self.segments)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 4, 0, 0)
        layout.setSpacing(4)
        layout.addLayout(row)
        layout.addWidget(self.stack, 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._narrow is not (self.width() < NARROW):
            self._narrow = not self._narrow
            self._redraw()

    # What is shown

    @property
    def view(self) -> ScenarioTable | LowTable:
        """The table that is copied as one: that of the view that is shown."""
        if self.shown == "table":
            return self.table
        return self.change.table if self.shown == "change" else self.sensitivity.table

    def show_view(self, key: str) -> None:
        """Show ``table``, ``change`` or ``sensitivity``."""
        self.shown = key
        self.segments.set_value(key)
        self._redraw()

    def show_as(self, form: str) -> None:
        """Show the change and the sensitivity as a ``chart`` or as a ``table``."""
        self.forms.set_value(form)
        self.change.show_as(form)
        self.sensitivity.show_as(form)

    def set_active(self, active: bool) -> None:
        """Draw only while looked at."""
        self._active = active
        self._later.stop()
        self._redraw()

    @property
    def shown_documents(self) -> list[Document]:
        """The scenarios that have a column: the first ones, and those that were chosen."""
        documents = self.services.workspace.documents
        return [document for number, document in enumerate(documents) if document not in self._left_out
                and (number < MOST_COLUMNS or document in self._taken_in)]

    @property
    def reference_document(self) -> Document:
        """What the others are compared with: as chosen, else the first scenario."""
        documents = self.services.workspace.documents
        return next((document for document in documents if document is self._reference), documents[0])

    @property
    def other_document(self) -> Document:
        """The end of the change: as chosen, else the scenario on the screen, else another one."""
        documents, reference = self.services.workspace.documents, self.reference_document
        for document in (self._other, self.services.workspace.active, *documents):
            if document is not None and document in documents and document is not reference:
                return document
        return reference

    def refresh(self) -> None:
        """Show the view that is chosen."""
        self._later.stop()
        documents = self.services.workspace.documents
        alone = len(documents) < 2 and self.shown != "sensitivity"
        self._show_controls(alone)
        if alone:
            self.stack.setCurrentWidget(self._alone)
            return
        self.stack.setCurrentWidget(self._views[self.shown])
        if self.shown == "table":
            self._fill_table()
        elif self.shown == "change":
            self.change.refresh(self.reference_document, self.other_document, self.quantity)
        else:
            self.sensitivity.refresh(self.services.workspace.active, self.target)

    def _fill_table(self) -> None:
        tr = self.services.language.tr
        reference = self.reference_document
        shown = [reference, *(document for document in self.shown_documents if document is not reference)]
        sides = [side_of(document, tr("Untitled")) for document in shown]
        self.rows = rows_of(sides, 0, tr)
        rows = [row for row in self.rows if row.differs or not self.only.isChecked()]
        colors = [color_of(document, self.services.theme) for document in shown]
        self._columns = shown
        self.table.show_columns(sides, colors, 0, rows)

    def _show_controls(self, alone: bool) -> None:
        tr, documents = self.services.language.tr, self.services.workspace.documents
        pair = self.shown == "change" and not alone
        table = self.shown == "table" and not alone
        shown: dict[QWidget, bool] = {
            self._labels["reference"]: table and not self._narrow, self.reference: table or pair,
            self._labels["arrow"]: pair,
            self.other: pair, self.quantities: pair, self.columns: table, self.only: table,
            self.targets: self.shown == "sensitivity", self.forms: pair or self.shown == "sensitivity"}
        names = [(number, document.scenario.name or tr("Untitled")) for number, document in enumerate(documents)]
        reference = documents.index(self.reference_document)
        self.reference.set_choices(names)
        self.reference.set_value(reference)
        self.reference.setToolTip(tips.plain(names[reference][1]))
        self.other.set_choices([choice for choice in names if choice[0] != reference])
        if pair:
            other = documents.index(self.other_document)
            self.other.set_value(other)
            self.other.setToolTip(tips.plain(names[other][1]))
        reference_too = self.reference_document not in self.shown_documents
        self.quantities.set_value(self.quantity)
        self.targets.set_value(self.target)
        count = len(self.shown_documents) + reference_too
        text = N_("{n} of {whole}") if self._narrow else N_("{n} of {whole} scenarios")
        self.columns.setText(tr(text, n=count, whole=len(documents)))
        self.columns.setToolTip(tr("Which scenarios have a column"))
        self.columns.setAccessibleName(tr("Which scenarios have a column"))
        for widget, visible in shown.items():
            if widget.isHidden() is visible:
                widget.setVisible(visible)

    # What the user does

    def _choose_reference(self, number: int) -> None:
        self._reference = self.services.workspace.documents[number]
        self._redraw()

    def _choose_other(self, number: int) -> None:
        self._other = self.services.workspace.documents[number]
        self._redraw()

    def _choose_quantity(self, quantity: Quantity) -> None:
        self.quantity = quantity
        self._redraw()

    def _choose_target(self, target: Target) -> None:
        self.target = target
        self._redraw()

    def show_column(self, document: Document, shown: bool) -> None:
        """Give a scenario a column, or take it away."""
        for group, inside in ((self._taken_in, shown), (self._left_out, not shown)):
            if inside:
                group.add(document)
            else:
                group.discard(document)
        self._redraw()

    def _open_columns(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        shown = self.shown_documents
        for document in self.services.workspace.documents:
            name = document.scenario.name or self.services.language.tr("Untitled")
            action = menu.addAction(name.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(document in shown or document is self.reference_document)
            action.setEnabled(document is not self.reference_document)
            action.toggled.connect(partial(self.show_column, document))
        menu.popup(self.columns.mapToGlobal(self.columns.rect().bottomLeft()))

    def _head_pressed(self, column: int) -> None:
        if 1 <= column <= len(self._columns):
            self.services.workspace.activate(self._columns[column - 1])

    # What happens elsewhere

    def _changed(self, document: Document, aspects: frozenset[str], result: Result | None) -> None:
        if not self._active or aspects == FILE_ONLY:
            return
        quick = self.shown == "table" and len(self._columns) <= MOST_LIVE
        if quick or aspects & {"documents", "active"}:
            self.refresh()
        else:
            self._later.start()

    def _redraw(self) -> None:
        if self._active and not self.services.workspace.is_empty:
            self.refresh()

    def _retranslate(self) -> None:
        tr = self.services.language.tr
        for key, caption, tip in (
            ("table", tr("Side by side"), tr("All inputs and results of the open scenarios")),
            ("change", tr("Change"), tr("Which fields the change from one scenario to another comes from")),
            ("sensitivity", tr("Sensitivity"), tr("How far a result moves with each input")),
        ):
            self.segments.set_text(key, caption)
            self.segments.set_tip(key, tip)
        self.segments.setAccessibleName(tr("Compare"))
        self.forms.set_tip("chart", tr("Show as a chart"))
        self.forms.set_tip("table", tr("Show as a table"))
        self._labels["reference"].setText(tr("Reference"))
        self._labels["arrow"].setText("→")
        self.reference.setAccessibleName(tr("Reference"))
        self.other.setAccessibleName(tr("Compared with the reference"))
        self.quantities.setAccessibleName(tr("What changes"))
        self.quantities.set_choices([(key, tr(QUANTITY_NAMES[key])) for key in QUANTITIES])
        self.quantities.set_value(self.quantity)
        self.targets.setAccessibleName(tr("What is sensitive"))
        self.targets.set_choices([(key, tr(TARGET_NAMES[key])) for key in TARGETS])
        self.targets.set_value(self.target)
        self.only.setText(tr("Only differences"))
        self.only.setAccessibleName(tr("Only differences"))
        self.hint.setText(tr("Only one scenario is open. Duplicate it (Ctrl+D) and change something, or open another "
                             "one: they stand side by side here, and what the change comes from is explained."))
        self.to_sensitivity.setText(tr("What this scenario is sensitive to"))
        self.to_sensitivity.setAccessibleName(tr("What this scenario is sensitive to"))
        self.table.setAccessibleName(tr("Scenarios side by side"))
        self.change.retranslate()
        self.sensitivity.retranslate()
        self._redraw()
