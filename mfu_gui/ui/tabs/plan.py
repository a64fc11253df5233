"""The Plan tab: how long, how much, at what loss; serving; fine-tuning and reinforcement learning."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QLabel, QStackedWidget, QVBoxLayout, QWidget

from mfu_gui.engine.errors import InputError, Notice
from mfu_gui.engine.scenario import Result
from mfu_gui.formats.plan_words import sentence, written
from mfu_gui.planning.days_table import days_table
from mfu_gui.planning.formula import Figure
from mfu_gui.planning.inference import inference
from mfu_gui.planning.post_training import post_training
from mfu_gui.planning.run_plan import plan_run
from mfu_gui.planning.spec import plan_spec
from mfu_gui.texts import N_
from mfu_gui.ui import fonts
from mfu_gui.ui.services import Services
from mfu_gui.ui.tabs.page import TabPage
from mfu_gui.ui.tabs.plan_days import DaysCard
from mfu_gui.ui.tabs.plan_figures import LARGE, SIZE, FigureCard
from mfu_gui.ui.tabs.plan_form import PlanForm
from mfu_gui.ui.tabs.plan_split import SplitBar, SplitPart
from mfu_gui.ui.widgets.card import plain_label
from mfu_gui.ui.widgets.down_scroll import DownScroll
from mfu_gui.ui.widgets.segments import Segments
from mfu_gui.ui.workspace import Document

VIEWS = {"run": N_("Run"), "serving": N_("Serving"), "post_training": N_("Post-training")}
CARDS: dict[str, tuple[tuple[str, str], ...]] = {
    "run": (("time", N_("Time")), ("cost", N_("Cost")), ("energy", N_("Energy")), ("goodput", N_("Goodput")),
            ("scaling", N_("Tokens by scaling laws"))),
    "serving": (("prefill", N_("Reading a prompt")), ("decode", N_("Generating")), ("cache", N_("KV cache"))),
    "post_training": (("training", N_("Fine-tuning")), ("loop_time", N_("Time of a step of the loop")),
                      ("loop_flops", N_("FLOPs of a step of the loop"))),
}
"""Cards of each view: key and title."""
ALARMS = frozenset({"plan_above_peak", "plan_over_budget", "plan_too_long", "plan_counts_recompute",
                    "inference_weights_do_not_fit", "inference_above_peak", "plan_billed_above_peak",
                    "goodput_outside_domain"})
"""Remarks that stand beside the answer, because they take it back."""
TIME_ORDER = ("days", "device_hours", "devices", "tokens", "mfu", "whole_run_utilization", "billed_utilization",
              "tokens_per_day", "steps", "flops", "executed_flops", "flops_6nd")
"""What the card of time shows, and in which order."""
SIDE_BY_SIDE = 520
"""From this width on, cost and energy stand beside each other."""
INPUTS_OF_ENERGY = frozenset({"power_w", "draw", "pue", "grid_kg_per_kwh"})
LOOP_PARTS = (("prefill", "shared", N_("Reading prompts")), ("generation", "experts", N_("Generating")),
              ("reference", "attention_core", N_("Reference model")),
              ("old_log_probs", "attention_projection", N_("Old log-probabilities")),
              ("critic_and_reward", "router", N_("Critic and reward model")), ("training", "head", N_("Training")))
SPLIT_PARTS = frozenset({"rollout", *(key for key, _, _ in LOOP_PARTS)})
"""What the bars show, and the cards need not."""
FORM_WIDTH = 324
TALL = 860
"""From this height on figures are larger, and the days on other numbers of devices are shown too."""


class PlanPage(TabPage):
    """Inputs at the left, what follows from them at the right.  Computes only while it is looked at."""

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(services, parent)
        self.view_key = "run"
        self.switch = Segments(services.theme, tuple((key, "") for key in VIEWS))
        self.switch.setObjectName("plan.view")
        self.switch.chosen.connect(self.show_view)
        self.forms: dict[str, PlanForm] = {}
        self._scrolls: dict[str, DownScroll] = {}
        self._stack = QStackedWidget()
        self._stack.setFixedWidth(FORM_WIDTH)
        self.answer = plain_label(wrap=True)
        self.answer.setObjectName("plan.sentence")
        self.answer.setFont(fonts.bold())
        self.alarm = plain_label(wrap=True)
        self.alarm.setObjectName("plan.alarm")
        self.remarks = plain_label(tone="muted", small=True, wrap=True)
        self.remarks.setObjectName("plan.remarks")
        self.cards = {key: FigureCard(services, title, key) for cards in CARDS.values() for key, title in cards}
        self.splits = {key: SplitBar(services) for key in ("loop_time", "loop_flops")}
        for key, split in self.splits.items():
            self.cards[key].body.insertWidget(0, split)
        self.days = DaysCard(services)
        self._tall = False
        self._build()
        services.language.changed.connect(self._retranslate)
        self._retranslate()
        self.show_view("run")

    def _build(self) -> None:
        band = QFrame()
        band.setProperty("role", "note")
        inside = QVBoxLayout(band)
        inside.setContentsMargins(10, 8, 10, 8)
        inside.setSpacing(4)
        inside.addWidget(self.answer)
        inside.addWidget(self.alarm)
        self.band = band
        results = QWidget()
        column = QVBoxLayout(results)
        column.setContentsMargins(4, 4, 8, 8)
        column.setSpacing(8)
        column.addWidget(band)
        self._pair = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self._pair.setSpacing(8)
        for key, card in self.cards.items():
            if key in ("cost", "energy"):
                self._pair.addWidget(card, 1)
                if key == "energy":
                    column.addLayout(self._pair)
            else:
                column.addWidget(card)
        column.addWidget(self.days)
        column.addWidget(self.remarks)
        column.addStretch(1)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 4, 0, 0)
        layout.setSpacing(8)
        inputs = QVBoxLayout()
        inputs.setSpacing(4)
        row = QHBoxLayout()
        row.setContentsMargins(0, 4, 0, 0)
        row.addWidget(self.switch)
        row.addStretch(1)
        inputs.addLayout(row)
        inputs.addWidget(self._stack, 1)
        layout.addLayout(inputs)
        layout.addWidget(DownScroll(results), 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wide = self.width() - FORM_WIDTH >= SIDE_BY_SIDE
        self._pair.setDirection(QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom)
        tall = self.height() >= TALL
        if tall is not self._tall:
            self._tall = tall
            for card in self.cards.values():
                card.grid.set_size(LARGE if tall else SIZE)
            self._redraw()

    def forget(self) -> None:
        """Another document: no texts of the one before."""
        for form in self.forms.values():
            form.forget()

    def show_view(self, view: str) -> None:
        """Show the run, serving, or post-training."""
        self.view_key = view
        self.switch.set_value(view)
        if view not in self.forms:
            form = self.forms[view] = PlanForm(self.services, view)
            form.retranslate()
            self._scrolls[view] = DownScroll(form)
            self._stack.addWidget(self._scrolls[view])
        self._stack.setCurrentWidget(self._scrolls[view])
        shown = {key for key, _ in CARDS[view]}
        for key, card in self.cards.items():
            if key not in shown:
                card.hide()
        self.days.hide()
        self._redraw()

    def refresh(self, document: Document) -> None:
        """Show the plan of ``document``."""
        self.forms[self.view_key].refresh(document)
        if document.result is None:
            self._say("", ())
            return
        dimmed = not document.settled
        try:
            getattr(self, f"_show_{self.view_key}")(document, document.result, dimmed)
        except InputError as problem:
            self._clear()
            self._say(self.services.language.tr.describe(problem), (), tone="error")

    def _show_run(self, document: Document, result: Result, dimmed: bool) -> None:
        scenario, tr = document.scenario, self.services.language.tr
        spec = plan_spec(scenario)
        plan = plan_run(scenario, spec, result)
        self._show("time", _time_figures(plan.time), dimmed)
        self._show("cost", plan.cost, dimmed, plan.currency)
        self._show("energy", (figure for figure in plan.energy if figure.key not in INPUTS_OF_ENERGY), dimmed)
        self._show("goodput", plan.goodput, dimmed)
        self._show("scaling", plan.scaling, dimmed)
        self.days.show_table(days_table(scenario, spec, plan) if self._tall else None)
        self._say(sentence(scenario, spec, plan, tr), plan.notices)

    def _show_serving(self, document: Document, result: Result, dimmed: bool) -> None:
        found = inference(document.scenario, plan_spec(document.scenario))
        for key in ("prefill", "decode", "cache"):
            self._show(key, getattr(found, key), dimmed)
        tr = self.services.language.tr
        figures = {figure.key: figure for figure in (*found.prefill, *found.decode)}
        words = ""
        first, each = _of(found.prefill, "bound_s"), figures.get("tokens_per_s")
        if first is not None and each is not None and each.value is not None:
            words = tr("The first token takes at least {first}; then at most {rate} are generated.",
                       first=written(first, tr), rate=written(each, tr))
        self._say(words, found.notices)

    def _show_post_training(self, document: Document, result: Result, dimmed: bool) -> None:
        tr = self.services.language.tr
        spec = plan_spec(document.scenario)
        found = post_training(document.scenario, spec, result)
        self._show("training", found.training, dimmed)
        for key, figures in (("loop_time", found.time), ("loop_flops", found.flops)):
            self._show(key, (figure for figure in figures if figure.key not in SPLIT_PARTS), dimmed)
            self._show_split(self.splits[key], figures)
        total, share = _of(found.time, "total"), _of(found.time, "rollout_share")
        words = ""
        if total is not None and total.value and share is not None:
            words = tr("A step of the loop takes {time}; {share:percent0} of it is rollout.", time=written(total, tr),
                       share=share.value)
        else:
            over = _of(found.training, "flops_over_full")
            if over is not None and spec.post_training.method == "sft":
                words = tr("A trained token takes {share:percent} of the FLOPs of training everything.",
                           share=over.value)
        self._say(words, found.notices)

    def _show_split(self, bar: SplitBar, figures: Iterable[Figure]) -> None:
        tr = self.services.language.tr
        by_key = {figure.key: figure for figure in figures if figure.value}
        whole = by_key["total"].value if "total" in by_key else None
        parts = () if not whole else tuple(
            SplitPart(color, tr(name), (by_key[key].value or 0.0) / whole, written(by_key[key], tr))
            for key, color, name in LOOP_PARTS if key in by_key)
        bar.show_parts(tr("One step, part after part"), parts)

    def _show(self, key: str, figures: Iterable[Figure], dimmed: bool, currency: str | None = None) -> None:
        known = (figure for figure in figures if figure.value is not None)
        self.cards[key].show_figures(known, currency, dimmed=dimmed)

    def _clear(self) -> None:
        for card in self.cards.values():
            card.hide()
        self.days.hide()

    def _say(self, words: str, notices: Iterable[Notice], tone: str = "note") -> None:
        """The answer, what takes it back beneath it, and further remarks at the end."""
        tr = self.services.language.tr
        known = [notice for notice in notices if not notice.code.startswith("plan_needs")]
        alarms = [tr.sentence(notice.code, notice.values) for notice in known if notice.code in ALARMS]
        others = [tr.sentence(notice.code, notice.values) for notice in known if notice.code not in ALARMS]
        _write(self.answer, words)
        _write(self.alarm, "\n".join(dict.fromkeys(alarms)))
        _write(self.remarks, "\n".join(f"• {line}" for line in dict.fromkeys(others)))
        self.band.setVisible(bool(words or alarms))
        role = "warning" if alarms else tone
        if self.band.property("role") != role:
            self.band.setProperty("role", role)
            for widget in (self.band, self.answer, self.alarm):
                widget.style().unpolish(widget)
                widget.style().polish(widget)

    def _retranslate(self) -> None:
        tr = self.services.language.tr
        for key, text in VIEWS.items():
            self.switch.set_text(key, tr(text))
        self.switch.setAccessibleName(tr("What to plan"))
        for form in self.forms.values():
            form.retranslate()
        for card in self.cards.values():
            card.retranslate()
        self._redraw()


def _write(label: QLabel, text: str) -> None:
    if text != label.text():
        label.setText(text)
    label.setVisible(bool(text))


def _of(figures: Iterable[Figure], key: str) -> Figure | None:
    return next((figure for figure in figures if figure.key == key), None)


def _time_figures(figures: Iterable[Figure]) -> list[Figure]:
    """The figures of TIME_ORDER; executed FLOPs only where they are others than the model's."""
    by_key = {figure.key: figure for figure in figures}
    same = by_key["executed_flops"].value == by_key["flops"].value
    return [by_key[key] for key in TIME_ORDER if key in by_key and not (same and key == "executed_flops")]
