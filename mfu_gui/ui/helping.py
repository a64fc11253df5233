"""Helping: what F1 and the Help menu do, and the dialogs about presets."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QWhatsThis, QWidget

from mfu_gui.engine.conventions import CONVENTIONS
from mfu_gui.engine.fields import BY_KEY
from mfu_gui.ui import tips
from mfu_gui.ui.headline import choose_convention

if TYPE_CHECKING:
    from mfu_gui.ui.dialogs.help import HelpWindow
    from mfu_gui.ui.main_window import MainWindow


class Helping(QObject):
    """The help of one window; its dialogs are imported when they are first opened."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._services = window.services

    def handlers(self) -> dict[str, Callable[[], object]]:
        """What its actions do."""
        return {"help": self.help_here, "what_is": lambda: self.open("mfu"), "glossary": lambda: self.open("glossary"),
                "keys": self._show_keys, "diagnostics": self.copy_diagnostics, "about": self._show_about,
                "presets": self.open_presets, "save_preset": self.save_preset}

    def help_here(self) -> None:
        """F1: about the field that has the focus; elsewhere, about the tab that is shown."""
        focused = QApplication.focusWidget()
        text = "" if focused is None else self.about(focused)
        if focused is None or not text:
            self.open(f"tab-{self._window.tabs.current}")
            return
        QWhatsThis.showText(focused.mapToGlobal(QPoint(0, focused.height())), tips.plain(text), focused)

    def about(self, widget: QWidget) -> str:
        """Name, unit and help of a field; empty for what is none."""
        tr = self._services.language.tr
        field = BY_KEY.get(widget.objectName())
        if field is not None:
            unit = f" ({tr(field.unit)})" if field.unit else ""
            return f"{tr(field.label)}{unit}\n\n{tr(field.help)}"
        name, words = widget.accessibleName(), widget.accessibleDescription()
        return f"{name}\n\n{words}" if name and words else ""

    def open(self, topic: str) -> HelpWindow:
        """The help beside the window, at a topic."""
        from mfu_gui.ui.dialogs.help import HelpWindow

        found = self._window.findChild(HelpWindow)
        if found is None:
            found = HelpWindow(self._services, self._window.show_field, self._show_convention, self._window)
            found.show()
        found.show_topic(topic)
        found.raise_()
        found.activateWindow()
        return found

    def _show_convention(self, convention_id: str) -> None:
        if any(convention.id == convention_id for convention in CONVENTIONS):
            choose_convention(self._services.workspace, convention_id)

    def copy_diagnostics(self) -> None:
        """Versions, platform and settings, without names and paths."""
        from mfu_gui.ui.diagnostics import diagnostics

        QGuiApplication.clipboard().setText(diagnostics(self._services))
        self._services.announcer.say(self._services.language.tr("Copied the diagnostic info"))

    def open_presets(self) -> None:
        """All models and devices."""
        from mfu_gui.ui.dialogs.preset_manager import PresetManager

        PresetManager(self._services, self._window).open()

    def save_preset(self) -> None:
        """Keep the scenario's model or hardware."""
        from mfu_gui.ui.dialogs.save_preset import SavePresetDialog

        SavePresetDialog(self._services, self._window).open()

    def _show_keys(self) -> None:
        from mfu_gui.ui.dialogs.keys import KeysDialog

        KeysDialog(self._services, self._window).open()

    def _show_about(self) -> None:
        from mfu_gui.ui.dialogs.about import AboutDialog

        AboutDialog(self._services, self._window).open()
