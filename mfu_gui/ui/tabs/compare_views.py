"""Why two scenarios differ, and what one of them is sensitive to: a sentence, a chart with its table, what is held."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from mfu_gui.engine.attribution import Attribution, Quantity, attribute, value_of
from mfu_gui.engine.errors import InputError
from mfu_gui.engine.fields import BY_KEY
from mfu_gui.planning.sensitivity import End, Sensitivities, Sensitivity, Target, sensitivities
from mfu_gui.texts import N_
from mfu_gui.texts.numbers import DASH
from mfu_gui.ui import comparison
from mfu_gui.ui.charts.row_chart import RowChart
from mfu_gui.ui.charts.tornado import Bar, Tornado
from mfu_gui.ui.charts.waterfall import Step, Waterfall
from mfu_gui.ui.comparison import QUANTITY_NAMES, Side
from mfu_gui.ui.services import Services
from mfu_gui.ui.tabs.step_views import LowTable
from mfu_gui.ui.tabs.table_model import Cells, TableModel
from mfu_gui.ui.widgets.card import plain_label
from mfu_gui.ui.workspace import Document, State

TARGET_NAMES: dict[Target, str] = {"mfu": "MFU", "step_time_s": N_("Step time"), "days": N_("Days of the run")}
_HOW = N_("Each amount is the mean over all orders in which the differences can be made one after the other; together "
          "they are exactly the whole change. What was measured stays as it is while something else changes.")


class ChartView(QWidget):
    """A sentence, a chart or its table, and remarks, scrolled together."""

    def __init__(self, services: Services, chart: RowChart, name: str) -> None:
        super().__init__()
        self.services = services
        self.words = plain_label(wrap=True)
        self.words.setObjectName(f"{name}.words")
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.remarks = plain_label(tone="muted", small=True, wrap=True)
        self.remarks.setObjectName(f"{name}.remarks")
        chart.setObjectName(f"{name}.chart")
        self.model = TableModel(parent=self)
        self.table = LowTable(services, self.model)
        self.table.setObjectName(f"{name}.table")
        self.form = "chart"
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 2, 8, 4)
        column.setSpacing(6)
        self._parts = (chart, self.table)
        for widget in (self.words, chart, self.table, self.remarks):
            column.addWidget(widget)
        column.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(inside)
        scroll.viewport().setAutoFillBackground(False)
        inside.setAutoFillBackground(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(scroll)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._parts[0].set_room(self.height())

    def show_as(self, form: str) -> None:
        """Show ``chart`` or ``table``."""
        self.form = form
        self._arrange(bool(self.model.rows))

    def _arrange(self, there: bool) -> None:
        chart, table = self._parts
        chart.setVisible(there and self.form == "chart")
        table.setVisible(there and self.form == "table")

    def say(self, words: str) -> None:
        """Only words: there is nothing to be drawn."""
        self.words.setText(words)
        self.remarks.setText("")
        self.model.show_rows(())
        self._arrange(False)

    def retranslate(self) -> None:
        """Write the texts again that do not depend on what is shown."""
        raise NotImplementedError


class ChangeView(ChartView):
    """From one scenario to another: which fields the change comes from."""

    def __init__(self, services: Services) -> None:
        self.chart = Waterfall(services)
        super().__init__(services, self.chart, "compare.change")
        self.found: Attribution | None = None
        self._key: tuple[State, State, Quantity] | None = None

    def refresh(self, before: Document, after: Document, quantity: Quantity) -> None:
        """Explain the change from ``before`` to ``after``."""
        tr = self.services.language.tr
        first, second = side_of(before, tr("Untitled")), side_of(after, tr("Untitled"))
        for document, side in ((before, first), (after, second)):
            if document.problem is not None:
                self.say(tr("{name} cannot be computed: {problem}", name=side.name,
                            problem=tr.describe(document.problem)))
                return
        key = (before.state, after.state, quantity)
        if key != self._key:
            self._key, self.found = key, attribute(first.scenario, second.scenario, quantity)
        if self.found is None:
            without = first.name if self._has_none(before, quantity) else second.name
            self.say(tr("{name} has no {quantity}: it does not say enough of what was measured.", name=without,
                        quantity=tr(QUANTITY_NAMES[quantity])))
            return
        self._show(self.found, first, second)

    @staticmethod
    def _has_none(document: Document, quantity: Quantity) -> bool:
        return document.result is None or value_of(document.result, quantity) is None

    def _show(self, found: Attribution, first: Side, second: Side) -> None:
        tr, quantity = self.services.language.tr, found.quantity
        words = comparison.headline(found, first, second, tr)
        lines = [words] + ([comparison.product_sentence(first, second, tr)] if quantity == "mfu" else [])
        self.words.setText("\n".join(line for line in lines if line))
        labels = [comparison.part_text(part.keys, first, second, tr) for part in found.parts]
        steps = [Step(label, part.amount, comparison.amount_text(part.amount, quantity, tr))
                 for label, part in zip(labels, found.parts, strict=True) if part.amount]
        start = Step(first.name, found.before, comparison.quantity_text(found.before, quantity, tr))
        end = Step(second.name, found.after, comparison.quantity_text(found.after, quantity, tr))
        self.chart.show_steps(words, start, steps, end)
        rows = [start, *steps, end]
        self.table.show_rows([Cells(str(number), (row.label, row.text), (row.label, float(row.value)),
                                    bold=number in (0, len(rows) - 1)) for number, row in enumerate(rows)])
        idle = [label for label, part in zip(labels, found.parts, strict=True) if not part.amount]
        remarks = [tr("Without effect: {fields}.", fields=tr.join(idle))] if idle else []
        self.remarks.setText("\n".join([*remarks, tr(_HOW)] if len(steps) > 1 else remarks))
        self._arrange(True)

    def retranslate(self) -> None:
        tr = self.services.language.tr
        self.model.set_heads((tr("Difference"), tr("Amount")))
        self.table.setAccessibleName(tr("Where the change comes from"))


class SensitivityView(ChartView):
    """One scenario: how far the target moves with each input alone."""

    def __init__(self, services: Services) -> None:
        self.chart = Tornado(services)
        super().__init__(services, self.chart, "compare.sensitivity")
        self.found: Sensitivities | None = None
        self._key: tuple[State, Target] | None = None

    def refresh(self, document: Document, target: Target) -> None:
        """Show what ``target`` is sensitive to."""
        tr = self.services.language.tr
        if document.problem is not None:
            self.say(tr.describe(document.problem))
            return
        key = (document.state, target)
        try:
            if key != self._key or self.found is None:
                self.found, self._key = sensitivities(document.scenario, target), key
        except InputError as error:
            self.found, self._key = None, None
            self.say(tr.sentence(error.code, error.values))
            return
        self._show(self.found, side_of(document, tr("Untitled")))

    def _show(self, found: Sensitivities, side: Side) -> None:
        tr = self.services.language.tr
        moving = [each for each in found.inputs if each.swing(found.base) > 1e-9 * abs(found.base)]
        idle = [each for each in found.inputs if each not in moving]
        name = tr(TARGET_NAMES[found.target])
        words = tr("{target} of {name}: {value}.", target=name, name=side.name, value=self._value(found.base))
        if moving:
            strongest = tr.join([tr(each.label) for each in moving[:3]])
            words += ("" if tr.language == "zh" else " ") + tr("It moves most with: {inputs}.", inputs=strongest)
        self.words.setText(words)
        bars = [Bar(self._label(each), None if each.low is None else each.low.target,
                    None if each.high is None else each.high.target, self._ends(each)) for each in moving]
        self.chart.show_bars(words, found.base, bars)
        self.table.show_rows([self._row(each, found.base) for each in found.inputs])
        self.remarks.setText("\n".join(self._remarks(found, idle)))
        self._arrange(True)

    def _remarks(self, found: Sensitivities, idle: Sequence[Sensitivity]) -> list[str]:
        tr = self.services.language.tr
        lines = [tr("Each input moves alone, by 10% or to the nearest whole number that still divides.")]
        held = BY_KEY[f"run.measured.{found.held}"]
        if found.target == "mfu":
            lines.append(tr("What was measured stays while another input moves: {quantity}.", quantity=tr(held.label)))
        else:
            lines.append(tr("The MFU stays while another input moves; time is computed from it."))
        if self.form == "chart":
            lines.append(tr("Hatched: the smaller input; full: the larger one."))
        if idle:
            lines.append(tr("Without effect: {fields}.", fields=tr.join([tr(each.label) for each in idle])))
        return lines

    def show_as(self, form: str) -> None:
        super().show_as(form)
        if self.found is not None and self.model.rows:
            idle = [each for each in self.found.inputs if each.swing(self.found.base) <= 1e-9 * abs(self.found.base)]
            self.remarks.setText("\n".join(self._remarks(self.found, idle)))

    def _value(self, value: float | None) -> str:
        numbers = self.services.language.numbers
        if value is None:
            return DASH
        target = "mfu" if self._key is None else self._key[1]
        if target == "mfu":
            return numbers.percent(value, 1)
        return numbers.duration(value * 86400 if target == "days" else value)

    def _input(self, each: Sensitivity, value: float) -> str:
        numbers = self.services.language.numbers
        if each.kind == "integer":
            return numbers.integer(value)
        if each.kind == "fraction":
            return numbers.percent(value)
        if each.kind == "time":
            return numbers.duration(value, 4)
        return numbers.count(value, 4) if value >= 1e6 else numbers.short(value, 4)

    def _label(self, each: Sensitivity) -> str:
        tr = self.services.language.tr
        ends = [DASH if end is None else self._input(each, end.input) for end in (each.low, each.high)]
        return tr("{name}: {low} … {high}", name=tr(each.label), low=ends[0], high=ends[1])

    def _ends(self, each: Sensitivity) -> str:
        return " … ".join(DASH if end is None else self._value(end.target) for end in (each.low, each.high))

    def _row(self, each: Sensitivity, base: float) -> Cells:
        tr = self.services.language.tr

        def cells(end: End | None) -> tuple[tuple[str, str], tuple[float | None, float | None]]:
            if end is None:
                return (DASH, DASH), (None, None)
            return (self._input(each, end.input), self._value(end.target)), (end.input, end.target)

        (low, low_values), (high, high_values) = cells(each.low), cells(each.high)
        name = tr(each.label)
        return Cells(each.key, (name, self._input(each, each.input), *low, *high),
                     (name, each.input, *low_values, *high_values), partial(self._tip, each),
                     muted=each.swing(base) == 0)

    def _tip(self, each: Sensitivity) -> str:
        return f"{self._label(each)}\n{self._ends(each)}"

    def retranslate(self) -> None:
        tr = self.services.language.tr
        self.model.set_heads((tr("Input"), tr("Now"), tr("Smaller"), tr("Result"), tr("Larger"), tr("Result")))
        self.table.setAccessibleName(tr("Sensitivity"))


def side_of(document: Document, untitled: str) -> Side:
    """A document as a side of a comparison; without a result while it has a problem."""
    return Side(document.scenario.name or untitled, document.scenario,
                None if document.problem is not None else document.result)
