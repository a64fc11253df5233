"""Hunyuan, and other classes with values given layer by layer: OpenELM, Nemotron-NAS, Laguna, AFMoE.

Class defaults as of transformers 5.24.0 (2026-11).
"""

from __future__ import annotations

import math
from typing import Any

from msgspec.structs import replace

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.model import Attention, Dense, Ffn, Layer, Mixer, ModelSpec, MoE, Stack, Vector
from mfu_gui.engine.model_edit import run_lengths
from mfu_gui.formats.hf_config.access import Config, Family, shortened
from mfu_gui.formats.hf_config.parts import (
    attention,
    checked_kv_heads,
    decoder,
    dense,
    every,
    first_dense,
    head_dim_of,
    kv_heads_of,
    layer_types,
    letters,
    moe,
    sizes,
    whole_model,
    windowed,
)


def _per_layer(config: Config, key: str, layers: int, minimum: int = 0) -> list[int] | None:
    """A number for all layers or a list with one for each."""
    if not config.has(key) and config.value(key, None) is None:
        return None
    if isinstance(config.value(key, None), list | tuple):
        return config.integers(key, layers, minimum)
    return [config.integer(key, minimum)] * layers


def _hunyuan_dense(config: Config) -> ModelSpec:
    mixer = attention(config, biases=letters(config, "attention_bias"), qk_norm="per_head_dim")
    return decoder(config, mixer, dense(config))


def _hunyuan_moe(config: Config) -> ModelSpec:
    """Experts beside a shared MLP in every layer; with cross-layer attention, layers borrow keys and values."""
    layers = config.layers()
    norm = "per_head_dim" if config.flag("use_qk_norm") else "none"
    mixer = attention(config, biases=letters(config, "attention_bias"), qk_norm=norm)
    mixers: dict[str, Mixer] = {"own": mixer}
    kinds = ["own"] * layers
    if config.flag("use_cla"):
        share = config.integer("cla_share_factor")
        kinds = ["own" if index % share == 0 else "shared" for index in range(layers)]
        mixers["shared"] = attention(config, biases=mixer.biases, qk_norm=norm, own_kv=False)
    names, ffns = _hunyuan_experts(config, layers)
    spec = decoder(config, mixers, ffns, kinds=kinds, ffn_kinds=names)
    return _with_unused_norm(spec, mixer.head_dim) if "shared" in mixers and norm != "none" else spec


def _with_unused_norm(spec: ModelSpec, size: int) -> ModelSpec:
    """A layer that borrows keys still stores the norm on keys."""
    unused = Vector(name="k_norm", size=size, store="norms")
    kinds = tuple(replace(kind, ffns=(*kind.ffns, unused)) if kind.name.startswith("shared") else kind
                  for kind in spec.main.kinds)
    return replace(spec, stacks=(replace(spec.main, kinds=kinds),))


def _hunyuan_experts(config: Config, layers: int) -> tuple[list[str], dict[str, Ffn]]:
    experts = _per_layer(config, "num_experts", layers, 0) or [1] * layers
    top_k = _per_layer(config, "num_experts_per_tok", layers, 1) or [1] * layers
    widths = _per_layer(config, "moe_intermediate_size", layers, 1) or [config.integer("intermediate_size")] * layers
    shared = _per_layer(config, "num_shared_expert", layers, 0)
    if shared is None:
        # The class of transformers always adds one shared MLP of the dense width.
        shared = [1] * layers
    base = config.integer("intermediate_size")
    each = list(zip(experts, top_k, widths, shared, strict=True))
    ffns: dict[str, Ffn] = {}
    known: dict[tuple[int, int, int, int], str] = {}
    alike = len(set(each)) == 1
    for count, k, width, extra in dict.fromkeys(each):
        name = "dense" if count <= 1 else "moe" if alike else f"moe{len(ffns)}"
        known[count, k, width, extra] = name
        ffns[name] = _hunyuan_ffn(config, count, k, width, extra, base)
    return [known[values] for values in each], ffns


def _hunyuan_ffn(config: Config, experts: int, top_k: int, width: int, shared: int, base: int) -> Ffn:
    if experts <= 1:
        return Dense(width=base)
    return moe(config, experts=experts, top_k=top_k, width=width, shared_width=shared * base)


def _openelm(config: Config) -> ModelSpec:
    """Heads, KV heads and MLP widths of each layer; the MLP width is a multiple rounded to a divisor."""
    layers = config.layers()
    hidden, head_dim = config.integer("hidden_size"), config.integer("head_dim")
    heads = config.integers("num_query_heads", layers, 1) or []
    kv_heads = config.integers("num_key_value_heads", layers, 1) or []
    widths = _openelm_widths(config, layers, hidden)
    if not heads or not kv_heads:
        raise InputError("config_key_missing", config.place("num_query_heads"), key="num_query_heads",
                         model_type=config.model_type)
    norm = "per_head_dim" if config.flag("normalize_qk_projections") else "none"
    matrices = 3 if config.flag("ffn_with_glu") else 2
    made: dict[tuple[int, int, int], str] = {}
    kinds: list[Layer] = []
    order: list[str] = []
    for index, key in enumerate(zip(heads, kv_heads, widths, strict=True)):
        if key not in made:
            made[key] = f"layer {index}"
            checked_kv_heads(config, key[0], key[1])
            mixer = Attention(heads=key[0], kv_heads=key[1], head_dim=head_dim, qk_norm=norm)  # type: ignore[arg-type]
            kinds.append(Layer(name=made[key], mixers=(mixer,), ffns=(dense(config, matrices, width=key[2]),)))
        order.append(made[key])
    stack = Stack(hidden_size=hidden, kinds=tuple(kinds), order=run_lengths(order))
    return whole_model(config, stack)


