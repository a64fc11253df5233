"""Workspace files (``.mfuw``): several scenarios that belong together, in their order.

Each entry is what a scenario file is, with the numbers it was saved with, so that a workspace gives the same
results on any machine.  No paths are in it: it can be sent to others.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.scenario import Scenario
from mfu_gui.formats import strict_json
from mfu_gui.formats.convert import convert
from mfu_gui.formats.migrations import migrated
from mfu_gui.formats.scenario_file import (
    FileRecord,
    LoadedScenario,
    Presets,
    ScenarioFile,
    dump_value,
    load_value,
)

KIND: Literal["mfu-workspace"] = "mfu-workspace"
SUFFIX = ".mfuw"
MOST_SCENARIOS = 200


class WorkspaceFile(FileRecord, frozen=True, kw_only=True):
    """Several scenarios, in their order."""

    kind: Literal["mfu-workspace"]
    schema: Literal[1]
    name: str = ""
    active: Annotated[int, msgspec.Meta(ge=0, lt=MOST_SCENARIOS)] = 0
    """Which scenario is shown first, counted from 0."""
    scenarios: Annotated[tuple[ScenarioFile, ...], msgspec.Meta(min_length=1, max_length=MOST_SCENARIOS)]
    """Each as in a file of its own."""


class _Outline(FileRecord, frozen=True, kw_only=True):
    """The file without a look into its scenarios, which are read one by one."""

    kind: Literal["mfu-workspace"]
    schema: Literal[1]
    name: str = ""
    active: Annotated[int, msgspec.Meta(ge=0, lt=MOST_SCENARIOS)] = 0
    scenarios: Annotated[list[Any], msgspec.Meta(min_length=1, max_length=MOST_SCENARIOS)]


class LoadedWorkspace(msgspec.Struct, frozen=True, kw_only=True):
    """Scenarios from a file, each with what is to be said about it, and which of them is shown first."""

    scenarios: tuple[LoadedScenario, ...]
    active: int = 0
    name: str = ""


def read_workspace(path: str | Path, presets: Presets) -> LoadedWorkspace:
    """The scenarios in a file; InputError as ``load_workspace``, and for a file that cannot be read."""
    return load_workspace(strict_json.read_bytes(path), presets, source=Path(path).name)


def load_workspace(data: bytes, presets: Presets, *, source: str = "") -> LoadedWorkspace:
    """The scenarios in these bytes; ``source`` names the file in errors.

    One scenario that cannot be used refuses the whole file, with its place (``scenarios[2].run.devices``):
    a comparison from which one silently is missing would be worse than none.  InputError as
    ``load_scenario``; ``out_of_range`` for an ``active`` that there is not.
    """
    try:
        return _load(strict_json.parse(data, source), presets, source)
    except InputError as error:
        if source and error.field != source:
            error.values.setdefault("file", source)
        raise


def _load(value: Any, presets: Presets, source: str) -> LoadedWorkspace:
    outline = convert(migrated(value, KIND, source), _Outline, source=source)
    if outline.active >= len(outline.scenarios):
        raise InputError("out_of_range", "active", value=outline.active, minimum=0,
                         maximum=len(outline.scenarios) - 1)
    loaded = tuple(_scenario(entry, number, presets) for number, entry in enumerate(outline.scenarios))
    return LoadedWorkspace(scenarios=loaded, active=outline.active, name=outline.name)


def _scenario(entry: Any, number: int, presets: Presets) -> LoadedScenario:
    place = f"scenarios[{number}]"
    try:
        return load_value(entry, presets)
    except InputError as error:
        field = f"{place}.{error.field}" if error.field else place
        raise InputError(error.code, field, **error.values) from error


def write_workspace(path: str | Path, scenarios: Sequence[Scenario], active: int = 0, name: str = "") -> None:
    """Save scenarios as one file, all of it or nothing."""
    from mfu_gui.formats import atomic

    atomic.write_bytes(path, dump_workspace(scenarios, active, name))


def dump_workspace(scenarios: Sequence[Scenario], active: int = 0, name: str = "") -> bytes:
    """The file: keys in a fixed order, indented, one newline at the end; ``load_workspace`` is its inverse.

    InputError ``out_of_range`` for none or for more than MOST_SCENARIOS.
    """
    if not 1 <= len(scenarios) <= MOST_SCENARIOS:
        raise InputError("out_of_range", "scenarios", value=len(scenarios), minimum=1, maximum=MOST_SCENARIOS)
    value: dict[str, Any] = {"kind": KIND, "schema": 1}
    if name:
        value["name"] = name
    value |= {"active": active, "scenarios": [dump_value(scenario) for scenario in scenarios]}
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"
