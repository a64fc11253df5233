"""Terms of a ledger that no convention tells apart, added up; and which rule of a convention takes which.

Layer kinds repeat the same parts with other widths (OpenELM has 28 kinds); a convention asks for
component, part, kind and the like only, so such terms are summed once per model and then read by
every convention.  Models of one structure have the same signatures, so what a convention does with
them is decided once per structure.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import msgspec

from mfu_gui.engine.conventions.base import By, Convention, Count
from mfu_gui.engine.ledger import terms_of
from mfu_gui.engine.model import ModelSpec
from mfu_gui.engine.run import Trainable
from mfu_gui.engine.terms import Measure, ParameterKind

FIELDS = ("component", "store", "part", "stack", "section", "kind")
Signature = tuple[str, str, str, str, str, ParameterKind, bool]
"""component, store, part, stack, section, kind, whether it belongs to a layer."""
Amounts = tuple[int, int, int, int, int]
"""Forward FLOPs per unit as products, used, all and executed parameters, and those of the backward
products that a run needs."""
INDEX: dict[By, int] = {"products": 0, "parameters": 1, "all_parameters": 2, "executed_parameters": 3}
BACKWARD = 4


class Shape:
    """The signatures of a model's groups; one object for all models that have the same ones."""

    __slots__ = ("signatures",)

    def __init__(self, signatures: tuple[Signature, ...]) -> None:
        self.signatures = signatures


class Layout:
    """A shape and what its groups are per; one object for all models that have the same."""

    __slots__ = ("measures", "shape")

    def __init__(self, shape: Shape, measures: tuple[Measure, ...]) -> None:
        self.shape = shape
        self.measures = measures


class Groups(msgspec.Struct, frozen=True, gc=False):
    """The groups of one ledger, side by side: signature, measure and amounts have the same index."""

    layout: Layout
    amounts: tuple[Amounts, ...]

    @property
    def shape(self) -> Shape:
        return self.layout.shape

    @property
    def measures(self) -> tuple[Measure, ...]:
        return self.layout.measures


@lru_cache(maxsize=128)
def _shape_of(signatures: tuple[Signature, ...]) -> Shape:
    return Shape(signatures)


@lru_cache(maxsize=128)
def _layout_of(shape: Shape, measures: tuple[Measure, ...]) -> Layout:
    return Layout(shape, measures)


@lru_cache(maxsize=128)
def groups_of(model: ModelSpec, depths: int, as_executed: bool, trainable: Literal["full"] | Trainable) -> Groups:
    """The groups of a model's ledger, in its order."""
    sums: dict[tuple[Signature, Measure], list[int]] = {}
    for term in terms_of(model, depths, as_executed, trainable):
        key = ((term.component, term.store, term.part, term.stack, term.section, term.kind, bool(term.layer)),
               term.measure)
        total = sums.get(key)
        if total is None:
            total = sums[key] = [0, 0, 0, 0, 0]
        executed, per_unit = term.executed, term.per_unit
        if per_unit:
            total[0] += per_unit * executed
            total[4] += per_unit * executed * (term.weight_gradient + term.input_gradient)
        if term.backward_extra:
            total[4] += term.backward_extra * executed
        if term.rows:
            size, copies, used = 2 * term.rows * term.columns, term.copies, term.used
            stored, passed = term.stored * size, size * (used if used < copies else copies)
            total[1] += term.stored * passed
            total[2] += stored * copies
            total[3] += executed * passed
    shape = _shape_of(tuple(signature for signature, _ in sums))
    layout = _layout_of(shape, tuple(measure for _, measure in sums))
    return Groups(layout, tuple(tuple(t) for t in sums.values()))  # type: ignore[misc]


class Taken(msgspec.Struct, frozen=True, gc=False):
    """A group that a convention counts: its index, the rule, and the amount the rule reads."""

    # Not tracked by the collector of garbage, as are all values that hold only values: they cannot be part of a
    # cycle, and with tens of thousands in the caches each collection would take a tenth of a second.

    index: int
    count: Count
    amount: int


def _entry_selects(entry: str, signature: Signature) -> bool:
    for condition in entry.split("&"):
        key, _, value = condition.partition(":")
        found = signature[FIELDS.index(key)] == value if value else condition in ("*", signature[0])
        if not found:
            return False
    return True


def rule_for(convention: Convention, signature: Signature, facts: frozenset[str]) -> Count | None:
    """The first rule of ``convention`` that selects a group; None when none does."""
    for count in convention.counts:
        if count.when and count.when not in facts:
            continue
        if any(_entry_selects(entry, signature) for entry in count.select):
            return count
    return None


@lru_cache(maxsize=2048)
def taken(convention: Convention, shape: Shape, facts: frozenset[str]) -> tuple[Taken, ...]:
    """What ``convention`` counts of models of one structure; ``facts`` are what ``Count.when`` asks."""
    found = []
    for index, signature in enumerate(shape.signatures):
        count = rule_for(convention, signature, facts)
        if count is not None and count.passes:
            found.append(Taken(index, count, INDEX[count.by]))
    return tuple(found)
