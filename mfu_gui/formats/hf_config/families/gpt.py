"""GPT-2 and its descendants: learned positions or rotary, plain MLP, LayerNorm with an offset.

Class defaults as of transformers 5.24.0 (2026-11).
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.model import Attention, Head, Mixer, ModelSpec
from mfu_gui.formats.hf_config.access import Config, Family
from mfu_gui.formats.hf_config.parts import (
    QKVO,
    attention,
    checked_kv_heads,
    decoder,
    dense,
    letters,
    sizes,
    window_of,
    with_window,
)

_N = {
    "hidden_size": ("n_embd", "hidden_size"),
    "num_hidden_layers": ("n_layer", "num_hidden_layers"),
    "num_attention_heads": ("n_head", "num_attention_heads"),
    "intermediate_size": ("n_inner", "intermediate_size"),
    "max_position_embeddings": ("n_positions", "max_position_embeddings"),
}
_GPT2: dict[str, Any] = {
    "vocab_size": 50257, "hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12,
    "intermediate_size": None, "max_position_embeddings": 1024, "tie_word_embeddings": True,
}
_GPTJ: dict[str, Any] = {
    "vocab_size": 50400, "hidden_size": 4096, "num_hidden_layers": 28, "num_attention_heads": 16,
    "intermediate_size": None, "max_position_embeddings": 2048, "tie_word_embeddings": False,
}


def _all_heads(config: Config, **more: Any) -> Attention:
    """As many KV heads as heads: classes without a field for them."""
    return attention(config, kv_heads=config.integer("num_attention_heads"), **more)


def _width(config: Config) -> int:
    """The MLP width; null or absent means four times the hidden size."""
    return config.optional_integer("intermediate_size") or 4 * config.integer("hidden_size")


def _imagegpt(config: Config) -> ModelSpec:
    """GPT-2 on colours: norms without an offset; the head has no row for the start of an image."""
    if config.flag("tie_word_embeddings"):
        raise InputError("config_unsupported", config.place("tie_word_embeddings"), value=True)
    mixer = _all_heads(config, biases=QKVO)
    spec = decoder(config, mixer, dense(config, 2, biases=True, width=_width(config)),
                   positions=config.integer("max_position_embeddings"))
    return replace(spec, head=spec.head and Head(classes=config.integer("vocab_size", 2) - 1))


def _gpt2(config: Config) -> ModelSpec:
    if config.has("add_cross_attention") and config.flag("add_cross_attention"):
        raise InputError("config_unsupported", config.place("add_cross_attention"), value=True)
    mixer = _all_heads(config, biases=QKVO)
    return decoder(config, mixer, dense(config, 2, biases=True, width=_width(config)), norm_vectors=2,
                   positions=config.integer("max_position_embeddings"))


def _gpt1(config: Config) -> ModelSpec:
    return decoder(config, _all_heads(config, biases=QKVO), dense(config, 2, biases=True, width=_width(config)),
                   norm_vectors=2, final_norm=False, pre_norm=False,
                   positions=config.integer("max_position_embeddings"))


def _gpt_bigcode(config: Config) -> ModelSpec:
    kv_heads = 1 if config.flag("multi_query") else config.integer("num_attention_heads")
    mixer = attention(config, kv_heads=kv_heads, biases=QKVO)
    return decoder(config, mixer, dense(config, 2, biases=True, width=_width(config)), norm_vectors=2,
                   positions=config.integer("max_position_embeddings"))


def _gpt_neo(config: Config) -> ModelSpec:
    """Global and local layers by ``attention_types``; only the output projection has a bias."""
    layers = config.layers()
    kinds = _neo_kinds(config, layers)
    mixer = _all_heads(config, biases=("o",))
    mixers: dict[str, Mixer] = {"global": mixer, "local": with_window(mixer, window_of(config, "window_size"))}
    return decoder(config, mixers, dense(config, 2, biases=True, width=_width(config)), kinds=kinds, norm_vectors=2,
                   positions=config.integer("max_position_embeddings"))


def _neo_kinds(config: Config, layers: int) -> list[str]:
    words = {"global": "global", "local": "local"}
    listed = config.choices("attention_layers", words, layers)
    if listed is not None:
        return listed
    kinds: list[str] = []
    types = config.items("attention_types")
    for index, entry in enumerate(types if types is not None else [[["global", "local"], layers // 2]]):
        place = f"{config.place('attention_types')}[{index}]"
        if (not isinstance(entry, list) or len(entry) != 2 or not isinstance(entry[0], list)
                or not isinstance(entry[1], int) or isinstance(entry[1], bool)
                or not all(word in words for word in entry[0] if isinstance(word, str))
                or not all(isinstance(word, str) for word in entry[0])):
            raise InputError("unknown_choice", place, value=str(entry)[:60], allowed='[["global", "local"], 12]')
        if not 0 <= entry[1] * len(entry[0]) <= layers:
            raise InputError("config_list_length", place, found_length=entry[1] * len(entry[0]), length=layers)
        kinds += entry[0] * entry[1]
    if types is None:
        config.assume("attention_types", [[["global", "local"], layers // 2]])
    if len(kinds) != layers:
        raise InputError("config_list_length", config.place("attention_types"), found_length=len(kinds), length=layers)
    return kinds


def _gptj(config: Config) -> ModelSpec:
    """Attention and MLP side by side behind one norm; the head has a bias."""
    return decoder(config, _all_heads(config), dense(config, 2, biases=True, width=_width(config)), norms=1,
                   norm_vectors=2, head_bias=True, parallel=True)


def _gpt_neox(config: Config) -> ModelSpec:
    mixer = _all_heads(config, biases=letters(config, "attention_bias"))
    return decoder(config, mixer, dense(config, 2, biases=True), norm_vectors=2,
                   parallel=config.flag("use_parallel_residual"))


def _gpt_neox_japanese(config: Config) -> ModelSpec:
    """No biases but one, on the output projection of the last layer."""
    layers, hidden = config.layers(), config.integer("hidden_size")
    mixer = _all_heads(config)
    mlp = dense(config, 2, width=config.integer("intermediate_multiple_size") * hidden)
    return decoder(config, {"layer": mixer, "last": replace(mixer, biases=("o",))}, mlp,
                   kinds=["layer"] * (layers - 1) + ["last"], norm_vectors=2)


def _opt(config: Config) -> ModelSpec:
    """Two more position rows than positions; the 350M model factorises its embedding and has no last norm."""
    hidden = config.integer("hidden_size")
    width = config.optional_integer("word_embed_proj_dim") or hidden
    biases = config.flag("enable_bias")
    mixer = _all_heads(config, biases=QKVO if biases else ())
    before = config.flag("do_layer_norm_before")
    final_norm = before and not (
        config.has("_remove_final_layer_norm") and config.flag("_remove_final_layer_norm"))
    return decoder(config, mixer, dense(config, 2, biases=biases),
                   norm_vectors=2 if config.flag("layer_norm_elementwise_affine") else 0, final_norm=final_norm,
                   pre_norm=before, positions=config.integer("max_position_embeddings") + 2,
                   embedding_width=None if width == hidden else width)


def _biogpt(config: Config) -> ModelSpec:
    return decoder(config, _all_heads(config, biases=QKVO), dense(config, 2, biases=True), norm_vectors=2,
                   positions=config.integer("max_position_embeddings") + 2)


def _xglm(config: Config) -> ModelSpec:
    """Sinusoidal positions: no table to learn."""
    return decoder(config, _all_heads(config, biases=QKVO), dense(config, 2, biases=True), norm_vectors=2)


def _bloom(config: Config) -> ModelSpec:
    width = 4 * config.integer("hidden_size")
    return decoder(config, _all_heads(config, biases=QKVO), dense(config, 2, biases=True, width=width),
                   norm_vectors=2, embedding_norm=True)


def _mpt(config: Config) -> ModelSpec:
    """ALiBi; a position table only where ALiBi is off."""
    hidden = config.integer("hidden_size")
    section = config.section("attn_config", {"alibi": True, "qk_ln": False})
    heads = config.integer("num_attention_heads")
    kv_heads = section.optional_integer("kv_n_heads") or heads
    checked_kv_heads(section, heads, kv_heads, "kv_n_heads")
    ratio = config.number("expansion_ratio") or 4
    plain = config.flag("no_bias")
    mixer = attention(config, kv_heads=kv_heads, biases=() if plain else QKVO,
                      qk_norm="full" if section.flag("qk_ln") else "none")
    positions = 0
    if not section.flag("alibi") and config.flag("learned_pos_emb"):
        positions = config.integer("max_position_embeddings")
    return decoder(config, mixer, dense(config, 2, biases=not plain, width=max(1, int(ratio * hidden))),
                   norm_vectors=1 if plain else 2, positions=positions)


def _falcon(config: Config) -> ModelSpec:
    """Old files: one KV head where ``multi_query``; the new decoder architecture has its own count."""
    heads = config.integer("num_attention_heads")
    new = config.flag("new_decoder_architecture")
    if new:
        kv_heads = checked_kv_heads(config, heads, config.optional_integer("num_key_value_heads") or heads)
    else:
        kv_heads = 1 if config.flag("multi_query") else heads
    parallel = config.flag("parallel_attn")
    two = new or not parallel
    if config.has("num_ln_in_parallel_attn") and parallel:
        two = config.integer("num_ln_in_parallel_attn", 1, 2) == 2
    biases = config.flag("bias")
    mixer = attention(config, kv_heads=kv_heads, biases=QKVO if biases else ())
    return decoder(config, mixer, dense(config, 2, biases=biases, width=_width(config)), norms=2 if two else 1,
                   norm_vectors=2, parallel=new or parallel)


def _persimmon(config: Config) -> ModelSpec:
    norm = config.flag("qk_layernorm")
    mixer = _all_heads(config, biases=QKVO, qk_norm="per_head_dim" if norm else "none", qk_norm_bias=norm)
    return decoder(config, mixer, dense(config, 2, biases=True), norm_vectors=2)


READERS: dict[str, Family] = {
    "imagegpt": Family(_imagegpt, _GPT2 | {"vocab_size": 513, "hidden_size": 512, "num_hidden_layers": 24,
                                           "num_attention_heads": 8, "tie_word_embeddings": False}, _N),
    "gpt2": Family(_gpt2, _GPT2, _N),
    "gpt-sw3": Family(_gpt2, _GPT2, _N),
    "openai-gpt": Family(_gpt1, _GPT2 | {"vocab_size": 40478, "max_position_embeddings": 512}, _N),
    "gpt_bigcode": Family(_gpt_bigcode, _GPT2 | {"multi_query": True}, _N),
    "gptj": Family(_gptj, _GPTJ, _N),
    "codegen": Family(_gptj, _GPTJ, _N),
    "gpt_neo": Family(_gpt_neo, _GPT2 | {
        "hidden_size": 2048, "num_hidden_layers": 24, "num_attention_heads": 16, "max_position_embeddings": 2048,
        "window_size": 256}, {"num_hidden_layers": ("num_layers", "num_hidden_layers"),
                              "num_attention_heads": ("num_heads", "num_attention_heads")}),
    "gpt_neox_japanese": Family(_gpt_neox_japanese, sizes(32000, 2560, None, 32, 32, tied=True,
                                                          intermediate_multiple_size=4)),
    "gpt_neox": Family(_gpt_neox, sizes(50432, 6144, 24576, 44, 64, attention_bias=True,
                                         use_parallel_residual=True)),
    "opt": Family(_opt, sizes(
        50272, 768, 3072, 12, 12, tied=True, max_position_embeddings=2048, word_embed_proj_dim=None, enable_bias=True,
        do_layer_norm_before=True, layer_norm_elementwise_affine=True),
        {"intermediate_size": ("ffn_dim", "intermediate_size")}),
    "biogpt": Family(_biogpt, sizes(42384, 1024, 4096, 24, 16, tied=True, max_position_embeddings=1024)),
    "xglm": Family(_xglm, sizes(256008, 1024, 4096, 24, 16, tied=True),
                   {"hidden_size": ("d_model", "hidden_size"), "num_hidden_layers": ("num_layers", "num_hidden_layers"),
                    "num_attention_heads": ("attention_heads", "num_attention_heads"),
                    "intermediate_size": ("ffn_dim", "intermediate_size")}),
    "bloom": Family(_bloom, {"vocab_size": 250880, "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 8,
                             "tie_word_embeddings": True},
                    {"hidden_size": ("hidden_size", "n_embed"), "num_hidden_layers": ("n_layer", "num_hidden_layers"),
                     "num_attention_heads": ("n_head", "num_attention_heads"),
                     "max_position_embeddings": ("seq_length", "max_position_embeddings")}),
    "mpt": Family(_mpt, {
        "vocab_size": 50368, "hidden_size": 2048, "num_hidden_layers": 24, "num_attention_heads": 16,
        "expansion_ratio": 4, "no_bias": True, "learned_pos_emb": True, "max_position_embeddings": 2048,
        "tie_word_embeddings": True},
                  {"hidden_size": ("d_model", "hidden_size"), "num_hidden_layers": ("n_layers", "num_hidden_layers"),
                   "num_attention_heads": ("n_heads", "num_attention_heads"),
                   "max_position_embeddings": ("max_seq_len", "max_position_embeddings")}),
    "falcon": Family(_falcon, {
        "vocab_size": 65024, "hidden_size": 4544, "num_hidden_layers": 32, "num_attention_heads": 71,
        "intermediate_size": None, "new_decoder_architecture": False, "multi_query": True, "parallel_attn": True,
        "bias": False, "tie_word_embeddings": True},
        {"num_hidden_layers": ("num_hidden_layers", "n_layer"),
         "num_attention_heads": ("num_attention_heads", "n_head"),
         "num_key_value_heads": ("num_kv_heads", "n_head_kv"),
         "intermediate_size": ("ffn_hidden_size", "intermediate_size")}),
    "persimmon": Family(_persimmon, sizes(262144, 4096, 16384, 36, 64, qk_layernorm=True)),
}
