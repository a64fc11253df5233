"""Gemma 1 to 3 (text). Class defaults as of transformers 5.24.0 (2026-11)."""

from __future__ import annotations

from mfu_gui.engine.model import ModelSpec
from mfu_gui.formats.hf_config.access import Config, Family
from mfu_gui.formats.hf_config.parts import attention, decoder, dense, every, layer_types, letters, sizes, windowed

_GEMMA2 = sizes(256000, 2304, 9216, 26, 8, 4, tied=True, head_dim=256, attention_bias=False, sliding_window=4096)


def _gemma(config: Config) -> ModelSpec:
    return decoder(config, attention(config, biases=letters(config, "attention_bias")), dense(config))


def _alternating(config: Config, norms: int) -> ModelSpec:
    """Layers 0, 2, 4, … slide, whether or not the file says so."""
    kinds = layer_types(config, config.layers(), every(config.layers(), 2))
    mixer = attention(config, biases=letters(config, "attention_bias"))
    return decoder(config, windowed(config, kinds, mixer), dense(config), kinds=kinds, norms=norms)


def _gemma2(config: Config) -> ModelSpec:
    return _alternating(config, 4)


def _vaultgemma(config: Config) -> ModelSpec:
    return _alternating(config, 2)


def _gemma3(config: Config) -> ModelSpec:
    """Every sixth layer is full, unless the file has another pattern; norms on queries and keys."""
    layers = config.layers()
    kinds = layer_types(config, layers, ())
    if not kinds:
        kinds = every(layers, config.integer("sliding_window_pattern", 0))
    mixer = attention(config, biases=letters(config, "attention_bias"), qk_norm="per_head_dim")
    return decoder(config, windowed(config, kinds, mixer), dense(config), kinds=kinds, norms=4)


READERS: dict[str, Family] = {
    "gemma": Family(_gemma, sizes(256000, 3072, 24576, 28, 16, 16, tied=True, head_dim=256, attention_bias=False)),
    "gemma2": Family(_gemma2, _GEMMA2),
    "vaultgemma": Family(_vaultgemma, _GEMMA2),
    "gemma3_text": Family(
        _gemma3, _GEMMA2 | {"vocab_size": 262208, "sliding_window_pattern": 6},
        {"sliding_window_pattern": ("sliding_window_pattern", "_sliding_window_pattern")}),
}
