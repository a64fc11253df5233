"""How a model is trained beyond the usual: a part of the run panel that is folded until it is wanted."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from mfu_gui.engine.fields_training import RECOMPUTE_PREFIX, TRAINING_FIELDS, trained
from mfu_gui.engine.run import Recompute
from mfu_gui.engine.scenario import Scenario
from mfu_gui.texts import Translator
from mfu_gui.ui import icons
from mfu_gui.ui.panels.form import Form
from mfu_gui.ui.services import Services
from mfu_gui.ui.widgets.card import plain_label
from mfu_gui.ui.widgets.elided_label import ElidedLabel
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


class TrainingPart(QWidget):
    """Heading with a summary, and beneath it, once opened, the fields."""

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self.opened = False
        self._by_component = False
        self.title = plain_label(tone="muted")
        self.summary = ElidedLabel()
        self.summary.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.fold = QToolButton()
        self.fold.setObjectName("training.fold")
        self.fold.setProperty("role", "flat")
        self.fold.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.fold.setFixedSize(20, 20)
        self.fold.clicked.connect(lambda: self.open(not self.opened))
        head = QHBoxLayout()
        head.setSpacing(8)
        head.setContentsMargins(0, 4, 0, 0)
        head.addWidget(self.title)
        head.addWidget(self.summary, 1)
        head.addWidget(self.fold)
        special = {field.key: {"placeholder": self._of_the_others} for field in TRAINING_FIELDS
                   if field.key.startswith(RECOMPUTE_PREFIX)}
        special[f"{RECOMPUTE_PREFIX}*"] = special[f"{RECOMPUTE_PREFIX}lm_head"] = {"placeholder": lambda document: "0"}
        self.form = Form(services, TRAINING_FIELDS, {
            **special, "run.recompute.layers": {"placeholder": self._all_layers}})
        self.form.hide()
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(2)
        outer.addLayout(head)
        outer.addWidget(self.form)
        for label in (self.title, self.summary):
            label.installEventFilter(self)
        services.theme.changed.connect(self._restyle)
        self._restyle()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseButtonRelease:
            self.open(not self.opened)
            return True
        return super().eventFilter(watched, event)

    def retranslate(self) -> None:
        """Write all texts again."""
        self.title.setText(self._services.language.tr("Training details"))
        self.form.retranslate()
        self._name_fold()

    def open(self, opened: bool) -> None:
        """Show the fields or not."""
        if opened != self.opened:
            self.opened = opened
            self._restyle()
            self._name_fold()
            if not self._services.workspace.is_empty:
                self.refresh(self._services.workspace.active)

    def refresh(self, document: Document) -> None:
        """Show the training of ``document``; a problem, or recomputation by component, opens it."""
        place = document.state.place
        wrong = any(b.field.key in document.invalid or b.field.key == place for b in self.form.bindings)
        by_component = isinstance(document.scenario.run.recompute, Recompute)
        newly = by_component and not self._by_component
        self._by_component = by_component
        if not self.opened and (wrong or newly):
            self.open(True)
            return
        self.summary.setText(training_summary(document.scenario, self._services.language.tr))
        if self.opened:
            self.form.refresh(document)
        if self.form.isHidden() is self.opened:
            self.form.setVisible(self.opened)

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

    def _name_fold(self) -> None:
        tr = self._services.language.tr
        text = tr("Fold the training") if self.opened else tr(
            "Show the training: adapters, frozen parts, kernel, documents, recomputation by component")
        self.fold.setToolTip(text)
        self.fold.setAccessibleName(text)

    def _restyle(self) -> None:
        self.fold.setIcon(icons.icon("fold" if self.opened else "unfold", self._services.theme.color("muted")))
