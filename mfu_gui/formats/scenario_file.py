"""Scenario files (``.mfu``): the JSON of one scenario, to and from the engine's ``Scenario``.

A saved file says where model and hardware came from *and* embeds them (``resolved``), so that it
gives the same numbers on any machine, whatever presets are installed there.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol, TypeVar

import msgspec
from msgspec.structs import replace

from mfu_gui.engine.errors import InputError, Notice
from mfu_gui.engine.hardware import HardwareSpec, Positive, Precision
from mfu_gui.engine.model import ModelSpec
from mfu_gui.engine.run import RunSpec
from mfu_gui.engine.scenario import ConventionChoice, DevicesAre, Peak, PeakKind, Reported, Scenario, Source
from mfu_gui.engine.validation import validate
from mfu_gui.formats import strict_json
from mfu_gui.formats.convert import settled
from mfu_gui.formats.migrations import MIGRATIONS, migrated
from mfu_gui.formats.preset_file import HardwarePreset, ModelPreset
from mfu_gui.planning.spec import PlanSpec, check_plan

S = TypeVar("S", ModelSpec, HardwareSpec)

KIND: Literal["mfu-scenario"] = "mfu-scenario"
SUFFIX = ".mfu"


class FileRecord(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Base of the parts of a scenario file."""


class ModelPart(FileRecord, frozen=True, kw_only=True):
    """The model: exactly one of a preset's id, a config.json, or a spec."""

    preset: str | None = None
    hf_config: dict[str, Any] | None = None
    spec: ModelSpec | None = None


class HardwarePart(FileRecord, frozen=True, kw_only=True):
    """The accelerator: a preset's id or a spec, and which of its peaks to divide by."""

    preset: str | None = None
    spec: HardwareSpec | None = None
    peak_tflops: Positive | None = None
    peak_kind: PeakKind = "dense"
    precision_mix: dict[Precision, Annotated[float, msgspec.Meta(gt=0, le=1)]] | None = None
    devices_are: DevicesAre = "units"


class Resolved(FileRecord, frozen=True, kw_only=True):
    """The numbers the file was saved with.

    ``model_from`` and ``hardware_from`` name what they were resolved from (a preset's id, the digest
    of a config): after an edit of that by hand they no longer apply and are left aside.
    """

    model: ModelSpec | None = None
    model_from: str | None = None
    hardware: HardwareSpec | None = None
    hardware_from: str | None = None


class ScenarioFile(FileRecord, frozen=True, kw_only=True):
    """One scenario: model, hardware, run, and how to count."""

    kind: Literal["mfu-scenario"]
    schema: Literal[1]
    name: str = ""
    notes: str = ""
    model: ModelPart
    hardware: HardwarePart
    run: RunSpec
    reported: Reported | None = None
    convention: ConventionChoice = ConventionChoice()
    plan: PlanSpec | None = None
    resolved: Resolved | None = None


class Presets(Protocol):
    """Where presets are looked up; ``PresetStore`` is one."""

    def model(self, preset_id: str) -> ModelPreset: ...
    def hardware(self, preset_id: str) -> HardwarePreset: ...


class LoadedScenario(msgspec.Struct, frozen=True, kw_only=True):
    """A scenario from a file, what is to be said about it, and a name for files made from it."""

    scenario: Scenario
    notices: tuple[Notice, ...] = ()
    base_name: str = ""


def read_scenario(path: str | Path, presets: Presets) -> LoadedScenario:
    """The scenario in a file; InputError as ``load_scenario``, and for a file that cannot be read."""
    return load_scenario(strict_json.read_bytes(path), presets, source=Path(path).name)


def write_scenario(path: str | Path, scenario: Scenario) -> None:
    """Save a scenario, all of it or nothing."""
    from mfu_gui.formats import atomic

    atomic.write_bytes(path, dump_scenario(scenario))


def load_scenario(data: bytes, presets: Presets, *, source: str = "") -> LoadedScenario:
    """The scenario in these bytes; ``source`` names the file in errors.

    Notices: ``preset_differs`` (the file's numbers are used), ``preset_missing`` (they are all there
    is), ``config_differs``, and the assumptions made in reading a config.json.
    InputError: what ``strict_json``, ``convert``, ``migrated`` and ``validate`` refuse;
    ``exactly_one`` and ``unknown_preset`` for the model and the hardware.
    """
    try:
        return _load(_parsed(data, source), presets, source)
    except InputError as error:
        if source and error.field != source:
            error.values.setdefault("file", source)
        raise


