"""Session: what was open, written down a moment after every change, so that nothing is lost to a crash."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import msgspec
from PySide6.QtCore import QLockFile, QObject, QTimer

from mfu_gui.engine.errors import InputError, Notice
from mfu_gui.formats import atomic
from mfu_gui.formats.scenario_file import dump_value, load_value, read_scenario
from mfu_gui.ui.services import Services
from mfu_gui.ui.workspace import Document

DELAY_MS = 1500
MOST_WINDOWS = 8
_log = logging.getLogger(__name__)


class StoredDocument(msgspec.Struct, omit_defaults=True):
    """One open document; ``scenario`` is the content of a scenario file."""

    scenario: dict[str, Any]
    path: str = ""
    dirty: bool = False
    example: bool = False


class Stored(msgspec.Struct):
    """The file.  ``clean`` is False while the program runs: it then ended without closing."""

    documents: list[StoredDocument] = []
    active: int = 0
    clean: bool = False


class Session(QObject):
    """Restores the documents of last time and keeps them written down.

    Each window that is open at the same time has a session file of its own, guarded by a lock.
    """

    def __init__(self, services: Services, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._folder = folder
        self._lock: QLockFile | None = None
        self._path = self._take_place()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(DELAY_MS)
        self._timer.timeout.connect(self.write)

    def _take_place(self) -> Path | None:
        """The first session file that no other window uses; None where nothing can be written."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            _log.warning("no session is kept: %s", error)
            return None
        for number in range(1, MOST_WINDOWS + 1):
            lock = QLockFile(str(self._folder / f"session-{number}.lock"))
            lock.setStaleLockTime(0)
            if lock.tryLock(0):
                self._lock = lock
                return self._folder / f"session-{number}.json"
        return None

    def restore(self) -> bool:
        """Open what was open; whether there was anything."""
        stored = self._read()
        if stored is None or not stored.documents:
            return False
        workspace = self._services.workspace
        opened: list[Document] = []
        for entry in stored.documents:
            document = self._document(entry, recovered=not stored.clean)
            if document is not None:
                opened.append(document)
        for number, document in enumerate(opened):
            workspace.add(document, activate=number == min(stored.active, len(opened) - 1))
        return bool(opened)

    def keep(self) -> None:
        """From now on write every change down."""
        self._services.workspace.changed.connect(lambda *_: self._timer.start())

    def write(self, *, clean: bool = False) -> None:
        """Write the session now; ``clean`` at the end of the program."""
        self._timer.stop()
        workspace = self._services.workspace
        if self._path is None or workspace.is_empty:
            return
        documents = [StoredDocument(dump_value(d.scenario), "" if d.path is None else str(d.path), d.dirty, d.example)
                     for d in workspace.documents]
        stored = Stored(documents, workspace.documents.index(workspace.active), clean)
        try:
            atomic.write_bytes(self._path, msgspec.json.encode(stored))
        except InputError as error:
            _log.warning("session not written: %s", error)

    def end(self) -> None:
        """The program ends as it should: write, and let go of the session's place."""
        self.write(clean=True)
        if self._lock is not None:
            self._lock.unlock()

    def _read(self) -> Stored | None:
        if self._path is None:
            return None
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=Stored)
        except FileNotFoundError:
            return None
        except (OSError, msgspec.MsgspecError) as error:
            _log.warning("session not read: %s", error)
            return None

    def _document(self, entry: StoredDocument, *, recovered: bool) -> Document | None:
        path = Path(entry.path) if entry.path else None
        try:
            if path is not None and not entry.dirty and path.is_file():
                loaded = read_scenario(path, self._services.presets)
                return Document(loaded.scenario, path, loaded.notices)
            loaded = load_value(entry.scenario, self._services.presets)
        except InputError as error:
            _log.warning("a document of the session was not opened: %s", error)
            return None
        notices = (Notice("session_recovered"),) if recovered and entry.dirty else ()
        document = Document(loaded.scenario, path, notices, example=entry.example)
        # A file that is gone: what is on the screen exists nowhere else.
        document.unsaved = entry.dirty or path is not None
        return document
