"""Small edits of a model as a person means them: "32 layers", "8 KV heads", "top-k 8".

Each edit returns a new ModelSpec; what the edit does not name stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import groupby
from typing import TypeVar

from msgspec.structs import replace

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.model import (
    MLA,
    Attention,
    CompressedAttention,
    Dense,
    Ffn,
    Layer,
    Mixer,
    ModelSpec,
    MoE,
    SharedBlock,
    Stack,
)

Part = TypeVar("Part")
Block = TypeVar("Block", Layer, SharedBlock)


def replace_main(model: ModelSpec, stack: Stack) -> ModelSpec:
    """``model`` with its main stack replaced."""
    main = model.main
    return replace(model, stacks=tuple(stack if part is main else part for part in model.stacks))


def map_layers(model: ModelSpec, change: Callable[[Layer], Layer]) -> ModelSpec:
    """Apply ``change`` to every layer kind of the main stack."""
    main = model.main
    return replace_main(model, replace(main, kinds=tuple(change(kind) for kind in main.kinds)))


def map_mixers(model: ModelSpec, change: Callable[[Mixer], Mixer]) -> ModelSpec:
    """Apply ``change`` to every mixer of the main stack, those of shared blocks included."""

    def changed(part: Block) -> Block:
        return replace(part, mixers=tuple(change(m) for m in part.mixers))

    return map_layers(model, lambda kind: _with_shared(changed(kind), changed))


def map_ffns(model: ModelSpec, change: Callable[[Ffn], Ffn]) -> ModelSpec:
    """Apply ``change`` to every ffn of the main stack, those of shared blocks included."""

    def changed(part: Block) -> Block:
        return replace(part, ffns=tuple(change(f) for f in part.ffns))

    return map_layers(model, lambda kind: _with_shared(changed(kind), changed))


def _with_shared(layer: Layer, change: Callable[[SharedBlock], SharedBlock]) -> Layer:
    return layer if layer.shared is None else replace(layer, shared=change(layer.shared))


def _blocks(layer: Layer) -> tuple[Layer | SharedBlock, ...]:
    return (layer,) if layer.shared is None else (layer.shared, layer)


def mixers_of(model: ModelSpec, kind: type[Part]) -> list[Part]:
    """All mixers of one type in the main stack, in the order of the kinds."""
    return [m for layer in model.main.kinds for block in _blocks(layer) for m in block.mixers if isinstance(m, kind)]


def ffns_of(model: ModelSpec, kind: type[Part]) -> list[Part]:
    """All ffns of one type in the main stack, in the order of the kinds."""
    return [f for layer in model.main.kinds for block in _blocks(layer) for f in block.ffns if isinstance(f, kind)]


def run_lengths(names: Iterable[str]) -> tuple[tuple[str, int], ...]:
    """Runs of equal neighbours.  Equal runs are one object: 100,000 layers of two kinds that alternate stay small."""
    known: dict[tuple[str, int], tuple[str, int]] = {}
    runs = ((name, sum(1 for _ in group)) for name, group in groupby(names))
    return tuple([known.setdefault(run, run) for run in runs])


def _period(order: list[str]) -> int:
    """Length of the shortest pattern that the end of the list repeats at least twice, else 1."""
    last = order[-1]
    for period in range(1, len(order) // 2 + 1):
        # The last names first: copying both halves for each period would take seconds for 100,000 layers.
        if order[-1 - period] == last and order[-period:] == order[-2 * period : -period]:
            return period
    return 1


def with_layer_count(model: ModelSpec, count: int) -> ModelSpec:
    """The model with ``count`` layers: cut from the end, or its last pattern repeated."""
    if count < 1:
        raise InputError("out_of_range", "model.layers", value=count, minimum=1)
    names = [name for name, times in model.main.order for _ in range(times)]
    period = _period(names)
    names = names[:count]
    while len(names) < count:
        names.append(names[-period])
    return replace_main(model, replace(model.main, order=run_lengths(names)))


def with_hidden_size(model: ModelSpec, width: int) -> ModelSpec:
    """The model with another hidden size of its main stack; head sizes and MLP widths stay.

    What is measured in hidden sizes follows: the input of a shared block, the end of a connector.
    """
    main = model.main
    old = main.hidden_size

    def widened(block: SharedBlock) -> SharedBlock:
        if block.input_width is None or block.input_width % old:
            return block
        return replace(block, input_width=block.input_width // old * width)

    connectors = tuple(replace(c, widths=(*c.widths[:-1], width)) if c.widths[-1] == old else c
                       for c in model.connectors)
    kinds = tuple(_with_shared(kind, widened) for kind in main.kinds)
    return replace(replace_main(model, replace(main, hidden_size=width, kinds=kinds)), connectors=connectors)


def with_heads(model: ModelSpec, heads: int) -> ModelSpec:
    """Query heads of every attention and MLA mixer.  KV heads follow where they were equal; mixers that
    carry a state keep theirs."""

    def change(mixer: Mixer) -> Mixer:
        if isinstance(mixer, Attention):
            kv = heads if mixer.kv_heads == mixer.heads else mixer.kv_heads
            return replace(mixer, heads=heads, kv_heads=kv)
        return replace(mixer, heads=heads) if isinstance(mixer, MLA | CompressedAttention) else mixer

    return map_mixers(model, change)


def with_attention(model: ModelSpec, **values: int | None) -> ModelSpec:
    """Set fields of every plain attention mixer (``kv_heads``, ``head_dim``)."""
    return map_mixers(model, lambda m: replace(m, **values) if isinstance(m, Attention) else m)


def with_window(model: ModelSpec, window: int) -> ModelSpec:
    """Set the window of the mixers that have one."""

    def change(mixer: Mixer) -> Mixer:
        if isinstance(mixer, Attention | MLA | CompressedAttention) and mixer.window is not None:
            return replace(mixer, window=window)
        return mixer

    return map_mixers(model, change)


def with_dense_width(model: ModelSpec, width: int) -> ModelSpec:
    """Width of every dense MLP."""
    return map_ffns(model, lambda f: replace(f, width=width) if isinstance(f, Dense) else f)


def with_experts(model: ModelSpec, **values: int) -> ModelSpec:
    """Set fields of every MoE (``experts``, ``top_k``, ``width``, ``shared_width``)."""
    return map_ffns(model, lambda f: replace(f, **values) if isinstance(f, MoE) else f)
