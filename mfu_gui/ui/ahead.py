"""Loads what the window needs next before it is asked for."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module

from PySide6.QtCore import QObject, QTimer, Signal

PAUSE_MS = 100


def without_blas_threads() -> None:
    """Keep numpy's BLAS from starting a thread for each core: nothing here multiplies matrices, and they spin."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


@contextmanager
def nothing_is_garbage() -> Iterator[None]:
    """Keep Python from looking for garbage among what is just being built.

    There is none yet, and it would look a hundred times: a sixth of the time that the import of the plot takes.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def stay() -> None:
    """Take what is there now as staying until the end.

    Modules, types and the window itself are most of what Python would look through again and again for garbage:
    for a tenth of a second each time, while somebody types.
    """
    gc.collect()
    gc.freeze()


class LoadInPauses(QObject):
    """Imports modules one by one, each in a turn of the event loop of its own, until all are there."""

    finished = Signal()

    def __init__(self, modules: Iterable[str], parent: QObject) -> None:
        super().__init__(parent)
        self._modules = iter(modules)
        self._timer = QTimer(self)
        self._timer.setInterval(PAUSE_MS)
        self._timer.timeout.connect(self.load_next)
        self._timer.start()

    @property
    def busy(self) -> bool:
        """Whether there is more to load."""
        return self._timer.isActive()

    def load_next(self) -> None:
        """Import one more; the last turn ends it."""
        module = next(self._modules, None)
        if module is None:
            self._timer.stop()
            self.finished.emit()
            self.deleteLater()
        else:
            import_module(module)
