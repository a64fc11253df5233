"""The measured panel: which quantity is known, and its value; all others are computed from it."""

from __future__ import annotations

from collections.abc import Callable
from weakref import WeakKeyDictionary

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from mfu_gui.engine.fields import MEASURED_FIELDS, N_, measured_key, with_measured
from mfu_gui.engine.fields_stated import CHOICES, DAYS_TOKENS_FIELD, STATED_FIELDS, kept_as, key_of
from mfu_gui.engine.run import MEASURED_KEYS
from mfu_gui.ui.mending import mend_links
from mfu_gui.ui.panels.binding import MESSAGE_DELAY_MS
from mfu_gui.ui.panels.panel import Panel, Special
from mfu_gui.ui.services import Services
from mfu_gui.ui.widgets.choice_box import ChoiceBox
from mfu_gui.ui.widgets.field_row import FieldRow
from mfu_gui.ui.widgets.link import Link
from mfu_gui.ui.widgets.link_row import LinkRow
from mfu_gui.ui.widgets.number_edit import is_typing
from mfu_gui.ui.workspace import Document

FIELD_OF = dict(zip(MEASURED_KEYS, MEASURED_FIELDS, strict=True)) | {key_of(field): field for field in STATED_FIELDS}
"""By the quantity that is known: those that a scenario keeps, then other ways to say them."""

TOKENS_WIDTH = 156
"""Room for a number of trillions, written out."""


class MeasuredPanel(Panel):
    """What is known of the speed of the run."""

    def __init__(self, services: Services, explain: Callable[[], object], parent: QWidget | None = None) -> None:
        long = [field.key for field in (DAYS_TOKENS_FIELD, *STATED_FIELDS) if key_of(field) != "days"]
        # The number takes the place of its unit.
        special: Special = {key: {"extra": lambda document: " ", "width": TOKENS_WIDTH} for key in long}
        # The label says of which device already.
        special = {**special, "run.measured.tokens_per_s_per_device": {
            "extra": lambda document: services.language.tr("tokens/s")}}
        super().__init__(services, (*MEASURED_FIELDS, DAYS_TOKENS_FIELD, *STATED_FIELDS), special, parent)
        self._waiting: WeakKeyDictionary[Document, str] = WeakKeyDictionary()
        """Quantities that were chosen and have no value yet."""
        self.mends = LinkRow(services.theme)
        self.mends.setObjectName("measured.mends")
        self.mends.hide()
        self.body.addWidget(self.mends)
        self._mended: object = None
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(MESSAGE_DELAY_MS)
        self._later.timeout.connect(lambda: self.mends.setVisible(self.mends.has_links))
        self.explain = Link(services.theme, "", explain)
        self.explain.setObjectName("explain")
        self.head.addWidget(self.explain)
        self.start()

    def add_lead(self) -> None:
        self.known = ChoiceBox(self.services.theme)
        self.known.setObjectName("run.measured")
        self.known.chosen.connect(self.know)
        self.known_row = FieldRow(self.services, self.known, wide=True)
        self.body.addWidget(self.known_row)

    def retranslate(self) -> None:
        tr = self.services.language.tr
        self.set_title(tr("Measured"))
        self.known_row.set_texts(tr("Known quantity"),
                                 tr("The quantity you know; all others are computed from it."), "")
        self.known.set_choices([(key, tr(CHOICES.get(key, field.label))) for key, field in FIELD_OF.items()])
        self.explain.setText(tr("Explain a reported number…"))
        self.explain.setToolTip(tr("Find out what an MFU of a slide, a paper or a log was made of (Ctrl+I)."))
        super().retranslate()

    def known_key(self, document: Document) -> str:
        """The quantity that is known, in the way in which it was said, or that was chosen to be."""
        kept, chosen = measured_key(document.scenario), self._waiting.get(document, MEASURED_KEYS[0])
        if not kept or kept_as(document.scenario, chosen) == kept:
            return chosen
        return kept

    def refresh(self, document: Document) -> None:
        key = self.known_key(document)
        if measured_key(document.scenario):
            self._waiting[document] = key
        self.known.set_value(key)
        for binding in self.form.bindings:
            shown = binding.field is FIELD_OF[key] or (binding.field is DAYS_TOKENS_FIELD and key == "days")
            if shown:
                binding.refresh(document)
            if binding.is_shown is not shown:
                binding.row.setVisible(shown)
        self.more.hide()
        self._show_mends(document)

    def _show_mends(self, document: Document) -> None:
        """Offers for a value that cannot be, beneath the reason why."""
        found = None if document.result is None or document.problem is not None else next(
            (notice for notice in document.result.warnings if notice.code == "mfu_above_one"), None)
        tr = self.services.language.tr
        links = [] if found is None else mend_links(self.services, document, found)
        key = (document, tr.language, repr(found), [text for text, _ in links])
        if key != self._mended:
            self._mended = key
            self.mends.show_links(tr("Change to:"), links)
        self._later.stop()
        if links and self.mends.isHidden() and is_typing():
            self._later.start()
        elif self.mends.isHidden() is bool(links):
            self.mends.setVisible(bool(links))

    def know(self, key: str) -> None:
        """Know another quantity: it takes the value that it has now, so that nothing changes."""
        workspace = self.services.workspace
        document = workspace.active
        before = self.known_key(document)
        self._waiting[document] = key
        if key == before:
            return
        self.form.forget()
        for field in FIELD_OF.values():
            workspace.set_invalid(document, field.key, None)
        kept = kept_as(document.scenario, key)
        if kept != measured_key(document.scenario):
            scenario = with_measured(document.scenario, kept, self._present_value(document, kept))
            workspace.edit(document, FIELD_OF[key].key, scenario, label=N_("Known quantity"))
        self.refresh(document)

    @staticmethod
    def _present_value(document: Document, key: str) -> float | None:
        result = document.result
        if result is None or document.problem is not None:
            return None
        if key == "mfu":
            return result.mfu
        value: float | None = getattr(result.throughput, key)
        return value
