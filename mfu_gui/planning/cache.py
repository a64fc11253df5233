"""What serving keeps and reads for every sequence: keys and values, latents, states."""

from __future__ import annotations

import msgspec

from mfu_gui.engine.model import (
    MLA,
    Attention,
    CompressedAttention,
    Indexer,
    Layer,
    Mamba1,
    Mamba2,
    Mixer,
    ModelSpec,
)
from mfu_gui.planning.kept import state_elements

STATE_BYTES = 4.0
"""Recurrent states are kept in fp32."""
INDEX_BYTES = 1.0
"""Keys of a sparse-attention indexer are kept in 8 bits (DeepSeek-V3.2)."""


class Cache(msgspec.Struct, frozen=True):
    """One sequence's cache at a context length, in bytes: kept, and read by one decode step.  ``per_token``
    is what one more token adds where no window or chunk is full."""

    stored: float
    read: float
    per_token: float


class _Part(msgspec.Struct, frozen=True):
    """Cache of one mixer: bytes a token, how many tokens at most are kept and read, and a constant part."""

    each: float = 0.0
    kept: int | None = None
    """Most tokens that are kept; None for all."""
    seen: int | None = None
    """Most tokens that are read."""
    constant: float = 0.0
    index: float = 0.0
    """Bytes a token that an indexer keeps and reads of all tokens."""


def cache_of(model: ModelSpec, context: int, kv_bytes: float = 2.0) -> Cache:
    """Cache of one sequence of ``context`` tokens over all layers of the main stack."""
    stored = read = per_token = 0.0
    times: dict[str, int] = {}
    for name, count in model.main.order:
        times[name] = times.get(name, 0) + count
    for name, count in times.items():
        for mixer in mixers_run(model.main.kind(name)):
            part = _part(mixer, model, kv_bytes)
            kept = context if part.kept is None else min(context, part.kept)
            seen = kept if part.seen is None else min(kept, part.seen)
            index = part.index * context
            stored += count * (part.each * kept + index + part.constant)
            read += count * (part.each * seen + index + part.constant)
            per_token += count * (part.each + part.index)
    return Cache(stored, read, per_token)


def mixers_run(layer: Layer) -> tuple[Mixer, ...]:
    """All mixers that one layer executes."""
    return layer.mixers + (layer.shared.mixers if layer.shared is not None else ())


def _part(mixer: Mixer, model: ModelSpec, kv_bytes: float) -> _Part:
    if isinstance(mixer, Attention):
        return _attention(mixer, model, kv_bytes)
    if isinstance(mixer, MLA):
        each = (mixer.kv_lora_rank + mixer.qk_rope_head_dim) * kv_bytes
        return _Part(each=each, kept=mixer.window, seen=_chosen(mixer.indexer), index=_index(mixer.indexer))
    if isinstance(mixer, CompressedAttention):
        return _compressed(mixer, kv_bytes)
    state = state_elements(mixer) * STATE_BYTES
    if isinstance(mixer, Mamba1 | Mamba2):
        inner = mixer.inner if isinstance(mixer, Mamba1) else mixer.heads * mixer.head_dim
        state += inner * mixer.conv * kv_bytes
    return _Part(constant=state)


def _attention(mixer: Attention, model: ModelSpec, kv_bytes: float) -> _Part:
    if not mixer.own_kv:
        return _Part()
    width = mixer.kv_heads * (mixer.head_dim + ((mixer.value_dim or mixer.head_dim) if mixer.own_v else 0))
    if mixer.keys_from != "self":
        # The source is read once; its keys and values stay for the whole answer.
        return _Part(constant=width * kv_bytes * (model.image_tokens or 0))
    limit = mixer.window if mixer.window is not None else mixer.chunk
    return _Part(each=width * kv_bytes, kept=limit, seen=_chosen(mixer.indexer), index=_index(mixer.indexer))


def _compressed(mixer: CompressedAttention, kv_bytes: float) -> _Part:
    """A window of plain keys and one entry for every ``rate`` tokens."""
    window = (mixer.window or 0) * mixer.head_dim * kv_bytes
    if mixer.rate is None:
        return _Part(constant=window)
    entry = mixer.head_dim * kv_bytes / mixer.rate
    chosen = _chosen(mixer.indexer)
    index = _index(mixer.indexer) / mixer.rate
    return _Part(each=entry, seen=None if chosen is None else chosen * mixer.rate, constant=window, index=index)


def _chosen(indexer: Indexer | None) -> int | None:
    return None if indexer is None else indexer.top_k


def _index(indexer: Indexer | None) -> float:
    return 0.0 if indexer is None or not indexer.own else indexer.head_dim * INDEX_BYTES
