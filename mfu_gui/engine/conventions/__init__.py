"""Conventions: look one up, set its options, read a model by it.

``id`` names the rule of the source that the table cites; ``id@YYYY-MM`` the rule in force in that
month.  The table holds one row for each rule; any month is answered by the rule of that time.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import lru_cache

from msgspec.structs import replace

from mfu_gui.engine.conventions.base import Convention, Option
from mfu_gui.engine.conventions.table import CONVENTIONS
from mfu_gui.engine.errors import InputError
from mfu_gui.engine.scenario import ConventionChoice, OptionValue

BY_ID: dict[str, Convention] = {convention.id: convention for convention in CONVENTIONS}
DATED = re.compile(r"(?P<family>[a-z0-9-]+)@(?P<month>20\d\d-(0[1-9]|1[0-2]))")

__all__ = ["BY_ID", "CONVENTIONS", "Convention", "Option", "chosen", "find", "in_force"]


def find(convention_id: str) -> Convention:
    """The convention with this id; InputError ``unknown_convention`` offers the nearest."""
    convention = BY_ID.get(convention_id) or in_force(convention_id)
    if convention is None:
        near = get_close_matches(convention_id, BY_ID, n=3, cutoff=0.4)
        raise InputError("unknown_convention", "convention.id", id=convention_id, nearest=", ".join(near))
    return convention


@lru_cache(maxsize=256)
def in_force(convention_id: str) -> Convention | None:
    """The rule of a dated id, under that id; None when there was none, or the id is not dated."""
    match = DATED.fullmatch(convention_id)
    if match is None:
        return None
    month = match["month"]
    rules = [c for c in CONVENTIONS if c.id.partition("@")[0] == match["family"]
             and c.valid_from and c.valid_from <= month and not ("" < c.valid_until <= month)]
    if not rules:
        return None
    return replace(max(rules, key=lambda c: c.valid_from), id=convention_id)


def chosen(choice: ConventionChoice) -> Convention:
    """The chosen convention with its options applied; InputError for an option or value it does not have."""
    if not choice.options:
        return find(choice.id)
    return _with_options(choice.id, tuple(sorted((name, type(v).__name__, v) for name, v in choice.options.items())))


@lru_cache(maxsize=256)
def _with_options(convention_id: str, options: tuple[tuple[str, str, OptionValue], ...]) -> Convention:
    convention = find(convention_id)
    # Sorted by name, because an option may build on what an earlier one did.
    for name, _, value in options:
        option = next((o for o in convention.options if o.name == name), None)
        if option is None:
            raise InputError("unknown_option", "convention.options", name=name, id=convention_id,
                             allowed=", ".join(o.name for o in convention.options))
        if not option.accepts(value):
            raise InputError("unknown_choice", f"convention.options.{name}", value=value, allowed=option.allowed())
        if value != option.default:
            convention = option.change(convention, value)
    return convention
