"""What the window says about typed numbers and about its own state."""

from __future__ import annotations

from mfu_gui.texts.marking import N_

SENTENCES: dict[str, str | tuple[str, ...]] = {
    "number_empty": N_("Enter a number."),
    "number_unreadable": N_("“{text}” is not a number."),
    "number_groups": N_("The digits of “{text}” are not in groups of three."),
    "number_ambiguous": N_("“{text}” could mean {first} or {second}; please write one of them."),
    "number_not_whole": N_("A whole number is needed here, not “{text}”."),
    "number_unit": (
        N_("“{unit}” does not fit here; expected {expected}."),
        N_("“{unit}” does not fit here."),
    ),
    "number_too_large": N_("“{text}” is too large."),
    "list_unreadable": N_("“{text}” is not a whole number above 0; write lengths such as 1024 2048 or 4×1024."),
    "session_recovered": N_("The program ended unexpectedly; these are your changes as they were last."),
}
