"""How many parameters each layer holds and over which devices each of them is spread.

Counted by the ledger's own counters, one layer kind at a time, so that all stages together hold
exactly the ledger's parameters.  ``Bucket`` sums what is sharded, trained and optimized alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Literal

import msgspec
from msgspec.structs import replace

from mfu_gui.engine.builder import Builder
from mfu_gui.engine.count_layers import count_layer, count_part
from mfu_gui.engine.ledger import ledger
from mfu_gui.engine.model import MLSTM, Attention, KimiDeltaAttention, Layer, Mixer, ModelSpec, SharedBlock, Stack
from mfu_gui.engine.model.ffn import Ffn
from mfu_gui.engine.run import Trainable
from mfu_gui.engine.terms import Term
from mfu_gui.engine.training import FULL, Plan, Policy, plan_of

Sharding = Literal["tensor", "keys", "experts", "none"]
Place = Literal["first", "last"]

REPLICATED_MATRICES = frozenset({
    "router", "shared_gate", "q_a", "kv_a", "kv", "compress_kv", "compress_gate", "index_q", "index_k",
    "index_weights", "index_kv", "index_gate", "stream_weights"})
"""Matrices that tensor parallelism copies: routers, the way down to a latent, a key head that all share."""
ROW_PARALLEL = frozenset({"o", "down", "out", "output", "ssm_out", "linear_out", "conv_out"})
"""Matrices split along their input; their bias is not split."""
LAST_PARTS = frozenset({"lm_head", "lm_head_transform", "clip_head"})
ADAPTERS = ("_lora_a", "_lora_b")


class Bucket(msgspec.Struct, frozen=True):
    """Parameters that are treated alike.

    ``limit`` bounds the shards of keys and values (there are only so many KV heads).  ``matrix``: hidden
    matrices, which Muon treats apart.  ``factored``: elements that a factored second moment of them has.
    """

    sharding: Sharding
    limit: int
    trained: bool
    matrix: bool
    elements: int
    factored: int


Buckets = tuple[Bucket, ...]


class Group(msgspec.Struct, frozen=True):
    """Layers of one kind that are trained and recomputed alike."""

    stack: int
    kind: str
    policy: Policy
    recomputed: bool = True


class Holdings(msgspec.Struct, frozen=True):
    """Parameters of a model by where they are.

    ``sequence`` are the layers in the order of execution, run-length; ``towers`` those that run on the
    first stage whatever the pipeline.  ``first`` and ``last`` are held outside layers; ``tied`` is the
    table that both ends hold when input and output share it.
    """

    sequence: tuple[tuple[Group, int], ...]
    towers: tuple[tuple[Group, int], ...]
    own: dict[Group, Buckets]
    shared: dict[Group, tuple[Buckets, int]]
    """Blocks that several layers share, with how many copies are stored."""
    first: Buckets
    last: Buckets
    tied: Buckets
    prediction: Buckets
    """Multi-token prediction: all its depths."""
    prediction_groups: tuple[tuple[Group, int], ...]


@lru_cache(maxsize=16)
def holdings(model: ModelSpec, trainable: Literal["full"] | Trainable = "full", depths: int = 0,
             recomputed_layers: int | None = None) -> Holdings:
    """Parameters of ``model``; the first ``recomputed_layers`` of the main stack are told apart."""
    plan = None if trainable == "full" else plan_of(model, trainable)
    sequence, towers = _ordered(model, plan, recomputed_layers)
    groups = dict.fromkeys(group for group, _ in (*sequence, *towers))
    own = {group: _layer_buckets(model, group) for group in groups}
    shared = {group: blocks for group in groups if (blocks := _shared_buckets(model, group)) is not None}
    ends = _ends(model, trainable)
    prediction, prediction_groups = _prediction(model, depths, trainable, plan)
    return Holdings(sequence=sequence, towers=towers, own=own, shared=shared, first=ends["first"], last=ends["last"],
                    tied=_tied(model, plan, depths), prediction=prediction, prediction_groups=prediction_groups)


def _ordered(model: ModelSpec, plan: Plan | None, recomputed: int | None,
             ) -> tuple[tuple[tuple[Group, int], ...], tuple[tuple[Group, int], ...]]:
    """Layers in the order of execution: (those the pipeline divides, those of towers)."""
    sequence: list[tuple[Group, int]] = []
    towers: list[tuple[Group, int]] = []
    # Equal runs are one object here as they are in the model: there can be 50,000 of them.
    known: dict[tuple[Group, int], tuple[Group, int]] = {}
    main = model.main
    for stack in [part for part in model.stacks if part is not main] + [main]:
        index = model.stacks.index(stack)
        into = towers if stack is not main and stack.name == "vision" else sequence
        segments = plan.segments(stack, stack is main) if plan is not None else ((n, c, FULL) for n, c in stack.order)
        position = 0
        for name, count, policy in segments:
            limit = recomputed if stack is main else None
            for take, again in _cut(position, count, limit):
                if take:
                    run = (Group(index, name, policy, again), take)
                    into.append(known.setdefault(run, run))
            position += count
    return tuple(sequence), tuple(towers)


def _cut(position: int, count: int, limit: int | None) -> list[tuple[int, bool]]:
    """(layers, recomputed) of ``count`` layers from ``position`` when only the first ``limit`` are."""
    if limit is None:
        return [(count, True)]
    inside = max(0, min(count, limit - position))
    return [(inside, True), (count - inside, False)]


def _layer_buckets(model: ModelSpec, group: Group) -> Buckets:
    stack = model.stacks[group.stack]
    layer = stack.kind(group.kind)
    return summed(_part_terms(model, stack, layer.mixers, layer.ffns, group.policy),
                  _norm_terms(model, stack, layer, group.policy))


def _shared_buckets(model: ModelSpec, group: Group) -> tuple[Buckets, int] | None:
    stack = model.stacks[group.stack]
    block = stack.kind(group.kind).shared
    if block is None:
        return None
    empty = Layer(name=group.kind, shared=SharedBlock(stored=1, norms=block.norms, input_width=block.input_width,
                                                      input_norm=block.input_norm), norms=0)
    terms = _part_terms(model, stack, block.mixers, block.ffns, group.policy, block.input_width)
    return summed(terms, _norm_terms(model, stack, empty, group.policy, shared=1)), block.stored


def builder_for(model: ModelSpec, stack: Stack, policy: Policy = FULL, inputs: int | None = None) -> Builder:
    """A builder that counts one layer of ``stack``."""
    build = Builder(stack=stack.name, axis=stack.axis, hidden=stack.hidden_size, policy=policy,
                    axes=frozenset(part.axis for part in model.stacks))
    build.inputs = inputs or stack.hidden_size
    return build


def _part_terms(model: ModelSpec, stack: Stack, mixers: tuple[Mixer, ...], ffns: tuple[Ffn, ...], policy: Policy,
                inputs: int | None = None) -> Iterator[tuple[Term, int]]:
    """Terms of all mixers and ffns of one layer, each with the limit on its key shards."""
    for part in (*mixers, *ffns):
        build = builder_for(model, stack, policy, inputs)
        count_part(part, build)
        limit = key_heads(part)
        for term in build.terms:
            yield term, limit


def key_heads(part: Mixer | Ffn) -> int:
    """Into how many shards keys and values can be cut."""
    if isinstance(part, Attention):
        return part.kv_heads
    return part.heads if isinstance(part, KimiDeltaAttention | MLSTM) else 0


def _norm_terms(model: ModelSpec, stack: Stack, layer: Layer, policy: Policy, shared: int = 0,
                ) -> Iterator[tuple[Term, int]]:
    build = builder_for(model, stack, policy)
    bare = replace(layer, mixers=(), ffns=(), shared=layer.shared if shared else None)
    count_layer(bare, stack, build, shared)
    return ((term, 0) for term in build.terms)


def sharding_of(term: Term, limit: int) -> Sharding:
    """Over what the parameters of a term are cut."""
    if term.component == "experts":
        return "experts"
    base = term.part
    for suffix in ADAPTERS:
        if base.endswith(suffix):
            # The side of an adapter that touches what the matrix splits is split too.
            base = base.removesuffix(suffix)
            split = base in ROW_PARALLEL if suffix == "_lora_a" else base not in ROW_PARALLEL
            return "tensor" if split and base not in REPLICATED_MATRICES else "none"
    if term.kind == "bias":
        base = base.removesuffix("_bias")
        if base in ROW_PARALLEL:
            return "none"
    elif term.kind == "table":
        return "tensor" if term.store == "token_embedding" and base == "tokens" else "none"
    elif term.kind != "matrix":
        return "none"
    if base in REPLICATED_MATRICES:
        return "none"
    return "keys" if base in ("k", "v") and limit else "tensor"


def summed(*sources: Iterable[tuple[Term, int]], times: int = 1, table_width: int = 0) -> Buckets:
    """Buckets of terms, each counted once whatever its ``stored`` says, ``times`` over.

    The ledger holds tables as vectors; ``table_width`` says how wide the token table is.
    """
    sums: dict[tuple[Sharding, int, bool, bool], list[int]] = {}
    for source in sources:
        for term, limit in source:
            elements = term.rows * term.columns * term.copies
            if not elements:
                continue
            sharding = sharding_of(term, limit)
            trained = term.kind != "buffer" and (term.trainable or term.part.endswith(ADAPTERS))
            hidden = term.kind == "matrix" and term.component not in ("embedding", "lm_head")
            key = (sharding, limit if sharding == "keys" else 0, trained, hidden)
            sums_of = sums.setdefault(key, [0, 0])
            sums_of[0] += elements * times
            sums_of[1] += times * _factored(term, elements, table_width)
    return tuple(Bucket(*key, *values) for key, values in sums.items())


def _factored(term: Term, elements: int, table_width: int) -> int:
    """Rows and columns of a matrix or the token table; all elements of a vector."""
    if term.kind == "matrix":
        return term.copies * (term.rows + term.columns)
    if term.part == "tokens" and table_width:
        return elements // table_width + table_width
    return elements


def _ends(model: ModelSpec, trainable: Literal["full"] | Trainable) -> dict[Place, Buckets]:
    """What is stored outside layers, by the stage that holds it."""
    terms: dict[Place, list[tuple[Term, int]]] = {"first": [], "last": []}
    for term in ledger(model, 0, False, trainable).terms:
        if not term.layer and term.section == "main" and term.stored:
            terms[place_of(term, model)].append((term, 0))
    width = model.embedding_width or model.main.hidden_size
    return {place: summed(found, table_width=width) for place, found in terms.items()}


def place_of(term: Term, model: ModelSpec) -> Place:
    """Which end of the pipeline holds a term that belongs to no layer."""
    if term.component in LAST_PARTS or term.part in ("project_out", "transform_norm"):
        return "last"
    return "last" if term.part == "final_norm" and term.stack == model.main.name else "first"


def _tied(model: ModelSpec, plan: Plan | None, depths: int) -> Buckets:
    """The token table, where the last stage needs it too: for a tied head, and to predict several tokens."""
    head = model.head
    needed = depths or (head is not None and head.tied and not head.classes)
    if not needed or not model.vocabulary:
        return ()
    trained = plan is None or plan.of("embedding").weights
    width = model.embedding_width or model.main.hidden_size
    return (Bucket("tensor", 0, trained, False, model.vocabulary * width, model.vocabulary + width),)


def _prediction(model: ModelSpec, depths: int, trainable: Literal["full"] | Trainable, plan: Plan | None,
                ) -> tuple[Buckets, tuple[tuple[Group, int], ...]]:
    spec = model.multi_token_prediction
    if spec is None or not depths:
        return (), ()
    policy = FULL if plan is None else plan.of(model.main.name)
    index = model.stacks.index(model.main)
    groups = tuple((Group(index, name, policy), depths) for name in (spec.layer, *spec.more_layers))
    joins = [(term, 0) for term in ledger(model, depths, False, trainable).terms
             if term.section == "mtp" and term.part in ("join", "mtp_norms", *(f"join{end}" for end in ADAPTERS))]
    layers = [bucket for group, count in groups for bucket in multiplied(_layer_buckets(model, group), count)]
    return merged([*layers, *summed(joins, times=depths)]), groups


def multiplied(buckets: Buckets, times: int) -> Buckets:
    """The buckets of ``times`` such layers."""
    return tuple(replace(b, elements=b.elements * times, factored=b.factored * times) for b in buckets)


def merged(buckets: Iterable[Bucket]) -> Buckets:
    """Equal buckets added up."""
    sums: dict[tuple[Sharding, int, bool, bool], tuple[int, int]] = {}
    for bucket in buckets:
        key = (bucket.sharding, bucket.limit, bucket.trained, bucket.matrix)
        elements, factored = sums.get(key, (0, 0))
        sums[key] = (elements + bucket.elements, factored + bucket.factored)
    return tuple(Bucket(*key, *values) for key, values in sums.items())
