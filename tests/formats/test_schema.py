"""The JSON Schemas say what the program accepts, well enough to write a file by them."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
import schemas

from mfu_gui.engine.errors import InputError
from mfu_gui.formats.preset_file import decode_preset
from mfu_gui.formats.presets import PresetStore
from mfu_gui.formats.scenario_file import dump_value, load_value
from mfu_gui.formats.schema import NAMES, schema_text
from mfu_gui.formats.workspace_file import load_workspace
from mfu_gui.resources import resource_path

SCENARIOS = sorted((Path(__file__).parents[1] / "data" / "scenarios").glob("*.mfu"))


@pytest.fixture(scope="module")
def validators() -> dict[str, jsonschema.Draft202012Validator]:
    found = {}
    for name in NAMES:
        schema = json.loads(schema_text(name))
        jsonschema.Draft202012Validator.check_schema(schema)
        found[name] = jsonschema.Draft202012Validator(schema)
    return found


def test_unknown_schema() -> None:
    with pytest.raises(InputError) as caught:
        schema_text("scenarios")
    assert (caught.value.code, caught.value.values["nearest"]) == ("unknown_choice", "scenario")


@pytest.mark.parametrize("name", NAMES)
def test_every_field_has_a_word(name: str) -> None:
    """A new field without a docstring needs one, or a line in packaging/schema_words.py."""
    assert schemas.undescribed(json.loads(schema_text(name))) == []


@pytest.mark.parametrize("name", NAMES)
def test_examples_are_valid_for_both(name: str, validators: dict[str, Any]) -> None:
    for example in json.loads(schema_text(name))["examples"]:
        validators[name].validate(example)
        if name == "scenario":
            if "preset" in example["model"]:
                example["model"] = {"spec": MINIMAL_MODEL}
            load_value(example, PresetStore())
        elif name == "workspace":
            load_workspace(msgspec.json.encode(example), PresetStore())
        else:
            decode_preset(msgspec.json.encode(example))


MINIMAL_MODEL = {"stacks": [{"hidden_size": 8, "kinds": [{"name": "a"}], "order": [["a", 1]]}]}
MINIMAL: dict[str, Any] = {
    "kind": "mfu-scenario",
    "schema": 1,
    "model": {"spec": MINIMAL_MODEL},
    "hardware": {"preset": "nvidia-l4"},
    "run": {"sequence_length": 8, "measured": {"tokens_per_s_per_device": 1}},
}


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_scenarios_written_by_hand_are_valid(path: Path, validators: dict[str, Any]) -> None:
    validators["scenario"].validate(json.loads(path.read_bytes()))


def test_saved_scenarios_are_valid(validators: dict[str, Any]) -> None:
    saved = msgspec.json.decode(msgspec.json.encode(dump_value(load_value(MINIMAL, PresetStore()).scenario)))
    validators["scenario"].validate(saved)
    assert "resolved" in saved


@pytest.mark.parametrize("name", ["model", "hardware"])
def test_shipped_presets_are_valid(name: str, validators: dict[str, Any]) -> None:
    folder = {"model": "models", "hardware": "hardware"}[name]
    for path in resource_path("presets", folder).glob("*.json"):
        validators[name].validate(json.loads(path.read_bytes()))


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (["kind"], "mfu-model"),
        (["schema"], 2),
        (["nmae"], "x"),
        (["model"], {}),
        (["model"], {"preset": "gpt2", "spec": MINIMAL_MODEL}),
        (["hardware"], {}),
        (["hardware", "peak_tflops"], -1),
        (["hardware", "precision_mix"], {"fp9": 1}),
        (["run", "sequence_length"], 0),
        (["run", "sequence_length"], "8"),
        (["run", "sequence_length"], 8.5),
        (["run", "devises"], 8),
        (["run", "precision"], "bf17"),
        (["run", "measured"], {}),
        (["run", "measured"], {"mfu": 0.4, "step_time_s": 1}),
        (["run", "measured"], {"mfu": 1.4}),
        (["run", "recompute"], "sometimes"),
        (["run", "recompute"], {"layers": 3}),
        (["reported"], {"mfu": 0}),
        (["model", "spec", "stacks", 0, "order"], [["a", 0]]),
        (["model", "spec", "stacks", 0, "order"], [["a"]]),
        (["model", "spec", "stacks", 0, "kinds", 0, "mixers"], [{"type": "attention", "heads": 8}]),
        (["model", "spec", "stacks", 0, "kinds", 0, "mixers"], [{"type": "atention"}]),
        (["model", "spec", "stacks", 0, "kinds", 0, "ffns"], [{"type": "dense", "width": 8, "matrices": 4}]),
    ],
    ids=str,
)
def test_schema_and_program_refuse_the_same(place: list[Any], value: Any, validators: dict[str, Any]) -> None:
    document = copy.deepcopy(MINIMAL)
    validators["scenario"].validate(document)
    load_value(document, PresetStore())
    at: Any = document
    for part in place[:-1]:
        at = at[part]
    at[place[-1]] = value
    assert list(validators["scenario"].iter_errors(document)) != []
    with pytest.raises(InputError):
        load_value(document, PresetStore())
