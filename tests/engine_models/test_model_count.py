"""What the mathematics of a model needs, beside what reference code executes: where they are one and where
they differ.  ``test_measured.py`` holds the executed counts to measurements; here the difference is derived.
"""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from mfu_gui.engine.conventions import find
from mfu_gui.engine.evaluate import count
from mfu_gui.engine.inspection import inspect
from mfu_gui.engine.model import (
    Attention,
    Dense,
    GatedDeltaNet,
    KimiDeltaAttention,
    Layer,
    LightningAttention,
    Mamba1,
    Mamba2,
    Mixer,
    ModelSpec,
    Stack,
)
from mfu_gui.engine.run import RunSpec
from mfu_gui.formats.hf_config import read_config
from tests.engine_models.ground_truth import BY_ID, CASES, counted, run_of, sees_everything

# Components in which reference code does more than it has to.
WASTE = {"ssm_conv", "ssm_core", "linear_attention_conv", "linear_attention_core", "recurrent_core",
         "triangular_solve_backward"}


def _model(mixer: Mixer) -> ModelSpec:
    layer = Layer(mixers=(mixer,), ffns=(Dense(width=64),))
    return ModelSpec(vocabulary=100, stacks=(Stack(hidden_size=32, kinds=(layer,), order=(("layer", 2),)),))


def _run(length: int) -> RunSpec:
    return RunSpec(sequence_length=length, global_batch=1)


@pytest.mark.parametrize("case", [case for case in CASES if sees_everything(case) and case["train_mode"] == "full"
                                  and "attention_sdpa" not in case["flops_forward_breakdown"]],
                         ids=lambda case: case["id"])
def test_without_waste_all_else_is_as_measured(case: dict) -> None:
    forward, backward, _ = counted(read_config(case["config"]).spec, run_of(case))
    waste = WASTE | ({"experts"} if case["experts_counted"] == "all_experts" else set())
    for found, expected in ((forward, case["flops_forward_breakdown"]), (backward, case["flops_backward_breakdown"])):
        assert {name: flops for name, flops in found.items() if name not in waste} == {
            name: flops for name, flops in expected.items() if name not in waste}


def test_llama_4_multiplies_by_one_expert_of_sixteen() -> None:
    """Scout: 441309231841280 counted forward, 70224057466880 needed (ground truth, derived there)."""
    case = BY_ID["Llama-4-Scout-text__s2048__b1__eager"]
    model = read_config(case["config"]).spec
    assert sum(counted(model, run_of(case))[0].values()) == 70224057466880
    assert sum(counted(model, run_of(case), as_executed=True)[0].values()) == 441309231841280


def test_chunk_padding_is_executed_but_not_needed() -> None:
    """Mamba-2 at 2000 and 2048 positions: the padded core is the same, 1381184307200 (ground truth)."""
    model = read_config(BY_ID["Mamba2-2.7B__s2000__b1__default"]["config"]).spec
    executed = [counted(model, _run(length), as_executed=True)[0]["ssm_core"] for length in (2000, 2048)]
    assert executed == [1381184307200, 1381184307200]
    needed = [counted(model, _run(length))[0]["ssm_core"] for length in (2000, 2048)]
    assert needed[0] < needed[1] < 1381184307200


def test_state_space_core_by_hand() -> None:
    """heads 4 of width 8, state 16, 2 groups, chunks of 10 over 25 positions: two whole ones and one of 5."""
    mixer = Mamba2(heads=4, head_dim=8, state=16, groups=2, chunk=10)
    square, causal = 2 * 100 + 25, 2 * 55 + 15
    per_pair, per_position = 2 * 16 * 2 + 2 * 32, 2 * (2 * 32 * 16)
    full = inspect(_model(mixer), _run(25))
    assert full.full_square.components["ssm_core"].forward == 2 * (square * per_pair + 25 * per_position)
    assert full.causal.components["ssm_core"].forward == 2 * (causal * per_pair + 25 * per_position)
    executed = 3 * (100 * (2 * 16 * 4 + 2 * 32) + 10 * per_position) + 4 * 4 * 2 * 32 * 16
    assert counted(_model(mixer), _run(25), as_executed=True)[0]["ssm_core"] == 2 * executed


@pytest.mark.parametrize("mixer", [
    GatedDeltaNet(key_heads=2, value_heads=4, key_dim=8, value_dim=16, conv=1, chunk=16),
    KimiDeltaAttention(heads=4, head_dim=8, gate_rank=8, conv=1, chunk=16),
    LightningAttention(heads=4, head_dim=8, chunk=16),
    Mamba1(inner=64, state=16, dt_rank=4, conv=1),
], ids=lambda mixer: type(mixer).__name__)
def test_whole_chunks_leave_no_difference(mixer: Mixer) -> None:
    model = _model(mixer)
    assert counted(model, _run(64)) == counted(model, _run(64), as_executed=True)


def test_documents_keep_their_states_apart() -> None:
    """Two documents of 32 cost what two sequences of 32 do; a state is never read across them."""
    model = _model(GatedDeltaNet(key_heads=2, value_heads=4, key_dim=8, value_dim=16, chunk=16))
    packed = RunSpec(sequence_length=64, global_batch=1, document_lengths=(32, 32))
    apart = RunSpec(sequence_length=32, global_batch=2)
    assert counted(model, packed) == counted(model, apart)


def test_cores_grow_with_length_where_attention_grows_with_its_square() -> None:
    linear, square = _model(LightningAttention(heads=4, head_dim=8, chunk=16)), _model(
        Attention(heads=4, kv_heads=4, head_dim=8))
    assert counted(linear, _run(640))[0]["linear_attention_core"] == 10 * counted(
        linear, _run(64))[0]["linear_attention_core"]
    assert counted(square, _run(640))[0]["attention_qk"] == 100 * counted(square, _run(64))[0]["attention_qk"]


def test_causal_never_exceeds_full() -> None:
    for case in CASES:
        if sees_everything(case) and case["train_mode"] == "full":
            model, run = read_config(case["config"]).spec, replace(run_of(case), global_batch=1)
            totals = [count(model, run, find(name))[0].per_step or 0 for name in ("matmul-causal", "matmul-full")]
            assert 0 < totals[0] <= totals[1]
