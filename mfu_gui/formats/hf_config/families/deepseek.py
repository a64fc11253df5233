"""DeepSeek and everything else with multi-head latent attention.

Class defaults as of transformers 5.24.0 (2026-11). ``q_lora_rank`` null means one full query matrix; the
key being absent means the class default. ``head_dim`` and ``num_key_value_heads`` of these files say nothing.
"""

from __future__ import annotations

from typing import Any

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.model import MLA, Ffn, Indexer, Letter, ModelSpec, MoE
from mfu_gui.formats.hf_config.access import Config, Family
from mfu_gui.formats.hf_config.parts import (
    attention,
    decoder,
    dense,
    dense_before,
    first_dense,
    letters,
    moe,
    sizes,
    with_shared_bias,
)

_NAMES = {"num_experts": ("n_routed_experts", "num_local_experts", "num_experts"),
          "mtp_layers": ("num_nextn_predict_layers", "num_mtp_layers")}
_MLA_BIASES: tuple[Letter, ...] = ("q_a", "kv_a", "o")


def mla(config: Config, indexer: Indexer | None = None) -> MLA:
    """Latent attention from its usual keys; without ``v_head_dim`` values are as wide as hidden / heads."""
    heads = config.integer("num_attention_heads")
    value = config.optional_integer("v_head_dim")
    if value is None:
        hidden = config.integer("hidden_size")
        if hidden % heads:
            raise InputError("config_head_dim", config.place("num_attention_heads"), hidden=hidden, heads=heads)
        value = hidden // heads
    return MLA(heads=heads, q_lora_rank=config.optional_integer("q_lora_rank"),
               kv_lora_rank=config.integer("kv_lora_rank"), qk_nope_head_dim=config.integer("qk_nope_head_dim"),
               qk_rope_head_dim=config.integer("qk_rope_head_dim", 0), value_dim=value,
               biases=letters(config, "attention_bias", _MLA_BIASES), indexer=indexer)


def _experts(config: Config, router_buffer: bool) -> MoE:
    shared = config.optional_integer("n_shared_experts", 0) or 0
    return moe(config, shared_width=shared * config.integer("moe_intermediate_size"), router_buffer=router_buffer)


def _ffns(config: Config, ffn_kinds: list[str], router_buffer: bool) -> dict[str, Ffn | tuple[Ffn, ...]]:
    biases = config.knows("mlp_bias") and config.flag("mlp_bias")
    ffns: dict[str, Ffn | tuple[Ffn, ...]] = {}
    if "moe" in ffn_kinds:
        ffns["moe"] = with_shared_bias(config, _experts(config, router_buffer), biases)
    if "dense" in ffn_kinds:
        ffns["dense"] = dense(config, biases=biases)
    return ffns


def _sparse(config: Config, mixer: Any, router_buffer: bool, **more: Any) -> ModelSpec:
    layers = config.layers()
    # A file without experts is a dense model of the same class.
    ffn_kinds = first_dense(config, layers) if config.value("num_experts", None) is not None else ["dense"] * layers
    return decoder(config, mixer, _ffns(config, ffn_kinds, router_buffer), ffn_kinds=ffn_kinds,
                   mtp=config.optional_integer("mtp_layers", 0) or 0, **more)


def _deepseek(config: Config) -> ModelSpec:
    """The first DeepSeek-MoE: ordinary attention."""
    return _sparse(config, attention(config, biases=letters(config, "attention_bias")), False)


def _dots1(config: Config) -> ModelSpec:
    mixer = attention(config, biases=letters(config, "attention_bias"), qk_norm="per_head_dim")
    return _sparse(config, mixer, True)


def _deepseek_v2(config: Config) -> ModelSpec:
    if config.has("use_mla") and not config.flag("use_mla"):
        return _sparse(config, attention(config, biases=letters(config, "attention_bias")), False)
    return _sparse(config, mla(config), False)


def _deepseek_v3(config: Config) -> ModelSpec:
    method = config.text("topk_method") if config.has("topk_method") else "noaux_tc"
    return _sparse(config, mla(config), method == "noaux_tc")


def _mistral4(config: Config) -> ModelSpec:
    return _sparse(config, mla(config), False)


