"""DifferencePane: why two conventions differ, as a waterfall or as a table."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QStackedWidget, QVBoxLayout, QWidget

from mfu_gui.engine.compare import ConventionRow
from mfu_gui.engine.scenario import Scenario
from mfu_gui.texts import N_
from mfu_gui.ui.charts.waterfall import Number, Step, Waterfall
from mfu_gui.ui.differences import DIGITS, Comparison, compared, headline, pair
from mfu_gui.ui.services import Services
from mfu_gui.ui.tabs.table_model import Cells, TableModel
from mfu_gui.ui.tabs.table_view import TableView
from mfu_gui.ui.widgets.card import plain_label
from mfu_gui.ui.widgets.segments import Segments

HINT = N_("Select a row to see why it differs from the chosen convention; select two (Ctrl+click) to see why they "
          "differ from each other.")


class DifferencePane(QWidget):
    """Shows what ``show_pair`` is given; without a pair it says how to get one."""

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.services = services
        self.comparison: Comparison | None = None
        self.words = plain_label(wrap=True)
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.words.setObjectName("difference.words")
        self.segments = Segments(services.theme, (("chart", "bars"), ("table", "table")))
        self.segments.set_value("chart")
        self.segments.chosen.connect(self.show_as)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.words, 1)
        head.addWidget(self.segments, 0, Qt.AlignmentFlag.AlignTop)
        self.chart = Waterfall(services)
        self.chart.setObjectName("difference.chart")
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 4, 0)
        column.addWidget(self.chart)
        column.addStretch(1)
        scroll.setWidget(content)
        scroll.viewport().setAutoFillBackground(False)
        content.setAutoFillBackground(False)
        self.model = TableModel(parent=self)
        self.table = TableView(services, self.model, least=120)
        self.hint = plain_label(tone="muted", wrap=True)
        self.hint.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.stack = QStackedWidget()
        for page in (scroll, self.table, self.hint):
            self.stack.addWidget(page)
        self._form: QWidget = scroll
        self._forms: dict[str, QWidget] = {"chart": scroll, "table": self.table}
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 6, 0, 0)
        layout.setSpacing(4)
        layout.addLayout(head)
        layout.addWidget(self.stack, 1)
        self._show_hint("")

    def show_as(self, form: str) -> None:
        """Show ``chart`` or ``table``."""
        self._form = self._forms[form]
        self.segments.set_value(form)
        if self.comparison is not None:
            self._fill_table()
            self.stack.setCurrentWidget(self._form)

    def show_pair(self, scenario: Scenario, rows: tuple[ConventionRow, ...], selected: tuple[str, ...]) -> None:
        """Compare the selected rows."""
        tr = self.services.language.tr
        found = pair(selected, rows, scenario.convention.id)
        if found is None:
            self._show_hint(tr(HINT))
            return
        by_id = {row.id: row for row in rows}
        undefined = next((by_id[key] for key in found if by_id[key].flops_per_token is None), None)
        if undefined is not None:
            self._show_hint(f"{undefined.id}: {tr(undefined.reason)}")
            return
        self._show(compared(scenario, *found, tr))

    def _show_hint(self, text: str) -> None:
        self.comparison = None
        self.words.hide()
        self.segments.hide()
        self.hint.setText(text)
        self.stack.setCurrentWidget(self.hint)

    def _show(self, comparison: Comparison) -> None:
        tr, numbers = self.services.language.tr, self.services.language.numbers
        self.comparison = comparison
        text = headline(comparison, tr)
        self.words.setText(text)
        start = Step(comparison.start_title, comparison.start, numbers.si(comparison.start, 4, "FLOP"))
        end = Step(comparison.end_title, comparison.end, numbers.si(comparison.end, 4, "FLOP"))
        steps = [Step(part.sentence, part.flops_per_token, part.amount,
                      partial(self._tip, part.sentence, part.flops_per_token)) for part in comparison.parts]
        self.chart.show_steps(text, start, steps, end)
        self._fill_table()
        self.words.show()
        self.segments.show()
        self.stack.setCurrentWidget(self._form)

    def _fill_table(self) -> None:
        """The same as rows with all digits, while they are looked at."""
        if self._form is not self.table:
            return
        short, steps = self.services.language.numbers.short, self.chart.rows
        self.table.show_rows([
            Cells(str(number), (step.label, short(step.value, DIGITS)), (step.label, step.value),
                  partial(self._tip, step.label, step.value), bold=number in (0, len(steps) - 1))
            for number, step in enumerate(steps)])

    def _tip(self, label: str, value: Number) -> str:
        return self.services.language.tr("{what}\n{amount} FLOPs per token", what=label,
                                         amount=self.services.language.numbers.short(value, DIGITS))

    def retranslate(self) -> None:
        """Write the texts again that do not depend on what is compared."""
        tr = self.services.language.tr
        self.segments.set_tip("chart", tr("Show as a waterfall"))
        self.segments.set_tip("table", tr("Show as a table"))
        self.model.set_heads((tr("Term"), tr("FLOPs per token")))
        self.table.setAccessibleName(tr("Difference"))
        if self.comparison is None:
            self._show_hint(tr(HINT))
