"""Session: what was open, written down a moment after every change, so that nothing is lost to a crash."""

from __future__ import annotations

import contextlib
import logging
import os
from pathlib import Path
from typing import Any

import msgspec
from PySide6.QtCore import QElapsedTimer, QLockFile, QObject, QTimer

from mfu_gui.engine.errors import InputError, Notice
from mfu_gui.formats import atomic, strict_json
from mfu_gui.formats.scenario_file import dump_value, load_scenario, load_value
from mfu_gui.ui import on_disk
from mfu_gui.ui.services import Services
from mfu_gui.ui.workspace import Document

DELAY_MS = 1500
LONGEST_MS = 10_000
"""Who edits without a pause loses no more than this."""
MOST_WINDOWS = 8
_log = logging.getLogger(__name__)


class StoredDocument(msgspec.Struct, omit_defaults=True):
    """One open document; ``scenario`` is the content of a scenario file."""

    scenario: dict[str, Any]
    path: str = ""
    home: str = ""
    """Workspace file that it is in, where it has no file of its own."""
    known: str = ""
    dirty: bool = False
    example: bool = False


class Stored(msgspec.Struct):
    """The file.  ``clean`` is False while the program runs: it then ended without closing."""

    documents: list[StoredDocument] = []
    active: int = 0
    clean: bool = False


