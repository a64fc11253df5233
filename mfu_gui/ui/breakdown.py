"""The breakdown of one result as a tree: components or parts of the model, down to single products.  No Qt here."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple

from mfu_gui.engine.fields import N_
from mfu_gui.engine.pieces import Counted, Piece, pieces_of
from mfu_gui.engine.scenario import Result, Scenario
from mfu_gui.engine.terms import Term
from mfu_gui.texts import Translator
from mfu_gui.texts.components import COMPONENTS
from mfu_gui.ui.formulas import component_name

STACK_NAMES = {"decoder": N_("Decoder"), "encoder": N_("Encoder"), "vision": N_("Vision tower"),
               "": N_("The convention's own")}
MAIN_KIND = "layer"
"""Name of the kind in models that have only one."""


class Figures(NamedTuple):
    """FLOPs of a step (of a sequence, where the batch is not known) and parameters."""

    parameters: int = 0
    forward: int = 0
    backward: int = 0
    recompute: int = 0

    @property
    def flops(self) -> int:
        """Forward and backward together."""
        return self.forward + self.backward


class Node(NamedTuple):
    """One row.  ``component`` decides the colour; ``children`` is asked for when the row is opened, and is None
    for rows that cannot be.  ``lines`` and ``stored`` are what the formulas of its cells are made from."""

    key: str
    name: str
    component: str
    layers: int | None
    figures: Figures
    children: Callable[[], tuple[Node, ...]] | None
    lines: Callable[[], tuple[Counted, ...]]
    stored: Callable[[], tuple[Term, ...]]


class Breakdown:
    """All that the table and the pictures show of one result."""

    def __init__(self, scenario: Scenario, result: Result, tr: Translator) -> None:
        self.scenario = scenario
        self.result = result
        self._tr = tr
        self._pieces: tuple[Piece, ...] | None = None
        flops = result.flops
        self.whole = sum(part.forward + part.backward for part in flops.components.values())
        self.tokens = self.whole / flops.per_token if flops.per_token else 0.0

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """The pieces of the result."""
        if self._pieces is None:
            self._pieces = pieces_of(self.scenario)
        return self._pieces

    def by_component(self) -> tuple[Node, ...]:
        """Components, those with FLOPs first; in each the layer kinds, in these the products."""
        order = {name: number for number, name in enumerate(COMPONENTS)}
        groups: dict[str, list[Piece]] = {}
        for piece in self.pieces:
            groups.setdefault(piece.component, []).append(piece)
        names = sorted(groups, key=lambda name: (not any(p.lines for p in groups[name]), order.get(name, len(order))))
        return tuple(self._component(name, groups[name], name) for name in names)

    def by_structure(self) -> tuple[Node, ...]:
        """Stacks, in these the layer kinds, in these the components; a single stack is left out."""
        stacks: dict[str, list[Piece]] = {}
        for piece in self.pieces:
            stacks.setdefault(piece.stack, []).append(piece)
        if len([stack for stack in stacks if stack]) == 1:
            main = next(stack for stack in stacks if stack)
            rest = [self._group(f"stack:{stack}", self._stack_name(stack), None, pieces, self._in_stack)
                    for stack, pieces in stacks.items() if stack != main]
            return (*self._in_stack(stacks[main], ""), *rest)
        return tuple(self._group(f"stack:{stack}", self._stack_name(stack), None, pieces, self._in_stack)
                     for stack, pieces in stacks.items())

    def _in_stack(self, pieces: list[Piece], key: str) -> tuple[Node, ...]:
        """Layer kinds in the order they are met, and what is outside of layers as its components."""
        kinds: dict[tuple[str, str], list[Piece]] = {}
        found: list[Node] = []
        for piece in pieces:
            if piece.layer:
                kinds.setdefault((piece.layer, piece.section), []).append(piece)
        for (layer, section), inside in kinds.items():
            layers = max(piece.layers for piece in inside)
            name = self._kind_name(layer, section)
            found.append(self._group(f"{key}/kind:{layer}:{section}", name, layers, inside, self._components))
        outside = [piece for piece in pieces if not piece.layer]
        return (*found, *self._components(outside, f"{key}/outside"))

    def _components(self, pieces: list[Piece], key: str) -> tuple[Node, ...]:
        groups: dict[str, list[Piece]] = {}
        for piece in pieces:
            groups.setdefault(piece.component, []).append(piece)
        return tuple(self._component(name, group, f"{key}/{name}") for name, group in groups.items())

    def _group(self, key: str, name: str, layers: int | None, pieces: list[Piece],
               children: Callable[[list[Piece], str], tuple[Node, ...]]) -> Node:
        return Node(key, name, "", layers, _sum(pieces), partial(children, pieces, key), partial(_lines, pieces),
                    partial(_stored, pieces))

    def _component(self, name: str, pieces: list[Piece], key: str) -> Node:
        kinds = {(piece.stack, piece.layer, piece.section) for piece in pieces if piece.layer}
        layers = sum(max(p.layers for p in pieces if (p.stack, p.layer, p.section) == kind) for kind in kinds) or None
        children = partial(self._places, pieces, key) if len(pieces) > 1 else partial(self._products, pieces, key)
        return Node(key, component_name(name, self._tr), name, layers, _sum(pieces), children,
                    partial(_lines, pieces), partial(_stored, pieces))

    def _places(self, pieces: list[Piece], key: str) -> tuple[Node, ...]:
        """Where in the model a component is."""
        several = len({piece.stack for piece in pieces}) > 1
        found = []
        for piece in pieces:
            name = self._kind_name(piece.layer, piece.section) if piece.layer else self._tr("Outside the layers")
            if several:
                name = f"{self._stack_name(piece.stack)} · {name}"
            place = f"{key}/{piece.stack}:{piece.layer}:{piece.section}"
            found.append(Node(place, name, piece.component, piece.layers or None, _sum([piece]),
                              partial(self._products, [piece], place), partial(_lines, [piece]),
                              partial(_stored, [piece])))
        return tuple(found)

    def _products(self, pieces: list[Piece], key: str) -> tuple[Node, ...]:
        """Matrices and products by their names."""
        piece = pieces[0]
        parts: dict[str, tuple[list[Counted], list[Term]]] = {}
        for counted in piece.lines:
            name = counted.line.term.part if counted.line.term is not None else counted.line.component
            parts.setdefault(name, ([], []))[0].append(counted)
        for term in piece.stored:
            parts.setdefault(term.part, ([], []))[1].append(term)
        return tuple(self._product(f"{key}#{name}", name, piece.component, *part) for name, part in parts.items())

    def _product(self, key: str, name: str, component: str, lines: list[Counted], terms: list[Term]) -> Node:
        figures = Figures(sum(t.parameters for t in terms), *(round(sum(getattr(c, what) for c in lines))
                                                              for what in ("forward", "backward", "recompute")))
        found = [c.line.term for c in lines if c.line.term is not None] or terms
        layers = sum(term.executed for term in found if term.layer) or None
        return Node(key, name, component, layers, figures, None, lambda: tuple(lines), lambda: tuple(terms))

    def _stack_name(self, stack: str) -> str:
        return self._tr(STACK_NAMES.get(stack, stack))

    def _kind_name(self, layer: str, section: str) -> str:
        tr = self._tr
        name = tr("All layers") if layer == MAIN_KIND else tr("Layers: {kind}", kind=layer)
        return name if section == "main" else tr("Multi-token prediction: {name}", name=name)


def _sum(pieces: Iterable[Piece]) -> Figures:
    pieces = list(pieces)
    return Figures(*(sum(getattr(piece, what) for piece in pieces) for what in Figures._fields))


def _lines(pieces: list[Piece]) -> tuple[Counted, ...]:
    return tuple(line for piece in pieces for line in piece.lines)


def _stored(pieces: list[Piece]) -> tuple[Term, ...]:
    return tuple(term for piece in pieces for term in piece.stored)
