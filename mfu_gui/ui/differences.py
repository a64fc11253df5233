"""Why two conventions differ, prepared for the window: steps with amounts in words.  No Qt here."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from mfu_gui.engine.compare import ConventionRow, exact_flops_per_token
from mfu_gui.engine.conventions import Convention, chosen, find
from mfu_gui.engine.differences import differences
from mfu_gui.engine.scenario import Scenario
from mfu_gui.formats.explain_json import difference_sentence
from mfu_gui.texts import Translator

DIGITS = 15
"""As many as show a whole number of FLOPs a token in full."""


class Part(NamedTuple):
    """One named term: a sentence, FLOPs per token, and the amount in words."""

    sentence: str
    flops_per_token: Fraction
    amount: str


class Comparison(NamedTuple):
    """From ``start`` to ``end``: FLOPs per token of both, and the terms that lead from one to the other.

    ``start + Σ parts = end`` exactly.
    """

    start_title: str
    end_title: str
    start: Fraction
    end: Fraction
    parts: tuple[Part, ...]

    @property
    def difference(self) -> Fraction:
        return self.end - self.start


def convention_of(scenario: Scenario, convention_id: str) -> Convention:
    """A convention as the window counts by it: the chosen one with its options, others without."""
    return chosen(scenario.convention) if convention_id == scenario.convention.id else find(convention_id)


def compared(scenario: Scenario, start_id: str, end_id: str, tr: Translator) -> Comparison:
    """Why ``end_id`` counts something else than ``start_id``; both must be defined for the model."""
    start, end = convention_of(scenario, start_id), convention_of(scenario, end_id)
    model, run = scenario.model, scenario.run
    parts = tuple(
        Part(difference_sentence(term, tr), term.flops_per_token, signed_flops(term.flops_per_token, tr))
        for term in differences(model, run, end, start))
    return Comparison(tr(start.title), tr(end.title), exact_flops_per_token(start, model, run),
                      exact_flops_per_token(end, model, run), parts)


def signed_flops(value: Fraction, tr: Translator) -> str:
    """+3.15 GFLOP, −1.60 MFLOP."""
    sign = "+" if value > 0 else "−" if value < 0 else ""
    return f"{sign}{tr.numbers.si(abs(value), 3, 'FLOP')}"


def headline(comparison: Comparison, tr: Translator) -> str:
    """The difference in one sentence."""
    names = {"title": comparison.end_title, "other": comparison.start_title}
    difference = comparison.difference
    if not difference:
        return tr("{title} and {other} count the same.", **names)
    share = tr.numbers.percent(abs(difference) / comparison.start) if comparison.start else ""
    amount = {"amount": tr.numbers.si(abs(difference), 3, "FLOP"), "share": share}
    if difference > 0:
        return tr("{title} counts {amount} per token more than {other} (+{share}).", **names, **amount)
    return tr("{title} counts {amount} per token less than {other} (−{share}).", **names, **amount)


def pair(selected: tuple[str, ...], rows: tuple[ConventionRow, ...], chosen_id: str) -> tuple[str, str] | None:
    """(start, end) of what is to be compared: the two rows selected last, one alone with the chosen convention.

    The chosen convention is always the start.  None where there is nothing to compare.
    """
    known = {row.id for row in rows}
    keys = [key for key in selected if key in known][-2:]
    if len(keys) == 1 and keys[0] != chosen_id and chosen_id in known:
        return chosen_id, keys[0]
    if len(keys) < 2:
        return None
    first, last = keys
    return (last, first) if last == chosen_id else (first, last)
