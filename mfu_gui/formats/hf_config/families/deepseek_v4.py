"""DeepSeek-V4: compressed attention, hashed routing in the first layers, a residual of several streams.

Class defaults as of transformers 5.24.0 (2026-11).
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.model import CompressedAttention, Ffn, HyperConnections, Indexer, Linear, Mixer, ModelSpec, Vector
from mfu_gui.formats.hf_config.access import Config, Family
from mfu_gui.formats.hf_config.parts import decoder, dense_before, moe, sizes

_KINDS = {"sliding_attention": "window", "compressed_sparse_attention": "sparse",
          "heavily_compressed_attention": "heavy"}
_ROUTERS = {"hash_moe": "hash", "moe": "moe"}


def _kinds(config: Config, layers: int) -> Sequence[str]:
    """``layer_types``, else the ratios of the released files, whose list may go on for the prediction layers:
    0 is the window alone, the largest ratio is heavy."""
    listed = config.choices("layer_types", _KINDS, layers)
    if listed is not None:
        return listed
    ratios = config.integers("compress_ratios")
    if ratios is None:
        return ["heavy" if index < 2 or index % 2 == 0 else "sparse" for index in range(layers)]
    if len(ratios) < layers:
        raise InputError("config_list_length", config.place("compress_ratios"), found_length=len(ratios), length=layers)
    largest = max(ratios)
    return ["window" if ratio == 0 else "heavy" if ratio == largest else "sparse" for ratio in ratios[:layers]]


def _mixers(config: Config, kinds: Sequence[str]) -> dict[str, Mixer]:
    rates = config.section("compress_rates", {"compressed_sparse_attention": 4, "heavily_compressed_attention": 128})
    heads, groups = config.integer("num_attention_heads"), config.integer("o_groups")
    head_dim = config.integer("head_dim")
    if heads * head_dim % groups:
        raise InputError("not_divisible", config.place("o_groups"), value=heads * head_dim, divisor=groups)
    window = CompressedAttention(
        heads=heads, head_dim=head_dim, q_lora_rank=config.integer("q_lora_rank"), groups=groups,
        o_lora_rank=config.integer("o_lora_rank"), window=config.integer("sliding_window"))
    indexer = Indexer(heads=config.integer("index_n_heads"), head_dim=config.integer("index_head_dim"),
                      top_k=config.integer("index_topk"))
    mixers: dict[str, Mixer] = {
        "window": window,
        "sparse": replace(window, rate=rates.integer("compressed_sparse_attention", 2), overlap=True, indexer=indexer),
        "heavy": replace(window, rate=rates.integer("heavily_compressed_attention", 2)),
    }
    return {kind: mixers[kind] for kind in dict.fromkeys(kinds)}


def _deepseek_v4(config: Config) -> ModelSpec:
    layers, hidden, streams = config.layers(), config.integer("hidden_size"), config.integer("hc_mult")
    kinds = _kinds(config, layers)
    first = dense_before(config, layers, "num_hash_layers")
    routers = config.choices("mlp_layer_types", _ROUTERS, layers) or [
        "hash" if index < first else "moe" for index in range(layers)]
    width = config.integer("moe_intermediate_size")
    experts = moe(config, width=width, shared_width=width * config.integer("n_shared_experts", 0))
    table = Vector(name="expert_of_token", store="router", buffer=True,
                   size=config.integer("vocab_size") * experts.top_k)
    mixing = HyperConnections(streams=streams)
    ffns: dict[str, tuple[Ffn, ...]] = {"moe": (replace(experts, router_buffer=True), mixing),
                                        "hash": (experts, table, mixing)}
    spec = decoder(config, _mixers(config, kinds), {name: ffns[name] for name in dict.fromkeys(routers)}, kinds=kinds,
                   ffn_kinds=routers, mtp=config.integer("num_nextn_predict_layers", 0))
    last = (Linear(name="stream_head", inputs=streams * hidden, outputs=streams, component="hyper_connection"),
            Vector(name="stream_head_biases", size=streams + 1))
    return replace(spec, parts=last)


READERS: dict[str, Family] = {
    "deepseek_v4": Family(_deepseek_v4, sizes(
        129280, 4096, None, 43, 64, 1, head_dim=512, q_lora_rank=1024, o_lora_rank=1024, o_groups=8,
        sliding_window=128, index_n_heads=64, index_head_dim=128, index_topk=512, hc_mult=4, num_hash_layers=3,
        num_experts=256, num_experts_per_tok=6, moe_intermediate_size=2048, n_shared_experts=1,
        num_nextn_predict_layers=1), {"num_experts": ("n_routed_experts", "num_local_experts")}),
}
