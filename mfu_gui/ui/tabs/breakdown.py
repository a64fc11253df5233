"""The Breakdown tab: what the FLOPs and parameters consist of."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QActionGroup, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSplitter, QStackedWidget, QToolButton, QVBoxLayout, QWidget

from mfu_gui.texts.numbers import DASH
from mfu_gui.ui import icons
from mfu_gui.ui.breakdown import Breakdown, Figures, Node
from mfu_gui.ui.cell_formulas import COLUMNS, cell_formula, one_line
from mfu_gui.ui.charts.bars import BarChart, Part, Shares, Treemap
from mfu_gui.ui.services import Services
from mfu_gui.ui.tabs.page import TabPage
from mfu_gui.ui.tabs.tree_table import Branch, TreeTable
from mfu_gui.ui.widgets.elided_label import ElidedLabel
from mfu_gui.ui.widgets.segments import Segments
from mfu_gui.ui.workspace import Document

SIDE_WIDTH = 170
BESIDE, BENEATH = (12, 6, 0, 0), (0, 12, 0, 0)
"""Margins of the pictures."""
TALL = 700
"""From this height on the pictures are beneath the table, as wide as it."""
LOW = 170
"""Under this height the line of the formula is there only when it has something to say."""


class BreakdownPage(TabPage):
    """Table of components that opens to layer kinds and products, and the shares as areas or bars."""

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(services, parent)
        self.by_structure = False
        self.by_parameters = False
        self.view = TreeTable(services, optional=(1,))
        self.view.setObjectName("breakdown")
        self._segments = Segments(services.theme, (("table", "table"), ("areas", "area"), ("bars", "bars")))
        self._segments.chosen.connect(self.show_as)
        self._options = _flat_button(self._open_options)
        self.corner = QWidget()
        corner = QHBoxLayout(self.corner)
        corner.setContentsMargins(0, 0, 0, 0)
        corner.setSpacing(4)
        corner.addWidget(self._segments)
        corner.addWidget(self._options)
        self._pictures: dict[str, Shares] = {"areas": Treemap(services), "bars": BarChart(services)}
        self._stack = QStackedWidget()
        for picture in self._pictures.values():
            picture.selected.connect(self._picked)
            self._stack.addWidget(picture)
        self._side = QWidget()
        column = QVBoxLayout(self._side)
        column.setContentsMargins(*BESIDE)
        column.addWidget(self._stack, 1)
        self._split = split = QSplitter(Qt.Orientation.Horizontal)
        split.addWidget(self.view)
        split.addWidget(self._side)
        split.setStretchFactor(0, 5)
        split.setStretchFactor(1, 2)
        split.setSizes([620, 240])
        split.setChildrenCollapsible(False)
        split.setHandleWidth(1)
        self.formula = ElidedLabel()
        self._copy = _flat_button(self.view.copy_formula)
        self._foot = QWidget()
        foot = QHBoxLayout(self._foot)
        foot.setContentsMargins(4, 3, 0, 0)
        foot.setSpacing(4)
        foot.addWidget(self.formula, 1)
        foot.addWidget(self._copy)
        self._form = "areas"
        self._narrow = False
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 4, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(split, 1)
        layout.addWidget(self._foot)
        self.view.looked_at.connect(self._show_formula)
        self.view.row_chosen.connect(self._row_chosen)
        services.language.changed.connect(self._retranslate)
        services.theme.changed.connect(self._restyle)
        self.show_as("areas")
        self._retranslate()
        self._restyle()

    # How it is shown

    def show_as(self, form: str) -> None:
        """Show the shares as ``areas`` or ``bars`` beside the table; without room for both, ``table`` is a third."""
        self._form = form
        self._arrange()

    def group_by(self, structure: bool) -> None:
        """Rows by component, or by stack and layer kind."""
        self.by_structure = structure
        self._redraw()

    def share_of(self, parameters: bool) -> None:
        """Pictures of the FLOPs, or of the parameters."""
        self.by_parameters = parameters
        self._redraw()

    def _arrange(self) -> None:
        shown = self._form
        if not self._narrow and shown == "table":
            shown = "areas"
        self._segments.set_shown("table", self._narrow)
        self._segments.set_value(shown)
        if shown in self._pictures:
            self._stack.setCurrentWidget(self._pictures[shown])
        self._side.setVisible(not self._narrow or shown != "table")
        self.view.setVisible(not self._narrow or shown == "table")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        tall = self.height() >= TALL
        if tall is not (self._split.orientation() == Qt.Orientation.Vertical):
            self._turn(tall)
        self._share_width(tall)
        self._show_foot()

    def _share_width(self, tall: bool) -> None:
        """Beside the table there is a picture, where both have room."""
        needed = self.view.needed_width()
        narrow = not tall and self.width() < needed + SIDE_WIDTH
        least = 0 if tall or narrow else needed  # the picture takes none of its room
        if self.view.minimumWidth() != least:
            self.view.setMinimumWidth(least)
        if narrow != self._narrow:
            self._narrow = narrow
            if narrow:
                self._form = "table"
            self._arrange()

    def _turn(self, tall: bool) -> None:
        """Put the picture beneath the table, or beside it."""
        self._split.setOrientation(Qt.Orientation.Vertical if tall else Qt.Orientation.Horizontal)
        column = self._side.layout()
        if column is not None:
            column.setContentsMargins(*(BENEATH if tall else BESIDE))
        for number, part in enumerate((1, 2) if tall else (5, 2)):  # beneath it, the picture takes most of what comes
            self._split.setStretchFactor(number, part)
        sizes = [1000, 2000] if tall else [620, 240]
        self._split.setSizes(sizes)
        QTimer.singleShot(0, self, lambda: self._split.setSizes(sizes))  # it has not got its own new size yet

    def _open_options(self) -> None:
        tr = self.services.language.tr
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for title, value, act, choices in (
            (tr("Rows"), self.by_structure, self.group_by, ((False, tr("by component")), (True, tr("by structure")))),
            (tr("Picture"), self.by_parameters, self.share_of,
             ((False, tr("of the FLOPs")), (True, tr("of the parameters")))),
        ):
            menu.addSection(title)
            group = QActionGroup(menu)
            for choice, text in choices:
                action = menu.addAction(text, partial(act, choice))
                action.setCheckable(True)
                action.setChecked(choice is value)
                group.addAction(action)
        menu.popup(self._options.mapToGlobal(self._options.rect().bottomLeft()))

    # What it shows

    def refresh(self, document: Document) -> None:
        """Show the breakdown of ``document``; that of an earlier input stays while this one cannot be computed."""
        if document.result is None:
            self.view.show_branches(())
            return
        if document.problem is not None:
            return
        tr = self.services.language.tr
        whole = Breakdown(document.scenario, document.result, tr)
        components = whole.by_component()
        nodes = whole.by_structure() if self.by_structure else components
        self.view.show_branches((*(self._branch(node, whole) for node in nodes), self._total(whole)))
        tall = self.height() >= TALL
        # Less than before is no reason to move what is looked at.
        if not tall and not self._narrow and self.view.needed_width() > self.view.minimumWidth():
            self._share_width(tall)
        title, parts = self._parts(components, whole)
        for picture in self._pictures.values():
            picture.show_parts(title, parts)

    def _branch(self, node: Node, whole: Breakdown) -> Branch:
        numbers, figures = self.services.language.numbers, node.figures
        tokens = whole.tokens
        counted = figures.flops > 0 and tokens > 0
        means = [value / tokens if counted and value else None
                 for value in (figures.forward, figures.backward, figures.recompute)]
        share = figures.flops / whole.whole if counted else None
        texts = (node.name, DASH if node.layers is None else str(node.layers),
                 numbers.count(figures.parameters or None), *(numbers.si(value) for value in means),
                 DASH if share is None else numbers.percent(share))
        values = (node.name, node.layers, figures.parameters or None, *means, share)
        swatch = self.services.theme.swatch(node.component) if counted and node.component else None
        inside = None if node.children is None else partial(self._inside, node, whole)
        return Branch(node.key, texts, values, partial(self._tip, node, whole), inside, swatch, muted=not counted)

    def _inside(self, node: Node, whole: Breakdown) -> tuple[Branch, ...]:
        return tuple(self._branch(child, whole) for child in node.children()) if node.children is not None else ()

    def _tip(self, node: Node, whole: Breakdown, column: int) -> str:
        return cell_formula(node, COLUMNS[column], whole, self.services.language.tr)

    def _total(self, whole: Breakdown) -> Branch:
        tr, numbers = self.services.language.tr, self.services.language.numbers
        flops, parameters = whole.result.flops.components.values(), whole.result.parameters
        sums = Figures(parameters.total, *(sum(getattr(part, key) for part in flops)
                                           for key in ("forward", "backward", "recompute")))
        means = [value / whole.tokens if whole.tokens and value else None for value in sums[1:]]
        texts = (tr("Total"), "", numbers.count(parameters.total), *(numbers.si(value) for value in means),
                 numbers.percent(1.0) if whole.whole else DASH)
        tip = "\n".join((
            tr("{total} parameters, of which a token uses {active}", total=f"{parameters.total:,}",
               active=f"{parameters.active:,}"),
            tr("forward {forward} + backward {backward} = {whole} FLOP a step", forward=f"{sums.forward:,}",
               backward=f"{sums.backward:,}", whole=f"{whole.whole:,}")))
        values = (tr("Total"), "", parameters.total, *means, 1)
        return Branch("total", texts, values, lambda column: tip, bold=True)

    def _parts(self, nodes: tuple[Node, ...], whole: Breakdown) -> tuple[str, list[Part]]:
        """What the pictures show: the components by their FLOPs, or by their parameters."""
        tr = self.services.language.tr
        key, column = ("parameters", "parameters") if self.by_parameters else ("flops", "share")
        total = sum(getattr(node.figures, key) for node in nodes)
        title = tr("Share of the parameters") if self.by_parameters else tr("Share of the FLOPs of a step")
        parts = []
        for node in nodes:
            share = getattr(node.figures, key) / total if total else 0.0
            tip = partial(cell_formula, node, column, whole, tr)
            parts.append(Part(node.component, node.name, share, tr.numbers.percent(share), tip))
        return title, parts

    # The line of the formula

    def _show_formula(self, formula: str) -> None:
        tr = self.services.language.tr
        column = max(self.view.currentIndex().column(), 0)
        head = self.view.heads[column] if column else ""
        self.formula.setText(one_line(head, formula) if formula
                             else tr("Select a cell to see how its number comes about."))
        self._copy.setEnabled(bool(formula))
        self._show_foot()

    def _show_foot(self) -> None:
        said = self._copy.isEnabled() or self.height() >= LOW
        if self._foot.isHidden() is said:
            self._foot.setVisible(said)

    def _picked(self, key: str) -> None:
        """A part of the picture was chosen."""
        for picture in self._pictures.values():
            picture.select(key)
        if not self.by_structure:
            self.view.choose(key)

    def _row_chosen(self, key: str) -> None:
        component = key.split("/")[0].split("#")[0] if not self.by_structure else key.rsplit("/", 1)[-1].split("#")[0]
        for picture in self._pictures.values():
            picture.select(component)

    def _restyle(self) -> None:
        color = self.services.theme.color
        self._options.setIcon(icons.icon("options", color("muted")))
        self._copy.setIcon(icons.icon("duplicate", color("muted"), color("disabled_icon")))
        self._redraw()
        self.view.restyle()

    def _retranslate(self) -> None:
        tr = self.services.language.tr
        per_token = tr("FLOPs per token; hover over a cell for the formula")
        self.view.set_heads(
            (tr("Component"), tr("Layers"), tr("Parameters"), tr("Forward"), tr("Backward"), tr("Recompute"),
             tr("Share")),
            ("", tr("Layers that have it"), tr("Stored parameters"), per_token, per_token, per_token,
             tr("Share of forward and backward")))
        self.view.setAccessibleName(tr("Breakdown"))
        self._segments.set_tip("table", tr("Show as a table"))
        self._segments.set_tip("areas", tr("Show as areas"))
        self._segments.set_tip("bars", tr("Show as bars"))
        for button, text in ((self._options, tr("Rows and picture")), (self._copy, tr("Copy formula"))):
            button.setToolTip(text)
            button.setAccessibleName(text)
        self._show_formula("")
        self._redraw()


def _flat_button(act: object) -> QToolButton:
    button = QToolButton()
    button.setProperty("role", "flat")
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    button.setFixedSize(24, 22)
    button.clicked.connect(lambda: act())  # type: ignore[operator]
    return button
