"""The hardware panel: which accelerator, how many, and which of its peaks counts."""

from __future__ import annotations

from msgspec.structs import replace
from PySide6.QtWidgets import QWidget

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.fields import HARDWARE_FIELDS, N_
from mfu_gui.engine.hardware import PRECISIONS
from mfu_gui.engine.scenario import Source
from mfu_gui.engine.utilization import preset_peak_tflops
from mfu_gui.formats.preset_index import PresetInfo
from mfu_gui.formats.quantities import to_text
from mfu_gui.ui.example import without_its_story
from mfu_gui.ui.panels.panel import Panel, Special
from mfu_gui.ui.services import Services
from mfu_gui.ui.widgets.link import Link
from mfu_gui.ui.widgets.search_box import Item, SearchBox
from mfu_gui.ui.workspace import Document


class HardwarePanel(Panel):
    """What the model is trained on."""

    SHOWS = frozenset(("hardware", "hardware_source", "peak", "run"))

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        special: Special = {
            "run.precision": {"choices": self._precisions},
            "hardware.peak_tflops": {"placeholder": self._preset_peak},
            "hardware.devices_are": {"choices": self._counted},
        }
        super().__init__(services, HARDWARE_FIELDS, special, parent)
        self.nodes = Link(services.theme, "", self.open_cluster)
        self.nodes.setObjectName("run.devices.nodes")
        devices = next(b for b in self.form.bindings if b.field.key == "run.devices")
        devices.row.set_link(self.nodes)
        QWidget.setTabOrder(devices.editor, self.nodes)
        self.start()

    def add_lead(self) -> None:
        self.search = SearchBox(self.services.theme, self._find)
        self.search.setObjectName("hardware.preset")
        self.search.chosen.connect(self._take)
        self.body.addWidget(self.search)
        self.body.addSpacing(2)

    def retranslate(self) -> None:
        tr = self.services.language.tr
        self.set_title(tr("Hardware"))
        self.search.setAccessibleName(tr("Hardware"))
        self.search.nothing = tr("Nothing fits this text.")
        self.search.setPlaceholderText(tr("Search hardware"))
        self.search.setToolTip(tr("Type a part of the name or the vendor: “A100 80”, “MI300”, “昇腾”."))
        super().retranslate()

    def refresh(self, document: Document) -> None:
        super().refresh(document)
        scenario, tr = document.scenario, self.services.language.tr
        self.search.show_name(scenario.hardware.name or tr("Own hardware"))
        self._show_nodes(document)
        if document.result is None or document.problem is not None:
            self.note.setText("")
            return
        kind = {"dense": tr("dense"), "sparse": tr("2:4 sparse"), "measured": tr("measured")}[scenario.peak.kind]
        peak = self.services.language.numbers.short(document.result.peak_tflops_per_device, 4)
        mix = scenario.peak.mix
        precision = "+".join(p.upper() for p in mix) if mix else scenario.run.precision.upper()
        self.note.setText(f"{peak} TFLOP/s {kind} {precision}")

    def _find(self, text: str) -> list[Item]:
        found = self.services.presets.find(text, "mfu-hardware")
        return [Item(info.id, info.name, self._note(info)) for info in found]

    def _note(self, info: PresetInfo) -> str:
        short = self.services.language.numbers.short
        peak = next((f"{short(info.figures[p])} TFLOP/s {p.upper()}" for p in PRECISIONS if p in info.figures), "")
        return " · ".join(part for part in (info.group, peak) if part)

    def _take(self, preset_id: str) -> None:
        workspace = self.services.workspace
        document = workspace.active
        try:
            preset = self.services.presets.hardware(preset_id)
        except InputError as error:
            self.services.announcer.say(self.services.language.tr.describe(error))
            return
        # A typed peak was that of the other device.
        peak = replace(document.scenario.peak, tflops=None)
        if peak.kind == "measured":
            peak = replace(peak, kind="dense")
        scenario = replace(document.scenario, hardware=preset.spec, peak=peak, hardware_source=Source(preset=preset_id))
        scenario = without_its_story(self.services, document, scenario)
        workspace.edit(document, "hardware.preset", scenario, label=N_("Choose hardware"))

    def _precisions(self, document: Document) -> list[tuple[object, str]]:
        """Those the device has a peak for, and the present one."""
        scenario = document.scenario
        any_of_them = scenario.peak.tflops is not None
        return [(p, p.upper()) for p in PRECISIONS
                if any_of_them or p in scenario.hardware.peak_tflops or p == scenario.run.precision]

    def _preset_peak(self, document: Document) -> str:
        scenario = document.scenario
        try:
            value = preset_peak_tflops(scenario.hardware, scenario.run.precision, replace(scenario.peak, tflops=None))
        except InputError:
            return ""
        return to_text(value, "real", "TFLOP/s")

    def _counted(self, document: Document) -> list[tuple[object, str]]:
        tr = self.services.language.tr
        return [("units", tr("cards of the preset")), ("framework_devices", tr("dies, as in frameworks"))]

    def open_cluster(self) -> None:
        """Ask for cards, nodes and pods."""
        from mfu_gui.ui.dialogs.cluster import ClusterDialog

        ClusterDialog(self.services, self.window()).open()

    def _show_nodes(self, document: Document) -> None:
        """What is counted, or how many nodes it is; pressing asks for cards × nodes × pods."""
        tr, scenario = self.services.language.tr, document.scenario
        devices, each = scenario.run.devices, scenario.hardware.devices_per_node
        unit = self._unit(document)
        text, tip = unit if devices is not None else tr("nodes…"), tr("Enter cards × nodes × pods")
        if devices is not None and each is not None and each > 1 and devices > each and devices % each == 0:
            text = f"{tr.numbers.integer(devices // each)} × {each}"
            tip = tr("{nodes} nodes of {each}. Press to enter cards × nodes × pods.",
                     nodes=tr.numbers.integer(devices // each), each=each)
        if text != self.nodes.text() or tip != self.nodes.toolTip():
            self.nodes.setText(text)
            self.nodes.setToolTip(tip)
            self.nodes.setAccessibleName(tip)
            self.nodes.updateGeometry()

    def _unit(self, document: Document) -> str:
        tr = self.services.language.tr
        unit = document.scenario.hardware.unit
        if document.scenario.peak.devices_are == "framework_devices":
            unit = "die"
        return {"device": tr("devices"), "card": tr("cards"), "chip": tr("chips"), "module": tr("modules"),
                "die": tr("dies")}.get(unit, unit)
