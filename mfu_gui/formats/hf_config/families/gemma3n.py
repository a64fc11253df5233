"""Gemma 3n (text): several residual streams, low-rank residuals, an embedding of its own for each layer.

Class defaults as of transformers 5.24.0 (2026-11).
"""

from __future__ import annotations

from msgspec.structs import replace

from mfu_gui.engine.model import (
    AlternatingUpdates,
    Dense,
    Layer,
    Linear,
    ModelSpec,
    Stack,
    Table,
    Vector,
)
from mfu_gui.engine.model_edit import run_lengths
from mfu_gui.formats.hf_config.access import Config, Family
from mfu_gui.formats.hf_config.parts import attention, every, layer_types, letters, sizes, whole_model, windowed


def _widths(config: Config, layers: int) -> list[int]:
    """The width of each layer's MLP: one for all, or a list."""
    if isinstance(config.value("intermediate_size"), list | tuple):
        return config.integers("intermediate_size", layers, 1) or []
    return [config.integer("intermediate_size")] * layers


def _gemma3n(config: Config) -> ModelSpec:
    layers, hidden = config.layers(), config.integer("hidden_size")
    kinds = layer_types(config, layers, every(layers, 5))
    borrowed = config.integer("num_kv_shared_layers", 0, layers - 1)
    each, streams = config.integer("hidden_size_per_layer_input"), config.integer("altup_num_inputs", 2, 64)
    rank = config.integer("laurel_rank")
    mixers = windowed(config, kinds, attention(config, biases=letters(config, "attention_bias"),
                                               qk_norm="per_head_dim"))
    made: dict[str, Layer] = {}
    order = []
    several = len(set(_widths(config, layers))) > 1
    for index, (kind, width) in enumerate(zip(kinds, _widths(config, layers), strict=True)):
        own = index < layers - borrowed
        name = "-".join([kind, *([] if own else ["borrowing"]), *([str(width)] if several else [])])
        ffns = (Linear(name="laurel_down", outputs=rank, component="low_rank_residual", store="low_rank_residual"),
                Linear(name="laurel_up", inputs=rank, component="low_rank_residual", store="low_rank_residual"),
                Dense(width=width), AlternatingUpdates(streams=streams),
                Linear(name="per_layer_input_gate", outputs=each), Linear(name="per_layer_projection", inputs=each))
        made.setdefault(name, Layer(name=name, mixers=(replace(mixers[kind], own_kv=own),), ffns=ffns, norms=7,
                                    extra_parameters=hidden))
        order.append(name)
    stack = Stack(hidden_size=hidden, kinds=tuple(made.values()), order=run_lengths(order))
    table = Table(name="per_layer_tokens", rows=config.integer("vocab_size_per_layer_input"), width=layers * each)
    parts = tuple(Linear(name=f"{way}_stream_{index}", component="hyper_connection")
                  for way in ("into", "out_of") for index in range(1, streams))
    return replace(whole_model(config, stack), tables=(table,), parts=(
        Linear(name="per_layer_model_projection", outputs=layers * each),
        Vector(name="per_layer_projection_norm", size=each, store="norms"), *parts))


READERS: dict[str, Family] = {
    "gemma3n_text": Family(_gemma3n, sizes(
        262400, 2048, 16384, 35, 8, 2, tied=True, head_dim=256, attention_bias=False, sliding_window=512,
        vocab_size_per_layer_input=262144, hidden_size_per_layer_input=256, altup_num_inputs=4,
        num_kv_shared_layers=15, laurel_rank=64)),
}
