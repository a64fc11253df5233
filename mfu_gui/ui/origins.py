"""Origins: what a scenario's model and device were before they were changed by hand."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from msgspec.structs import replace

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.model import ModelSpec
from mfu_gui.engine.scenario import Peak, Scenario, Source
from mfu_gui.formats.preset_file import HardwarePreset, ModelPreset
from mfu_gui.formats.presets import PresetStore

KEPT = 32
"""Presets of each kind that are held: those of the open scenarios, and not all that were ever looked at."""


class ModelOrigin(NamedTuple):
    """A model as it was chosen, and where from."""

    spec: ModelSpec
    source: Source


class Origins:
    """Looks the presets of scenarios up, each once.

    A model that was edited has no source of its own any more; it is known by its name, which no edit
    changes: that of a preset, or of a config.json that was read in this window.
    """

    def __init__(self, presets: PresetStore) -> None:
        self._presets = presets
        self._model = lru_cache(KEPT)(self._read_model)
        self._device = lru_cache(KEPT)(self._read_device)
        self._ids: dict[str, str] | None = None
        self._imported: dict[str, ModelOrigin] = {}
        self._last: tuple[Scenario | None, Scenario | None] = (None, None)
        self.version = 0
        """Another number when the presets have changed."""

    def forget(self) -> None:
        """The presets have changed."""
        self.version += 1
        self._model.cache_clear()
        self._device.cache_clear()
        self._ids = None
        self._last = (None, None)

    def of(self, scenario: Scenario) -> Scenario | None:
        """``scenario`` with model, device and peak as they were chosen; None without any origin."""
        if self._last[0] is not scenario:
            self._last = (scenario, self._look_up(scenario))
        return self._last[1]

    def of_model(self, scenario: Scenario) -> ModelOrigin | None:
        """What the model of ``scenario`` was before it was edited; itself where it was not."""
        source, name = scenario.model_source, scenario.model.name
        if source.preset is not None:
            preset = self.preset(source.preset)
            return None if preset is None else ModelOrigin(_named(preset), source)
        if source.hf_config is not None:
            return ModelOrigin(scenario.model, source)
        if name in self._imported:
            return self._imported[name]
        preset_id = self._id_of(name)
        preset = None if preset_id is None else self.preset(preset_id)
        return None if preset is None or preset_id is None else ModelOrigin(_named(preset), Source(preset=preset_id))

    def preset(self, preset_id: str) -> ModelPreset | None:
        """A model preset; None where it is not installed."""
        return self._model(preset_id)

    def _read_model(self, preset_id: str) -> ModelPreset | None:
        try:
            return self._presets.model(preset_id)
        except InputError:
            return None

    def sourced(self, before: Scenario, after: Scenario) -> Scenario:
        """``after`` with the source that its edited model has: none of its own, or again that of its origin."""
        if after.model is before.model or after.model_source != before.model_source:
            return after
        origin = self.of_model(before)
        if before.model_source.hf_config is not None and origin is not None:
            self._imported[before.model.name] = origin
        source = origin.source if origin is not None and origin.spec == after.model else Source()
        return after if source == after.model_source else replace(after, model_source=source)

    def is_edited(self, scenario: Scenario) -> bool:
        """Whether the model differs from what was chosen."""
        origin = self.of_model(scenario)
        return origin is not None and origin.spec != scenario.model

    def _id_of(self, name: str) -> str | None:
        if not name:
            return None
        if self._ids is None:
            self._ids = {info.name: info.id for info in reversed(self._presets.infos("mfu-model"))}
        return self._ids.get(name)

    def _look_up(self, scenario: Scenario) -> Scenario | None:
        model, device = self.of_model(scenario), self.device(scenario.hardware_source.preset)
        hardware = None if device is None else device.spec
        if model is None and hardware is None:
            return None
        return replace(scenario, model=scenario.model if model is None else model.spec,
                       hardware=hardware or scenario.hardware,
                       peak=Peak() if hardware is not None else scenario.peak)

    def device(self, preset_id: str | None) -> HardwarePreset | None:
        """A device's preset; None without one, or where it is not installed."""
        return None if preset_id is None else self._device(preset_id)

    def _read_device(self, preset_id: str) -> HardwarePreset | None:
        try:
            return self._presets.hardware(preset_id)
        except InputError:
            return None


def _named(preset: ModelPreset) -> ModelSpec:
    return preset.spec if preset.spec.name else replace(preset.spec, name=preset.name)
