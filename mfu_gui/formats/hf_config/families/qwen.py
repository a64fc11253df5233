"""Qwen 2 and 3, dense and with experts. Class defaults as of transformers 5.24.0 (2026-11)."""

from __future__ import annotations

from typing import Any

from mfu_gui.engine.model import Attention, ModelSpec
from mfu_gui.formats.hf_config.access import Config, Family
from mfu_gui.formats.hf_config.parts import (
    QKV,
    attention,
    decoder,
    dense,
    layer_types,
    letters,
    moe,
    sizes,
    sparse_step,
    window_of,
    windowed,
)

_EXPERTS = {"num_experts": ("num_experts", "num_local_experts")}


def _slides(config: Config) -> bool:
    """A window in the file counts only where the flag beside it is set."""
    return config.flag("use_sliding_window") and window_of(config) is not None


def _upper_layers(config: Config, mixer: Attention) -> tuple[dict[str, Attention], list[str]]:
    """The first ``max_window_layers`` layers keep full attention."""
    layers = config.layers()
    default = ["full"] * layers
    if _slides(config):
        full = config.integer("max_window_layers", 0)
        default = ["full" if index < full else "sliding" for index in range(layers)]
    kinds = list(layer_types(config, layers, default))
    return windowed(config, kinds, mixer), kinds  # type: ignore[return-value]


def _qwen2(config: Config) -> ModelSpec:
    mixers, kinds = _upper_layers(config, attention(config, biases=QKV))
    return decoder(config, mixers, dense(config), kinds=kinds)


def _qwen3(config: Config) -> ModelSpec:
    mixer = attention(config, biases=letters(config, "attention_bias"), qk_norm="per_head_dim")
    mixers, kinds = _upper_layers(config, mixer)
    return decoder(config, mixers, dense(config), kinds=kinds)


def _qwen2_moe(config: Config) -> ModelSpec:
    """Every second of the lower layers slides, where the flag is set."""
    layers = config.layers()
    default = ["full"] * layers
    if _slides(config):
        top = config.integer("max_window_layers", 0)
        default = ["sliding" if index % 2 == 0 and index < top else "full" for index in range(layers)]
    kinds = layer_types(config, layers, default)
    mixer = attention(config, biases=letters(config, "qkv_bias", QKV))
    experts = moe(config, shared_width=config.integer("shared_expert_intermediate_size", 0), shared_gate=True)
    return _sparse(config, windowed(config, kinds, mixer), experts, kinds)


def _qwen3_moe(config: Config) -> ModelSpec:
    """One window for all layers, where the flag is set."""
    layers = config.layers()
    kinds = layer_types(config, layers, ["sliding" if _slides(config) else "full"] * layers)
    mixer = attention(config, biases=letters(config, "attention_bias"), qk_norm="per_head_dim")
    return _sparse(config, windowed(config, kinds, mixer), moe(config), kinds)


def _sparse(config: Config, mixers, experts, kinds) -> ModelSpec:  # type: ignore[no-untyped-def]
    ffn_kinds = sparse_step(config, config.layers())
    ffns = {"moe": experts}
    if "dense" in ffn_kinds:
        ffns["dense"] = dense(config)
    return decoder(config, mixers, ffns, kinds=kinds, ffn_kinds=ffn_kinds)


def _sizes_2(*numbers: Any, **more: Any) -> dict[str, Any]:
    return sizes(*numbers, use_sliding_window=False, sliding_window=4096, head_dim=None, **more)


READERS: dict[str, Family] = {
    "qwen2_vl_text": Family(_qwen2, _sizes_2(152064, 8192, 29568, 80, 64, 8, max_window_layers=80)),
    "qwen2_5_vl_text": Family(_qwen2, _sizes_2(152064, 8192, 29568, 80, 64, 8, max_window_layers=80)),
    "qwen2_5_omni_text": Family(_qwen2, _sizes_2(152064, 3584, 18944, 28, 28, 4, max_window_layers=28)),
    "qwen3_vl_text": Family(_qwen3, sizes(151936, 4096, 22016, 32, 32, 32, use_sliding_window=False, head_dim=128,
                                          attention_bias=False)),
    "qwen3_vl_moe_text": Family(_qwen3_moe, sizes(
        151936, 2048, 5632, 24, 16, 16, use_sliding_window=False, head_dim=None, attention_bias=False,
        decoder_sparse_step=1, moe_intermediate_size=1408, num_experts_per_tok=4, num_experts=60), _EXPERTS),
    "qwen3_omni_moe_text": Family(_qwen3_moe, sizes(
        3584, 2048, 18944, 28, 28, 4, use_sliding_window=False, head_dim=None, head_dim_rounded=True,
        attention_bias=False, decoder_sparse_step=1, moe_intermediate_size=768, num_experts_per_tok=8,
        num_experts=128), _EXPERTS),
    "qwen2": Family(_qwen2, sizes(151936, 4096, 22016, 32, 32, 32, use_sliding_window=False, sliding_window=4096,
                                  max_window_layers=28, head_dim=None)),
    "qwen3": Family(_qwen3, sizes(151936, 4096, 22016, 32, 32, 32, use_sliding_window=False, sliding_window=4096,
                                  max_window_layers=28, head_dim=128, attention_bias=False)),
    "qwen2_moe": Family(_qwen2_moe, sizes(
        151936, 2048, 5632, 24, 16, 16, use_sliding_window=False, sliding_window=4096, max_window_layers=28,
        head_dim=None, qkv_bias=True, decoder_sparse_step=1, moe_intermediate_size=1408,
        shared_expert_intermediate_size=5632, num_experts_per_tok=4, num_experts=60), _EXPERTS),
    "qwen3_moe": Family(_qwen3_moe, sizes(
        151936, 2048, 6144, 24, 32, 4, use_sliding_window=False, sliding_window=4096, head_dim=None,
        attention_bias=False, decoder_sparse_step=1, moe_intermediate_size=768, num_experts_per_tok=8,
        num_experts=128), _EXPERTS),
}
