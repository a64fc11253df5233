"""The layout of a run over its devices: a part of the run panel that is folded until it is wanted."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from mfu_gui.engine.batch import Part, accumulation, replicas
from mfu_gui.engine.errors import InputError, Notice
from mfu_gui.engine.fields import BY_KEY, LAYOUT_FIELDS, N_
from mfu_gui.engine.run import Parallel, RunSpec
from mfu_gui.texts.numbers import DASH
from mfu_gui.ui import icons
from mfu_gui.ui.panels.batch_order import BatchOrder
from mfu_gui.ui.panels.form import Form
from mfu_gui.ui.services import Services
from mfu_gui.ui.widgets.card import plain_label
from mfu_gui.ui.widgets.elided_label import ElidedLabel
from mfu_gui.ui.widgets.link import Link
from mfu_gui.ui.workspace import Document

SHORT = (("tensor", "TP"), ("pipeline", "PP"), ("virtual_pipeline", "VP"), ("context", "CP"), ("expert", "EP"))
MOST_CHECKS = 3
HARMLESS = frozenset({"layers_by_stages"})
"""Frameworks do this all the time, and memory and step time are computed with it: a remark."""


def layout_summary(run: RunSpec) -> str:
    """The sizes that are not 1, as the field writes them: TP 8 · PP 4 · DP 16 · ZeRO 1."""
    parallel = run.parallel or Parallel()
    parts = [f"{short} {getattr(parallel, key)}" for key, short in SHORT if getattr(parallel, key) > 1]
    data = replicas(run)
    if data is not None:
        parts.append(f"DP {data:,}")
    if parallel.zero_stage:
        parts.append(f"ZeRO {parallel.zero_stage}")
    return " · ".join(parts)


def layout_problems(document: Document) -> tuple[Notice, ...]:
    """What does not divide, with offers of what does."""
    from mfu_gui.planning.layout import layout_of
    from mfu_gui.planning.layout_checks import layout_notices
    from mfu_gui.planning.memory_fields import memory_spec

    scenario = document.scenario
    if scenario.run.parallel is None and scenario.run.micro_batch is None:
        return ()
    try:
        spec = memory_spec(scenario)
    except InputError:
        return ()
    found = layout_notices(scenario.model, scenario.run, spec, layout_of(scenario.run, spec))
    return tuple(notice for notice in found if "offers" in notice.values)


class LayoutPart(QWidget):
    """Heading with a summary, and beneath it, once opened, the fields and what does not divide in them."""

    def __init__(self, services: Services, order: BatchOrder, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._order = order
        self.opened = False
        self._shown: object = None
        self.title = plain_label(tone="muted")
        self.summary = ElidedLabel()
        self.summary.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.fold = QToolButton()
        self.fold.setObjectName("layout.fold")
        self.fold.setProperty("role", "flat")
        self.fold.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.fold.setFixedSize(20, 20)
        self.fold.clicked.connect(self.toggle)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.setContentsMargins(0, 4, 0, 0)
        head.addWidget(self.title)
        head.addWidget(self.summary, 1)
        head.addWidget(self.fold)
        self.form = Form(services, LAYOUT_FIELDS, {
            "run.micro_batch": {"placeholder": lambda document: "1", **self._part("micro_batch")},
            "run.accumulation": {"placeholder": self._accumulation, **self._part("accumulation")},
            "run.replicas": {"placeholder": lambda document: DASH, **self._part("replicas")},
        })
        self.form.hide()
        self.checks = QVBoxLayout()
        self.checks.setSpacing(1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(2)
        outer.addLayout(head)
        outer.addWidget(self.form)
        outer.addLayout(self.checks)
        for label in (self.title, self.summary):
            label.installEventFilter(self)
        services.theme.changed.connect(self._restyle)
        self._restyle()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseButtonRelease:
            self.toggle()
            return True
        return super().eventFilter(watched, event)

    def retranslate(self) -> None:
        """Write all texts again."""
        self._shown = None
        self.title.setText(self._services.language.tr("Layout"))
        self.form.retranslate()
        self._name_fold()

    def toggle(self) -> None:
        """Open or fold."""
        self.open(not self.opened)

    def open(self, opened: bool) -> None:
        """Show the fields or not."""
        if opened != self.opened:
            self.opened = opened
            self._restyle()
            self._name_fold()
            if not self._services.workspace.is_empty:
                self.refresh(self._services.workspace.active)

    def refresh(self, document: Document) -> None:
        """Show the layout of ``document``."""
        place = document.state.place
        if not self.opened and any(b.field.key in document.invalid or b.field.key == place for b in self.form.bindings):
            self.open(True)
            return
        problems = layout_problems(document)
        summary = layout_summary(document.scenario.run)
        wrong = any(notice.code not in HARMLESS for notice in problems)
        self.summary.setText(f"⚠ {summary}" if wrong and not self.opened else summary)
        if self.opened:
            self.form.refresh(document)
        if self.form.isHidden() is self.opened:
            self.form.setVisible(self.opened)
        self._show_checks(document, problems if self.opened else ())

    def _show_checks(self, document: Document, problems: tuple[Notice, ...]) -> None:
        key = (id(document), problems)
        if key == self._shown:
            return
        self._shown = key
        _clear(self.checks)
        tr = self._services.language.tr
        for notice in problems[:MOST_CHECKS]:
            tone = "muted" if notice.code in HARMLESS else "warning"
            label = plain_label(tr.sentence(notice.code, notice.values), tone, small=True, wrap=True)
            self.checks.addWidget(label)
            row = QHBoxLayout()
            row.setSpacing(12)
            field = BY_KEY.get(notice.field)
            name = "" if field is None else tr(field.label)
            for number, offer in enumerate(notice.values["offers"] if name else ()):
                link = Link(self._services.theme, f"{offer:,}" if number else f"{name} {offer:,}",
                            partial(self._take, notice.field, offer))
                link.setAccessibleName(f"{name} {offer:,}")
                row.addWidget(link)
            row.addStretch(1)
            self.checks.addLayout(row)

    def _take(self, key: str, value: int) -> None:
        from mfu_gui.planning.memory_fields import with_offer

        workspace = self._services.workspace
        document = workspace.active
        workspace.edit(document, key, with_offer(document.scenario, key, value), label=N_("Choose layout"))

    def _accumulation(self, document: Document) -> str:
        """Where it is no whole number, what it would be."""
        run = document.scenario.run
        data = replicas(run)
        if accumulation(run) is not None or data is None or run.global_batch is None:
            return DASH
        return self._services.language.numbers.short(run.global_batch / (data * (run.micro_batch or 1)))

    def _part(self, part: Part) -> dict[str, object]:
        """What is special about one of the four that the batch is made of."""
        return {"put": partial(self._order.put, part),
                "extra": lambda document: self._services.language.tr("follows")
                if self._order.follower(document) == part else ""}

    def _name_fold(self) -> None:
        tr = self._services.language.tr
        text = tr("Fold the layout") if self.opened else tr("Show the layout: parallelism, micro-batch, ZeRO")
        self.fold.setToolTip(text)
        self.fold.setAccessibleName(text)

    def _restyle(self) -> None:
        self.fold.setIcon(icons.icon("fold" if self.opened else "unfold", self._services.theme.color("muted")))


def _clear(layout: QVBoxLayout | QHBoxLayout) -> None:
    """Take everything out of a layout."""
    while (item := layout.takeAt(0)) is not None:
        inner = item.layout()
        if isinstance(inner, QVBoxLayout | QHBoxLayout):
            _clear(inner)
        widget = item.widget()
        if widget is not None:
            widget.hide()
            widget.deleteLater()
