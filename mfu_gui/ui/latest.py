"""Latest: one piece of work at a time beside the window, of which only the newest result counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QCoreApplication, QObject, Signal
from shiboken6 import isValid

from mfu_gui.planning.sweep import Cancelled, Progress
from mfu_gui.ui.jobs import Job

Work = Callable[[Progress], Any]


class _Run(QObject):
    """What one run tells.  Its slots are called in the window's thread."""

    progressed = Signal(int, int)

    def __init__(self, owner: Latest, work: Work) -> None:
        super().__init__()
        self.stopped = False
        self.result: Any = None
        self._owner = owner
        self._work = work
        self.job = Job(self._do)
        self.job.done.connect(self._done)
        self.job.failed.connect(self._failed)
        self.job.crashed.connect(self._crashed)
        self.progressed.connect(self._progressed)

    def _do(self) -> None:
        try:
            self.result = self._work(self._progress)
        except Cancelled:
            self.stopped = True

    def _progress(self, done: int, of: int) -> bool:
        self.progressed.emit(done, of)
        return not self.stopped

    def _progressed(self, done: int, of: int) -> None:
        if isValid(self._owner):
            self._owner.tell(self, done, of)

    def _done(self) -> None:
        if isValid(self._owner):
            self._owner.end(self, None)

    def _failed(self, error: object) -> None:
        if isValid(self._owner):
            self._owner.end(self, error)

    def _crashed(self, error: Exception) -> None:
        if isValid(self._owner):
            self._owner.crash(self)
        raise error


class Latest(QObject):
    """Starting again gives up what runs.

    ``finished(result)``, ``failed(InputError)`` and ``cancelled`` end a run; what a run that was given up
    still tells is not heard.  ``progressed(done, of)`` comes in between.
    """

    finished = Signal(object)
    failed = Signal(object)
    cancelled = Signal()
    progressed = Signal(int, int)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._run: _Run | None = None
        self._alive: list[_Run] = []
        """Runs whose thread has not ended, given up or not."""
        application = QCoreApplication.instance()
        if application is not None:
            application.aboutToQuit.connect(self.give_up)

    @property
    def busy(self) -> bool:
        """Whether something runs whose result is waited for."""
        return self._run is not None

    def start(self, work: Work) -> None:
        """Do ``work`` in a thread; it is given a function that it tells its progress and that says when to stop."""
        self.give_up()
        run = self._run = _Run(self, work)
        self._alive.append(run)
        run.job.start()

    def give_up(self) -> None:
        """Stop what runs; nothing is told of it."""
        if self._run is not None:
            self._run.stopped = True
            self._run = None

    def cancel(self) -> None:
        """Stop what runs at once, as the user asked for."""
        if self._run is not None:
            self.give_up()
            self.cancelled.emit()

    def tell(self, run: _Run, done: int, of: int) -> None:
        """A run has come so far."""
        if run is self._run:
            self.progressed.emit(done, of)

    def end(self, run: _Run, error: object) -> None:
        """A run has ended."""
        self._alive.remove(run)
        if run is not self._run:
            return
        self._run = None
        if error is not None:
            self.failed.emit(error)
        else:
            self.finished.emit(run.result)

    def crash(self, run: _Run) -> None:
        """A run has ended in a mistake of the program."""
        self._alive.remove(run)
        if run is self._run:
            self._run = None
            self.cancelled.emit()