def _indexed(config: Config) -> ModelSpec:
    """Sparse attention: an indexer in each layer, or in some, whose choice the others use again."""
    layers = config.layers()
    kinds = _indexer_kinds(config, layers)
    indexer = Indexer(heads=config.integer("index_n_heads"), head_dim=config.integer("index_head_dim"),
                      top_k=config.integer("index_topk"))
    mixers = {"full": mla(config, indexer)}
    if "shared" in kinds:
        shared = Indexer(heads=indexer.heads, head_dim=indexer.head_dim, top_k=indexer.top_k, own=False)
        mixers["shared"] = mla(config, shared)
    return _sparse(config, mixers, True, kinds=kinds)


def _indexer_kinds(config: Config, layers: int) -> list[str]:
    words = {"full": "full", "shared": "shared"}
    listed = config.choices("indexer_types", words, layers)
    if listed is not None:
        return listed
    step = config.integer("index_topk_freq", default=1) if config.has("index_topk_freq") else 1
    offset = config.integer("index_skip_topk_offset", 0, default=2) if config.has("index_skip_topk_offset") else 2
    return ["full" if max(index - offset + 1, 0) % step == 0 else "shared" for index in range(layers)]


def _dense_mla(config: Config) -> ModelSpec:
    biases = config.knows("mlp_bias") and config.flag("mlp_bias")
    return decoder(config, mla(config), dense(config, biases=biases))


def _deepseek_ref(config: Config) -> ModelSpec:
    """DeepSeek's own inference files: dense layers first, ``q_lora_rank`` 0 for one full query matrix."""
    layers = config.layers()
    first = dense_before(config, layers)
    heads = config.integer("num_attention_heads")
    mixer = MLA(heads=heads, q_lora_rank=config.integer("q_lora_rank", 0) or None,
                kv_lora_rank=config.integer("kv_lora_rank"), qk_nope_head_dim=config.integer("qk_nope_head_dim"),
                qk_rope_head_dim=config.integer("qk_rope_head_dim", 0), value_dim=config.integer("v_head_dim"))
    ffn_kinds = ["dense"] * first + ["moe"] * (layers - first)
    corrected = config.text("score_func") == "sigmoid"
    return decoder(config, mixer, _ffns(config, ffn_kinds, corrected), ffn_kinds=ffn_kinds)


def _longcat_flash(config: Config) -> ModelSpec:
    """Each layer: attention and MLP twice, and beside them one mixture with experts that do nothing."""
    mixer = mla(config)
    identity = config.integer("zero_expert_num", 0)
    mlp = dense(config)
    experts = moe(config, reachable=identity, identity_experts=identity, router_buffer=True,
                  router_bias=config.flag("router_bias"))
    return decoder(config, {"": (mixer, mixer)}, {"": (mlp, mlp, experts)}, norms=4)


_V3: dict[str, Any] = sizes(
    129280, 7168, 18432, 61, 128, moe_intermediate_size=2048, n_shared_experts=1, num_experts=256, kv_lora_rank=512,
    q_lora_rank=1536, qk_rope_head_dim=64, v_head_dim=128, qk_nope_head_dim=128, num_experts_per_tok=8,
    first_k_dense_replace=3, attention_bias=False)

