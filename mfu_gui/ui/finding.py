"""What the command palette offers: actions, tabs, fields, scenarios, presets, conventions, languages and colours.

An entry is found by words of its title in every language of the program, whichever the window speaks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtGui import QKeySequence

from mfu_gui.engine.conventions import CONVENTIONS
from mfu_gui.engine.scenario import Scenario
from mfu_gui.texts import LANGUAGES, N_, translator
from mfu_gui.ui.actions import ACTIONS, SUBMENUS, without_mnemonic
from mfu_gui.ui.field_places import Place, field_places
from mfu_gui.ui.headline import choose_convention
from mfu_gui.ui.status_line import MODE_NAMES, language_names

if TYPE_CHECKING:
    from mfu_gui.ui.main_window import MainWindow

MOST_PRESETS = 8
"""Of each kind: the search boxes of the panels have all of them."""
PAGE_NAMES = {"memory": N_("Memory"), "plan": N_("Plan"), "step_time": N_("Step time")}
PANEL_NAMES = {"model": N_("Model"), "hardware": N_("Hardware"), "run": N_("Run"), "measured": N_("Measured")}
OTHER_NAMES = {"en": "英语 英文", "zh": "chinese"}
"""What speakers of the other language call a language."""
ACTION, TAB, FIELD, SCENARIO = N_("Action"), N_("Tab"), N_("Field"), N_("Scenario")
MODEL, HARDWARE, CONVENTION, SETTING = N_("Model"), N_("Hardware"), N_("Convention"), N_("Setting")


class Entry(NamedTuple):
    """One line of the palette: what kind it is, its title and remark, the words it is found by, what it does."""

    kind: str
    title: str
    words: str
    run: Callable[[], object]
    note: str = ""
    enabled: bool = True


def in_all_languages(*messages: str) -> str:
    """Message ids as every language says them, without the marks of menus, for searching."""
    said = [without_mnemonic(translator(code)(message)) for code in LANGUAGES for message in messages]
    return " ".join(said).casefold()


def score(entry: Entry, words: Sequence[str]) -> int | None:
    """How well an entry fits what was typed, 0 best; None if a word is nowhere in it."""
    if not all(word in entry.words for word in words):
        return None
    title = entry.title.casefold()
    if title.startswith(" ".join(words)):
        return 0
    starts = title.split()
    if all(any(part.startswith(word) for part in starts) for word in words):
        return 1
    return 2 if all(word in title for word in words) else 3


def found(entries: Iterable[Entry], text: str) -> list[Entry]:
    """The entries that fit, best first; their own order among equals, and what cannot be done last."""
    words = text.casefold().split()
    ranked = [(rank, not entry.enabled, number, entry) for number, entry in enumerate(entries)
              if (rank := score(entry, words)) is not None]
    return [entry for *_, entry in sorted(ranked, key=lambda item: (item[1], item[0] if words else 0, item[2]))]


class Finding:
    """The entries of one window.  Built anew each time the palette opens: they are a few hundred short texts."""

    def __init__(self, window: MainWindow, show_place: Callable[[Place], object]) -> None:
        self._window = window
        self._services = window.services
        self._show_place = show_place

    def everything(self) -> list[Entry]:
        """All but the presets, which are looked for as they are everywhere."""
        return [*self.actions(), *self.scenarios(), *self.fields(), *self.conventions(), *self.settings()]

    def actions(self) -> list[Entry]:
        """The table of actions, with the tabs among them."""
        entries = []
        for spec in ACTIONS:
            if spec.text == "-" or spec.key in SUBMENUS or spec.key == "palette":
                continue
            action = self._window.actions_table[spec.key]
            title = without_mnemonic(action.text()).rstrip("…")
            keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            note = f"✓ {keys}" if action.isCheckable() and action.isChecked() else keys
            words = f"{title.casefold()} {in_all_languages(spec.text)}"
            kind = TAB if spec.key.startswith("page_") else ACTION
            entries.append(Entry(kind, title, words, action.trigger, note, action.isEnabled()))
        return entries

    def scenarios(self) -> list[Entry]:
        """The open scenarios, and the files used lately."""
        workspace, tr = self._services.workspace, self._services.language.tr
        entries = [Entry(SCENARIO, name, f"{name} {in_all_languages(SCENARIO)}".casefold(),
                         partial(workspace.activate, document), tr("shown now") if document is workspace.active else "")
                   for document in workspace.documents
                   for name in [document.scenario.name or tr("Untitled")]]
        open_paths = self._window.files.open_paths
        return entries + [Entry(SCENARIO, path.name, path.name.casefold(), partial(open_paths, [path]),
                                str(path.parent))
                          for path in self._services.settings.recent]

    def fields(self) -> list[Entry]:
        """Every field, with its present value."""
        scenario = self._services.workspace.active.scenario
        return [self._field(place, scenario) for place in field_places()]

    def _field(self, place: Place, scenario: Scenario) -> Entry:
        tr, field = self._services.language.tr, place.field
        where = tr(PAGE_NAMES[place.page] if place.page else PANEL_NAMES[field.panel])
        applies = field.applies(scenario)
        note = where if applies else tr("{place} · not of this scenario", place=where)
        words = f"{in_all_languages(field.label)} {field.key} {where.casefold()}"
        return Entry(FIELD, tr(field.label), words, partial(self._show_place, place), note, applies)

    def conventions(self) -> list[Entry]:
        """All conventions, with what each says of the active scenario."""
        tr, workspace = self._services.language.tr, self._services.workspace
        rows = {row.id: row for row in workspace.active.rows()}
        entries = []
        for convention in CONVENTIONS:
            row = rows.get(convention.id)
            used = None if row is None else row.utilization
            note = convention.id if used is None else f"{convention.id} · {tr.numbers.percent(used, 2)}"
            words = f"{in_all_languages(convention.title, CONVENTION)} {convention.id} {convention.source}".casefold()
            entries.append(Entry(CONVENTION, tr(convention.title), words,
                                 partial(choose_convention, workspace, convention.id), note))
        return entries

    def settings(self) -> list[Entry]:
        """Languages and colours."""
        status, tr = self._window.status, self._services.language.tr
        languages, colours = in_all_languages(N_("Language")), in_all_languages(N_("Colours"))
        entries = [Entry(SETTING, name, f"{name.casefold()} {OTHER_NAMES[code]} {languages}",
                         partial(status.set_language, code), tr("Language")) for code, name in language_names()]
        return entries + [Entry(SETTING, tr(name), f"{in_all_languages(name)} {colours}",
                                partial(status.set_theme, mode), tr("Colours")) for mode, name in MODE_NAMES.items()]

    def presets(self, text: str) -> list[Entry]:
        """Models and devices for what was typed."""
        column = self._window.column
        boxes = ((MODEL, column.model.search), (HARDWARE, column.hardware.search))
        return [Entry(kind, item.name, "", partial(box.chosen.emit, item.id), item.note)
                for kind, box in boxes for item in box.look_for(text)[:MOST_PRESETS]]
