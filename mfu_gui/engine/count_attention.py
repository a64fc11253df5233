"""What one attention or MLA mixer adds to the ledger.

Sources: grouped-query attention shapes, arXiv 2305.13245; multi-head latent attention, arXiv
2405.04434; sparse-attention indexer, DeepSeek-V3.2 report (2025).  The core (QKᵀ, AV) runs over all
query heads however few KV heads there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mfu_gui.engine.builder import Builder, Scope
from mfu_gui.engine.model import MLA, Attention, CompressedAttention, Indexer, RelativeKeys, SpanConvolution
from mfu_gui.engine.terms import Axis, Measure
from mfu_gui.engine.training import FROZEN

KEYS_AXIS: dict[str, Axis] = {"encoder": "encoder", "image": "image"}


def _keys_axis(mixer: Attention, build: Builder) -> Axis:
    return build.axis if mixer.keys_from == "self" else build.source_axis(KEYS_AXIS[mixer.keys_from])


def count_attention(mixer: Attention, build: Builder) -> bool:
    """Add q, k, v, o, gate, biases, norms, sinks, the relative table and the core."""
    own = build.stored
    build.stored = own if mixer.stored else 0
    out = _count_attention(mixer, build)
    build.stored = own
    return out


def _count_attention(mixer: Attention, build: Builder) -> bool:
    value = mixer.value_dim or mixer.head_dim
    q_width, o_width = mixer.heads * mixer.head_dim, mixer.heads * value
    keys_axis = _keys_axis(mixer, build)
    proj = build.scope("attention_proj", "attention")
    query = proj.matrix("q", build.inputs, q_width, bias="q" in mixer.biases) if mixer.own_q else True
    keys, values = _count_keys(mixer, value, keys_axis, proj, build)
    _count_norms(mixer, q_width, build)
    normed = mixer.qk_norm != "none" and build.policy.weights
    if mixer.sinks:
        proj.vector("sinks", mixer.heads)
    if mixer.relative_buckets:
        build.scope("attention_proj", "position_embedding").vector(
            "relative", mixer.relative_buckets * mixer.heads, kind="table")
    pairs = _pairs(mixer, build, keys_axis)
    if mixer.relative_keys is not None:
        _count_relative(mixer.relative_keys, mixer, pairs, build, query, keys)
    halves = 2 if mixer.differential else 1
    out = _count_core(mixer.heads, mixer.head_dim * (halves if build.as_executed else 1), value * halves, pairs, build,
                      query or normed, keys or normed, values)
    if mixer.gate != "none":
        gate = proj.matrix("gate", build.inputs, o_width if mixer.gate == "elementwise" else mixer.heads,
                           bias="g" in mixer.biases)
        out = out or gate
    if mixer.own_o:
        out = proj.matrix("o", o_width, build.hidden, bias="o" in mixer.biases, needs=out)
    if mixer.indexer is not None:
        _count_indexer(mixer.indexer, build.inputs, build.inputs, build)
    return out


def _count_keys(mixer: Attention, value: int, keys_axis: Axis, proj: Scope, build: Builder) -> tuple[bool, bool]:
    """Keys and values; shared ones need their gradient for the layer that made them."""
    if not mixer.own_kv:
        return True, True
    width = mixer.keys_width or build.inputs
    needs = build.x if mixer.keys_from == "self" else build.sources.get(mixer.keys_from, True)
    keys = proj.matrix("k", width, mixer.kv_heads * mixer.head_dim, bias="k" in mixer.biases, axis=keys_axis,
                       needs=needs)
    if not mixer.own_v:
        return keys, keys
    return keys, proj.matrix("v", width, mixer.kv_heads * value, bias="v" in mixer.biases, axis=keys_axis,
                             needs=needs)


def _pairs(mixer: Attention, build: Builder, keys_axis: Axis) -> Measure:
    cross = keys_axis != build.axis
    return Measure("pairs", build.axis, keys_axis if cross else None,
                   "bidirectional" if cross else mixer.mask, mixer.window, mixer.chunk,
                   mixer.indexer.top_k if mixer.indexer else None)


def _count_relative(relative: RelativeKeys, mixer: Attention, pairs: Measure, build: Builder, query: bool,
                    keys: bool) -> None:
    """Positions as keys for the queries and as queries for the keys, each by its matrix."""
    rows, width = relative.rows, mixer.heads * mixer.head_dim
    scope, scores = build.scope("attention_proj", "attention"), build.scope("attention_qk", "attention")
    once = Measure("sequences" if rows else "positions", build.axis)
    each = Measure("positions", build.axis) if rows else pairs
    for part, by, other in (("k", relative.keys, query), ("q", relative.queries, keys)):
        if by == "none":
            continue
        own, build.stored = build.stored, build.stored if by == "own" else 0
        table = scope.matrix(f"relative_{part}", build.inputs, width, bias=part in relative.biases,
                             needs=relative.trained, measure=once, times=rows or 2)
        build.stored = own
        scores.product(f"relative_{part}_scores", 2 * width * (rows or 2), each, first=other, second=table)


def _count_norms(mixer: Attention, q_width: int, build: Builder) -> None:
    if mixer.qk_norm == "none":
        return
    full = mixer.qk_norm == "full"
    vectors = 2 if mixer.qk_norm_bias else 1
    norms = build.scope("norms", "norms")
    if mixer.own_q:
        norms.vector("q_norm", (q_width if full else mixer.head_dim) * vectors, kind="norm")
    if mixer.own_kv:
        kv_width = mixer.kv_heads * mixer.head_dim
        norms.vector("k_norm", (kv_width if full else mixer.head_dim) * vectors, kind="norm")


def _count_core(heads: int, qk_dim: int, value_dim: int, pairs: Measure, build: Builder, query: bool, keys: bool,
                values: bool) -> bool:
    scores = build.scope("attention_qk", "attention").product("scores", 2 * heads * qk_dim, pairs, first=query,
                                                              second=keys)
    return build.scope("attention_av", "attention").product("values", 2 * heads * value_dim, pairs, first=scores,
                                                            second=values)


def count_mla(mixer: MLA, build: Builder) -> bool:
    """Add the low-rank projections, their norms and the core of latent attention."""
    hidden, heads = build.inputs, mixer.heads
    qk_dim = mixer.qk_nope_head_dim + mixer.qk_rope_head_dim
    proj, norms = build.scope("attention_proj", "attention"), build.scope("norms", "norms")
    normed = mixer.latent_norms and build.policy.weights
    if mixer.q_lora_rank is None:
        query = proj.matrix("q", hidden, heads * qk_dim, bias="q" in mixer.biases)
    else:
        latent = proj.matrix("q_a", hidden, mixer.q_lora_rank, bias="q_a" in mixer.biases)
        query = proj.matrix("q_b", mixer.q_lora_rank, heads * qk_dim, bias="q_b" in mixer.biases,
                            needs=latent or normed)
        if mixer.latent_norms:
            norms.vector("q_a_norm", mixer.q_lora_rank, kind="norm")
    latent = proj.matrix("kv_a", hidden, mixer.kv_lora_rank + mixer.qk_rope_head_dim, bias="kv_a" in mixer.biases)
    keys = proj.matrix("kv_b", mixer.kv_lora_rank, heads * (mixer.qk_nope_head_dim + mixer.value_dim),
                       bias="kv_b" in mixer.biases, needs=latent or normed)
    if mixer.latent_norms:
        norms.vector("kv_a_norm", mixer.kv_lora_rank, kind="norm")
    pairs = Measure("pairs", build.axis, None, "causal", mixer.window, None,
                    mixer.indexer.top_k if mixer.indexer else None)
    out = _count_core(heads, qk_dim, mixer.value_dim, pairs, build, query, keys or latent, keys)
    if mixer.gate != "none":
        gate = proj.matrix("gate", hidden, heads * mixer.value_dim if mixer.gate == "elementwise" else heads,
                           bias="g" in mixer.biases)
        out = out or gate
    out = proj.matrix("o", heads * mixer.value_dim, build.hidden, bias="o" in mixer.biases, needs=out)
    if mixer.indexer is not None:
        _count_indexer(mixer.indexer, hidden, mixer.q_lora_rank or hidden, build)
    return out


@contextmanager
def _apart(build: Builder) -> Iterator[None]:
    """An indexer learns by a loss of its own, cut off from what it reads: its weights have gradients, its
    inputs none.  Reference code has no such loss, and no gradient passes through a choice of keys, so as
    executed only its forward runs."""
    policy, x = build.policy, build.x
    build.policy, build.x = FROZEN if build.as_executed else policy, False
    yield
    build.policy, build.x = policy, x


def _count_indexer(indexer: Indexer, hidden: int, query_width: int, build: Builder) -> None:
    """The indexer: queries from the latent, one key head, a weight per head, all visible pairs."""
    if not indexer.own:
        return
    with _apart(build):
        _count_index_heads(indexer, hidden, query_width, build)


def _count_index_heads(indexer: Indexer, hidden: int, query_width: int, build: Builder) -> None:
    scope = build.scope("attention_indexer", "attention")
    query = scope.matrix("index_q", query_width, indexer.heads * indexer.head_dim)
    key = scope.matrix("index_k", hidden, indexer.head_dim)
    if indexer.head_weights:
        scope.matrix("index_weights", hidden, indexer.heads)
    norms = build.scope("norms", "norms")
    vectors = 2 if indexer.norm_bias else 1
    norms.vector("index_k_norm", vectors * indexer.head_dim, kind="norm")
    if indexer.query_norm:
        norms.vector("index_q_norm", vectors * indexer.head_dim, kind="norm")
    scores = scope.product("index_scores", 2 * indexer.heads * indexer.head_dim, Measure("pairs", build.axis),
                           first=query, second=key)
    if indexer.head_weights:
        scope.product("index_sum", 2 * indexer.heads, Measure("pairs", build.axis), first=scores, second=scores)


def count_compressed(mixer: CompressedAttention, build: Builder) -> bool:
    """Add the low-rank projections, the compressor, the window and the compressed entries."""
    hidden, heads, dim = build.inputs, mixer.heads, mixer.head_dim
    proj, norms = build.scope("attention_proj", "attention"), build.scope("norms", "norms")
    normed = build.policy.weights
    latent = proj.matrix("q_a", hidden, mixer.q_lora_rank) or normed
    query = proj.matrix("q_b", mixer.q_lora_rank, heads * dim, needs=latent)
    keys = proj.matrix("kv", hidden, dim) or normed
    norms.vector("q_a_norm", mixer.q_lora_rank, kind="norm")
    norms.vector("kv_norm", dim, kind="norm")
    if mixer.sinks:
        proj.vector("sinks", heads)
    out = _count_core(heads, dim, dim, Measure("pairs", build.axis, window=mixer.window), build, query, keys, keys)
    if mixer.rate is not None:
        entries = _count_compressor(build, "compress", dim * (1 + mixer.overlap), dim, mixer.rate)
        seen = Measure("pairs", build.axis, top_k=mixer.indexer.top_k if mixer.indexer else None, stride=mixer.rate)
        out = _count_core(heads, dim, dim, seen, build, query, entries, entries) or out
        if mixer.indexer is not None:
            with _apart(build):
                _count_compressed_indexer(mixer.indexer, mixer, build)
    part = heads * dim // mixer.groups
    out = proj.matrix("o_a", part, mixer.o_lora_rank, copies=mixer.groups, used=mixer.groups, needs=out)
    return proj.matrix("o", mixer.groups * mixer.o_lora_rank, build.hidden, needs=out)


def _count_compressor(build: Builder, part: str, width: int, dim: int, rate: int) -> bool:
    """Values and weights of the compressed entries; their sum is elementwise."""
    component = "attention_proj" if part == "compress" else "attention_indexer"
    scope = build.scope(component, "attention")
    entries = scope.matrix(f"{part}_kv", build.inputs, width)
    entries = scope.matrix(f"{part}_gate", build.inputs, width) or entries
    scope.vector(f"{part}_positions", rate * width)
    build.scope("norms", "norms").vector(f"{part}_norm", dim, kind="norm")
    return entries or build.policy.weights


def _count_compressed_indexer(indexer: Indexer, mixer: CompressedAttention, build: Builder) -> None:
    """Small heads over compressed keys of their own."""
    rate, dim = mixer.rate or 1, indexer.head_dim
    keys = _count_compressor(build, "index", dim * (1 + mixer.overlap), dim, rate)
    scope = build.scope("attention_indexer", "attention")
    query = scope.matrix("index_q", mixer.q_lora_rank, indexer.heads * dim)
    scope.matrix("index_weights", build.inputs, indexer.heads)
    scope.product("index_scores", 2 * indexer.heads * dim, Measure("pairs", build.axis, stride=rate), first=query,
                  second=keys)


def count_span_convolution(mixer: SpanConvolution, build: Builder) -> bool:
    """Keys, kernels, values, and a weighted sum over ``kernel`` neighbours at each position.

    The queries are those of the attention beside it, which reads the same input.
    """
    width = mixer.heads * mixer.head_dim
    proj, convolution = build.scope("attention_proj", "attention"), build.scope("attention_conv", "attention")
    keys = convolution.matrix("key_depthwise", mixer.kernel, build.inputs)
    keys = proj.matrix("key_pointwise", build.inputs, width, bias=True, needs=keys)
    kernels = proj.matrix("kernels", width, mixer.heads * mixer.kernel, bias=True, needs=keys)
    values = proj.matrix("span_values", build.inputs, width, bias=True)
    return convolution.product("span", 2 * mixer.kernel * width, build.positions(), first=kernels, second=values)
