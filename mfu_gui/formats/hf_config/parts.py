"""Parts that most readers share: attention, MLP, experts, which layer is what, and the whole decoder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.model import (
    MAX_LAYERS,
    Attention,
    Dense,
    Ffn,
    Head,
    Layer,
    Letter,
    Mixer,
    ModelSpec,
    MoE,
    MultiTokenPrediction,
    Stack,
    Vector,
)
from mfu_gui.engine.model_edit import run_lengths
from mfu_gui.formats.hf_config.access import Config

QKV: tuple[Letter, ...] = ("q", "k", "v")
QKVO: tuple[Letter, ...] = ("q", "k", "v", "o")
Mixers = Mapping[str, Mixer | tuple[Mixer, ...]]
Ffns = Mapping[str, Ffn | tuple[Ffn, ...]]

LAYER_TYPES = {"full_attention": "full", "sliding_attention": "sliding", "attention": "full"}
MLP_TYPES = {"dense": "dense", "sparse": "moe"}


def sizes(vocabulary: int, hidden: int, width: int | None, layers: int, heads: int, kv_heads: int | None = None,
          *, tied: bool = False, **more: Any) -> dict[str, Any]:
    """A table of class defaults from the six numbers every class has."""
    return {"vocab_size": vocabulary, "hidden_size": hidden, "intermediate_size": width,
            "num_hidden_layers": layers, "num_attention_heads": heads, "num_key_value_heads": kv_heads,
            "tie_word_embeddings": tied} | more


def letters(config: Config, key: str, which: tuple[Letter, ...] = QKVO) -> tuple[Letter, ...]:
    """``which`` biases where the flag is set, else none."""
    return which if config.flag(key) else ()


def checked_kv_heads(config: Config, heads: int, kv_heads: int, key: str = "num_key_value_heads") -> int:
    """``kv_heads``, refused where the heads cannot be divided among them."""
    if kv_heads > heads or heads % kv_heads:
        raise InputError("config_heads_divide", config.place(key), heads=heads, kv_heads=kv_heads)
    return kv_heads


def groups_of(config: Config, heads: int, key: str) -> int:
    """Groups that heads share, refused where the heads cannot be divided among them."""
    groups = config.integer(key)
    if heads % groups:
        raise InputError("not_divisible", config.place(key), value=heads, divisor=groups)
    return groups


def kv_heads_of(config: Config, heads: int, key: str = "num_key_value_heads") -> int:
    """KV heads from the file; null, or absent without a class default, means one for each head."""
    found = config.optional_integer(key)
    if found is None:
        if not config.has(key):
            config.assume(key, heads)
        return heads
    return checked_kv_heads(config, heads, found, key)


def head_dim_of(config: Config, hidden: int, heads: int, key: str = "head_dim") -> int:
    """The head size from the file or hidden / heads, which must then be whole."""
    found = config.optional_integer(key)
    if found is not None:
        return found
    if hidden % heads and not config.knows("head_dim_rounded"):
        raise InputError("config_head_dim", config.place("num_attention_heads"), hidden=hidden, heads=heads)
    return hidden // heads


def attention(config: Config, *, heads: int | None = None, kv_heads: int | None = None,
              head_dim: int | None = None, **more: Any) -> Attention:
    """Attention from the usual keys; what is given is not read."""
    hidden = config.integer("hidden_size")
    heads = config.integer("num_attention_heads") if heads is None else heads
    kv_heads = kv_heads_of(config, heads) if kv_heads is None else kv_heads
    head_dim = head_dim_of(config, hidden, heads) if head_dim is None else head_dim
    return Attention(heads=heads, kv_heads=kv_heads, head_dim=head_dim, **more)


def dense(config: Config, matrices: int = 3, *, biases: bool = False, width: int | None = None) -> Dense:
    """The MLP from ``intermediate_size``."""
    return Dense(width=config.integer("intermediate_size") if width is None else width,
                 matrices=3 if matrices == 3 else 2, biases=biases)


def moe(config: Config, *, experts: int | None = None, top_k: int | None = None, width: int | None = None,
        reachable: int = 0, **more: Any) -> MoE:
    """Experts from ``num_experts``, ``num_experts_per_tok`` and ``moe_intermediate_size`` (in the spellings
    of the type). ``reachable`` counts what the router can choose beside them."""
    experts = config.integer("num_experts") if experts is None else experts
    top_k = config.integer("num_experts_per_tok") if top_k is None else top_k
    width = config.integer("moe_intermediate_size") if width is None else width
    if top_k > experts + reachable:
        raise InputError("config_top_k", config.place("num_experts_per_tok"), top_k=top_k, experts=experts)
    return MoE(experts=experts, top_k=top_k, width=width, **more)


def with_shared_bias(config: Config, experts: MoE, biases: bool) -> MoE | tuple[Ffn, ...]:
    """``experts`` with biases on the shared ones alone."""
    if not biases or not experts.shared_width:
        return experts
    matrices = experts.shared_matrices or experts.matrices
    size = (matrices - 1) * experts.shared_width + config.integer("hidden_size")
    return experts, Vector(name="shared_biases", size=size, store="shared_experts")


def window_of(config: Config, key: str = "sliding_window") -> int | None:
    """The sliding window; null or 0 means none."""
    return config.optional_integer(key, 0) or None


def layer_types(config: Config, layers: int, default: Sequence[str],
                names: Mapping[str, str] = LAYER_TYPES) -> Sequence[str]:
    """The kind of each layer from ``layer_types``, else ``default``."""
    return config.choices("layer_types", names, layers) or default


def every(layers: int, period: int, one: str = "full", others: str = "sliding", offset: int = 0) -> list[str]:
    """``one`` for the last layer of each ``period``, ``others`` for the rest; period 0 or 1: all ``one``."""
    return [one if period <= 1 or (index + 1 + offset) % period == 0 else others for index in range(layers)]


def windowed(config: Config, kinds: Sequence[str], mixer: Mixer, key: str = "sliding_window") -> dict[str, Mixer]:
    """The mixer of each kind in ``kinds``: ``sliding`` is ``mixer`` with the window of the file."""
    mixers: dict[str, Mixer] = {"full": mixer}
    if "sliding" in kinds:
        window = window_of(config, key)
        if window is None:
            raise InputError("config_key_missing", config.place(key), key=key, model_type=config.model_type)
        mixers["sliding"] = with_window(mixer, window)
    return mixers


def with_window(mixer: Mixer, window: int | None) -> Mixer:
    """``mixer`` with another window."""
    from msgspec.structs import replace

    return replace(mixer, window=window)


def dense_before(config: Config, layers: int, key: str = "first_k_dense_replace") -> int:
    """How many layers, from the first on, are of the other kind: all, where there are fewer than the key says
    (models cut down for a trial keep the class default)."""
    return min(config.integer(key, 0, MAX_LAYERS), layers)


def first_dense(config: Config, layers: int) -> list[str]:
    """``mlp_layer_types``, else ``first_k_dense_replace`` and ``moe_layer_freq``."""
    listed = config.choices("mlp_layer_types", MLP_TYPES, layers)
    if listed is not None:
        return listed
    dense_layers = dense_before(config, layers)
    step = config.integer("moe_layer_freq", default=1) if config.has("moe_layer_freq") else 1
    return ["moe" if index >= dense_layers and index % step == 0 else "dense" for index in range(layers)]


def sparse_step(config: Config, layers: int) -> list[str]:
    """``decoder_sparse_step`` and ``mlp_only_layers`` (Qwen's MoE classes)."""
    step = config.integer("decoder_sparse_step", 0)
    only = set(config.integers("mlp_only_layers", maximum=layers - 1) or ())
    return ["moe" if index not in only and step and (index + 1) % step == 0 else "dense" for index in range(layers)]


def _as_tuple(part: Any) -> tuple[Any, ...]:
    return part if isinstance(part, tuple) else (part,)


def combine(layers: int, mixers: Mixers, ffns: Ffns, kinds: Sequence[str] | None, ffn_kinds: Sequence[str] | None,
            norms: int = 2, extra: int = 0, **more: Any) -> tuple[tuple[Layer, ...], tuple[tuple[str, int], ...]]:
    """Layer kinds and their order from the attention kind and the ffn kind of each layer.

    A kind is named after what varies: ``sliding``, ``moe``, ``sliding-moe``; ``layer`` if nothing does.
    ``more`` goes to each layer.
    """
    kinds = kinds or [next(iter(mixers))] * layers
    ffn_kinds = ffn_kinds or [next(iter(ffns))] * layers
    mixer_varies, ffn_varies = len(set(kinds)) > 1, len(set(ffn_kinds)) > 1
    found: dict[tuple[str, str], Layer] = {}
    order: list[str] = []
    for pair in zip(kinds, ffn_kinds, strict=True):
        layer = found.get(pair)
        if layer is None:
            words = [word for word, varies in zip(pair, (mixer_varies, ffn_varies), strict=True) if varies]
            layer = Layer(name="-".join(words) or "layer", mixers=_as_tuple(mixers[pair[0]]),
                          ffns=_as_tuple(ffns[pair[1]]), norms=norms, extra_parameters=extra, **more)
            found[pair] = layer
        order.append(layer.name)
    return tuple(found.values()), run_lengths(order)


def context_of(config: Config, key: str = "max_position_embeddings") -> int | None:
    """The context length where the file has one; it changes no count, so no default is assumed."""
    return config.optional_integer(key) if config.has(key) else None


def whole_model(config: Config, stack: Stack, *, head_bias: bool = False, mtp: int = 0, tied: bool | None = None,
                embedding_width: int | None = None, context: int | None = None) -> ModelSpec:
    """A model of one decoder stack with its vocabulary and head."""
    head = None
    if config.has_head:
        tied = config.flag("tie_word_embeddings") if tied is None else tied
        head = Head(tied=tied, bias=head_bias)
    prediction = MultiTokenPrediction(depths=mtp, layer=stack.order[-1][0]) if mtp else None
    return ModelSpec(vocabulary=config.integer("vocab_size"), stacks=(stack,), head=head,
                     embedding_width=embedding_width, multi_token_prediction=prediction,
                     context_length=context or context_of(config))


def decoder(config: Config, mixer: Mixer | Mixers, ffn: Ffn | Ffns, *, kinds: Sequence[str] | None = None,
            ffn_kinds: Sequence[str] | None = None, norms: int = 2, norm_vectors: Literal[0, 1, 2] = 1,
            final_norm: bool = True, embedding_norm: bool = False, positions: int = 0, extra: int = 0,
            parallel: bool = False, pre_norm: bool = True, **outer: Any) -> ModelSpec:
    """A decoder of ``num_hidden_layers`` layers.

    ``mixer`` and ``ffn`` are one part for all layers or parts by kind; ``kinds`` and ``ffn_kinds`` then
    name the kind of each layer. ``parallel``: attention and MLP read the layer's input side by side;
    ``pre_norm``: a norm stands before them. ``outer`` goes to ``whole_model``.
    """
    layers = config.layers()
    mixers: Mixers = mixer if isinstance(mixer, Mapping) else {"": mixer}
    ffns: Ffns = ffn if isinstance(ffn, Mapping) else {"": ffn}
    layer_kinds, order = combine(layers, mixers, ffns, kinds, ffn_kinds, norms, extra, pre_norm=pre_norm,
                                 parallel="all" if parallel else "none")
    stack = Stack(hidden_size=config.integer("hidden_size"), kinds=layer_kinds, order=order,
                  norm_vectors=norm_vectors, final_norm=final_norm, embedding_norm=embedding_norm,
                  position_table=positions)
    return whole_model(config, stack, **outer)
