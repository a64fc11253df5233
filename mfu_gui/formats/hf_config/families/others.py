"""Classes of their own that share no family: CTRL, JetMoE, A.X K1, Mellum, Kolibri, Flint.

Class defaults as of transformers 5.24.0 (2026-11).
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from mfu_gui.engine.model import Attention, Dense, Ffn, ModelSpec, Vector
from mfu_gui.formats.hf_config.access import Config, Family
from mfu_gui.formats.hf_config.families.deepseek import mla
from mfu_gui.formats.hf_config.parts import (
    MLP_TYPES,
    QKVO,
    attention,
    decoder,
    dense,
    every,
    layer_types,
    letters,
    moe,
    sizes,
    sparse_step,
    windowed,
)


def _ctrl(config: Config) -> ModelSpec:
    """Sinusoidal positions, biases everywhere, the tied head's too."""
    mixer = attention(config, kv_heads=config.integer("num_attention_heads"), biases=QKVO)
    return decoder(config, mixer, dense(config, 2, biases=True), norm_vectors=2, head_bias=True)


def _jetmoe(config: Config) -> ModelSpec:
    """Experts for queries and outputs as well: a token chooses some, each with as many heads as there are keys."""
    hidden, top_k = config.integer("hidden_size"), config.integer("num_experts_per_tok")
    kv_heads, head_dim = config.integer("num_key_value_heads"), config.integer("head_dim")
    mixer = Attention(heads=kv_heads * top_k, kv_heads=kv_heads, head_dim=head_dim, own_q=False, own_o=False)
    # In and out of one expert of attention have the shape of a plain MLP.
    heads = moe(config, width=kv_heads * head_dim, matrices=2)
    mlp = moe(config, width=config.integer("intermediate_size"))
    biases = Vector(name="output_biases", size=2 * hidden, store="experts")
    return decoder(config, mixer, {"": (heads, mlp, biases)})


def _axk1(config: Config) -> ModelSpec:
    """DeepSeek-V3 with a norm after the experts."""
    layers, hidden = config.layers(), config.integer("hidden_size")
    kinds = config.choices("mlp_layer_types", MLP_TYPES, layers) or ["dense"] + ["moe"] * (layers - 1)
    shared = config.optional_integer("n_shared_experts", 0) or 0
    experts = moe(config, shared_width=shared * config.integer("moe_intermediate_size"), router_buffer=True)
    ffns: dict[str, Ffn | tuple[Ffn, ...]] = {
        "moe": (experts, Vector(name="after_experts_norm", size=hidden, store="norms"))}
    if "dense" in kinds:
        ffns["dense"] = dense(config)
    return decoder(config, mla(config), ffns, ffn_kinds=kinds)


def _mellum(config: Config) -> ModelSpec:
    """Qwen 3's experts, window and MLP kind layer by layer."""
    layers = config.layers()
    kinds = layer_types(config, layers, ["full"] * layers)
    ffn_kinds = config.choices("mlp_layer_types", MLP_TYPES, layers) or ["moe"] * layers
    mixer = attention(config, biases=letters(config, "attention_bias"), qk_norm="per_head_dim")
    ffns: dict[str, Ffn] = {"moe": moe(config)}
    if "dense" in ffn_kinds:
        ffns["dense"] = dense(config)
    return decoder(config, windowed(config, kinds, mixer), ffns, kinds=kinds, ffn_kinds=ffn_kinds)


def _kolibri1(config: Config) -> ModelSpec:
    """Every fifth layer full; norms before and after both branches; a shared expert."""
    layers = config.layers()
    kinds = layer_types(config, layers, every(layers, 5))
    experts = moe(config, shared_width=config.integer("shared_expert_intermediate_size", 0), router_buffer=True)
    mixer = attention(config, qk_norm="per_head_dim")
    return decoder(config, windowed(config, kinds, mixer), experts, kinds=kinds, norms=4)


def _flint(config: Config) -> ModelSpec:
    """Sinks; the first two layers, every fourth after them and the last are full."""
    layers = config.layers()
    full = [index < 2 or index % 4 == 1 or index == layers - 1 for index in range(layers)]
    kinds = layer_types(config, layers, ["full" if yes else "sliding" for yes in full])
    mixer = replace(attention(config, biases=letters(config, "attention_bias"), qk_norm="per_head_dim"), sinks=True)
    ffn_kinds = sparse_step(config, layers)
    ffns: dict[str, Ffn] = {}
    if "moe" in ffn_kinds:
        ffns["moe"] = moe(config, shared_width=config.integer("shared_expert_intermediate_size", 0))
    if "dense" in ffn_kinds:
        ffns["dense"] = Dense(width=config.integer("intermediate_size"))
    return decoder(config, windowed(config, kinds, mixer), ffns, kinds=kinds, ffn_kinds=ffn_kinds)


_LOCAL = {"num_experts": ("num_local_experts", "num_experts")}
_CTRL: dict[str, Any] = {
    "vocab_size": 246534, "hidden_size": 1280, "intermediate_size": 8192, "num_hidden_layers": 48,
    "num_attention_heads": 16, "tie_word_embeddings": True,
}

READERS: dict[str, Family] = {
    "ctrl": Family(_ctrl, _CTRL, {
        "hidden_size": ("n_embd", "hidden_size"), "num_hidden_layers": ("n_layer", "num_hidden_layers"),
        "num_attention_heads": ("n_head", "num_attention_heads"), "intermediate_size": ("dff",),
        "max_position_embeddings": ("n_positions", "max_position_embeddings")}),
    "jetmoe": Family(_jetmoe, {
        "vocab_size": 32000, "hidden_size": 2048, "num_hidden_layers": 12, "num_key_value_heads": 16, "head_dim": 128,
        "intermediate_size": 5632, "num_experts": 8, "num_experts_per_tok": 2, "tie_word_embeddings": True},
        _LOCAL | {"head_dim": ("kv_channels", "head_dim")}),
    "axk1": Family(_axk1, sizes(
        163840, 7168, 18432, 61, 64, moe_intermediate_size=2048, n_shared_experts=1, num_experts=192, kv_lora_rank=512,
        q_lora_rank=1536, qk_rope_head_dim=64, v_head_dim=128, qk_nope_head_dim=128, num_experts_per_tok=8,
        attention_bias=False), {"num_experts": ("n_routed_experts", "num_local_experts")}),
    "mellum": Family(_mellum, sizes(
        98304, 2304, 7168, 28, 32, 4, head_dim=128, attention_bias=False, sliding_window=1024,
        moe_intermediate_size=896, num_experts=64, num_experts_per_tok=8), _LOCAL),
    "kolibri1": Family(_kolibri1, sizes(
        128000, 2560, None, 50, 48, 4, head_dim=128, sliding_window=513, moe_intermediate_size=512,
        shared_expert_intermediate_size=512, num_experts=384, num_experts_per_tok=6), _LOCAL),
    "flint": Family(_flint, sizes(
        150144, 2048, 6144, 49, 32, 4, head_dim=128, attention_bias=False, sliding_window=513, decoder_sparse_step=1,
        mlp_only_layers=[0, 1], moe_intermediate_size=512, shared_expert_intermediate_size=1024, num_experts=256,
        num_experts_per_tok=6)),
}
