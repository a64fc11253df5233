"""Files that others changed: told by their content, before they are written over and when the window returns."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from msgspec.structs import replace

from mfu_gui.engine.errors import InputError, Notice
from mfu_gui.engine.fields import N_
from mfu_gui.formats.scenario_file import load_scenario
from mfu_gui.formats.strict_json import read_bytes
from mfu_gui.ui.services import Services
from mfu_gui.ui.workspace import CHANGED_ON_DISK, Document

_NOTHING_TO_LOSE = frozenset({"not_found", "is_folder", "special_file"})
"""Why there is nothing to read: writing makes the file anew, or says itself why it cannot."""


def digest(data: bytes) -> str:
    """What content is known by."""
    return sha256(data).hexdigest()


def same_file(first: Path, second: Path) -> bool:
    """Whether two paths lead to one file; where there is none, whether they are the same path."""
    try:
        return first.samefile(second)
    except OSError:
        return first == second


def known_of(document: Document, path: Path) -> str:
    """Digest of what this document read from ``path``, or wrote to it, last; empty if it did neither."""
    return next((digest for each, digest in document.known.items() if same_file(each, path)), "")


def would_lose(path: Path, known: str, data: bytes) -> bool:
    """Whether writing ``data`` to ``path`` would lose what is neither that nor the content ``known``.

    A file whose content can no longer be read counts as changed: it could be read when it became known.
    """
    try:
        found = read_bytes(path)
    except InputError as error:
        return error.code not in _NOTHING_TO_LOSE
    return found != data and digest(found) != known


def look(services: Services) -> None:
    """Offer to read again what changed on the disk while the document here stayed as it was read.

    The same content is offered once.  A document with changes of its own is asked about when it is saved.
    """
    for document in services.workspace.documents:
        known = "" if document.path is None else document.known.get(document.path, "")
        if document.path is None or not known or document.dirty or document.invalid:
            continue
        try:
            found = digest(read_bytes(document.path))
        except InputError:
            continue
        if found != document.offered:
            document.offered = found
            rest = tuple(notice for notice in document.notices if notice.code != CHANGED_ON_DISK)
            offer = Notice(CHANGED_ON_DISK, values={"file": document.path.name})
            services.workspace.set_notices(document, rest if found == known else (*rest, offer))


def read_again(services: Services, document: Document) -> None:
    """Take what the document's file has now, as one step of undo."""
    workspace, path = services.workspace, document.path
    if path is None:
        return
    try:
        data = read_bytes(path)
        loaded = load_scenario(data, services.presets, source=path.name)
    except InputError as error:
        services.announcer.say(services.language.tr.describe(error))
        return
    scenario = loaded.scenario if loaded.scenario.name else replace(loaded.scenario, name=loaded.base_name)
    workspace.edit(document, "", scenario, label=N_("Read again"))
    for key in list(document.invalid):
        workspace.set_invalid(document, key, None)
    workspace.mark_saved(document, path, digest(data))
    workspace.set_notices(document, loaded.notices)
