"""Terms of a ledger that no convention tells apart, added up.

Layer kinds repeat the same parts with other widths (OpenELM has 28 kinds); a convention asks for
component, part, kind and the like only, so such terms are summed once per model and then read by
every convention.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import msgspec

from mfu_gui.engine.conventions.base import By, Convention, Count
from mfu_gui.engine.ledger import ledger
from mfu_gui.engine.model import ModelSpec
from mfu_gui.engine.run import Trainable
from mfu_gui.engine.terms import Measure, ParameterKind, Term

Signature = tuple[str, str, str, str, str, str]


class Group(msgspec.Struct, frozen=True, cache_hash=True):
    """Terms alike in everything a convention can ask for.

    ``products``, ``used``, ``all`` and ``executed`` are forward FLOPs per unit under the four ways of
    counting (see ``Count.by``); ``backward`` those of the backward products that a run needs.
    """

    component: str
    store: str
    part: str
    stack: str
    section: str
    kind: ParameterKind
    in_layer: bool
    measure: Measure
    products: int
    used: int
    all: int
    executed: int
    backward: int

    @property
    def signature(self) -> Signature:
        """What ``Count.select`` can look at."""
        return self.component, self.store, self.part, self.stack, self.section, self.kind

    def per_unit(self, by: By) -> int:
        """Forward FLOPs per unit when counted ``by``."""
        if by == "products":
            return self.products
        if by == "parameters":
            return self.used
        return self.all if by == "all_parameters" else self.executed


@lru_cache(maxsize=128)
def groups_of(model: ModelSpec, depths: int, as_executed: bool, trainable: Literal["full"] | Trainable,
              ) -> tuple[Group, ...]:
    """The groups of a model's ledger, in its order."""
    sums: dict[tuple[object, ...], list[int]] = {}
    for term in ledger(model, depths, as_executed, trainable).terms:
        key = (term.component, term.store, term.part, term.stack, term.section, term.kind, bool(term.layer),
               term.measure)
        total = sums.get(key)
        if total is None:
            total = sums[key] = [0, 0, 0, 0, 0]
        total[0] += term.per_unit * term.executed
        total[4] += (term.per_unit * term.backward_passes + term.backward_extra) * term.executed
        _add_parameters(term, total)
    return tuple(Group(*key, *total) for key, total in sums.items())  # type: ignore[arg-type]


def _add_parameters(term: Term, total: list[int]) -> None:
    size = 2 * term.rows * term.columns
    if not size:
        return
    used = size * min(term.used, term.copies)
    total[1] += term.stored * used
    total[2] += term.stored * size * term.copies
    total[3] += term.executed * used


FIELDS = ("component", "store", "part", "stack", "section", "kind")


def _entry_selects(entry: str, signature: Signature) -> bool:
    for condition in entry.split("&"):
        key, _, value = condition.partition(":")
        found = signature[FIELDS.index(key)] == value if value else condition in ("*", signature[0])
        if not found:
            return False
    return True


class Selector:
    """Which count of a convention takes a term; answers are kept, since models share signatures."""

    __slots__ = ("_counts", "_known")

    def __init__(self, convention: Convention, tied: bool) -> None:
        self._counts = tuple(c for c in convention.counts if not c.when or (c.when == "tied") == tied)
        self._known: dict[Signature, Count | None] = {}

    def __call__(self, signature: Signature) -> Count | None:
        """The first count that selects ``signature``; None when none does, or with no passes."""
        try:
            return self._known[signature]
        except KeyError:
            found = next((c for c in self._counts if any(_entry_selects(e, signature) for e in c.select)), None)
            if found is not None and not found.passes:
                found = None
            self._known[signature] = found
            return found


@lru_cache(maxsize=256)
def selector(convention: Convention, tied: bool) -> Selector:
    """The selector of a convention for models with tied or separate heads."""
    return Selector(convention, tied)
