"""Training variants at real size: frozen parts, adapters, checkpointing; and what cannot be frozen."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from msgspec.structs import replace

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.ledger import ledger
from mfu_gui.engine.run import Recompute, Trainable
from mfu_gui.formats.hf_config import read_config
from tests.engine_models.ground_truth import BY_ID, counted, measured, run_of

LLAMA = "Llama-3-8B__s2048__b1__"
VARIANTS = {
    "eager__frozen_embeddings": Trainable(frozen=("embedding",)),
    "eager__frozen_except_last_layer": Trainable(frozen=("embedding", "head", "layers[0:31]")),
    "eager__lora_r16_qv": Trainable(lora_rank=16, targets=("q", "v")),
}


def _model(case: dict[str, Any]) -> Any:
    return read_config(case["config"]).spec


@pytest.mark.parametrize("name", VARIANTS)
def test_partial_training_of_llama_3_8b(name: str) -> None:
    case = BY_ID[LLAMA + name]
    forward, backward, _ = counted(_model(case), run_of(case, trainable=VARIANTS[name]))
    assert (forward, backward) == measured(case)


@pytest.mark.parametrize(("name", "trained"), [
    ("eager__lora_r16_qv", 6815744), ("eager__frozen_embeddings", 7504924672),
    # Measured with the final norm frozen as well, on which no product depends.
    ("eager__frozen_except_last_layer", 218112000 + 4096),
])
def test_trained_parameters_of_adapters_and_frozen_parts(name: str, trained: int) -> None:
    assert ledger(_model(BY_ID[LLAMA + name]), 0, False, VARIANTS[name]).trained == trained


@pytest.mark.parametrize("name", ["GPT-2__s1024__b1__eager__gradient_checkpointing",
                                  LLAMA + "eager__gradient_checkpointing",
                                  LLAMA + "sdpa_flash__gradient_checkpointing"])
def test_checkpointing_repeats_layers_but_for_their_last_matrix(name: str) -> None:
    """The reference stops its repeated forward once every saved tensor is there: the last matrix of a layer,
    one of three in a gated MLP and one of two in a plain one, is not multiplied again.  The head is not either.
    """
    case = BY_ID[name]
    share = Fraction(1, 2) if case["model_type"] == "gpt2" else Fraction(2, 3)
    recompute = Recompute(repeat={"*": 1.0, "mlp": float(share)})
    _, _, repeated = counted(_model(case), run_of(case, recompute=recompute))
    assert sum(repeated.values()) == case["flops_backward_breakdown"]["recompute"]


def test_full_recompute_repeats_the_layers_once() -> None:
    case = BY_ID[LLAMA + "eager"]
    forward, _, repeated = counted(_model(case), run_of(case, recompute="full"))
    assert repeated == {name: flops for name, flops in forward.items() if name != "lm_head"}


def test_freezing_everything_before_the_head_leaves_the_weight_gradient_of_the_head() -> None:
    case = BY_ID[LLAMA + "eager"]
    model = _model(case)
    forward, backward, _ = counted(model, run_of(case, trainable=Trainable(frozen=("embedding", "layers[0:32]"))))
    # The final norm is trained, so the head passes a gradient down to it.
    assert backward == {"lm_head": 2 * forward["lm_head"]}


@pytest.mark.parametrize(("trainable", "code", "field"), [
    (Trainable(frozen=("vision",)), "unknown_choice", "run.trainable.frozen"),
    (Trainable(frozen=("layers[3:33]",)), "layers_out_of_range", "run.trainable.frozen"),
    (Trainable(frozen=("layers[5:5]",)), "layers_out_of_range", "run.trainable.frozen"),
    (Trainable(frozen=("layers(1)",)), "layers_out_of_range", "run.trainable.frozen"),
    (Trainable(frozen=("lm_head",)), "unknown_choice", "run.trainable.frozen"),
    (Trainable(lora_rank=4, targets=("experts",)), "unknown_choice", "run.trainable.targets"),
    (Trainable(lora_rank=4), "required", "run.trainable.targets"),
    (Trainable(targets=("q",)), "required", "run.trainable.lora_rank"),
    (Trainable(lora_rank=4, targets=("q",), frozen=("head",)), "exactly_one", "run.trainable"),
])
def test_parts_the_model_does_not_have_are_refused(trainable: Trainable, code: str, field: str) -> None:
    with pytest.raises(InputError) as caught:
        ledger(_model(BY_ID[LLAMA + "eager"]), 0, False, trainable)
    assert (caught.value.code, caught.value.field) == (code, field)


FROZEN_OR_ADAPTED = (
    ("qwen2.5-vl-7b", Trainable(frozen=("vision",))), ("qwen2.5-vl-7b", Trainable(frozen=("vision", "layers[0:2]"))),
    ("deepseek-v3", Trainable(lora_rank=8, targets=("experts",))), ("deepseek-v3", Trainable(frozen=("embedding",))),
    ("mixtral-8x7b", Trainable(lora_rank=8, targets=("q", "experts"))),
)


@pytest.mark.parametrize(("preset", "trainable"), FROZEN_OR_ADAPTED)
def test_conventions_that_do_not_see_a_frozen_part_still_count(preset: str, trainable: Trainable) -> None:
    """A convention without the vision tower, or with a dense MLP for experts, has nothing of them to freeze."""
    from mfu_gui.engine.compare import compare
    from mfu_gui.engine.evaluate import evaluate
    from mfu_gui.engine.hardware import HardwareSpec
    from mfu_gui.engine.run import RunSpec
    from mfu_gui.engine.scenario import Scenario
    from mfu_gui.formats.presets import PresetStore

    model = PresetStore().model(preset).spec
    run = RunSpec(sequence_length=1024, devices=8, global_batch=8, trainable=trainable)
    scenario = Scenario(model=model, hardware=HardwareSpec(peak_tflops={"bf16": 989.0}), run=run)
    rows = compare(scenario, evaluate(scenario))
    full = replace(scenario, run=replace(run, trainable="full"))
    known = {row.id: row.flops_per_token for row in compare(full, evaluate(full))}
    assert len(rows) > 30
    for row in rows:
        if row.flops_per_token is not None and "lora" not in str(trainable):
            assert row.flops_per_token <= known[row.id], row.id
