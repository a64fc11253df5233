"""Layouts: what does not divide is named, and what is offered instead does."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace

from mfu_gui.engine import batch
from mfu_gui.engine.errors import InputError, Notice
from mfu_gui.engine.run import Parallel, RunSpec
from mfu_gui.engine.scenario import Scenario
from mfu_gui.formats.presets import PresetStore
from mfu_gui.planning.layout import layout_of
from mfu_gui.planning.layout_checks import layout_notices, nearest_divisors
from mfu_gui.planning.memory_fields import memory_spec, with_offer
from mfu_gui.planning.spec import MemorySpec

STORE = PresetStore()
MODELS = {name: STORE.model(name).spec for name in ("llama-3.1-8b", "deepseek-v3", "mixtral-8x7b", "gemma-3-1b")}
RUN = RunSpec(sequence_length=8192, devices=64, micro_batch=1, global_batch=256)


def notices(model: str, spec: MemorySpec | None = None, run: RunSpec = RUN, **sizes: int) -> dict[str, Notice]:
    spec, run = spec or MemorySpec(), replace(run, parallel=Parallel(**sizes))
    return {n.code: n for n in layout_notices(MODELS[model], run, spec, layout_of(run, spec))}


def test_a_layout_that_divides_says_nothing() -> None:
    assert notices("llama-3.1-8b", tensor=8, pipeline=2, context=2, zero_stage=1) == {}


def test_heads_name_the_tensor_size() -> None:
    found = notices("llama-3.1-8b", run=replace(RUN, devices=60), tensor=5)
    assert found["heads_by_tensor"].field == "run.parallel.tensor"
    assert found["heads_by_tensor"].values == {"value": 32, "divisor": 5, "offers": [2, 4, 8, 16]}
    assert {"kv_heads_by_tensor", "mlp_by_tensor", "hidden_by_tensor"} <= found.keys()


def test_kv_heads_are_copied_beyond_their_number() -> None:
    assert notices("llama-3.1-8b", tensor=16)["kv_heads_copied"].values == {"value": 8, "divisor": 16, "copies": 2}


def test_layers_and_stages() -> None:
    found = notices("llama-3.1-8b", run=replace(RUN, devices=60, global_batch=240), pipeline=5)
    assert found["layers_by_stages"].values == {"value": 32, "divisor": 5, "most": 7, "more": 2, "base": 6, "fewer": 3,
                                                "offers": [2, 4, 8, 16]}
    assert "layers_by_stages" not in notices("llama-3.1-8b", MemorySpec(layers_per_stage=(7, 7, 6, 6, 6)), pipeline=5)
    assert notices("llama-3.1-8b", pipeline=64)["more_stages_than_layers"].values["value"] == 32
    virtual = notices("llama-3.1-8b", pipeline=4, virtual_pipeline=3)
    assert virtual["layers_by_stages"].values["divisor"] == 12
    assert "virtual_without_pipeline" in notices("llama-3.1-8b", virtual_pipeline=2)
    assert "dualpipe_needs_even" in notices("llama-3.1-8b", MemorySpec(schedule="dualpipe"), pipeline=5)


def test_micro_batches_and_stages() -> None:
    few = notices("llama-3.1-8b", run=replace(RUN, global_batch=16), pipeline=8)
    assert few["fewer_micro_batches_than_stages"].values == {"value": 2, "divisor": 8, "offers": [64]}
    odd = notices("llama-3.1-8b", run=replace(RUN, global_batch=144), pipeline=4, virtual_pipeline=2)
    assert odd["micro_batches_by_stages"].values == {"value": 9, "divisor": 4, "offers": [128, 192]}


def test_experts() -> None:
    assert notices("mixtral-8x7b", expert=3)["experts_by_expert_parallel"].values["offers"] == [1, 2, 4, 8]
    assert notices("llama-3.1-8b", expert=2)["expert_parallel_without_experts"].values["offers"] == [1]
    assert notices("deepseek-v3", run=replace(RUN, devices=48), expert=32)["devices_by_experts"].values["offers"] == [
        8, 16]
    assert notices("mixtral-8x7b", MemorySpec(expert_tensor=3))["expert_width_by_tensor"].values["value"] == 14336


def test_sequences() -> None:
    found = notices("llama-3.1-8b", run=replace(RUN, sequence_length=1000), context=8)
    assert found["sequence_by_context"].values == {"value": 1000, "divisor": 16, "offers": [4, 5, 10, 20]}
    assert notices("llama-3.1-8b", run=replace(RUN, sequence_length=1001), tensor=8)["sequence_by_tensor"].values[
        "offers"] == [1, 7, 11, 13]
    assert "zero_with_pipeline" in notices("llama-3.1-8b", pipeline=2, zero_stage=3)


def test_replicas_and_batch_are_the_engines_checks() -> None:
    assert notices("llama-3.1-8b", tensor=8, pipeline=3)["layout_does_not_divide"].values == {
        "devices": 64, "product": 24, "offers": [48, 72]}
    assert notices("llama-3.1-8b", run=replace(RUN, global_batch=100), tensor=8)["batch_does_not_divide"].values == {
        "batch": 100, "product": 8, "offers": [96, 104]}


SIZE = st.integers(1, 12)
H100 = STORE.hardware("nvidia-h100-sxm5-80gb").spec


def notices_of(scenario: Scenario) -> tuple[Notice, ...]:
    spec = memory_spec(scenario)
    return layout_notices(scenario.model, scenario.run, spec, layout_of(scenario.run, spec))


@given(st.sampled_from(sorted(MODELS)), SIZE, SIZE, st.integers(1, 4), SIZE, st.integers(1, 3), st.integers(1, 300),
       st.integers(1, 600))
def test_every_offer_mends_what_it_is_offered_for(model: str, tensor: int, pipeline: int, context: int, expert: int,
                                                  virtual: int, devices: int, global_batch: int) -> None:
    run = replace(RUN, devices=devices, global_batch=global_batch, parallel=Parallel(
        tensor=tensor, pipeline=pipeline, context=context, expert=expert, virtual_pipeline=virtual))
    scenario = Scenario(model=MODELS[model], hardware=H100, run=run)
    for notice in notices_of(scenario):
        for offer in notice.values.get("offers", []):
            mended = with_offer(scenario, notice.field, offer)
            assert notice.code not in {n.code for n in notices_of(mended)}, (notice, offer)


@given(st.integers(1, 10**6), st.integers(1, 10**6))
def test_nearest_divisors(value: int, wanted: int) -> None:
    assume(value % wanted)
    found = nearest_divisors(value, wanted)
    assert all(value % divisor == 0 for divisor in found)
    assert found
    assert len(found) <= 4


# --- micro-batch, accumulation, replicas, global batch ---------------------------------------------

@given(st.integers(1, 16), st.integers(1, 64), st.integers(1, 64), st.integers(1, 8))
def test_any_three_give_the_fourth(micro_batch: int, count: int, data: int, tensor: int) -> None:
    whole = RunSpec(sequence_length=128, devices=data * tensor, micro_batch=micro_batch,
                    global_batch=micro_batch * count * data, parallel=Parallel(tensor=tensor))
    assert batch.replicas(whole) == data
    assert batch.accumulation(whole) == count
    for missing in ({"global_batch": None}, {"micro_batch": None}, {"devices": None}):
        assert batch.with_accumulation(replace(whole, **missing), count) == whole
    assert batch.with_replicas(replace(whole, devices=None), data) == whole


def test_what_is_no_whole_number_is_refused_with_offers() -> None:
    run = RunSpec(sequence_length=128, devices=8, global_batch=100)
    with pytest.raises(InputError) as refused:
        batch.with_accumulation(run, 3)
    assert refused.value.values == {"batch": 100, "product": 24, "offers": [96, 120]}
    with pytest.raises(InputError) as missing:
        batch.with_accumulation(RunSpec(sequence_length=128), 3)
    assert missing.value.code == "accumulation_needs"
    assert batch.accumulation(replace(run, micro_batch=3)) is None
