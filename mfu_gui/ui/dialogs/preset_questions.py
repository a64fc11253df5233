"""What the preset manager has to ask: files, folders, names, and whether it may; tests answer instead."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from PySide6.QtWidgets import QFileDialog, QInputDialog, QMessageBox, QWidget

from mfu_gui.ui.language import Language


class PresetQuestions(Protocol):
    """Everything is None, empty or False when the user changed their mind."""

    def files_to_import(self) -> list[Path]: ...
    def file_to_export(self, suggestion: str) -> Path | None: ...
    def folder_to_export(self) -> Path | None: ...
    def name(self, title: str, present: str) -> str | None: ...
    def may(self, text: str, verb: str) -> bool: ...
    def tell(self, text: str) -> None: ...


class DialogQuestions:
    """Asks by dialogs above a window."""

    def __init__(self, window: QWidget, language: Language) -> None:
        self._window = window
        self._language = language

    def files_to_import(self) -> list[Path]:
        tr = self._language.tr
        names, _ = QFileDialog.getOpenFileNames(self._window, tr("Import presets"), "", f"{tr('Presets')} (*.json)")
        return [Path(name) for name in names]

    def file_to_export(self, suggestion: str) -> Path | None:
        tr = self._language.tr
        name, _ = QFileDialog.getSaveFileName(self._window, tr("Export preset"), suggestion,
                                              f"{tr('Presets')} (*.json)")
        return Path(name) if name else None

    def folder_to_export(self) -> Path | None:
        name = QFileDialog.getExistingDirectory(self._window, self._language.tr("Export presets to a folder"))
        return Path(name) if name else None

    def name(self, title: str, present: str) -> str | None:
        tr = self._language.tr
        dialog = QInputDialog(self._window)
        dialog.setWindowTitle(title)
        dialog.setLabelText(tr("Name"))
        dialog.setTextValue(present)
        dialog.setOkButtonText(tr("OK"))
        dialog.setCancelButtonText(tr("Cancel"))
        return dialog.textValue().strip() or None if dialog.exec() else None

    def may(self, text: str, verb: str) -> bool:
        box = QMessageBox(self._window)
        box.setWindowTitle(self._language.tr("Presets"))
        box.setIcon(QMessageBox.Icon.Question)
        box.setTextFormat(box.textFormat().PlainText)
        box.setText(text)
        yes = box.addButton(verb, QMessageBox.ButtonRole.AcceptRole)
        no = box.addButton(self._language.tr("Cancel"), QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(no)
        box.setEscapeButton(no)
        box.exec()
        return box.clickedButton() is yes

    def tell(self, text: str) -> None:
        box = QMessageBox(self._window)
        box.setWindowTitle(self._language.tr("Presets"))
        box.setIcon(QMessageBox.Icon.Warning)
        box.setTextFormat(box.textFormat().PlainText)
        box.setText(text)
        box.addButton(self._language.tr("OK"), QMessageBox.ButtonRole.AcceptRole)
        box.exec()
