"""Builder: collects the terms of one layer kind; each mixer and ffn writes through it.

To count a new kind of mixer: add its Struct to ``engine/model``, write ``count_<name>(mixer, build)``
with ``build.scope(component, store)``, and register it in ``ledger.COUNTERS``.

Gradients: ``build.x`` says whether the gradient of what the part reads is needed.  ``matrix`` and
``product`` return whether that of their output is, so that a counter passes it on to what comes
next, and returns that of its own output.  When everything is trained all of this is True.
"""

from __future__ import annotations

from mfu_gui.engine.terms import Axis, Measure, ParameterKind, Section, Term
from mfu_gui.engine.training import FULL, Policy


class Builder:
    """Where the terms of one layer kind go, with what they have in common."""

    def __init__(self, *, stack: str, axis: Axis, hidden: int, layer: str = "", executed: int = 1, stored: int = 1,
                 section: Section = "main", as_executed: bool = False, axes: frozenset[str] = frozenset(),
                 policy: Policy = FULL, x: bool = True, sources: dict[str, bool] | None = None) -> None:
        self.stack = stack
        self.axis: Axis = axis
        self.hidden = hidden
        self.inputs = hidden
        """Width of what a mixer reads; differs from ``hidden`` in some shared blocks only."""
        self.layer = layer
        self.executed = executed
        self.stored = stored
        self.section: Section = section
        self.as_executed = as_executed
        self.axes = axes
        self.policy = policy
        self.x = x
        self.sources = sources or {}
        self.terms: list[Term] = []

    def source_axis(self, wanted: Axis) -> Axis:
        """The axis that keys of cross-attention live on: an encoder over frames is on ``frame``."""
        if wanted == "encoder" and "encoder" not in self.axes and "frame" in self.axes:
            return "frame"
        return wanted

    def positions(self) -> Measure:
        """Once a position of this stack."""
        return Measure("positions", self.axis)

    def scope(self, component: str, store: str) -> Scope:
        """A writer for one component."""
        return Scope(self, component, store)

    def add(self, component: str, store: str, part: str, *, rows: int = 0, columns: int = 1, copies: int = 1,
            used: int = 1, kind: ParameterKind = "none", per_unit: int = 0, measure: Measure,
            weight_gradient: bool = True, input_gradient: bool = True, backward_extra: int = 0) -> None:
        """Append one term with this builder's stack, layer and counts."""
        # By place: with names, making terms would take a sixth of the time that counting a model takes.
        self.terms.append(Term(
            component, store, part, self.stack, measure, self.layer, self.executed, self.stored, rows, columns, copies,
            used, kind, per_unit, self.section, weight_gradient, input_gradient, backward_extra, self.policy.weights))


class Scope:
    """Writes the terms of one component."""

    __slots__ = ("_build", "_component", "_store")

    def __init__(self, build: Builder, component: str, store: str) -> None:
        self._build = build
        self._component = component
        self._store = store

    def matrix(self, part: str, rows: int, columns: int, *, bias: bool = False, copies: int = 1, used: int = 1,
               axis: Axis | None = None, needs: bool | None = None, measure: Measure | None = None,
               times: int = 1) -> bool:
        """``copies`` matrices of ``rows × columns`` of which a position uses ``used``:
        2·rows·columns·used FLOPs a position, ``times`` as many where it passes through more than once.
        A bias adds parameters and no product.

        ``needs``: whether the gradient of the input is needed (default: ``build.x``).  Returns whether
        that of the output is.
        """
        build = self._build
        needs = build.x if needs is None else needs
        trained = build.policy.weights
        measure = measure or Measure("positions", axis or build.axis)
        build.add(self._component, self._store, part, rows=rows, columns=columns, copies=copies, used=used,
                  kind="matrix", per_unit=2 * rows * columns * used * times, measure=measure, weight_gradient=trained,
                  input_gradient=needs)
        if bias:
            build.add(self._component, self._store, part + "_bias", rows=columns, copies=copies, used=used,
                      kind="bias", measure=measure)
        if build.policy.rank and build.policy.adapts(self._component, part):
            self._adapter(part, rows, columns, copies, used * times, measure, needs)
            return True
        return needs or trained

    def _adapter(self, part: str, rows: int, columns: int, copies: int, used: int, measure: Measure,
                 needs: bool) -> None:
        """Two trained matrices ``rows × rank`` and ``rank × columns`` beside a frozen one."""
        rank = self._build.policy.rank
        for name, height, width, gradient in (("_lora_a", rows, rank, needs), ("_lora_b", rank, columns, True)):
            self._build.add(self._component, self._store, part + name, rows=height, columns=width, copies=copies,
                            used=used, kind="matrix", per_unit=2 * height * width * used, measure=measure,
                            input_gradient=gradient)

    def vector(self, part: str, size: int, *, kind: ParameterKind = "vector", copies: int = 1) -> None:
        """``copies`` learned vectors without a product."""
        self._build.add(self._component, self._store, part, rows=size, copies=copies, used=copies, kind=kind,
                        measure=self._build.positions())

    def product(self, part: str, per_unit: int, measure: Measure, *, first: bool = True, second: bool = True) -> bool:
        """A product of two activations: no parameters.  ``first`` and ``second``: whether the gradients
        of its factors are needed.  Returns whether that of the product is."""
        self._build.add(self._component, self._store, part, per_unit=per_unit, measure=measure, input_gradient=first,
                        weight_gradient=second)
        return first or second

    def backward_only(self, part: str, per_unit: int, measure: Measure) -> None:
        """FLOPs that the backward pass has beyond (or, below zero, short of) its products."""
        self._build.add(self._component, self._store, part, backward_extra=per_unit, measure=measure)
