"""Origins: what a scenario's model and device were before they were changed by hand."""

from __future__ import annotations

from msgspec.structs import replace

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.hardware import HardwareSpec
from mfu_gui.engine.model import ModelSpec
from mfu_gui.engine.scenario import Peak, Scenario
from mfu_gui.formats.presets import PresetStore


class Origins:
    """Looks the presets of scenarios up, each once."""

    def __init__(self, presets: PresetStore) -> None:
        self._presets = presets
        self._models: dict[str, ModelSpec | None] = {}
        self._hardware: dict[str, HardwareSpec | None] = {}
        self._last: tuple[Scenario | None, Scenario | None] = (None, None)

    def forget(self) -> None:
        """The presets have changed."""
        self._models.clear()
        self._hardware.clear()
        self._last = (None, None)

    def of(self, scenario: Scenario) -> Scenario | None:
        """``scenario`` with model, device and peak as the presets have them; None without any preset."""
        if self._last[0] is not scenario:
            self._last = (scenario, self._look_up(scenario))
        return self._last[1]

    def _look_up(self, scenario: Scenario) -> Scenario | None:
        model, hardware = self._model(scenario.model_source.preset), self._device(scenario.hardware_source.preset)
        if model is None and hardware is None:
            return None
        return replace(scenario, model=model or scenario.model, hardware=hardware or scenario.hardware,
                       peak=Peak() if hardware is not None else scenario.peak)

    def _model(self, preset_id: str | None) -> ModelSpec | None:
        if preset_id is None:
            return None
        if preset_id not in self._models:
            try:
                self._models[preset_id] = self._presets.model(preset_id).spec
            except InputError:
                self._models[preset_id] = None
        return self._models[preset_id]

    def _device(self, preset_id: str | None) -> HardwareSpec | None:
        if preset_id is None:
            return None
        if preset_id not in self._hardware:
            try:
                self._hardware[preset_id] = self._presets.hardware(preset_id).spec
            except InputError:
                self._hardware[preset_id] = None
        return self._hardware[preset_id]
