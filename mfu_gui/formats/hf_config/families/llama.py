"""Llama and the classes that are Llama with other sizes, biases or windows.

Class defaults as of transformers 5.24.0 (2026-11); the remote-code classes (Yi, Baichuan, InternLM,
XVERSE, Orion, Aquila, Skywork) have no defaults here, so their files must carry their sizes.
"""

from __future__ import annotations

from collections.abc import Sequence

from mfu_gui.engine.model import ModelSpec
from mfu_gui.formats.hf_config.access import Config, Family
from mfu_gui.formats.hf_config.parts import (
    QKV,
    attention,
    decoder,
    dense,
    every,
    layer_types,
    letters,
    sizes,
    windowed,
)

_NO_BIAS = {"attention_bias": False, "mlp_bias": False}
_LLAMA = sizes(32000, 4096, 11008, 32, 32, None, head_dim=None, **_NO_BIAS)
_REMOTE = {"num_key_value_heads": None, "head_dim": None, "tie_word_embeddings": False}


def _llama(config: Config) -> ModelSpec:
    mixer = attention(config, biases=letters(config, "attention_bias"))
    return decoder(config, mixer, dense(config, biases=config.flag("mlp_bias")))


def _helium(config: Config) -> ModelSpec:
    mixer = attention(config, biases=letters(config, "attention_bias", QKV))
    return decoder(config, mixer, dense(config, biases=config.flag("mlp_bias")))


def _plain(config: Config) -> ModelSpec:
    """Llama without any bias field."""
    return decoder(config, attention(config), dense(config))


def _mistral(config: Config) -> ModelSpec:
    """Every layer slides where a window is given; ``layer_types`` says otherwise (Ministral)."""
    layers = config.layers()
    default = ["sliding" if config.optional_integer("sliding_window", 0) else "full"] * layers
    return _sliding(config, default)


def _sliding(config: Config, default: Sequence[str]) -> ModelSpec:
    """Biases where the class has a field for them."""
    kinds = layer_types(config, config.layers(), default)
    mixer = attention(config, biases=letters(config, "attention_bias") if config.knows("attention_bias") else ())
    ffn = dense(config, biases=config.knows("mlp_bias") and config.flag("mlp_bias"))
    return decoder(config, windowed(config, kinds, mixer), ffn, kinds=kinds)


def _one_full_in_four(config: Config) -> ModelSpec:
    """Full attention in layers 0, 4, 8, …"""
    return _sliding(config, every(config.layers(), 4, offset=3))


def _granite_swa(config: Config) -> ModelSpec:
    kinds = layer_types(config, config.layers(), every(config.layers(), 4, offset=3))
    mixer = attention(config, biases=letters(config, "attention_bias"), sinks=True)
    return decoder(config, windowed(config, kinds, mixer), dense(config, biases=config.flag("mlp_bias")), kinds=kinds)


def _smollm3(config: Config) -> ModelSpec:
    """The layers without rotary embedding may slide."""
    layers = config.layers()
    default = ["full"] * layers
    if config.flag("use_sliding_window") and config.optional_integer("sliding_window", 0):
        rotary = config.integers("no_rope_layers", layers, maximum=1)
        if not rotary:
            step = config.integer("no_rope_layer_interval")
            rotary = [int((index + 1) % step != 0) for index in range(layers)]
        default = ["full" if rope else "sliding" for rope in rotary]
    return _sliding(config, default)


def _seed_oss(config: Config) -> ModelSpec:
    biases = letters(config, "attention_bias", QKV) + letters(config, "attention_out_bias", ("o",))
    return decoder(config, attention(config, biases=biases), dense(config, biases=config.flag("mlp_bias")))


def _arcee(config: Config) -> ModelSpec:
    """Squared ReLU without a gate."""
    mixer = attention(config, biases=letters(config, "attention_bias"))
    return decoder(config, mixer, dense(config, 2, biases=config.flag("mlp_bias")))


def _jais2(config: Config) -> ModelSpec:
    mixer = attention(config, biases=letters(config, "attention_bias"))
    return decoder(config, mixer, dense(config, 2, biases=config.flag("mlp_bias")), norm_vectors=2)


def _nemotron(config: Config) -> ModelSpec:
    """Squared ReLU without a gate; LayerNorm with an offset."""
    return _jais2(config)


def _hyperclovax(config: Config) -> ModelSpec:
    mixer = attention(config, biases=letters(config, "attention_bias"))
    norms = 4 if config.flag("use_post_norm") else 2
    return decoder(config, mixer, dense(config, biases=config.flag("mlp_bias")), norms=norms)


