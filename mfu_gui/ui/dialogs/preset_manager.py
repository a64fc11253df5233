"""The preset manager: all models and devices, shipped and own, to look at, copy, change, import and export."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

from msgspec.structs import replace
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPushButton, QSplitter, QVBoxLayout, QWidget

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.fields import N_
from mfu_gui.engine.scenario import Source
from mfu_gui.formats.preset_edit import copy_of, named
from mfu_gui.formats.preset_file import Kind, Preset, slug
from mfu_gui.formats.preset_import import Decision, Incoming, examine, take
from mfu_gui.formats.preset_index import PresetInfo
from mfu_gui.ui import tips
from mfu_gui.ui.dialogs.preset_conflicts import ConflictDialog
from mfu_gui.ui.dialogs.preset_details import PresetDetails
from mfu_gui.ui.dialogs.preset_form import Change
from mfu_gui.ui.dialogs.preset_questions import DialogQuestions, PresetQuestions
from mfu_gui.ui.dialogs.preset_rows import (
    HEADS,
    TEXT_COLUMNS,
    cells,
    group_choices,
    keeps,
    origin_choices,
    size_choices,
)
from mfu_gui.ui.example import without_its_story
from mfu_gui.ui.services import Services
from mfu_gui.ui.tabs.filter_bar import FilterBar
from mfu_gui.ui.tabs.table_model import TableModel
from mfu_gui.ui.tabs.table_view import TableView
from mfu_gui.ui.theme import DIALOG_MARGINS
from mfu_gui.ui.widgets.segments import Segments

_KINDS: tuple[tuple[Kind, str], ...] = (("mfu-model", N_("Models")), ("mfu-hardware", N_("Hardware")))
_BUTTONS = (("use", N_("Use")), ("duplicate", N_("Duplicate…")), ("rename", N_("Rename…")), ("delete", N_("Delete")),
            ("import", N_("Import…")), ("export", N_("Export…")), ("close", N_("Close")))
_KEYS = {"duplicate": "Ctrl+D", "rename": "F2", "delete": "Del", "import": "Ctrl+O", "export": "Ctrl+E"}


class PresetManager(QDialog):
    """A table at the left, the selected preset at the right."""

    def __init__(self, services: Services, parent: QWidget, questions: PresetQuestions | None = None,
                 today: Callable[[], date] = date.today) -> None:
        super().__init__(parent)
        services.theme.dress(self)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.services = services
        self.questions = questions or DialogQuestions(self, services.language)
        self.kind: Kind = "mfu-model"
        self.setAcceptDrops(True)
        self.kinds = Segments(services.theme, tuple((key, "") for key, _ in _KINDS))
        self.kinds.chosen.connect(lambda key: self.show_kind(key))
        self.filters = FilterBar(services, ("group", "size", "origin"))
        self.filters.changed.connect(self._filter)
        self.tables = {key: TableModel(text_columns=TEXT_COLUMNS) for key, _ in _KINDS}
        self.views = {key: TableView(services, self.tables[key], optional=(4, 1), sortable=True, several=True,
                                     least=150) for key, _ in _KINDS}
        self.details = PresetDetails(services, self._keep, today)
        self.buttons = {key: QPushButton() for key, _ in _BUTTONS}
        self._infos: list[PresetInfo] = []
        self._build()
        self._retranslate()
        services.presets.refresh()
        self.show_kind("mfu-model")
        self.setMinimumSize(860, 480)
        self.resize(960, 600)

    def _build(self) -> None:
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        for view in self.views.values():
            view.picked.connect(self._picked)
            view.doubleClicked.connect(lambda _index: self.use())
            column.addWidget(view, 1)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setHandleWidth(16)
        split.setChildrenCollapsible(False)
        split.addWidget(left)
        split.addWidget(self.details)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 2)
        split.setSizes([560, 360])
        top = QHBoxLayout()
        top.setSpacing(12)
        top.addWidget(self.kinds)
        top.addWidget(self.filters, 1)
        row = QHBoxLayout()
        row.setSpacing(8)
        for key, _ in _BUTTONS:
            if key in ("import", "close"):
                row.addSpacing(12)
            if key == "close":
                row.addStretch(1)
            self.buttons[key].setAutoDefault(False)
            row.addWidget(self.buttons[key])
        actions: dict[str, Callable[[], object]] = {
            "use": self.use, "duplicate": self.duplicate, "rename": self.rename, "delete": self.delete,
            "import": self.ask_import, "export": self.export, "close": self.reject}
        for key, action in actions.items():
            self.buttons[key].clicked.connect(lambda _checked=False, action=action: action())
        for key, text in _KEYS.items():
            owner = self if key in ("import", "export") else left
            shortcut = QShortcut(QKeySequence(text), owner)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(self.buttons[key].click)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(*DIALOG_MARGINS)
        layout.setSpacing(8)
        layout.addLayout(top)
        layout.addWidget(split, 1)
        layout.addLayout(row)

    def _retranslate(self) -> None:
        tr = self.services.language.tr
        self.setWindowTitle(tr("Presets"))
        for key, text in _KINDS:
            self.kinds.set_text(key, tr(text))
            self.tables[key].set_heads(tuple(tr(head) for head in HEADS[key]))
            self.views[key].setAccessibleName(tr(text))
        for name, text in _BUTTONS:
            self.buttons[name].setText(tr(text))
            keys = _KEYS.get(name, "")
            native = QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)
            self.buttons[name].setToolTip(f"{tr(text).rstrip('…')} ({native})" if keys else "")
        self.filters.set_search(tr("Search presets"))

    # What is shown

    @property
    def view(self) -> TableView:
        """The table on the screen."""
        return self.views[self.kind]

    def show_kind(self, kind: Kind) -> None:
        """Models or hardware."""
        self.kind = kind
        self.kinds.set_value(kind)
        for key, view in self.views.items():
            view.setVisible(key == kind)
        for box in self.filters.boxes.values():
            box.set_value("")
        self._fill()

    def _fill(self, select: str = "") -> None:
        """Read the list again; ``select``: id of what is to be selected then."""
        tr = self.services.language.tr
        self._infos = self.services.presets.infos(self.kind)
        group = tr("Family") if self.kind == "mfu-model" else tr("Vendor")
        size = tr("Parameters") if self.kind == "mfu-model" else tr("Year")
        self.filters.set_choices("group", group, group_choices(self._infos, tr))
        self.filters.set_choices("size", size, size_choices(self._infos, self.kind, tr))
        self.filters.set_choices("origin", tr("Origin"), origin_choices(tr))
        self._filter()
        if select:
            self.view.select_keys([select])
        elif not self.view.selected_keys and self.view.table.rows:
            self.view.select_keys([self.view.table.rows[0].key])
        self._picked()

    def _filter(self) -> None:
        """Show those that fit, the best of a search first."""
        text, choice = self.filters.search.text(), self.filters.choice
        infos = self.services.presets.find(text, self.kind) if text.strip() else self._infos
        rows = [cells(info, self.services.language.tr) for info in infos
                if keeps(info, choice("group"), choice("size"), choice("origin"))]
        self.view.show_rows(rows)
        tr = self.services.language.tr
        broken = len(self.services.presets.broken())
        note = tr("{n} of {all}", n=len(rows), all=len(self._infos))
        if broken:
            note += " · " + tr.plural("{n} file cannot be read", "{n} files cannot be read", broken)
        self.filters.note.setText(note)
        errors = "\n".join(tr.describe(each.error) for each in self.services.presets.broken())
        self.filters.note.setToolTip(tips.plain(errors))

    @property
    def selected(self) -> list[str]:
        """Ids of the selected presets that are still there, the last one at the end."""
        known = {info.id for info in self._infos}
        return [key for key in self.view.selected_keys if key in known]

    def _is_own(self, preset_id: str) -> bool:
        return not self.services.presets.is_shipped(self.kind, preset_id)

    def _picked(self) -> None:
        chosen = self.selected
        preset = self._get(chosen[-1]) if chosen else None
        self.details.show_preset(preset, own=preset is not None and self._is_own(preset.id))
        own = bool(chosen) and all(self._is_own(each) for each in chosen)
        one = len(chosen) == 1
        for key, on in (("use", one), ("duplicate", one), ("rename", one and own), ("delete", own),
                        ("export", bool(chosen))):
            self.buttons[key].setEnabled(on)

    def _get(self, preset_id: str) -> Preset | None:
        try:
            return self.services.presets.get(self.kind, preset_id)
        except InputError as error:
            self.questions.tell(self.services.language.tr.describe(error))
            return None

    # What can be done

    def use(self) -> None:
        """Take the selected preset into the scenario."""
        preset = self._get(self.selected[-1]) if self.selected else None
        if preset is None:
            return
        workspace = self.services.workspace
        scenario, source = workspace.active.scenario, Source(preset=preset.id)
        if preset.kind == "mfu-model":
            scenario = replace(scenario, model=preset.spec, model_source=source)
            scenario = without_its_story(self.services, workspace.active, scenario)
            workspace.edit(workspace.active, "model.preset", scenario, label=N_("Choose model"))
        else:
            # A typed peak was that of the other device.
            peak = replace(scenario.peak, tflops=None,
                           kind="dense" if scenario.peak.kind == "measured" else scenario.peak.kind)
            scenario = replace(scenario, hardware=preset.spec, hardware_source=source, peak=peak)
            scenario = without_its_story(self.services, workspace.active, scenario)
            workspace.edit(workspace.active, "hardware.preset", scenario, label=N_("Choose hardware"))
        self.accept()

    def duplicate(self) -> None:
        """Make an own preset of the selected one."""
        preset = self._get(self.selected[-1]) if self.selected else None
        if preset is None:
            return
        tr = self.services.language.tr
        name = self.questions.name(tr("Duplicate"), tr("{name}, copy", name=preset.name))
        if name is not None:
            self._do(lambda: self._save(copy_of(preset, self._free_id(name, preset.id), name)))

    def rename(self) -> None:
        """Give an own preset another name; its id stays, by which scenarios know it."""
        preset = self._get(self.selected[-1]) if self.selected else None
        if preset is None or not self._is_own(preset.id):
            return
        name = self.questions.name(self.services.language.tr("Rename"), preset.name)
        if name is not None and name != preset.name:
            self._do(lambda: self.services.presets.update(preset, lambda now: named(now, name)).id)

    def delete(self) -> None:
        """Remove own presets after asking."""
        chosen = [each for each in self.selected if self._is_own(each)]
        if not chosen:
            return
        tr = self.services.language.tr
        names = [info.name for info in self._infos if info.id in chosen]
        text = tr.plural("Delete the preset “{name}”? Scenarios that use it keep its numbers.",
                         "Delete {n} presets? Scenarios that use them keep their numbers.", len(chosen), name=names[0])
        if self.questions.may(text, tr("Delete")):
            self._do(lambda: self._delete(chosen))

    def _delete(self, ids: list[str]) -> str:
        for each in ids:
            self.services.presets.delete(self.kind, each)
        return ""

    def ask_import(self) -> None:
        """Ask for files and import them."""
        self.import_files(self.questions.files_to_import())

    def import_files(self, paths: list[Path], decide: Callable[[list[Incoming]], list[Decision] | None] | None = None,
                     ) -> None:
        """Import preset files; where something stands in the way, ask what to do (``decide`` in tests)."""
        if not paths:
            return
        incoming = examine(paths, self.services.presets)
        decisions: list[Decision] | None = ["take"] * len(incoming)
        if any(each.conflict != "none" for each in incoming):
            decisions = (decide or self._ask)(incoming)
        if decisions is None:
            return
        taken: list[Preset] = []
        tr = self.services.language.tr
        for each, decision in zip(incoming, decisions, strict=True):
            try:
                preset = take(each, decision, self.services.presets)
            except InputError as error:
                self.questions.tell(f"{each.path.name}: {tr.describe(error)}")
                continue
            if preset is not None:
                taken.append(preset)
        self.services.origins.forget()
        if taken:
            self.kind = taken[-1].kind
            self.show_kind(self.kind)
            self._fill(taken[-1].id)
        self.services.announcer.say(tr.plural("{n} preset imported", "{n} presets imported", len(taken)))

    def _ask(self, incoming: list[Incoming]) -> list[Decision] | None:
        dialog = ConflictDialog(self.services, incoming, self)
        return dialog.decisions if dialog.exec() else None

    def export(self) -> None:
        """Write the selected presets: one to a file, several to a folder."""
        chosen, tr = self.selected, self.services.language.tr
        targets: list[tuple[str, Path]] = []
        if len(chosen) == 1:
            path = self.questions.file_to_export(f"{chosen[0]}.json")
            targets = [(chosen[0], path)] if path is not None else []
        elif chosen:
            folder = self.questions.folder_to_export()
            targets = [] if folder is None else [(each, folder / f"{each}.json") for each in chosen]
            present = [path for _, path in targets if path.exists()]
            if present and not self.questions.may(
                    tr.plural("{n} file of the same name will be replaced.",
                              "{n} files of the same names will be replaced.", len(present)), tr("Replace")):
                return
        if targets:
            self._do(lambda: self._export(targets),
                     tr.plural("{n} preset exported", "{n} presets exported", len(targets)))

    def _export(self, targets: list[tuple[str, Path]]) -> str:
        for each, path in targets:
            self.services.presets.export(self.kind, each, path)
        return targets[-1][0]

    def _do(self, change: Callable[[], str], said: str = "") -> None:
        """Make a change, tell what keeps it from being made, and show the list as it is then."""
        select = ""
        try:
            select = change()
        except InputError as error:
            self.questions.tell(self.services.language.tr.describe(error))
        else:
            if said:
                self.services.announcer.say(said)
        self.services.origins.forget()
        self._fill(select)

    def _save(self, preset: Preset) -> str:
        self.services.presets.save(preset)
        return preset.id

    def _keep(self, preset: Preset, change: Change) -> Preset:
        """Keep what was typed into the form, and show it in the table."""
        kept = self.services.presets.update(preset, change)
        self.services.origins.forget()
        self._infos = self.services.presets.infos(self.kind)
        self._filter()
        self.details.show_preset(kept, own=True, form=False)
        return kept

    def changeEvent(self, event: QEvent) -> None:
        """Who comes back from another program sees what that wrote into the presets."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange and self.isActiveWindow():
            self.look_again()

    def look_again(self) -> None:
        """Show what another program changed in the user's folder, if anything."""
        presets, chosen = self.services.presets, self.selected
        if presets.refresh():
            self.services.origins.forget()
        shown = self.details.preset
        if presets.infos(self.kind) != self._infos or (
                shown is not None and self._is_own(shown.id) and self._now(shown) != shown):
            self._fill(chosen[-1] if chosen else "")

    def _now(self, preset: Preset) -> Preset | None:
        try:
            return self.services.presets.get(preset.kind, preset.id)
        except InputError:
            return None

    def _free_id(self, name: str, fallback: str) -> str:
        wanted = slug(name)
        return self.services.presets.free_id(self.kind, fallback if wanted == "preset" else wanted)

    # Files that are dragged here

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()

    def dropEvent(self, event: QDropEvent) -> None:
        paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()
        self.import_files(paths)
