"""What was given to the window (a file, a drop, a paste): told apart by its content, never by its name."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from mfu_gui.engine.errors import InputError, Notice
from mfu_gui.engine.hardware import HardwareSpec
from mfu_gui.engine.model import ModelSpec
from mfu_gui.engine.scenario import Source
from mfu_gui.formats import strict_json
from mfu_gui.formats.presets import PresetStore
from mfu_gui.formats.scenario_file import KIND, LoadedScenario, load_scenario
from mfu_gui.formats.workspace_file import KIND as WORKSPACE_KIND
from mfu_gui.formats.workspace_file import LoadedWorkspace, load_workspace


class GivenModel(NamedTuple):
    """A model for the scenario that is open."""

    spec: ModelSpec
    source: Source
    notices: tuple[Notice, ...] = ()


class GivenHardware(NamedTuple):
    """A device for the scenario that is open."""

    spec: HardwareSpec


CONFIG = "config.json"
"""What a folder with a model has; the one name that is read in a folder."""
Given = LoadedScenario | LoadedWorkspace | GivenModel | GivenHardware


def read_path(path: Path, presets: PresetStore) -> Given:
    """What is in a file, or in the config.json of a folder; InputError as its reader raises it.

    ``folder_without_config`` for a folder that has none directly in it: no other name is looked for.
    """
    if path.is_dir():
        return _folder(path, presets)
    return read_data(strict_json.read_bytes(path), presets, path.name)


def _folder(path: Path, presets: PresetStore) -> Given:
    file = path / CONFIG
    if not file.is_file():
        raise InputError("folder_without_config", path.name)
    given = read_data(strict_json.read_bytes(file), presets, CONFIG)
    if isinstance(given, GivenModel):
        notice = Notice("config_of_folder", "model.hf_config", {"folder": path.name})
        given = given._replace(notices=(notice, *given.notices))
    return given


def read_text(text: str, presets: PresetStore) -> Given:
    """What is in a pasted text."""
    return read_data(text.encode(), presets, "")


def read_data(data: bytes, presets: PresetStore, source: str) -> Given:
    """A scenario, a preset, or a config.json."""
    value = strict_json.parse(data, source, allow_infinity=True)
    kind = value.get("kind") if isinstance(value, dict) else None
    if kind == KIND:
        return load_scenario(data, presets, source=source)
    if kind == WORKSPACE_KIND:
        return load_workspace(data, presets, source=source)
    if kind == "mfu-model":
        from mfu_gui.formats.preset_file import decode_model

        return GivenModel(decode_model(data, source).spec, Source())
    if kind == "mfu-hardware":
        from mfu_gui.formats.preset_file import decode_hardware

        return GivenHardware(decode_hardware(data, source).spec)
    return _config(value, source)


def _config(value: Any, source: str) -> GivenModel:
    from mfu_gui.formats.hf_config import read_config

    try:
        imported = read_config(value, Path(source).stem if source not in ("", CONFIG) else "")
    except InputError as error:
        if source:
            error.values.setdefault("file", source)
        raise
    return GivenModel(imported.spec, Source(hf_config=value), imported.assumptions)
