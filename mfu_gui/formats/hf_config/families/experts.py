"""Mixtures of experts over ordinary attention. Class defaults as of transformers 5.24.0 (2026-11)."""

from __future__ import annotations

from typing import Any

from mfu_gui.engine.model import Attention, Dense, Ffn, Mixer, ModelSpec, MoE
from mfu_gui.formats.hf_config.access import Config, Family
from mfu_gui.formats.hf_config.parts import (
    LAYER_TYPES,
    MLP_TYPES,
    QKV,
    QKVO,
    attention,
    checked_kv_heads,
    decoder,
    dense,
    every,
    first_dense,
    kv_heads_of,
    layer_types,
    letters,
    moe,
    sizes,
    window_of,
    windowed,
    with_shared_bias,
)

_NO_BIAS = {"attention_bias": False, "mlp_bias": False}
_LOCAL = {"num_experts": ("num_local_experts", "num_experts"),
          "moe_intermediate_size": ("intermediate_size", "moe_intermediate_size")}


def _mixtral(config: Config) -> ModelSpec:
    return decoder(config, attention(config, window=window_of(config)), moe(config))


def _minimax_m2(config: Config) -> ModelSpec:
    """Norms over the whole width of queries and keys; a correction bias beside the router.

    ``attn_type_list`` and ``use_qk_norm`` of its files are always 1 and true.
    """
    buffer = config.flag("use_routing_bias", True) if config.has("use_routing_bias") else True
    return decoder(config, attention(config, qk_norm="full"), moe(config, router_buffer=buffer))


def _gpt_oss(config: Config) -> ModelSpec:
    """Every second layer slides over 128 keys; sinks; biases in experts and router."""
    kinds = layer_types(config, config.layers(), every(config.layers(), 2))
    mixer = attention(config, biases=letters(config, "attention_bias"), sinks=True)
    return decoder(config, windowed(config, kinds, mixer), moe(config, biases=True, router_bias=True), kinds=kinds)


def _llama4(config: Config) -> ModelSpec:
    """Chunked attention in the layers with rotary embedding; one shared expert; every n-th layer sparse."""
    layers = config.layers()
    kinds = config.choices("layer_types", LAYER_TYPES | {"chunked_attention": "chunked"}, layers)
    mixer = attention(config, biases=letters(config, "attention_bias"))
    if kinds is None:
        kinds = _llama4_kinds(config, layers)
    mixers: dict[str, Mixer] = {"full": mixer}
    if "chunked" in kinds:
        mixers["chunked"] = attention(config, biases=mixer.biases, chunk=config.integer("attention_chunk_size"))
    sparse = config.integers("moe_layers", maximum=layers - 1)
    if sparse is None:
        step = config.integer("interleave_moe_layer_step")
        sparse = list(range(step - 1, layers, step))
    chosen = set(sparse)
    ffn_kinds = ["moe" if index in chosen else "dense" for index in range(layers)]
    width = config.integer("moe_intermediate_size")
    ffns: dict[str, Dense | MoE] = {"moe": moe(config, shared_width=width, runs_all_experts=True)}
    if "dense" in ffn_kinds:
        ffns["dense"] = dense(config, width=config.integer("intermediate_size_mlp"))
    return decoder(config, mixers, ffns, kinds=kinds, ffn_kinds=ffn_kinds)


def _llama4_kinds(config: Config, layers: int) -> list[str]:
    if config.optional_integer("attention_chunk_size") is None:
        return ["full"] * layers
    rotary = config.integers("no_rope_layers", maximum=1)
    if not rotary:
        step = config.integer("no_rope_layer_interval")
        rotary = [int((index + 1) % step != 0) for index in range(layers)]
    else:
        config.items("no_rope_layers", layers)
    return ["chunked" if rope else "full" for rope in rotary]


def _granitemoe(config: Config) -> ModelSpec:
    mixer = attention(config, biases=letters(config, "attention_bias"))
    shared = config.integer("shared_intermediate_size", 0, default=0) if config.has("shared_intermediate_size") else 0
    return decoder(config, mixer, _granite_experts(config, shared))


def _granite_experts(config: Config, shared: int) -> Any:
    """No experts at all is written as 0; the shared MLP then stands alone."""
    if config.integer("num_experts", 0) == 0:
        return dense(config, width=shared or config.integer("moe_intermediate_size"))
    return moe(config, shared_width=shared)


def _granitemoe_swa(config: Config) -> ModelSpec:
    kinds = layer_types(config, config.layers(), every(config.layers(), 4, offset=3))
    mixer = attention(config, biases=letters(config, "attention_bias"), sinks=True)
    experts = moe(config, shared_width=config.integer("shared_intermediate_size", 0))
    return decoder(config, windowed(config, kinds, mixer), experts, kinds=kinds)


