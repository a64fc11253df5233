"""Ctrl+C in the terminal ends the window as it ends any program."""

from __future__ import annotations

import os
import signal
import sys

from PySide6.QtCore import QSocketNotifier
from PySide6.QtWidgets import QApplication

STATUS = 130


def listen(app: QApplication) -> None:
    """Leave the event loop with status 130 on SIGINT.

    Python runs its handlers only between two of its own instructions, and the event loop has none: the
    signal also writes a byte to a pipe, which wakes the loop up.  (Not a pair of sockets: the installed
    program has no socket module.)  On Windows a window has no terminal that could send the signal.
    """
    if sys.platform == "win32":
        return
    reader, writer = os.pipe()
    for end in (reader, writer):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    notifier = QSocketNotifier(reader, QSocketNotifier.Type.Read, app)
    notifier.activated.connect(lambda *_: os.read(reader, 64))
    signal.signal(signal.SIGINT, lambda *_: app.exit(STATUS))

    def stop() -> None:
        signal.set_wakeup_fd(-1)
        notifier.setEnabled(False)
        os.close(reader)
        os.close(writer)

    app.aboutToQuit.connect(stop)
