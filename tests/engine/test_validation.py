"""Parts of a scenario that do not fit each other are refused at their exact place."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.hardware import HardwareSpec
from mfu_gui.engine.model import (
    Attention,
    Dense,
    GatedDeltaNet,
    Head,
    Layer,
    Mamba2,
    ModelSpec,
    MoE,
    MultiTokenPrediction,
    SharedBlock,
    Stack,
)
from mfu_gui.engine.run import MEASURED_KEYS, Measured, RunSpec, Trainable
from mfu_gui.engine.scenario import ConventionChoice, Peak, Scenario
from mfu_gui.engine.validation import validate, validate_model, validate_peak, validate_run

ATTENTION = Attention(heads=8, kv_heads=2, head_dim=16)
BLOCK = Layer(name="block", mixers=(ATTENTION,), ffns=(Dense(width=512),))
STACK = Stack(hidden_size=128, kinds=(BLOCK,), order=(("block", 4),))
MODEL = ModelSpec(vocabulary=1000, stacks=(STACK,))
CARD = HardwareSpec(name="Card", peak_tflops={"bf16": 400, "fp8": 800}, sparse_factor=2)
RUN = RunSpec(sequence_length=1024, devices=8, global_batch=16, measured=Measured(step_time_s=1))
SCENARIO = Scenario(model=MODEL, hardware=CARD, run=RUN)


def error_of(check: Any, *arguments: Any) -> InputError:
    with pytest.raises(InputError) as caught:
        check(*arguments)
    return caught.value


def with_layer(**parts: Any) -> ModelSpec:
    return replace(MODEL, stacks=(replace(STACK, kinds=(replace(BLOCK, **parts),)),))


def test_a_good_scenario_passes() -> None:
    validate(SCENARIO)


@pytest.mark.parametrize(
    ("model", "code", "field", "values"),
    [
        (replace(MODEL, stacks=()), "required", "stacks", {}),
        (replace(MODEL, stacks=(STACK, STACK)), "duplicate_name", "stacks[1].name", {"name": "decoder"}),
        (replace(MODEL, stacks=(replace(STACK, order=()),)), "required", "stacks[0].order", {}),
        (replace(MODEL, stacks=(replace(STACK, kinds=(BLOCK, BLOCK)),)), "duplicate_name", "stacks[0].kinds[1].name",
         {"name": "block"}),
        (replace(MODEL, stacks=(replace(STACK, order=(("block", 2), ("blok", 2))),)), "unknown_choice",
         "stacks[0].order[1][0]", {"value": "blok", "allowed": "block"}),
        (replace(MODEL, stacks=(STACK, replace(STACK, name="encoder", axis="encoder")), head=Head(stack="vision")),
         "unknown_choice", "head.stack", {"value": "vision", "allowed": "decoder, encoder"}),
        (replace(MODEL, multi_token_prediction=MultiTokenPrediction(depths=1, layer="moe")), "unknown_choice",
         "multi_token_prediction.layer", {"value": "moe"}),
        (replace(MODEL, multi_token_prediction=MultiTokenPrediction(depths=1, layer="block", more_layers=("x",))),
         "unknown_choice", "multi_token_prediction.more_layers[0]", {"value": "x"}),
        (with_layer(mixers=(ATTENTION, replace(ATTENTION, kv_heads=3))), "not_divisible",
         "stacks[0].kinds[0].mixers[1].kv_heads", {"value": 8, "divisor": 3}),
        (with_layer(mixers=(replace(ATTENTION, kv_heads=16),)), "out_of_range",
         "stacks[0].kinds[0].mixers[0].kv_heads", {"value": 16, "maximum": 8}),
        (with_layer(mixers=(replace(ATTENTION, window=8, chunk=8),)), "contradiction", "stacks[0].kinds[0].mixers[0]",
         {"key": "window", "other": "chunk"}),
        (with_layer(mixers=(Mamba2(heads=8, head_dim=4, state=16, groups=3),)), "not_divisible",
         "stacks[0].kinds[0].mixers[0].groups", {"value": 8, "divisor": 3}),
        (with_layer(mixers=(GatedDeltaNet(key_heads=4, value_heads=6, key_dim=8, value_dim=8),)), "not_divisible",
         "stacks[0].kinds[0].mixers[0].key_heads", {"value": 6, "divisor": 4}),
        (with_layer(shared=SharedBlock(mixers=(replace(ATTENTION, kv_heads=5),))), "not_divisible",
         "stacks[0].kinds[0].shared.mixers[0].kv_heads", {"divisor": 5}),
        (with_layer(ffns=(MoE(experts=8, top_k=9, width=64),)), "out_of_range", "stacks[0].kinds[0].ffns[0].top_k",
         {"value": 9, "maximum": 8}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_models_that_do_not_fit(model: ModelSpec, code: str, field: str, values: dict[str, Any]) -> None:
    error = error_of(validate_model, model)
    assert (error.code, error.field) == (code, f"model.spec.{field}")
    assert {key: error.values[key] for key in values} == values


def test_what_only_looks_wrong_passes() -> None:
    validate_model(with_layer(ffns=(MoE(experts=8, top_k=9, width=64, identity_experts=4),)))
    # An encoder alone has its head there, though the default names the decoder.
    validate_model(ModelSpec(vocabulary=10, stacks=(replace(STACK, name="encoder", axis="encoder"),)))
    # A tower without a vocabulary needs no head.
    validate_model(ModelSpec(stacks=(STACK, replace(STACK, name="vision", axis="patch")), head=Head(stack="encoder")))


def test_place_of_a_model_elsewhere() -> None:
    assert error_of(validate_model, replace(MODEL, stacks=()), "spec").field == "spec.stacks"


@pytest.mark.parametrize("first", MEASURED_KEYS)
@pytest.mark.parametrize("second", MEASURED_KEYS)
def test_exactly_one_measured_quantity(first: str, second: str) -> None:
    measured = Measured(**{first: 0.5, second: 0.5})
    if first == second:
        validate_run(replace(RUN, measured=measured), MODEL)
    else:
        error = error_of(validate_run, replace(RUN, measured=measured), MODEL)
        assert (error.code, error.field) == ("exactly_one", "run.measured")
        assert set(error.values["found_keys"].split(", ")) == {first, second}


def test_nothing_measured_is_fine_but_an_empty_object_is_not() -> None:
    validate_run(replace(RUN, measured=None), MODEL)
    error = error_of(validate_run, replace(RUN, measured=Measured()), MODEL)
    assert (error.code, error.values["found_keys"]) == ("exactly_one", None)


def test_documents_fit_into_the_sequence() -> None:
    validate_run(replace(RUN, document_lengths=(1000, 24)), MODEL)
    error = error_of(validate_run, replace(RUN, document_lengths=(1000, 25)), MODEL)
    assert (error.code, error.field, error.values) == (
        "documents_too_long", "run.document_lengths", {"total": 1025, "sequence_length": 1024}
    )
    assert error_of(validate_run, replace(RUN, document_lengths=()), MODEL).code == "required"


def test_prediction_depths_need_a_model_that_has_them() -> None:
    assert error_of(validate_run, replace(RUN, multi_token_prediction=1), MODEL).code == "no_multi_token_prediction"
    able = replace(MODEL, multi_token_prediction=MultiTokenPrediction(depths=1, layer="block"))
    validate_run(replace(RUN, multi_token_prediction=1), able)


@pytest.mark.parametrize(
    ("trainable", "code", "field"),
    [
        (Trainable(), "exactly_one", ""),
        (Trainable(lora_rank=8, targets=("q",), frozen=("head",)), "exactly_one", ""),
        (Trainable(lora_rank=8), "required", ".targets"),
        (Trainable(targets=("q",)), "required", ".lora_rank"),
        (Trainable(frozen=("head", "body")), "unknown_choice", ".frozen"),
        (Trainable(frozen=("encoder",)), "unknown_choice", ".frozen"),
        (Trainable(frozen=("layers[0:5]",)), "layers_out_of_range", ".frozen"),
        (Trainable(frozen=("layers[2:2]",)), "layers_out_of_range", ".frozen"),
        (Trainable(frozen=("layers[a:b]",)), "layers_out_of_range", ".frozen"),
        (Trainable(lora_rank=8, targets=("experts",)), "unknown_choice", ".targets"),
    ],
)
def test_trainable_is_adapters_or_frozen_parts(trainable: Trainable, code: str, field: str) -> None:
    error = error_of(validate_run, replace(RUN, trainable=trainable), MODEL)
    assert (error.code, error.field) == (code, f"run.trainable{field}")


def test_good_trainable() -> None:
    validate_run(replace(RUN, trainable=Trainable(lora_rank=8, targets=("q", "v"))), MODEL)
    validate_run(replace(RUN, trainable=Trainable(frozen=("embedding", "layers[0:4]"))), MODEL)


def test_a_peak_that_is_not_there_lists_those_that_are() -> None:
    error = error_of(validate, replace(SCENARIO, run=replace(RUN, precision="fp4")))
    assert (error.code, error.field) == ("peak_missing", "run.precision")
    assert error.values["available"] == "bf16, fp8"
    # A typed peak is used as it is.
    validate(replace(SCENARIO, run=replace(RUN, precision="fp4"), peak=Peak(tflops=1600)))


@pytest.mark.parametrize(
    ("hardware", "peak", "code", "field"),
    [
        (CARD, Peak(mix={"fp8": 0.8, "bf16": 0.3}), "mix_not_one", "hardware.precision_mix"),
        (CARD, Peak(mix={"fp8": 0.8}), "mix_not_one", "hardware.precision_mix"),
        (CARD, Peak(mix={"fp8": 0.8, "fp4": 0.2}), "peak_missing", "hardware.precision_mix"),
        (CARD, Peak(mix={"fp8": 1.0}, tflops=800), "contradiction", "hardware"),
        (CARD, Peak(kind="measured"), "measured_peak_missing", "hardware.peak_tflops"),
        (HardwareSpec(peak_tflops={"bf16": 1}), Peak(kind="sparse"), "no_sparse_peak", "hardware.peak_kind"),
    ],
)
def test_peaks_that_cannot_be(hardware: HardwareSpec, peak: Peak, code: str, field: str) -> None:
    error = error_of(validate_peak, hardware, RUN, peak)
    assert (error.code, error.field) == (code, field)


def test_shares_that_add_up_but_for_rounding() -> None:
    mix: dict[Any, float] = {"fp8": 1 / 3, "bf16": 2 / 3}
    validate_peak(CARD, RUN, Peak(mix=mix))
    validate_peak(CARD, RUN, Peak(mix={"fp8": 0.3333333, "bf16": 0.6666666}))


def test_conventions_are_known() -> None:
    error = error_of(validate, replace(SCENARIO, convention=ConventionChoice(id="palms")))
    assert (error.code, error.field) == ("unknown_convention", "convention.id")
