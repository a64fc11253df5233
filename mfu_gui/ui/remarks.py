"""Remarks: the warnings of a result, what reading a file found, and what keeps a scenario from being computed."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QVBoxLayout, QWidget

from mfu_gui.engine.checks import INFORMATIVE
from mfu_gui.engine.errors import InputError, Notice
from mfu_gui.engine.fields import BY_KEY
from mfu_gui.engine.mends import hints
from mfu_gui.ui.example import is_told
from mfu_gui.ui.first_start import Links, example_remark
from mfu_gui.ui.mending import mend_links
from mfu_gui.ui.on_disk import read_again
from mfu_gui.ui.services import Services
from mfu_gui.ui.widgets.banner import Banner, Tone
from mfu_gui.ui.widgets.emptied import emptied
from mfu_gui.ui.widgets.link import Link
from mfu_gui.ui.widgets.number_edit import is_typing
from mfu_gui.ui.workspace import CHANGED_ON_DISK, Document

MOST, MOST_IN_LOW_WINDOW, LOW = 2, 1, 780
"""How many warnings are shown at once, and in windows below which height only one."""
DELAY_MS = 350
_MOST_RESTING = 4
BESIDE_FIELD = "mfu_above_one"
"""Said with its causes beside the measured value, which stays in sight."""
HINT = "cards_hold_dies"
_SERIOUS = frozenset({"mfu_above_one", "hfu_above_one"})


class Remarks(QWidget):
    """Banners for one document; only as many at once as leave room for the numbers."""

    def __init__(self, services: Services, show_field: Callable[[str], object], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._show_field = show_field
        self._all = False
        self._most = MOST
        self._shown: object = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(DELAY_MS)
        self._timer.timeout.connect(lambda: self.refresh(services.workspace.active))
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(4)
        self.banners: list[Banner] = []
        self._resting: list[Banner] = []

    def set_room(self, height: int) -> None:
        """The window has another height."""
        most = MOST if height >= LOW else MOST_IN_LOW_WINDOW
        if most != self._most:
            self._most = most
            if not self._services.workspace.is_empty:
                self.refresh(self._services.workspace.active)

    def refresh_soon(self, document: Document) -> None:
        """As ``refresh``, but not in the middle of a number."""
        if is_typing():
            self._timer.start()
        else:
            self.refresh(document)

    def refresh(self, document: Document) -> None:
        """Show what there is to say about ``document``."""
        self._timer.stop()
        warnings: tuple[Notice, ...] = ()
        if document.result is not None and document.problem is None:
            warnings = (*document.result.warnings, *hints(document.scenario))
        problem = _unplaced(document)
        key = (id(document), self._services.language.code, self._all, self._most, repr(warnings), repr(problem),
               repr(document.notices), document.example and (document.scenario.notes,
               document.scenario.hardware_source, document.scenario.model_source, is_told(document.scenario)))
        if key == self._shown:
            return
        self._shown = key
        self._layout.setEnabled(False)  # each banner that is shown would have all of the window laid out at once
        self._clear()
        entries: list[tuple[Tone, str, str, Links]] = []
        tr = self._services.language.tr
        if problem is not None:
            sentence, place = tr.sentence(problem.code, problem.values), document.state.place
            text = tr("{field}: {sentence}", field=tr(BY_KEY[place].label), sentence=sentence) if place else sentence
            entries.append(("error", text, problem.field, ()))
        entries += [self._entry(document, notice) for notice in sorted(warnings, key=_weight)
                    if notice.code != BESIDE_FIELD]
        for entry in entries if self._all else entries[: self._most]:
            self._add(*entry)
        self._add_of_file(document)
        if len(entries) > self._most:
            text = tr("Fewer remarks") if self._all else tr.plural("{n} more remark", "{n} more remarks",
                                                                  len(entries) - self._most)
            self._layout.addWidget(Link(self._services.theme, text, lambda: self._toggle(document)))
        self._layout.setEnabled(True)
        self._layout.invalidate()
        self.updateGeometry()
        self.setVisible(self._layout.count() > 0)

    def _add_of_file(self, document: Document) -> None:
        tr = self._services.language.tr
        if document.example and not is_told(document.scenario):
            text, links = example_remark(self._services, document, self._show_field)
            self._add_note(document, text, links)
        if document.notices:
            changed = any(notice.code == CHANGED_ON_DISK for notice in document.notices)
            again: Links = ((tr("Read again"), lambda: read_again(self._services, document)),) if changed else ()
            self._add_note(document, " ".join(tr.sentence(n.code, n.values) for n in document.notices), again)

    def _add_note(self, document: Document, text: str, links: Links = ()) -> None:
        self._show_banner("note", text, links, lambda: self._services.workspace.dismiss_notices(document))

    def _show_banner(self, tone: Tone, text: str, links: Links, on_close: Callable[[], object] | None = None) -> None:
        found = next((b for b in self._resting if b.suits(tone, len(links), on_close is not None)), None)
        if found is None:
            found = Banner(self._services, tone, text, links, on_close=on_close)
        else:
            self._resting.remove(found)
            found.say(text, links, on_close)
        self.banners.append(found)
        self._layout.addWidget(found)
        found.show()  # by itself it would be shown only after the next painting

    def _entry(self, document: Document, notice: Notice) -> tuple[Tone, str, str, Links]:
        quiet = notice.code in INFORMATIVE or notice.code == HINT
        tone: Tone = "error" if notice.code in _SERIOUS else "note" if quiet else "warning"
        text = self._services.language.tr.sentence(notice.code, notice.values)
        return tone, text, notice.field, tuple(mend_links(self._services, document, notice))

    def _add(self, tone: Tone, text: str, field: str, mends: Links) -> None:
        tr = self._services.language.tr
        links = ((tr("Show field"), lambda: self._show_field(field)),) if field else ()
        self._show_banner(tone, text, (*mends, *links))

    def _toggle(self, document: Document) -> None:
        self._all = not self._all
        self.refresh(document)

    def _clear(self) -> None:
        for widget in emptied(self._layout):
            if isinstance(widget, Banner) and len(self._resting) < _MOST_RESTING:
                widget.rest()
                self._resting.append(widget)
            else:
                widget.hide()
                widget.deleteLater()
        self.banners = []


def _weight(notice: Notice) -> int:
    """What is impossible first, what only tells last."""
    return 0 if notice.code in _SERIOUS else 3 if notice.code == HINT else 2 if notice.code in INFORMATIVE else 1


def _unplaced(document: Document) -> InputError | None:
    """The problem, unless a row of the form shows it in which the user is typing.

    What is only missing was never typed: its row may be out of sight (the decoder's length of a model just chosen).
    """
    problem = document.problem
    if problem is None or problem.code == "required":
        return problem
    return None if document.state.place else problem
