"""Files that others changed: told by their content, before they are written over and when the window returns."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from msgspec.structs import replace

from mfu_gui.engine.errors import InputError, Notice
from mfu_gui.engine.fields import N_
from mfu_gui.engine.scenario import Scenario
from mfu_gui.formats.scenario_file import load_scenario
from mfu_gui.formats.strict_json import read_bytes
from mfu_gui.formats.workspace_file import LoadedWorkspace, load_workspace
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
    """Offer to read again what changed on the disk while the documents of it here stayed as they were read.

    The same content is offered once.  A document with changes of its own is asked about when it is saved, and
    those of its workspace file with it.
    """
    sets: dict[Path, list[Document]] = {}
    for document in services.workspace.documents:
        if document.path is None and document.home is not None:
            sets.setdefault(document.home, []).append(document)
    alone = [(document.path, [document]) for document in services.workspace.documents if document.path is not None]
    for path, documents in (*alone, *sets.items()):
        known = {document.known.get(path, "") for document in documents}
        if len(known) != 1 or "" in known or any(each.dirty or each.invalid for each in documents):
            continue
        try:
            found = digest(read_bytes(path))
        except InputError:
            continue
        for document in documents:
            if found != document.offered:
                document.offered = found
                rest = tuple(notice for notice in document.notices if notice.code != CHANGED_ON_DISK)
                offer = Notice(CHANGED_ON_DISK, values={"file": path.name})
                services.workspace.set_notices(document, rest if found in known else (*rest, offer))


def read_again(services: Services, document: Document) -> None:
    """Take what the document's file has now, as one step of undo; of a workspace file, all its scenarios."""
    path = document.path or document.home
    if path is None:
        return
    try:
        data = read_bytes(path)
        if document.path is None:
            given = load_workspace(data, services.presets, source=path.name)
            _take_workspace(services, given, path, digest(data))
        else:
            loaded = load_scenario(data, services.presets, source=path.name)
            scenario = loaded.scenario if loaded.scenario.name else replace(loaded.scenario, name=loaded.base_name)
            _take(services, document, scenario)
            services.workspace.mark_saved(document, path, digest(data))
            services.workspace.set_notices(document, loaded.notices)
    except InputError as error:
        services.announcer.say(services.language.tr.describe(error))


def _take(services: Services, document: Document, scenario: Scenario) -> None:
    services.workspace.edit(document, "", scenario, label=N_("Read again"))
    for key in list(document.invalid):
        services.workspace.set_invalid(document, key, None)


def _take_workspace(services: Services, given: LoadedWorkspace, path: Path, known: str) -> None:
    """Each open document of the file takes its scenario, new ones are opened; who is gone from it stays, unsaved."""
    workspace = services.workspace
    documents = [each for each in workspace.documents if each.path is None and each.home == path]
    pairs = matched([each.scenario for each in documents], [loaded.scenario for loaded in given.scenarios])
    for number, loaded in enumerate(given.scenarios):
        if number in pairs:
            document = documents[pairs[number]]
            _take(services, document, loaded.scenario)
        else:
            document = Document(loaded.scenario)
            workspace.add(document, activate=False)
        workspace.mark_kept(document, path, known)
        workspace.set_notices(document, loaded.notices)
    for index, document in enumerate(documents):
        if index not in pairs.values():
            workspace.mark_left(document)


def matched(old: list[Scenario], new: list[Scenario]) -> dict[int, int]:
    """By the place among ``new``: the place among ``old`` of what it was before.

    First those that are equal, then those of the same name, then the rest in their order.
    """
    pairs: dict[int, int] = {}
    ways: tuple[Callable[[Scenario, Scenario], bool], ...] = (
        lambda one, other: one == other, lambda one, other: bool(one.name) and one.name == other.name,
        lambda _one, _other: True)
    for same in ways:
        for number, scenario in enumerate(new):
            left = (index for index in range(len(old)) if index not in pairs.values() and same(old[index], scenario))
            index = None if number in pairs else next(left, None)
            if index is not None:
                pairs[number] = index
    return pairs
