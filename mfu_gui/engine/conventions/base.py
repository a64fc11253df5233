"""What a convention is: a row of rules over the ledger, as data.

A convention may *rewrite* the model (what that framework fails to see), then goes through the
ledger and, for each term, takes the first ``Count`` that selects it: as a matrix product or as a
number of parameters, with so many passes.  ``extras`` are terms the ledger has no row for.  All
ways of counting that were met fit these parts:

=====================================  ======================================================
what it does                           how it is written
=====================================  ======================================================
litgpt: 3·2N, core ×5, all experts     all_parameters × 3; extra: core of the hidden width × 5
cookbook: head forward only, 4h MLP    lm_head × 1; rewrite ``mlp_of_4h``; extra 4h
chinchilla: embedding as a product     part:tokens by parameters × 3; extra softmax
verl: V·h always twice                 part:tokens by parameters × 3, window ``half``
MaxText: chunks c²/2, window S·W−W²/2  PairCounting(half, continuous, half)
Zamba: one block executed 13 times     Term.executed 13, stored 2; 6N reads stored, products executed
Whisper: frames halved by the stride   axis ``frame`` with its own Lengths
OpenELM: other widths in each layer    one layer kind per layer, merged rows per measure
V3.2's indexer                         component attention_indexer, pairs limited by top_k
torchtitan: no second head for MTP     section:mtp&lm_head × 0
=====================================  ======================================================
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Literal

import msgspec

from mfu_gui.engine.model import ModelSpec
from mfu_gui.engine.scenario import OptionValue
from mfu_gui.engine.terms import EXACT, Measure, PairCounting

By = Literal["products", "parameters", "all_parameters", "executed_parameters"]
Kind = Literal["model", "hardware"]
Status = Literal["sound", "quirk", "undefined"]
Number = int | Fraction
Values = tuple[tuple[str, OptionValue], ...]


class Count(msgspec.Struct, frozen=True, kw_only=True, cache_hash=True, gc=False):
    """One rule: which terms, counted how, with how many passes.

    ``select``: names of components, ``kind:matrix``, ``store:attention``, ``part:q``, ``section:mtp``,
    ``stack:vision``, several of them joined with ``&``, or ``*``; any entry selects.  ``by``:
    ``products`` the term's own FLOPs; ``parameters`` 2 FLOPs for each parameter a position uses
    (``all_parameters``: for each stored one, all experts included; ``executed_parameters``: once per
    execution of a shared block).  ``passes`` 3 is forward and backward.  ``when``: for ``tied`` or
    ``untied`` heads only, or for ``hybrid`` models (state layers beside attention) only.  ``shown_as``
    names the component in results; empty keeps the ledger's.
    """

    select: tuple[str, ...]
    by: By = "products"
    passes: Number = 3
    when: Literal["", "tied", "untied", "hybrid"] = ""
    shown_as: str = ""


class Extra(msgspec.Struct, frozen=True, kw_only=True):
    """A term of the convention that no row of the ledger holds: ``per_unit`` forward FLOPs in the
    whole model for each unit of ``measure``."""

    per_unit: Number
    measure: Measure
    passes: Number = 3
    component: str = "other"
    counting: PairCounting | None = None


class Rewrite(msgspec.Struct, frozen=True, cache_hash=True):
    """What a framework fails to see: a change of the model, and the sentence that says so.

    ``change`` takes the model and ``values`` by name, and returns the same object when nothing
    changes.  ``text`` is a message id with placeholders for ``values``.
    """

    text: str
    change: Callable[..., ModelSpec]
    values: Values = ()

    def __call__(self, model: ModelSpec) -> ModelSpec:
        """The model as it is seen."""
        return self.change(model, **dict(self.values))


class Extras(msgspec.Struct, frozen=True, cache_hash=True):
    """Additions of a convention and the sentence that names them; ``find`` takes the model and
    ``values`` by name.  ``replaces``: the component that the addition stands in for."""

    text: str
    find: Callable[..., tuple[Extra, ...]]
    values: tuple[tuple[str, OptionValue | Fraction], ...] = ()
    replaces: str = ""

    def __call__(self, model: ModelSpec) -> tuple[Extra, ...]:
        """The additions for ``model``."""
        return self.find(model, **dict(self.values))


class StatusRule(msgspec.Struct, frozen=True, kw_only=True, cache_hash=True):
    """For models where ``applies``, the convention has this status, for this reason (a message id)."""

    applies: Callable[[ModelSpec], bool]
    status: Status
    reason: str


class Option(msgspec.Struct, frozen=True, kw_only=True, cache_hash=True):
    """A choice the convention leaves open; ``change`` returns the convention with a value chosen.

    The values are those listed, or, where ``maximum`` is set, whole numbers from ``minimum`` to it.
    """

    name: str
    title: str
    default: OptionValue
    change: Callable[[Convention, OptionValue], Convention]
    values: tuple[OptionValue, ...] = (True, False)
    minimum: int = 0
    maximum: int | None = None

    def accepts(self, value: OptionValue) -> bool:
        """Whether ``value`` can be chosen."""
        if isinstance(value, bool) != isinstance(self.default, bool):
            return False
        if self.maximum is not None:
            return isinstance(value, int) and self.minimum <= value <= self.maximum
        return value in self.values

    def allowed(self) -> str:
        """The values in words of JSON, for an error."""
        if self.maximum is not None:
            return f"{self.minimum} … {self.maximum}"
        return ", ".join(str(v).lower() if isinstance(v, bool) else str(v) for v in self.values)


class Convention(msgspec.Struct, frozen=True, kw_only=True, cache_hash=True):
    """One way to count.  ``title``, ``summary`` and reasons are English message ids.

    ``valid_from`` and ``valid_until`` (exclusive) bound the months, ``YYYY-MM``, in which this was the
    rule; empty is open.  ``gradients``: ``needed`` leaves out gradients that a run does not compute
    (frozen weights), ``always`` charges the backward pass as twice the forward whatever is trained.
    """

    id: str
    title: str
    summary: str
    source: str
    valid_from: str = ""
    valid_until: str = ""
    kind: Kind = "model"
    counts: tuple[Count, ...]
    counting: PairCounting = EXACT
    rewrites: tuple[Rewrite, ...] = ()
    extras: tuple[Extras, ...] = ()
    options: tuple[Option, ...] = ()
    statuses: tuple[StatusRule, ...] = ()
    mtp: Literal["run", "never", "model"] = "run"
    """Whether prediction depths are counted as the run says, never, or as many as the model has."""
    gradients: Literal["needed", "always"] = "always"

    def status(self, model: ModelSpec) -> tuple[Status, str]:
        """Whether the convention fits ``model``, and why not: (status, message id).

        An ``undefined`` rule comes before any ``quirk``.
        """
        quirk: tuple[Status, str] | None = None
        for rule in self.statuses:
            if (quirk is None or rule.status == "undefined") and rule.applies(model):
                if rule.status == "undefined":
                    return rule.status, rule.reason
                quirk = rule.status, rule.reason
        return quirk or ("sound", "")

    def quirks(self, model: ModelSpec) -> tuple[str, ...]:
        """All reasons (message ids) that apply to ``model``, undefined ones first."""
        found = [rule for rule in self.statuses if rule.applies(model)]
        return tuple(rule.reason for rule in sorted(found, key=lambda rule: rule.status != "undefined"))
