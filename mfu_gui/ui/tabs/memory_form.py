"""The inputs of the Memory tab: bytes per parameter, what is kept, and what libraries take."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from mfu_gui.planning.memory_fields import BY_KEY, PREFIX, usual_value
from mfu_gui.texts import N_
from mfu_gui.ui import fonts
from mfu_gui.ui.services import Services
from mfu_gui.ui.tabs.field_groups import FieldGroups
from mfu_gui.ui.widgets.card import plain_label
from mfu_gui.ui.workspace import Document

SECTIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (N_("Bytes per parameter"), ("optimizer", "weight_bytes", "gradient_bytes", "optimizer_bytes",
                                 "frozen_weight_bytes", "shard_devices", "live_units", "offload")),
    (N_("Activations"), ("schedule", "activation_bytes", "cross_entropy", "recompute_norms", "recompute_mlp_product",
                         "recompute_mla_projection", "dropout", "expert_imbalance", "expert_tensor")),
    (N_("Beside the model"), ("framework_gib", "communication_gib", "fragmentation", "device_memory_gib")),
)


class MemoryForm(FieldGroups):
    """The fields of ``plan.memory`` under three headings; an empty one shows its usual value."""

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(services, parent)
        self.column.setContentsMargins(0, 0, 8, 8)
        self.column.setSpacing(0)
        for title, names in SECTIONS:
            heading = plain_label()
            heading.setFont(fonts.bold())
            heading.setContentsMargins(0, 10 if self.forms else 2, 0, 3)
            fields = tuple(BY_KEY[PREFIX + name] for name in names)
            special = {field.key: {"placeholder": self._placeholder(field.key)} for field in fields
                       if field.kind != "choice"}
            self.add_group(heading, title, fields, special)
        self.column.addStretch(1)

    def _placeholder(self, key: str) -> Callable[[Document], str]:
        field = BY_KEY[key]

        def text(document: Document) -> str:
            value = usual_value(field, document.scenario)
            numbers = self._services.language.numbers
            if value is None:
                return ""
            if field.kind == "fraction":  # the sign stands behind the field
                return numbers.percent(value, 0).removesuffix("%")
            return numbers.short(value, 3)

        return text
