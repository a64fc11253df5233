"""Questions to the user that open a dialog of the system; tests give answers of their own instead."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Protocol

from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from mfu_gui.formats.scenario_file import SUFFIX
from mfu_gui.formats.workspace_file import SUFFIX as WORKSPACE_SUFFIX
from mfu_gui.texts import N_
from mfu_gui.ui.language import Language
from mfu_gui.ui.theme import Theme

Answer = Literal["save", "discard", "cancel"]
ChangedAnswer = Literal["overwrite", "save_as", "cancel"]
PLOT_KINDS = {".png": N_("PNG picture"), ".svg": N_("SVG drawing")}
"""Endings of plots, and what such a file is called."""


class Chooser(Protocol):
    """What the window may have to ask."""

    def open_files(self) -> list[Path]:
        """Scenarios or models to open; empty when the user changed their mind."""

    def open_config(self) -> Path | None:
        """A config.json."""

    def open_logs(self) -> list[Path]:
        """Training logs; empty when the user changed their mind."""

    def save_file(self, suggestion: Path) -> Path | None:
        """Where to save."""

    def save_workspace(self, suggestion: Path) -> Path | None:
        """Where to save all open scenarios."""

    def save_report(self, suggestion: Path) -> Path | None:
        """Where to write a report; the ending says which kind."""

    def save_plot(self, suggestion: Path) -> Path | None:
        """Where to write the plot, as PNG or SVG."""

    def unsaved(self, names: list[str]) -> Answer:
        """What to do with changes that are in no file."""

    def changed_elsewhere(self, name: str) -> ChangedAnswer:
        """What to do with a file that another program changed since it was read or saved."""

    def tell(self, text: str) -> None:
        """Say what went wrong."""


class DialogChooser:
    """Asks by dialogs above a window."""

    def __init__(self, window: QWidget, language: Language, theme: Theme) -> None:
        self._window = window
        self._language = language
        self._theme = theme

    def open_files(self) -> list[Path]:
        tr = self._language.tr
        kinds = f"{tr('Scenarios and models')} (*{SUFFIX} *{WORKSPACE_SUFFIX} *.json);;{tr('All files')} (*)"
        names, _ = QFileDialog.getOpenFileNames(self._window, tr("Open"), "", kinds)
        return [Path(name) for name in names]

    def open_config(self) -> Path | None:
        tr = self._language.tr
        name, _ = QFileDialog.getOpenFileName(self._window, tr("Load config.json"), "",
                                              f"JSON (*.json);;{tr('All files')} (*)")
        return Path(name) if name else None

    def open_logs(self) -> list[Path]:
        tr = self._language.tr
        names, _ = QFileDialog.getOpenFileNames(self._window, tr("Open log"), "", f"{tr('All files')} (*)")
        return [Path(name) for name in names]

    def save_file(self, suggestion: Path) -> Path | None:
        tr = self._language.tr
        name, _ = QFileDialog.getSaveFileName(self._window, tr("Save as"), str(suggestion),
                                              f"{tr('Scenarios')} (*{SUFFIX})")
        if not name:
            return None
        path = Path(name)
        return path if path.suffix else self._unless_taken(path.with_suffix(SUFFIX))

    def save_workspace(self, suggestion: Path) -> Path | None:
        tr = self._language.tr
        return self._save(tr("Save workspace as"), suggestion, {WORKSPACE_SUFFIX: tr("Workspaces")})

    def save_report(self, suggestion: Path) -> Path | None:
        from mfu_gui.formats.reports.files import KINDS

        tr = self._language.tr
        return self._save(tr("Export report"), suggestion, {kind: tr(name) for kind, name in KINDS.items()})

    def save_plot(self, suggestion: Path) -> Path | None:
        tr = self._language.tr
        return self._save(tr("Export plot"), suggestion, {kind: tr(name) for kind, name in PLOT_KINDS.items()})

    def _save(self, title: str, suggestion: Path, kinds: dict[str, str]) -> Path | None:
        """Ask for a file of one of several kinds; without an ending it gets that of the kind that was chosen."""
        filters = {f"{name} (*{kind})": kind for kind, name in kinds.items()}
        name, chosen = QFileDialog.getSaveFileName(self._window, title, str(suggestion), ";;".join(filters))
        if not name:
            return None
        path = Path(name)
        if path.suffix.lower() in kinds:
            return path
        return self._unless_taken(path.with_name(path.name + filters.get(chosen, "")))

    def _unless_taken(self, path: Path) -> Path | None:
        """A path that got its ending here: the system's dialog asked about the name without it."""
        if not path.exists():
            return path
        tr = self._language.tr
        box = self._box(QMessageBox.Icon.Question, tr("There is already a file “{file}”.", file=path.name))
        overwrite = box.addButton(tr("Overwrite"), QMessageBox.ButtonRole.DestructiveRole)
        cancel = box.addButton(tr("Cancel"), QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(cancel)
        box.setEscapeButton(cancel)
        box.exec()
        return path if box.clickedButton() is overwrite else None

    def unsaved(self, names: list[str]) -> Answer:
        tr = self._language.tr
        # Not one text with a plural: Chinese has one form only, which could not name a single scenario.
        box = self._box(QMessageBox.Icon.Question,
                        tr("“{name}” has changes that are not saved.", name=names[0]) if len(names) == 1
                        else tr("{n} scenarios have changes that are not saved.", n=len(names)))
        save = box.addButton(tr("Save"), QMessageBox.ButtonRole.AcceptRole)
        discard = box.addButton(tr("Discard"), QMessageBox.ButtonRole.DestructiveRole)
        cancel = box.addButton(tr("Cancel"), QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(save)
        box.setEscapeButton(cancel)
        box.exec()
        answers: dict[object, Answer] = {save: "save", discard: "discard"}
        return answers.get(box.clickedButton(), "cancel")

    def changed_elsewhere(self, name: str) -> ChangedAnswer:
        tr = self._language.tr
        box = self._box(QMessageBox.Icon.Question, tr("“{file}” was changed by another program or window since "
                                                      "it was opened or saved here.", file=name))
        box.setInformativeText(tr("Overwriting replaces those changes. Saved under another name, both stay."))
        overwrite = box.addButton(tr("Overwrite"), QMessageBox.ButtonRole.DestructiveRole)
        other = box.addButton(tr("Save as…"), QMessageBox.ButtonRole.AcceptRole)
        cancel = box.addButton(tr("Cancel"), QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(other)
        box.setEscapeButton(cancel)
        box.exec()
        answers: dict[object, ChangedAnswer] = {overwrite: "overwrite", other: "save_as"}
        return answers.get(box.clickedButton(), "cancel")

    def tell(self, text: str) -> None:
        box = self._box(QMessageBox.Icon.Warning, text)
        box.addButton(self._language.tr("OK"), QMessageBox.ButtonRole.AcceptRole)
        box.exec()

    def _box(self, icon: QMessageBox.Icon, text: str) -> QMessageBox:
        box = QMessageBox(self._window)
        self._theme.dress(box)
        box.setWindowTitle(self._language.tr("MFU Calculator"))
        box.setIcon(icon)
        box.setTextFormat(box.textFormat().PlainText)
        box.setText(text)
        return box
