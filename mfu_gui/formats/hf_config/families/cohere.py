"""Cohere and OLMo. Class defaults as of transformers 5.24.0 (2026-11)."""

from __future__ import annotations

from mfu_gui.engine.model import Dense, ModelSpec, MoE
from mfu_gui.formats.hf_config.access import Config, Family
from mfu_gui.formats.hf_config.parts import (
    MLP_TYPES,
    attention,
    decoder,
    dense,
    dense_before,
    every,
    layer_types,
    letters,
    moe,
    sizes,
    windowed,
)

_COHERE = sizes(256000, 8192, 22528, 40, 64, None, tied=True, attention_bias=False)
_OLMO = sizes(50304, 4096, 11008, 32, 32, None, attention_bias=False)


def _cohere(config: Config) -> ModelSpec:
    """Attention and MLP side by side behind one LayerNorm without an offset."""
    mixer = attention(config, biases=letters(config, "attention_bias"),
                      qk_norm="full" if config.flag("use_qk_norm") else "none")
    return decoder(config, mixer, dense(config), norms=1, parallel=True)


def _cohere2(config: Config) -> ModelSpec:
    layers = config.layers()
    kinds = layer_types(config, layers, ()) or every(layers, config.integer("sliding_window_pattern", 0))
    mixer = attention(config, biases=letters(config, "attention_bias"))
    return decoder(config, windowed(config, kinds, mixer), dense(config), kinds=kinds, norms=1, parallel=True)


def _cohere2_moe(config: Config) -> ModelSpec:
    layers = config.layers()
    first = dense_before(config, layers)
    ffn_kinds = config.choices("mlp_layer_types", MLP_TYPES, layers) or ["dense"] * first + ["moe"] * (layers - first)
    kinds = layer_types(config, layers, ())
    if not kinds:
        kinds = (every(first, config.integer("prefix_dense_sliding_window_pattern", 0))
                 + every(layers - first, config.integer("sliding_window_pattern", 0)))
    mixer = attention(config, biases=letters(config, "attention_bias"))
    shared = config.integer("num_shared_experts", 0)
    ffns: dict[str, Dense | MoE] = {"moe": moe(config, shared_width=shared * config.integer("moe_intermediate_size"))}
    if "dense" in ffn_kinds:
        ffns["dense"] = dense(config, width=config.optional_integer("prefix_dense_intermediate_size"))
    return decoder(config, windowed(config, kinds, mixer), ffns, kinds=kinds, ffn_kinds=ffn_kinds, norms=1,
                   parallel=True)


def _olmo(config: Config) -> ModelSpec:
    """Norms without parameters."""
    return decoder(config, attention(config, biases=letters(config, "attention_bias")), dense(config), norm_vectors=0)


def _olmo2(config: Config) -> ModelSpec:
    mixer = attention(config, biases=letters(config, "attention_bias"), qk_norm="full")
    return decoder(config, mixer, dense(config), pre_norm=False)


def _olmo3(config: Config) -> ModelSpec:
    kinds = layer_types(config, config.layers(), every(config.layers(), 4))
    mixer = attention(config, biases=letters(config, "attention_bias"), qk_norm="full")
    return decoder(config, windowed(config, kinds, mixer), dense(config), kinds=kinds, pre_norm=False)


def _olmoe(config: Config) -> ModelSpec:
    """OLMoE norms what goes into a layer, FlexOlmo what comes out."""
    return decoder(config, attention(config, biases=letters(config, "attention_bias"), qk_norm="full"), moe(config),
                   pre_norm=config.model_type == "olmoe")


_OLMOE_NAMES = {"num_experts": ("num_experts", "num_local_experts"),
                "moe_intermediate_size": ("intermediate_size", "moe_intermediate_size")}

READERS: dict[str, Family] = {
    "cohere": Family(_cohere, _COHERE | {"use_qk_norm": False}),
    "cohere2": Family(_cohere2, _COHERE | {"sliding_window": 4096, "sliding_window_pattern": 4},
                      {"sliding_window_pattern": ("sliding_window_pattern", "_sliding_window_pattern")}),
    "cohere2_moe": Family(_cohere2_moe, _COHERE | {
        "head_dim": 128, "sliding_window": 4096, "sliding_window_pattern": 4, "prefix_dense_sliding_window_pattern": 1,
        "prefix_dense_intermediate_size": None, "first_k_dense_replace": 0, "num_experts": 8, "num_experts_per_tok": 2,
        "num_shared_experts": 0, "moe_intermediate_size": 22528},
        {"moe_intermediate_size": ("intermediate_size",)}),
    "olmo": Family(_olmo, _OLMO),
    "olmo2": Family(_olmo2, _OLMO),
    "olmo3": Family(_olmo3, _OLMO | {"sliding_window": 4096}),
    "olmoe": Family(_olmoe, sizes(50304, 2048, None, 16, 16, None, attention_bias=False, moe_intermediate_size=2048,
                                  num_experts=64, num_experts_per_tok=8), _OLMOE_NAMES),
    "flex_olmo": Family(_olmoe, sizes(100352, 4096, None, 32, 32, None, attention_bias=False,
                                      moe_intermediate_size=11008, num_experts=7, num_experts_per_tok=5), _OLMOE_NAMES),
}
