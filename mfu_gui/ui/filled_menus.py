"""FilledMenus: the menus whose entries are known only when they open: files, languages and themes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QActionGroup

from mfu_gui.ui.status_line import language_names, theme_choices

if TYPE_CHECKING:
    from mfu_gui.ui.main_window import MainWindow


class FilledMenus(QObject):
    """Fills the submenus ``recent``, ``language`` and ``theme`` of a window each time one of them opens."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._services = window.services
        self._menus = window.actions_table.submenus
        self._menus["recent"].aboutToShow.connect(self._fill_recent)
        self._menus["language"].aboutToShow.connect(self._fill_language)
        self._menus["theme"].aboutToShow.connect(self._fill_theme)

    def _fill_recent(self) -> None:
        menu, tr = self._menus["recent"], self._services.language.tr
        menu.clear()
        for path in self._services.settings.recent:
            action = menu.addAction(path.name.replace("&", "&&"), partial(self._window.files.open_paths, [path]))
            action.setToolTip(str(path))
        if menu.isEmpty():
            menu.addAction(tr("No files yet")).setEnabled(False)

    def _fill_language(self) -> None:
        self._fill_choices("language", language_names(), self._services.language.code,
                           self._window.status.set_language)

    def _fill_theme(self) -> None:
        self._fill_choices("theme", theme_choices(self._services), self._services.theme.mode,
                           self._window.status.set_theme)

    def _fill_choices(self, key: str, choices: Sequence[tuple[object, str]], value: object,
                      choose: Callable[..., None]) -> None:
        menu = self._menus[key]
        menu.clear()
        group = QActionGroup(menu)
        for each, name in choices:
            action = menu.addAction(name, partial(choose, each))
            action.setCheckable(True)
            action.setChecked(each == value)
            group.addAction(action)
