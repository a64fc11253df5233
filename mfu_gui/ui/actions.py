"""The one table of actions: what can be done from menus, toolbar and keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar

from mfu_gui.texts import N_
from mfu_gui.ui import icons
from mfu_gui.ui.services import Services
from mfu_gui.ui.tabs.pages import PAGES


class Spec(NamedTuple):
    """One action: its key, menu, text, shortcuts, and icon.  A text of "-" is a separator."""

    key: str
    menu: str
    text: str
    shortcuts: tuple[str, ...] = ()
    icon: str = ""
    checkable: bool = False


MENUS = (("file", N_("&File")), ("edit", N_("&Edit")), ("view", N_("&View")), ("go", N_("&Go")), ("help", N_("&Help")))
_LINE = "-"
MOST_PAGE_KEYS = 10
"""Ctrl+1 … Ctrl+9 and Ctrl+0 show the first ten tabs."""

ACTIONS: tuple[Spec, ...] = (
    Spec("new", "file", N_("&New"), ("Ctrl+N",)),
    Spec("new_window", "file", N_("New window"), ("Ctrl+Shift+N",)),
    Spec("duplicate", "file", N_("&Duplicate"), ("Ctrl+D",), "duplicate"),
    Spec("open", "file", N_("&Open…"), ("Ctrl+O",)),
    Spec("recent", "file", N_("Open &recent")),
    Spec("load_config", "file", N_("&Load config.json…"), ("Ctrl+L",)),
    Spec("open_log", "file", N_("Open lo&g…"), ("Ctrl+Shift+L",)),
    Spec("line1", "file", _LINE),
    Spec("save", "file", N_("&Save"), ("Ctrl+S",)),
    Spec("save_as", "file", N_("Save &as…"), ("Ctrl+Shift+S",)),
    Spec("rename", "file", N_("Rena&me…"), ("F2",)),
    Spec("scenarios", "file", N_("Scenar&ios…"), ("F8",), "list"),
    Spec("save_workspace", "file", N_("Save &workspace as…"), ("Ctrl+Alt+S",)),
    Spec("line2", "file", _LINE),
    Spec("export_report", "file", N_("&Export report…"), ("Ctrl+R",)),
    Spec("export_plot", "file", N_("Export plo&t…"), ("Ctrl+Shift+E",)),
    Spec("print", "file", N_("&Print…"), ("Ctrl+P",)),
    Spec("line6", "file", _LINE),
    Spec("presets", "file", N_("Presets…"), ("F4",)),
    Spec("save_preset", "file", N_("Save as preset…"), ("Ctrl+Alt+P",)),
    Spec("line10", "file", _LINE),
    Spec("close", "file", N_("&Close"), ("Ctrl+W",)),
    Spec("quit", "file", N_("&Quit"), ("Ctrl+Q",)),
    Spec("undo", "edit", N_("&Undo"), ("Ctrl+Z",), "undo"),
    Spec("redo", "edit", N_("&Redo"), ("Ctrl+Shift+Z", "Ctrl+Y"), "redo"),
    Spec("line3", "edit", _LINE),
    Spec("copy_mfu", "edit", N_("Copy &MFU"), ("Ctrl+Shift+C",)),
    Spec("copy_table", "edit", N_("Copy &table"), ("Ctrl+Shift+T",)),
    Spec("copy_formula", "edit", N_("Copy &formula"), ("Ctrl+Shift+F",)),
    Spec("copy_plot", "edit", N_("Copy &plot"), ("Ctrl+Shift+P",)),
    Spec("copy_markdown", "edit", N_("Copy as Mar&kdown"), ("Ctrl+Shift+M",)),
    Spec("copy_scenario", "edit", N_("Copy scenario as &JSON"), ("Ctrl+Shift+J",)),
    Spec("paste", "edit", N_("Pa&ste anything"), ("Ctrl+Shift+V", "Ctrl+V")),
    Spec("next", "view", N_("&Next scenario"), ("Ctrl+Tab", "Ctrl+PgDown")),
    Spec("previous", "view", N_("&Previous scenario"), ("Ctrl+Shift+Tab", "Ctrl+PgUp")),
    Spec("line4", "view", _LINE),
    Spec("tab_room", "view", N_("Tabs on the &whole side"), ("F11",), checkable=True),
    Spec("plot_table", "view", N_("Plot as &table"), ("Ctrl+T",), checkable=True),
    Spec("plot_axis", "view", N_("Plot against the next &quantity"), ("Ctrl+Shift+X",)),
    Spec("plot_log", "view", N_("Logarith&mic axes"), ("Ctrl+Shift+D",), checkable=True),
    Spec("zoom_in", "view", N_("&Zoom in"), ("Ctrl++", "Ctrl+=")),
    Spec("zoom_out", "view", N_("Zoom o&ut"), ("Ctrl+-",)),
    Spec("zoom_all", "view", N_("Show all o&f the plot"), ("Ctrl+Shift+0",)),
    Spec("target", "view", N_("Target &line"), ("Ctrl+G",), checkable=True),
    Spec("published", "view", N_("Published &runs in the plot"), ("Ctrl+B",), checkable=True),
    Spec("overlay", "view", N_("Other sc&enarios in the plot"), ("Ctrl+Shift+O",), checkable=True),
    Spec("structure", "view", N_("Breakdown by &structure"), ("Ctrl+Shift+B",), checkable=True),
    Spec("parameters", "view", N_("P&arameters in the breakdown's picture"), ("Ctrl+Shift+A",), checkable=True),
    Spec("change", "view", N_("Where a c&hange comes from"), ("F7",)),
    Spec("sensitivity", "view", N_("Sens&itivity"), ("F9",)),
    Spec("explain", "view", N_("E&xplain a reported number…"), ("Ctrl+I",)),
    Spec("line5", "view", _LINE),
    Spec("language", "view", N_("Lan&guage")),
    Spec("theme", "view", N_("C&olours")),
    Spec("palette", "go", N_("Find &anything…"), ("Ctrl+K",)),
    Spec("find_field", "go", N_("Find a &field…"), ("Ctrl+F",)),
    Spec("line7", "go", _LINE),
    Spec("find_model", "go", N_("Go to &model"), ("Ctrl+M",)),
    Spec("find_hardware", "go", N_("Go to &hardware"), ("Ctrl+H",)),
    Spec("find_convention", "go", N_("Go to &convention"), ("Ctrl+Shift+K",)),
    Spec("find_measured", "go", N_("Go to measured &value"), ("Ctrl+E",)),
    Spec("cluster", "go", N_("&Devices from nodes…"), ("Ctrl+Alt+D",)),
    Spec("line8", "go", _LINE),
    *(Spec(f"page_{page.key}", "go", page.title, (f"Ctrl+{number % 10}",) if number <= MOST_PAGE_KEYS else ())
      for number, page in enumerate(PAGES, 1)),
    Spec("help", "help", N_("&Help on this field or tab"), ("F1",)),
    Spec("what_is", "help", N_("&What is MFU?"), ("Ctrl+F1",)),
    Spec("glossary", "help", N_("&Glossary"), ("Ctrl+Shift+G",)),
    Spec("keys", "help", N_("&Keyboard shortcuts"), ("Ctrl+/",)),
    Spec("line9", "help", _LINE),
    Spec("log", "help", N_("Show &log folder"), ("Ctrl+Alt+L",)),
    Spec("diagnostics", "help", N_("Copy &diagnostic info"), ("Ctrl+Alt+I",)),
    Spec("about", "help", N_("&About"), ("Shift+F1",)),
)
SUBMENUS = frozenset({"recent", "language", "theme"})


class Actions(QObject):
    """The QActions of the table.  ``connect`` says what each does; texts follow the language."""

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._actions: dict[str, QAction] = {}
        self._menus: dict[str, QMenu] = {}
        self.submenus: dict[str, QMenu] = {}
        for spec in ACTIONS:
            if spec.text == _LINE or spec.key in SUBMENUS:
                continue
            action = QAction(self)
            action.setObjectName(f"action.{spec.key}")
            action.setShortcuts([QKeySequence(text) for text in spec.shortcuts])
            action.setCheckable(spec.checkable)
            if spec.key == "quit":
                action.setMenuRole(QAction.MenuRole.QuitRole)
            if spec.key == "about":
                action.setMenuRole(QAction.MenuRole.AboutRole)
            self._actions[spec.key] = action
        services.language.changed.connect(self.retranslate)
        services.theme.changed.connect(self._restyle)
        self._restyle()

    def __getitem__(self, key: str) -> QAction:
        return self._actions[key]

    def connect_all(self, handlers: dict[str, Callable[[], object]]) -> None:
        """Say what the actions do; all of the table must be there."""
        missing = self._actions.keys() ^ handlers.keys()
        if missing:
            raise ValueError(f"actions without a handler, or the reverse: {sorted(missing)}")
        for key, handler in handlers.items():
            self._actions[key].triggered.connect(lambda _checked=False, handler=handler: handler())

    def fill(self, bar: QMenuBar) -> None:
        """Build the menus."""
        for key, _ in MENUS:
            self._menus[key] = bar.addMenu("")
        for spec in ACTIONS:
            menu = self._menus[spec.menu]
            if spec.text == _LINE:
                menu.addSeparator()
            elif spec.key in SUBMENUS:
                self.submenus[spec.key] = menu.addMenu("")
            else:
                menu.addAction(self._actions[spec.key])
        self.retranslate()

    def retranslate(self) -> None:
        """Write all texts again."""
        tr = self._services.language.tr
        for key, text in MENUS:
            if key in self._menus:
                self._menus[key].setTitle(tr(text))
        for spec in ACTIONS:
            if spec.key in self.submenus:
                self.submenus[spec.key].setTitle(tr(spec.text))
            elif spec.key in self._actions:
                action = self._actions[spec.key]
                action.setText(tr(spec.text))
                action.setToolTip(tip_of(action))

    def _restyle(self) -> None:
        color = self._services.theme.color
        for spec in ACTIONS:
            if spec.icon:
                self._actions[spec.key].setIcon(icons.icon(spec.icon, color("text"), color("disabled_icon")))
                self._actions[spec.key].setIconVisibleInMenu(False)


def tip_of(action: QAction) -> str:
    """The text without its mnemonic, and the shortcut."""
    text = without_mnemonic(action.text()).rstrip("…")
    keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
    return f"{text} ({keys})" if keys else text


def without_mnemonic(text: str) -> str:
    """ "&Save" without the mark; Chinese "保存(&S)" without the letter in brackets."""
    head, bracket, rest = text.partition("(&")
    if bracket and len(rest) >= 2 and rest[1] == ")":
        return head + rest[2:]
    return text.replace("&", "")
