"""When something unforeseen happens: a log in the user's folder, and a dialog that keeps the scenario."""

from __future__ import annotations

import faulthandler
import logging
import os
import platform
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QObject, Qt, qVersion
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QDialog, QHBoxLayout, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

import mfu_gui
from mfu_gui.ui import fonts
from mfu_gui.ui.services import Services
from mfu_gui.ui.theme import DIALOG_MARGINS, SMALL
from mfu_gui.ui.widgets.card import plain_label

LOG_NAME = "mfu-gui.log"
LARGEST_LOG = 2**20
_log = logging.getLogger(__name__)


def start_log(folder: Path) -> Path | None:
    """Write the log of this run to the user's folder; its path, or None where nothing can be written."""
    path = folder / LOG_NAME
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # Not a RotatingFileHandler: its module imports socket, which the installed program does not have.
        if path.exists() and path.stat().st_size > LARGEST_LOG:
            path.replace(folder / f"{LOG_NAME}.1")
        handler = logging.FileHandler(path, encoding="utf-8", delay=True)
        (folder / "crash.log").touch()
    except OSError:
        return None
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger("mfu_gui")
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    # Without a console there is no stderr; a crash inside Qt would leave no trace.
    faulthandler.enable(os.open(folder / "crash.log", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644))
    return path


def details_of(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> str:
    """What a developer needs to know, with nothing of the user's scenario in it."""
    head = (f"MFU Calculator {mfu_gui.__version__}, Python {platform.python_version()}, Qt {qVersion()}, "
            f"{platform.system()} {platform.release()}")
    return head + "\n\n" + "".join(traceback.format_exception(kind, error, trace))


class CrashDialog(QDialog):
    """Tells what happened.  Nothing is sent anywhere."""

    def __init__(self, services: Services, details: str, save: Callable[[], object], end: Callable[[], object],
                 parent: QWidget | None = None) -> None:
        super().__init__(parent)
        services.theme.dress(self)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        tr = services.language.tr
        self.setWindowTitle(tr("Something went wrong"))
        self.resize(640, 380)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(*DIALOG_MARGINS)
        layout.setSpacing(8)
        layout.addWidget(plain_label(tr("The program met an error of its own. Your scenario is still here. "
                                        "The details below were also written to the log."), wrap=True))
        self.details = QPlainTextEdit(details)
        self.details.setReadOnly(True)
        self.details.setFont(fonts.font(SMALL))
        self.details.setAccessibleName(tr("Details"))
        layout.addWidget(self.details, 1)
        row = QHBoxLayout()
        self.buttons: dict[str, QPushButton] = {}
        for key, text, action in (
            ("copy", tr("Copy details"), lambda: QGuiApplication.clipboard().setText(details)),
            ("save", tr("Save scenario…"), save),
            ("quit", tr("Quit"), end),
            ("continue", tr("Continue"), self.accept),
        ):
            button = QPushButton(text)
            button.clicked.connect(lambda _checked=False, action=action: action())
            if key == "quit":
                row.addStretch(1)
            row.addWidget(button)
            self.buttons[key] = button
        self.buttons["continue"].setDefault(True)
        layout.addLayout(row)


class CrashHandler(QObject):
    """Stands in for ``sys.excepthook`` while the window is open."""

    def __init__(self, services: Services, window: QWidget, save: Callable[[], object],
                 before_end: Callable[[], object]) -> None:
        super().__init__(window)
        self._services = services
        self._window = window
        self._save = save
        self._before_end = before_end
        self._before = sys.excepthook
        self.dialog: CrashDialog | None = None

    def install(self) -> None:
        """From now on errors come here."""
        sys.excepthook = self.handle

    def uninstall(self) -> None:
        """Put back what was there before."""
        sys.excepthook = self._before

    def handle(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        """Log an error and show it; a second one while the dialog is open is only logged."""
        if issubclass(kind, KeyboardInterrupt):
            QApplication.exit(130)
            return
        details = details_of(kind, error, trace)
        _log.error("%s", details)
        if self.dialog is not None:
            return
        self.dialog = CrashDialog(self._services, details, self._save, self._end, self._window)
        self.dialog.finished.connect(self._closed)
        self.dialog.open()

    def _closed(self) -> None:
        self.dialog = None

    def _end(self) -> None:
        self._before_end()
        QApplication.exit(1)