def _ernie(config: Config) -> ModelSpec:
    biases = config.flag("use_bias")
    mixer = attention(config, biases=QKVO if biases else ())
    return decoder(config, mixer, dense(config, biases=biases))


def _ernie_moe(config: Config) -> ModelSpec:
    """Experts from one layer to another, every n-th; the router's correction counts as a parameter."""
    layers = config.layers()
    biases = config.flag("use_bias")
    start, step = config.integer("moe_layer_start_index", 0), config.integer("moe_layer_interval")
    end = config.integer("moe_layer_end_index", -1)
    end = layers - 1 if end == -1 else end
    ffn_kinds = ["moe" if (index + 1) % step == 0 and start <= index <= end else "dense" for index in range(layers)]
    ffns: dict[str, Ffn | tuple[Ffn, ...]] = {}
    if "moe" in ffn_kinds:
        shared = config.optional_integer("num_shared_experts", 0) or 0
        experts = moe(config, shared_width=shared * config.integer("moe_intermediate_size"), router_bias=True)
        ffns["moe"] = with_shared_bias(config, experts, biases)
    if "dense" in ffn_kinds:
        ffns["dense"] = dense(config, biases=biases)
    mixer = attention(config, biases=QKVO if biases else ())
    return decoder(config, mixer, ffns, ffn_kinds=ffn_kinds, head_bias=biases)


def _dbrx(config: Config) -> ModelSpec:
    heads = config.integer("num_attention_heads")
    attn = config.section("attn_config", {"kv_n_heads": 1})
    ffn = config.section("ffn_config", {"moe_intermediate_size": 3584, "num_experts": 4, "num_experts_per_tok": 1},
                         {"moe_intermediate_size": ("ffn_hidden_size",), "num_experts": ("moe_num_experts",),
                          "num_experts_per_tok": ("moe_top_k",)})
    mixer = attention(config, kv_heads=checked_kv_heads(attn, heads, attn.integer("kv_n_heads"), "kv_n_heads"))
    return decoder(config, mixer, moe(ffn))


def _grok1(config: Config) -> ModelSpec:
    """Four norms a layer; gated experts in every layer."""
    return decoder(config, attention(config), moe(config), norms=4)


def _mimo(config: Config) -> ModelSpec:
    """Qwen 2 with prediction layers that are not counted."""
    return decoder(config, attention(config, biases=letters(config, "attention_bias", QKV)), dense(config))


def _mimo_v2(config: Config) -> ModelSpec:
    """Full and sliding layers have KV heads of their own; values are narrower than keys."""
    layers = config.layers()
    pattern = config.integers("hybrid_layer_pattern", layers, maximum=1)
    kinds = (["sliding" if slides else "full" for slides in pattern] if pattern is not None
             else list(layer_types(config, layers, every(layers, 6))))
    if pattern is None and not config.has("layer_types"):
        kinds[0] = "full"
    full = _mimo_v2_attention(config, "full")
    mixers: dict[str, Mixer] = {"full": full}
    if "sliding" in kinds:
        mixers["sliding"] = _mimo_v2_attention(config, "sliding")
    frequency = config.integers("moe_layer_freq", layers, maximum=1)
    ffn_kinds = (["moe" if sparse else "dense" for sparse in frequency] if frequency is not None
                 else config.choices("mlp_layer_types", MLP_TYPES, layers)) or ["dense"] + ["moe"] * (layers - 1)
    ffns: dict[str, Dense | MoE] = {}
    if "moe" in ffn_kinds:
        shared = config.optional_integer("n_shared_experts", 0) or 0
        ffns["moe"] = moe(config, shared_width=shared * config.integer("moe_intermediate_size"), router_buffer=True)
    if "dense" in ffn_kinds:
        ffns["dense"] = dense(config)
    return decoder(config, mixers, ffns, kinds=kinds, ffn_kinds=ffn_kinds)


def _mimo_v2_attention(config: Config, kind: str) -> Attention:
    slides = kind == "sliding"
    heads = config.integer("num_attention_heads")
    head_dim, value_dim = config.integer("head_dim"), config.integer("v_head_dim")
    kv_heads = kv_heads_of(config, heads)
    if slides:
        heads = config.optional_integer("swa_num_attention_heads") or heads
        swa = config.optional_integer("swa_num_key_value_heads")
        # The class of transformers gives sliding layers twice the KV heads where the file is silent.
        kv_heads = checked_kv_heads(config, heads, swa or 2 * kv_heads, "swa_num_key_value_heads")
        head_dim = config.optional_integer("swa_head_dim") or head_dim
        value_dim = config.optional_integer("swa_v_head_dim") or value_dim
    sinks = config.flag("add_swa_attention_sink_bias" if slides else "add_full_attention_sink_bias", slides)
    return Attention(heads=heads, kv_heads=kv_heads, head_dim=head_dim, value_dim=value_dim, sinks=sinks,
                     window=window_of(config) if slides else None, biases=letters(config, "attention_bias", QKV))


