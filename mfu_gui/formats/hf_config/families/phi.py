"""Phi, StableLM and StarCoder 2. Class defaults as of transformers 5.24.0 (2026-11)."""

from __future__ import annotations

from mfu_gui.engine.model import ModelSpec
from mfu_gui.formats.hf_config.access import Config, Family
from mfu_gui.formats.hf_config.parts import (
    QKV,
    QKVO,
    attention,
    decoder,
    dense,
    letters,
    moe,
    sizes,
    window_of,
)


def _phi(config: Config) -> ModelSpec:
    """Attention and MLP side by side behind one norm; biases everywhere, the head too."""
    norm = config.flag("qk_layernorm")
    mixer = attention(config, biases=QKVO, qk_norm="per_head_dim" if norm else "none", qk_norm_bias=norm)
    return decoder(config, mixer, dense(config, 2, biases=True), norms=1, norm_vectors=2, head_bias=True,
                   parallel=True)


def _phi_msft(config: Config) -> ModelSpec:
    """Phi under its first name."""
    width = config.optional_integer("intermediate_size") or 4 * config.integer("hidden_size")
    mixer = attention(config, biases=QKVO)
    return decoder(config, mixer, dense(config, 2, biases=True, width=width), norms=1, norm_vectors=2, head_bias=True,
                   parallel=True)


def _phi3(config: Config) -> ModelSpec:
    return decoder(config, attention(config, window=window_of(config)), dense(config))


def _phi3small(config: Config) -> ModelSpec:
    """Gated GELU; biases everywhere but in the head. Its block-sparse layers are counted as full."""
    if config.has("blocksparse_params") or not config.has("dense_attention_every_n_layers") or (
            config.integer("dense_attention_every_n_layers") > 1):
        config.remark("config_block_sparse", "dense_attention_every_n_layers")
    return decoder(config, attention(config, biases=QKVO), dense(config, biases=True), norm_vectors=2)


def _phimoe(config: Config) -> ModelSpec:
    mixer = attention(config, biases=letters(config, "attention_bias"), window=window_of(config))
    return decoder(config, mixer, moe(config), norm_vectors=2, head_bias=config.flag("lm_head_bias"))


def _stablelm(config: Config) -> ModelSpec:
    mixer = attention(config, biases=letters(config, "use_qkv_bias", QKV),
                      qk_norm="full" if config.flag("qk_layernorm") else "none")
    parallel = config.flag("use_parallel_residual")
    return decoder(config, mixer, dense(config), norms=1 if parallel else 2, norm_vectors=2, parallel=parallel)


def _starcoder2(config: Config) -> ModelSpec:
    biases = config.flag("use_bias")
    mixer = attention(config, biases=QKVO if biases else (), window=window_of(config))
    return decoder(config, mixer, dense(config, 2, biases=biases), norm_vectors=2)


READERS: dict[str, Family] = {
    "phi": Family(_phi, sizes(51200, 2048, 8192, 24, 32, None, qk_layernorm=False)),
    "phi-msft": Family(_phi_msft, {"num_key_value_heads": None, "intermediate_size": None,
                                   "tie_word_embeddings": False},
                       {"hidden_size": ("n_embd", "hidden_size"), "num_hidden_layers": ("n_layer", "num_hidden_layers"),
                        "num_attention_heads": ("n_head", "num_attention_heads"),
                        "num_key_value_heads": ("n_head_kv", "num_key_value_heads"),
                        "intermediate_size": ("n_inner", "intermediate_size"),
                        "max_position_embeddings": ("n_positions", "max_position_embeddings")}),
    "phi3": Family(_phi3, sizes(32064, 3072, 8192, 32, 32, None, sliding_window=None)),
    "phi4_multimodal_text": Family(_phi3, sizes(200064, 3072, 8192, 32, 32, 8, sliding_window=None)),
    "phi3small": Family(_phi3small, {"num_key_value_heads": None, "tie_word_embeddings": True},
                        {"intermediate_size": ("ff_intermediate_size", "intermediate_size")}),
    "phimoe": Family(_phimoe, sizes(
        32064, 4096, None, 32, 32, 8, moe_intermediate_size=6400, num_experts=16, num_experts_per_tok=2,
        attention_bias=False, lm_head_bias=False, sliding_window=None),
        {"num_experts": ("num_local_experts", "num_experts"),
         "moe_intermediate_size": ("intermediate_size", "moe_intermediate_size")}),
    "stablelm": Family(_stablelm, sizes(50304, 2560, 6912, 32, 32, 32, use_qkv_bias=False, qk_layernorm=False,
                                        use_parallel_residual=False)),
    "starcoder2": Family(_starcoder2, sizes(49152, 3072, 12288, 30, 24, 2, tied=True, use_bias=True,
                                            sliding_window=None)),
}
