"""The view of a sweep: what is varied, what is shown, the picture or table, and the point that is chosen."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from msgspec.structs import replace
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QStackedWidget, QVBoxLayout, QWidget

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.fields import N_
from mfu_gui.engine.scenario import Scenario
from mfu_gui.formats.reports.swept import Asked
from mfu_gui.formats.sweep_words import axis_title, held_text, outcome_text, value_text
from mfu_gui.planning.spec import plan_spec
from mfu_gui.planning.sweep import Place
from mfu_gui.planning.sweep_axes import sweep_fields
from mfu_gui.planning.sweep_point import HOLDS, OUTCOMES, Hold, usual_hold
from mfu_gui.ui.charts.sweep_chart import Picture, SweepChart
from mfu_gui.ui.latest import Latest
from mfu_gui.ui.services import Services
from mfu_gui.ui.tabs.sweep_axis import AxisEdit
from mfu_gui.ui.tabs.sweep_done import MOST_EXACT, Done, compute, key_of
from mfu_gui.ui.tabs.table_model import TableModel
from mfu_gui.ui.tabs.table_view import TableView
from mfu_gui.ui.widgets.card import plain_label, set_tone
from mfu_gui.ui.widgets.choice_box import ChoiceBox
from mfu_gui.ui.widgets.elided_label import ElidedLabel
from mfu_gui.ui.widgets.link import Link
from mfu_gui.ui.widgets.number_edit import NumberEdit
from mfu_gui.ui.widgets.segments import Segments
from mfu_gui.ui.workspace import Document

LATER_MS = 120
"""A sweep begins so long after the last key press."""
MOST_SHOWN = 250_000
HOLD_WORDS: dict[Hold, str] = {
    "predicted": N_("predicted"), "hfu": N_("same HFU"), "mfu": N_("same MFU"),
    "throughput": N_("same tokens/s"), "step-time": N_("same step time"), "model": N_("model alone"),
}


class SweepView(QWidget):
    """Computed in a thread while looked at; a new input gives up what runs."""

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.services = services
        self.done: Done | None = None
        self._asked: object = None
        self._document: Document | None = None
        self.work = Latest(self)
        self.work.finished.connect(self._show_done)
        self.work.failed.connect(self._show_error)
        self.first = AxisEdit(services, "sweep.first", "run.devices")
        self.second = AxisEdit(services, "sweep.second", "", optional=True)
        self.result, self.hold = ChoiceBox(services.theme), ChoiceBox(services.theme)
        self.fits = QCheckBox()
        self.days = NumberEdit("real", minimum=1e-6, maximum=1e9, optional=True)
        self.forms = Segments(services.theme, (("chart", "bars"), ("table", "table")))
        self.chart = SweepChart(services)
        self.model = TableModel(parent=self)
        self.table = TableView(services, self.model, sortable=True)
        self.problem = plain_label(tone="error", wrap=True)
        self.problem.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.words, self.point = ElidedLabel(""), ElidedLabel("")
        self.take = Link(services.theme, "", self._take)
        self.open_new = Link(services.theme, "", self._open_new)
        self._labels: dict[str, QLabel] = {key: plain_label(tone="muted") for key in ("vary", "and", "show", "days")}
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(LATER_MS)
        self._later.timeout.connect(self._start)
        self._build()
        self._connect()
        self.show_as("chart")

    def _build(self) -> None:
        for name, widget in (("sweep.result", self.result), ("sweep.hold", self.hold), ("sweep.fits", self.fits),
                             ("sweep.days", self.days), ("sweep.chart", self.chart), ("sweep.table", self.table),
                             ("sweep.take", self.take), ("sweep.new", self.open_new), ("sweep.problem", self.problem)):
            widget.setObjectName(name)
        self.days.setFixedWidth(62)
        for box in (self.result, self.hold):
            box.setMinimumWidth(80)
            box.setMaximumWidth(230)
        axes, options, foot = QHBoxLayout(), QHBoxLayout(), QHBoxLayout()
        for row in (axes, options, foot):
            row.setContentsMargins(0, 0, 0, 0)
            row.setSpacing(8)
        axes.addWidget(self._labels["vary"])
        axes.addWidget(self.first, 1)
        axes.addWidget(self._labels["and"])
        axes.addWidget(self.second, 1)
        self._axes = axes
        options.addWidget(self._labels["show"])
        options.addWidget(self.result, 2)
        options.addWidget(self.hold, 2)
        options.addWidget(self.fits)
        options.addWidget(self._labels["days"])
        options.addWidget(self.days)
        options.addStretch(1)
        options.addWidget(self.forms)
        foot.addWidget(self.point, 1)
        foot.addWidget(self.take)
        foot.addWidget(self.open_new)
        self.stack = QStackedWidget()
        for widget in (self.chart, self.table, self.problem):
            self.stack.addWidget(widget)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addLayout(axes)
        layout.addLayout(options)
        layout.addWidget(self.stack, 1)
        layout.addLayout(foot)

    def _connect(self) -> None:
        for axis in (self.first, self.second):
            axis.changed.connect(self._axes_changed)
        self.result.chosen.connect(lambda _value: self._ask())
        self.hold.chosen.connect(lambda _value: self._ask())
        self.fits.toggled.connect(lambda _on: self._ask())
        self.days.edited.connect(lambda _value, _burst: self._ask())
        self.forms.chosen.connect(self.show_as)
        self.chart.picked.connect(self.pick)
        self.table.picked.connect(self._row_picked)
        self.table.activated.connect(lambda _index: self._take())

    # What is asked for

    def refresh(self, document: Document) -> None:
        """Show a document; its sweep is computed if it is another one."""
        self._document = document
        self._show_axes(document)
        self._ask()

    def _show_axes(self, document: Document) -> None:
        for axis in (self.first, self.second):
            axis.show_scenario(document.scenario, self.services.language.tr)
        # Without a second axis the first has the room.
        self._axes.setStretchFactor(self.second, 1 if self.second.key else 0)
        self._offer_holds()

    def _axes_changed(self) -> None:
        if self._document is not None:
            self._show_axes(self._document)
        self._ask()

    def _offer_holds(self) -> None:
        """What can be held of this scenario; a varied measurement leaves nothing to hold."""
        tr = self.services.language.tr
        if self._document is None:
            return
        keys = [axis.key for axis in (self.first, self.second) if axis.key]
        varied = any(key.startswith("run.measured.") for key in keys)
        usual = usual_hold(self._document.scenario, ())
        choices: list[tuple[object, str]] = [(hold, tr(HOLD_WORDS[hold])) for hold in HOLDS]
        value = self.hold.currentData()
        self.hold.set_choices(choices)
        self.hold.set_value(value if value is not None else usual)
        self.hold.setEnabled(not varied)

    def _ask(self) -> None:
        self.take.setVisible(False)
        self.open_new.setVisible(False)
        self.chart.set_dimmed(True)
        self._later.start()

    def _start(self) -> None:
        """Read what is typed and compute it, unless that is what is shown."""
        document = self._document
        if document is None:
            return
        if document.problem is not None:
            self._refuse(document.problem)
            return
        try:
            axes = tuple(axis for axis in (self.first.axis(), self.second.axis()) if axis is not None)
            if int(np.prod([len(axis.values) for axis in axes])) > MOST_SHOWN:
                raise InputError("sweep_too_many", "", points=int(np.prod([len(axis.values) for axis in axes])),
                                 maximum=MOST_SHOWN)
        except InputError as error:
            self._refuse(error)
            return
        key = str(self.result.currentData() or "mfu")
        hold = self.hold.currentData() if self.hold.isEnabled() else None
        filters = (*(("memory_share",) if self.fits.isChecked() else ()),
                   *(("days",) if self.days.value is not None else ()))
        asked = (document.scenario, [(axis.key, axis.values) for axis in axes], key, hold, filters)
        if asked == self._asked and self.done is not None and not self.work.busy:
            self._show_done(self.done)
            return
        self._asked = asked
        self.work.start(partial(compute, document.scenario, axes, key, hold, filters))

    # What is shown

    def show_as(self, form: str) -> None:
        """Show ``chart`` or ``table``."""
        self.shown = form
        self.forms.set_value(form)
        if self.stack.currentWidget() is not self.problem:
            self.stack.setCurrentWidget(self.chart if form == "chart" else self.table)

    def _refuse(self, error: InputError) -> None:
        self._asked = None
        self.work.give_up()
        self._show_error(error)

    def _show_error(self, error: InputError) -> None:
        tr, field = self.services.language.tr, sweep_fields().get(error.field)
        sentence = tr.sentence(error.code, error.values)
        set_tone(self.problem, "muted" if error.code == "required" else "error")  # what is missing is no mistake
        self.problem.setText(sentence if field is None else f"{tr(field.label)}: {sentence}")
        self.stack.setCurrentWidget(self.problem)
        self.point.setText("")

    def _show_nothing(self, done: Done) -> None:
        """Instead of a picture of axes alone."""
        tr = self.services.language.tr
        set_tone(self.problem, "muted")
        self.problem.setText(tr("{quantity}: an input that it needs is missing, such as a measured value.",
                                quantity=tr(OUTCOMES[done.key].label)))
        self.stack.setCurrentWidget(self.problem)
        self._show_words()

    def _show_done(self, done: Done) -> None:
        self.done = done
        found, tr = done.sweep, self.services.language.tr
        values = found.values[done.key]
        if np.isnan(values).all():
            error = next(iter(found.errors.values()), None) or found.error(next(found.places()))
            if error is not None:
                self._show_error(error)
            else:
                self._show_nothing(done)
            return
        kept = found.kept(fits=self.fits.isChecked(), most_days=self.days.value)
        currency = plan_spec(found.base).currency
        words = tuple([value_text(axis, value, tr) for value in axis.values] for axis in found.axes)
        self.chart.show_picture(Picture(
            titles=tuple(axis_title(axis, tr) for axis in found.axes), words=words, result=tr(OUTCOMES[done.key].label),
            values=values, kept=kept, current=found.current(), tip=self._tip,
            text=lambda value: outcome_text(done.key, value, tr, currency)))
        self.chart.set_dimmed(False)
        self._fill_table(done, kept, words)
        self.stack.setCurrentWidget(self.chart if self.shown == "chart" else self.table)
        if self.chart.chosen is None:
            self._show_words()
        else:
            self.pick(self.chart.chosen)

    def asked(self) -> Asked | None:
        """What the sweep that is shown was asked for."""
        if self.done is None:
            return None
        found = self.done.sweep
        hold = found.held.how if found.held.how in HOLDS else None
        return Asked(found.axes, (self.done.key,), hold, self.fits.isChecked(), self.days.value)

    def _fill_table(self, done: Done, kept: Any, words: tuple[list[str], ...]) -> None:
        heads, rows = done.table(kept, words, self.services.language.tr)
        if heads != self.model.heads:
            self.table.show_rows(())  # other columns
            self.model.set_heads(heads)
        self.table.show_rows(rows)

    def _show_words(self) -> None:
        """Without a chosen point: what is held, and what is best."""
        tr, done = self.services.language.tr, self.done
        if done is None:
            return
        text = held_text(done.sweep.held, tr)
        if not done.exact and self.shown == "table":
            text = tr("More than {most:integer} points: the table is left out, the picture has them all.",
                      most=MOST_EXACT)
        notices = [tr.sentence(notice.code, notice.values) for notice in done.sweep.notices]
        self.point.setText(" ".join([text, *notices]))
        self.take.setVisible(False)
        self.open_new.setVisible(False)

    def _tip(self, place: Place) -> str:
        return "" if self.done is None else self.done.point_text(place, self.services.language.tr)

    # The chosen point

    def pick(self, place: Place) -> None:
        """Choose a point, in the picture and in the table."""
        self.chart.choose(place)
        if self.table.selected_keys != (key_of(place),):
            self.table.select_keys([key_of(place)])
        self.point.setText(self._tip(place))
        possible = self.done is not None and not isinstance(self.done.at(place), InputError)
        self.take.setVisible(possible)
        self.open_new.setVisible(possible)

    def _row_picked(self) -> None:
        keys = self.table.selected_keys
        if keys and self.done is not None:
            place = tuple(int(part) for part in keys[-1].split(","))
            if place != self.chart.chosen:
                self.pick(place)

    def _scenario(self) -> Scenario | None:
        if self.done is None or self.chart.chosen is None:
            return None
        try:
            return self.done.sweep.scenario(self.chart.chosen)
        except InputError as error:
            self._show_error(error)
            return None

    def _take(self) -> None:
        """The chosen point becomes the scenario: one step of undo."""
        made = self._scenario()
        if made is not None and self._document is not None:
            self.chart.choose(None)
            self.services.workspace.edit(self._document, self.first.key, made, label=N_("take a point of the sweep"))

    def _open_new(self) -> None:
        """The chosen point becomes a scenario of its own."""
        made, tr = self._scenario(), self.services.language.tr
        if made is None or self.done is None or self.chart.chosen is None:
            return
        words = ", ".join(value_text(axis, axis.values[index], tr)
                          for axis, index in zip(self.done.sweep.axes, self.chart.chosen, strict=True))
        document = Document(replace(made, name=tr("{name}, {point}", name=made.name or tr("Untitled"), point=words)))
        document.unsaved = True
        self.services.workspace.add(document)

    def retranslate(self) -> None:
        """Write all texts again that do not depend on the document."""
        tr = self.services.language.tr
        for key, text in (("vary", tr("Vary")), ("and", tr("and")), ("show", tr("Show")), ("days", tr("days ≤"))):
            self._labels[key].setText(text)
        for key in ("vary", "show"):  # the boxes after them begin at the same place
            self._labels[key].setMinimumWidth(max(self._labels[k].sizeHint().width() for k in ("vary", "show")))
        tip = tr("A list: 512, 1024, 2048. Even steps: 512:2048:4. Even ratios: 512:8192:5:log")
        self.first.set_names(tr("What is varied"), tr("Its values"), tip)
        self.second.set_names(tr("What is varied as well"), tr("Its values, second"), tip)
        self.result.set_choices([(key, tr(outcome.label)) for key, outcome in OUTCOMES.items()])
        if self.result.currentData() is None:
            self.result.set_value("mfu")
        for box, name in ((self.result, tr("What is shown")), (self.hold, tr("What is held of the measurement"))):
            box.setAccessibleName(name)
            box.setToolTip(name)
        self.fits.setText(tr("fits in memory"))
        self.fits.setToolTip(tr("Only points whose memory fits"))
        self.days.setAccessibleName(tr("Only points that take at most so many days"))
        self.days.setToolTip(tr("Only points that take at most so many days"))
        self.forms.set_tip("chart", tr("Show as a chart"))
        self.forms.set_tip("table", tr("Show as a table"))
        self.table.setAccessibleName(tr("Points of the sweep"))
        self.take.setText(tr("To the scenario"))
        self.open_new.setText(tr("As a new scenario"))
        self._asked = None