def _hy_v3(config: Config) -> ModelSpec:
    mixer = attention(config, biases=letters(config, "attention_bias"), qk_norm="per_head_dim")
    ffn_kinds = first_dense(config, config.layers())
    shared = config.optional_integer("num_shared_experts", 0) or 0
    experts = moe(config, shared_width=shared * config.integer("moe_intermediate_size"), router_buffer=True)
    ffns: dict[str, Ffn | tuple[Ffn, ...]] = {"moe": with_shared_bias(config, experts, config.flag("mlp_bias"))}
    if "dense" in ffn_kinds:
        ffns["dense"] = dense(config, biases=config.flag("mlp_bias"))
    return decoder(config, mixer, ffns, ffn_kinds=ffn_kinds)


def _exaone4(config: Config) -> ModelSpec:
    kinds = _exaone_kinds(config)
    mixer = attention(config, qk_norm="per_head_dim")
    return decoder(config, windowed(config, kinds, mixer), dense(config), kinds=kinds, pre_norm=False)


def _exaone_kinds(config: Config) -> list[str]:
    """``sliding_window_pattern``: every n-th layer full, or letters L and G repeated."""
    layers = config.layers()
    listed = layer_types(config, layers, ())
    if listed:
        return list(listed)
    if config.optional_integer("sliding_window", 0) in (None, 0):
        return ["full"] * layers
    pattern = config.value("sliding_window_pattern", 4)
    if isinstance(pattern, str) and pattern and set(pattern) <= {"L", "G"}:
        kinds = ["sliding" if pattern[index % len(pattern)] == "L" else "full" for index in range(layers)]
        kinds[-1] = "full"  # the last layer always attends to everything
        return kinds
    return every(layers, config.integer("sliding_window_pattern", 0))


def _exaone_moe(config: Config) -> ModelSpec:
    kinds = _exaone_kinds(config)
    mixer = attention(config, qk_norm="per_head_dim")
    ffn_kinds = first_dense(config, config.layers())
    shared = config.optional_integer("num_shared_experts", 0) or 0
    ffns: dict[str, Dense | MoE] = {
        "moe": moe(config, shared_width=shared * config.integer("moe_intermediate_size"), router_buffer=True)}
    if "dense" in ffn_kinds:
        ffns["dense"] = dense(config)
    return decoder(config, windowed(config, kinds, mixer), ffns, kinds=kinds, ffn_kinds=ffn_kinds)


def _apertus(config: Config) -> ModelSpec:
    """xIELU without a gate; it has two learned numbers a layer."""
    mixer = attention(config, biases=letters(config, "attention_bias"), qk_norm="per_head_dim")
    return decoder(config, mixer, dense(config, 2), extra=2)


def _nanochat(config: Config) -> ModelSpec:
    mixer = attention(config, biases=letters(config, "attention_bias"))
    return decoder(config, mixer, dense(config, 2), norm_vectors=0)


def _aria(config: Config) -> ModelSpec:
    shared = config.integer("moe_num_shared_experts", 0)
    mixer = attention(config, biases=letters(config, "attention_bias"))
    experts = moe(config, shared_width=shared * config.integer("moe_intermediate_size"))
    return decoder(config, mixer, {"": with_shared_bias(config, experts, config.flag("mlp_bias"))})


