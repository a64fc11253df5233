"""The Log tab: step time and MFU of training logs, read in a process of their own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QHBoxLayout,
    QProgressBar,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.scenario import Result
from mfu_gui.ui import icons, tips
from mfu_gui.ui.charts.log_shown import Marked, Shown
from mfu_gui.ui.log_data import LogView, Outliers
from mfu_gui.ui.log_import import LogImport
from mfu_gui.ui.services import Services
from mfu_gui.ui.tabs.log_side import LogSide
from mfu_gui.ui.tabs.no_logs import NoLogs
from mfu_gui.ui.widgets.card import plain_label
from mfu_gui.ui.widgets.choice_box import ChoiceBox
from mfu_gui.ui.widgets.elided_label import ElidedLabel
from mfu_gui.ui.widgets.link import Link
from mfu_gui.ui.widgets.segments import Segments
from mfu_gui.ui.workspace import ACTIVE, LOGS, Document

if TYPE_CHECKING:
    from mfu_gui.ui.charts.log_plot import LogPlot

_LARGE = 200_000
"""Steps from which a scenario that is being edited is waited for a moment."""
_NO_OUTLIERS = Outliers(*(np.empty(0, dtype=np.intp),) * 3)


class LogPage(QWidget):
    """Shows the logs of the active document: one chosen, the others as their medians."""

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.services = services
        self._active = False
        self._plot: LogPlot | None = None
        self._chosen: dict[Document, LogImport] = {}
        self._cuts: dict[LogImport, int] = {}
        self._drawn: LogImport | None = None
        self._quantity = "mfu"
        self._known: set[LogImport] = set()
        self._soon = QTimer(self, singleShot=True)
        self._soon.timeout.connect(self._redraw)
        self._stack = QStackedWidget()
        self.empty = NoLogs(services, self._open)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self._build_log())
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 4, 0, 0)
        layout.addWidget(self._stack)
        services.workspace.changed.connect(self._changed)
        services.language.changed.connect(self._language_changed)
        services.theme.changed.connect(self._restyle)
        application = QApplication.instance()
        if application is not None:
            application.aboutToQuit.connect(self.stop_all)
        self._restyle()
        self._retranslate()

    def _build_log(self) -> QWidget:
        services = self.services
        self.logs = ChoiceBox(services.theme)
        self.logs.setObjectName("log.chosen")
        self.logs.setMaximumWidth(220)
        self.logs.chosen.connect(self._choose)
        self.about = ElidedLabel()
        self.follow = QCheckBox()
        self.follow.setObjectName("log.follow")
        self.follow.clicked.connect(self._follow)
        self.segments = Segments(services.theme, (("mfu", ""), ("time", "")))
        self.segments.chosen.connect(self.show_quantity)
        self.segments.set_value("mfu")
        self.add = QToolButton()
        self.add.setProperty("role", "flat")
        self.add.clicked.connect(self._open)
        self.remove = QToolButton()
        self.remove.setProperty("role", "flat")
        self.remove.clicked.connect(self._remove)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.logs)
        head.addWidget(self.about, 1)
        head.addWidget(self.follow)
        head.addWidget(self.segments)
        head.addWidget(self.add)
        head.addWidget(self.remove)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(4)
        self.cancel = Link(services.theme, "", self._cancel)
        self._waiting = QWidget()
        wait = QHBoxLayout(self._waiting)
        wait.setContentsMargins(0, 0, 0, 0)
        wait.addWidget(self.bar, 1)
        wait.addWidget(self.cancel)
        self.message = plain_label(tone="error", wrap=True)
        self.columns_link = Link(services.theme, "", self._ask_columns)
        self._picture = QVBoxLayout()
        self._picture.setSpacing(0)
        self.side = LogSide(services)
        self.side.cut_chosen.connect(self.set_cut)
        self.side.answered.connect(self._answered)
        self.side.columns_wanted.connect(self._ask_columns)
        middle = QHBoxLayout()
        middle.setSpacing(0)
        middle.addLayout(self._picture, 1)
        middle.addWidget(self.side)
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(head)
        column.addWidget(self._waiting)
        column.addWidget(self.message)
        column.addWidget(self.columns_link)
        column.addLayout(middle, 1)
        column.addStretch()
        return page

    # What the user does

    def set_active(self, active: bool) -> None:
        """Draw only while looked at."""
        self._active = active
        self._redraw()

    def _open(self) -> None:
        action = self.window().findChild(QAction, "action.open_log")
        if isinstance(action, QAction):
            action.trigger()

    def open(self, paths: list[Path]) -> None:
        """Read these logs beside the active document."""
        workspace = self.services.workspace
        document = workspace.active
        logs = document.logs
        for path in paths:
            log = next((one for one in logs if one.path == path), None)
            if log is None:
                log = LogImport(path, self.services.language.code)
                logs = (*logs, log)
            self._know(log)
            log.start()
            self._chosen[document] = log
        if paths:
            workspace.set_logs(document, logs)

    def _know(self, log: LogImport) -> None:
        if log not in self._known:
            self._known.add(log)
            log.changed.connect(self._draw_soon)

    @property
    def chosen(self) -> LogImport | None:
        """The log that is looked at."""
        workspace = self.services.workspace
        if workspace.is_empty or not workspace.active.logs:
            return None
        found = self._chosen.get(workspace.active)
        return found if found in workspace.active.logs else workspace.active.logs[-1]

    def _choose(self, number: object) -> None:
        document = self.services.workspace.active
        if isinstance(number, int) and number < len(document.logs):
            self._chosen[document] = document.logs[number]
            self._redraw()

    def show_quantity(self, quantity: str) -> None:
        """Show ``mfu`` or ``time``."""
        self._quantity = quantity
        self.segments.set_value(quantity)
        self._redraw()

    def set_cut(self, steps: int | None) -> None:
        """Leave out so many steps at the beginning; None lets the program find them."""
        log = self.chosen
        if log is None:
            return
        if steps is None:
            self._cuts.pop(log, None)
        else:
            self._cuts[log] = min(max(0, steps), max(0, len(log.data) - 1))
        self._redraw()

    def _follow(self) -> None:
        if (log := self.chosen) is not None:
            log.set_follow(self.follow.isChecked())

    def _cancel(self) -> None:
        if (log := self.chosen) is not None:
            log.cancel()

    def _remove(self) -> None:
        log, document = self.chosen, self.services.workspace.active
        if log is not None:
            self._known.discard(log)
            self._cuts.pop(log, None)
            log.close()
            self.services.workspace.set_logs(document, tuple(one for one in document.logs if one is not log))

    def _answered(self, name: str, value: str) -> None:
        if (log := self.chosen) is not None:
            log.answers[name] = value
            log.start()

    def _ask_columns(self) -> None:
        from mfu_gui.ui.dialogs.log_columns import LogColumnsDialog

        if (log := self.chosen) is not None:
            LogColumnsDialog(self.services, log, self).open()

    def stop_all(self) -> None:
        """End all processes: the program ends."""
        for log in self._known:
            log.stop()

    # Drawing

    def _changed(self, document: Document, aspects: frozenset[str], result: Result | None) -> None:
        if LOGS in aspects:
            for log in document.logs:
                self._know(log)
        if not self._active or document is not self.services.workspace.active:
            return
        if aspects & {LOGS, ACTIVE}:
            self._redraw()
        elif aspects & {"model", "hardware", "run", "peak", "convention", "result"}:
            self._draw_soon()

    def _draw_soon(self) -> None:
        log = self.chosen
        if self._active and log is not None and not self._soon.isActive():
            self._soon.start(80 if len(log.data) > _LARGE else 0 if log.data.complete else 30)

    def _redraw(self) -> None:
        if not self._active or self.services.workspace.is_empty:
            return
        log = self.chosen
        self._stack.setCurrentIndex(0 if log is None else 1)
        if log is not None:
            self._show(log)

    def _show(self, log: LogImport) -> None:
        document = self.services.workspace.active
        self.logs.set_choices([(number, one.name) for number, one in enumerate(document.logs)])
        self.logs.set_value(document.logs.index(log))
        self.logs.setToolTip(tips.plain(str(log.path)))
        self.about.setText(self._about(log))
        self.follow.setChecked(log.follow)
        self._waiting.setVisible(log.busy)
        self.bar.setRange(0, 1000 if log.share >= 0 else 0)
        self.bar.setValue(round(1000 * max(0.0, log.share)))
        failed = log.state == "failed" or bool(log.error)
        self.message.setText(self._problem(log) if failed else "")
        self.message.setVisible(failed)
        self.columns_link.setVisible(failed and bool(log.names or log.mapping))
        view = self._view(log)
        first = self._cuts.get(log, log.data.warm_up)
        found = log.data.outliers(first) if log.data.complete else _NO_OUTLIERS
        self.side.setVisible(log.data.complete)
        if log.data.complete:
            self.side.refresh(log, view, first, found, chosen=log in self._cuts)
        if self._plot is not None:
            self._plot.setHidden(failed and not len(log.data))  # what is drawn in it would be of another log
        if not failed or len(log.data):
            self._draw(log, view, first, found)

    def _problem(self, log: LogImport) -> str:
        tr = self.services.language.tr
        if log.names and not log.mapping:
            return tr("None of the names in this table says a time or a speed: {names}", names=tr.join(log.names[:12]))
        return log.error or tr("The log could not be read.")

    def _about(self, log: LogImport) -> str:
        tr = self.services.language.tr
        words = [log.data.format_name] if log.data.format_name else []
        if log.data.complete:
            words.append(tr.plural("{n} step", "{n} steps", len(log.data)))
        if log.busy:
            words.append(tr("reading…"))
        elif log.state == "cancelled":
            words.append(tr("cancelled"))
        elif log.following:
            words.append(tr("following"))
        return " · ".join(words)

    def _view(self, log: LogImport) -> LogView | None:
        document = self.services.workspace.active
        if document.problem is not None or not len(log.data):
            return None
        try:
            return LogView(log.data, document.scenario)
        except InputError:
            return None

    def _draw(self, log: LogImport, view: LogView | None, first: int, found: Outliers) -> None:
        from mfu_gui.ui.charts.log_plot import LogPlot

        if self._plot is None:
            self._plot = LogPlot(self.services)
            self._plot.setObjectName("log.plot")
            self._plot.cut_moved.connect(self.set_cut)
            self._picture.addWidget(self._plot, 1)
            self._retranslate()
        plot, tr, number = self._plot, self.services.language.tr, self.services.language.numbers
        has_mfu = view is not None and view.mfu is not None
        printed = log.data.column("reported_mfu")
        quantity = self._quantity if has_mfu or printed is not None else "time"
        self.segments.set_value(quantity)
        main = self._shown(log, view, quantity)
        others = [shown for other in self.services.workspace.active.logs if other is not log
                  and (shown := self._shown(other, self._view(other), quantity)) is not None]
        ramp = (log.data.document.get("statistics") or {}).get("ramp_up")
        marked = Marked(first, found.slow, found.fast, found.stalls, ramp["until_step"] if ramp else None)

        def write(value: float, more: int = 0) -> str:
            return number.percent(value, 1 + more) if quantity == "mfu" else number.duration(value, 3 + more)

        fresh = self._drawn is not log or not log.data.complete
        self._drawn = log
        plot.show_logs(main, others, marked if log.data.complete else None, write, whole=fresh)
        name = tr("MFU over the steps") if quantity == "mfu" else tr("Step time over the steps")
        plot.setAccessibleName(name)
        plot.setAccessibleDescription(f"{log.name}, {self._about(log)}")

    def _shown(self, log: LogImport, view: LogView | None, quantity: str) -> Shown | None:
        steps = log.data.column("step")
        if steps is None or not len(steps):
            return None
        printed = log.data.column("reported_mfu")
        if quantity == "time":
            time = log.data.column("step_time_s")
            return None if time is None else Shown(steps, time, None, log.name)
        ours = view.mfu if view is not None else None
        if ours is None:
            return None if printed is None else Shown(steps, printed, None, log.name)
        return Shown(steps, ours, printed, log.name)

    # Words and colours

    def _language_changed(self) -> None:
        for log in self._known:
            log.language = self.services.language.code
            if log.data.complete and not log.busy:
                log.start()
        self._retranslate()
        self._redraw()

    def _retranslate(self) -> None:
        tr = self.services.language.tr
        self.empty.retranslate()
        self.logs.setAccessibleName(tr("Logs"))
        self.follow.setText(tr("Follow"))
        self.follow.setToolTip(tr("Go on reading while the file grows"))
        self.segments.set_text("mfu", "MFU")
        self.segments.set_text("time", tr("Step time"))
        for button, text in ((self.add, tr("Open log…")), (self.remove, tr("Take the log away"))):
            button.setToolTip(text)
            button.setAccessibleName(text)
        self.cancel.setText(tr("Cancel"))
        self.columns_link.setText(tr("Which column is what…"))
        self.bar.setAccessibleName(tr("Reading the log"))

    def _restyle(self) -> None:
        color = self.services.theme.color
        self.add.setIcon(icons.icon("add", color("text")))
        self.remove.setIcon(icons.icon("close", color("muted")))
        self._redraw()
