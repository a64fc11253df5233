"""Builder: collects the terms of one layer kind; each mixer and ffn writes through it.

To count a new kind of mixer: add its Struct to ``model.py``, write ``count_<name>(mixer, build)``
with ``build.scope(component, store)``, and register it in ``ledger.COUNTERS``.
"""

from __future__ import annotations

from mfu_gui.engine.terms import Axis, Measure, ParameterKind, Section, Term


class Builder:
    """Where the terms of one layer kind go, with what they have in common."""

    def __init__(self, *, stack: str, axis: Axis, hidden: int, layer: str = "", executed: int = 1, stored: int = 1,
                 section: Section = "main", as_executed: bool = False, axes: frozenset[str] = frozenset()) -> None:
        self.stack = stack
        self.axis: Axis = axis
        self.hidden = hidden
        self.layer = layer
        self.executed = executed
        self.stored = stored
        self.section: Section = section
        self.as_executed = as_executed
        self.axes = axes
        self.terms: list[Term] = []

    def source_axis(self, wanted: Axis) -> Axis:
        """The axis that keys of cross-attention live on: an encoder over frames is on ``frame``."""
        if wanted == "encoder" and "encoder" not in self.axes and "frame" in self.axes:
            return "frame"
        return wanted

    def scope(self, component: str, store: str) -> Scope:
        """A writer for one component."""
        return Scope(self, component, store)

    def add(self, component: str, store: str, part: str, *, rows: int = 0, columns: int = 1, copies: int = 1,
            used: int = 1, kind: ParameterKind = "none", per_unit: int = 0, measure: Measure) -> None:
        """Append one term with this builder's stack, layer and counts."""
        self.terms.append(Term(
            component=component, store=store, part=part, stack=self.stack, layer=self.layer, executed=self.executed,
            stored=self.stored, rows=rows, columns=columns, copies=copies, used=used, kind=kind, per_unit=per_unit,
            measure=measure, section=self.section))


class Scope:
    """Writes the terms of one component."""

    def __init__(self, build: Builder, component: str, store: str) -> None:
        self._build = build
        self._component = component
        self._store = store

    def matrix(self, part: str, rows: int, columns: int, *, bias: bool = False, copies: int = 1, used: int = 1,
               axis: Axis | None = None) -> None:
        """``copies`` matrices of ``rows × columns`` of which a position uses ``used``:
        2·rows·columns·used FLOPs a position.  A bias adds parameters and no product."""
        measure = Measure("positions", axis or self._build.axis)
        self._build.add(self._component, self._store, part, rows=rows, columns=columns, copies=copies, used=used,
                        kind="matrix", per_unit=2 * rows * columns * used, measure=measure)
        if bias:
            self._build.add(self._component, self._store, part + "_bias", rows=columns, copies=copies, used=used,
                            kind="bias", measure=measure)

    def vector(self, part: str, size: int, *, kind: ParameterKind = "vector", copies: int = 1) -> None:
        """``copies`` learned vectors without a product."""
        self._build.add(self._component, self._store, part, rows=size, copies=copies, used=copies, kind=kind,
                        measure=Measure("positions", self._build.axis))

    def product(self, part: str, per_unit: int, measure: Measure) -> None:
        """A product of two activations: no parameters."""
        self._build.add(self._component, self._store, part, per_unit=per_unit, measure=measure)
