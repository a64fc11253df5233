"""Files that the system asks the running program to open, as macOS does on a double click."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication


class OpenEvents(QObject):
    """Hands the path of each such file to ``open_paths``; lives as long as ``app``.

    It sees every event of the program, which costs time: only for systems that open files this way.
    """

    def __init__(self, app: QApplication, open_paths: Callable[[list[str]], object]) -> None:
        super().__init__(app)
        self._open_paths = open_paths
        app.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QFileOpenEvent):
            path = event.file()
            # An address of another machine has no path here.
            if path:
                self._open_paths([path])
            return True
        return super().eventFilter(watched, event)
