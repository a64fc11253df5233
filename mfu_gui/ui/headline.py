"""Headline: the one number that matters, what belongs to it, and how far the conventions agree."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from mfu_gui.engine.compare import convention_for, sound_range
from mfu_gui.engine.fields import N_
from mfu_gui.engine.scenario import Result
from mfu_gui.texts.numbers import DASH
from mfu_gui.ui import fonts, formulas
from mfu_gui.ui.exactness import plus_minus
from mfu_gui.ui.range_bar import RangeBar
from mfu_gui.ui.remarks import Remarks
from mfu_gui.ui.services import Services
from mfu_gui.ui.theme import HEADLINE, VALUE
from mfu_gui.ui.widgets.card import Card, plain_label
from mfu_gui.ui.widgets.elided_label import ElidedLabel
from mfu_gui.ui.widgets.value_label import SIDE, ValueLabel
from mfu_gui.ui.workspace import ACTIVE, Document, Workspace

_SIZES = ((2800, 64, 32), (1900, 52, 26), (1400, 44, 23), (0, HEADLINE, VALUE), (0, 34, 18), (0, 30, 16), (0, 26, 14),
          (0, 22, 12))
"""Of the MFU and of the metrics, each from a width of the headline on: numbers grow with the window, slower than it."""
_SHARES = (37, 22, 36, 32, 26, 33)
"""Of the width, for the MFU and each metric: places that do not move with their numbers."""
LEAST_SHOWN = 1e-4
"""In per cent: an inexactness below it is not said."""
METRICS = ("hfu", "tflops_per_device", "tokens_per_s_per_device", "step_time_s", "flops_per_token")


def choose_convention(workspace: Workspace, convention_id: str) -> None:
    """Count the active document by another convention, as one step of undo."""
    from msgspec.structs import replace

    document = workspace.active
    scenario = replace(document.scenario, convention=convention_for(document.scenario, convention_id))
    workspace.edit(document, "convention.id", scenario, label=N_("Choose convention"))


class Headline(Card):
    """Draws the result of the active document."""

    def __init__(self, services: Services, show_field: Callable[[str], object], parent: QWidget | None = None) -> None:
        super().__init__(services.theme, parent, titled=False)
        self.services = services
        self.body.setSpacing(4)
        self._sizes = (HEADLINE, VALUE)
        self.mfu = ValueLabel(services, HEADLINE, "accent", steady=True)
        self.mfu.setObjectName("result.mfu")
        top = QHBoxLayout()
        top.setSpacing(4)
        top.addWidget(self.mfu, _SHARES[0])
        self.metrics: dict[str, ValueLabel] = {}
        for key in METRICS:
            label = ValueLabel(services, steady=True)
            label.setObjectName(f"result.{key}")
            top.addWidget(label, _SHARES[len(self.metrics) + 1], Qt.AlignmentFlag.AlignBottom)
            self.metrics[key] = label
        self.body.addLayout(top)
        # Numbers have room for a frame: the words, not the frames, are in line with what is below.
        margins = self.outer.contentsMargins()
        self.outer.setContentsMargins(margins.left() - SIDE, margins.top(), margins.right(), margins.bottom())
        below = QVBoxLayout()
        below.setContentsMargins(SIDE, 0, 0, 0)
        below.setSpacing(4)
        self.body.addLayout(below)
        self.sentence = ElidedLabel("", font=fonts.font())
        self.sentence.setObjectName("result.sentence")
        below.addWidget(self.sentence)
        self.bar = RangeBar(services)
        self.bar.picked.connect(lambda convention_id: choose_convention(services.workspace, convention_id))
        below.addWidget(self.bar)
        under = QHBoxLayout()
        self.range = ElidedLabel()
        self.full = plain_label("100%", tone="muted", small=True)
        under.addWidget(self.range, 1)
        under.addWidget(self.full)
        below.addLayout(under)
        self.remarks = Remarks(services, show_field)
        below.addWidget(self.remarks)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        services.workspace.changed.connect(self._changed)
        services.language.changed.connect(self._language_changed)
        self._write_captions()
        if not services.workspace.is_empty:
            self.refresh(services.workspace.active)

    def refresh(self, document: Document) -> None:
        """Show the result of ``document``."""
        result, tr = document.result, self.services.language.tr
        dimmed = not document.settled
        for label in (self.mfu, *self.metrics.values()):
            label.set_dimmed(dimmed)
        self._show_caption(document)
        self._show_numbers(document)
        self.sentence.setText(formulas.plain_sentence(result, tr))
        self._fit()
        self._show_range(document, dimmed)
        self.remarks.refresh_soon(document)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Set the numbers as large as there is room for."""
        labels = (self.mfu, *self.metrics.values())
        margins = self.outer.contentsMargins()
        room = self.width() - margins.left() - margins.right() - 4 * len(labels) - 2
        places = [room * share // sum(_SHARES) for share in _SHARES]
        for least, large, small in _SIZES:
            if self.width() < least:
                continue
            if (large, small) != self._sizes:
                self._sizes = (large, small)
                for label in labels:
                    label.set_size(large if label is self.mfu else small)
            if all(label.sizeHint().width() <= place for label, place in zip(labels, places, strict=True)):
                return

    def _show_numbers(self, document: Document) -> None:
        result, scenario, tr = document.result, document.scenario, self.services.language.tr
        if result is None:
            for label in (self.mfu, *self.metrics.values()):
                label.show_value(DASH, "", "", str)
            return
        numbers, rates = tr.numbers, result.throughput
        _percent(self.mfu, result.mfu, partial(formulas.mfu_formula, scenario, result, tr), self.services)
        _percent(self.metrics["hfu"], result.hfu, partial(formulas.hfu_formula, result, tr), self.services)
        for key, value, unit, digits, formula in (
            ("tflops_per_device", rates.tflops_per_device, "TFLOP/s", 4, partial(formulas.tflops_formula, result, tr)),
            ("tokens_per_s_per_device", rates.tokens_per_s_per_device, "", 4,
             partial(formulas.tokens_formula, scenario, result, tr)),
        ):
            self.metrics[key].show_value(numbers.short(value, digits), unit if value is not None else "",
                                         numbers.exact(value), formula)
        step = self.metrics["step_time_s"]
        shown, _, unit = numbers.duration(rates.step_time_s, 4).partition(" ")
        if " " in unit:  # "5 min 03 s" is not a number and a unit
            shown, unit = numbers.duration(rates.step_time_s), ""
        step.show_value(shown, unit, numbers.exact(rates.step_time_s),
                        partial(formulas.step_formula, scenario, result, tr))
        shown, _, unit = numbers.si(result.flops.per_token, 4, "FLOP").partition(" ")
        self.metrics["flops_per_token"].show_value(shown, unit, numbers.exact(result.flops.per_token),
                                                   partial(formulas.flops_formula, result, tr))

    def _show_range(self, document: Document, dimmed: bool) -> None:
        result, tr = document.result, self.services.language.tr
        if result is None or document.problem is not None:
            self.bar.show_rows((), None, True)
            return
        rows = document.rows()
        value = result.mfu if result.mfu is not None else result.hfu
        self.bar.show_rows(rows, value, dimmed)
        ends = sound_range(rows)
        text = "" if ends is None else formulas.range_text(rows, *ends, tr)
        if text != self.range.text():
            self.range.setText(text)

    def _show_caption(self, document: Document) -> None:
        """MFU, and how exact the measured value leaves it."""
        half = plus_minus(document)
        # Below the digits that are shown it would tell nothing.
        self.mfu.set_caption("MFU" if half is None or 100 * half < LEAST_SHOWN else f"MFU ± {100 * half:.1g}")

    def _write_captions(self) -> None:
        tr = self.services.language.tr
        for key, text in (("hfu", "HFU"), ("tflops_per_device", tr("per device")),
                          ("tokens_per_s_per_device", tr("tokens/s/device")), ("step_time_s", tr("step time")),
                          ("flops_per_token", tr("FLOPs per token"))):
            self.metrics[key].set_caption(text)

    def _changed(self, document: Document, aspects: frozenset[str], result: Result | None) -> None:
        if document is self.services.workspace.active:
            self.refresh(document)
            if ACTIVE in aspects:
                self.remarks.refresh(document)

    def _language_changed(self) -> None:
        self._write_captions()
        if not self.services.workspace.is_empty:
            self.refresh(self.services.workspace.active)


def _percent(label: ValueLabel, value: float | None, formula: Callable[[], str], services: Services) -> None:
    numbers = services.language.numbers
    if value is None:
        label.show_value(DASH, "", "", formula)
    else:
        label.show_value(numbers.percent(value, 2).removesuffix("%"), "%", numbers.exact(value), formula)