def _openelm_widths(config: Config, layers: int, hidden: int) -> list[int]:
    multipliers = config.items("ffn_multipliers", layers)
    divisor = config.integer("ffn_dim_divisor")
    if multipliers is None:
        raise InputError("config_key_missing", config.place("ffn_multipliers"), key="ffn_multipliers",
                         model_type=config.model_type)
    widths = []
    for index, multiplier in enumerate(multipliers):
        place = f"{config.place('ffn_multipliers')}[{index}]"
        if isinstance(multiplier, bool) or not isinstance(multiplier, int | float):
            raise InputError("wrong_type", place, expected="float", found="str", value=shortened(multiplier))
        if not 0 < multiplier < 1000:
            raise InputError("out_of_range", place, value=multiplier, minimum=0, maximum=1000)
        widths.append(_rounded(multiplier * hidden, divisor))
    return widths


def _rounded(value: float, divisor: int) -> int:
    """The nearest multiple of ``divisor``, never more than a tenth below ``value``."""
    nearest = max(divisor, int(value + divisor / 2) // divisor * divisor)
    return nearest + divisor if nearest < 0.9 * value else nearest


def _nemotron_nas(config: Config) -> ModelSpec:
    """``block_configs``: each layer may lack attention or MLP, or replace one by a single matrix."""
    layers = config.layers()
    blocks = config.items("block_configs", layers)
    if blocks is None:
        raise InputError("config_key_missing", config.place("block_configs"), key="block_configs",
                         model_type=config.model_type)
    hidden, heads = config.integer("hidden_size"), config.integer("num_attention_heads")
    head_dim = head_dim_of(config, hidden, heads)
    made: dict[Any, str] = {}
    kinds: list[Layer] = []
    order: list[str] = []
    for index, block in enumerate(blocks):
        place = f"{config.place('block_configs')}[{index}]"
        if not isinstance(block, dict):
            raise InputError("wrong_type", place, expected="object", found="str", value=shortened(block))
        inner = Config(block, config.model_type, Family(_nemotron_nas), place, config.assumptions)
        mixers = _nas_attention(inner.section("attention"), heads, head_dim, hidden)
        ffns = _nas_ffn(inner.section("ffn"), hidden)
        key = (mixers, ffns)
        if key not in made:
            made[key] = f"layer {index}"
            kinds.append(Layer(name=made[key], mixers=mixers, ffns=ffns, norms=len(mixers) + len(ffns)))
        order.append(made[key])
    return whole_model(config, Stack(hidden_size=hidden, kinds=tuple(kinds), order=run_lengths(order)))


def _nas_attention(config: Config, heads: int, head_dim: int, hidden: int) -> tuple[Attention, ...]:
    if config.flag("no_op", False):
        return ()
    if config.flag("replace_with_linear", False):
        raise InputError("config_unsupported", config.place("replace_with_linear"), value=True)
    group = config.integer("n_heads_in_group")
    if heads % group:
        raise InputError("not_divisible", config.place("n_heads_in_group"), value=heads, divisor=group)
    return (Attention(heads=heads, kv_heads=heads // group, head_dim=head_dim),)


def _nas_ffn(config: Config, hidden: int) -> tuple[Dense, ...]:
    """Gated; its width is 2/3 of ``ffn_mult`` × hidden, up to the next multiple of 256."""
    if config.flag("no_op", False):
        return ()
    if config.flag("replace_with_linear", False):
        raise InputError("config_unsupported", config.place("replace_with_linear"), value=True)
    multiple = config.number("ffn_mult", 1e-6, 1000)
    if multiple is None:
        raise InputError("config_key_missing", config.place("ffn_mult"), key="ffn_mult", model_type=config.model_type)
    return (Dense(width=math.ceil(int(2 * multiple * hidden / 3) / 256) * 256),)


def _afmoe(config: Config) -> ModelSpec:
    """Four norms, an elementwise output gate, every n-th layer full; the router's bias is a parameter."""
    layers = config.layers()
    kinds = layer_types(config, layers, every(layers, config.integer("global_attn_every_n_layers")))
    mixer = attention(config, biases=letters(config, "attention_bias"), qk_norm="per_head_dim", gate="elementwise")
    first = config.integer("num_dense_layers", 0, layers)
    ffn_kinds = ["dense"] * first + ["moe"] * (layers - first)
    shared = config.optional_integer("num_shared_experts", 0) or 0
    ffns: dict[str, Dense | MoE] = {
        "moe": moe(config, shared_width=shared * config.integer("moe_intermediate_size"), router_bias=True)}
    if first:
        ffns["dense"] = dense(config)
    return decoder(config, windowed(config, kinds, mixer), ffns, kinds=kinds, ffn_kinds=ffn_kinds, norms=4)


def _laguna(config: Config) -> ModelSpec:
    """An output gate for each head; heads may differ from layer to layer."""
    layers = config.layers()
    kinds = list(layer_types(config, layers, ["full"] * layers))
    kv_heads = kv_heads_of(config, config.integer("num_attention_heads"))
    head_dim = config.integer("head_dim")
    listed = config.integers("num_attention_heads_per_layer", layers, 1)
    heads = listed or [config.integer("num_attention_heads")] * layers
    gate = "per_head" if config.flag("gating") else "elementwise"
    several = len(set(heads)) > 1
    mixers: dict[str, Mixer] = {}
    names: list[str] = []
    for kind, count in zip(kinds, heads, strict=True):
        name = f"{kind} {count} heads" if several else kind
        if name not in mixers:
            checked_kv_heads(config, count, kv_heads)
            mixer = attention(config, heads=count, kv_heads=kv_heads, head_dim=head_dim, qk_norm="per_head_dim",
                              gate=gate, biases=letters(config, "attention_bias"))
            mixers[name] = windowed(config, [kind], mixer)[kind]
        names.append(name)
    ffn_kinds = first_dense(config, layers)
    ffns: dict[str, Dense | MoE] = {
        "moe": moe(config, shared_width=config.integer("shared_expert_intermediate_size", 0), router_bias=True)}
    if "dense" in ffn_kinds:
        ffns["dense"] = dense(config)
    return decoder(config, mixers, ffns, kinds=names, ffn_kinds=ffn_kinds)


def _minicpm(config: Config) -> ModelSpec:
    """Llama with scaled residuals; experts where ``num_experts`` says so."""
    mixer = attention(config)
    experts = config.optional_integer("num_experts", 0) or 0
    ffn: Ffn = dense(config) if experts <= 1 else moe(
        config, experts=experts, width=config.integer("intermediate_size"))
    return decoder(config, mixer, ffn)


_HUNYUAN_NAMES = {"num_experts": ("num_experts", "num_local_experts"),
                  "num_experts_per_tok": ("moe_topk", "num_experts_per_tok"),
                  "head_dim": ("head_dim", "attention_head_dim")}

READERS: dict[str, Family] = {
    "hunyuan_v1_dense": Family(_hunyuan_dense, sizes(290943, 4096, 11008, 32, 32, None, head_dim=None,
                                                     attention_bias=False)),
    "hunyuan_v1_moe": Family(_hunyuan_moe, sizes(
        290943, 4096, 11008, 32, 32, None, head_dim=None, attention_bias=False, num_experts=1, num_experts_per_tok=1,
        use_qk_norm=True, use_cla=False), _HUNYUAN_NAMES),
    "hunyuan": Family(_hunyuan_moe, {
        "num_key_value_heads": None, "head_dim": None, "attention_bias": False, "use_qk_norm": False, "use_cla": False,
        "tie_word_embeddings": False, "num_experts": 1, "num_experts_per_tok": 1}, _HUNYUAN_NAMES),
    "openelm": Family(_openelm, {"normalize_qk_projections": False, "ffn_with_glu": True, "ffn_dim_divisor": 256,
                                 "tie_word_embeddings": True},
                      {"hidden_size": ("model_dim", "hidden_size"),
                       "num_hidden_layers": ("num_transformer_layers", "num_hidden_layers"),
                       "num_key_value_heads": ("num_kv_heads",),
                       "max_position_embeddings": ("max_context_length", "rope_max_length"),
                       "tie_word_embeddings": ("share_input_output_layers", "tie_word_embeddings")}),
    "nemotron-nas": Family(_nemotron_nas, {"tie_word_embeddings": False, "head_dim": None}),
    "afmoe": Family(_afmoe, sizes(
        200192, 2048, 6144, 32, 16, None, head_dim=128, attention_bias=False, moe_intermediate_size=1408,
        num_dense_layers=1, num_experts=64, num_experts_per_tok=6, num_shared_experts=2, global_attn_every_n_layers=4,
        sliding_window=1024)),
    "laguna": Family(_laguna, sizes(
        100352, 2048, 8192, 40, 48, 8, head_dim=128, attention_bias=False, gating=True, sliding_window=512,
        moe_intermediate_size=512, shared_expert_intermediate_size=512, num_experts=256, num_experts_per_tok=8,
        first_k_dense_replace=1)),
    "minicpm": Family(_minicpm, {"num_key_value_heads": None, "head_dim": None, "tie_word_embeddings": True,
                                 "num_experts": 0}),
}
