"""Where the command line writes: results, messages, and a log for what went wrong inside."""

from __future__ import annotations

import os
import sys
from typing import TextIO


def prepare() -> None:
    """Let texts in any script be written, whatever the terminal can show."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")


def text(content: str) -> None:
    """A result for people."""
    sys.stdout.write(content)


def data(content: bytes) -> None:
    """A result for programs: UTF-8 whatever the locale."""
    binary = getattr(sys.stdout, "buffer", None)
    if binary is None:  # a stream of text only, as tests may give
        sys.stdout.write(content.decode())
        return
    sys.stdout.flush()
    binary.write(content)


def message(line: str) -> None:
    """A message on one line of standard error; a closed standard error is nobody's concern."""
    try:
        sys.stderr.write(line + "\n")
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):
        return


def flush() -> None:
    """Write out what is waiting, so that a broken pipe shows while it can still be handled."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()


def abandon() -> None:
    """After a broken pipe: what is still waiting goes nowhere, and Python's own exit stays silent."""
    for stream in (sys.stdout, sys.stderr):
        _abandon(stream)


def _abandon(stream: TextIO) -> None:
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
    except (OSError, ValueError, AttributeError):
        return


def log(error: BaseException) -> str | None:
    """Write the traceback to a new file among the logs and return its path; None when that fails too."""
    import traceback
    from datetime import UTC, datetime

    from mfu_gui import __version__
    from mfu_gui.formats.folders import log_folder

    now = datetime.now(UTC)
    lines = [f"mfu-gui {__version__}, Python {sys.version}, {sys.platform}, {now.isoformat()}\n",
             *traceback.format_exception(error)]
    try:
        folder = log_folder()
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"error-{now:%Y%m%d-%H%M%S}-{os.getpid()}.log"
        path.write_text("".join(lines), encoding="utf-8", errors="backslashreplace")
    except OSError:
        return None
    return str(path)
