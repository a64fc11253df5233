"""Undo, redo and what is saved; the parts of a burst are one step."""

from __future__ import annotations

from mfu_gui.ui import history as history_module
from mfu_gui.ui.history import History, Step


def kept(*numbers: int) -> History[int]:
    """A history that went from 0 through the given states."""
    history: History[int] = History(lambda old, new: old == new)
    for before, after in zip((0, *numbers), numbers, strict=False):
        history.record(Step(before, after, f"to {after}"), lambda _last: False)
    return history


def burst(history: History[int], before: int, after: int, goes_on: bool = True) -> None:
    history.record(Step(before, after, merge_key="x"), lambda _last: goes_on)


def test_back_and_forth() -> None:
    history = kept(1, 2)
    assert (history.undo_label(), history.redo_label()) == ("to 2", "")
    assert [history.undo(), history.undo(), history.undo()] == [1, 0, None]
    assert (history.undo_label(), history.redo_label()) == ("", "to 1")
    assert [history.redo(), history.redo(), history.redo()] == [1, 2, None]


def test_an_edit_after_undo_ends_what_could_be_done_again() -> None:
    history = kept(1, 2)
    history.undo()
    history.record(Step(1, 5), lambda _last: False)
    assert not history.can_redo()
    assert (history.count(), history.undo()) == (2, 1)


def test_parts_of_a_burst_are_one_step() -> None:
    history = kept()
    burst(history, 0, 1)
    burst(history, 1, 12)
    assert (history.count(), history.undo(), history.redo()) == (1, 0, 12)
    burst(history, 12, 13, goes_on=False)
    assert history.count() == 2


def test_a_burst_that_comes_back_to_its_beginning_is_no_step() -> None:
    history = kept()
    burst(history, 0, 1)
    burst(history, 1, 0)
    assert history.count() == 0
    assert history.saved


def test_nothing_is_merged_over_what_was_saved() -> None:
    history = kept()
    burst(history, 0, 1)
    history.mark_saved()
    burst(history, 1, 12)
    assert not history.saved
    history.undo()
    assert history.saved


def test_what_was_saved_and_then_replaced_is_not_come_back_to() -> None:
    history = kept(1)
    history.mark_saved()
    history.undo()
    history.record(Step(0, 7), lambda _last: False)
    assert not history.saved
    history.undo()
    assert not history.saved


def test_the_oldest_steps_go_first() -> None:
    history = kept(*range(1, history_module.MOST_STEPS + 3))
    assert history.count() == history_module.MOST_STEPS
    while history.can_undo():
        first = history.undo()
    assert first == 2
    assert not history.saved
