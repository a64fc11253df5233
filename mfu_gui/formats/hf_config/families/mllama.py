"""The text part of Llama 3.2 Vision: some layers look at the image instead of at the text.

Class defaults as of transformers 5.24.0 (2026-11).
"""

from __future__ import annotations

from typing import Any

from mfu_gui.engine.model import Layer, ModelSpec, Stack, Table
from mfu_gui.engine.model_edit import run_lengths
from mfu_gui.formats.hf_config.access import Config, Family
from mfu_gui.formats.hf_config.parts import attention, dense, sizes, whole_model

_IMAGE_TOKENS = 8
"""Rows of the embedding beyond the vocabulary, for the image's own tokens."""


def _mllama(config: Config) -> ModelSpec:
    from msgspec.structs import replace

    layers = config.layers()
    crossing = set(config.integers("cross_attention_layers", maximum=layers - 1) or ())
    ffn = dense(config)
    kinds = (
        Layer(name="self", mixers=(attention(config),), ffns=(ffn,)),
        # Two gates scale what the layer adds.
        Layer(name="cross", mixers=(attention(config, keys_from="image", qk_norm="per_head_dim"),), ffns=(ffn,),
              extra_parameters=2),
    )
    order = ["cross" if index in crossing else "self" for index in range(layers)]
    hidden = config.integer("hidden_size")
    stack = Stack(hidden_size=hidden, kinds=tuple(kind for kind in kinds if kind.name in order),
                  order=run_lengths(order))
    rows = Table(name="image_tokens", rows=_IMAGE_TOKENS, width=hidden)
    return replace(whole_model(config, stack), tables=(rows,))


_CROSS: dict[str, Any] = {"cross_attention_layers": [3, 8, 13, 18, 23, 28, 33, 38]}

READERS: dict[str, Family] = {
    "mllama_text_model": Family(_mllama, sizes(128256, 4096, 14336, 40, 32, 8, head_dim=None, **_CROSS)),
}
