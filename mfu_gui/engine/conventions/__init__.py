"""Conventions: look one up, set its options, read a model by it."""

from __future__ import annotations

from difflib import get_close_matches
from functools import lru_cache

from mfu_gui.engine.conventions.base import Convention
from mfu_gui.engine.conventions.table import CONVENTIONS
from mfu_gui.engine.errors import InputError
from mfu_gui.engine.scenario import ConventionChoice, OptionValue

BY_ID: dict[str, Convention] = {convention.id: convention for convention in CONVENTIONS}

__all__ = ["BY_ID", "CONVENTIONS", "Convention", "chosen", "find"]


def find(convention_id: str) -> Convention:
    """The convention with this id; InputError ``unknown_convention`` offers the nearest."""
    convention = BY_ID.get(convention_id)
    if convention is None:
        near = get_close_matches(convention_id, BY_ID, n=3, cutoff=0.4)
        raise InputError("unknown_convention", "convention.id", id=convention_id, nearest=", ".join(near))
    return convention


def chosen(choice: ConventionChoice) -> Convention:
    """The chosen convention with its options applied; InputError for an option or value it does not have."""
    return _with_options(choice.id, tuple(sorted(choice.options.items())))


@lru_cache(maxsize=256)
def _with_options(convention_id: str, options: tuple[tuple[str, OptionValue], ...]) -> Convention:
    convention = find(convention_id)
    for name, value in options:
        option = next((o for o in convention.options if o.name == name), None)
        if option is None:
            raise InputError("unknown_option", "convention.options", name=name, id=convention_id,
                             allowed=", ".join(o.name for o in convention.options))
        if value not in option.values or isinstance(value, bool) != isinstance(option.default, bool):
            raise InputError("unknown_choice", f"convention.options.{name}", value=value,
                             allowed=", ".join(str(v).lower() if isinstance(v, bool) else str(v) for v in option.values))
        if value != option.default:
            convention = option.change(convention, value)
    return convention
