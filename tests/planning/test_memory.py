"""Memory of a run, stage by stage, against closed forms, the ledger, and what must hold of any run."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.hardware import HardwareSpec
from mfu_gui.engine.ledger import ledger
from mfu_gui.engine.model import Attention, Dense, Head, Layer, ModelSpec, Stack
from mfu_gui.engine.model_edit import with_layer_count
from mfu_gui.engine.run import Parallel, Recompute, RunSpec, Trainable
from mfu_gui.engine.scenario import Peak
from mfu_gui.formats.presets import PresetStore
from mfu_gui.planning import memory_formulas
from mfu_gui.planning.formula import FORMULAS, GIB
from mfu_gui.planning.layout import Layout, in_flight, layout_of
from mfu_gui.planning.memory import Memory, StageMemory, memory, verdict
from mfu_gui.planning.memory_terms import context_of, local_elements, stage_buckets
from mfu_gui.planning.optimizers import BY_ID
from mfu_gui.planning.shapes import holdings
from mfu_gui.planning.spec import MemorySpec
from mfu_gui.planning.stages import layers_of_chunks, stages_of

STORE = PresetStore()
H100 = STORE.hardware("nvidia-h100-sxm5-80gb").spec
BARE = {"fragmentation": 0.0, "framework_gib": 0.0, "communication_gib": 0.0, "gradient_scratch": False}
KORTHIKANTI = MemorySpec(dropout=True, **BARE)  # type: ignore[arg-type]


def gpt(hidden_size: int, heads: int, layers: int) -> ModelSpec:
    """A GPT as the closed forms have it: 4h MLP without a gate, as many KV heads as heads."""
    attention = Attention(heads=heads, kv_heads=heads, head_dim=hidden_size // heads)
    layer = Layer(name="layer", mixers=(attention,), ffns=(Dense(width=4 * hidden_size, matrices=2),))
    return ModelSpec(stacks=(Stack(hidden_size=hidden_size, kinds=(layer,), order=(("layer", layers),)),),
                     vocabulary=51200, head=Head(tied=True))


def model(name: str) -> ModelSpec:
    return STORE.model(name).spec


def term(stage: StageMemory, key: str) -> float:
    """Bytes of a term; 0 where there is none."""
    return sum(float(t.value or 0) for t in stage.terms if t.key == key)


def stage(made: Memory, number: int) -> StageMemory:
    return next(part for part in made.stages if part.stage == number)


def states(made: Memory) -> float:
    return sum(term(made.worst, key) for key in ("weights", "gradients", "optimizer"))


# --- activations -----------------------------------------------------------------------------------

SIZES = st.tuples(st.sampled_from([64, 128]), st.sampled_from([8, 16, 32]), st.integers(1, 4), st.integers(1, 3),
                  st.sampled_from([1, 2, 4, 8]), st.sampled_from([256, 2048]))


@given(SIZES)
def test_a_gpt_keeps_what_the_closed_forms_say(sizes: tuple[int, ...]) -> None:
    head_dim, heads, layers, micro_batch, tensor, length = sizes
    hidden = head_dim * heads
    run = RunSpec(sequence_length=length, micro_batch=micro_batch, devices=tensor, attention_kernel="unfused",
                  parallel=Parallel(tensor=tensor))
    shape = {"sequence_length": length, "micro_batch": micro_batch, "hidden_size": hidden, "heads": heads,
             "layers": layers, "tensor": tensor}
    made = gpt(hidden, heads, layers)
    plain = memory(made, run, spec=replace(KORTHIKANTI, sequence_parallel=False))
    assert term(plain.worst, "activations") == pytest.approx(memory_formulas.activations_tensor(**shape))
    selective = memory(made, replace(run, recompute="selective"), spec=replace(KORTHIKANTI, sequence_parallel=True))
    assert term(selective.worst, "activations") == pytest.approx(
        memory_formulas.activations_sequence_selective(**shape))
    full = memory(made, replace(run, recompute="full"), spec=replace(KORTHIKANTI, sequence_parallel=False))
    assert term(full.worst, "activations") == 2 * length * micro_batch * hidden * layers
    one = 1 / layers
    assert term(full.worst, "working_set") == pytest.approx(
        one * (memory_formulas.activations_tensor(**shape) - term(full.worst, "activations")))


def test_interleaved_stages_of_gpt3_keep_what_the_closed_form_says() -> None:
    run = RunSpec(sequence_length=2048, micro_batch=1, devices=64, global_batch=64, attention_kernel="unfused",
                  recompute="selective", parallel=Parallel(tensor=8, pipeline=8, virtual_pipeline=3))
    made = memory(gpt(12288, 96, 96), run, spec=KORTHIKANTI)
    # Korthikanti et al. 2022, figure 1: 175B with sequence parallelism and selective recomputation.
    assert term(stage(made, 0), "activations") / GIB == pytest.approx(12.3515625, rel=1e-3)


def test_a_flash_kernel_keeps_a_number_a_head_in_place_of_the_scores() -> None:
    run = RunSpec(sequence_length=4096, micro_batch=1, devices=1)
    flash = memory(gpt(4096, 32, 1), replace(run, attention_kernel="flash"), spec=MemorySpec(**BARE))  # type: ignore[arg-type]
    unfused = memory(gpt(4096, 32, 1), replace(run, attention_kernel="unfused"), spec=MemorySpec(**BARE))  # type: ignore[arg-type]
    difference = term(unfused.worst, "activations") - term(flash.worst, "activations")
    assert difference == 32 * 4096 * 4096 * 2 - 4 * 32 * 4096


def test_a_layer_of_llama_keeps_the_general_form() -> None:
    # 12h + 4κh + 2·3·f + 4a bytes a token: norms' inputs and outputs, Q, K, V, the heads' output, gated MLP.
    llama = model("llama-3.1-8b")
    run = RunSpec(sequence_length=8192, micro_batch=1, devices=1)
    made = memory(llama, run, spec=MemorySpec(**BARE))  # type: ignore[arg-type]
    expected = 12 * 4096 + 4 * 1024 + 2 * 3 * 14336 + 4 * 32
    assert term(made.worst, "activations") == 32 * 8192 * expected
    saving = memory(llama, run, spec=MemorySpec(recompute_norms=True, recompute_mlp_product=True, **BARE))  # type: ignore[arg-type]
    assert term(saving.worst, "activations") == 32 * 8192 * (expected - 4 * 4096 - 2 * 14336)


def test_context_parallelism_divides_positions_and_sends_keys_around() -> None:
    llama, run = model("llama-3.1-8b"), RunSpec(sequence_length=8192, micro_batch=1, devices=4)
    whole = memory(llama, run)
    cut = memory(llama, replace(run, parallel=Parallel(context=4)))
    assert term(cut.worst, "activations") == term(whole.worst, "activations") / 4
    assert term(whole.worst, "key_blocks") == 0
    assert term(cut.worst, "key_blocks") == 2 * 4 * 1024 * 8192 / 4


def test_only_experts_feel_imbalance_and_expert_parallelism() -> None:
    mixtral = model("mixtral-8x7b")
    run = RunSpec(sequence_length=4096, micro_batch=1, devices=8, parallel=Parallel(expert=8))
    even, uneven = memory(mixtral, run), memory(mixtral, run, spec=MemorySpec(expert_imbalance=1.5))
    tokens, width, hidden = 4096 * 2, 14336, 4096
    more = 0.5 * tokens * (3 * width + 2 * hidden) * 2 * 32
    assert term(uneven.worst, "activations") - term(even.worst, "activations") == pytest.approx(more)
    alone = memory(mixtral, replace(run, parallel=None))
    experts = ledger(mixtral).parameters.components["experts"]
    assert term(alone.worst, "weights") - term(even.worst, "weights") == pytest.approx(2 * experts * 7 / 8)


def test_experts_are_divided_by_their_own_tensor_and_expert_parallelism() -> None:
    mixtral = model("mixtral-8x7b")
    run = RunSpec(sequence_length=4096, micro_batch=1, devices=8, parallel=Parallel(tensor=4, expert=2))
    experts = ledger(mixtral).parameters.components["experts"]
    as_outside = memory(mixtral, run)
    whole = memory(mixtral, run, spec=MemorySpec(expert_tensor=1))
    assert term(whole.worst, "weights") - term(as_outside.worst, "weights") == 2 * (experts / 2 - experts / 8)


def test_gates_of_shared_experts_and_routers_are_on_every_tensor_rank() -> None:
    qwen = model("qwen1.5-moe-a2.7b")
    run = RunSpec(sequence_length=4096, micro_batch=1, devices=4)
    one, four = (memory(qwen, run, spec=MemorySpec(expert_tensor=1)),
                 memory(qwen, replace(run, parallel=Parallel(tensor=4)), spec=MemorySpec(expert_tensor=1)))
    parts = ledger(qwen).parameters.components
    copied = sum(parts[name] for name in ("router", "shared_expert_gate", "norms"))
    cut = parts["experts"] + copied
    expected = 2 * (cut + (ledger(qwen).parameters.total - cut) / 4)
    assert term(one.worst, "weights") == 2 * ledger(qwen).parameters.total
    assert term(four.worst, "weights") == expected


def test_latents_of_mla_can_be_all_that_is_kept() -> None:
    deepseek = model("deepseek-v3")
    run = RunSpec(sequence_length=4096, micro_batch=1, devices=64, parallel=Parallel(expert=64))
    expanded = memory(deepseek, run)
    latents = memory(deepseek, run, spec=MemorySpec(recompute_mla_projection=True))
    saved = 61 * 4096 * 128 * (2 * 192 + 128) * 2
    assert term(expanded.worst, "activations") - term(latents.worst, "activations") == pytest.approx(saved)


def test_recomputing_some_layers_or_some_components() -> None:
    made = gpt(1024, 8, 10)
    run = RunSpec(sequence_length=1024, micro_batch=1, devices=1)
    kept = {layers: term(memory(made, replace(run, recompute=Recompute(layers=layers, repeat={"*": 1.0}))).worst,
                         "activations") for layers in (0, 4, 10)}
    assert kept[4] == pytest.approx(0.6 * kept[0] + 0.4 * kept[10])
    mlp = memory(made, replace(run, recompute=Recompute(repeat={"mlp": 1.0})))
    assert kept[0] - term(mlp.worst, "activations") == 10 * 1024 * 2 * 4096 * 2


def test_logits_stand_on_the_last_stage() -> None:
    llama = model("llama-3.1-8b")
    run = RunSpec(sequence_length=8192, micro_batch=2, devices=8, global_batch=64,
                  parallel=Parallel(tensor=2, pipeline=4))
    made = memory(llama, run)
    assert [term(stage(made, number), "logits") > 0 for number in range(4)] == [False, False, False, True]
    expected = 8192 * 2 * (6 * 128256 / 2 + 4 * 4096 / 2)
    assert term(stage(made, 3), "logits") == expected
    chunked = memory(llama, run, spec=MemorySpec(cross_entropy="chunked"))
    assert term(stage(chunked, 3), "logits") == 8192 * 2 * 4 * 4096 / 2


# --- stages ----------------------------------------------------------------------------------------

@pytest.mark.parametrize(("schedule", "virtual", "expected"), [
    ("1f1b", 1, [4, 3, 2, 1]), ("zb-h1", 1, [4, 3, 2, 1]), ("zb-h2", 1, [7, 5, 3, 1]), ("gpipe", 1, [16] * 4),
    ("interleaved", 2, [5.5, 4.5, 3.5, 2.5]), ("dualpipe", 1, [2.5] * 4)])
def test_micro_batches_in_flight(schedule: Any, virtual: int, expected: list[float]) -> None:
    layout = Layout(pipeline=4, virtual_pipeline=virtual, micro_batches=16, schedule=schedule)
    assert [in_flight(layout, number) for number in range(4)] == expected
    few = replace(layout, micro_batches=1)
    assert all(in_flight(few, number) <= 1 for number in range(4))


def test_dualpipe_holds_its_weights_twice() -> None:
    run = RunSpec(sequence_length=2048, micro_batch=1, devices=8, global_batch=64, parallel=Parallel(pipeline=8))
    one, two = (memory(gpt(1024, 8, 16), run, spec=MemorySpec(schedule=name)) for name in ("1f1b", "dualpipe"))
    assert term(stage(two, 3), "weights") == 2 * term(stage(one, 3), "weights")
    assert term(stage(two, 3), "activations") == pytest.approx(9 / 5 * term(stage(one, 3), "activations"))


@pytest.mark.parametrize(("layers", "chunks", "expected"), [
    (32, 4, [8, 8, 8, 8]), (61, 4, [15, 16, 15, 15]), (126, 16, [7, *[8] * 14, 7]), (3, 4, [1, 1, 1, 0])])
def test_uneven_layers(layers: int, chunks: int, expected: list[int]) -> None:
    found = layers_of_chunks(layers, chunks)
    assert sum(found) == layers
    assert found == expected


NAMES = ("llama-3.1-8b", "gemma-3-1b", "deepseek-v3", "mixtral-8x7b", "t5-small", "jamba-v0.1", "whisper-large-v3")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("pipeline", [1, 3])
def test_all_stages_together_hold_the_ledgers_parameters(name: str, pipeline: int) -> None:
    spec = model(name)
    run = RunSpec(sequence_length=256, decoder_sequence_length=64, parallel=Parallel(pipeline=pipeline))
    context = context_of(spec, run, MemorySpec(), layout_of(run, MemorySpec()))
    held = sum(local_elements(bucket, context.layout) for part in stages_of(context.held, context.layout)
               for bucket in stage_buckets(context, part))
    counted = ledger(spec).parameters.checkpoint_total
    twice = sum(bucket.elements for bucket in context.held.tied) if pipeline > 1 else 0
    shared = sum(bucket.elements * stored for buckets, stored in context.held.shared.values() for bucket in buckets)
    assert counted + twice <= held <= counted + twice + shared * (pipeline - 1)
    if not shared:
        assert held == counted + twice


def test_devices_that_hold_the_same_share_what_does_not_depend_on_micro_batches() -> None:
    run = RunSpec(sequence_length=256, micro_batch=1, devices=8, global_batch=64, parallel=Parallel(pipeline=8))
    found = memory(gpt(1024, 8, 16), run)
    figures = [{figure.key: figure for figure in stage(found, number).terms} for number in (3, 4, 7)]
    middle, next_one, last = (each["weights"] for each in figures)
    assert middle is next_one
    assert middle is not last, "that one has the head"
    assert term(stage(found, 3), "activations") > term(stage(found, 4), "activations"), "of more micro-batches"


def test_worst_stage_comes_first() -> None:
    run = RunSpec(sequence_length=8192, micro_batch=1, devices=64, global_batch=256,
                  parallel=Parallel(tensor=8, pipeline=4))
    made = memory(model("llama-3.1-405b"), run)
    totals = [part.total for part in made.stages]
    assert totals == sorted(totals, reverse=True)
    assert made.worst.stage == 0
    assert all(part.total == pytest.approx(sum(float(t.value or 0) for t in part.terms)) for part in made.stages)


def test_stages_can_be_given_by_hand() -> None:
    run = RunSpec(sequence_length=2048, parallel=Parallel(pipeline=2))
    made = memory(gpt(1024, 8, 8), run, spec=MemorySpec(layers_per_stage=(3, 5)))
    assert [stage(made, number).layers for number in range(2)] == [3, 5]
    with pytest.raises(InputError) as refused:
        memory(gpt(1024, 8, 8), run, spec=MemorySpec(layers_per_stage=(3, 4)))
    assert refused.value.code == "stage_layers_sum"


# --- states ----------------------------------------------------------------------------------------

# Bytes a parameter: ZeRO paper 16, Megatron 18, DeepSpeed 20, pure bf16 8, SGD 14, DeepSeek-V3 2+1+4+4+2+2.
@pytest.mark.parametrize(("recipe", "each"), [
    ("fp32-adam", 16), ("mixed-adam-16", 16), ("mixed-adam-18", 18), ("mixed-adam-20", 20), ("fsdp-adam", 16),
    ("bf16-adam", 8), ("sgd-momentum", 14), ("deepseek-v3", 15), ("adam-8bit", 2 + 4 + 4 + 2 + 8 / 2048)])
def test_recipes(recipe: str, each: float) -> None:
    assert BY_ID[recipe].total == pytest.approx(each)
    made = memory(model("llama-3.1-8b"), RunSpec(sequence_length=128, devices=1), spec=MemorySpec(optimizer=recipe))
    assert states(made) == pytest.approx(each * 8_030_261_248)


def test_muon_and_adafactor_treat_matrices_apart() -> None:
    run, spec = RunSpec(sequence_length=128, devices=1), model("llama-3.1-8b")
    tables = 2 * 128256 * 4096
    norms = 65 * 4096
    matrices = 8_030_261_248 - tables - norms
    muon = memory(spec, run, spec=MemorySpec(optimizer="muon"))
    assert states(muon) == 14 * matrices + 18 * (tables + norms)
    adafactor = memory(spec, run, spec=MemorySpec(optimizer="adafactor"))
    rows = 32 * (2 * (4096 + 4096) + 2 * (4096 + 1024) + 3 * (4096 + 14336)) + 2 * (128256 + 4096)
    assert states(adafactor) == 10 * 8_030_261_248 + 4 * (rows + norms)


def test_lora_keeps_a_frozen_base_and_trains_adapters() -> None:
    run = RunSpec(sequence_length=128, devices=1, trainable=Trainable(lora_rank=16, targets=("q", "v")))
    made = memory(model("llama-3.1-8b"), run, spec=MemorySpec(optimizer="lora"))
    adapters = 32 * 16 * ((4096 + 4096) + (4096 + 1024))
    assert term(made.worst, "frozen_weights") == 2 * 8_030_261_248
    assert states(made) == 16 * adapters
    quantized = memory(model("llama-3.1-8b"), run, spec=MemorySpec(optimizer="qlora"))
    assert term(quantized.worst, "frozen_weights") == pytest.approx((0.5 + 0.127 / 8) * 8_030_261_248)


@pytest.mark.parametrize("zero", [0, 1, 2, 3])
def test_zero_shards_what_its_stage_says(zero: int) -> None:
    run = RunSpec(sequence_length=128, devices=64, parallel=Parallel(zero_stage=zero))
    made = memory(model("llama-3.1-8b"), run)
    expected = memory_formulas.state_bytes(8_030_261_248, 2, 4, 12, 64, zero)
    assert states(made) == pytest.approx(expected)
    assert (term(made.worst, "gathered") > 0) is (zero == 3)


def test_context_ranks_share_the_shards_and_experts_have_their_own() -> None:
    run = RunSpec(sequence_length=4096, devices=64, parallel=Parallel(context=4, expert=8, zero_stage=1))
    layout = layout_of(run, MemorySpec())
    assert (layout.data, layout.shards, layout.expert_shards) == (16, 64, 8)
    with_tensor = replace(run, parallel=Parallel(tensor=4, expert=8, zero_stage=1))
    assert layout_of(with_tensor, MemorySpec()).expert_shards == 2
    assert layout_of(with_tensor, MemorySpec(expert_tensor=1)).expert_shards == 8


def test_every_byte_count_can_be_changed() -> None:
    run = RunSpec(sequence_length=128, devices=1)
    made = memory(model("llama-3.1-8b"), run, spec=MemorySpec(weight_bytes=1, gradient_bytes=3, optimizer_bytes=5))
    assert states(made) == 9 * 8_030_261_248
    with pytest.raises(InputError) as refused:
        memory(model("llama-3.1-8b"), run, spec=MemorySpec(optimizer="adamw"))
    assert refused.value.code == "unknown_choice"
    assert "mixed-adam-18" in refused.value.values["allowed"]


@pytest.mark.parametrize(("offload", "left"), [("optimizer", 2), ("optimizer+parameters", 0)])
def test_offloading_leaves_weights_or_gathered_units(offload: Any, left: int) -> None:
    run = RunSpec(sequence_length=128, devices=8, parallel=Parallel(zero_stage=3))
    made = memory(model("llama-3.1-8b"), run, spec=MemorySpec(offload=offload))
    assert states(made) == pytest.approx(left * 8_030_261_248 / 8)
    assert term(made.worst, "gathered") > 0


# --- terms and verdict -----------------------------------------------------------------------------

def test_terms_have_formulas_and_numbers() -> None:
    run = RunSpec(sequence_length=4096, micro_batch=1, devices=2048, global_batch=15360,
                  parallel=Parallel(pipeline=16, expert=64, zero_stage=1))
    made = memory(model("deepseek-v3"), run, spec=MemorySpec(other_gib={"Profiler": 0.5}))
    for part in made.stages:
        for figure in part.terms:
            formula = FORMULAS[figure.formula]
            assert formula(**figure.numbers) == pytest.approx(figure.value)
            assert figure.expression
            assert figure.label
        assert sum(part.activation_parts.values()) == pytest.approx(term(part, "activations"))
        assert {"attention_proj", "layer_input"} <= part.activation_parts.keys()
    assert term(made.worst, "other.Profiler") == GIB / 2


@pytest.mark.parametrize(("total", "expected"), [
    (89.9, "fits"), (90.0, "tight"), (100.0, "tight"), (100.1, "does_not_fit")])
def test_verdict(total: float, expected: str) -> None:
    assert verdict(total, 100.0) == expected
    assert verdict(total, None) == "unknown"


def test_capacity_is_the_cards() -> None:
    run = RunSpec(sequence_length=128, devices=8)
    llama = model("llama-3.1-8b")
    assert memory(llama, run, H100).capacity == (H100.memory_gib or 0) * GIB
    assert memory(llama, run, H100, MemorySpec(device_memory_gib=40)).capacity == 40 * GIB
    mi250x: HardwareSpec = STORE.hardware("amd-mi250x").spec
    card, die = memory(llama, run, mi250x), memory(llama, run, mi250x, peak=Peak(devices_are="framework_devices"))
    assert card.capacity == 2 * (die.capacity or 0)


def test_assumptions_are_named() -> None:
    made = memory(model("llama-3.1-8b"), RunSpec(sequence_length=128))
    assert {notice.code for notice in made.notices} == {
        "memory_devices_assumed", "memory_micro_batch_assumed", "memory_flash_assumed"}
    mamba = memory(model("mamba2-2.7b"), RunSpec(sequence_length=128, devices=8, micro_batch=1))
    assert {notice.code for notice in mamba.notices} == {"memory_layout_assumed", "memory_mixers_rough"}


@given(st.sampled_from(["llama-3.1-8b", "deepseek-v3", "gemma-3-1b"]), st.integers(0, 3), st.sampled_from([1, 2, 4]),
       st.sampled_from([1, 2, 4]), st.sampled_from([1, 2]), st.sampled_from(["none", "selective", "full"]))
def test_laws(name: str, zero: int, tensor: int, pipeline: int, context: int, recompute: Any) -> None:
    run = RunSpec(sequence_length=4096, micro_batch=1, devices=256, global_batch=1024, recompute=recompute,
                  parallel=Parallel(tensor=tensor, pipeline=pipeline, context=context, zero_stage=zero))
    made = memory(model(name), run)
    twice = memory(model(name), replace(run, micro_batch=2))
    assert all(figure.value is not None and figure.value >= 0 for part in made.stages for figure in part.terms)
    assert twice.worst.total >= made.worst.total
    for number in range(pipeline):
        if made.layout.micro_batches is not None and made.layout.micro_batches >= 2 * pipeline:
            assert term(stage(twice, number), "activations") == pytest.approx(
                2 * term(stage(made, number), "activations"))
    if zero < 3:
        more = memory(model(name), replace(run, parallel=replace(run.parallel or Parallel(), zero_stage=zero + 1)))
        assert states(more) <= states(made) * (1 + 1e-12)


@pytest.mark.parametrize("parallel", [Parallel(pipeline=10**6), Parallel(pipeline=10**12, virtual_pipeline=10**12),
                                      Parallel(pipeline=32, virtual_pipeline=64)])
def test_a_pipeline_of_a_million_stages_is_refused_at_once(parallel: Parallel) -> None:
    from mfu_gui.formats.presets import PresetStore

    model = PresetStore().model("llama-3-8b").spec
    with pytest.raises(InputError, match="out_of_range") as caught:
        memory(model, RunSpec(sequence_length=4096, devices=10**6, global_batch=10**6, parallel=parallel))
    assert caught.value.field == "run.parallel.pipeline"
    assert memory(model, RunSpec(sequence_length=4096, devices=1024, global_batch=1024,
                                 parallel=Parallel(pipeline=1024))).stages


def test_runs_of_equal_layers_are_held_once() -> None:
    model = with_layer_count(STORE.model("qwen3-next-80b-a3b").spec, 100_000)
    held = holdings(model)
    assert sum(count for _, count in held.sequence) == 100_000
    assert len({id(run) for run in held.sequence}) == len(set(held.sequence)) < 10 < len(held.sequence)
