"""ModelSpec: the shape of a model, as data.

A model is one or more *stacks* of layers (decoder, encoder, vision).  A stack names its layer
*kinds* and gives their run-length *order*, so that order and repetition are data: DeepSeek-V3 is
``order=(("dense", 3), ("moe", 58))``.  A layer holds *mixers* (what moves information between
positions: attention, state space, …) and *ffns* (what works on each position: a dense MLP, a
mixture of experts).  All widths are counts of elements.

Everything is immutable and hashable; a hash is computed once per object.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

MAX_WIDTH = 10**9
MAX_LAYERS = 100_000
Width = Annotated[int, msgspec.Meta(ge=1, le=MAX_WIDTH)]
Count = Annotated[int, msgspec.Meta(ge=0, le=MAX_WIDTH)]
Letter = Literal["q", "k", "v", "o", "g", "q_a", "q_b", "kv_a", "kv_b"]


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, cache_hash=True,
             omit_defaults=True):
    """Base of all parts of a model: immutable, hash computed once, unknown keys refused."""


class Indexer(Record, frozen=True, kw_only=True, tag_field="type", tag="indexer"):
    """Sparse-attention indexer (DeepSeek-V3.2, GLM-5): scores all visible keys with small heads,
    after which each query attends to its ``top_k`` best keys only."""

    heads: Width
    head_dim: Width
    top_k: Width
    own: bool = True
    """False: the indices of an earlier layer are used again; the layer has no indexer of its own."""


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
    """Chunked attention (Llama 4): a query sees the keys of its own chunk up to itself."""
    mask: Literal["causal", "bidirectional"] = "causal"
    keys_from: Literal["self", "encoder", "image"] = "self"
    """Where keys and values come from; not ``self`` is cross-attention."""
    keys_width: Width | None = None
    """Hidden size of the source of the keys where it differs from the stack's own."""
    own_kv: bool = True
    """False: keys and values of an earlier layer are used again (KV sharing)."""
    own_q: bool = True
    gate: Literal["none", "elementwise", "per_head"] = "none"
    """Output gate computed from the layer's input (Qwen3-Next: elementwise, ``hidden × heads·value_dim``)."""
    biases: tuple[Letter, ...] = ()
    qk_norm: Literal["none", "per_head_dim", "full"] = "none"
    """Norm on queries and keys: one weight per head_dim, or one per head and head_dim."""
    qk_norm_bias: bool = False
    sinks: bool = False
    """One learned sink logit a head (gpt-oss)."""
    relative_buckets: Count = 0
    """Rows of a learned relative-position table, ``buckets × heads`` (T5 stores it in layer 0)."""
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


class Dense(Record, frozen=True, kw_only=True, tag_field="type", tag="dense"):
    """Dense MLP: ``matrices`` 3 for gated (SwiGLU, GeGLU), 2 for plain; each ``hidden × width``."""

    width: Width
    matrices: Literal[2, 3] = 3
    biases: bool = False


class MoE(Record, frozen=True, kw_only=True, tag_field="type", tag="moe"):
    """Mixture of experts: ``top_k`` of ``experts`` a token, plus shared experts that always run."""

    experts: Width
    top_k: Width
    width: Width
    matrices: Literal[2, 3] = 3
    shared_width: Count = 0
    """Total width of the shared experts (number × width of one)."""
    shared_matrices: Literal[2, 3] | None = None
    shared_gate: bool = False
    """A ``hidden × 1`` gate on the shared expert (Qwen-MoE)."""
    biases: bool = False
    router: bool = True
    router_bias: bool = False
    router_buffer: bool = False
    """A correction bias per expert that is stored but not trained by gradient (DeepSeek-V3)."""
    identity_experts: Count = 0
    """Zero-compute experts the router can also choose (LongCat-Flash)."""
    latent_width: Width | None = None
    """Experts act on a latent of this width, with one projection down and one up (Nemotron 3)."""
    runs_all_experts: bool = False
    """The reference implementation multiplies every token by every expert (Llama 4); only
    ``as_executed`` counts that."""


Mixer = Attention | MLA
Ffn = Dense | MoE


class Layer(Record, frozen=True, kw_only=True):
    """One kind of layer; ``norms`` counts its hidden-wide normalisations."""

    name: str = "layer"
    mixers: tuple[Mixer, ...] = ()
    ffns: tuple[Ffn, ...] = ()
    norms: Count = 2
    extra_parameters: Count = 0
    """Learned vectors of a layer that no product uses (scales, skips)."""


class Stack(Record, frozen=True, kw_only=True):
    """Layers of one width that run over one axis of positions."""

    name: Literal["decoder", "encoder", "vision"] = "decoder"
    axis: Literal["text", "decoder", "encoder", "frame", "patch"] = "text"
    hidden_size: Width
    kinds: tuple[Layer, ...]
    order: tuple[tuple[str, Annotated[int, msgspec.Meta(ge=1, le=MAX_LAYERS)]], ...]
    norm_vectors: Literal[0, 1, 2] = 1
    """Learned vectors per norm: 1 RMSNorm, 2 LayerNorm with bias, 0 none."""
    final_norm: bool = True
    embedding_norm: bool = False
    position_table: Count = 0
    """Rows of a learned position table of this stack's width."""

    def layer_count(self) -> int:
        """Number of layers executed."""
        return sum(count for _, count in self.order)

    def kind(self, name: str) -> Layer:
        """The layer kind with this name; KeyError when the order names one that is not there."""
        for layer in self.kinds:
            if layer.name == name:
                return layer
        raise KeyError(name)


class Head(Record, frozen=True, kw_only=True):
    """The LM head: ``hidden × vocabulary``; tied heads store no matrix but multiply all the same."""

    tied: bool = False
    bias: bool = False
    transform: bool = False
    """A dense ``hidden × hidden`` with bias and a norm before the head (BERT)."""
    stack: Literal["decoder", "encoder", "vision"] = "decoder"


class MultiTokenPrediction(Record, frozen=True, kw_only=True):
    """Extra prediction depths after the main model: each joins the hidden state with the next
    embedding (``2·hidden × hidden``), runs one layer of kind ``layer`` and uses the head again."""

    depths: Width
    layer: str


class ModelSpec(Record, frozen=True, kw_only=True):
    """A whole model.

    ``vocabulary`` 0 means no token embedding and no head.  ``embedding_width`` differs from the
    hidden size when input and output are factorised (OPT-350M): two projections join them.
    """

    name: str = ""
    vocabulary: Count = 0
    embedding_width: Width | None = None
    token_types: Count = 0
    """Rows of a token-type table (BERT)."""
    stacks: tuple[Stack, ...]
    head: Head | None = Head()
    multi_token_prediction: MultiTokenPrediction | None = None
    context_length: Width | None = None
    """Longest sequence the model was made for; only a warning depends on it."""

    def stack(self, name: str) -> Stack | None:
        """The stack with this name, or None."""
        for stack in self.stacks:
            if stack.name == name:
                return stack
        return None

    @property
    def main(self) -> Stack:
        """The stack that carries the text: the decoder, else the first."""
        return self.stack("decoder") or self.stacks[0]