READERS: dict[str, Family] = {
    "deepseek": Family(_deepseek, {
        "num_key_value_heads": None, "head_dim": None, "attention_bias": False, "n_shared_experts": None,
        "first_k_dense_replace": 0, "tie_word_embeddings": False}, _NAMES),
    "deepseek_v2": Family(_deepseek_v2, sizes(
        102400, 4096, 11008, 32, 32, None, attention_bias=False, mlp_bias=False, first_k_dense_replace=0,
        kv_lora_rank=512, q_lora_rank=1536, num_experts=64, n_shared_experts=2, qk_nope_head_dim=128,
        qk_rope_head_dim=64, v_head_dim=128, moe_intermediate_size=1407), _NAMES),
    "deepseek_v3": Family(_deepseek_v3, _V3, _NAMES),
    "kimi_k2": Family(_deepseek_v3, _V3, _NAMES),
    "deepseek_v32": Family(_indexed, _V3 | {"index_topk": 2048, "index_head_dim": 128, "index_n_heads": 64}, _NAMES),
    "glm_moe_dsa": Family(_indexed, sizes(
        154880, 6144, 12288, 78, 64, moe_intermediate_size=2048, n_shared_experts=1, num_experts=256, kv_lora_rank=512,
        q_lora_rank=2048, qk_rope_head_dim=64, v_head_dim=256, qk_nope_head_dim=192, num_experts_per_tok=8,
        first_k_dense_replace=3, attention_bias=False, index_topk=2048, index_head_dim=128, index_n_heads=32), _NAMES),
    "glm4_moe_lite": Family(_deepseek_v3, sizes(
        154880, 2048, 10240, 47, 20, moe_intermediate_size=1536, n_shared_experts=1, num_experts=64, kv_lora_rank=512,
        q_lora_rank=768, qk_rope_head_dim=64, v_head_dim=256, qk_nope_head_dim=192, num_experts_per_tok=4,
        first_k_dense_replace=1, attention_bias=False), _NAMES),
    "sarvam_mla": Family(_deepseek_v3, sizes(
        262144, 4096, 16384, 32, 64, moe_intermediate_size=2048, n_shared_experts=1, num_experts=128, kv_lora_rank=512,
        q_lora_rank=None, qk_rope_head_dim=64, v_head_dim=128, qk_nope_head_dim=128, num_experts_per_tok=8,
        first_k_dense_replace=1, attention_bias=False), _NAMES),
    "mistral4": Family(_mistral4, sizes(
        131072, 4096, 12288, 36, 32, moe_intermediate_size=2048, n_shared_experts=1, num_experts=128, kv_lora_rank=256,
        q_lora_rank=1024, qk_rope_head_dim=64, v_head_dim=128, qk_nope_head_dim=64, num_experts_per_tok=4,
        first_k_dense_replace=0, attention_bias=False), _NAMES),
    "dots1": Family(_dots1, sizes(
        152064, 4608, 10944, 62, 32, 32, head_dim=None, attention_bias=False, moe_intermediate_size=1408,
        n_shared_experts=None, num_experts=None, first_k_dense_replace=0), _NAMES),
    "deepseek_ref": Family(_deepseek_ref, {
        "first_k_dense_replace": 1, "q_lora_rank": 0, "kv_lora_rank": 512, "qk_nope_head_dim": 128,
        "qk_rope_head_dim": 64, "v_head_dim": 128, "n_shared_experts": 2, "tie_word_embeddings": False},
        {"hidden_size": ("dim",), "num_hidden_layers": ("n_layers",), "num_attention_heads": ("n_heads",),
         "intermediate_size": ("inter_dim",), "moe_intermediate_size": ("moe_inter_dim",),
         "first_k_dense_replace": ("n_dense_layers",), "num_experts": ("n_routed_experts",),
         "num_experts_per_tok": ("n_activated_experts",), "max_position_embeddings": ("max_seq_len",)}),
    "minicpm3": Family(_dense_mla, sizes(
        73448, 2560, 6400, 62, 40, tied=True, attention_bias=False, mlp_bias=False, kv_lora_rank=256, q_lora_rank=768,
        qk_nope_head_dim=64, qk_rope_head_dim=32, v_head_dim=None)),
    "youtu": Family(_dense_mla, sizes(
        128256, 2048, 6144, 32, 16, tied=True, attention_bias=False, kv_lora_rank=512, q_lora_rank=1536,
        qk_nope_head_dim=128, qk_rope_head_dim=64, v_head_dim=128)),
    "longcat_flash": Family(_longcat_flash, sizes(
        131072, 6144, 12288, 28, 64, attention_bias=False, q_lora_rank=1536, kv_lora_rank=512, qk_nope_head_dim=128,
        qk_rope_head_dim=64, v_head_dim=128, num_experts_per_tok=12, num_experts=512, zero_expert_num=256,
        moe_intermediate_size=2048, router_bias=False),
        {"num_hidden_layers": ("num_layers",), "num_experts": ("n_routed_experts", "num_local_experts"),
         "num_experts_per_tok": ("moe_topk", "num_experts_per_tok"),
         "intermediate_size": ("ffn_hidden_size", "intermediate_size"),
         "moe_intermediate_size": ("expert_ffn_hidden_size", "moe_intermediate_size")}),
}
