"""The Memory tab: what each device of a pipeline holds, and whether it fits."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QTimer
from PySide6.QtGui import QHideEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QVBoxLayout, QWidget

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.fields import N_
from mfu_gui.formats import memory_words as words
from mfu_gui.planning.formula import BASIS_LABELS, Figure
from mfu_gui.planning.memory import Memory, StageMemory
from mfu_gui.planning.memory_advice import Advice, advice, memory_of
from mfu_gui.texts.numbers import DASH
from mfu_gui.ui import fonts, tips
from mfu_gui.ui.charts.bars import Part, Treemap
from mfu_gui.ui.charts.stage_bars import Bar, Segment, StageBars
from mfu_gui.ui.services import Services
from mfu_gui.ui.tabs.memory_form import MemoryForm
from mfu_gui.ui.tabs.page import TabPage
from mfu_gui.ui.tabs.table_model import Cells, TableModel
from mfu_gui.ui.tabs.table_view import TableView
from mfu_gui.ui.widgets.card import plain_label
from mfu_gui.ui.widgets.down_scroll import DownScroll
from mfu_gui.ui.widgets.elided_label import ElidedLabel
from mfu_gui.ui.widgets.link_row import LinkRow
from mfu_gui.ui.widgets.segments import Segments
from mfu_gui.ui.workspace import Document, State

FORM_WIDTH = 330
LEAST_RESULTS = 400
LEAST_BARS = 250
TALL = 700
"""From this height on the bars are above the table, as wide as it."""
WITH_AREAS = 860
"""From this height on the terms are shown as areas too, beneath the table."""
AREAS_UNDER_BARS = 160
"""Height that bars beside the table must leave for areas beneath them."""
_UNBOUND = 16_777_215
"""No highest size, as Qt has it."""
NOTE_FROM, HELP_FROM, REMARKS_FROM = 130, 200, 330
"""Heights from which the note, what would help, and the remarks have room."""
ADVICE_DELAY_MS = 250
MOST_STAGES = 7
MOST_ADVICE = 4
COLORS = {
    "weights": ("attention_projection", "attention_proj"), "frozen_weights": ("attention_projection", "attention_proj"),
    "gradients": ("attention_core", "attention_qk"), "optimizer": ("experts", "experts"),
    "activations": ("head", "lm_head"), "logits": ("router", "router"),
    "framework": ("other", "other"), "communication": ("other", "other"), "fragmentation": ("other", "other"),
}
"""Of each term: the token of its colour, and a component of the model that has the same colour.
All other terms are buffers."""
BUFFERS = ("shared", "shared_experts")
TONES = {"fits": "good", "tight": "warning", "does_not_fit": "error", "unknown": ""}


class MemoryPage(TabPage):
    """Verdict, what would help, terms and bars; the inputs beside them where there is room."""

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(services, parent)
        self._kept: tuple[State, Memory | InputError] | None = None
        self._chosen: tuple[int, ...] | None = None
        """Stages whose terms the table shows first; the worst when None."""
        self._groups: list[tuple[tuple[int, ...], StageMemory]] = []
        self._form_key = "table"
        self._form_state: object = None
        self._arranged: object = None
        self.corner = Segments(services.theme, (("table", "table"), ("bars", "bars"), ("fields", "options")))
        self.corner.chosen.connect(self.show_as)
        self.verdict = ElidedLabel("", font=fonts.bold())  # a plain label would lay out the window at each key press
        self.verdict.setObjectName("memory.verdict")
        self.help = LinkRow(services.theme)
        self.help.setObjectName("memory.help")
        self.note = ElidedLabel()
        self.note.setObjectName("memory.note")
        self.remarks = plain_label(tone="muted", small=True, wrap=True)
        self.remarks.setObjectName("memory.remarks")
        self.model = TableModel(parent=self)
        self.view = TableView(services, self.model)
        self.view.setObjectName("memory.table")
        self.bars = StageBars(services)
        self.bars.chosen.connect(self.choose)
        self.areas = Treemap(services)
        self.areas.setObjectName("memory.areas")
        self.areas.selected.connect(lambda key: self.view.select_keys((key,)))
        self.form = MemoryForm(services)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(ADVICE_DELAY_MS)
        self._timer.timeout.connect(self.show_advice)
        self._build()
        services.language.changed.connect(self._retranslate)
        services.theme.changed.connect(self._redraw)
        self._retranslate()

    def _build(self) -> None:
        self._bars_scroll = DownScroll(self.bars)
        self._form_scroll = DownScroll(self.form)
        self._pictures = pictures = QHBoxLayout()
        pictures.setSpacing(12)
        pictures.addWidget(self.view, 5)
        self._beside = QVBoxLayout()
        self._beside.setSpacing(8)
        self._beside.addWidget(self._bars_scroll)
        self._beside.addWidget(self.areas, 1)
        pictures.addLayout(self._beside, 4)
        results = QVBoxLayout()
        results.setSpacing(4)
        for widget in (self.verdict, self.help):
            results.addWidget(widget)
        results.addLayout(pictures, 1)
        results.addWidget(self.remarks)
        results.addWidget(self.note)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 4, 0, 0)
        layout.setSpacing(12)
        layout.addLayout(results, 1)
        layout.addWidget(self._form_scroll)

    # --- arrangement ---------------------------------------------------------------------------------

    def show_as(self, form: str) -> None:
        """Show the ``table``, the ``bars`` or the ``fields``, where there is no room for all."""
        self._form_key = form
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def hideEvent(self, event: QHideEvent) -> None:
        self._timer.stop()
        super().hideEvent(event)

    def _arrange(self) -> None:
        """Show what there is room for."""
        width, height = self.width(), self.height()
        state = (width, height, self._form_key, self.help.has_links, bool(self.remarks.text()), len(self.bars.bars))
        if state == self._arranged:
            return
        self._arranged = state
        self._arrange_in(width, height)
        if self._active and not self.services.workspace.is_empty:
            self._fill(self.services.workspace.active)

    def _arrange_in(self, width: int, height: int) -> None:
        with_form = width >= FORM_WIDTH + LEAST_RESULTS
        room = width - (FORM_WIDTH + 12 if with_form else 0)
        tall = height >= TALL
        self._pictures.setDirection(QBoxLayout.Direction.BottomToTop if tall else QBoxLayout.Direction.LeftToRight)
        side_by_side = tall or room >= LEAST_RESULTS + LEAST_BARS
        shown = self._form_key
        if with_form and shown == "fields":
            shown = "table"
        self.corner.set_shown("fields", not with_form)
        for key in ("table", "bars"):
            self.corner.set_shown(key, not (side_by_side and with_form))
        if side_by_side and not with_form and shown != "fields":
            shown = "table"
        self.corner.set_shown("bars", not side_by_side)
        self.corner.set_value(shown)
        results = with_form or shown != "fields"
        self._form_scroll.setVisible(with_form or shown == "fields")
        self._form_scroll.setFixedWidth(FORM_WIDTH if with_form else max(width, FORM_WIDTH))
        self.view.setVisible(results and (side_by_side or shown == "table"))
        self._bars_scroll.setVisible(results and (side_by_side or shown == "bars"))
        self._place_areas(tall, results and not self.view.isHidden() and not self._bars_scroll.isHidden())
        # A layout of nothing but hidden widgets would keep its share of the width.
        self._pictures.setStretchFactor(self._beside, 0 if self._bars_scroll.isHidden() else 4)
        self._fit_bars()
        self._fit_table()
        self.verdict.setVisible(results)
        self.help.setVisible(results and height >= HELP_FROM and self.help.has_links)
        self.remarks.setVisible(results and height >= REMARKS_FROM and bool(self.remarks.text()))
        self.note.setVisible(results and height >= NOTE_FROM)

    def _place_areas(self, tall: bool, pictured: bool) -> None:
        """Beneath the table of a tall page, which builds upwards; else under the bars."""
        beneath = self._pictures.indexOf(self.areas) >= 0
        if tall and not beneath:
            self._pictures.insertWidget(0, self.areas, 4)
        elif not tall and beneath:
            self._beside.addWidget(self.areas, 1)
        left = self.height() - REMARKS_FROM // 2 - self.bars.sizeHint().height()
        self.areas.setVisible(pictured and (self.height() >= WITH_AREAS if tall else left >= AREAS_UNDER_BARS))

    def _fit_bars(self) -> None:
        """Above the table the bars are as high as they are many."""
        needed = self.bars.sizeHint().height() + 4
        highest = min(needed, self.height() // 3) if not self.areas.isHidden() or self.height() >= TALL else _UNBOUND
        if self._bars_scroll.maximumHeight() != highest:
            self._bars_scroll.setMaximumHeight(highest)

    def _fit_table(self) -> None:
        """Above the areas the table is as high as its rows; the areas have the rest."""
        beneath = self._pictures.indexOf(self.areas) >= 0 and not self.areas.isHidden()
        highest = self.view.height_of_rows() if beneath and self.model.rows else _UNBOUND
        if self.view.maximumHeight() != highest:
            self.view.setMaximumHeight(highest)

    # --- content -------------------------------------------------------------------------------------

    def forget(self) -> None:
        """Another document: its own worst stages, and no texts of the one before."""
        self._chosen = None
        self._form_state = None
        self.form.forget()

    def result_of(self, document: Document) -> Memory | InputError:
        """The estimate for a document, computed once for each of its states."""
        if self._kept is None or self._kept[0] is not document.state:
            found: Memory | InputError
            try:
                found = memory_of(document.scenario)
            except InputError as error:
                found = error.bare()
            self._kept = (document.state, found)
        return self._kept[1]

    def refresh(self, document: Document) -> None:
        """Show the memory of ``document``."""
        tr = self.services.language.tr
        found = self.result_of(document)
        if isinstance(found, InputError):
            self._set_verdict(tr.describe(found), "error")
            self._groups = []
            self._form_state = None
            self.view.show_rows(())
            self.bars.show_bars(tr("Memory by stage"), (), None, "", 0)
            self.areas.show_parts("", ())
            self.help.clear()
            self.remarks.setText("")
            self._fill(document)
            self._arrange()
            return
        run = document.scenario.run
        stated = run.parallel is not None or run.devices == 1 or found.verdict == "fits"
        self._set_verdict(words.verdict_sentence(found, tr, stated=stated), TONES[found.verdict] if stated else "")
        self._groups = words.alike(found)
        if self._chosen is not None and self._chosen not in [stages for stages, _ in self._groups]:
            self._chosen = None
        self._show_remarks(found)
        self._ask_advice(found)
        self._fill(document)
        self._arrange()

    def _fill(self, document: Document) -> None:
        """Bring up to date what is on the screen: form, table, bars."""
        found = self.result_of(document)
        if not self._form_scroll.isHidden() and not (isinstance(found, InputError) and found.field == "plan"):
            self._show_form(document)
        if isinstance(found, InputError) or not self._groups:  # laid out before it is shown: refresh follows
            return
        if not self.view.isHidden():
            self._show_terms(found)
        if not self._bars_scroll.isHidden():
            self._show_bars(found)
        if not self.areas.isHidden():
            self._show_areas(found)

    def _show_form(self, document: Document) -> None:
        """The inputs depend on little of the scenario; most edits leave them as they are."""
        scenario, run = document.scenario, document.scenario.run
        state = (id(document), scenario.plan, id(scenario.model), id(scenario.hardware), scenario.peak, run.parallel,
                 run.precision, run.trainable, run.devices is not None and run.devices > 1, dict(document.invalid),
                 document.state.place, self.services.language.code)
        if state != self._form_state:
            self._form_state = state
            self.form.refresh(document)

    def choose(self, number: int) -> None:
        """Show the terms of a group of stages first."""
        if number < len(self._groups):
            self._chosen = self._groups[number][0]
            self._redraw()

    def _set_verdict(self, text: str, tone: str) -> None:
        self.verdict.setText(text)
        color = "" if not tone else f"color: {self.services.theme.color(tone).name()}"
        if self.verdict.styleSheet() != color:
            self.verdict.setStyleSheet(color)

    def _ordered(self) -> list[tuple[tuple[int, ...], StageMemory]]:
        """Groups of stages, the chosen one before the others."""
        return sorted(self._groups, key=lambda group: group[0] != self._chosen)[:MOST_STAGES]

    def _show_terms(self, found: Memory) -> None:
        tr, groups = self.services.language.tr, self._ordered()
        count = len(found.stages)
        names = [words.stages_name(stages, tr, count) for stages, _ in groups]
        heads = (tr("Term"), names[0], tr("Share"), tr("Certainty"), *names[1:])
        if heads != self.model.heads:
            self.view.show_rows(())
            self.view.optional = tuple(range(len(heads) - 1, 3, -1))[::-1]
            if len(heads) > 3:
                self.view.optional = (3, *self.view.optional)
            unit = tr("GiB on one device; hover over a row for the formula")
            self.model.set_heads(heads, (tr("Hover over a row for its formula"), unit, tr("of the stage"),
                                         tr("Exact, a model, or an assumption"), *[unit] * len(names[1:])))
        by_stage = [{term.key: term for term in stage.terms} for _, stage in groups]
        keys = dict.fromkeys(term.key for terms in by_stage for term in terms.values())
        rows = [self._term_row(key, by_stage, [stage for _, stage in groups]) for key in sorted(
            keys, key=lambda key: -float(by_stage[0][key].value or 0) if key in by_stage[0] else 1.0)]
        totals = [stage.total for _, stage in groups]
        rows.append(Cells("", (tr("Total"), self._gib(totals[0]), "100%", "", *map(self._gib, totals[1:])),
                          (tr("Total"), totals[0], 1, "", *totals[1:]), bold=True))
        self.view.show_rows(rows)
        self._fit_table()

    def _gib(self, value: float) -> str:
        return words.gib(value, self.services.language.tr)

    def _term_row(self, key: str, by_stage: list[dict[str, Figure]], stages: list[StageMemory]) -> Cells:
        tr, total = self.services.language.tr, stages[0].total
        shown = next(number for number, terms in enumerate(by_stage) if key in terms)
        present = by_stage[shown][key]
        sizes = [float(terms[key].value or 0) if key in terms else None for terms in by_stage]
        share = (sizes[0] or 0.0) / total if total else 0.0
        texts = [DASH if size is None else self._gib(size) for size in sizes]
        name, certainty = words.term_name(present, tr), tr(BASIS_LABELS[present.basis])
        tip = partial(words.term_text, present, stages[shown], tr)
        return Cells(key, (name, texts[0], tr.numbers.percent(share), certainty, *texts[1:]),
                     (name, sizes[0], share, certainty, *sizes[1:]), tip,
                     self.services.theme.swatch(COLORS.get(key, BUFFERS)[1]))

    def _show_bars(self, found: Memory) -> None:
        tr = self.services.language.tr
        bars = [self._bar(words.stages_name(stages, tr, len(found.stages)), stage) for stages, stage in self._groups]
        chosen = next((n for n, (stages, _) in enumerate(self._groups) if stages == self._chosen), 0)
        label = "" if found.capacity is None else tr("device: {size}", size=tr.numbers.bytes(found.capacity))
        self.bars.show_bars(tr("Memory by stage"), bars, found.capacity, label, chosen)
        self._fit_bars()

    def _show_areas(self, found: Memory) -> None:
        """The terms of the stage that the table shows first."""
        tr = self.services.language.tr
        stages, stage = self._ordered()[0]
        parts = [Part(term.key, words.term_name(term, tr), float(term.value or 0) / stage.total if stage.total else 0.0,
                      tr.numbers.bytes(term.value), partial(words.term_text, term, stage, tr),
                      COLORS.get(term.key, BUFFERS)[1]) for term in stage.terms]
        self.areas.show_parts(words.stages_name(stages, tr, len(found.stages)), parts)

    def _bar(self, name: str, stage: StageMemory) -> Bar:
        tr = self.services.language.tr
        segments = [Segment(term.key, float(term.value or 0), COLORS.get(term.key, BUFFERS)[0],
                            partial(words.term_text, term, stage, tr)) for term in stage.terms]
        return Bar(name, tr.numbers.bytes(stage.total), tuple(segments))

    def _show_remarks(self, found: Memory) -> None:
        tr = self.services.language.tr
        lines = list(dict.fromkeys(tr.sentence(notice.code, notice.values) for notice in found.notices))
        self.remarks.setText(" ".join(lines))
        self.note.setText(tr(words.ACCURACY))
        self.note.setToolTip(tips.plain("\n".join([tr(words.ACCURACY), *lines])))
        self.verdict.setToolTip(tips.plain("\n".join([self.verdict.text(), tr(words.ACCURACY), *lines])))

    # --- advice --------------------------------------------------------------------------------------

    def _ask_advice(self, found: Memory) -> None:
        """Advice takes several estimates: it waits until typing rests."""
        if found.verdict in ("tight", "does_not_fit"):
            self._timer.start()
        else:
            self._timer.stop()
            self.help.clear()

    def show_advice(self) -> None:
        """Offer single changes that need less memory."""
        workspace = self.services.workspace
        if workspace.is_empty or not self._active:
            return
        document = workspace.active
        found = self.result_of(document)
        if isinstance(found, InputError):
            return
        tr = self.services.language.tr
        links = [(words.advice_text(each, tr), partial(self._take, document, each))
                 for each in advice(document.scenario, found)[:MOST_ADVICE]]
        self.help.show_links(tr("What would help:") if links else "", links)
        self._arrange()

    def _take(self, document: Document, each: Advice) -> None:
        self.services.workspace.edit(document, f"advice.{each.key}", each.scenario, label=N_("Need less memory"))

    # --- signals -------------------------------------------------------------------------------------

    def _retranslate(self) -> None:
        tr = self.services.language.tr
        self.form.retranslate()
        self.view.setAccessibleName(tr("Memory of a device, by term"))
        self.corner.set_tip("table", tr("Show as a table"))
        self.corner.set_tip("bars", tr("Show as bars"))
        self.corner.set_tip("fields", tr("Change what is assumed"))
        self._arrange()
        self._redraw()
