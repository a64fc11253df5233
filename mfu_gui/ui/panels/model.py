"""The model panel: a preset or a config.json, and its shape."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace
from PySide6.QtWidgets import QHBoxLayout, QWidget

from mfu_gui.engine.errors import InputError, Notice
from mfu_gui.engine.fields import MODEL_FIELDS, N_
from mfu_gui.engine.model import Dense, MoE
from mfu_gui.engine.scenario import Scenario, Source
from mfu_gui.formats.preset_index import PresetInfo
from mfu_gui.ui import tips
from mfu_gui.ui.example import without_its_story
from mfu_gui.ui.panels.panel import Panel, Special
from mfu_gui.ui.published_size import published_line, published_tip
from mfu_gui.ui.services import Services
from mfu_gui.ui.widgets.elided_label import ElidedLabel
from mfu_gui.ui.widgets.link import Link
from mfu_gui.ui.widgets.search_box import Item, SearchBox
from mfu_gui.ui.workspace import Document


class ModelPanel(Panel):
    """Which model is trained."""

    SHOWS = frozenset(("model", "model_source"))

    def __init__(self, services: Services, load_config: Callable[[], object], parent: QWidget | None = None) -> None:
        special: Special = {
            "model.layers": {"extra": self._dense_layers},
            "model.experts": {"extra": self._shared_experts},
        }
        super().__init__(services, MODEL_FIELDS, special, parent)
        self.load = Link(services.theme, "", load_config)
        self.assumed = Link(services.theme, "", self._show_assumptions)
        self.assumed.setObjectName("model.assumptions")
        self._links = QWidget()
        links = QHBoxLayout(self._links)
        links.setContentsMargins(0, 3, 0, 0)
        links.addWidget(self.load)
        links.addStretch(1)
        links.addWidget(self.assumed)
        self.body.addWidget(self._links)
        self._short = False
        self._config: tuple[object, tuple[Notice, ...]] = (None, ())
        self.start()

    def add_lead(self) -> None:
        self.search = SearchBox(self.services.theme, self._find)
        self.search.setObjectName("model.preset")
        self.search.chosen.connect(self._take)
        self.body.addWidget(self.search)
        self.published = ElidedLabel()
        self.published.setObjectName("model.published")
        self.reset = Link(self.services.theme, "", self._reset)
        self.reset.setObjectName("model.reset")
        origin = QHBoxLayout()
        origin.setContentsMargins(1, 0, 0, 3)
        origin.addWidget(self.published, 1)
        origin.addWidget(self.reset)
        self.body.addLayout(origin)

    def retranslate(self) -> None:
        tr = self.services.language.tr
        self.set_title(tr("Model"))
        self.search.setAccessibleName(tr("Model"))
        self.search.setPlaceholderText(tr("Search models"))
        self.search.setToolTip(tr("Type a part of the name, the vendor or the size: “405B”, “qwen3 moe”."))
        self.search.nothing = tr("Nothing fits this text.")
        self.reset.setText(tr("Reset"))
        self.reset.setToolTip(tr("Take the model as it was chosen"))
        self.load.setText(tr("Load config.json…"))
        self.load.setToolTip(tr("Read the shape of a model from its Hugging Face config.json."))
        super().retranslate()

    def refresh(self, document: Document) -> None:
        super().refresh(document)
        scenario, tr = document.scenario, self.services.language.tr
        self.search.show_name(scenario.model.name or tr("Own model"))
        self._show_origin(document)
        if document.result is None or document.problem is not None:  # the size would be that of the last valid model
            self.note.setText("")
            self.note.setToolTip("")
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

    def _show_origin(self, document: Document) -> None:
        """Published beside computed sizes, or that the model was changed and what it was."""
        scenario, tr = document.scenario, self.services.language.tr
        edited = self.services.origins.is_edited(scenario)
        preset_id = scenario.model_source.preset
        preset = None if edited or preset_id is None else self.services.origins.preset(preset_id)
        line = tip = ""
        if edited:
            line = tr("changed by hand")
            tip = tr("Fields with a mark differ from what was chosen.")
        elif preset is not None and document.result is not None and document.problem is None:
            line = published_line(preset, document.result.parameters, tr)
            tip = published_tip(preset, document.result.parameters, tr)
        self.published.setText(line)
        self.published.setToolTip(tips.plain(tip))
        self.published.setVisible(bool(line) and (edited or not self._short))
        self.reset.setVisible(edited)
        count = len(self._assumptions(scenario))
        self.assumed.setVisible(count > 0)
        self._links.setVisible(count > 0 or not self._short)
        if count:
            self.assumed.setText(tr.plural("{n} assumption…", "{n} assumptions…", count))

    def set_short(self, short: bool) -> None:
        """Leave out what can be done without, where the column is low: config.json is in the menu too."""
        if short is self._short:
            return
        self._short = short
        self.load.setVisible(not short)
        if not self.services.workspace.is_empty:
            self._show_origin(self.services.workspace.active)

    def _assumptions(self, scenario: Scenario) -> tuple[Notice, ...]:
        """What reading the config of the model assumed; read once per config."""
        config = scenario.model_source.hf_config
        if config is not self._config[0]:
            notices: tuple[Notice, ...] = ()
            if config is not None:
                from mfu_gui.formats.hf_config import read_config

                try:
                    notices = read_config(config).assumptions
                except InputError:
                    notices = ()
            self._config = (config, notices)
        return self._config[1]

    def _show_assumptions(self) -> None:
        from mfu_gui.ui.dialogs.assumptions import AssumptionsDialog

        AssumptionsDialog(self.services, self._config[1], self.window()).open()

    def _reset(self) -> None:
        """Take the model as it was chosen."""
        workspace = self.services.workspace
        document = workspace.active
        origin = self.services.origins.of_model(document.scenario)
        if origin is not None:
            scenario = replace(document.scenario, model=origin.spec, model_source=origin.source)
            workspace.edit(document, "model.preset", scenario, label=N_("Reset model"))

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
        scenario = without_its_story(self.services, document, scenario)
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