def load_value(value: Any, presets: Presets) -> LoadedScenario:
    """A scenario from JSON that was parsed already (from the clipboard, for example)."""
    return _load(value, presets, "")


def _load(value: Any, presets: Presets, source: str) -> LoadedScenario:
    current, file = settled(migrated(value, KIND, source, MIGRATIONS), ScenarioFile, source=source)
    if file.plan is not None:
        check_plan(file.plan)
    resolved = file.resolved or Resolved()
    model, model_notices = _model(file.model, resolved, presets)
    hardware, hardware_notices = _hardware(file.hardware, resolved, presets)
    part = file.hardware
    scenario = Scenario(
        name=file.name,
        notes=file.notes,
        model=model,
        hardware=hardware,
        run=file.run,
        peak=Peak(tflops=part.peak_tflops, kind=part.peak_kind, mix=part.precision_mix, devices_are=part.devices_are),
        convention=file.convention,
        reported=file.reported,
        model_source=Source(preset=file.model.preset, hf_config=file.model.hf_config),
        hardware_source=Source(preset=file.hardware.preset),
        plan=current.get("plan"),
    )
    validate(scenario)
    base_name = Path(source).stem or file.name
    return LoadedScenario(scenario=scenario, notices=(*model_notices, *hardware_notices), base_name=base_name)


def _parsed(data: bytes, source: str) -> Any:
    """The JSON; a bare Infinity is allowed in an embedded config.json only, where some models have it."""
    try:
        return strict_json.parse(data, source)
    except InputError as error:
        if error.code != "not_finite" or not str(error.values.get("place", "")).startswith("model.hf_config."):
            raise
        value = strict_json.parse(data, source, allow_infinity=True)
        rest = {**value, "model": {**value["model"], "hf_config": None}}
        if _has_infinity(rest):
            raise
        return value


def _model(part: ModelPart, resolved: Resolved, presets: Presets) -> tuple[ModelSpec, tuple[Notice, ...]]:
    _one_of({"preset": part.preset, "hf_config": part.hf_config, "spec": part.spec}, "model")
    if part.spec is not None:
        return part.spec, ()
    saved = resolved.model if resolved.model_from in (None, _origin(part.preset, part.hf_config)) else None
    if part.hf_config is not None:
        return _from_config(part.hf_config, saved)
    preset_id = part.preset or ""
    try:
        installed = presets.model(preset_id)
    except InputError as error:
        return _without_preset(saved, error, "model.preset", preset_id)
    spec = installed.spec if installed.spec.name else replace(installed.spec, name=installed.name)
    return _chosen(spec, saved, "model", preset_id)


def _hardware(
    part: HardwarePart, resolved: Resolved, presets: Presets
) -> tuple[HardwareSpec, tuple[Notice, ...]]:
    _one_of({"preset": part.preset, "spec": part.spec}, "hardware")
    if part.spec is not None:
        return part.spec, ()
    saved = resolved.hardware if resolved.hardware_from in (None, part.preset) else None
    preset_id = part.preset or ""
    try:
        installed = presets.hardware(preset_id)
    except InputError as error:
        return _without_preset(saved, error, "hardware.preset", preset_id)
    spec = installed.spec if installed.spec.name else replace(installed.spec, name=installed.name)
    return _chosen(spec, saved, "hardware", preset_id)


def _one_of(given: dict[str, Any], place: str) -> None:
    found = [key for key, value in given.items() if value is not None]
    if len(found) != 1:
        raise InputError("exactly_one", place, allowed=", ".join(given), found_keys=", ".join(found) or None)


def _chosen(installed: S, saved: S | None, place: str, preset_id: str) -> tuple[S, tuple[Notice, ...]]:
    """The saved numbers where there are any; a name alone is no difference."""
    if saved is None:
        return installed, ()
    if replace(saved, name="") == replace(installed, name=""):
        return saved, ()
    return saved, (Notice("preset_differs", place, {"id": preset_id}),)


