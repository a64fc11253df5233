"""The view of the search for layouts: progress, the ranked table with its verdicts, and the one that is taken."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QStackedWidget, QToolButton, QVBoxLayout, QWidget

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.fields import BY_KEY, N_
from mfu_gui.engine.run import RunSpec
from mfu_gui.engine.scenario import Scenario
from mfu_gui.formats.plan_words import money
from mfu_gui.formats.sweep_words import TIMINGS, counts_text, reason_text, recompute_text, sizes_text, verdict_word
from mfu_gui.planning.layouts import RANKINGS, By, LayoutRow, Layouts, search, with_layout
from mfu_gui.planning.spec import plan_spec
from mfu_gui.planning.sweep import Progress
from mfu_gui.ui.latest import Latest
from mfu_gui.ui.services import Services
from mfu_gui.ui.tabs.table_model import Cells, TableModel
from mfu_gui.ui.tabs.table_view import TableView
from mfu_gui.ui.widgets.card import plain_label
from mfu_gui.ui.widgets.choice_box import ChoiceBox
from mfu_gui.ui.widgets.elided_label import ElidedLabel
from mfu_gui.ui.widgets.link import Link
from mfu_gui.ui.workspace import Document

ROWS = 40
BY_WORDS: dict[By, str] = {"time": N_("by step time"), "memory": N_("by memory"), "cost": N_("by cost")}
_OPTIONAL = (2, 1, 8, 7, 9)
"""Columns that go where there is no room, the last first; the reason is below the table too."""


class Found(NamedTuple):
    """A search with the rows that are shown, each computed by itself."""

    layouts: Layouts
    rows: tuple[LayoutRow, ...]
    by: By


def find(scenario: Scenario, by: By, progress: Progress) -> Found:
    """Search and compute the best rows; in a thread."""
    return ranked(search(scenario, None, progress), by)


def ranked(found: Layouts, by: By) -> Found:
    """The best rows of a search that was made; the scenario's own layout is among them."""
    rows = found.rows(by, ROWS)
    current = found.current()
    if current is not None and not any(row.current for row in rows):
        rows.append(current)
    return Found(found, tuple(rows), by)


