"""Which conventions fit which models, decided by the shape of the model alone."""

from __future__ import annotations

import re

import pytest
from msgspec.structs import replace

from mfu_gui.engine.compare import flops_per_token, status_of
from mfu_gui.engine.conventions import BY_ID, CONVENTIONS, chosen, find
from mfu_gui.engine.errors import InputError
from mfu_gui.engine.model import Attention, Dense, Head, Layer, Mamba1, ModelSpec, MoE, PatchFrontEnd, Stack
from mfu_gui.engine.run import RunSpec
from mfu_gui.engine.scenario import ConventionChoice

from .test_known_figures import per_token, shape

IDS = [
    "matmul-causal", "matmul-full", "6n", "6n-active", "kaplan-2020", "chinchilla", "palm", "megatron-2021",
    "megatron-2021-no-recompute", "megatron-lm", "megatron-bridge", "nemo", "torchtitan", "maxtext", "nanogpt",
    "llm-foundry", "olmo-core", "verl", "levanter", "lingua", "nanotron", "litgpt", "lightning", "llama-factory",
    "paddlenlp", "internevo", "colossalai", "gpt-neox", "hf-trainer", "trl", "prime-rl", "slime", "eleuther-cookbook",
    "deepseek", "maxtext@2025-06", "verl@2025-12", "torchtitan@2026-07",
]


def decoder(*ffns: object, tied: bool = False, **attention: object) -> ModelSpec:
    """A decoder of two layers of hidden size 512."""
    heads = {"heads": 8, "kv_heads": 8, "head_dim": 64} | attention
    layer = Layer(mixers=(Attention(**heads),), ffns=ffns or (Dense(width=2048, matrices=2),))  # type: ignore[arg-type]
    stack = Stack(hidden_size=512, kinds=(layer,), order=(("layer", 2),))
    return ModelSpec(vocabulary=1000, stacks=(stack,), head=Head(tied=tied))


MIXTURE = MoE(experts=8, top_k=2, width=1024)


def status(convention_id: str, model: ModelSpec) -> str:
    return find(convention_id).status(model)[0]


def test_all_ids_are_there() -> None:
    assert not [name for name in IDS if name not in BY_ID]


def test_every_row_is_complete() -> None:
    for convention in CONVENTIONS:
        assert convention.title
        assert convention.summary.endswith(".")
        assert convention.source
        assert convention.id == convention.source.lower() or re.fullmatch(r"[a-z0-9-]+(@20\d\d-\d\d)?", convention.id)
        if not convention.id.startswith("matmul-"):
            assert re.fullmatch(r"20\d\d-\d\d", convention.valid_from)
        for rule in convention.statuses:
            assert rule.reason.endswith(".")


def test_hardware_conventions_are_marked() -> None:
    assert {c.id for c in CONVENTIONS if c.kind == "hardware"} == {
        "megatron-2021", "colossalai", "gpt-neox-actual", "eleuther-cookbook"}
    assert chosen(ConventionChoice(id="eleuther-cookbook", options={"recompute": False})).kind == "model"
    assert chosen(ConventionChoice(id="internevo", options={"recompute": True})).kind == "hardware"


