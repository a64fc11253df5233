"""The ledger: ModelSpec -> Terms.  The one place where FLOPs and parameters are counted."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import msgspec

from mfu_gui.engine.builder import Builder
from mfu_gui.engine.count_attention import count_attention, count_mla
from mfu_gui.engine.count_ffn import count_dense, count_moe
from mfu_gui.engine.model import MLA, Attention, Dense, Layer, ModelSpec, MoE, Stack
from mfu_gui.engine.scenario import Parameters
from mfu_gui.engine.terms import Axis, Section, Term

COUNTERS: dict[type, Callable[[Any, Builder], None]] = {
    Attention: count_attention,
    MLA: count_mla,
    Dense: count_dense,
    MoE: count_moe,
}


class Ledger(msgspec.Struct, frozen=True):
    """All terms of a model and the parameter counts that follow from them."""

    terms: tuple[Term, ...]
    parameters: Parameters


@lru_cache(maxsize=64)
def ledger(model: ModelSpec, multi_token_prediction: int = 0, as_executed: bool = False) -> Ledger:
    """Count ``model``.

    ``multi_token_prediction`` adds that many prediction depths to the terms (never to the
    parameters).  ``as_executed`` counts what a reference implementation wastes as well.
    """
    terms = _outer_terms(model)
    for stack in model.stacks:
        terms += _stack_terms(model, stack, as_executed)
    if multi_token_prediction:
        terms += _mtp_terms(model, multi_token_prediction, as_executed)
    return Ledger(tuple(terms), _parameters(terms))


def _builder(model: ModelSpec, stack: Stack, section: Section = "main", **values: Any) -> Builder:
    return Builder(stack=stack.name, axis=stack.axis, hidden=stack.hidden_size, section=section,
                   axes=frozenset(part.axis for part in model.stacks), **values)


def _layer_terms(layer: Layer, stack: Stack, build: Builder) -> list[Term]:
    for part in (*layer.mixers, *layer.ffns):
        COUNTERS[type(part)](part, build)
    if layer.norms and stack.norm_vectors:
        build.scope("norms", "norms").vector("norm", stack.hidden_size, kind="norm",
                                             copies=layer.norms * stack.norm_vectors)
    if layer.extra_parameters:
        build.scope("other", "other").vector("extra", layer.extra_parameters)
    return build.terms


def _stack_terms(model: ModelSpec, stack: Stack, as_executed: bool) -> list[Term]:
    counts: dict[str, int] = {}
    for name, times in stack.order:
        counts[name] = counts.get(name, 0) + times
    terms: list[Term] = []
    for layer in stack.kinds:
        times = counts.get(layer.name, 0)
        if times:
            build = _builder(model, stack, layer=layer.name, executed=times, stored=times, as_executed=as_executed)
            terms += _layer_terms(layer, stack, build)
    build = _builder(model, stack)
    norms = stack.norm_vectors * (stack.final_norm + stack.embedding_norm)
    if norms:
        build.scope("norms", "norms").vector("final_norm", stack.hidden_size, kind="norm", copies=norms)
    if stack.position_table:
        build.scope("embedding", "position_embedding").vector(
            "positions", stack.position_table * stack.hidden_size, kind="table")
    return terms + build.terms


def _outer_terms(model: ModelSpec) -> list[Term]:
    """Token table, token types, factorised embedding, and the head."""
    if not model.vocabulary:
        return []
    main = model.main
    build = _builder(model, main)
    width = model.embedding_width or main.hidden_size
    embedding = build.scope("embedding", "token_embedding")
    embedding.vector("tokens", model.vocabulary * width, kind="table")
    if model.token_types:
        embedding.vector("token_types", model.token_types * width, kind="table")
    if width != main.hidden_size:
        factor = build.scope("embedding_projection", "embedding_projection")
        factor.matrix("project_in", width, main.hidden_size)
        factor.matrix("project_out", main.hidden_size, width)
    _head_terms(model, build, width)
    return build.terms


def _head_terms(model: ModelSpec, build: Builder, width: int) -> None:
    head = model.head
    if head is None:
        return
    if head.transform:
        scope = build.scope("lm_head_transform", "lm_head_transform")
        scope.matrix("transform", width, width, bias=True)
        scope.vector("transform_norm", width, kind="norm", copies=2)
    measure_axis: Axis = build.axis
    stored = build.stored
    build.stored = 0 if head.tied else 1
    build.scope("lm_head", "lm_head").matrix("head", width, model.vocabulary, axis=measure_axis)
    build.stored = stored
    if head.bias:
        build.scope("lm_head", "lm_head").vector("head_bias", model.vocabulary, kind="bias")


def _mtp_terms(model: ModelSpec, depths: int, as_executed: bool) -> list[Term]:
    """Depths of multi-token prediction: join projection, one layer, norms, the shared head again."""
    spec = model.multi_token_prediction
    if spec is None:
        return []
    stack = model.main
    hidden = stack.hidden_size
    build = _builder(model, stack, "mtp", layer=spec.layer, executed=depths, stored=depths, as_executed=as_executed)
    build.scope("mtp_projection", "multi_token_prediction").matrix("join", 2 * hidden, hidden)
    build.scope("norms", "norms").vector("mtp_norms", hidden, kind="norm", copies=3 * stack.norm_vectors)
    _layer_terms(stack.kind(spec.layer), stack, build)
    build.stored = 0
    build.scope("lm_head", "lm_head").matrix("mtp_head", model.embedding_width or hidden, model.vocabulary)
    return build.terms


def _parameters(terms: list[Term]) -> Parameters:
    components: dict[str, int] = {}
    total = buffers = routed = routed_active = 0
    for term in terms:
        if term.section != "main":
            continue
        count = term.parameters
        if not count:
            continue
        if term.kind == "buffer":
            buffers += count
            continue
        components[term.store] = components.get(term.store, 0) + count
        total += count
        if term.copies > 1 and term.store == "experts":
            routed += count
            routed_active += term.stored * term.rows * term.columns * min(term.used, term.copies)
    return Parameters(total=total, active=total - routed + routed_active, checkpoint_total=total + buffers,
                      components=components)
