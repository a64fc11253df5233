"""Formulas with an id, a source and a domain; Figures: what they give, with the numbers behind them.

A formula is an ordinary typed function under ``@formula``.  ``FORMULAS`` finds it by its id; its
``check`` returns the remarks on numbers outside its domain, its ``figure`` the value together with
what it was made of.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Literal, ParamSpec, TypeVar

import msgspec

from mfu_gui.engine.errors import Notice, Values
from mfu_gui.engine.fields import N_

Basis = Literal["exact", "model", "assumption"]
BASES: tuple[Basis, ...] = ("exact", "model", "assumption")
"""From the surest to the least sure."""

P = ParamSpec("P")
R = TypeVar("R")

GIB = 2**30
TERA = 1e12
SECONDS_PER_HOUR = 3600
SECONDS_PER_DAY = 86400


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """One result: its value and unit, how sure it is, and where it comes from.

    ``label``, ``expression`` and ``accuracy`` are English message ids.  ``numbers`` are what the
    expression was filled with.  ``value`` is None where an input is missing.
    """

    key: str
    label: str
    value: float | int | None
    unit: str = ""
    basis: Basis = "exact"
    formula: str = ""
    expression: str = ""
    numbers: Values = {}
    accuracy: str = ""
    notices: tuple[Notice, ...] = ()
    """Warnings: these numbers lie outside what the formula was made for."""


def weakest(*bases: Basis) -> Basis:
    """The least sure of several; exact when there is none."""
    return max(bases, key=BASES.index, default="exact")


class Formula(Generic[P, R]):
    """A function with an id.  Calling it gives the plain value."""

    def __init__(self, function: Callable[P, R], formula_id: str, expression: str, unit: str, basis: Basis,
                 source: str, accuracy: str, domain: Callable[..., tuple[Notice, ...]] | None) -> None:
        self.id = formula_id
        self.expression = expression
        self.unit = unit
        self.basis: Basis = basis
        self.source = source
        self.accuracy = accuracy
        self.function = function
        self.__doc__ = function.__doc__
        self._domain = domain

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.function(*args, **kwargs)

    def check(self, *args: P.args, **kwargs: P.kwargs) -> tuple[Notice, ...]:
        """Remarks on numbers for which the formula was not made; empty inside its domain."""
        return () if self._domain is None else self._domain(*args, **kwargs)

    def figure(self, key: str, label: str, basis: Basis = "exact", **numbers: Any) -> Figure:
        """The value for ``numbers`` as a Figure; ``basis`` is that of the numbers."""
        value: Any = self.function(**numbers)  # type: ignore[call-arg]
        return Figure(key=key, label=label, value=value, unit=self.unit, basis=weakest(self.basis, basis),
                      formula=self.id, expression=self.expression, numbers=numbers, accuracy=self.accuracy,
                      notices=() if self._domain is None else self._domain(**numbers))


FORMULAS: dict[str, Formula[..., Any]] = {}
"""All formulas of the modules that were imported, by id.  Filled while they are imported, never after."""


def formula(formula_id: str, *, expression: str, unit: str = "", basis: Basis = "model", source: str,
            accuracy: str = "", domain: Callable[..., tuple[Notice, ...]] | None = None,
            ) -> Callable[[Callable[P, R]], Formula[P, R]]:
    """Give a function an id.  ``expression`` says it in words or symbols, ``source`` who published it."""

    def register(function: Callable[P, R]) -> Formula[P, R]:
        made = Formula(function, formula_id, expression, unit, basis, source, accuracy, domain)
        FORMULAS[formula_id] = made
        return made

    return register


def missing(key: str, label: str, unit: str = "") -> Figure:
    """A figure that cannot be computed because an input is not known."""
    return Figure(key=key, label=label, value=None, unit=unit)


BASIS_LABELS: dict[Basis, str] = {"exact": N_("exact"), "model": N_("model"), "assumption": N_("assumption")}
