"""LogImport: reads a log in a process of its own (`mfu-gui log --format jsonl`), so that the window never waits.

First points come while it reads, then all steps in blocks, then the summary; what arrives is taken in in short turns
of the event loop.
"""

from __future__ import annotations

import contextlib
import sys
import tempfile
from collections import deque
from pathlib import Path
from time import perf_counter
from typing import Any

import msgspec
from PySide6.QtCore import QObject, QProcess, QTimer, Signal

from mfu_gui.formats.training_logs.mapping import LogMapping, write_mapping
from mfu_gui.ui.log_data import COLUMNS, LogData

BLOCK = 4096
_TURN_S = 0.008
_KILL_MS = 2000


def program() -> list[str]:
    """What starts this program again: the bundle itself, or Python with the package."""
    return [sys.executable] if getattr(sys, "frozen", False) else [sys.executable, "-m", "mfu_gui"]


class LogImport(QObject):
    """One log of a document.  ``changed`` follows whatever is new; ``state`` says where it is."""

    changed = Signal()

    def __init__(self, path: Path, language: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.path = path
        self.language = language
        self.data = LogData()
        self.state = "reading"
        """``reading``, ``loading`` (all read, steps arriving), ``ready``, ``failed``, ``cancelled``."""
        self.share = 0.0
        """Share of the file that is read; below 0 when its size is not known."""
        self.error = ""
        self.follow = False
        self.answers: dict[str, str] = {}
        self.mapping: LogMapping | None = None
        self.names: list[str] = []
        """Names in a table of which none is known; the user may say what they mean."""
        self.wanted = ""
        """Id of the format that the user chose."""
        self._process: QProcess | None = None
        self._rest = b""
        self._lines: deque[bytes] = deque()
        self._arriving: LogData | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._turn)

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def busy(self) -> bool:
        """Whether there is something to wait for, or to cancel."""
        return self.state in ("reading", "loading")

    @property
    def following(self) -> bool:
        """Whether the process waits for what is added to the file."""
        return self.follow and self._process is not None

    def start(self) -> None:
        """Read the log, from its beginning if it was read before."""
        self.stop()
        self.state, self.share, self.error, self.names = "reading", 0.0, "", []
        self._rest, self._arriving = b"", None
        self._lines.clear()
        process = self._process = QProcess(self)
        process.readyReadStandardOutput.connect(self._read)
        process.finished.connect(self._finished)
        process.errorOccurred.connect(self._broken)
        first, *others = program()
        process.start(first, [*others, *self.arguments()])
        self.changed.emit()

    def arguments(self) -> list[str]:
        """What the process is asked for."""
        found = ["--lang", self.language, "log", "--format", "jsonl", "--block", str(BLOCK), "--columns",
                 ",".join(COLUMNS)]
        for name, value in self.answers.items():
            found += ["--set", f"{name}={value}"]
        if self.wanted:
            found += ["--as", self.wanted]
        if self.mapping is not None:
            if self._folder is None:
                self._folder = tempfile.TemporaryDirectory(prefix="mfu-log-")
            file = Path(self._folder.name) / "mapping.json"
            write_mapping(file, self.mapping)
            found += ["--mapping", str(file)]
        return [*found, *(["--follow"] if self.follow else []), "--", str(self.path)]

    def stop(self) -> None:
        """End the process; what was read stays."""
        process, self._process = self._process, None
        self._timer.stop()
        if process is None:
            return
        for signal in (process.readyReadStandardOutput, process.finished, process.errorOccurred):
            with contextlib.suppress(RuntimeError):
                signal.disconnect()
        process.kill()
        process.waitForFinished(_KILL_MS)
        process.deleteLater()

    def cancel(self) -> None:
        """Give up reading; the points that are there stay."""
        if self.busy:
            self.stop()
            self.state = "cancelled"
            self.changed.emit()

    def set_follow(self, follow: bool) -> None:
        """Wait for what is added to the file, or no longer."""
        if follow == self.follow:
            return
        self.follow = follow
        if follow or self.busy:
            self.start()
        else:
            self.stop()
            self.changed.emit()

    def close(self) -> None:
        """The log is taken away."""
        self.stop()
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None
        self.deleteLater()

    # What arrives

    def _read(self) -> None:
        if self._process is None:
            return
        data = self._rest + bytes(self._process.readAllStandardOutput().data())
        *lines, self._rest = data.split(b"\n")
        self._lines.extend(lines)
        if self._lines and not self._timer.isActive():
            self._timer.start()

    def _turn(self) -> None:
        end = perf_counter() + _TURN_S
        while self._lines and perf_counter() < end:
            line = self._lines.popleft()
            if line:
                self._take(msgspec.json.decode(line))
        if not self._lines:
            self._timer.stop()
        self.changed.emit()

    def _take(self, message: dict[str, Any]) -> None:
        kind = message.pop("type")
        if kind == "format":
            self.data.format_name = message["name"]
        elif kind == "points":
            if not self.data.complete and self._arriving is None:
                self.data.extend(message)
        elif kind == "progress":
            self.share = message["bytes"] / message["of"] if message["of"] else -1.0
        elif kind == "steps":
            if self._arriving is None:
                self.state = "loading" if self.busy else self.state
                self._arriving = self.data if self.data.complete and self.following else LogData()
            self._arriving.extend(message)
        elif kind == "names":
            self.names = message["names"]
        elif kind == "summary":
            arrived, self._arriving = self._arriving or self.data, None
            arrived.document = message
            arrived.format_name = message["format"]["name"]
            self.data = arrived
            self.state = "ready"

    def _finished(self, status: int, _how: QProcess.ExitStatus) -> None:
        process = self._process
        if process is None:
            return
        self._read()
        while self._lines:
            self._turn()
        errors = process.readAllStandardError().toStdString().strip()
        self._process = None
        process.deleteLater()
        if self.state != "ready" or status:
            self.state = "failed" if self.state != "ready" else self.state
            self.error = errors.splitlines()[-1] if errors else ""
            self.follow = False
        self.changed.emit()

    def _broken(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart:
            self._process = None
            self.state = "failed"
            self.changed.emit()
