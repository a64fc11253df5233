"""What a convention counts of a model and what it leaves out, by the names of its parts."""

from __future__ import annotations

import msgspec

from mfu_gui.engine.conventions.base import By, Convention, Count, Number, Values
from mfu_gui.engine.conventions.groups import INDEX, Signature
from mfu_gui.engine.conventions.reading import see
from mfu_gui.engine.field import N_
from mfu_gui.engine.model import ModelSpec

LABELS: dict[str, str] = {
    "attention_proj": N_("attention projections"),
    "attention_core": N_("attention scores and values"),
    "attention_indexer": N_("the indexer of sparse attention"),
    "mlp": N_("the MLP"),
    "experts": N_("the experts"),
    "expert_latent_proj": N_("the latent projections of the experts"),
    "shared_experts": N_("the shared experts"),
    "shared_expert_gate": N_("the gate of the shared expert"),
    "router": N_("the router"),
    "lm_head": N_("the head"),
    "embedding": N_("the input embedding"),
    "position_embedding": N_("the position table"),
    "embedding_projection": N_("the projections of the embedding"),
    "norms": N_("norms"),
    "biases": N_("biases"),
    "vectors": N_("other learned vectors"),
    "mtp_projection": N_("the projection of multi-token prediction"),
    "mtp_head": N_("the head of multi-token prediction"),
    "ssm_core": N_("the scan of state-space layers"),
    "ssm_conv": N_("the convolution of state-space layers"),
    "ssm_proj": N_("the projections of state-space layers"),
    "linear_attention_core": N_("the core of linear attention"),
    "linear_attention_proj": N_("the projections of linear attention"),
    "linear_attention_conv": N_("the convolution of linear attention"),
    "other": N_("other parts"),
}
"""What the parts of a model are called in sentences."""

_CORE = ("attention_qk", "attention_av")
_KINDS = {"bias": "biases", "norm": "norms", "vector": "vectors"}


def label_of(signature: Signature, tied: bool, count: Count | None) -> str:
    """Under which name a group of terms is told of; ``count`` is the rule that takes it."""
    component, store, name, _, section, kind, _ = signature
    if component in _CORE:
        return "attention_core"
    if kind in _KINDS:
        return _KINDS[kind]
    if kind == "table":
        if store == "position_embedding":
            return store
        # A tied table that is counted once is the head's matrix.
        is_head = tied and name == "tokens" and count is not None and count.by != "products"
        return "lm_head" if is_head else "embedding"
    if component == "lm_head" and section == "mtp":
        return "mtp_head"
    return component


class Counted(msgspec.Struct, frozen=True, kw_only=True):
    """One part of a model: ``part`` is a message id (``values`` fill it), ``times`` how often its
    products are counted (0: left out, 3: forward and backward), ``by`` products or parameters."""

    part: str
    times: Number
    by: By = "products"
    values: Values = ()


def counted(convention: Convention, model: ModelSpec, multi_token_prediction: int = 0) -> tuple[Counted, ...]:
    """Every part of ``model`` as ``convention`` sees it, what it leaves out, and what it adds.

    Parts without products (norms, biases, look-ups) are named where they are counted all the same.
    """
    seen = see(convention, model, multi_token_prediction)
    rules = {part.index: part.count for part in seen.taken}
    found: dict[str, Counted] = {}
    for index, signature in enumerate(seen.groups.shape.signatures):
        amounts, count = seen.groups.amounts[index], rules.get(index)
        if count is not None and not amounts[INDEX[count.by]]:
            count = None  # taken by a rule over parameters, of which it has none
        if count is None and not amounts[0]:
            continue
        label = label_of(signature, seen.tied, count)
        one = Counted(part=LABELS.get(label, label), times=0 if count is None else count.passes,
                      by="products" if count is None else count.by)
        if label not in found or not found[label].times:
            found[label] = one
    added = [Counted(part=extras.text, times=extra.passes, values=tuple(
        (name, value) for name, value in extras.values if isinstance(value, bool | int | str)))
        for extras in convention.extras for extra in extras(seen.model)]
    return (*found.values(), *added)
