"""The inputs of the Plan tab: headings and fields of one view, made from the table of fields."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QWidget

from mfu_gui.planning.plan_fields import SECTIONS, usual
from mfu_gui.ui import fonts
from mfu_gui.ui.services import Services
from mfu_gui.ui.tabs.field_groups import FieldGroups
from mfu_gui.ui.widgets.card import plain_label
from mfu_gui.ui.workspace import Document

TOKENS_WIDTH = 156
"""Room for a number of trillions, written out."""


class PlanForm(FieldGroups):
    """The fields of one view (``run``, ``serving``, ``post_training``) under their headings."""

    def __init__(self, services: Services, view: str, parent: QWidget | None = None) -> None:
        super().__init__(services, parent)
        self.column.setContentsMargins(0, 0, 8, 8)
        self.column.setSpacing(0)
        for title, fields in SECTIONS[view]:
            heading = plain_label()
            heading.setFont(fonts.bold())
            heading.setContentsMargins(0, 12 if self.forms else 4, 0, 4)
            self.add_group(heading, title, fields, {field.key: self._special(field.key) for field in fields})
        self.column.addStretch(1)

    def _special(self, key: str) -> dict[str, object]:
        found: dict[str, object] = {"placeholder": partial(self._placeholder, key)}
        if key == "plan.tokens":
            found["extra"] = lambda document: " "  # the number takes the place of its unit
            found["width"] = TOKENS_WIDTH
        elif key == "plan.mfu":
            found["placeholder"] = self._measured_mfu
        return found if not key.endswith("_rule") else {}

    def _placeholder(self, key: str, document: Document) -> str:
        value = usual(document.scenario, key)
        if value is None:
            return ""
        numbers = self._services.language.numbers
        if key == "plan.energy.draw":
            return numbers.percent(value, 0).removesuffix("%")  # the unit stands beside the field
        return numbers.integer(value) if isinstance(value, int) else numbers.short(value)

    def _measured_mfu(self, document: Document) -> str:
        result = document.result
        if result is None or result.mfu is None:
            return ""
        return self._services.language.numbers.percent(result.mfu).removesuffix("%")
