"""A scenario with what the user took of a pasted text."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.fields import BY_KEY, checked
from mfu_gui.engine.scenario import Reported, Scenario, Source
from mfu_gui.formats.pasted.proposal import Option
from mfu_gui.formats.presets import PresetStore

_FIRST = ("model.preset", "model.hf_config", "hardware.preset", "run.devices", "run.sequence_length",
          "run.global_batch")


def apply(scenario: Scenario, options: Iterable[Option], presets: PresetStore) -> Scenario:
    """``scenario`` with the options set: model and hardware first, what was measured last.

    InputError for a value that a field does not allow, with the field's key.
    """
    for option in sorted(options, key=_order):
        scenario = _set(scenario, option, presets)
    return scenario


def _order(option: Option) -> int:
    if option.key in _FIRST:
        return _FIRST.index(option.key)
    last = ("run.replicas", "run.measured.")
    return len(_FIRST) + next((n for n, start in enumerate(last, 1) if option.key.startswith(start)), 0)


def _set(scenario: Scenario, option: Option, presets: PresetStore) -> Scenario:
    if option.key == "model.preset":
        preset = presets.model(option.value)
        return replace(scenario, model=preset.spec, model_source=Source(preset=preset.id))
    if option.key == "hardware.preset":
        device = presets.hardware(option.value)
        # A typed peak was that of the other device.
        peak = replace(scenario.peak, tflops=None, kind="dense" if scenario.peak.kind == "measured" else
                       scenario.peak.kind)
        return replace(scenario, hardware=device.spec, hardware_source=Source(preset=device.id), peak=peak)
    if option.key == "model.hf_config":
        from mfu_gui.formats.hf_config import read_config

        return replace(scenario, model=read_config(option.value, "").spec,
                       model_source=Source(hf_config=option.value))
    if option.key.startswith("reported."):
        reported = replace(scenario.reported or Reported(), **{option.key.removeprefix("reported."): option.value})
        return replace(scenario, reported=reported)
    field = BY_KEY.get(option.key)
    if field is None:
        raise InputError("unknown_key", option.key, key=option.key, allowed="")
    try:
        return field.set(scenario, checked(field, option.value))
    except InputError as error:
        raise InputError(error.code, option.key, **error.values) from error
