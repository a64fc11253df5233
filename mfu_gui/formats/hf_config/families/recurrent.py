"""Recurrent models: RWKV-4 and 5, RecurrentGemma, xLSTM. Class defaults as of transformers 5.24.0 (2026-11)."""

from __future__ import annotations

import math

from msgspec.structs import replace

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.model import MLSTM, RWKV, Dense, Ffn, Linear, Mixer, ModelSpec, RecurrentUnit, Vector
from mfu_gui.formats.hf_config.access import Config, Family
from mfu_gui.formats.hf_config.parts import QKVO, attention, decoder, sizes


def _channel_mix(config: Config, width: int, mixes: int) -> tuple[Ffn, ...]:
    """Key and value as a plain MLP, the receptance, and the mixes with the token before."""
    hidden = config.integer("hidden_size")
    return (Dense(width=width, matrices=2), Linear(name="receptance", component="mlp", store="mlp"),
            Vector(name="time_mix", size=mixes * hidden, store="mlp"))


def _with_first_norm(config: Config, spec: ModelSpec) -> ModelSpec:
    """The first block has one more norm, before everything."""
    return replace(spec, parts=(Vector(name="first_norm", size=2 * config.integer("hidden_size")),))


def _rwkv(config: Config) -> ModelSpec:
    hidden = config.integer("hidden_size")
    width = config.optional_integer("attention_hidden_size") or hidden
    ffn = _channel_mix(config, config.optional_integer("intermediate_size") or 4 * hidden, 2)
    return _with_first_norm(config, decoder(config, RWKV(width=width), {"": ffn}, norm_vectors=2))


def _rwkv5(config: Config) -> ModelSpec:
    """Version 5.2: a gate, and a matrix state for each head."""
    hidden = config.integer("hidden_size")
    width = config.optional_integer("attention_hidden_size") or hidden
    inner = config.optional_integer("intermediate_size") or int(hidden * 3.5) // 32 * 32
    mixer = RWKV(version=5, width=width, head_dim=config.integer("head_size"))
    spec = decoder(config, mixer, {"": _channel_mix(config, inner, 2)}, norm_vectors=2)
    return _with_first_norm(config, spec)


def _recurrent_gemma(config: Config) -> ModelSpec:
    layers, hidden = config.layers(), config.integer("hidden_size")
    unit = config.choices("block_types", {"recurrent": "recurrent", "attention": "attention"})
    if not unit:
        raise InputError("config_key_missing", config.place("block_types"), key="block_types",
                         model_type=config.model_type)
    kinds = [unit[index % len(unit)] for index in range(layers)]
    heads = config.integer("num_attention_heads")
    width = config.optional_integer("lru_width") or hidden
    if hidden % heads or width % heads:
        raise InputError("config_head_dim", config.place("num_attention_heads"), hidden=hidden, heads=heads)
    mixers: dict[str, Mixer] = {
        "recurrent": RecurrentUnit(width=width, blocks=heads, conv=config.integer("conv1d_width")),
        "attention": attention(config, head_dim=hidden // heads, window=config.integer("attention_window_size"),
                               biases=QKVO if config.flag("attention_bias") else ("o",)),
    }
    mlp = Dense(width=max(1, config.integer("intermediate_size", 2) // 2), biases=True)
    return decoder(config, {kind: mixers[kind] for kind in set(kinds)}, mlp, kinds=kinds)


def _xlstm(config: Config) -> ModelSpec:
    hidden, heads = config.integer("hidden_size"), config.integer("num_heads")
    keys = int(hidden * (config.number("qk_dim_factor") or 0)) // heads
    values = int(hidden * (config.number("v_dim_factor") or 0)) // heads
    if not keys or not values:
        raise InputError("out_of_range", config.place("qk_dim_factor"), value=config.value("qk_dim_factor"), minimum=1)
    multiple = config.integer("ffn_round_up_to_multiple_of")
    width = math.ceil(hidden * (config.number("ffn_proj_factor") or 1) / multiple) * multiple
    biases = config.flag("use_bias")
    mixer = MLSTM(heads=heads, qk_dim=keys, value_dim=values, chunk=config.integer("chunk_size"), bias=biases)
    return decoder(config, mixer, Dense(width=width, biases=biases), final_norm=config.flag("add_out_norm"))


READERS: dict[str, Family] = {
    "rwkv": Family(_rwkv, {"vocab_size": 50277, "hidden_size": 4096, "num_hidden_layers": 32,
                           "attention_hidden_size": None, "intermediate_size": None, "tie_word_embeddings": False}),
    "rwkv5": Family(_rwkv5, {"vocab_size": 65536, "hidden_size": 4096, "num_hidden_layers": 32, "head_size": 64,
                             "attention_hidden_size": None, "intermediate_size": None,
                             "tie_word_embeddings": False}),
    "recurrent_gemma": Family(_recurrent_gemma, sizes(
        256000, 2560, 7680, 26, 10, None, tied=True, lru_width=None, attention_window_size=2048, conv1d_width=4,
        block_types=["recurrent", "recurrent", "attention"], attention_bias=False)),
    "xlstm": Family(_xlstm, {
        "vocab_size": 50304, "hidden_size": 4096, "num_hidden_layers": 32, "num_heads": 8, "use_bias": False,
        "tie_word_embeddings": False, "add_out_norm": True, "qk_dim_factor": 0.5, "v_dim_factor": 1.0,
        "chunk_size": 64, "ffn_proj_factor": 2.667, "ffn_round_up_to_multiple_of": 64}, {
        "hidden_size": ("hidden_size", "embedding_dim"), "num_hidden_layers": ("num_hidden_layers", "num_blocks")}),
}
