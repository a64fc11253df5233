"""The command line."""

from __future__ import annotations

from mfu_gui.texts.marking import N_

SENTENCES: dict[str, str | tuple[str, ...]] = {
    "internal_error": (
        N_("Something went wrong inside the program. The details are in {log}"),
        N_("Something went wrong inside the program."),
    ),
    "interrupted": N_("Interrupted."),
}
