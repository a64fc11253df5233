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
    "preset_is_shipped": N_("The preset “{id}” comes with the program and cannot be changed; save a copy under another id."),
    "id_is_not_stem": N_("The id “{id}” must be the name of the file, which is “{stem}”."),
    "damaged_installation": N_("A file of the program is damaged; please install the program again."),
    "preset_differs": N_("The installed preset “{id}” has other numbers than this file was saved with; those of the file are used."),
    "preset_missing": N_("The preset “{id}” is not installed; the numbers saved in the file are used."),
    "config_differs": N_("The config.json in this file is now read differently than when it was saved; the saved numbers are used."),
}
