"""Mixers that score queries against keys: attention, latent attention, the sparse-attention indexer."""

from __future__ import annotations

from typing import Literal

from mfu_gui.engine.model.base import Count, Record, Width

Letter = Literal["q", "k", "v", "o", "g", "q_a", "q_b", "kv_a", "kv_b"]


class Indexer(Record, frozen=True, kw_only=True, tag_field="type", tag="indexer"):
    """Sparse-attention indexer (DeepSeek-V3.2, GLM-5): scores all visible keys with small heads,
    after which each query attends to its ``top_k`` best keys only."""

    heads: Width
    head_dim: Width
    top_k: Width
    own: bool = True
    """False: the indices of an earlier layer are used again; the layer has no indexer of its own."""
    head_weights: bool = True
    """A learned weight per head, computed from the layer's input (``hidden × heads``)."""
    query_norm: bool = False
    """A norm on the indexer's queries beside the one on its key."""
    norm_bias: bool = True


class RelativeKeys(Record, frozen=True, kw_only=True):
    """Scores of queries and keys against vectors of relative positions, beside those against each other
    (DeBERTa, arXiv 2006.03654; XLNet, arXiv 1906.08237).

    The vectors, ``rows`` of them or two for each position, pass through matrices of the width of the keys
    and queries once a sequence.
    """

    rows: Width | None = None
    """Rows of the table of relative positions; None: two for each position of the sequence."""
    trained: bool = True
    """Whether the vectors are learned: sines need no gradient."""
    keys: Literal["none", "own", "shared"] = "own"
    """Whether queries are scored against the table, and by which matrix: one of its own or that of the keys."""
    queries: Literal["none", "own", "shared"] = "none"
    """Whether keys are scored against the table, and by which matrix: one of its own or that of the queries."""
    biases: tuple[Letter, ...] = ()
    """Which of its own matrices have a bias: k, q."""


class Attention(Record, frozen=True, kw_only=True, tag_field="type", tag="attention"):
    """Multi-head attention: MHA, GQA and MQA by ``kv_heads``.

    Shapes: q ``hidden × heads·head_dim``, k ``hidden × kv_heads·head_dim``,
    v ``hidden × kv_heads·value_dim``, o ``heads·value_dim × hidden``.
    """

    heads: Width
    kv_heads: Width
    head_dim: Width
    value_dim: Width | None = None
    """Width of one value head where it differs from ``head_dim`` (MiMo-V2: 192 / 128)."""
    window: Width | None = None
    """Sliding window: a query sees itself and the ``window − 1`` keys before it."""
    chunk: Width | None = None
    """Chunked attention: a query sees the keys of its own chunk up to itself (Llama 4), all of them where
    the mask is bidirectional (the windows of Qwen2.5-VL's tower)."""
    mask: Literal["causal", "bidirectional"] = "causal"
    keys_from: Literal["self", "encoder", "image"] = "self"
    """Where keys and values come from; not ``self`` is cross-attention."""
    keys_width: Width | None = None
    """Hidden size of the source of the keys where it differs from the stack's own."""
    own_kv: bool = True
    """False: keys and values of an earlier layer are used again (KV sharing)."""
    own_v: bool = True
    """False: the values are the keys (Gemma 4's global layers); the layer has no v matrix."""
    own_q: bool = True
    own_o: bool = True
    """False: the heads' outputs are the layer's output (no o matrix)."""
    gate: Literal["none", "elementwise", "per_head"] = "none"
    """Output gate computed from the layer's input (Qwen3-Next: elementwise, ``hidden × heads·value_dim``)."""
    biases: tuple[Letter, ...] = ()
    stored: bool = True
    """False: its matrices are those of the mixer before it, used once more on other keys (T5Gemma 2)."""
    differential: bool = False
    """Heads in pairs, of which one is taken off the other: each reads the values of both, twice as wide
    (Differential Transformer, arXiv 2410.05258). Reference code scores for each half anew (``as_executed``)."""
    qk_norm: Literal["none", "per_head_dim", "full"] = "none"
    """Norm on queries and keys: one weight per head_dim, or one per head and head_dim."""
    qk_norm_bias: bool = False
    sinks: bool = False
    """One learned sink logit a head (gpt-oss)."""
    relative_buckets: Count = 0
    """Rows of a learned relative-position table, ``buckets × heads`` (T5 stores it in layer 0)."""
    relative_keys: RelativeKeys | None = None
    """Scores against a table of relative positions (DeBERTa)."""
    indexer: Indexer | None = None


class MLA(Record, frozen=True, kw_only=True, tag_field="type", tag="mla"):
    """Multi-head latent attention in its expanded (training) form.

    q: ``hidden × q_lora_rank`` then ``q_lora_rank × heads·(nope+rope)``, or one matrix when
    ``q_lora_rank`` is null; kv: ``hidden × (kv_lora_rank+rope)`` then
    ``kv_lora_rank × heads·(nope+value)``; o: ``heads·value × hidden``.
    """

    heads: Width
    q_lora_rank: Width | None = None
    kv_lora_rank: Width
    qk_nope_head_dim: Width
    qk_rope_head_dim: Count
    value_dim: Width
    window: Width | None = None
    biases: tuple[Letter, ...] = ()
    latent_norms: bool = True
    gate: Literal["none", "elementwise", "per_head"] = "none"
    indexer: Indexer | None = None


class CompressedAttention(Record, frozen=True, kw_only=True, tag_field="type", tag="compressed_attention"):
    """Attention to a sliding window and to compressed entries of all that came before (DeepSeek-V4).

    q ``hidden × q_lora_rank``, then ``q_lora_rank × heads·head_dim``; one key head that is the value as
    well, ``hidden × head_dim``; o in ``groups`` blocks of ``heads·head_dim/groups × o_lora_rank``, then
    ``groups·o_lora_rank × hidden``.  Every ``rate`` positions become one entry, a weighted mean of one
    projection with weights from another, ``hidden × head_dim`` each, twice as wide where neighbouring
    entries ``overlap``.  Without a ``rate`` only the window is seen.  The ``indexer`` has compressed
    entries of its own, by which each query chooses ``top_k`` of them.
    """

    heads: Width
    head_dim: Width
    q_lora_rank: Width
    o_lora_rank: Width
    groups: Width = 1
    window: Width | None = None
    rate: Width | None = None
    overlap: bool = False
    indexer: Indexer | None = None
    sinks: bool = True


class SpanConvolution(Record, frozen=True, kw_only=True, tag_field="type", tag="span_convolution"):
    """Convolution by kernels that each position computes, one for each head (ConvBERT, arXiv 2008.02496).

    Keys: a depthwise convolution over ``kernel`` positions, then ``hidden × heads·head_dim``. They and the queries
    of the attention beside it, multiplied with each other, give the kernels by ``heads·head_dim × heads·kernel``;
    these weigh values, ``hidden × heads·head_dim``, of as many neighbours.
    """

    heads: Width
    head_dim: Width
    kernel: Width
