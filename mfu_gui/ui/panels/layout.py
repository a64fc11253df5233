"""The layout of a run over its devices: a part of the run panel that is folded until it is wanted."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from mfu_gui.engine.batch import Part, accumulation, replicas
from mfu_gui.engine.errors import InputError, Notice
from mfu_gui.engine.fields import BY_KEY, LAYOUT_FIELDS, N_
from mfu_gui.engine.run import Parallel, RunSpec
from mfu_gui.texts.numbers import DASH
from mfu_gui.ui.panels.batch_order import BatchOrder
from mfu_gui.ui.panels.folded import FoldedPart
from mfu_gui.ui.services import Services
from mfu_gui.ui.widgets.card import plain_label
from mfu_gui.ui.widgets.emptied import delete_all
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
    scenario = document.scenario
    if scenario.run.parallel is None and scenario.run.micro_batch is None:
        return ()
    # Not before it is needed: the window starts without.
    from mfu_gui.planning.layout import layout_of
    from mfu_gui.planning.layout_checks import layout_notices
    from mfu_gui.planning.memory_fields import memory_spec

    try:
        spec = memory_spec(scenario)
    except InputError:
        return ()
    found = layout_notices(scenario.model, scenario.run, spec, layout_of(scenario.run, spec))
    return tuple(notice for notice in found if "offers" in notice.values)


class LayoutPart(FoldedPart):
    """The fields of the layout, and beneath them what does not divide in them."""

    TITLE = N_("Layout")
    FOLD = N_("Fold the layout")
    UNFOLD = N_("Show the layout: parallelism, micro-batch, ZeRO")

    def __init__(self, services: Services, order: BatchOrder, parent: QWidget | None = None) -> None:
        super().__init__(services, "layout", parent)
        self._order = order
        self._shown: object = None
        self.set_fields(LAYOUT_FIELDS, {
            "run.micro_batch": {"placeholder": lambda document: "1", **self._part("micro_batch")},
            "run.accumulation": {"placeholder": self._accumulation, **self._part("accumulation")},
            "run.replicas": {"placeholder": lambda document: DASH, **self._part("replicas")},
        })
        self.checks = QVBoxLayout()
        self.checks.setSpacing(1)
        self.outer.addLayout(self.checks)

    def retranslate(self) -> None:
        """Write all texts again."""
        self._shown = None
        super().retranslate()

    def refresh(self, document: Document) -> None:
        """Show the layout of ``document``."""
        if self.opens_for(document):
            return
        problems = layout_problems(document)
        summary = layout_summary(document.scenario.run)
        wrong = any(notice.code not in HARMLESS for notice in problems)
        self.show_fields(document, f"⚠ {summary}" if wrong and not self.opened else summary)
        self._show_checks(document, problems if self.opened else ())

    def _show_checks(self, document: Document, problems: tuple[Notice, ...]) -> None:
        key = (id(document), problems)
        if key == self._shown:
            return
        self._shown = key
        delete_all(self.checks)
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
