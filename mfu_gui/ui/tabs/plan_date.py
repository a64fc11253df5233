"""The editor of the plan's first day: a date as year-month-day, or nothing."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QLineEdit, QWidget

from mfu_gui.engine.errors import InputError
from mfu_gui.planning.plan_fields import START_DATE
from mfu_gui.planning.spec import check_plan, plan_spec
from mfu_gui.ui.panels.binding import MESSAGE_DELAY_MS
from mfu_gui.ui.services import Services
from mfu_gui.ui.widgets.field_row import FieldRow
from mfu_gui.ui.workspace import Document

PLACEHOLDER = "2025-03-01"
LONGEST = 10


class DateBinding(QObject):
    """Shows the first day of the active document's plan and brings edits of it to the workspace."""

    field = START_DATE

    def __init__(self, services: Services, parent: QWidget) -> None:
        super().__init__(parent)
        self._services = services
        self.editor = QLineEdit()
        self.editor.setObjectName(self.field.key)
        self.editor.setMaxLength(LONGEST)
        self.editor.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.editor.setPlaceholderText(PLACEHOLDER)
        self.editor.textEdited.connect(self._typed)
        self.row = FieldRow(services, self.editor, parent=parent)
        self._message = ""
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(MESSAGE_DELAY_MS)
        self._timer.timeout.connect(lambda: self.row.show_message(self._message))

    def retranslate(self) -> None:
        """Write all texts in the language in force."""
        tr = self._services.language.tr
        self.row.set_texts(tr(self.field.label), tr(self.field.help), "")

    def refresh(self, document: Document) -> None:
        """Show the date of ``document``; text that is no date stays until it is mended."""
        error = document.invalid.get(self.field.key)
        if error is None:
            self._mark(False)
            value = self.field.get(document.scenario) or ""
            if self.editor.text() != value:
                self.editor.setText(value)
        self._message = "" if error is None else self._services.language.tr.sentence(error.code, error.values)
        if self._message and self.editor.hasFocus():
            self._timer.start()
        else:
            self._timer.stop()
            self.row.show_message(self._message)

    def forget(self) -> None:
        """Give up text that is no date: another document is shown."""
        self.editor.clear()

    def _typed(self, text: str) -> None:
        workspace = self._services.workspace
        document = workspace.active
        scenario = self.field.set(document.scenario, text.strip() or None)
        try:
            check_plan(plan_spec(scenario))
        except InputError:
            self._mark(True)
            workspace.set_invalid(document, self.field.key, InputError("bad_date", self.field.key, value=text))
            return
        workspace.edit(document, self.field.key, scenario, f"{self.field.key}|typing", self.field.label)

    def _mark(self, wrong: bool) -> None:
        state = "invalid" if wrong else ""
        if (self.editor.property("state") or "") != state:
            self.editor.setProperty("state", state)
            self.editor.style().unpolish(self.editor)
            self.editor.style().polish(self.editor)