@pytest.mark.parametrize(("convention_id", "model", "expected"), [
    # 6·N with all experts overcounts a mixture; the active count does not.
    ("6n", decoder(MIXTURE), "quirk"), ("6n", decoder(), "sound"), ("6n-active", decoder(MIXTURE), "sound"),
    # NVIDIA/Megatron-LM#682, #995: shapes of GPT only.
    ("megatron-2021", decoder(), "sound"), ("megatron-2021", decoder(Dense(width=2048)), "quirk"),
    ("megatron-2021", decoder(kv_heads=2), "quirk"),
    # NVIDIA/Megatron-LM#3280: windows ignored; Megatron-Bridge sees them.
    ("megatron-lm", decoder(window=128), "quirk"), ("megatron-bridge", decoder(window=128), "sound"),
    ("torchtitan", decoder(window=128), "quirk"), ("torchtitan@2026-08", decoder(window=128), "sound"),
    # head_dim guessed as hidden ÷ heads.
    ("levanter", decoder(Dense(width=1024), head_dim=128), "quirk"),
    ("levanter", decoder(Dense(width=1024)), "sound"), ("prime-rl", decoder(head_dim=128), "quirk"),
    ("slime", decoder(Dense(width=1024), head_dim=128), "quirk"), ("slime", decoder(Dense(width=1024)), "sound"),
    # Three matrices for a plain MLP.
    ("nanotron", decoder(), "quirk"), ("nanotron", decoder(Dense(width=1024)), "sound"),
    # Tied heads.
    ("hf-trainer", decoder(tied=True), "quirk"), ("hf-trainer", decoder(), "sound"),
    ("llama-factory", decoder(Dense(width=1024), tied=True), "quirk"),
    ("nanogpt", decoder(tied=True), "sound"), ("nanogpt", decoder(), "quirk"),
    # The look-up counted as a product, whatever the model.
    ("verl", decoder(Dense(width=1024)), "quirk"), ("trl", decoder(Dense(width=1024)), "quirk"),
    # Lightning fails on data-dependent routing.
    ("lightning", decoder(MIXTURE), "undefined"), ("lightning", decoder(), "sound"),
    # verl prints 0 for types that it has no rule for, TRL raises.
    ("verl", decoder(MIXTURE), "undefined"), ("trl", decoder(MIXTURE), "undefined"),
    ("verl", decoder(replace(MIXTURE, experts=16), qk_norm="per_head_dim"), "quirk"),
    ("trl", decoder(MIXTURE, qk_norm="per_head_dim"), "quirk"),
])
def test_status_by_shape(convention_id: str, model: ModelSpec, expected: str) -> None:
    assert status(convention_id, model) == expected


def test_verl_and_trl_by_published_shapes() -> None:
    assert {name: status("verl", shape(name)) for name in ("llama3-8b", "mixtral-8x7b", "gemma2-9b")} == {
        "llama3-8b": "quirk", "mixtral-8x7b": "undefined", "gemma2-9b": "undefined"}
    assert {name: status("trl", shape(name)) for name in ("qwen3-30b-a3b", "gpt-oss-120b", "deepseek-v3")} == {
        "qwen3-30b-a3b": "quirk", "gpt-oss-120b": "undefined", "deepseek-v3": "undefined"}


def test_other_architectures_have_no_figure() -> None:
    mamba = ModelSpec(vocabulary=1000, stacks=(Stack(hidden_size=512, kinds=(
        Layer(mixers=(Mamba1(inner=1024, state=16, dt_rank=32),)),), order=(("layer", 2),)),))
    tower = ModelSpec(vocabulary=0, head=None, stacks=(Stack(name="vision", axis="patch", hidden_size=512, kinds=(
        Layer(mixers=(Attention(heads=8, kv_heads=8, head_dim=64, mask="bidirectional"),)),),
        order=(("layer", 2),)),))
    for convention in CONVENTIONS:
        if convention.id.startswith(("matmul-", "6n", "palm", "kaplan", "hf-trainer")):
            assert convention.status(mamba)[0] == "sound"
            assert convention.status(tower)[0] == "sound"
        elif convention.id != "lightning":
            assert convention.status(tower)[0] == "undefined"
            # GPT-NeoX has a closed form for Mamba.
            expected = {"gpt-neox": "quirk", "gpt-neox-actual": "sound"}.get(convention.id, "undefined")
            assert convention.status(mamba)[0] == expected


