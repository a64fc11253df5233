"""What the window says about results: formulas for tooltips, and names of components.  No Qt here."""

from __future__ import annotations

from mfu_gui.engine.fields import N_
from mfu_gui.formats.formulas import (
    flops_formula,
    hfu_formula,
    mfu_formula,
    plain_sentence,
    range_text,
    share,
    step_formula,
    tflops_formula,
    tokens_formula,
)
from mfu_gui.texts import Translator
from mfu_gui.texts.components import COMPONENTS

__all__ = [
    "COMPONENT_NAMES",
    "component_name",
    "flops_formula",
    "hfu_formula",
    "mfu_formula",
    "plain_sentence",
    "range_text",
    "share",
    "step_formula",
    "tflops_formula",
    "tokens_formula",
]

COMPONENT_NAMES = {
    "attention_proj": N_("Attention projections"),
    "attention_qk": N_("Attention scores (QKᵀ)"),
    "attention_av": N_("Attention values (AV)"),
    "attention_indexer": N_("Attention indexer"),
    "mlp": N_("Dense MLP"),
    "experts": N_("Routed experts"),
    "shared_experts": N_("Shared experts"),
    "shared_expert_gate": N_("Gate of shared experts"),
    "router": N_("Router"),
    "lm_head": N_("LM head"),
    "embedding": N_("Embedding"),
    "embedding_projection": N_("Embedding projection"),
    "position_embedding": N_("Position embedding"),
    "norm": N_("Norms"),
    "norms": N_("Norms"),
    "parameters_term": N_("Parameters × 2"),
    "attention_term": N_("Attention term"),
    "mtp_projection": N_("Multi-token prediction"),
    "other": N_("Other"),
}


def component_name(name: str, tr: Translator) -> str:
    """What a component of the ledger is called on the screen."""
    known = COMPONENT_NAMES.get(name) or COMPONENTS.get(name)
    return tr(known) if known is not None else name.replace("_", " ").capitalize()
