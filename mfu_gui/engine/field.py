"""Field: one quantity that can be edited, in which unit, in which range, and what it means."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import msgspec

from mfu_gui.engine.scenario import Scenario

Kind = Literal["integer", "real", "fraction", "time", "choice", "text", "set", "lengths"]
"""``set``: a tuple of some of the ``choices``; ``lengths``: a tuple of whole numbers; ``text``: words."""
Panel = Literal["model", "hardware", "run", "measured"]


def N_(message: str) -> str:
    """Mark a message for translation; the text itself is returned."""
    return message


class Field(msgspec.Struct, frozen=True, kw_only=True):
    """One editable quantity.

    ``minimum``/``maximum`` are inclusive, in ``unit``.  ``step`` "double" means that the arrow keys
    double and halve.  ``optional`` fields may be empty (None).  ``choices`` are (value, label).
    """

    key: str
    panel: Panel
    label: str
    kind: Kind
    get: Callable[[Scenario], Any]
    set: Callable[[Scenario, Any], Scenario]
    unit: str = ""
    minimum: float | None = None
    maximum: float | None = None
    step: float | Literal["double"] = 1
    optional: bool = False
    choices: tuple[tuple[str, str], ...] = ()
    help: str = ""
    main: bool = True
    """False: shown only when the panel is opened fully."""
    applies: Callable[[Scenario], bool] = lambda scenario: True
    offers: Callable[[Scenario], tuple[str, ...]] | None = None
    """Of a ``set``: which of the choices a scenario has; None for all."""
