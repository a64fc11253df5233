"""Presets, shipped and of the user."""

from __future__ import annotations

from mfu_gui.texts.marking import N_

SENTENCES: dict[str, str | tuple[str, ...]] = {
    "unknown_preset": (
        N_("There is no preset “{id}”; did you mean “{nearest}”?"),
        N_("There is no preset “{id}”."),
    ),
    "preset_taken": N_("A preset with the id “{id}” comes with the program; choose another id."),
    "preset_exists": N_("You already have a preset with the id “{id}”."),
    "bad_preset_id": N_("“{id}” cannot be an id: use small letters, digits, hyphens and full stops."),
}
