"""T5Gemma 2: an encoder that reads images too, and a decoder whose one attention looks at both sides.

Class defaults as of transformers 5.24.0 (2026-11).
"""

from __future__ import annotations

from typing import Any, Literal

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.model import Attention, Connector, Dense, Head, Layer, ModelSpec, Stack, Vector
from mfu_gui.engine.model_edit import run_lengths
from mfu_gui.formats.hf_config.access import Config, Family
from mfu_gui.formats.hf_config.families.vision import siglip_head_size, siglip_tower
from mfu_gui.formats.hf_config.parts import QKVO, checked_kv_heads, every, layer_types

_TEXT: dict[str, Any] = {
    "vocab_size": 262208, "hidden_size": 2304, "intermediate_size": 9216, "num_hidden_layers": 26,
    "num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 256, "attention_bias": False,
    "sliding_window": 4096,
}
_VISION: dict[str, Any] = {
    "hidden_size": 768, "intermediate_size": 3072, "num_hidden_layers": 12, "num_attention_heads": 12,
    "image_size": 224, "patch_size": 16, "num_channels": 3, "vision_use_head": True,
}


def _mixers(config: Config, side: Literal["encoder", "decoder"], kind: str) -> tuple[Attention, ...]:
    heads = config.integer("num_attention_heads")
    kv_heads = checked_kv_heads(config, heads, config.integer("num_key_value_heads"))
    sizes: dict[str, Any] = {"heads": heads, "kv_heads": kv_heads, "head_dim": config.integer("head_dim"),
                             "biases": QKVO if config.flag("attention_bias") else ()}
    window = config.integer("sliding_window") if kind == "sliding" else None
    if side == "encoder":
        around = None if window is None else max(window - 1, 1)
        return (Attention(mask="bidirectional", window=around, qk_norm="per_head_dim", **sizes),)
    # One set of queries is scored against keys of both sides, all made by the same matrices.
    own = Attention(window=window, qk_norm="per_head_dim", **sizes)
    return own, Attention(keys_from="encoder", own_q=False, own_o=False, stored=False, **sizes)


def _stack(config: Config, side: Literal["encoder", "decoder"]) -> Stack:
    layers = config.layers()
    kinds = layer_types(config, layers, every(layers, 6))
    made = tuple(Layer(name=kind, mixers=_mixers(config, side, kind), norms=4,
                       ffns=(Dense(width=config.integer("intermediate_size")),)) for kind in dict.fromkeys(kinds))
    return Stack(name=side, axis=side, hidden_size=config.integer("hidden_size"), kinds=made, order=run_lengths(kinds))


def _t5gemma2(config: Config) -> ModelSpec:
    """One table of words for both sides and the head; a learned vector for the end of an image."""
    outer = config.section("encoder", {"mm_tokens_per_image": 256})
    encoder, decoder = outer.section("text_config", _TEXT), config.section("decoder", _TEXT)
    for key in ("hidden_size", "vocab_size"):
        if encoder.integer(key) != decoder.integer(key):
            raise InputError("config_disagrees", decoder.place(key), key=encoder.place(key),
                             value=encoder.integer(key), other=decoder.place(key), other_value=decoder.integer(key))
    if not config.flag("tie_word_embeddings"):
        raise InputError("config_unsupported", config.place("tie_word_embeddings"), value=False)
    vision, hidden = outer.section("vision_config", _VISION), decoder.integer("hidden_size")
    tower = siglip_tower(vision)
    unused = siglip_head_size(vision) if tower.projections else ()
    width = tower.stack.hidden_size
    bridge = Connector(widths=(width, hidden), bias=False, norm_parameters=width)
    return ModelSpec(vocabulary=decoder.integer("vocab_size"), head=Head(tied=True) if config.has_head else None,
                     stacks=(_stack(encoder, "encoder"), _stack(decoder, "decoder"), tower.stack),
                     connectors=(bridge,), image_tokens=outer.integer("mm_tokens_per_image"),
                     parts=(Vector(name="end_of_image", size=hidden), *unused))


READERS: dict[str, Family] = {"t5gemma2": Family(_t5gemma2, {"tie_word_embeddings": True})}
