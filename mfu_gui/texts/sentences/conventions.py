"""Conventions: which exist, and what one means for a model."""

from __future__ import annotations

from mfu_gui.texts.marking import N_

SENTENCES: dict[str, str | tuple[str, ...]] = {
    "unknown_convention": (
        N_("There is no convention “{id}”; did you mean “{nearest}”?"),
        N_("There is no convention “{id}”."),
    ),
    "unknown_option": (
        N_("The convention has no option “{name}”; it has: {allowed}."),
        N_("The convention has no option “{name}”."),
    ),
}
