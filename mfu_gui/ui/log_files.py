"""Whether a file that was given to the window is a training log: told by its content, as everything is."""

from __future__ import annotations

from pathlib import Path

from mfu_gui.engine.errors import InputError
from mfu_gui.formats.training_logs.event_file import is_event_file
from mfu_gui.formats.training_logs.text_source import Cleaner, encoding_of, open_log

_HEAD = 64 * 1024
_JSON_LOGS = (b'"log_history"', b'"train_runtime"', b'"train_steps_per_second"', b'"iteration-time"')


def is_log(path: Path) -> bool:
    """Whether it should be read as a log: any text that is no JSON, JSON lines, and the JSON that trainers leave.

    What cannot be opened is none; whoever opens it otherwise says why.
    """
    try:
        file, _ = open_log(path)
    except InputError:
        return False
    with file:
        try:
            head = file.read(_HEAD)
        except OSError:
            return False
    if is_event_file(head):
        return True
    encoding = encoding_of(head)
    if not head.strip() or encoding is None:
        return False
    text = Cleaner(encoding).lines(head, True).strip()
    if not text.startswith(b"{") or text.startswith(b"{'") or path.suffix == ".jsonl":
        return path.suffix not in (".mfu", ".mfuw", ".json")
    lines = [line for line in text.split(b"\n", 3) if line.strip()]
    if len(lines) > 1 and all(line.startswith(b"{") and line.rstrip().endswith(b"}") for line in lines[:2]):
        return True
    return any(word in text for word in _JSON_LOGS)
