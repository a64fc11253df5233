"""What a convention is: a row of rules over the ledger, as data.

A convention may *rewrite* the model (what that framework fails to see), then goes through the
ledger and, for each term, takes the first ``Count`` that selects it: as a matrix product or as a
number of parameters, with so many passes.  ``extras`` are terms the ledger has no row for.  All
other ways of counting that were met fit these parts:

=====================================  ======================================================
what it does                           how it is written
=====================================  ======================================================
litgpt: 3·2N, core ×5, all experts     all_parameters × 3; core × 5; rewrite width of the core
cookbook: head forward only, 4h MLP    lm_head × 1; rewrite ``ffn_4h``; extra ``embedding_4h``
chinchilla: embedding as a product     kind:table by parameters × 3; extra softmax
verl: V·h always twice                 embedding by size × 3, window ``half``
MaxText: chunks c²/2, window S·W−W²/2  PairCounting(half, continuous, half)
Zamba: one block executed 13 times     Term.executed 13, stored 2; 6N reads stored, products executed
Whisper: frames halved by the stride   axis ``frame`` with its own Lengths
OpenELM: other widths in each layer    one layer kind per layer, merged rows per measure
V3.2's indexer                         component attention_indexer, pairs limited by top_k
=====================================  ======================================================
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Literal

import msgspec

from mfu_gui.engine.model import ModelSpec
from mfu_gui.engine.scenario import OptionValue
from mfu_gui.engine.terms import EXACT, Measure, PairCounting, Term

By = Literal["products", "parameters", "all_parameters", "executed_parameters"]
Status = Literal["sound", "quirk", "undefined"]
THREE = Fraction(3)


class Count(msgspec.Struct, frozen=True, kw_only=True, cache_hash=True):
    """One rule: which terms, counted how, with how many passes.

    ``select``: names of components, ``kind:matrix``, ``store:attention``, ``part:q``, ``section:mtp`` or ``*``;
    any of them selects.  ``by``: ``products`` the term's own FLOPs; ``parameters`` 2 FLOPs for each
    parameter a position uses (``all_parameters``: for each stored one, all experts included;
    ``executed_parameters``: once per execution of a shared block).  ``passes``
    3 is forward and backward.  ``when``: ``tied`` or ``untied`` heads only.  ``shown_as`` names the
    component in results; empty keeps the ledger's.
    """

    select: tuple[str, ...]
    by: By = "products"
    passes: Fraction = THREE
    when: Literal["", "tied", "untied"] = ""
    shown_as: str = ""


class Extra(msgspec.Struct, frozen=True, kw_only=True):
    """A term of the convention that no row of the ledger holds."""

    per_unit: Fraction
    measure: Measure
    passes: Fraction = THREE
    component: str = "other"
    counting: PairCounting | None = None
    name: str = ""


Rewrite = Callable[[ModelSpec], ModelSpec]
Extras = Callable[[ModelSpec], tuple[Extra, ...]]


class StatusRule(msgspec.Struct, frozen=True, kw_only=True, cache_hash=True):
    """For models where ``applies``, the convention has this status, for this reason (a message id)."""

    applies: Callable[[ModelSpec], bool]
    status: Status
    reason: str


class Option(msgspec.Struct, frozen=True, kw_only=True, cache_hash=True):
    """A choice the convention leaves open; ``change`` returns the convention with a value chosen."""

    name: str
    title: str
    default: OptionValue
    change: Callable[[Convention, OptionValue], Convention]
    values: tuple[OptionValue, ...] = (True, False)


class Convention(msgspec.Struct, frozen=True, kw_only=True, cache_hash=True):
    """One way to count.  ``title``, ``summary`` and reasons are English message ids."""

    id: str
    title: str
    summary: str
    source: str
    valid_from: str = ""
    kind: Literal["model", "hardware"] = "model"
    counts: tuple[Count, ...]
    counting: PairCounting = EXACT
    rewrites: tuple[Rewrite, ...] = ()
    extras: tuple[Extras, ...] = ()
    options: tuple[Option, ...] = ()
    statuses: tuple[StatusRule, ...] = ()
    mtp: Literal["run", "never", "model"] = "run"
    """Whether prediction depths are counted as the run says, never, or as many as the model has."""

    def status(self, model: ModelSpec) -> tuple[Status, str]:
        """Whether the convention fits ``model``, and why not: (status, message id)."""
        for rule in self.statuses:
            if rule.applies(model):
                return rule.status, rule.reason
        return "sound", ""


def selects(count: Count, term: Term, tied: bool) -> bool:
    """Whether ``count`` takes ``term``."""
    if count.when and (count.when == "tied") != tied:
        return False
    for name in count.select:
        if name == "*" or name == term.component:
            return True
        key, _, value = name.partition(":")
        if value and getattr(term, key) == value:
            return True
    return False


def per_unit(count: Count, term: Term) -> tuple[Fraction | int, Measure]:
    """Forward FLOPs of ``term`` in the whole model per unit of the returned measure."""
    if count.by == "products":
        return term.per_unit * term.executed, term.measure
    used = term.copies if count.by == "all_parameters" else min(term.used, term.copies)
    stored = term.executed if count.by == "executed_parameters" else term.stored
    return 2 * stored * term.rows * term.columns * used, Measure("positions", term.measure.axis)
