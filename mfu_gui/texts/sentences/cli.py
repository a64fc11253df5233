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
    "explain_needs_reported": N_("Nothing is reported here that could be explained. Give the number as reported.mfu "
                                 "(0.38 is 38 %), reported.hfu or reported.tflops_per_device."),
    "explain_needs_measured": N_("Without a speed nothing can be divided. Give what was measured, such as "
                                 "run.measured.step_time_s or run.measured.tokens_per_s."),
    "explain_needs_devices": N_("The speed of one device cannot be known. Give the number of devices as run.devices."),
    "window_missing": (
        N_("The window cannot be opened: {reason}. The details are in {log}"),
        N_("The window cannot be opened: {reason}"),
    ),
}