class LayoutsView(QWidget):
    """Searches when asked to; a result stays until another search, and says so when the scenario has changed."""

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.services = services
        self.found: Found | None = None
        self._document: Document | None = None
        self._searched: tuple[Scenario, ...] = ()
        """The scenario that was searched for, and those that its rows made of it."""
        self.work = Latest(self)
        self.work.finished.connect(self._show_found)
        self.work.failed.connect(self._show_error)
        self.work.cancelled.connect(self._show_idle)
        self.work.progressed.connect(self._show_progress)
        self.search = QToolButton()
        self.search.setProperty("role", "button")
        self.search.clicked.connect(self._press)
        self.by = ChoiceBox(services.theme)
        self.by.chosen.connect(lambda _value: self._rank_again())
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setFixedHeight(6)
        self.progress.setMaximumWidth(160)
        self.progress.hide()
        self.counts, self.foot = ElidedLabel(""), ElidedLabel("")
        self.model = TableModel(parent=self)
        self.table = TableView(services, self.model, _OPTIONAL, sortable=True)
        self.table.picked.connect(self._picked)
        self.table.activated.connect(lambda _index: self.use())
        self.hint = plain_label(tone="muted", wrap=True)
        self.hint.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.problem = plain_label(tone="error", wrap=True)
        self.problem.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.take = Link(services.theme, "", self.use)
        self.take.hide()
        self._build()

    def _build(self) -> None:
        names: tuple[tuple[str, QWidget], ...] = (
            ("layouts.search", self.search), ("layouts.by", self.by), ("layouts.table", self.table),
            ("layouts.use", self.take), ("layouts.problem", self.problem), ("layouts.progress", self.progress))
        for name, widget in names:
            widget.setObjectName(name)
        self.search.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.by.setMaximumWidth(170)
        top, foot = QHBoxLayout(), QHBoxLayout()
        for row in (top, foot):
            row.setContentsMargins(0, 0, 0, 0)
            row.setSpacing(8)
        for part in (self.search, self.by, self.progress):
            top.addWidget(part)
        top.addWidget(self.counts, 1)
        foot.addWidget(self.foot, 1)
        foot.addWidget(self.take)
        self.stack = QStackedWidget()
        for page in (self.hint, self.table, self.problem):
            self.stack.addWidget(page)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addLayout(top)
        layout.addWidget(self.stack, 1)
        layout.addLayout(foot)

    def refresh(self, document: Document) -> None:
        """Another document, or another scenario in it."""
        if document is not self._document:
            self._document = document
            self.work.give_up()
            self.found = None
            self.table.show_rows(())
            self.stack.setCurrentWidget(self.hint)
            self._show_idle()
        self._show_foot()

    # Searching

    def _press(self) -> None:
        if self.work.busy:
            self.work.cancel()
        elif self._document is not None:
            self.start()

    def start(self) -> None:
        """Search for the scenario as it is now."""
        document = self._document
        if document is None:
            return
        if document.problem is not None:
            self._show_error(document.problem)
            return
        self._searched = (document.scenario,)
        self.progress.setRange(0, 0)
        self.progress.show()
        self.work.start(partial(find, document.scenario, self._by()))
        self._show_button()

    def _by(self) -> By:
        value = self.by.currentData()
        return value if value in RANKINGS else "time"

    def _rank_again(self) -> None:
        if self.found is not None and not self.work.busy:
            layouts, by = self.found.layouts, self._by()
            self.work.start(lambda _progress: ranked(layouts, by))

    def _show_progress(self, done: int, of: int) -> None:
        self.progress.setRange(0, max(of, 1))
        self.progress.setValue(done)
        self.counts.setText(self.services.language.tr("{done:integer} of {of:integer} layouts", done=done, of=of))

    def _show_idle(self) -> None:
        self.progress.hide()
        self._show_button()
        self.counts.setText("" if self.found is None else counts_text(self.found.layouts, self.services.language.tr))

    def _show_button(self) -> None:
        tr = self.services.language.tr
        self.search.setText(tr("Cancel") if self.work.busy else tr("Search layouts"))
        self.search.setAccessibleName(self.search.text())

    def _show_error(self, error: InputError) -> None:
        tr, field = self.services.language.tr, BY_KEY.get(error.field)
        sentence = tr.sentence(error.code, error.values)
        self.problem.setText(sentence if field is None else f"{tr(field.label)}: {sentence}")
        self.stack.setCurrentWidget(self.problem)
        self.take.hide()
        self.foot.setText("")
        self.found = None
        self._show_idle()

    # The table

    def _show_found(self, found: Found) -> None:
        self.found = found
        self._show_idle()
        self._fill()
        self.stack.setCurrentWidget(self.table)
        self.table.select_keys(["0"] if found.rows else [])
        self._show_foot()

    def _fill(self) -> None:
        found, tr = self.found, self.services.language.tr
        if found is None:
            return
        currency = plan_spec(found.layouts.base).currency
        run = None if self._document is None else self._document.scenario.run
        self.model.set_heads((tr("Layout"), tr("Micro-batch"), tr("Recompute"), tr("Step time"), "MFU", tr("Memory"),
                              tr("Verdict"), tr("Days"), tr("Cost"), tr("Why")))
        self.table.show_rows([self._cells(str(number), row, run, currency) for number, row in enumerate(found.rows)])

    def _cells(self, key: str, row: LayoutRow, run: RunSpec | None, currency: str) -> Cells:
        tr, numbers = self.services.language.tr, self.services.language.numbers
        now = run is not None and is_now(row, run)
        sizes, word = sizes_text(row.parallel), verdict_word(row, tr)
        texts = (tr("{sizes} (now)", sizes=sizes) if now else sizes, numbers.integer(row.micro_batch),
                 recompute_text(row.recompute, tr), numbers.duration(row.step_time_s), numbers.percent(row.mfu),
                 numbers.bytes(row.memory_bytes), word, numbers.short(row.days), money(row.cost, currency, tr),
                 reason_text(row, tr))
        values = (sizes, row.micro_batch, texts[2], row.step_time_s, row.mfu, row.memory_bytes, word, row.days,
                  row.cost, texts[9])
        return Cells(key, texts, values, lambda: f"{texts[0]}: {word}\n{texts[9]}", bold=now,
                     muted=row.verdict == "does_not_fit")

    def chosen(self) -> LayoutRow | None:
        """The selected row."""
        keys = self.table.selected_keys
        return self.found.rows[int(keys[-1])] if keys and self.found is not None else None

    def _picked(self) -> None:
        self._show_foot()

    def _show_foot(self) -> None:
        """The chosen row in words; before that, whether the table is still of this scenario."""
        tr, row = self.services.language.tr, self.chosen()
        document = self._document
        if self.found is None or document is None:
            self.foot.setText("")
            self.take.hide()
            return
        if document.scenario not in self._searched:
            self.foot.setText(tr("The scenario has changed since this search."))
            self.take.hide()
            return
        notices = [tr.sentence(notice.code, notice.values) for notice in self.found.layouts.notices]
        words = [] if row is None else [f"{sizes_text(row.parallel)}: {verdict_word(row, tr)}; {reason_text(row, tr)}."]
        self.foot.setText(" ".join([*words, *(notices or [tr(TIMINGS[self.found.layouts.timing])])]))
        self.take.setVisible(row is not None and not is_now(row, document.scenario.run))

    def use(self) -> None:
        """The chosen layout becomes the scenario's: one step of undo."""
        row, document = self.chosen(), self._document
        if row is None or document is None or document.scenario not in self._searched:
            return
        made = with_layout(document.scenario, row)
        self._searched = (*self._searched, made)
        self.services.workspace.edit(document, "run.parallel.tensor", made, label=N_("use a layout"))
        self._fill()
        self._show_foot()

    def retranslate(self) -> None:
        """Write all texts again that do not depend on the document."""
        tr = self.services.language.tr
        self._show_button()
        self.by.set_choices([(by, tr(BY_WORDS[by])) for by in RANKINGS])
        if self.by.currentData() is None:
            self.by.set_value("time")
        self.by.setAccessibleName(tr("How layouts are ranked"))
        self.progress.setAccessibleName(tr("Progress of the search"))
        self.table.setAccessibleName(tr("Layouts"))
        self.take.setText(tr("Use this layout"))
        self.hint.setText(tr(
            "Goes through every tensor, pipeline, virtual pipeline, context and expert parallel size, micro-batch, "
            "ZeRO stage and kind of recomputation that divides the model, the batch and the devices, and ranks those "
            "that fit. Layers need not divide: the first and the last stage then hold fewer."))
        self._fill()
        self._show_foot()


def is_now(row: LayoutRow, run: RunSpec) -> bool:
    """Whether a run has the layout of a row."""
    return (run.parallel == row.parallel and run.recompute == row.recompute and run.devices == row.devices
            and (run.micro_batch or 1) == row.micro_batch)
