"""Changing presets of the user's: one value of one, and how two of them differ."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any, Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.field import N_, Kind
from mfu_gui.engine.hardware import PRECISIONS, HardwareSpec
from mfu_gui.engine.model import ModelSpec
from mfu_gui.formats.convert import convert
from mfu_gui.formats.preset_file import HardwarePreset, ModelPreset, Preset

BASED_ON = "based_on"
"""Among the facts of a preset of the user's: the id of the one that it was copied from."""
OLD_DAYS = 365
"""Data of more than this many days may be out of date: prices and drivers change faster than chips."""


class PresetField(NamedTuple):
    """One value of a preset that can be edited: where it is, what it is called, in which unit."""

    key: str
    label: str
    kind: Kind
    unit: str = ""
    optional: bool = True


TEXT_FIELDS = (PresetField("name", N_("Name"), "text", optional=False), PresetField("source", N_("Source"), "text"),
               PresetField("notes", N_("Notes"), "text"))
HARDWARE_PRESET_FIELDS: tuple[PresetField, ...] = (
    PresetField("vendor", N_("Vendor"), "text"),
    *(PresetField(f"spec.peak_tflops.{precision}", f"{precision.upper()}", "real", "TFLOP/s")
      for precision in PRECISIONS),
    PresetField("spec.sparse_factor", N_("Sparse ÷ dense"), "real"),
    PresetField("spec.memory_gb", N_("Memory"), "real", "GB"),
    PresetField("spec.memory_bandwidth_gb_s", N_("Memory bandwidth"), "real", "GB/s"),
    PresetField("spec.scale_up_gb_s", N_("Link inside a node"), "real", "GB/s"),
    PresetField("spec.scale_out_gbit_s", N_("Network"), "real", "Gbit/s"),
    PresetField("spec.devices_per_node", N_("Devices per node"), "integer"),
    PresetField("spec.power_w", N_("Power"), "real", "W"),
    PresetField("spec.price_per_hour_usd", N_("Price per hour"), "real", "USD"),
    PresetField("release_year", N_("Year"), "integer"),
)
"""Of an accelerator.  The numbers of a model are the fields of the model panel."""


def value_of(preset: Preset, key: str) -> Any:
    """The value at a key such as ``spec.peak_tflops.bf16``; None where there is none."""
    value: Any = preset
    for part in key.split("."):
        value = value.get(part) if isinstance(value, dict) else getattr(value, part)
    return value


def with_value(preset: Preset, key: str, value: Any) -> Preset:
    """The preset with one value changed; None takes it away.

    InputError as the reading of a file raises it, for a value that a preset cannot have.
    """
    if key == "name" and not str(value or "").strip():
        raise InputError("required", "name")
    data: dict[str, Any] = msgspec.to_builtins(preset)
    inner = data
    *parents, last = key.split(".")
    for part in parents:
        inner = inner.setdefault(part, {})
    if value is None or value == "":
        inner.pop(last, None)
    else:
        inner[last] = value
    if key == "name" and isinstance(data["spec"], dict):
        data["spec"]["name"] = value
    changed: Preset
    if isinstance(preset, HardwarePreset):
        changed = convert(data, HardwarePreset, source="")
        if not changed.spec.peak_tflops:
            raise InputError("required", key)
        return changed
    changed = convert(data, ModelPreset, source="")
    return changed


def copy_of(preset: Preset, new_id: str, name: str) -> Preset:
    """A preset of the user's own that begins as ``preset``, and remembers that it did.

    What was published about the original, and the other names it goes by, stay with the original.
    """
    facts = {**preset.facts, BASED_ON: preset.id}
    if isinstance(preset, ModelPreset):
        return replace(preset, id=new_id, name=name, aliases=(), facts=facts, hf_id="",
                       spec=replace(preset.spec, name=name))
    return replace(preset, id=new_id, name=name, aliases=(), runtime_names=(), facts=facts,
                   spec=replace(preset.spec, name=name))


def named(preset: Preset, name: str) -> Preset:
    """The preset under another name."""
    if isinstance(preset, ModelPreset):
        return replace(preset, name=name, spec=replace(preset.spec, name=name))
    return replace(preset, name=name, spec=replace(preset.spec, name=name))


def made_of_model(spec: ModelSpec, new_id: str, name: str, source: str, day: date, based_on: str | None) -> ModelPreset:
    """A preset of a model that was edited in a scenario."""
    return ModelPreset(kind="mfu-model", schema=1, id=new_id, name=name, source=source, date=day.isoformat(),
                       facts={BASED_ON: based_on} if based_on else {}, spec=replace(spec, name=name))


def made_of_hardware(spec: HardwareSpec, new_id: str, name: str, source: str, day: date,
                     based_on: str | None) -> HardwarePreset:
    """A preset of a device that was edited in a scenario."""
    return HardwarePreset(kind="mfu-hardware", schema=1, id=new_id, name=name, source=source, date=day.isoformat(),
                          vendor=spec.vendor, facts={BASED_ON: based_on} if based_on else {},
                          spec=replace(spec, name=name))


class Difference(NamedTuple):
    """One value in which two presets differ; None where one of them has none."""

    key: str
    before: Any
    after: Any


_NAMES = frozenset({"id", "kind", "schema", "spec.name", "aliases", "runtime_names", "hf_id", f"facts.{BASED_ON}"})
"""What tells presets apart, and is no difference between what they describe."""


def differences(before: Preset, after: Preset) -> tuple[Difference, ...]:
    """All values in which two presets differ, by key; ids and other names are no difference."""
    old, new = (dict(_flat(msgspec.to_builtins(preset))) for preset in (before, after))
    return tuple(Difference(key, old.get(key), new.get(key)) for key in sorted(old.keys() | new.keys())
                 if old.get(key) != new.get(key) and key not in _NAMES)


def _flat(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _flat(inner, f"{key}.{name}" if key else str(name))
    elif isinstance(value, list | tuple) and any(isinstance(item, dict | list | tuple) for item in value):
        for number, inner in enumerate(value):
            yield from _flat(inner, f"{key}[{number}]")
    else:
        yield key, value


def age_days(written: str, today: date) -> int | None:
    """Days since a date such as 2026-11-29; None for what is no date."""
    try:
        return max(0, (today - date.fromisoformat(written)).days)
    except ValueError:
        return None


Conflict = Literal["none", "same", "own", "shipped", "broken"]