def test_closed_form_of_gpt_neox_for_mamba() -> None:
    # EleutherAI/gpt-neox logging.py: c·w(11·N + 4·dt + 1) + 6c·w·h + 2c·w·κ a layer and token, 4.5·h·V for the head.
    hidden, inner, state, rank, kernel, layers, vocabulary = 512, 1024, 16, 32, 4, 2, 1000
    mamba = ModelSpec(vocabulary=vocabulary, stacks=(Stack(hidden_size=hidden, kinds=(
        Layer(mixers=(Mamba1(inner=inner, state=state, dt_rank=rank, conv=kernel),)),), order=(("layer", layers),)),))
    layer = inner * (11 * state + 4 * rank + 1) + 6 * inner * hidden + 2 * inner * kernel
    head = hidden * vocabulary
    assert per_token("gpt-neox", mamba, 64) == 3 * layers * layer + head * 9 / 2
    assert per_token("gpt-neox-actual", mamba, 64) == 4 * layers * layer + head * 6
    assert per_token("gpt-neox-actual", mamba, 64, recompute=False) == 3 * layers * layer + head * 9 / 2


def test_formulas_for_language_models_leave_out_a_vision_tower() -> None:
    layer = Layer(mixers=(Attention(heads=8, kv_heads=8, head_dim=64, mask="bidirectional"),),
                  ffns=(Dense(width=2048, matrices=2),))
    tower = Stack(name="vision", axis="patch", hidden_size=512, kinds=(layer,), order=(("layer", 2),),
                  front_end=PatchFrontEnd(patches=256, patch_size=14))
    text = decoder(Dense(width=1024))
    seeing = replace(text, stacks=(tower, *text.stacks), image_tokens=256)
    run = RunSpec(sequence_length=1024, images=1)
    for convention_id in ("megatron-lm", "torchtitan", "maxtext", "slime"):
        assert status(convention_id, seeing) == "quirk"
        assert status_of(find(convention_id), seeing, with_images=False)[0] == "sound"
        assert flops_per_token(find(convention_id), seeing, run) == flops_per_token(find(convention_id), text, run)
    assert flops_per_token(find("matmul-full"), seeing, run) > flops_per_token(find("matmul-full"), text, run)


@pytest.mark.parametrize(("dated", "rule"), [
    ("maxtext@2025-06", "maxtext@2025-06"), ("maxtext@2024-11", "maxtext@2025-06"), ("maxtext@2025-07", "maxtext"),
    ("verl@2025-03", "verl@2025-12"), ("verl@2026-05", "verl"), ("torchtitan@2025-01", "torchtitan"),
    ("torchtitan@2026-10", "torchtitan@2026-08"), ("megatron-lm@2024-06", "megatron-lm@2025-02"),
    ("megatron-lm@2026-01", "megatron-lm"), ("olmo-core@2025-01", "olmo-core@2025-11"),
])
def test_rule_in_force(dated: str, rule: str) -> None:
    assert replace(find(dated), id="", title="") == replace(find(rule), id="", title="")
    assert find(dated).id == dated


@pytest.mark.parametrize("bad", ["maxtext@2020-01", "nobody@2025-01", "maxtext@2025-13", "megatron"])
def test_unknown_ids_are_refused(bad: str) -> None:
    with pytest.raises(InputError) as caught:
        find(bad)
    assert caught.value.code == "unknown_convention"


@pytest.mark.parametrize(("convention_id", "options", "code"), [
    ("palm", {"router": False}, "unknown_option"), ("matmul-full", {"router": 1}, "unknown_choice"),
    ("megatron-lm", {"vocabulary_multiple": 0}, "unknown_choice"),
    ("megatron-lm", {"vocabulary_multiple": True}, "unknown_choice"),
    ("prime-rl", {"transformers": "3"}, "unknown_choice"), ("prime-rl", {"transformers": 5}, "unknown_choice"),
])
def test_wrong_options_are_refused(convention_id: str, options: dict[str, bool | int | str], code: str) -> None:
    with pytest.raises(InputError) as caught:
        chosen(ConventionChoice(id=convention_id, options=options))
    assert caught.value.code == code


def test_padding_replaces_the_default() -> None:
    bridge = chosen(ConventionChoice(id="megatron-bridge", options={"vocabulary_multiple": 1}))
    assert not [r for r in bridge.rewrites if "multiple" in r.text]
    assert [r.values for r in chosen(ConventionChoice(id="megatron-lm", options={"vocabulary_multiple": 256})).rewrites
            if "multiple" in r.text] == [(("multiple", 256),)]
