"""ChatGLM and GLM without latent attention. Class defaults as of transformers 5.24.0 (2026-11)."""

from __future__ import annotations

from mfu_gui.engine.model import Dense, Letter, ModelSpec, MoE
from mfu_gui.formats.hf_config.access import Config, Family
from mfu_gui.formats.hf_config.parts import (
    QKV,
    attention,
    checked_kv_heads,
    decoder,
    dense,
    first_dense,
    letters,
    moe,
    sizes,
)

_GLM = sizes(151552, 4096, 13696, 40, 32, 2, head_dim=128, attention_bias=True)
_EXPERTS = {"num_experts": ("n_routed_experts", "num_local_experts", "num_experts"),
            "mtp_layers": ("num_nextn_predict_layers", "num_mtp_layers")}


def _chatglm(config: Config) -> ModelSpec:
    """ChatGLM 2 and 3, GLM-4 in its first form: groups of query heads share keys and values."""
    hidden, heads = config.integer("hidden_size"), config.integer("num_attention_heads")
    kv_heads = heads
    if config.flag("multi_query_attention"):
        kv_heads = checked_kv_heads(config, heads, config.integer("multi_query_group_num"), "multi_query_group_num")
    linear = config.flag("add_bias_linear")
    biases: tuple[Letter, ...] = (QKV if linear or config.flag("add_qkv_bias") else ()) + (("o",) if linear else ())
    mixer = attention(config, kv_heads=kv_heads, head_dim=config.optional_integer("kv_channels") or hidden // heads,
                      biases=biases)
    return decoder(config, mixer, dense(config, biases=linear), norm_vectors=1 if config.flag("rmsnorm") else 2,
                   final_norm=config.flag("post_layer_norm"))


def _glm(config: Config) -> ModelSpec:
    return decoder(config, attention(config, biases=letters(config, "attention_bias", QKV)), dense(config))


def _glm4(config: Config) -> ModelSpec:
    mixer = attention(config, biases=letters(config, "attention_bias", QKV))
    return decoder(config, mixer, dense(config), norms=4)


def _glm4_moe(config: Config) -> ModelSpec:
    """First layers dense, then experts with a shared one; the router's correction is a buffer."""
    mixer = attention(config, biases=letters(config, "attention_bias", QKV),
                      qk_norm="per_head_dim" if config.flag("use_qk_norm") else "none")
    ffn_kinds = first_dense(config, config.layers())
    shared = config.optional_integer("n_shared_experts", 0) or 0
    ffns: dict[str, Dense | MoE] = {"moe": moe(
        config, shared_width=shared * config.integer("moe_intermediate_size"), router_buffer=True)}
    if "dense" in ffn_kinds:
        ffns["dense"] = dense(config)
    return decoder(config, mixer, ffns, ffn_kinds=ffn_kinds, mtp=config.optional_integer("mtp_layers", 0) or 0)


def _solar_open(config: Config) -> ModelSpec:
    """GLM's experts in every layer."""
    shared = config.optional_integer("n_shared_experts", 0) or 0
    experts = moe(config, shared_width=shared * config.integer("moe_intermediate_size"), router_buffer=True)
    return decoder(config, attention(config, biases=letters(config, "attention_bias", QKV)), experts)


READERS: dict[str, Family] = {
    "chatglm": Family(_chatglm, {
        "multi_query_attention": False, "add_bias_linear": False, "add_qkv_bias": False, "rmsnorm": True,
        "post_layer_norm": True, "tie_word_embeddings": False},
        {"num_hidden_layers": ("num_layers", "num_hidden_layers"),
         "vocab_size": ("padded_vocab_size", "vocab_size"),
         "intermediate_size": ("ffn_hidden_size", "intermediate_size"),
         "max_position_embeddings": ("seq_length", "max_position_embeddings")}),
    "glm": Family(_glm, _GLM),
    "glm4": Family(_glm4, _GLM),
    "glm4_moe": Family(_glm4_moe, sizes(
        151552, 4096, 10944, 46, 96, 8, head_dim=None, attention_bias=False, moe_intermediate_size=1408,
        num_experts_per_tok=8, n_shared_experts=1, num_experts=128, first_k_dense_replace=1, use_qk_norm=False),
        _EXPERTS),
    "sarvam_moe": Family(_glm4_moe, sizes(
        262144, 4096, 8192, 19, 64, 4, head_dim=64, attention_bias=False, moe_intermediate_size=1024,
        num_experts_per_tok=6, n_shared_experts=1, num_experts=128, first_k_dense_replace=1, use_qk_norm=True),
        _EXPERTS),
    "glm4v_text": Family(_glm4, sizes(151552, 4096, 13696, 40, 32, 2, head_dim=None, attention_bias=True)),
    "glm_ocr_text": Family(_glm4, sizes(59392, 1024, 4096, 16, 16, 8, head_dim=None, attention_bias=False)),
    "glm4v_moe_text": Family(_glm4_moe, sizes(
        151424, 4096, 10944, 46, 96, 8, head_dim=None, attention_bias=True, moe_intermediate_size=1408,
        num_experts_per_tok=8, n_shared_experts=1, num_experts=128, first_k_dense_replace=1, use_qk_norm=False),
        _EXPERTS),
    "solar_open": Family(_solar_open, sizes(
        196608, 4096, None, 48, 64, 8, head_dim=128, attention_bias=False, moe_intermediate_size=1280,
        num_experts_per_tok=8, n_shared_experts=1, num_experts=128), _EXPERTS),
}
