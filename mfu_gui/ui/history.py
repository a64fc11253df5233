"""The history of one scenario: steps that can be taken back and done again, and which of them is saved.

QUndoStack is not used: from Python it keeps every step that was merged into another, and every stack that was
closed, until the program ends, and a planner keeps it open for days.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

S = TypeVar("S")

MOST_STEPS = 1000
"""Steps that are kept; the oldest go first."""


@dataclass
class Step(Generic[S]):
    """From one state to another.  ``label`` is a message id that says what was done."""

    before: S
    after: S
    label: str = ""
    merge_key: str = ""
    time_s: float = 0.0
    """When its last part was made, by the clock of whoever keeps the history."""


class History(Generic[S]):
    """Steps with a place among them; what lies after the place can be done again."""

    def __init__(self, same: Callable[[S, S], bool]) -> None:
        """``same`` tells whether two states need no step between them."""
        self._same = same
        self._steps: list[Step[S]] = []
        self._place = 0
        self._saved: int | None = 0

    def record(self, step: Step[S], merge: Callable[[Step[S]], bool]) -> None:
        """Add what was just done; steps that had been taken back are gone then.

        ``merge`` is asked whether the step before, whose merge key is the same, goes on with this one.  A saved
        state stays a place to come back to: nothing is merged over it.
        """
        del self._steps[self._place:]
        if self._saved is not None and self._saved > self._place:
            self._saved = None
        last = self._steps[-1] if self._steps and self._place != self._saved else None
        if last is not None and step.merge_key and last.merge_key == step.merge_key and merge(last):
            last.after, last.time_s = step.after, step.time_s
            if self._same(last.before, last.after):
                del self._steps[-1]
        else:
            self._steps.append(step)
            self._forget()
        self._place = len(self._steps)

    def _forget(self) -> None:
        if len(self._steps) > MOST_STEPS:
            del self._steps[0]
            if self._saved is not None:
                self._saved = self._saved - 1 if self._saved else None

    def count(self) -> int:
        """Steps that are kept, those that were taken back among them."""
        return len(self._steps)

    def can_undo(self) -> bool:
        return self._place > 0

    def can_redo(self) -> bool:
        return self._place < len(self._steps)

    def undo_label(self) -> str:
        """What would be taken back; empty if nothing."""
        return self._steps[self._place - 1].label if self.can_undo() else ""

    def redo_label(self) -> str:
        """What would be done again; empty if nothing."""
        return self._steps[self._place].label if self.can_redo() else ""

    def undo(self) -> S | None:
        """The state before the last step, which is where the history is from now on; None without a step."""
        if not self.can_undo():
            return None
        self._place -= 1
        return self._steps[self._place].before

    def redo(self) -> S | None:
        """The state after the next step, which is where the history is from now on; None without a step."""
        if not self.can_redo():
            return None
        self._place += 1
        return self._steps[self._place - 1].after

    @property
    def saved(self) -> bool:
        """Whether the state is the one that was marked as saved last (at first: the one it began with)."""
        return self._place == self._saved

    def mark_saved(self) -> None:
        self._saved = self._place