class Session(QObject):
    """Restores the documents of last time and keeps them written down.

    Each window that is open at the same time has a session file of its own, guarded by a lock.  A session that
    cannot be read, all or in part, is put aside under another name; unsaved changes in the session of a window
    that was killed come back in the next window, whichever that is.
    """

    def __init__(self, services: Services, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._folder = folder
        self._lock: QLockFile | None = None
        self._orphans: list[tuple[Path, QLockFile]] = []
        self._remarks: list[Notice] = []
        self._told = False
        self._path = self._take_place()
        if self._path is not None:
            self._sweep(self._path)
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
            lock = self._locked(number)
            if lock is not None:
                self._lock = lock
                return self._file(number)
        return None

    def _file(self, number: int) -> Path:
        return self._folder / f"session-{number}.json"

    def _locked(self, number: int) -> QLockFile | None:
        """The lock of a session's place; None where another window has it.  Its age means nothing: clocks change."""
        lock = QLockFile(str(self._folder / f"session-{number}.lock"))
        lock.setStaleLockTime(0)
        return lock if lock.tryLock(0) else None

    def _sweep(self, path: Path) -> None:
        """Take away what a killed process left of the file it was writing; the lock says that nobody is writing."""
        for left in self._folder.glob(f".{path.name}.*.tmp"):
            with contextlib.suppress(OSError):
                left.unlink()

    def restore(self) -> bool:
        """Open what was open; whether there was anything."""
        opened: list[Document] = []
        active = 0
        stored = self._read(self._path) if self._path is not None else None
        if stored is not None and self._path is not None:
            opened = self._documents(stored, stored.documents, self._path)
            active = max(0, min(stored.active, len(opened) - 1))
        opened += self._adopted()
        for number, document in enumerate(opened):
            self._services.workspace.add(document, activate=number == active)
        return bool(opened)

    def _documents(self, stored: Stored, entries: list[StoredDocument], path: Path) -> list[Document]:
        documents = [self._document(entry, recovered=not stored.clean) for entry in entries]
        if None in documents:
            self._put_aside(path)
        return [document for document in documents if document is not None]

    def _adopted(self) -> list[Document]:
        """Unsaved documents of other windows that were killed; their files go once they are in ours."""
        found: list[Document] = []
        if self._path is None:
            return found
        for number in range(1, MOST_WINDOWS + 1):
            path = self._file(number)
            lock = self._locked(number) if path != self._path and path.exists() else None
            if lock is None:
                continue
            self._sweep(path)
            stored = self._read(path)
            if stored is not None and not stored.clean and any(entry.dirty for entry in stored.documents):
                found += self._documents(stored, [entry for entry in stored.documents if entry.dirty], path)
                self._orphans.append((path, lock))
            else:
                lock.unlock()
        return found

    def keep(self) -> None:
        """From now on write every change down, and say so where that cannot be done."""
        if self._path is None:
            self._remarks.append(Notice("session_not_kept", values={"folder": str(self._folder)}))
        workspace = self._services.workspace
        if self._remarks:
            workspace.set_notices(workspace.active, (*workspace.active.notices, *self._remarks))
        if self._orphans:
            self.write()
        self._since = QElapsedTimer()
        workspace.changed.connect(self._changed)

    def _changed(self) -> None:
        """Write when the edits pause, and now and then while they do not."""
        if not self._timer.isActive():
            self._since.start()
        if self._since.hasExpired(LONGEST_MS):
            self.write()
        else:
            self._timer.start()

    def write(self, *, clean: bool = False) -> None:
        """Write the session now; ``clean`` at the end of the program."""
        self._timer.stop()
        workspace = self._services.workspace
        if self._path is None or workspace.is_empty:
            return
        stored = Stored([_entry(document) for document in workspace.documents],
                        workspace.documents.index(workspace.active), clean)
        try:
            atomic.write_bytes(self._path, msgspec.json.encode(stored))
        except InputError as error:
            _log.warning("session not written: %s", error)
            if not self._told:
                tr = self._services.language.tr
                self._services.announcer.say(tr("Changes cannot be kept for recovery. {why}", why=tr.describe(error)))
            self._told = True
            return
        self._told = False
        while self._orphans:
            path, lock = self._orphans.pop()
            with contextlib.suppress(OSError):
                path.unlink()
            lock.unlock()

    def end(self) -> None:
        """The program ends as it should: write, and let go of the session's place."""
        self.write(clean=True)
        if self._lock is not None:
            self._lock.unlock()

    def _read(self, path: Path) -> Stored | None:
        try:
            data = strict_json.read_bytes(path)
            return msgspec.json.decode(data, type=Stored)
        except InputError as error:
            if error.code != "not_found":
                _log.warning("session not read: %s", error)
            return None
        except (msgspec.MsgspecError, RecursionError) as error:
            _log.warning("session not read: %s", error)
            self._put_aside(path)
            return None

    def _put_aside(self, path: Path) -> None:
        """Keep a copy of a session of which something cannot be used: the next write takes its name."""
        aside = path.with_name(f"{path.stem}-unread-{os.urandom(4).hex()}.json")
        try:
            atomic.write_bytes(aside, path.read_bytes())
        except (OSError, InputError) as error:
            _log.warning("session not put aside: %s", error)
            return
        self._remarks.append(Notice("session_unread", values={"kept": str(aside)}))

    def _document(self, entry: StoredDocument, *, recovered: bool) -> Document | None:
        path = Path(entry.path) if entry.path else None
        try:
            if path is not None and not entry.dirty and path.is_file():
                data = strict_json.read_bytes(path)
                loaded = load_scenario(data, self._services.presets, source=path.name)
                document = Document(loaded.scenario, path, loaded.notices)
                document.known[path] = on_disk.digest(data)
                return document
            loaded = load_value(entry.scenario, self._services.presets)
        except InputError as error:
            _log.warning("a document of the session was not opened: %s", error)
            return None
        notices = (Notice("session_recovered"),) if recovered and entry.dirty else ()
        document = Document(loaded.scenario, path, notices, example=entry.example)
        document.home = Path(entry.home) if entry.home and path is None else None
        # A file that is gone: what is on the screen exists nowhere else.
        gone = path is not None or (document.home is not None and not document.home.is_file())
        document.unsaved = entry.dirty or gone
        place = path or document.home
        if place is not None and entry.known:
            document.known[place] = entry.known
        return document


def _entry(document: Document) -> StoredDocument:
    """What is written down of a document."""
    path, home = document.path, document.home if document.path is None else None
    place = path or home
    return StoredDocument(
        dump_value(document.scenario), "" if path is None else str(path), "" if home is None else str(home),
        "" if place is None else document.known.get(place, ""), document.dirty, document.example)
