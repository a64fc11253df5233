"""Workspace: the open documents, and the one signal everything on the screen is drawn from.

Widgets call ``Workspace.edit`` with a new scenario and draw what ``changed`` brings; they never talk to each
other.  A document's scenario is immutable, so that a step of undo is simply the scenario before.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Signal

from mfu_gui.engine.compare import ConventionRow, compare
from mfu_gui.engine.errors import InputError, Notice
from mfu_gui.engine.evaluate import evaluate
from mfu_gui.engine.fields import BY_KEY
from mfu_gui.engine.scenario import Result, Scenario
from mfu_gui.engine.validation import validate
from mfu_gui.ui.history import History, Step

if TYPE_CHECKING:
    from mfu_gui.ui.log_import import LogImport

MERGE_WINDOW_S = 2.0
DRAG = "drag:"
"""Beginning of the merge key of a drag: its parts are one step however long it lasts."""
MOST_COLORS = 7
"""From the next scenario on the colours come again."""
_SCENARIO_ASPECTS = ("name", "notes", "model", "hardware", "run", "peak", "convention", "reported", "model_source",
                     "hardware_source", "plan")
CHANGED_ON_DISK = "changed_on_disk"
"""Code of the remark that another program wrote the document's file."""
DOCUMENTS, ACTIVE, FILE, INVALID, LOGS = "documents", "active", "file", "invalid", "logs"
TYPED = "typed"
FILE_ONLY = frozenset((FILE,))
"""Whether it is saved: the first edit after saving tells that apart, after it told what is different."""
EVERYTHING = frozenset((*_SCENARIO_ASPECTS, DOCUMENTS, ACTIVE, FILE, INVALID, "result"))


class State(NamedTuple):
    """A scenario with its result; with a ``problem`` the result is that of the last scenario that had one."""

    scenario: Scenario
    result: Result | None
    problem: InputError | None = None
    place: str = ""
    """Key of the field that shows the problem; empty if it concerns none of them."""


def computed(scenario: Scenario, last: Result | None = None, edited: str = "") -> State:
    """The state of ``scenario``; ``last`` is kept as its result if it has none of its own.

    A problem that no field of the form is named for is shown at the one that was ``edited``.
    """
    try:
        validate(scenario)
        return State(scenario, evaluate(scenario))
    except InputError as problem:
        closer = edited in BY_KEY and edited.startswith(problem.field)
        place = problem.field if problem.field in BY_KEY and not closer else edited if edited in BY_KEY else ""
        return State(scenario, last, problem.bare(), place)


class Typed(NamedTuple):
    """A number as somebody gave it: the value, half the width of what it may be, and whether "±" said so."""

    value: object
    half: float | None
    by_sign: bool = False


class Document:
    """One open scenario: its state, its history, its file, and what is wrong in its fields."""

    def __init__(self, scenario: Scenario, path: Path | None = None, notices: tuple[Notice, ...] = (),
                 *, example: bool = False) -> None:
        self.state = computed(scenario)
        self.path = path
        self.notices = notices
        """What the reading of the file remarked."""
        self.example = example
        self.invalid: dict[str, InputError] = {}
        """Fields whose text cannot be used; their last valid value is in the scenario."""
        self.typed: dict[str, Typed] = {}
        """How measured values were typed last, by field: it tells how exact they are."""
        self.logs: tuple[LogImport, ...] = ()
        """Training logs beside the scenario; they are in no file of it and no step of undo."""
        self.home: Path | None = None
        """Workspace file that it is in, where it has no file of its own."""
        self.known: dict[Path, str] = {}
        """By file: the digest of what was read from it, or written to it, last."""
        self.offered = ""
        """Digest of what was found in its file last, so that the same is offered only once."""
        self.color = 0
        """Number of the colour that it has wherever several scenarios are shown; the workspace gives it."""
        self.history: History[State] = History(lambda old, new: old.scenario == new.scenario)
        self.unsaved = False
        """Differs from its file although nothing was edited since it was opened (recovered, imported)."""
        self._rows: tuple[State, tuple[ConventionRow, ...]] | None = None

    @property
    def scenario(self) -> Scenario:
        return self.state.scenario

    @property
    def result(self) -> Result | None:
        return self.state.result

    @property
    def problem(self) -> InputError | None:
        return self.state.problem

    @property
    def settled(self) -> bool:
        """Whether the result is that of what is on the screen; the window dims it otherwise."""
        return self.problem is None and not self.invalid and self.result is not None

    @property
    def dirty(self) -> bool:
        return self.unsaved or not self.history.saved

    def rows(self) -> tuple[ConventionRow, ...]:
        """All conventions for this scenario, computed when first looked at."""
        if self._rows is None or self._rows[0] is not self.state:
            rows = () if self.result is None or self.problem is not None else compare(self.scenario, self.result)
            self._rows = (self.state, rows)
        return self._rows[1]


