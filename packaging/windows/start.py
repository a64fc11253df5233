"""The first file of the program that Python runs in the Windows edition; the launchers name it.

Without a console there is nowhere to write to: what is written then is shown in a message box at the end.
"""

from __future__ import annotations

import io
import sys

import rthook_absent_modules  # noqa: F401 - puts empty modules in place of what is not shipped

# As bundles do: what starts the program again starts this executable, without naming a module.
sys.frozen = True  # type: ignore[attr-defined]


def run() -> int:
    from mfu_gui.__main__ import main

    if sys.stdout is not None and sys.stderr is not None:
        return main()
    results, complaints = io.StringIO(), io.StringIO()
    sys.stdout = sys.stdout or results
    sys.stderr = sys.stderr or complaints
    status = main()
    # What libraries murmur on the way of a run that went well is nobody's concern.
    text = (results.getvalue() + (complaints.getvalue() if status else "")).strip()
    if text:
        show(text, error=status != 0)
    return status


def show(text: str, error: bool) -> None:
    """A message box of the system."""
    import ctypes

    icon = 0x10 if error else 0x40
    ctypes.windll.user32.MessageBoxW(None, text, "MFU Calculator", icon)  # type: ignore[attr-defined]


if __name__ == "__main__":
    sys.exit(run())