def _without_preset(
    saved: S | None, error: InputError, place: str, preset_id: str
) -> tuple[S, tuple[Notice, ...]]:
    """What to do when the preset is not installed or is broken: the saved numbers are enough."""
    if saved is not None:
        return saved, (Notice("preset_missing", place, {"id": preset_id}),)
    raise InputError(error.code, error.field or place, **error.values) from error


def _from_config(config: dict[str, Any], saved: ModelSpec | None) -> tuple[ModelSpec, tuple[Notice, ...]]:
    from mfu_gui.formats.hf_config import read_config

    place = "model.hf_config"
    try:
        imported = read_config(config)
    except InputError as error:
        if saved is None:
            raise InputError(error.code, _joined(place, error.field), **error.values) from error
        return saved, (Notice("config_differs", place),)
    if saved is not None and replace(saved, name="") != replace(imported.spec, name=""):
        return saved, (Notice("config_differs", place),)
    assumptions = [replace(notice, field=_joined(place, notice.field)) for notice in imported.assumptions]
    return saved if saved is not None else imported.spec, tuple(assumptions)


def _joined(place: str, field: str) -> str:
    return f"{place}.{field}" if field else place


def _origin(preset: str | None, config: dict[str, Any] | None) -> str | None:
    """What a resolved model came from: the preset's id, or a digest of the config."""
    if config is None:
        return preset
    from hashlib import sha256

    text = msgspec.json.encode(_named_infinities(config), order="deterministic")
    return f"sha256:{sha256(text).hexdigest()[:32]}"


def dump_scenario(scenario: Scenario) -> bytes:
    """The file of a scenario: keys in a fixed order, indented, one newline at the end.

    ``load_scenario`` gives back an equal scenario.  An infinite number inside an embedded config.json
    is written as text, because JSON has none.
    """
    return msgspec.json.format(msgspec.json.encode(dump_value(scenario)), indent=2) + b"\n"


def dump_value(scenario: Scenario) -> dict[str, Any]:
    """The JSON object of a scenario file.  What everybody should see is written even if it is usual."""
    model, hardware = scenario.model_source, scenario.hardware_source
    own_model = model.preset is None and model.hf_config is None
    config = None if model.hf_config is None else _named_infinities(model.hf_config)
    file = ScenarioFile(
        kind=KIND,
        schema=1,
        name=scenario.name,
        notes=scenario.notes,
        model=ModelPart(preset=model.preset, hf_config=config, spec=scenario.model if own_model else None),
        hardware=HardwarePart(
            preset=hardware.preset,
            spec=scenario.hardware if hardware.preset is None else None,
            peak_tflops=scenario.peak.tflops,
            peak_kind=scenario.peak.kind,
            precision_mix=scenario.peak.mix,
            devices_are=scenario.peak.devices_are,
        ),
        run=scenario.run,
        reported=scenario.reported,
        convention=scenario.convention,
        resolved=_resolved(scenario, own_model),
    )
    value: dict[str, Any] = msgspec.to_builtins(file)
    explicit = {"id": scenario.convention.id, **value.pop("convention", {})}
    run = value["run"]
    run.setdefault("precision", scenario.run.precision)
    run.setdefault("recompute", "none")
    last: dict[str, Any] = {} if scenario.plan is None else {"plan": scenario.plan}
    if "resolved" in value:
        last["resolved"] = value.pop("resolved")
    return {**value, "convention": explicit, **last}


def _resolved(scenario: Scenario, own_model: bool) -> Resolved | None:
    own_hardware = scenario.hardware_source.preset is None
    if own_model and own_hardware:
        return None
    source = scenario.model_source
    return Resolved(
        model=None if own_model else scenario.model,
        model_from=None if own_model else _origin(source.preset, source.hf_config),
        hardware=None if own_hardware else scenario.hardware,
        hardware_from=scenario.hardware_source.preset,
    )


def _named_infinities(value: Any) -> Any:
    """A copy in which infinite numbers are the texts that JSON readers know them by."""
    if isinstance(value, dict):
        return {key: _named_infinities(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_named_infinities(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value).replace("inf", "Infinity").replace("nan", "NaN")
    return value


def _has_infinity(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_has_infinity(entry) for entry in value.values())
    if isinstance(value, list):
        return any(_has_infinity(entry) for entry in value)
    return isinstance(value, float) and math.isinf(value)
