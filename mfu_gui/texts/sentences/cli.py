"""The command line."""

from __future__ import annotations

from mfu_gui.texts.marking import N_

SENTENCES: dict[str, str | tuple[str, ...]] = {
    "internal_error": (
        N_("Something went wrong inside the program. The details are in {log}"),
        N_("Something went wrong inside the program."),
    ),
    "interrupted": N_("Interrupted."),
    "bad_usage": (
        N_("{message} (see “{command} --help”)"),
        N_("{message}"),
    ),
    "unknown_command": (
        N_("There is no command “{command}”; did you mean “{nearest}”?"),
        N_("There is no command and no file “{command}”. Commands are: {allowed}."),
        N_("There is no command “{command}”."),
    ),
    "window_missing": (
        N_("The window cannot be opened: {reason}. The details are in {log}"),
        N_("The window cannot be opened: {reason}"),
    ),
}
