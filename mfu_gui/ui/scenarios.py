"""What is done with all open scenarios: their list, workspaces as files, and the views that compare them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, cast

from mfu_gui.engine.errors import InputError
from mfu_gui.formats.workspace_file import SUFFIX, LoadedWorkspace, dump_workspace, write_workspace
from mfu_gui.ui import on_disk
from mfu_gui.ui.chooser import Chooser
from mfu_gui.ui.services import Services
from mfu_gui.ui.workspace import Document

if TYPE_CHECKING:
    from mfu_gui.ui.main_window import MainWindow
    from mfu_gui.ui.tabs.compare import ComparePage


class Scenarios:
    """Actions of one window; texts and questions come from its services and its chooser."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window

    def handlers(self) -> dict[str, Callable[[], object]]:
        """What the actions of this part do."""
        return {"scenarios": self.show_list, "save_workspace": self.save_workspace,
                "sensitivity": lambda: self.show_compare("sensitivity"), "change": lambda: self.show_compare("change")}

    def show_list(self) -> None:
        """Show the list of open scenarios; it stays beside the window."""
        from mfu_gui.ui.dialogs.scenarios import ScenariosDialog

        dialog = self._window.findChild(ScenariosDialog)
        if dialog is None:
            dialog = ScenariosDialog(self._window.services, self._window.actions_table, self._window)
            dialog.show()
        dialog.raise_()
        dialog.activateWindow()
        dialog.list.setFocus()

    def show_compare(self, view: str) -> None:
        """Show a view of the Compare tab."""
        self._window.tabs.show_page("compare")
        cast("ComparePage", self._window.tabs.page("compare")).show_view(view)

    def save_workspace(self) -> bool:
        """Ask for a file and save all open scenarios to it."""
        return save_workspace(self._window.services, self._window.files.chooser)


def save_workspace(services: Services, chooser: Chooser) -> bool:
    """Save all open scenarios as one file; whether they were.

    Those without a file of their own count as saved then; those with one still differ from it.
    """
    workspace, tr = services.workspace, services.language.tr
    home = next((document.home for document in workspace.documents if document.home is not None), None)
    path = chooser.save_workspace(home or Path(tr("Scenarios") + SUFFIX))
    if path is None:
        return False
    known = next(filter(None, (on_disk.known_of(document, path) for document in workspace.documents)), "")
    try:
        content = [document.scenario for document in workspace.documents], workspace.documents.index(workspace.active)
        data = dump_workspace(*content)
        if known and on_disk.would_lose(path, known, data):
            answer = chooser.changed_elsewhere(path.name)
            if answer != "overwrite":
                return answer == "save_as" and save_workspace(services, chooser)
        write_workspace(path, *content)
    except InputError as error:
        text = tr.describe(error)
        chooser.tell(text if path.name in text else f"{path.name}: {text}")
        return False
    for document in workspace.documents:
        workspace.mark_kept(document, path, on_disk.digest(data))
    services.settings.add_recent(path)
    services.announcer.say(tr("Saved {file}", file=path.name))
    return True


def open_workspace(services: Services, given: LoadedWorkspace, path: Path | None, digest: str = "") -> None:
    """Open the scenarios of a workspace, whose file has this digest, after those that are open."""
    workspace = services.workspace
    opened = []
    for loaded in given.scenarios:
        document = Document(loaded.scenario, None, loaded.notices)
        document.home = path
        if path is not None:
            document.known[path] = digest
        document.unsaved = path is None
        opened.append(document)
        workspace.add(document, activate=False)
    workspace.activate(opened[given.active])
    if path is not None:
        services.settings.add_recent(path)
