"""The three views of the Step time tab: where the time went, what the model says, what another run would take."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from msgspec.structs import replace
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from mfu_gui.engine.errors import InputError, Notice
from mfu_gui.engine.fields import BY_KEY, N_, Field
from mfu_gui.engine.run import Measured, Parallel
from mfu_gui.engine.scenario import Scenario
from mfu_gui.planning.anchored import Prediction, predict
from mfu_gui.planning.efficiency import usual_efficiency
from mfu_gui.planning.spec import plan_spec
from mfu_gui.planning.step_fields import (
    ANCHOR_FIELDS,
    PART_FIELDS,
    RUN_KEYS,
    SPEED_FIELDS,
    WHAT_IF_FIELDS,
    what_if,
)
from mfu_gui.planning.step_time import StepTime, step_time
from mfu_gui.planning.step_work import kernel_of
from mfu_gui.planning.waterfall import Waterfall as Parts
from mfu_gui.planning.waterfall import complete, waterfall
from mfu_gui.ui import step_words
from mfu_gui.ui.charts.bars import Part, Treemap
from mfu_gui.ui.charts.waterfall import Step, Waterfall
from mfu_gui.ui.services import Services
from mfu_gui.ui.tabs.step_form import SideForm
from mfu_gui.ui.tabs.table_model import Cells, Line, TableModel
from mfu_gui.ui.tabs.table_view import TableView
from mfu_gui.ui.widgets.card import plain_label, set_tone
from mfu_gui.ui.widgets.down_scroll import DownScroll
from mfu_gui.ui.widgets.link import Link
from mfu_gui.ui.workspace import Document

MOST_REMARKS = 2
FOR_BOTH = 900
"""Height from which the waterfall and its table are both shown, one beneath the other."""
FOR_AREAS = 640
"""Height from which the components of the model are shown as areas too."""
LIKE = {"matmul": "attention_proj", "attention": "attention_qk", "elementwise": "shared_experts",
        "optimizer": "experts", **dict.fromkeys(("tensor", "context", "expert", "pipeline", "data"), "router")}
"""Of each component of the time: a component of a model that has its colour.  The rest is waiting, and grey."""


class LowTable(TableView):
    """As high as its rows: what is around it scrolls with it."""

    def __init__(self, services: Services, model: TableModel) -> None:
        super().__init__(services, model, least=120)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def show_rows(self, rows: Sequence[Line]) -> None:
        super().show_rows(rows)
        height = self.height_of_rows()
        if height != self.height():
            self.setFixedHeight(height)


class StepView(QWidget):
    """A picture or table, a form beside it.  What cannot be computed is said instead of the picture.

    ``words``, the view in one sentence, is placed by the page.
    """

    def __init__(self, services: Services, form: SideForm, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.services = services
        self.form = form
        self.words = plain_label(wrap=True)
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.remarks = plain_label(tone="muted", small=True, wrap=True)
        self.problem = plain_label(tone="error", wrap=True)
        self.problem.setAlignment(Qt.AlignmentFlag.AlignTop)
        left = QWidget()
        self.left = column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 4, 4)
        column.setSpacing(6)
        column.addWidget(self.problem)
        column.addWidget(self.remarks)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 4, 0, 0)
        row.setSpacing(4)
        row.addWidget(DownScroll(left), 1)
        row.addWidget(form)

    def content(self) -> tuple[QWidget, ...]:
        """What is hidden while there is a problem."""
        raise NotImplementedError

    def fill(self, document: Document) -> tuple[Notice, ...]:
        """Compute and draw; InputError where that cannot be."""
        raise NotImplementedError

    def refresh(self, document: Document) -> None:
        """Show ``document``."""
        tr = self.services.language.tr
        self.form.refresh(document)
        if document.problem is not None:
            self._show_error(document.problem)
            return
        try:
            remarks = self.fill(document)
        except InputError as error:
            self._show_error(error)
            return
        self._show_problem("")
        self.remarks.setText("\n".join(tr.sentence(notice.code, notice.values) for notice in remarks[:MOST_REMARKS]))
        self.remarks.setVisible(bool(remarks))

    def _show_error(self, error: InputError) -> None:
        tr = self.services.language.tr
        known = BY_KEY.get(error.field)
        place = "" if known is None else f"{tr(known.label)}: "
        set_tone(self.problem, "muted" if error.code == "required" else "error")  # what is missing is no mistake
        self._show_problem(place + tr.sentence(error.code, error.values))

    def _show_problem(self, text: str) -> None:
        self.problem.setText(text)
        self.problem.setVisible(bool(text))
        if text:
            self.words.setText("")
        for widget in self.content():
            widget.setVisible(not text)
        if text:
            self.remarks.hide()

    def retranslate(self) -> None:
        """Write all texts again that do not depend on the document."""
        self.form.retranslate()


class WaterfallView(StepView):
    """From 100 % to the MFU, as a chart or as a table; as both where there is room."""

    roomy_changed = Signal(bool)

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        special = {field.key: {"placeholder": partial(_part_left, services, field)} for field in PART_FIELDS}
        groups = ((N_("Your own parts of the step"), PART_FIELDS),)
        super().__init__(services, SideForm(services, groups, special), parent)
        self.basis = plain_label(tone="muted", small=True, wrap=True)
        self.chart = Waterfall(services)
        self.chart.setObjectName("step.waterfall")
        self.model = TableModel(parent=self)
        self.table = LowTable(services, self.model)
        self.table.setObjectName("step.parts")
        self.roomy = False
        self._form = "chart"
        for widget in (self.chart, self.table, self.basis):
            self.left.addWidget(widget)
        self.left.addStretch(1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        roomy = self.height() >= FOR_BOTH
        self.chart.set_room(self.height() - (self.table.height_of_rows() if roomy else 0))
        if roomy is not self.roomy:
            self.roomy = roomy
            self.show_as(self._form)
            self.roomy_changed.emit(roomy)

    def content(self) -> tuple[QWidget, ...]:
        shown = (self.chart, self.table) if self.roomy else (self.chart if self._form == "chart" else self.table,)
        return *shown, self.basis

    def show_as(self, form: str) -> None:
        """Show ``chart`` or ``table``, where there is no room for both."""
        self._form = form
        wrong = bool(self.problem.text())
        for widget, name in ((self.chart, "chart"), (self.table, "table")):
            widget.setVisible(not wrong and (self.roomy or form == name))

    def fill(self, document: Document) -> tuple[Notice, ...]:
        tr, numbers = self.services.language.tr, self.services.language.numbers
        found = waterfall(document.scenario, document.result)
        model = None if found.basis == "measured" else step_time(document.scenario)
        self.words.setText(step_words.waterfall_words(found, tr))
        self.basis.setText(step_words.basis_words(found, tr))
        lost = [part for part in found.parts if part.kind != "useful"]
        steps = [Step(tr(part.label), -part.share, ("" if part.share >= 0 else "+") + numbers.percent(abs(part.share)),
                      partial(step_words.part_tip, part, model, tr)) for part in lost]
        useful = found.parts[-1]
        start = Step(tr("Whole step"), 1.0, numbers.percent(1.0))
        end = Step(tr(useful.label), useful.share, numbers.percent(useful.share),
                   partial(step_words.part_tip, useful, model, tr))
        self.chart.show_steps(self.words.text(), start, steps, end)
        self._fill_table(found, model)
        return found.notices

    def _fill_table(self, found: Parts, model: StepTime | None) -> None:
        tr, numbers = self.services.language.tr, self.services.language.numbers
        rows = [Cells(part.key, (tr(part.label), numbers.duration(part.seconds), numbers.percent(part.share)),
                      (tr(part.label), part.seconds, part.share), partial(step_words.part_tip, part, model, tr),
                      bold=part.kind == "useful") for part in found.parts]
        whole = tr("Whole step")
        rows.append(Cells("", (whole, numbers.duration(found.step_s), numbers.percent(1.0)),
                          (whole, found.step_s, 1), bold=True))
        self.table.show_rows(rows)

    def retranslate(self) -> None:
        super().retranslate()
        tr = self.services.language.tr
        self.model.set_heads((tr("Part"), tr("Time"), tr("Share")))
        self.table.setAccessibleName(tr("Parts of the step"))


def _part_left(services: Services, field: Field, document: Document) -> str:
    """What an empty part is worth."""
    key = field.key.rpartition(".")[2]
    step = None if document.result is None else document.result.throughput.step_time_s
    parts = plan_spec(document.scenario).step_parts
    if parts is None or step is None:
        return ""
    return services.language.numbers.short(getattr(complete(parts, step), key))


class ModelView(StepView):
    """Every component of the model with its formula, and what the model takes for granted."""

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        special = {field.key: {"placeholder": partial(_usual_share, services, field)} for field in SPEED_FIELDS}
        super().__init__(services, SideForm(services, ((N_("What is reached of the peaks"), SPEED_FIELDS),), special),
                         parent)
        self.model = TableModel(parent=self)
        self.table = LowTable(services, self.model)
        self.table.setObjectName("step.components")
        self.areas = Treemap(services)
        self.areas.setObjectName("step.areas")
        self.areas.selected.connect(lambda key: self.table.select_keys((key,)))
        self.left.addWidget(self.table)
        self.left.addWidget(self.areas, 100)
        self.left.addStretch(1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.areas.setVisible(self._has_room() and not self.problem.text())

    def _has_room(self) -> bool:
        return self.height() >= FOR_AREAS

    def content(self) -> tuple[QWidget, ...]:
        return (self.table, self.areas) if self._has_room() else (self.table,)

    def fill(self, document: Document) -> tuple[Notice, ...]:
        tr, numbers = self.services.language.tr, self.services.language.numbers
        found = step_time(document.scenario)
        measured = None if document.result is None else document.result.throughput.step_time_s
        self.words.setText(step_words.model_words(found, measured, tr))
        rows, parts = [], []
        for figure in found.components:
            value = float(figure.value or 0.0)
            share = value / found.total_s
            tip = partial("\n".join, step_words.formula_lines(figure, tr))
            parts.append(Part(figure.key, tr(figure.label), share, numbers.duration(value), tip,
                              LIKE.get(figure.key, "waiting")))
            rows.append(Cells(figure.key, (tr(figure.label), numbers.duration(value), numbers.percent(share)),
                              (tr(figure.label), value, share), tip, muted=not value))
        whole = tr("Step of the model")
        rows.append(Cells("", (whole, numbers.duration(found.total_s), numbers.percent(1.0)), (whole, found.total_s, 1),
                          bold=True))
        self.table.show_rows(rows)
        self.areas.show_parts(tr("Components of the model"), parts)
        return found.notices

    def retranslate(self) -> None:
        super().retranslate()
        tr = self.services.language.tr
        self.model.set_heads((tr("Component"), tr("Time"), tr("Share")))
        self.table.setAccessibleName(tr("Components of the model"))


def _usual_share(services: Services, field: Field, document: Document) -> str:
    """What is usual for the device, for an empty field."""
    usual, key = usual_efficiency(document.scenario.hardware), field.key.rpartition(".")[2]
    values = {"matmul_efficiency": usual.matmul, "expert_efficiency": usual.experts, "memory_efficiency": usual.memory,
              "attention_efficiency": usual.flash if kernel_of(document.scenario.run) == "flash" else usual.unfused,
              "scale_up_efficiency": usual.scale_up, "scale_out_efficiency": usual.scale_out,
              "tensor_overlap": usual.tensor_overlap, "expert_overlap": usual.expert_overlap, "loading_s": 0.0}
    shown = values[key] if field.kind == "time" else 100 * values[key]
    return services.language.numbers.short(shown)


class WhatIfView(StepView):
    """Another run, predicted from the measured one."""

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        special = {field.key: {"placeholder": partial(_present, services, field)} for field in WHAT_IF_FIELDS
                   if field.kind != "choice"}
        groups = ((N_("What is different"), WHAT_IF_FIELDS), (N_("A second measured step"), ANCHOR_FIELDS))
        super().__init__(services, SideForm(services, groups, special), parent)
        self.predicted: tuple[Scenario, Prediction] | None = None
        self.method = plain_label(tone="muted", small=True, wrap=True)
        self.model = TableModel(parent=self)
        self.table = LowTable(services, self.model)
        self.table.setObjectName("step.prediction")
        self.open = Link(services.theme, "", self.open_as_scenario)
        self.open.setObjectName("step.open")
        for widget in (self.table, self.method, self.open):
            self.left.addWidget(widget)
        self.left.addStretch(1)

    def content(self) -> tuple[QWidget, ...]:
        return self.method, self.table, self.open

    def fill(self, document: Document) -> tuple[Notice, ...]:
        tr = self.services.language.tr
        self.predicted = None
        other = what_if(document.scenario)
        found = predict(document.scenario, other)
        self.words.setText(step_words.prediction_words(found, tr))
        self.method.setText(step_words.method_words(found, tr))
        if document.result is not None:
            devices = (document.scenario.run.devices or 1, other.run.devices or 1)
            lines = step_words.comparison(document.result, found, devices, tr)
            self.table.show_rows([Cells(line.label, (line.label, line.now, line.then), line.values) for line in lines])
        self.predicted = (other, found)
        self.open.setEnabled(found.method != "same")
        return found.notices

    def open_as_scenario(self) -> None:
        """The predicted run as a document of its own, its step taken for measured."""
        if self.predicted is None:
            return
        other, found = self.predicted
        tr, workspace = self.services.language.tr, self.services.workspace
        plan = {key: part for key, part in (other.plan or {}).items()
                if key not in ("what_if", "step_anchor", "step_parts")}
        run = replace(other.run, measured=Measured(step_time_s=found.step_time_s))
        name = tr("{name}, predicted", name=other.name or tr("Untitled"))
        document = Document(replace(other, name=name, run=run, plan=plan or None, reported=None))
        document.unsaved = True
        workspace.add(document)

    def retranslate(self) -> None:
        super().retranslate()
        tr = self.services.language.tr
        self.model.set_heads((tr("Quantity"), tr("Measured"), tr("Predicted")))
        self.table.setAccessibleName(tr("Measured and predicted"))
        self.open.setText(tr("Open as a new scenario"))


def _present(services: Services, field: Field, document: Document) -> str:
    """What an empty field means: the value that the run has."""
    key, run = field.key.rpartition(".")[2], document.scenario.run
    holder = run if key in RUN_KEYS else run.parallel or Parallel()
    value = getattr(holder, key)
    if key == "micro_batch" and value is None:
        value = 1
    return "" if value is None else services.language.numbers.integer(value)