class Workspace(QObject):
    """All open documents.

    ``changed(document, aspects, result)`` follows every change; ``aspects`` is a frozenset of what is
    different: attributes of Scenario, ``result``, and ``documents``, ``active``, ``file``, ``invalid``, ``logs``.
    """

    changed = Signal(object, object, object)

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self.documents: list[Document] = []
        self._active: Document | None = None
        self._clock = clock

    @property
    def active(self) -> Document:
        """The document on the screen; LookupError before there is one."""
        if self._active is None:
            raise LookupError("no document is open")
        return self._active

    @property
    def is_empty(self) -> bool:
        return self._active is None

    def add(self, document: Document, *, activate: bool = True) -> None:
        """Open a document after the others."""
        taken = [each.color for each in self.documents]
        document.color = min(range(MOST_COLORS), key=lambda number: (taken.count(number), number))
        self.documents.append(document)
        if activate or self._active is None:
            self._active = document
            self._emit(document, EVERYTHING)
        else:
            self._emit(document, {DOCUMENTS})

    def activate(self, document: Document) -> None:
        """Bring a document to the screen."""
        if document is not self._active:
            self._active = document
            self._emit(document, EVERYTHING)

    def close(self, document: Document) -> None:
        """Take a document away.  The caller has asked what to do with unsaved changes, and keeps one open."""
        index = self.documents.index(document)
        self.documents.remove(document)
        if document is self._active and self.documents:
            self.activate(self.documents[min(index, len(self.documents) - 1)])
        else:
            self._emit(self.active, {DOCUMENTS})
        for log in document.logs:
            log.close()

    def move(self, document: Document, index: int) -> None:
        """Put a document at another place among the others."""
        if self.documents.index(document) != index:
            self.documents.remove(document)
            self.documents.insert(index, document)
            self._emit(document, {DOCUMENTS})

    def edit(self, document: Document, field_key: str, scenario: Scenario, merge_key: str = "",
             label: str = "") -> None:
        """Make ``scenario`` the document's, as one step of undo.

        ``field_key`` names what was edited: its text counts as valid from now on.  Steps with the same
        non-empty ``merge_key`` in close succession become one.  ``label`` is a message id that says what was
        done.  A scenario that cannot be evaluated is kept with its problem, the last result beside it.
        """
        cleared = document.invalid.pop(field_key, None) is not None
        if scenario == document.scenario:
            if cleared:
                self._emit(document, {INVALID})
            return
        after = computed(scenario, document.result, field_key)
        step = Step(document.state, after, label, merge_key, self._clock())
        saved = document.history.saved
        document.history.record(step, lambda last: merge_key.startswith(DRAG)
                                or step.time_s - last.time_s <= MERGE_WINDOW_S)
        # What was typed elsewhere stays.
        self.show(document, after, saved)

    def undo(self) -> None:
        """Take back the last step of the active document, and what is typed there and cannot be used."""
        self._go(self.active.history.undo)

    def redo(self) -> None:
        """Do again what was taken back last."""
        self._go(self.active.history.redo)

    def _go(self, move: Callable[[], State | None]) -> None:
        document = self.active
        saved = document.history.saved
        state = move()
        if state is not None:
            document.invalid.clear()
            self.show(document, state, saved)

    def set_invalid(self, document: Document, field_key: str, error: InputError | None) -> None:
        """Remember that the text of a field cannot be used, or (None) that it was given up."""
        before = document.invalid.get(field_key)
        if error is None:
            document.invalid.pop(field_key, None)
        else:
            document.invalid[field_key] = error.bare()
        if before is not error:
            self._emit(document, {INVALID})

    def set_typed(self, document: Document, field_key: str, typed: Typed) -> None:
        """The same number was given with another exactness."""
        if document.typed.get(field_key) != typed:
            document.typed[field_key] = typed
            self._emit(document, {TYPED})

    def mark_saved(self, document: Document, path: Path, digest: str) -> None:
        """The document is what is in the file ``path``, whose content has this digest."""
        document.path = path
        document.known[path] = document.offered = digest
        document.notices = tuple(notice for notice in document.notices if notice.code != CHANGED_ON_DISK)
        document.unsaved = False
        document.example = False
        document.history.mark_saved()
        self._emit(document, {FILE})

    def mark_kept(self, document: Document, home: Path, digest: str) -> None:
        """The document is in the workspace file ``home``: saved, unless it differs from a file of its own."""
        if document.path is None:
            document.home = home
            document.known[home] = document.offered = digest
            document.notices = tuple(notice for notice in document.notices if notice.code != CHANGED_ON_DISK)
            document.unsaved = document.example = False
            document.history.mark_saved()
            self._emit(document, {FILE})

    def mark_left(self, document: Document) -> None:
        """The document is no longer in its workspace file: what is on the screen exists nowhere else."""
        if document.home is not None:
            document.known.pop(document.home, None)
            document.home, document.unsaved = None, True
            document.notices = tuple(notice for notice in document.notices if notice.code != CHANGED_ON_DISK)
            self._emit(document, {FILE})

    def set_notices(self, document: Document, notices: tuple[Notice, ...]) -> None:
        """Say something about where the document's content came from."""
        if document.notices != notices:
            document.notices = notices
            self._emit(document, {FILE})

    def set_logs(self, document: Document, logs: tuple[LogImport, ...]) -> None:
        """Put training logs beside a scenario, or take them away."""
        document.logs = logs
        self._emit(document, {LOGS})

    def dismiss_notices(self, document: Document) -> None:
        """The remarks of the reading were read."""
        document.notices = ()
        document.example = False
        self._emit(document, {FILE})

    def show(self, document: Document, state: State, saved: bool | None = None) -> None:
        """Put a state on the screen without a step of its own in the history.

        ``saved``: whether the state before was saved, if a move in the history led to this one.
        """
        old, document.state = document.state, state
        aspects = {name for name in _SCENARIO_ASPECTS
                   if getattr(old.scenario, name) is not getattr(state.scenario, name)}
        if saved is not None and document.history.saved != saved:
            aspects.add(FILE)
        self._emit(document, aspects | {"result", INVALID})

    def _emit(self, document: Document, aspects: set[str] | frozenset[str]) -> None:
        self.changed.emit(document, frozenset(aspects), document.result)
