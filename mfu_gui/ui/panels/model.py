"""The model panel: a preset or a config.json, and its shape."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace
from PySide6.QtWidgets import QWidget

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.fields import MODEL_FIELDS, N_
from mfu_gui.engine.model import Dense, MoE
from mfu_gui.engine.scenario import Source
from mfu_gui.formats.preset_index import PresetInfo
from mfu_gui.ui.panels.panel import Panel, Special
from mfu_gui.ui.services import Services
from mfu_gui.ui.widgets.link import Link
from mfu_gui.ui.widgets.search_box import Item, SearchBox
from mfu_gui.ui.workspace import Document


class ModelPanel(Panel):
    """Which model is trained."""

    def __init__(self, services: Services, load_config: Callable[[], object], parent: QWidget | None = None) -> None:
        special: Special = {
            "model.layers": {"extra": self._dense_layers},
            "model.experts": {"extra": self._shared_experts},
        }
        super().__init__(services, MODEL_FIELDS, special, parent)
        self.search = SearchBox(services.theme, self._find)
        self.search.setObjectName("model.preset")
        self.search.chosen.connect(self._take)
        self.body.insertWidget(0, self.search)
        self.body.insertSpacing(1, 2)
        self.load = Link(services.theme, "", load_config)
        self.body.addSpacing(3)
        self.body.addWidget(self.load)
        self.start()

    def retranslate(self) -> None:
        tr = self.services.language.tr
        self.set_title(tr("Model"))
        self.search.setAccessibleName(tr("Model"))
        self.search.setPlaceholderText(tr("Search models"))
        self.search.setToolTip(tr("Type a part of the name, the vendor or the size: “405B”, “qwen3 moe”."))
        self.load.setText(tr("Load config.json…"))
        self.load.setToolTip(tr("Read the shape of a model from its Hugging Face config.json."))
        super().retranslate()

    def refresh(self, document: Document) -> None:
        super().refresh(document)
        scenario, tr = document.scenario, self.services.language.tr
        self.search.show_name(scenario.model.name or tr("Own model"))
        if document.result is None:
            self.note.setText("")
            return
        count = self.services.language.numbers.count
        parameters = document.result.parameters
        total = tr("{n} parameters", n=count(parameters.total))
        if parameters.active != parameters.total:
            total = tr("{total} total · {active} active", total=count(parameters.total),
                       active=count(parameters.active))
        self.note.setText(total)
        self.note.setToolTip(tr("{total} parameters, of which a token uses {active}",
                                total=f"{parameters.total:,}", active=f"{parameters.active:,}"))

    def _find(self, text: str) -> list[Item]:
        return [Item(info.id, info.name, self._note(info)) for info in self.services.presets.find(text, "mfu-model")]

    def _note(self, info: PresetInfo) -> str:
        count = self.services.language.numbers.count
        total, active = info.figures.get("total_parameters"), info.figures.get("active_parameters")
        tr = self.services.language.tr
        size = "" if total is None else count(total)
        if active is not None and active != total:
            size = tr("{total} total · {active} active", total=size, active=count(active))
        return " · ".join(part for part in (info.group, size) if part)

    def _take(self, preset_id: str) -> None:
        workspace = self.services.workspace
        document = workspace.active
        try:
            preset = self.services.presets.model(preset_id)
        except InputError as error:
            self.services.announcer.say(self.services.language.tr.describe(error))
            return
        scenario = replace(document.scenario, model=preset.spec, model_source=Source(preset=preset_id))
        workspace.edit(document, "model.preset", scenario, label=N_("Choose model"))

    def _dense_layers(self, document: Document) -> str:
        """Of a mixture of experts: how many layers are dense."""
        stack = document.scenario.model.main
        dense = {kind.name for kind in stack.kinds if kind.ffns and all(isinstance(f, Dense) for f in kind.ffns)}
        if not any(isinstance(f, MoE) for kind in stack.kinds for f in kind.ffns) or not dense:
            return ""
        count = sum(times for name, times in stack.order if name in dense)
        return self.services.language.tr("{n} dense", n=count)

    def _shared_experts(self, document: Document) -> str:
        for kind in document.scenario.model.main.kinds:
            for ffn in kind.ffns:
                if isinstance(ffn, MoE) and ffn.shared_width:
                    shared = ffn.shared_width / ffn.width
                    tr = self.services.language.tr
                    return tr("+{n} shared", n=int(shared)) if shared.is_integer() else tr("+ shared")
        return ""
