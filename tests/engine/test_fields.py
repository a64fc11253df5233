"""The table of fields: what is set is got, what is out of range is refused, everything has words."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.evaluate import evaluate
from mfu_gui.engine.fields import BY_KEY, FIELDS, Field, checked, measured_key, measured_value
from mfu_gui.engine.run import MEASURED_KEYS, Measured, RunSpec
from mfu_gui.engine.scenario import Peak, Scenario
from mfu_gui.formats.presets import PresetStore

STORE = PresetStore()
PRESETS = [("llama-3.1-8b", "nvidia-h100-sxm5-80gb"), ("deepseek-v3", "amd-mi250x"), ("gemma-3-1b", "google-tpu-v4")]


def scenario(model: str, hardware: str) -> Scenario:
    run = RunSpec(sequence_length=4096, devices=64, global_batch=512, measured=Measured(step_time_s=10.0))
    return Scenario(model=STORE.model(model).spec, hardware=STORE.hardware(hardware).spec, run=run,
                    peak=Peak(tflops=500.0))


SCENARIOS = [scenario(*names) for names in PRESETS]
CASES = [pytest.param(made, field, id=f"{field.key}-{names[0]}") for made, names in zip(SCENARIOS, PRESETS, strict=True)
         for field in FIELDS if field.applies(made)]


def another(field: Field, value: Any) -> Any:
    """A value that the field allows and that is not ``value``."""
    if field.kind == "choice":
        return next(choice for choice, _ in field.choices if choice not in ("", value))
    if field.kind == "set":
        return (field.choices[0][0],)
    if field.kind == "lengths":
        return (1024, 2048)
    if field.kind == "text":
        return "another"
    if field.kind == "fraction":
        return 0.25
    if field.key == "run.accumulation":
        return 2  # 512 sequences ÷ 64 replicas can be divided by it
    return value * 2 if value else 3


def test_keys_are_unique() -> None:
    assert len(BY_KEY) == len(FIELDS)


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.key)
def test_every_field_has_words_and_a_range(field: Field) -> None:
    assert field.label
    assert field.help.endswith(".")
    if field.kind in ("integer", "real", "fraction", "time"):
        assert field.minimum is not None
        assert field.maximum is not None
        assert field.minimum < field.maximum
    if field.kind == "choice":
        assert len(field.choices) > 1
        assert all(label for _, label in field.choices)


@pytest.mark.parametrize(("made", "field"), CASES)
def test_setting_what_is_there_changes_nothing(made: Scenario, field: Field) -> None:
    value = field.get(made)
    if value is not None:
        assert field.set(made, value) == made


@pytest.mark.parametrize(("made", "field"), CASES)
def test_what_is_set_is_got_and_the_rest_stays(made: Scenario, field: Field) -> None:
    value = another(field, field.get(made))
    changed = field.set(made, checked(field, value))
    assert field.get(changed) == value
    assert made == scenario(*PRESETS[SCENARIOS.index(made)]), "scenarios never change"
    if field.panel != "measured":
        for other in FIELDS:
            same = {other.key, field.key} == {"run.devices", "run.replicas"}  # two views of one quantity
            if other.panel != field.panel and other.applies(changed) and not same:
                assert other.get(changed) == other.get(made), other.key


@pytest.mark.parametrize(("made", "field"), CASES)
def test_an_edited_scenario_can_be_computed(made: Scenario, field: Field) -> None:
    if field.key in ("run.precision", "hardware.peak_kind"):
        made = field.set(made, "bf16" if field.key == "run.precision" else "measured")
    else:
        made = field.set(made, another(field, field.get(made)))
    assert evaluate(made).flops.per_token > 0


@pytest.mark.parametrize("field", [field for field in FIELDS if field.maximum is not None], ids=lambda f: f.key)
def test_out_of_range_is_refused_with_the_range(field: Field) -> None:
    assert field.minimum is not None
    assert field.maximum is not None
    for value in (field.minimum - 1, field.maximum * 2 + 1):
        with pytest.raises(InputError) as caught:
            checked(field, value)
        assert (caught.value.code, caught.value.field) == ("out_of_range", field.key)
        assert caught.value.values["minimum"] == field.minimum
    assert checked(field, field.minimum) == field.minimum
    assert checked(field, field.maximum) == field.maximum


@pytest.mark.parametrize("field", [field for field in FIELDS if field.kind == "choice"], ids=lambda f: f.key)
def test_unknown_choice_is_refused(field: Field) -> None:
    with pytest.raises(InputError) as caught:
        checked(field, "nothing of that")
    assert caught.value.code == "unknown_choice"
    assert field.choices[0][0] in caught.value.values["allowed"]


@pytest.mark.parametrize("field", FIELDS, ids=lambda f: f.key)
def test_emptiness_is_for_optional_fields(field: Field) -> None:
    if field.optional:
        assert checked(field, None) is None
        return
    with pytest.raises(InputError) as caught:
        checked(field, None)
    assert caught.value.code == "required"


def test_one_measured_quantity_replaces_the_other() -> None:
    made = SCENARIOS[0]
    assert measured_key(made) == "step_time_s"
    for key in MEASURED_KEYS:
        made = BY_KEY[f"run.measured.{key}"].set(made, 0.5)
        assert measured_key(made) == key
        assert measured_value(made) == 0.5
    empty = replace(made, run=replace(made.run, measured=None))
    assert measured_key(empty) == ""
    assert measured_value(empty) is None
