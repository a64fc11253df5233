"""Classes with parts of their own: BitNet, Gemma 4, MiniMax-M3, Step 3.5, ERNIE 4.5 VL.

Class defaults as of transformers 5.24.0 (2026-11).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.model import (
    Attention,
    Dense,
    Ffn,
    Indexer,
    Layer,
    Linear,
    Mixer,
    ModelSpec,
    Stack,
    Table,
    Vector,
)
from mfu_gui.engine.model_edit import run_lengths
from mfu_gui.formats.hf_config.access import Config, Family
from mfu_gui.formats.hf_config.parts import (
    MLP_TYPES,
    QKVO,
    attention,
    checked_kv_heads,
    decoder,
    dense,
    every,
    first_dense,
    layer_types,
    letters,
    moe,
    sizes,
    whole_model,
    windowed,
    with_shared_bias,
)


def _bitnet(config: Config) -> ModelSpec:
    """A norm on what goes into the output projection and one on what goes into the down projection."""
    mixer = attention(config, biases=letters(config, "attention_bias"))
    mlp = dense(config)
    inner = (Vector(name="attention_norm", size=mixer.heads * mixer.head_dim, store="norms"),
             Vector(name="mlp_norm", size=mlp.width, store="norms"))
    return decoder(config, mixer, {"": (mlp, *inner)})


def _gemma4(config: Config) -> ModelSpec:
    """Global layers have head sizes and KV heads of their own and may use keys as values; the last layers may
    use earlier keys and values; experts may stand beside the MLP; each layer may get an embedding of its own."""
    layers, hidden = config.layers(), config.integer("hidden_size")
    kinds = list(layer_types(config, layers, every(layers, 6)))
    kinds[-1] = "full"
    shared = config.integer("num_kv_shared_layers", 0, layers - 1)
    each = config.integer("hidden_size_per_layer_input", 0)
    made: dict[str, Layer] = {}
    order = []
    for index, kind in enumerate(kinds):
        borrows = index >= layers - shared
        overrides = _overrides(config, index)
        name = f"{kind}-borrowing" if borrows else kind
        layer = _gemma4_layer(config, kind, borrows, overrides, each, name)
        if name in made and made[name] != layer:
            name = f"layer {index}"
            layer = replace(layer, name=name)
        made.setdefault(name, layer)
        order.append(name)
    stack = Stack(hidden_size=hidden, kinds=tuple(made.values()), order=run_lengths(order))
    spec = whole_model(config, stack)
    if not each:
        return spec
    rows = config.integer("vocab_size_per_layer_input")
    table = Table(name="per_layer_tokens", rows=rows, width=layers * each)
    return replace(spec, tables=(table,), parts=(
        Linear(name="per_layer_model_projection", inputs=hidden, outputs=layers * each),
        Vector(name="per_layer_projection_norm", size=each, store="norms")))


def _overrides(config: Config, index: int) -> Config | None:
    """What ``per_layer_config`` says of one layer."""
    section = config.value("per_layer_config", None)
    if not isinstance(section, Mapping):
        return None
    key = next((name for name in section if isinstance(name, str) and name.isdecimal() and int(name) == index), None)
    return None if key is None else config.section("per_layer_config").section(key)


def _gemma4_layer(config: Config, kind: str, borrows: bool, overrides: Config | None, each: int, name: str) -> Layer:
    heads = config.integer("num_attention_heads")
    head_dim, kv_heads, own_v = config.integer("head_dim"), config.integer("num_key_value_heads"), True
    window = None
    if kind == "sliding":
        window = config.integer("sliding_window")
    else:
        own_v = not config.flag("attention_k_eq_v")
        if overrides is None and not config.has("per_layer_config"):
            head_dim = config.integer("global_head_dim")
            if not own_v:
                kv_heads = config.optional_integer("num_global_key_value_heads") or kv_heads
    if overrides is not None:
        head_dim = overrides.optional_integer("head_dim") or head_dim
        kv_heads = overrides.optional_integer("num_key_value_heads") or kv_heads
    checked_kv_heads(config, heads, kv_heads)
    mixer = Attention(heads=heads, kv_heads=kv_heads, head_dim=head_dim, window=window, qk_norm="per_head_dim",
                      own_kv=not borrows, own_v=own_v, biases=letters(config, "attention_bias"))
    width = config.integer("intermediate_size") * (2 if borrows and config.flag("use_double_wide_mlp") else 1)
    ffns: list[Ffn] = [Dense(width=width)]
    norms = 4
    if config.flag("enable_moe_block"):
        experts = moe(config)
        ffns += [experts, Vector(name="router_scale", size=config.integer("hidden_size") + experts.experts,
                                 store="router")]
        norms += 3
    if each:
        ffns += [Linear(name="per_layer_input_gate", outputs=each), Linear(name="per_layer_projection", inputs=each)]
        norms += 1
    ffns.append(Vector(name="layer_scalar", size=1, buffer=True))
    return Layer(name=name, mixers=(mixer,), ffns=tuple(ffns), norms=norms)


def _minimax_m3(config: Config) -> ModelSpec:
    """Most layers choose blocks of keys with an indexer of four heads; the first MLPs are dense."""
    layers = config.layers()
    sparse = config.section("sparse_attention_config", _M3_SPARSE)
    words = {"full_attention": "full", "minimax_m3_sparse": "sparse"}
    kinds = config.choices("layer_types", words, layers)
    if kinds is None:
        frequency = sparse.integers("sparse_attention_freq", layers, maximum=1)
        kinds = ["sparse" if chosen else "full" for chosen in frequency or [0] * layers]
    mixer = attention(config, qk_norm="per_head_dim")
    mixers: dict[str, Mixer] = {"full": mixer}
    if "sparse" in kinds:
        mixers["sparse"] = replace(mixer, indexer=_m3_indexer(config, sparse))
    listed = config.integers("moe_layer_freq", layers, maximum=1)
    ffn_kinds = (["moe" if chosen else "dense" for chosen in listed] if listed is not None
                 else config.choices("mlp_layer_types", MLP_TYPES, layers) or ["moe"] * layers)
    buffer = config.flag("use_routing_bias", True)
    ffns: dict[str, Ffn] = {"moe": moe(config, shared_width=config.integer("shared_intermediate_size", 0),
                                       router_buffer=buffer)}
    if "dense" in ffn_kinds:
        ffns["dense"] = dense(config, width=config.integer("dense_intermediate_size"))
    return decoder(config, mixers, ffns, kinds=kinds, ffn_kinds=ffn_kinds)


def _m3_indexer(config: Config, sparse: Config) -> Indexer:
    """From the nested section of original files or the flat keys of transformers; keys are chosen by blocks."""
    nested = config.has("sparse_attention_config")
    source, names = (sparse, _M3_NESTED) if nested else (config, _M3_FLAT)
    heads, dim, block, chosen, local = (source.integer(name, 0 if name.endswith("local_block") else 1)
                                        for name in names)
    return Indexer(heads=heads, head_dim=dim, top_k=block * (chosen + local), head_weights=False, query_norm=True,
                   norm_bias=False)


def _step3p5(config: Config) -> ModelSpec:
    """Sliding layers may have heads of their own; a gate for each head; first MLPs dense, then experts beside a
    shared one."""
    layers = config.layers()
    kinds = list(layer_types(config, layers, ["full"] * layers))
    mixer = attention(config, qk_norm="per_head_dim", gate="per_head", biases=letters(config, "attention_bias"))
    mixers = windowed(config, kinds, mixer)
    if "sliding" in mixers:
        heads = config.optional_integer("num_sliding_attention_heads") or mixer.heads
        checked_kv_heads(config, heads, mixer.kv_heads)
        mixers["sliding"] = replace(mixers["sliding"], heads=heads)
    ffn_kinds = first_dense(config, layers)
    experts = moe(config, shared_width=config.integer("share_expert_dim", 0), router_buffer=True)
    ffns: dict[str, Ffn] = {"moe": experts}
    if "dense" in ffn_kinds:
        ffns["dense"] = dense(config)
    return decoder(config, mixers, ffns, kinds=kinds, ffn_kinds=ffn_kinds)


def _ernie_vl(config: Config) -> ModelSpec:
    """Two sets of experts in each sparse layer, one for text and one for images; a token goes through one, so
    those for images are stored but not executed here."""
    layers = config.layers()
    biases = config.flag("use_bias")
    widths = config.integers("moe_intermediate_size", 2, 1)
    if widths is None:
        raise InputError("config_key_missing", config.place("moe_intermediate_size"), key="moe_intermediate_size",
                         model_type=config.model_type)
    listed = config.choices("mlp_layer_types", MLP_TYPES, layers) or ["dense"] + ["moe"] * (layers - 1)
    shared = config.optional_integer("num_shared_experts", 0) or 0
    experts = moe(config, width=widths[0], shared_width=shared * widths[0], router_bias=True)
    hidden, count = config.integer("hidden_size"), experts.experts
    image = tuple(Vector(name=f"image_experts_{part}", size=count * hidden * widths[1], store="experts")
                  for part in ("gate", "up", "down"))
    router = Vector(name="image_router", size=count * hidden + count, store="router")
    whole = with_shared_bias(config, experts, biases)
    sparse = (*(whole if isinstance(whole, tuple) else (whole,)), *image, router)
    ffns: dict[str, Ffn | tuple[Ffn, ...]] = {"moe": sparse}
    if "dense" in listed:
        ffns["dense"] = dense(config, biases=biases)
    mixer = attention(config, biases=QKVO if biases else ())
    return decoder(config, mixer, ffns, ffn_kinds=listed)


_M3_NESTED = ("sparse_num_index_heads", "sparse_index_dim", "sparse_block_size", "sparse_topk_blocks",
              "sparse_local_block")
_M3_FLAT = ("index_n_heads", "index_head_dim", "index_block_size", "index_topk_blocks", "index_local_blocks")
_M3_SPARSE: dict[str, Any] = dict(zip(_M3_NESTED, (4, 128, 128, 16, 1), strict=True))
_M3_NAMES = {"num_experts": ("num_local_experts", "num_experts"),
             "moe_intermediate_size": ("moe_intermediate_size", "intermediate_size")}
_M3 = sizes(200064, 6144, None, 60, 64, 4, head_dim=128, moe_intermediate_size=3072, dense_intermediate_size=12288,
            shared_intermediate_size=3072, num_experts=128, num_experts_per_tok=4)
_M3 |= dict(zip(_M3_FLAT, (4, 128, 128, 16, 1), strict=True))
_STEP = sizes(128815, 4096, 11264, 45, 64, 8, head_dim=128, attention_bias=False, sliding_window=None,
              num_experts=288, num_experts_per_tok=8, moe_intermediate_size=1280, share_expert_dim=1280,
              first_k_dense_replace=3, num_sliding_attention_heads=None)
_STEP_NAMES = {"num_experts": ("n_routed_experts", "moe_num_experts", "num_local_experts", "num_experts"),
               "num_experts_per_tok": ("num_experts_per_tok", "moe_top_k"),
               "num_key_value_heads": ("num_key_value_heads", "num_attention_groups")}

READERS: dict[str, Family] = {
    "bitnet": Family(_bitnet, sizes(128256, 2560, 6912, 30, 20, 5, attention_bias=False)),
    "gemma4_text": Family(_gemma4, sizes(
        262144, 2304, 9216, 30, 8, 4, tied=True, head_dim=256, global_head_dim=512, attention_bias=False,
        sliding_window=512, vocab_size_per_layer_input=262144, hidden_size_per_layer_input=256, attention_k_eq_v=False,
        num_kv_shared_layers=0, enable_moe_block=False, use_double_wide_mlp=False),
        {"num_experts_per_tok": ("top_k_experts", "num_experts_per_tok")}),
    "gemma4_unified_text": Family(_gemma4, sizes(
        262144, 2304, 9216, 30, 8, 4, tied=True, head_dim=256, global_head_dim=512, attention_bias=False,
        sliding_window=1024, hidden_size_per_layer_input=0, attention_k_eq_v=False, num_kv_shared_layers=0,
        enable_moe_block=False, use_double_wide_mlp=False)),
    "minimax_m3": Family(_minimax_m3, _M3, _M3_NAMES),
    "minimax_m3_vl_text": Family(_minimax_m3, _M3, _M3_NAMES),
    "step3p5": Family(_step3p5, _STEP, _STEP_NAMES),
    "ernie4_5_vl_moe_text": Family(_ernie_vl, sizes(
        103424, 2560, 12288, 28, 20, 4, tied=True, use_bias=False, moe_intermediate_size=[1536, 512],
        num_experts_per_tok=6, num_experts=64, num_shared_experts=2),
        {"num_experts": ("moe_num_experts", "num_experts"), "num_experts_per_tok": ("moe_k", "num_experts_per_tok"),
         "num_shared_experts": ("moe_num_shared_experts",)}),
}