READERS: dict[str, Family] = {
    "mixtral": Family(_mixtral, sizes(32000, 4096, None, 32, 32, 8, head_dim=None, moe_intermediate_size=14336,
                                      num_experts=8, num_experts_per_tok=2, sliding_window=None), _LOCAL),
    "minimax_m2": Family(_minimax_m2, sizes(200064, 3072, None, 62, 48, 8, head_dim=128, moe_intermediate_size=1536,
                                            num_experts=256, num_experts_per_tok=8), _LOCAL),
    "gpt_oss": Family(_gpt_oss, sizes(201088, 2880, None, 36, 64, 8, head_dim=64, moe_intermediate_size=2880,
                                      num_experts=128, num_experts_per_tok=4, sliding_window=128, attention_bias=True),
                      _LOCAL | {"num_experts_per_tok": ("num_experts_per_tok", "experts_per_token")}),
    "llama4_text": Family(_llama4, sizes(
        202048, 5120, None, 48, 40, 8, head_dim=128, moe_intermediate_size=8192, intermediate_size_mlp=16384,
        num_experts=16, num_experts_per_tok=1, interleave_moe_layer_step=1, no_rope_layer_interval=4,
        attention_chunk_size=8192, attention_bias=False),
        _LOCAL | {"no_rope_layer_interval": ("no_rope_layer_interval", "nope_layer_interval")}),
    "granitemoe": Family(_granitemoe, sizes(32000, 4096, None, 32, 32, None, attention_bias=False, num_experts=8,
                                            num_experts_per_tok=2, moe_intermediate_size=11008), _LOCAL),
    "granitemoeshared": Family(_granitemoe, sizes(
        32000, 4096, None, 32, 32, None, attention_bias=False, num_experts=8, num_experts_per_tok=2,
        moe_intermediate_size=11008, shared_intermediate_size=0), _LOCAL),
    "granitemoe_swa": Family(_granitemoe_swa, sizes(
        32000, 4096, None, 32, 32, None, attention_bias=False, num_experts=8, num_experts_per_tok=2,
        moe_intermediate_size=11008, shared_intermediate_size=0, sliding_window=128), _LOCAL),
    "ernie4_5": Family(_ernie, sizes(103424, 1024, 3072, 18, 16, 2, tied=True, head_dim=128, use_bias=False)),
    "paddleocr_vl_text": Family(_ernie, sizes(103424, 1024, 3072, 18, 16, 2, tied=True, head_dim=128, use_bias=False)),
    "ernie4_5_moe": Family(_ernie_moe, sizes(
        103424, 2560, 12288, 28, 20, 4, tied=True, use_bias=False, moe_intermediate_size=1536, num_experts_per_tok=6,
        num_experts=64, num_shared_experts=2, moe_layer_start_index=1, moe_layer_end_index=-1, moe_layer_interval=1),
        {"num_experts": ("moe_num_experts", "num_experts"), "num_experts_per_tok": ("moe_k", "num_experts_per_tok"),
         "num_shared_experts": ("moe_num_shared_experts",)}),
    "dbrx": Family(_dbrx, {"vocab_size": 32000, "hidden_size": 2048, "num_hidden_layers": 24,
                           "num_attention_heads": 16, "tie_word_embeddings": False},
                   {"hidden_size": ("d_model", "hidden_size"), "num_hidden_layers": ("n_layers", "num_hidden_layers"),
                    "num_attention_heads": ("n_heads", "num_attention_heads"),
                    "max_position_embeddings": ("max_seq_len", "max_position_embeddings")}),
    "grok-1": Family(_grok1, {"tie_word_embeddings": True},
                     {"moe_intermediate_size": ("intermediate_size", "moe_intermediate_size")}),
    "mimo": Family(_mimo, {"attention_bias": True, "tie_word_embeddings": False, "head_dim": None}),
    "mimo_v2_flash": Family(_mimo_v2, sizes(
        152576, 4096, 16384, 48, 64, 4, moe_intermediate_size=2048, num_experts_per_tok=8, num_experts=256,
        head_dim=192, v_head_dim=128, sliding_window=129, attention_bias=False),
        {"num_experts": ("n_routed_experts", "num_local_experts")}),
    "hy_v3": Family(_hy_v3, sizes(
        120832, 4096, 13312, 80, 64, 8, head_dim=128, attention_bias=False, mlp_bias=False, num_experts=192,
        num_experts_per_tok=8, num_shared_experts=1, moe_intermediate_size=1536, first_k_dense_replace=1),
        {"num_experts": ("num_experts", "num_local_experts")}),
    "exaone4": Family(_exaone4, sizes(102400, 4096, 16384, 32, 32, 32, sliding_window=4096, sliding_window_pattern=4)),
    "exaone_moe": Family(_exaone_moe, sizes(
        102400, 4096, 16384, 32, 32, 32, sliding_window=4096, sliding_window_pattern=4, first_k_dense_replace=1,
        moe_intermediate_size=1024, num_experts=64, num_experts_per_tok=8, num_shared_experts=1)),
    "apertus": Family(_apertus, sizes(131072, 4096, 14336, 32, 32, None, attention_bias=False)),
    "nanochat": Family(_nanochat, sizes(50304, 768, 8192, 12, 6, None, attention_bias=False)),
    "aria_text": Family(_aria, sizes(
        32000, 4096, None, 32, 32, None, head_dim=None, moe_intermediate_size=4096, num_experts=8, **_NO_BIAS,
        num_experts_per_tok=2, moe_num_shared_experts=2),
        {"moe_intermediate_size": ("intermediate_size",), "num_experts": ("moe_num_experts",),
         "num_experts_per_tok": ("moe_topk",)}),
}
