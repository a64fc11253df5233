"""What one attention or MLA mixer adds to the ledger.

Sources: grouped-query attention shapes, arXiv 2305.13245; multi-head latent attention, arXiv
2405.04434; sparse-attention indexer, DeepSeek-V3.2 report (2025).  The core (QKᵀ, AV) runs over all
query heads however few KV heads there are.
"""

from __future__ import annotations

from mfu_gui.engine.builder import Builder
from mfu_gui.engine.model import MLA, Attention, Indexer
from mfu_gui.engine.terms import Axis, Measure

KEYS_AXIS: dict[str, Axis] = {"encoder": "encoder", "image": "image"}


def _keys_axis(mixer: Attention, build: Builder) -> Axis:
    return build.axis if mixer.keys_from == "self" else build.source_axis(KEYS_AXIS[mixer.keys_from])


def count_attention(mixer: Attention, build: Builder) -> None:
    """Add q, k, v, o, gate, biases, norms, sinks, the relative table and the core."""
    hidden, value = build.hidden, mixer.value_dim or mixer.head_dim
    q_width, kv_width = mixer.heads * mixer.head_dim, mixer.kv_heads * mixer.head_dim
    v_width, o_width = mixer.kv_heads * value, mixer.heads * value
    keys_axis = _keys_axis(mixer, build)
    keys_width = mixer.keys_width or hidden
    proj = build.scope("attention_proj", "attention")
    if mixer.own_q:
        proj.matrix("q", hidden, q_width, bias="q" in mixer.biases)
    if mixer.own_kv:
        proj.matrix("k", keys_width, kv_width, bias="k" in mixer.biases, axis=keys_axis)
        proj.matrix("v", keys_width, v_width, bias="v" in mixer.biases, axis=keys_axis)
    proj.matrix("o", o_width, hidden, bias="o" in mixer.biases)
    if mixer.gate != "none":
        proj.matrix("gate", hidden, o_width if mixer.gate == "elementwise" else mixer.heads,
                    bias="g" in mixer.biases)
    _count_norms(mixer, q_width, kv_width, build)
    if mixer.sinks:
        proj.vector("sinks", mixer.heads)
    if mixer.relative_buckets:
        build.scope("attention_proj", "position_embedding").vector(
            "relative", mixer.relative_buckets * mixer.heads, kind="table")
    _count_core(mixer.heads, mixer.head_dim, value, _pairs(mixer, build, keys_axis), build)
    if mixer.indexer is not None:
        _count_indexer(mixer.indexer, hidden, hidden, build)


def _pairs(mixer: Attention, build: Builder, keys_axis: Axis) -> Measure:
    cross = keys_axis != build.axis
    return Measure("pairs", build.axis, keys_axis if cross else None,
                   "bidirectional" if cross else mixer.mask, mixer.window, mixer.chunk,
                   mixer.indexer.top_k if mixer.indexer else None)


def _count_norms(mixer: Attention, q_width: int, kv_width: int, build: Builder) -> None:
    if mixer.qk_norm == "none":
        return
    full = mixer.qk_norm == "full"
    vectors = 2 if mixer.qk_norm_bias else 1
    norms = build.scope("norms", "norms")
    norms.vector("q_norm", (q_width if full else mixer.head_dim) * vectors, kind="norm")
    if mixer.own_kv:
        norms.vector("k_norm", (kv_width if full else mixer.head_dim) * vectors, kind="norm")


def _count_core(heads: int, qk_dim: int, value_dim: int, pairs: Measure, build: Builder) -> None:
    build.scope("attention_qk", "attention").product("scores", 2 * heads * qk_dim, pairs)
    build.scope("attention_av", "attention").product("values", 2 * heads * value_dim, pairs)


def count_mla(mixer: MLA, build: Builder) -> None:
    """Add the low-rank projections, their norms and the core of latent attention."""
    hidden, heads = build.hidden, mixer.heads
    qk_dim = mixer.qk_nope_head_dim + mixer.qk_rope_head_dim
    proj, norms = build.scope("attention_proj", "attention"), build.scope("norms", "norms")
    if mixer.q_lora_rank is None:
        proj.matrix("q", hidden, heads * qk_dim, bias="q" in mixer.biases)
    else:
        proj.matrix("q_a", hidden, mixer.q_lora_rank, bias="q_a" in mixer.biases)
        proj.matrix("q_b", mixer.q_lora_rank, heads * qk_dim, bias="q_b" in mixer.biases)
        if mixer.latent_norms:
            norms.vector("q_a_norm", mixer.q_lora_rank, kind="norm")
    proj.matrix("kv_a", hidden, mixer.kv_lora_rank + mixer.qk_rope_head_dim, bias="kv_a" in mixer.biases)
    proj.matrix("kv_b", mixer.kv_lora_rank, heads * (mixer.qk_nope_head_dim + mixer.value_dim),
                bias="kv_b" in mixer.biases)
    if mixer.latent_norms:
        norms.vector("kv_a_norm", mixer.kv_lora_rank, kind="norm")
    proj.matrix("o", heads * mixer.value_dim, hidden, bias="o" in mixer.biases)
    if mixer.gate != "none":
        proj.matrix("gate", hidden, heads * mixer.value_dim if mixer.gate == "elementwise" else heads,
                    bias="g" in mixer.biases)
    pairs = Measure("pairs", build.axis, None, "causal", mixer.window, None,
                    mixer.indexer.top_k if mixer.indexer else None)
    _count_core(heads, qk_dim, mixer.value_dim, pairs, build)
    if mixer.indexer is not None:
        _count_indexer(mixer.indexer, hidden, mixer.q_lora_rank or hidden, build)


def _count_indexer(indexer: Indexer, hidden: int, query_width: int, build: Builder) -> None:
    """The indexer: queries from the latent, one key head, a weight per head, all visible pairs."""
    if not indexer.own:
        return
    scope = build.scope("attention_indexer", "attention")
    scope.matrix("index_q", query_width, indexer.heads * indexer.head_dim)
    scope.matrix("index_k", hidden, indexer.head_dim)
    scope.matrix("index_weights", hidden, indexer.heads)
    build.scope("norms", "norms").vector("index_k_norm", 2 * indexer.head_dim, kind="norm")
    scope.product("index_scores", 2 * indexer.heads * indexer.head_dim, Measure("pairs", build.axis))
