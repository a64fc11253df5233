"""Pieces that several conventions share: counting rules, status rules, options."""

from __future__ import annotations

from msgspec.structs import replace

from mfu_gui.engine.conventions import predicates as has
from mfu_gui.engine.conventions.base import Convention, Count, Option, StatusRule
from mfu_gui.engine.conventions.rewrites import NO_ROUTER, padded_vocabulary
from mfu_gui.engine.field import N_
from mfu_gui.engine.scenario import OptionValue
from mfu_gui.engine.terms import PairCounting

CORE = ("attention_qk", "attention_av")
PARAMETERS = "parameters_term"
ATTENTION = "attention_term"
HALF = PairCounting(pairs="half", window="ignored", chunk="ignored")
NO_MTP = Count(select=("section:mtp",), passes=0)
NO_STATE_CORE = Count(select=("ssm_core", "ssm_conv", "linear_attention_core", "triangular_solve_backward"), passes=0)
"""Cores of state-space and linear attention cost what a kernel costs; each framework adds its own figure."""
NO_BUFFERS = Count(select=("kind:buffer",), passes=0)


def rule(applies: has.Predicate, reason: str) -> StatusRule:
    """A quirk."""
    return StatusRule(applies=applies, status="quirk", reason=reason)


def undefined(applies: has.Predicate, reason: str) -> StatusRule:
    """Where a convention has no figure."""
    return StatusRule(applies=applies, status="undefined", reason=reason)


def always(model: object) -> bool:
    """A predicate for what a convention does to every model."""
    return True


WINDOW_IGNORED = rule(has.has_window, N_("Counts sliding-window and chunked layers as full attention."))
CHUNKS_IGNORED = rule(has.has_chunks, N_("Counts chunked layers as full attention."))
SPARSE_IGNORED = rule(has.has_sparse_attention, N_("Counts sparse attention as full attention."))
TOTAL_OF_MOE = rule(has.is_moe, N_("Counts all experts, though a token uses only its top-k."))
DENSE_OF_MOE = rule(has.is_moe, N_("Counts a dense MLP in place of the experts."))
MADE_FOR_DENSE = rule(has.is_moe, N_("Was made for dense models; the experts a token uses are counted here."))
HEAD_DIM_GUESSED = rule(has.has_other_head_dim,
                        N_("Takes head_dim as hidden size ÷ heads, which this model does not have."))
ALWAYS_GATED = rule(has.has_plain_mlp, N_("Counts three matrices in the MLP, though this model has two."))
GQA_IGNORED = rule(has.has_grouped_heads, N_("Counts as many key and value heads as query heads."))
LATENT_AS_PLAIN = rule(has.has_mla, N_("Counts latent attention as plain attention."))
GATE_NOT_SEEN = rule(has.has_output_gate, N_("Leaves out the output gate of attention."))
NOT_PLAIN_GPT = rule(
    has.is_not_plain_gpt,
    N_("Assumes multi-head attention and a plain MLP of width 4h, which this model does not have."))
SEVERAL_STACKS = rule(has.has_several_stacks,
                      N_("Applies all parameters to every token, though encoder and decoder see different ones."))
LANGUAGE_MODELS_ONLY = undefined(has.is_not_decoder_only, N_("Knows decoder-only language models."))
TOWER_LEFT_OUT = rule(has.has_several_stacks, N_("Leaves out the vision tower."))
ATTENTION_ONLY = undefined(has.has_states, N_("Knows layers of attention only."))
NO_HEAD_AT_ALL = undefined(has.has_no_vocabulary, N_("Needs a vocabulary and a head, which this model does not have."))

DECODERS = (LANGUAGE_MODELS_ONLY, ATTENTION_ONLY)
"""For formulas over shapes: what is not a transformer decoder has no figure."""


def _set_router(convention: Convention, value: OptionValue) -> Convention:
    return convention if value else replace(convention, rewrites=(NO_ROUTER, *convention.rewrites))


ROUTER = Option(name="router", title=N_("Count the router"), default=True, change=_set_router)


def _pad(convention: Convention, value: OptionValue) -> Convention:
    kept = tuple(r for r in convention.rewrites if r.change is not padded_vocabulary(1).change)
    return replace(convention, rewrites=(*kept, padded_vocabulary(int(value))) if int(value) > 1 else kept)


def padding_option(default: int) -> Option:
    """The vocabulary is rounded up to a multiple; ``default`` 1 leaves it as it is."""
    return Option(name="vocabulary_multiple", title=N_("Round the vocabulary up to a multiple of"), default=default,
                  change=_pad, values=(), minimum=1, maximum=1_048_576)
