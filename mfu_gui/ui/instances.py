"""One window for all files: a program that is started with files hands them to the window that is open.

The profile has a lock, which the first window holds, and beside it a folder that this window watches.  Another
process writes there what is to be opened, and ends when it was taken.  Plain files: the modules of Qt for local
sockets and for D-Bus are not in the program, and nothing here could be reached from another machine.  What is
taken is only a list of paths, opened as if they stood on the command line.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
from PySide6.QtCore import QFileSystemWatcher, QLockFile, QObject, QProcess, QProcessEnvironment, Qt
from PySide6.QtWidgets import QApplication, QWidget

from mfu_gui.engine.errors import InputError
from mfu_gui.formats import atomic

LOCK, FOLDER, ENDING = "window.lock", "to-open", ".json"
OWN_WINDOW = "MFU_GUI_NEW_WINDOW"
"""Set for a process that opens a second window whatever is open."""
WAIT_S, TURN_S = 4.0, 0.02
MOST_BYTES = 2**20
_log = logging.getLogger(__name__)


class Inbox(QObject):
    """The place where other processes put what is to be opened; of use to one window at a time."""

    def __init__(self, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._folder = folder / FOLDER
        self._lock = QLockFile(str(folder / LOCK))
        self._lock.setStaleLockTime(0)
        self._watcher: QFileSystemWatcher | None = None
        self._open: Callable[[list[str]], object] = lambda paths: None

    def take(self) -> bool:
        """Become the window for all files; False where another process is, or nothing can be written."""
        if self._lock.isLocked():
            return True
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            _log.warning("files given to other processes are not taken: %s", error)
            return False
        if not self._lock.tryLock(0):
            return False
        for left in self._folder.glob(f"*{ENDING}"):
            left.unlink(missing_ok=True)
        return True

    def listen(self, opened: Callable[[list[str]], object]) -> None:
        """From now on call ``opened`` with the paths of each request, if this is the window for them."""
        self._open = opened
        if self._lock.isLocked() and self._watcher is None:
            self._watcher = QFileSystemWatcher([str(self._folder)], self)
            self._watcher.directoryChanged.connect(lambda _path: self.look())
            self.look()  # what was put there since the lock was taken, before anything watched

    def take_if_free(self) -> None:
        """The window for all files may have been closed: be it from now on."""
        if not self._lock.isLocked() and self.take():
            self.listen(self._open)

    def look(self) -> None:
        """Take what was put into the folder."""
        for path in sorted(self._folder.glob(f"*{ENDING}")):
            paths = _request(path)
            try:
                path.unlink()
            except OSError as error:
                _log.warning("a request was not taken: %s", error)
                continue
            if paths is not None:
                self._open(paths)

    def hand_over(self, paths: list[str]) -> bool:
        """Have the open window open these files; False if there is none that takes them."""
        request = self._folder / f"{time.time_ns()}-{os.getpid()}{ENDING}"
        try:
            atomic.write_bytes(request, msgspec.json.encode([str(Path(path).absolute()) for path in paths]))
        except InputError as error:
            _log.warning("the open window was not asked: %s", error)
            return False
        end = time.monotonic() + WAIT_S
        while request.exists():
            if time.monotonic() > end:
                try:
                    request.unlink()
                except FileNotFoundError:
                    return True  # taken at the last moment
                return False
            time.sleep(TURN_S)
        return True

    def release(self) -> None:
        """The window closes."""
        if self._lock.isLocked():
            self._lock.unlock()


def _request(path: Path) -> list[str] | None:
    try:
        if path.stat().st_size > MOST_BYTES:
            return None
        return msgspec.json.decode(path.read_bytes(), type=list[str])
    except (OSError, msgspec.MsgspecError) as error:
        _log.warning("a request could not be read: %s", error)
        return None


def show_up(window: QWidget) -> None:
    """Bring a window to the front, as far as the desktop allows."""
    window.setWindowState((window.windowState() & ~Qt.WindowState.WindowMinimized) | Qt.WindowState.WindowActive)
    window.raise_()
    window.activateWindow()
    QApplication.alert(window)


def wants_own_window() -> bool:
    """Whether this process was started to open a second window; asked once, those it starts are not."""
    return os.environ.pop(OWN_WINDOW, "") != ""


def open_second_window(program: list[str]) -> bool:
    """Start ``program`` as a second window; whether it could be started."""
    process = QProcess()
    environment = QProcessEnvironment.systemEnvironment()
    environment.insert(OWN_WINDOW, "1")
    process.setProcessEnvironment(environment)
    process.setProgram(program[0])
    process.setArguments(program[1:])
    started: object = process.startDetached()
    return bool(started[0] if isinstance(started, tuple) else started)
