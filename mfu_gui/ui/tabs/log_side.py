"""Beside the picture of a log: its figures, how the log's own MFU compares, the warm-up, what is asked and remarked."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace
from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.fields import with_measured
from mfu_gui.engine.scenario import Scenario
from mfu_gui.formats.explain_json import explanation_sentence
from mfu_gui.formats.log_text import AVERAGES
from mfu_gui.ui import fonts
from mfu_gui.ui.explaining import Kind, Search, reported_as
from mfu_gui.ui.log_actions import MEAN, MEDIAN, WALL, header_of, header_words, take_header, use_measured, with_header
from mfu_gui.ui.log_data import LogView, Outliers
from mfu_gui.ui.log_import import LogImport
from mfu_gui.ui.services import Services
from mfu_gui.ui.theme import SMALL
from mfu_gui.ui.widgets.card import plain_label
from mfu_gui.ui.widgets.choice_box import ChoiceBox
from mfu_gui.ui.widgets.emptied import delete_all
from mfu_gui.ui.widgets.link import Link
from mfu_gui.ui.widgets.number_edit import NumberEdit

WIDTH = 300
_EXPLAIN_AFTER_MS = 250
_MOST_REMARKS = 12
_HALF_OF_SHARE = 5e-4
"""A median of printed MFU is taken to a tenth of a percent."""
_HALF_OF_RATE = 2e-3


class Row:
    """Name, value and a link that makes it the measured value."""

    def __init__(self, grid: QGridLayout, number: int, services: Services) -> None:
        self.name = plain_label(tone="muted", small=True)
        self.value = plain_label(small=True)
        self.value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.link = Link(services.theme, "", self._use)
        self.link.setFont(fonts.font(SMALL))
        self._action: Any = None
        grid.addWidget(self.name, number, 0)
        grid.addWidget(self.value, number, 1, Qt.AlignmentFlag.AlignRight)
        grid.addWidget(self.link, number, 2)

    def _use(self) -> None:
        if self._action is not None:
            self._action()

    def show(self, name: str, value: str, action: Any = None, caption: str = "", accessible: str = "") -> None:
        """Fill the row; without a value it is hidden."""
        self.name.setText(name)
        self.value.setText(value)
        self._action = action
        self.link.setText(caption)
        self.link.setAccessibleName(accessible or caption)
        for widget in (self.name, self.value):
            widget.setVisible(bool(value))
        self.link.setVisible(bool(value) and action is not None)


class LogSide(QScrollArea):
    """``cut_chosen(steps or None)``: the warm-up was set; ``answered(name, value)``: a question was answered."""

    cut_chosen = Signal(object)
    answered = Signal(str, str)
    columns_wanted = Signal()

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.services = services
        self.setObjectName("log.side")
        self.setWidgetResizable(True)
        self.setFrameShape(self.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFixedWidth(WIDTH)
        self._explained: Scenario | None = None
        self._asked: Scenario | None = None
        self._half = 0.0
        self._questions: tuple[Any, ...] = ()
        self.search = Search(self)
        self.search.found.connect(self._found)
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(_EXPLAIN_AFTER_MS)
        self._later.timeout.connect(self._explain)
        self.viewport().setAutoFillBackground(False)
        content = QWidget()
        content.setAutoFillBackground(False)
        column = QVBoxLayout(content)
        column.setContentsMargins(12, 2, 8, 8)
        column.setSpacing(6)
        grid = QGridLayout()
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(2)
        grid.setColumnStretch(0, 1)
        self.rows = [Row(grid, number, services) for number in range(9)]
        column.addLayout(grid)
        self.reason = plain_label(small=True, wrap=True)
        self.reason.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        column.addWidget(self.reason)
        column.addWidget(_rule())
        column.addLayout(self._warm_up_row())
        self.odd = plain_label(tone="muted", small=True, wrap=True)
        column.addWidget(self.odd)
        self.header_text = plain_label(small=True, wrap=True)
        self.header_link = Link(services.theme, "", self._take_header)
        column.addWidget(self.header_text)
        column.addWidget(self.header_link)
        self._asking = QVBoxLayout()
        self._asking.setSpacing(4)
        column.addLayout(self._asking)
        self.columns_link = Link(services.theme, "", self.columns_wanted.emit)
        column.addWidget(self.columns_link)
        self.remarks = plain_label(tone="muted", small=True, wrap=True)
        self.remarks.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        column.addWidget(self.remarks)
        column.addStretch(1)
        self.setWidget(content)
        content.setAutoFillBackground(False)
        self._log: LogImport | None = None
        self._header: dict[str, Any] = {}

    def _warm_up_row(self) -> QHBoxLayout:
        self.warm_label = plain_label(tone="muted", small=True)
        self.warm = NumberEdit("integer", minimum=0)
        self.warm.setObjectName("log.warm_up")
        self.warm.setFixedWidth(76)
        self.warm.edited.connect(lambda value, _burst: self.cut_chosen.emit(None if value is None else int(value)))
        self.auto = Link(self.services.theme, "", lambda: self.cut_chosen.emit(None))
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.warm_label, 1)
        row.addWidget(self.warm)
        row.addWidget(self.auto)
        return row

    # What is shown

    def refresh(self, log: LogImport, view: LogView | None, first: int, found: Outliers, *, chosen: bool) -> None:
        """Show a log as the present scenario reads it; ``first`` is the first step in the figures."""
        tr = self.services.language.tr
        self._log = log
        self.warm_label.setText(tr("Steps left out at the beginning"))
        self.warm.setAccessibleName(tr("Steps left out at the beginning"))
        if not self.warm.hasFocus() or self.warm.value != first:
            self.warm.set_value(first)
        self.auto.setText(tr("reset") if chosen else "")
        self.auto.setVisible(chosen)
        self._show_figures(log, view, first)
        self._show_odd(log, first, found)
        self._show_header(view)
        self._show_questions(log)
        self.columns_link.setText(tr("Which column is what…"))
        self.columns_link.setVisible(log.data.document.get("mapping") is not None
                                     or bool(log.data.document.get("unused_names")))
        self._show_remarks(log, view)

    def _show_figures(self, log: LogImport, view: LogView | None, first: int) -> None:
        tr, number = self.services.language.tr, self.services.language.numbers
        rows = iter(self.rows)
        data = log.data
        key = "step_time_s" if data.column("step_time_s") is not None else "tokens_per_s_per_device"
        steady = data.figures(key, first)
        clock = data.wall_average(first) if key == "step_time_s" else None

        def write(value: float) -> str:
            return number.duration(value, 4) if key == "step_time_s" else f"{number.short(value, 4)} {tr('tokens/s')}"

        use = tr("use")
        what = tr("Step time") if key == "step_time_s" else tr("Tokens/s")
        if steady is not None:
            for name, value, label in ((tr("{what}, median", what=what), steady.median, MEDIAN),
                                       (tr("Mean"), steady.mean, MEAN), (tr("Wall average"), clock, WALL)):
                if value is None:
                    continue
                words = tr("Use {name} as the measured value", name=name)
                next(rows).show(name, write(value), self._user(key, value, label), use, words)
            next(rows).show("5 … 95%", f"{write(steady.percentiles[0])} … {write(steady.percentiles[4])}")
        ours = view.figures(first) if view is not None else None
        if ours is not None:
            next(rows).show(tr("{what}, median", what="MFU"), number.percent(ours.median, 2))
            next(rows).show("5 … 95%", f"{number.percent(ours.percentiles[0], 1)} … "
                                              f"{number.percent(ours.percentiles[4], 1)}")
        self._show_printed(rows, log, view, first)
        for row in rows:
            row.show("", "")

    def _user(self, key: str, value: float, label: str) -> Any:
        workspace = self.services.workspace
        return lambda: use_measured(workspace, workspace.active, key, value, label)

    def _show_printed(self, rows: Any, log: LogImport, view: LogView | None, first: int) -> None:
        tr, number = self.services.language.tr, self.services.language.numbers
        data = log.data
        self._asked = None
        for name, kind in (("reported_mfu_instant", "mfu"), ("reported_mfu", "mfu"),
                           ("reported_tflops_per_device", "tflops_per_device"),
                           ("reported_hardware_tflops_per_device", "tflops_per_device")):
            printed = data.figures(name, first)
            if printed is None:
                continue
            about = data.document.get("columns", {}).get(name, {})
            average = AVERAGES.get(about.get("average", ""), "")
            text = number.percent(printed.median, 2) if kind == "mfu" else f"{number.short(printed.median, 4)} TFLOP/s"
            row = next(rows)
            row.show(tr("The log prints"), text)
            row.name.setToolTip(tr(average) if average else "")
            self._ask(view, first, kind, printed.median)  # type: ignore[arg-type]
            break
        if self._asked is None:
            self.reason.hide()

    def _ask(self, view: LogView | None, first: int, kind: Kind, printed: float) -> None:
        """Have it explained why the log prints another figure than ours, a little later."""
        rate = view.rate_figures(first) if view is not None else None
        if view is None or rate is None:
            return
        value = round(printed, 4) if kind == "mfu" else float(f"{printed:.4g}")
        self._half = _HALF_OF_SHARE if kind == "mfu" else _HALF_OF_RATE * value
        scenario = view.scenario
        if view.rebased.sequence_length != scenario.run.sequence_length:
            run = replace(scenario.run, sequence_length=view.rebased.sequence_length, document_lengths=None)
            scenario = replace(scenario, run=run)
        scenario = with_measured(scenario, "tokens_per_s_per_device", rate.median * view.rebased.units)
        asked = replace(scenario, reported=reported_as(kind, value))
        self._asked = asked
        if asked != self._explained:
            self.reason.hide()
            self._later.start()

    def _explain(self) -> None:
        if self._asked is not None:
            self._explained = self._asked
            self.search.look(self._asked, self._half)

    def _found(self, explanations: list[Any], error: InputError | None) -> None:
        tr = self.services.language.tr
        if self._asked is None or error is not None:
            self.reason.hide()
            return
        text = explanation_sentence(explanations[0], tr) if explanations else tr(
            "No way of counting gives what the log prints; devices, batch or sequence length may differ.")
        self.reason.setText(text)
        self.reason.show()

    def _show_odd(self, log: LogImport, first: int, found: Outliers) -> None:
        tr, number = self.services.language.tr, self.services.language.numbers
        words = []
        if len(found.slow):
            words.append(tr.plural("{n} slow step", "{n} slow steps", len(found.slow)))
        if len(found.fast):
            words.append(tr.plural("{n} fast step", "{n} fast steps", len(found.fast)))
        if len(found.stalls):
            words.append(tr.plural("{n} stall", "{n} stalls", len(found.stalls)))
        statistics = log.data.document.get("statistics", {})
        pauses = [event for event in statistics.get("stalls_and_pauses", []) if event["kind"] == "pause"]
        if pauses:
            words.append(tr.plural("{n} pause", "{n} pauses", len(pauses)))
        if statistics.get("lost_s"):
            words.append(tr("{time} lost to stalls and pauses", time=number.duration(statistics["lost_s"], 3)))
        ramp = statistics.get("ramp_up")
        if ramp:
            words.append(tr("batch ramp-up until step {step:integer}", step=ramp["until_step"]))
        self.odd.setText(" · ".join(words))
        self.odd.setVisible(bool(words))

    def _show_header(self, view: LogView | None) -> None:
        tr = self.services.language.tr
        self._header = header_of(view) if view is not None else {}
        differs = bool(view is not None and self._header and with_header(view.scenario, self._header) != view.scenario)
        self.header_text.setText(tr("The log says: {words}", words=header_words(self._header, tr)) if differs else "")
        self.header_text.setVisible(differs)
        self.header_link.setText(tr("Take over into the scenario"))
        self.header_link.setVisible(differs)

    def _take_header(self) -> None:
        take_header(self.services.workspace, self.services.workspace.active, self._header)

    def _show_questions(self, log: LogImport) -> None:
        """Metrics with several meanings; what is missing of devices and sizes comes from the scenario."""
        tr = self.services.language.tr
        asked = [question for question in log.data.document.get("questions", [])
                 if question["key"] not in ("devices", "sequence_length", "global_batch")]
        key = tuple((question["key"], log.answers.get(question["key"]), tr.language) for question in asked)
        if key == self._questions:
            return
        self._questions = key
        delete_all(self._asking)
        for question in asked:
            label = plain_label(question["message"], small=True, wrap=True)
            box = ChoiceBox(self.services.theme)
            box.setObjectName(f"log.question.{question['key']}")
            box.setAccessibleName(question["message"])
            box.set_choices([(choice["value"], _readable(choice["value"])) for choice in question["choices"]])
            box.set_value(log.answers.get(question["key"], question["choices"][0]["value"]))
            name = question["key"]
            box.chosen.connect(lambda value, name=name: self.answered.emit(name, value))
            self._asking.addWidget(label)
            self._asking.addWidget(box)

    def _show_remarks(self, log: LogImport, view: LogView | None) -> None:
        tr = self.services.language.tr
        words = [warning["message"] for warning in log.data.document.get("warnings", [])]
        if view is not None:
            words += [tr.sentence(notice.code, notice.values) for notice in view.rebased.notices]
            if view.devices_from_scenario:
                words.append(tr("The log does not say how many devices there are; the scenario's number counts."))
            if view.mfu is None and log.data.complete:
                words.append(tr("No MFU: the log has no speed of a device, and devices, batch or time are not known."))
        self.remarks.setText("\n".join(f"• {text}" for text in words[:_MOST_REMARKS]))
        self.remarks.setVisible(bool(words))


def _readable(meaning: str) -> str:
    name, _, unit = meaning.partition(":")
    return f"{name} ({unit})" if unit else name


def _rule() -> QLabel | QFrame:
    rule = QFrame()
    rule.setProperty("role", "rule")
    return rule
