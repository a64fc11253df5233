"""How a model is trained beyond the usual: a part of the run panel that is folded until it is wanted."""

from __future__ import annotations

from collections.abc import Callable
from weakref import ref

from PySide6.QtWidgets import QWidget

from mfu_gui.engine.fields_training import RECOMPUTE_PREFIX, TRAINING_FIELDS, trained
from mfu_gui.engine.run import Recompute
from mfu_gui.engine.scenario import Scenario
from mfu_gui.texts import N_, Translator
from mfu_gui.ui.panels.folded import FoldedPart
from mfu_gui.ui.services import Services
from mfu_gui.ui.workspace import Document


def training_summary(scenario: Scenario, tr: Translator) -> str:
    """What is not as usual, in a few words: ``LoRA r 16 · flash · 3 documents``."""
    run, parts = scenario.run, []
    what = trained(scenario)
    if what == "lora" and run.trainable != "full":
        parts.append(tr("LoRA r {n}", n=run.trainable.lora_rank or 0))
    elif what == "frozen" and run.trainable != "full" and run.trainable.frozen:
        parts.append(tr("frozen: {parts}", parts=", ".join(run.trainable.frozen)))
    if run.attention_kernel is not None:
        parts.append(run.attention_kernel)
    if run.multi_token_prediction:
        parts.append(f"MTP {run.multi_token_prediction}")
    if run.document_lengths is not None:
        parts.append(tr.plural("{n} document", "{n} documents", len(run.document_lengths)))
    return " · ".join(parts)


class TrainingPart(FoldedPart):
    """The fields of the training; choosing recomputation by component opens them."""

    TITLE = N_("Training details")
    FOLD = N_("Fold the training")
    UNFOLD = N_("Show the training: adapters, frozen parts, kernel, documents, recomputation by component")

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(services, "training", parent)
        self._by_component = False
        self._shown: Callable[[], Document | None] = lambda: None
        special = {field.key: {"placeholder": self._of_the_others} for field in TRAINING_FIELDS
                   if field.key.startswith(RECOMPUTE_PREFIX)}
        special[f"{RECOMPUTE_PREFIX}*"] = special[f"{RECOMPUTE_PREFIX}lm_head"] = {"placeholder": lambda document: "0"}
        self.set_fields(TRAINING_FIELDS, {
            **special, "run.recompute.layers": {"placeholder": self._all_layers}})

    def refresh(self, document: Document) -> None:
        """Show the training of ``document``; a problem, or choosing recomputation by component, opens it."""
        by_component = isinstance(document.scenario.run.recompute, Recompute)
        newly = by_component and not self._by_component and self._shown() is document
        self._by_component, self._shown = by_component, ref(document)
        if not self.opens_for(document, also=newly):
            self.show_fields(document, training_summary(document.scenario, self._services.language.tr))

    def forget(self) -> None:
        """Give up texts that could not be used."""
        self.form.forget()

    def _all_layers(self, document: Document) -> str:
        return str(document.scenario.model.main.layer_count())

    def _of_the_others(self, document: Document) -> str:
        """Percent of a component that is not named."""
        recompute = document.scenario.run.recompute
        share = recompute.repeat.get("*", 0.0) if isinstance(recompute, Recompute) else 0.0
        return self._services.language.numbers.short(100 * share)
