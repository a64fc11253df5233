"""Work that takes longer than a frame, done beside the window."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QRunnable, QThreadPool, Signal

from mfu_gui.engine.errors import InputError


class Job(QObject):
    """One piece of work without a window; its end is told in the thread that made it."""

    done = Signal()
    failed = Signal(object)
    """An InputError: something that the user can mend."""
    crashed = Signal(object)
    """Any other exception."""

    def __init__(self, work: Callable[[], None], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.work = work

    def start(self) -> None:
        """Begin; the program does not end before the work does."""
        QThreadPool.globalInstance().start(_Runner(self))


class _Runner(QRunnable):
    def __init__(self, job: Job) -> None:
        super().__init__()
        self._job = job

    def run(self) -> None:
        try:
            self._job.work()
        except InputError as error:
            self._job.failed.emit(error)
        except Exception as error:  # noqa: BLE001 - raised again where the window handles it
            self._job.crashed.emit(error)
        else:
            self._job.done.emit()
