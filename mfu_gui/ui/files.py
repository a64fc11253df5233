"""FileController: opening, saving and closing, and all that asks before something is lost."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace
from PySide6.QtCore import QMimeData, QObject, Signal

from mfu_gui.engine.errors import InputError, Notice
from mfu_gui.engine.fields import N_
from mfu_gui.engine.scenario import Source
from mfu_gui.formats.scenario_file import SUFFIX, LoadedScenario, dump_scenario, write_scenario
from mfu_gui.formats.strict_json import read_bytes
from mfu_gui.formats.workspace_file import LoadedWorkspace
from mfu_gui.ui import on_disk
from mfu_gui.ui.chooser import Chooser
from mfu_gui.ui.example import new_scenario, without_its_story
from mfu_gui.ui.log_files import is_log
from mfu_gui.ui.reading import Given, GivenHardware, GivenModel, read_data, read_path, read_text
from mfu_gui.ui.scenarios import open_workspace
from mfu_gui.ui.services import Services
from mfu_gui.ui.workspace import Document

MOST_PASTED = 4 * 2**20


class FileController(QObject):
    """Works on the documents of a workspace; asks through a chooser.  ``logs_given(paths)``: logs to be read."""

    logs_given = Signal(object)

    def __init__(self, services: Services, chooser: Chooser, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self.chooser = chooser

    def new(self) -> None:
        """A fresh scenario of the present model and device, with nothing measured."""
        self._services.workspace.add(Document(new_scenario(self._services)))

    def duplicate(self) -> None:
        """A copy of the present scenario, to change and compare."""
        workspace, tr = self._services.workspace, self._services.language.tr
        scenario = workspace.active.scenario
        name = tr("{name}, copy", name=scenario.name or tr("Untitled"))
        document = Document(replace(scenario, name=name))
        document.unsaved = True
        workspace.add(document)

    def new_window(self) -> None:
        """Open a second window, a program of its own with scenarios of its own."""
        from mfu_gui.ui.instances import open_second_window
        from mfu_gui.ui.log_import import program

        if not open_second_window(program()):
            self._services.announcer.say(self._services.language.tr("No second window could be opened"))

    def open(self) -> None:
        """Ask for files and open them."""
        self.open_paths(self.chooser.open_files())

    def load_config(self) -> None:
        """Ask for a config.json and take its model."""
        path = self.chooser.open_config()
        if path is not None:
            self.open_paths([path])

    def open_log(self) -> None:
        """Ask for training logs and read them beside the present scenario."""
        paths = self.chooser.open_logs()
        if paths:
            self.logs_given.emit(paths)

    def open_paths(self, paths: list[Path]) -> None:
        """Open scenarios; take models and devices into the present one, logs beside it.  Tells what cannot be read."""
        logs = [path for path in paths if is_log(path)]
        for path in paths:
            if path in logs:
                continue
            already = next((document for document in self._services.workspace.documents
                            if (place := document.path or document.home) and on_disk.same_file(place, path)), None)
            if already is not None:
                self._services.workspace.activate(already)
                on_disk.look(self._services)
                continue
            digest = ""
            try:
                if path.is_dir():
                    given = read_path(path, self._services.presets)
                else:
                    data = read_bytes(path)
                    given, digest = read_data(data, self._services.presets, path.name), on_disk.digest(data)
            except InputError as error:
                self._tell(error, path)
                continue
            self._take(given, path, digest)
        if logs:
            self.logs_given.emit(logs)

    def paste(self, text: str) -> bool:
        """Take what was copied elsewhere, if it is something the window knows."""
        if not text.lstrip().startswith("{") or len(text) > MOST_PASTED:
            return False
        try:
            self._take(read_text(text, self._services.presets), None)
        except InputError as error:
            self._tell(error, None)
        return True

    def can_drop(self, data: QMimeData) -> bool:
        """Whether something that is dragged over the window could be opened."""
        return any(url.isLocalFile() for url in data.urls()) or data.text().lstrip().startswith("{")

    def drop(self, data: QMimeData) -> bool:
        """Open what was dropped."""
        paths = [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
        if paths:
            self.open_paths(paths)
            return True
        return self.paste(data.text())

    def save(self, document: Document | None = None) -> bool:
        """Save to the document's file, asking for one if it has none; whether it was saved."""
        document = document or self._services.workspace.active
        if document.path is None:
            return self.save_as(document)
        return self._write(document, document.path)

    def save_as(self, document: Document | None = None) -> bool:
        """Ask for a file and save to it."""
        document = document or self._services.workspace.active
        path = self.chooser.save_file(document.path or Path(file_stem(document.scenario.name) + SUFFIX))
        return path is not None and self._write(document, path)

    def close(self, document: Document | None = None) -> bool:
        """Close a document, asking about its changes.  The last one is replaced by a new one."""
        workspace = self._services.workspace
        document = document or workspace.active
        if not self._may_close([document]):
            return False
        if len(workspace.documents) == 1:
            self.new()
        workspace.close(document)
        return True

    def may_quit(self) -> bool:
        """Ask about all changes that are in no file; whether the program may end."""
        return self._may_close(self._services.workspace.documents)

    def _may_close(self, documents: list[Document]) -> bool:
        changed = [document for document in documents if document.dirty]
        if not changed:
            return True
        untitled = self._services.language.tr("Untitled")
        answer = self.chooser.unsaved([document.scenario.name or untitled for document in changed])
        if answer == "save":
            return all(self.save(document) for document in changed)
        return answer == "discard"

    def _write(self, document: Document, path: Path) -> bool:
        data = dump_scenario(document.scenario)
        known = on_disk.known_of(document, path)
        if known and on_disk.would_lose(path, known, data):
            answer = self.chooser.changed_elsewhere(path.name)
            if answer != "overwrite":
                return answer == "save_as" and self.save_as(document)
        try:
            write_scenario(path, document.scenario)
        except InputError as error:
            self._tell(error, path)
            return False
        self._services.workspace.mark_saved(document, path, on_disk.digest(data))
        self._services.settings.add_recent(path)
        tr = self._services.language.tr
        self._services.announcer.say(tr("Saved {file}", file=path.name))
        return True

    def _take(self, given: Given, path: Path | None, digest: str = "") -> None:
        workspace = self._services.workspace
        if isinstance(given, LoadedWorkspace):
            open_workspace(self._services, given, path, digest)
            return
        if isinstance(given, LoadedScenario):
            scenario = given.scenario
            if not scenario.name:
                scenario = replace(scenario, name=given.base_name)
            document = Document(scenario, path, given.notices)
            document.unsaved = path is None
            if path is not None:
                document.known[path] = digest
            workspace.add(document)
            if path is not None:
                self._services.settings.add_recent(path)
            return
        document = workspace.active
        scenario = document.scenario
        if isinstance(given, GivenModel):
            scenario = replace(scenario, model=given.spec, model_source=given.source)
            scenario = without_its_story(self._services, document, scenario)
            workspace.edit(document, "model.preset", scenario, label=N_("Load model"))
            self._remark(document, given.notices)
        elif isinstance(given, GivenHardware):
            scenario = replace(scenario, hardware=given.spec, hardware_source=Source(),
                               peak=replace(scenario.peak, tflops=None))
            scenario = without_its_story(self._services, document, scenario)
            workspace.edit(document, "hardware.preset", scenario, label=N_("Load hardware"))

    def _remark(self, document: Document, notices: tuple[Notice, ...]) -> None:
        self._services.workspace.set_notices(document, notices)

    def _tell(self, error: InputError, path: Path | None) -> None:
        tr = self._services.language.tr
        text = tr.describe(error)
        if path is not None and str(path) not in text and path.name not in text:
            text = f"{path.name}: {text}"
        self.chooser.tell(text)


def file_stem(name: str) -> str:
    """The name of a scenario as one that every system takes for a file, without an ending."""
    kept = "".join(c if c.isalnum() or c in " .-_()+," else "-" for c in name).strip(" .-")
    return kept[:80] or "scenario"
