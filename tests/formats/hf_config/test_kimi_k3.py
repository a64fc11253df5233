"""Kimi K3: its tensors, one by one, as NVIDIA-NeMo/Automodel 00ef9ca241e8 builds them (kimi_k3/model.py, with the
sizes of kimi_k3/config.py, which are those of moonshotai/Kimi-K3)."""

from __future__ import annotations

from typing import Any

from mfu_gui.engine.ledger import ledger
from mfu_gui.engine.model import AttentionResiduals
from mfu_gui.formats.hf_config import read_config

FULL = [*range(4, 93, 4), 93]
LAYERS = 93
K3: dict[str, Any] = {
    "model_type": "kimi_k3", "architectures": ["KimiK3ForConditionalGeneration"],
    "text_config": {
        "model_type": "kimi_linear", "vocab_size": 163840, "hidden_size": 7168, "intermediate_size": 33792,
        "num_hidden_layers": LAYERS, "num_attention_heads": 96, "num_key_value_heads": 96, "hidden_act": "situ",
        "max_position_embeddings": 1048576, "tie_word_embeddings": False, "moe_intermediate_size": 3072,
        "num_experts": 896, "num_experts_per_token": 16, "num_shared_experts": 2, "first_k_dense_replace": 1,
        "moe_layer_freq": 1, "routed_expert_hidden_size": 3584, "latent_moe_use_norm": True, "q_lora_rank": 1536,
        "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "mla_use_nope": True,
        "mla_use_output_gate": True, "attn_res_block_size": 12, "num_nextn_predict_layers": 0,
        "linear_attn_config": {
            "head_dim": 128, "num_heads": 96, "short_conv_kernel_size": 4, "full_attn_layers": FULL,
            "kda_layers": [index for index in range(1, LAYERS + 1) if index not in FULL],
            "use_full_rank_gate": True, "gate_lower_bound": -5.0}}}


def numbers(*shapes: tuple[int, ...]) -> int:
    total = 0
    for shape in shapes:
        product = 1
        for size in shape:
            product *= size
        total += product
    return total


HIDDEN, WIDTH, LATENT, EXPERT = 7168, 96 * 128, 3584, 3072
RESIDUAL = numbers((HIDDEN,), (1, HIDDEN))
"""``*_res_norm`` and ``*_res_proj``."""
KDA = numbers(
    *[(WIDTH, HIDDEN)] * 3,  # q_proj, k_proj, v_proj
    *[(WIDTH, 4)] * 3,  # q_conv1d, k_conv1d, v_conv1d
    (96,), (WIDTH,),  # A_log, dt_bias
    (128, HIDDEN), (WIDTH, 128), (96, HIDDEN),  # f_a_proj, f_b_proj, b_proj
    (WIDTH, HIDDEN), (128,), (HIDDEN, WIDTH))  # g_proj, o_norm, o_proj
MLA = numbers(
    (1536, HIDDEN), (1536,), (96 * 192, 1536),  # q_a_proj, q_a_layernorm, q_b_proj
    (512 + 64, HIDDEN), (512,), (96 * 256, 512),  # kv_a_proj_with_mqa, kv_a_layernorm, kv_b_proj
    (HIDDEN, WIDTH), (WIDTH, HIDDEN))  # o_proj, g_proj
DENSE = numbers(*[(33792, HIDDEN)] * 2, (HIDDEN, 33792))
EXPERTS = 896 * numbers(*[(EXPERT, LATENT)] * 2, (LATENT, EXPERT))
BESIDE_EXPERTS = numbers(
    (896, HIDDEN), (896,),  # gate.weight, e_score_correction_bias
    (LATENT, HIDDEN), (LATENT,), (HIDDEN, LATENT),  # routed_expert_down_proj, _norm, _up_proj
    *[(2 * EXPERT, HIDDEN)] * 2, (HIDDEN, 2 * EXPERT))  # shared_experts
TOTAL = (2 * numbers((163840, HIDDEN)) + HIDDEN + RESIDUAL + LAYERS * (2 * HIDDEN + 2 * RESIDUAL)
         + 69 * KDA + 24 * MLA + DENSE + 92 * (EXPERTS + BESIDE_EXPERTS))


def test_every_tensor_is_counted() -> None:
    found = ledger(read_config(K3).spec).parameters
    assert found.checkpoint_total == TOTAL
    assert found.total == TOTAL - 92 * 896  # e_score_correction_bias is no parameter
    assert round(TOTAL / 1e12, 1) == 2.8  # as announced: 2.8T, of which 104B are activated
    idle = 92 * EXPERTS * (896 - 16) // 896
    assert round((TOTAL - idle - numbers((163840, HIDDEN))) / 1e9) == 104  # the table of tokens is not activated


def test_the_classes_sizes_stand_in_for_missing_ones() -> None:
    short = {**K3, "text_config": {"model_type": "kimi_linear",
                                   "linear_attn_config": K3["text_config"]["linear_attn_config"]}}
    assert ledger(read_config(short).spec).parameters.checkpoint_total == TOTAL


def test_the_sources_of_the_residual_are_those_of_its_blocks() -> None:
    """Played as ``_forward_attn_residual`` and ``_apply_output_attn_res`` play it."""
    blocks = sources = mixes = 0
    for index in range(LAYERS):
        if blocks:
            sources, mixes = sources + blocks + 1, mixes + 1
        if index % 12 == 0:
            blocks += 1
        sources, mixes = sources + blocks + 1, mixes + 1
    sources, mixes = sources + blocks + 1, mixes + 1
    (part,) = read_config(K3).spec.parts
    assert part == AttentionResiduals(mixes=mixes + 1, sources=sources)  # one is stored and never run
    terms = [term for term in ledger(read_config(K3).spec).terms if term.component == "attention_residual"]
    assert sum(term.per_unit for term in terms) == 2 * 2 * sources * HIDDEN  # a score and a sum for each


def test_a_gate_of_low_rank_stays_that_of_kimi_linear() -> None:
    nested = {**K3["text_config"]["linear_attn_config"], "use_full_rank_gate": False}
    low = {**K3, "text_config": {**K3["text_config"], "linear_attn_config": nested}}
    gate = numbers((WIDTH, HIDDEN)) - numbers((128, HIDDEN), (WIDTH, 128))  # g_proj for g_a_proj, g_b_proj
    assert ledger(read_config(low).spec).parameters.checkpoint_total == TOTAL - 69 * gate
