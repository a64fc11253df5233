"""The entry of `mfu-gui` and of `python -m mfu_gui`; `mfu_gui.cli` decides what is to be done."""

from __future__ import annotations

import sys


def main(argv: list[str] | None = None) -> int:
    """Run the command line `argv` (default: the process's own) and return its exit status."""
    from mfu_gui.cli import main as run_command_line

    return run_command_line(sys.argv[1:] if argv is None else argv)


if __name__ == "__main__":
    sys.exit(main())
