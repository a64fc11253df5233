"""The run panel: sequence, batch, and what is computed twice."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QWidget

from mfu_gui.engine.fields import RECOMPUTE_CHOICES, RUN_FIELDS
from mfu_gui.ui.panels.batch_order import BatchOrder
from mfu_gui.ui.panels.layout import LayoutPart
from mfu_gui.ui.panels.panel import Panel, Special
from mfu_gui.ui.panels.training import TrainingPart
from mfu_gui.ui.services import Services
from mfu_gui.ui.workspace import Document


class RunPanel(Panel):
    """How the model is trained."""

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        self.order = BatchOrder()
        special: Special = {
            "run.global_batch": {"extra": self._batch_unit, "put": partial(self.order.put, "global_batch")},
            "run.recompute": {"choices": self._recompute},
        }
        super().__init__(services, RUN_FIELDS, special, parent)
        self.layout_part = LayoutPart(services, self.order)
        self.training_part = TrainingPart(services)
        self.body.addWidget(self.training_part)
        self.body.addWidget(self.layout_part)
        self.start()

    def retranslate(self) -> None:
        self.set_title(self.services.language.tr("Run"))
        self.training_part.retranslate()
        self.layout_part.retranslate()
        super().retranslate()

    def refresh(self, document: Document) -> None:
        super().refresh(document)
        self.training_part.refresh(document)
        self.layout_part.refresh(document)
        result, tr = document.result, self.services.language.tr
        tokens = None if result is None else result.tokens_per_step
        count = self.services.language.numbers.count
        self.note.setText("" if tokens is None else tr("{tokens} tokens per step", tokens=count(tokens)))

    def _batch_unit(self, document: Document) -> str:
        tr = self.services.language.tr
        return tr("follows") if self.order.follower(document) == "global_batch" else tr("sequences")

    def _recompute(self, document: Document) -> list[tuple[object, str]]:
        tr = self.services.language.tr
        short = {"palm": tr("PaLM (75%)"), "korthikanti-printed": tr("as Korthikanti printed")}
        choices: list[tuple[object, str]] = [(value, short.get(value) or tr(label))
                                             for value, label in RECOMPUTE_CHOICES]
        choices.append(("", tr("by component…")))
        return choices
