"""ZAYA: compressed convolutional attention (arXiv 2510.04476) and a router that is an MLP.

Class defaults as of transformers 5.24.0 (2026-11).
"""

from __future__ import annotations

from msgspec.structs import replace

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.model import Ffn, Layer, Linear, ModelSpec, Stack, Vector
from mfu_gui.engine.model_edit import run_lengths
from mfu_gui.formats.hf_config.access import Config, Family
from mfu_gui.formats.hf_config.parts import attention, layer_types, letters, moe, sizes, whole_model, windowed

_KINDS = {"hybrid": "full", "hybrid_sliding": "sliding"}


def _convolutions(config: Config, channels: int, head_dim: int) -> tuple[Ffn, ...]:
    """Two causal convolutions over queries and keys, by channel and by head."""
    first, second = config.integer("cca_time0", 1, 1024), config.integer("cca_time1", 1, 1024)
    return (Linear(name="channel_convolution", inputs=first, outputs=channels, bias=True,
                   component="attention_conv", store="attention"),
            Linear(name="head_convolution", inputs=second * head_dim, outputs=channels, bias=True,
                   component="attention_conv", store="attention"))


def _router(config: Config, outputs: int, first: bool) -> tuple[Ffn, ...]:
    """A matrix down, a norm, two matrices, one to the experts; what layers pass on to the next has scales."""
    width = config.integer("router_hidden_size")

    def part(name: str, inputs: int | None, columns: int, bias: bool = True) -> Linear:
        return Linear(name=name, inputs=inputs, outputs=columns, bias=bias, component="router", store="router")

    scales = () if first else (Vector(name="router_scale", size=width, store="router"),)
    return (part("router_down", None, width), part("router_1", width, width), part("router_2", width, width),
            part("router_out", width, outputs, False), Vector(name="router_norm", size=width, store="norms"),
            Vector(name="router_balance", size=outputs, store="router", buffer=True), *scales)


def _zaya(config: Config) -> ModelSpec:
    """Half of the values come from the token before; the router may choose to skip the experts; residuals have
    scales and offsets."""
    layers, hidden = config.layers(), config.integer("hidden_size")
    kinds = layer_types(config, layers, ["full"] * layers, _KINDS)
    mixer = attention(config, biases=letters(config, "attention_bias"))
    if mixer.kv_heads * mixer.head_dim % 2:
        raise InputError("not_divisible", config.place("head_dim"), value=mixer.kv_heads * mixer.head_dim, divisor=2)
    mixers = windowed(config, kinds, mixer)
    experts = moe(config, router=False, identity_experts=1, reachable=1)
    convolutions = _convolutions(config, (mixer.heads + mixer.kv_heads) * mixer.head_dim, mixer.head_dim)
    made: dict[str, Layer] = {}
    order = []
    for index, kind in enumerate(kinds):
        name = f"{kind}-first" if index == 0 else kind
        made.setdefault(name, Layer(name=name, mixers=(mixers[kind],), ffns=(
            *convolutions, *_router(config, experts.experts + 1, index == 0), experts),
            extra_parameters=8 * hidden + mixer.kv_heads))
        order.append(name)
    stack = Stack(hidden_size=hidden, kinds=tuple(made.values()), order=run_lengths(order))
    spec = whole_model(config, stack, head_bias=config.flag("lm_head_bias"))
    return replace(spec, parts=(Vector(name="input_scale", size=2 * hidden),))


READERS: dict[str, Family] = {
    "zaya": Family(_zaya, sizes(
        262272, 2048, None, 40, 8, 2, tied=True, head_dim=128, attention_bias=False, lm_head_bias=False,
        sliding_window=None, moe_intermediate_size=2048, num_experts=16, num_experts_per_tok=1,
        router_hidden_size=256, cca_time0=2, cca_time1=2)),
}
