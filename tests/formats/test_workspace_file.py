"""Workspace files: what is saved comes back in its order, and a bad entry is named by its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.evaluate import evaluate
from mfu_gui.engine.scenario import Scenario
from mfu_gui.formats.presets import PresetStore
from mfu_gui.formats.scenario_file import read_scenario
from mfu_gui.formats.workspace_file import (
    MOST_SCENARIOS,
    dump_workspace,
    load_workspace,
    read_workspace,
    write_workspace,
)
from mfu_gui.texts import translator

EXAMPLES = sorted((Path(__file__).parents[2] / "resources" / "examples").glob("*.mfu"))


@pytest.fixture
def store(profile: Path) -> PresetStore:
    return PresetStore()


@pytest.fixture
def scenarios(store: PresetStore) -> list[Scenario]:
    return [read_scenario(path, store).scenario for path in EXAMPLES]


def value_of(scenarios: list[Scenario]) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(dump_workspace(scenarios))
    return value


def refused(value: Any, store: PresetStore) -> InputError:
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    with pytest.raises(InputError) as caught:
        load_workspace(data, store, source="two.mfuw")
    return caught.value


def test_what_is_saved_comes_back(scenarios: list[Scenario], store: PresetStore, tmp_path: Path) -> None:
    path = tmp_path / "all of them.mfuw"
    scenarios[1] = replace(scenarios[1], name="<b>二号</b>", notes="line\nline")
    write_workspace(path, scenarios, active=2, name="Clusters")
    loaded = read_workspace(path, store)
    assert [each.scenario for each in loaded.scenarios] == scenarios
    assert (loaded.active, loaded.name) == (2, "Clusters")
    assert [each.notices for each in loaded.scenarios] == [()] * len(scenarios)
    write_workspace(path, [each.scenario for each in loaded.scenarios], loaded.active, loaded.name)
    assert read_workspace(path, store) == loaded


def test_the_numbers_of_the_file_count_where_a_preset_is_missing(scenarios: list[Scenario],
                                                                store: PresetStore) -> None:
    value = value_of(scenarios[:1])
    entry = value["scenarios"][0]
    entry["hardware"]["preset"] = entry["resolved"]["hardware_from"] = "no-such-card"
    loaded = load_workspace(json.dumps(value).encode(), store)
    assert evaluate(loaded.scenarios[0].scenario).mfu == evaluate(scenarios[0]).mfu
    assert [notice.code for notice in loaded.scenarios[0].notices] == ["preset_missing"]


def test_a_bad_entry_is_named_by_its_place(scenarios: list[Scenario], store: PresetStore) -> None:
    value = value_of(scenarios[:3])
    value["scenarios"][2]["run"]["devices"] = 0
    error = refused(value, store)
    assert error.field == "scenarios[2].run.devices"
    assert error.values["file"] == "two.mfuw"
    assert translator("en").describe(error).startswith("two.mfuw: scenarios[2].run.devices: ")
    value = value_of(scenarios[:2])
    value["scenarios"][1]["schema"] = 2
    assert (refused(value, store).code, refused(value, store).field) == ("newer_schema", "scenarios[1].schema")
    value["scenarios"][1] = 7
    assert (refused(value, store).code, refused(value, store).field) == ("wrong_type", "scenarios[1]")
    value["scenarios"][1] = {"kind": "mfu-workspace", "schema": 1, "scenarios": []}
    assert refused(value, store).code == "wrong_kind"


@pytest.mark.parametrize(("changes", "code", "field"), [
    ({"active": 2}, "out_of_range", "active"),
    ({"active": -1}, "out_of_range", "active"),
    ({"active": "0"}, "wrong_type", "active"),
    ({"scenarios": []}, "wrong_length", "scenarios"),
    ({"scenarios": {}}, "wrong_type", "scenarios"),
    ({"scenario": []}, "unknown_key", ""),
    ({"schema": 2}, "newer_schema", "schema"),
    ({"kind": "mfu-scenario"}, "wrong_kind", "kind"),
    ({"name": 3}, "wrong_type", "name"),
])
def test_what_a_workspace_must_not_be(changes: dict[str, Any], code: str, field: str, scenarios: list[Scenario],
                                      store: PresetStore) -> None:
    error = refused({**value_of(scenarios[:2]), **changes}, store)
    assert (error.code, error.field) == (code, field)


def test_what_is_missing_or_broken(scenarios: list[Scenario], store: PresetStore) -> None:
    for key in ("kind", "schema", "scenarios"):
        value = value_of(scenarios[:1])
        del value[key]
        assert refused(value, store).code in ("missing", "wrong_kind")
    data = dump_workspace(scenarios[:1])
    assert refused(data[:-20], store).code == "truncated_json"
    assert refused(data.replace(b'"active": 0,', b'"active": 0, "active": 0,'), store).code == "duplicate_key"


def test_none_and_too_many_are_refused(scenarios: list[Scenario]) -> None:
    for some in ([], scenarios[:1] * (MOST_SCENARIOS + 1)):
        with pytest.raises(InputError) as caught:
            dump_workspace(some)
        assert caught.value.code == "out_of_range"


def test_a_failure_to_write_leaves_the_old_file(scenarios: list[Scenario], tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        write_workspace(tmp_path / "gone" / "a.mfuw", scenarios)
    assert caught.value.code == "folder_missing"