def _internlm3(config: Config) -> ModelSpec:
    """``bias`` is of the output projection and the MLP, ``qkv_bias`` of q, k and v."""
    bias = config.flag("bias")
    biases = letters(config, "qkv_bias", QKV) + (("o",) if bias else ())
    return decoder(config, attention(config, biases=biases), dense(config, biases=bias))


def _bias(config: Config) -> ModelSpec:
    """One flag for all four projections of attention (InternLM 1 and 2)."""
    return decoder(config, attention(config, biases=letters(config, "bias")), dense(config))


def _orion(config: Config) -> ModelSpec:
    return decoder(config, attention(config), dense(config), norm_vectors=2)


def _qwen1(config: Config) -> ModelSpec:
    """The file's MLP width counts gate and up together; q, k and v always have a bias."""
    hidden, heads = config.integer("hidden_size"), config.integer("num_attention_heads")
    biases = QKV if config.flag("no_bias") else (*QKV, "o")
    mixer = attention(config, kv_heads=heads, head_dim=_channels(config, hidden, heads), biases=biases)
    width = config.integer("intermediate_size", 2)
    return decoder(config, mixer, dense(config, width=width // 2, biases=not config.flag("no_bias")))


def _channels(config: Config, hidden: int, heads: int) -> int:
    return config.optional_integer("kv_channels") or hidden // heads


READERS: dict[str, Family] = {
    "llama": Family(_llama, _LLAMA),
    "mistral": Family(_mistral, sizes(32000, 4096, 14336, 32, 32, 8, head_dim=None, sliding_window=4096)),
    "ministral": Family(_mistral, sizes(32000, 4096, 14336, 32, 32, 8, head_dim=None, sliding_window=4096)),
    "ministral3": Family(_mistral, sizes(131072, 4096, 14336, 34, 32, 8, head_dim=128, sliding_window=None)),
    "cwm": Family(_one_full_in_four, sizes(128256, 6144, 21504, 64, 48, 8, head_dim=128, sliding_window=8192,
                                            mlp_bias=False)),
    "arcee": Family(_arcee, sizes(32000, 2560, 18432, 32, 32, None, head_dim=None, **_NO_BIAS)),
    "jais2": Family(_jais2, sizes(150272, 3328, 26624, 32, 26, None, head_dim=None, attention_bias=True,
                                  mlp_bias=True)),
    "nemotron": Family(_nemotron, sizes(256000, 6144, 24576, 32, 48, None, head_dim=None, **_NO_BIAS)),
    "helium": Family(_helium, sizes(48000, 2560, 7040, 24, 20, 20, head_dim=128, **_NO_BIAS)),
    "granite": Family(_llama, sizes(32000, 4096, 11008, 32, 32, None, **_NO_BIAS)),
    "granite4_vision_text": Family(_llama, sizes(32000, 4096, 11008, 32, 32, None, **_NO_BIAS)),
    "granite_swa": Family(_granite_swa,
                          sizes(100352, 2560, 8192, 24, 20, 4, tied=True, sliding_window=128, **_NO_BIAS)),
    "smollm3": Family(_smollm3, sizes(128256, 2048, 11008, 36, 16, 4, tied=True, use_sliding_window=False,
                                      no_rope_layer_interval=4, **_NO_BIAS)),
    "seed_oss": Family(_seed_oss, sizes(155136, 4096, 27648, 64, 80, 8, head_dim=128, attention_bias=True,
                                        attention_out_bias=False, mlp_bias=False)),
    "iquestcoder": Family(_llama, sizes(76800, 5120, 27648, 80, 40, 8, head_dim=128, **_NO_BIAS)),
    "hyperclovax": Family(_hyperclovax, _LLAMA | {"use_post_norm": True}),
    "exaone": Family(_llama, sizes(102400, 4096, 14336, 32, 32, 8, head_dim=None, **_NO_BIAS),
                     {"num_hidden_layers": ("num_layers", "num_hidden_layers")}),
    "internlm3": Family(_internlm3, sizes(128512, 4096, 10240, 48, 32, 2, head_dim=128, qkv_bias=False, bias=False),
                        {"qkv_bias": ("qkv_bias", "attention_bias"), "bias": ("bias", "mlp_bias")}),
    "internlm2": Family(_bias, _REMOTE | {"bias": True}),
    "internlm": Family(_bias, _REMOTE | {"bias": True}),
    "Yi": Family(_plain, _REMOTE),
    "aquila": Family(_plain, _REMOTE),
    "baichuan": Family(_plain, _REMOTE),
    "xverse": Family(_plain, _REMOTE),
    "skywork": Family(_plain, _REMOTE),
    "orion": Family(_orion, _REMOTE),
    "qwen": Family(_qwen1, {"no_bias": True, "tie_word_embeddings": False}),
}
