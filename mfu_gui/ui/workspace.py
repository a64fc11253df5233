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
from PySide6.QtGui import QUndoCommand, QUndoGroup, QUndoStack

from mfu_gui.engine.compare import ConventionRow, compare
from mfu_gui.engine.errors import InputError, Notice
from mfu_gui.engine.evaluate import evaluate
from mfu_gui.engine.fields import BY_KEY
from mfu_gui.engine.scenario import Result, Scenario
from mfu_gui.engine.validation import validate

if TYPE_CHECKING:
    from mfu_gui.ui.log_import import LogImport

MERGE_WINDOW_S = 2.0
DRAG = "drag:"
"""Beginning of the merge key of a drag: its parts are one step however long it lasts."""
_COMMAND_ID = 1
MOST_COLORS = 7
"""From the next scenario on the colours come again."""
_SCENARIO_ASPECTS = ("name", "notes", "model", "hardware", "run", "peak", "convention", "reported", "model_source",
                     "hardware_source", "plan")
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
        return State(scenario, last, problem, place)


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
        self.color = 0
        """Number of the colour that it has wherever several scenarios are shown; the workspace gives it."""
        self.stack = QUndoStack()
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
        return self.unsaved or not self.stack.isClean()

    def rows(self) -> tuple[ConventionRow, ...]:
        """All conventions for this scenario, computed when first looked at."""
        if self._rows is None or self._rows[0] is not self.state:
            rows = () if self.result is None or self.problem is not None else compare(self.scenario, self.result)
            self._rows = (self.state, rows)
        return self._rows[1]


class _Edit(QUndoCommand):
    """One step of the history: two states."""

    def __init__(self, workspace: Workspace, document: Document, after: State, label: str, merge_key: str,
                 now: float) -> None:
        super().__init__(label)
        self.before = document.state
        self.after = after
        self.merge_key = merge_key
        self.last = now
        self._workspace = workspace
        self._document = document
        self._done = False

    def id(self) -> int:
        return _COMMAND_ID if self.merge_key else -1

    def redo(self) -> None:
        # The first time it is the edit itself; what was typed elsewhere stays then.
        self._workspace.show(self._document, self.after, keep_invalid=not self._done)
        self._done = True

    def undo(self) -> None:
        self._workspace.show(self._document, self.before)

    def mergeWith(self, other: QUndoCommand) -> bool:
        if not isinstance(other, _Edit) or other.merge_key != self.merge_key:
            return False
        if not self.merge_key.startswith(DRAG) and other.last - self.last > MERGE_WINDOW_S:
            return False
        self.after, self.last = other.after, other.last
        self.setObsolete(self.after.scenario == self.before.scenario)
        return True


class Workspace(QObject):
    """All open documents.

    ``changed(document, aspects, result)`` follows every change; ``aspects`` is a frozenset of what is
    different: attributes of Scenario, ``result``, and ``documents``, ``active``, ``file``, ``invalid``, ``logs``.
    """

    changed = Signal(object, object, object)

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self.documents: list[Document] = []
        self.group = QUndoGroup(self)
        self._active: Document | None = None
        self._held: set[str] | None = None
        """What changed while an edit is being made."""
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
        self.group.addStack(document.stack)
        document.stack.cleanChanged.connect(lambda _clean: self._emit(document, {FILE}))
        if activate or self._active is None:
            self._active = document
            self.group.setActiveStack(document.stack)
            self._emit(document, EVERYTHING)
        else:
            self._emit(document, {DOCUMENTS})

    def activate(self, document: Document) -> None:
        """Bring a document to the screen."""
        if document is not self._active:
            self._active = document
            self.group.setActiveStack(document.stack)
            self._emit(document, EVERYTHING)

    def close(self, document: Document) -> None:
        """Take a document away.  The caller has asked what to do with unsaved changes, and keeps one open."""
        index = self.documents.index(document)
        self.documents.remove(document)
        if document is self._active and self.documents:
            self.activate(self.documents[min(index, len(self.documents) - 1)])
        else:
            self._emit(self.active, {DOCUMENTS})
        self.group.removeStack(document.stack)
        # Qt holds what is connected to the stack, and that holds the document: neither would ever go.
        document.stack.cleanChanged.disconnect()
        document.stack.clear()
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
        # The history tells that it is clean no more only after it has taken the edit: one signal for both.
        self._held = set()
        try:
            document.stack.push(_Edit(self, document, after, label, merge_key, self._clock()))
        finally:
            held, self._held = self._held, None
        self._emit(document, held)

    def set_invalid(self, document: Document, field_key: str, error: InputError | None) -> None:
        """Remember that the text of a field cannot be used, or (None) that it was given up."""
        before = document.invalid.get(field_key)
        if error is None:
            document.invalid.pop(field_key, None)
        else:
            document.invalid[field_key] = error
        if before is not error:
            self._emit(document, {INVALID})

    def set_typed(self, document: Document, field_key: str, typed: Typed) -> None:
        """The same number was given with another exactness."""
        if document.typed.get(field_key) != typed:
            document.typed[field_key] = typed
            self._emit(document, {TYPED})

    def mark_saved(self, document: Document, path: Path) -> None:
        """The document is what is in the file ``path``."""
        document.path = path
        document.unsaved = False
        document.example = False
        document.stack.setClean()
        self._emit(document, {FILE})

    def mark_kept(self, document: Document, home: Path) -> None:
        """The document is in the workspace file ``home``: saved, unless it differs from a file of its own."""
        if document.path is None:
            document.home = home
            document.unsaved = document.example = False
            document.stack.setClean()
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

    def show(self, document: Document, state: State, *, keep_invalid: bool = False) -> None:
        """Put a state on the screen; only the history calls it.  Texts that could not be used are given up,
        unless they are kept."""
        old, document.state = document.state, state
        if not keep_invalid:
            document.invalid.clear()
        aspects = {name for name in _SCENARIO_ASPECTS
                   if getattr(old.scenario, name) is not getattr(state.scenario, name)}
        self._emit(document, aspects | {"result", INVALID})

    def _emit(self, document: Document, aspects: set[str] | frozenset[str]) -> None:
        if self._held is not None:
            self._held |= aspects
            return
        self.changed.emit(document, frozenset(aspects), document.result)
