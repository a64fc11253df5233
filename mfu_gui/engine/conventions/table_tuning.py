"""Fine-tuning and reinforcement learning: verl, TRL, slime, LLaMA-Factory, the Hugging Face Trainer."""

from __future__ import annotations

from fractions import Fraction

from msgspec.structs import replace

from mfu_gui.engine.conventions import extras, rewrites
from mfu_gui.engine.conventions import predicates as has
from mfu_gui.engine.conventions.base import Convention, Count, Option
from mfu_gui.engine.conventions.parts import (
    ALWAYS_GATED,
    CHUNKS_IGNORED,
    CORE,
    DECODERS,
    DENSE_OF_MOE,
    GATE_NOT_SEEN,
    HALF,
    HEAD_DIM_GUESSED,
    LANGUAGE_MODELS_ONLY,
    LATENT_AS_PLAIN,
    NO_BUFFERS,
    NO_MTP,
    NO_STATE_CORE,
    PARAMETERS,
    SEVERAL_STACKS,
    SPARSE_IGNORED,
    TOTAL_OF_MOE,
    WINDOW_IGNORED,
    always,
    rule,
    undefined,
)
from mfu_gui.engine.field import N_
from mfu_gui.engine.model import GatedDeltaNet
from mfu_gui.engine.scenario import OptionValue
from mfu_gui.engine.terms import FULL, PairCounting

EMBEDDING_AS_PRODUCT = Count(select=("part:tokens",), by="parameters", shown_as="embedding")
LOOK_UP_COUNTED = rule(always, N_("Counts the embedding look-up as a product."))

VERL_COUNTS = (NO_MTP, NO_STATE_CORE, Count(select=("embedding_projection",), passes=0), EMBEDDING_AS_PRODUCT,
               Count(select=("*",)))
VERL_UNKNOWN = undefined(has.is_unknown_to_verl, N_("Prints 0 for this model: it has no rule for its kind."))

VERL = Convention(
    id="verl", title=N_("verl"),
    summary=N_("Every product, router included, with the causal half of attention, and V·h counted twice."),
    source="verl-project/verl 1dda039b9c63, flops_counter.py", valid_from="2026-01",
    counts=VERL_COUNTS, counting=PairCounting(pairs="half", window="half", chunk="ignored"),
    rewrites=(rewrites.THREE_MATRICES,), extras=(extras.delta_core(5),), mtp="never",
    statuses=(LANGUAGE_MODELS_ONLY,
              undefined(has.has_states_beside(GatedDeltaNet), N_("Has no rule for this kind of layer.")),
              VERL_UNKNOWN, LOOK_UP_COUNTED,
              rule(has.has_window, N_("Halves window layers although their queries see nearly the whole window.")),
              CHUNKS_IGNORED, SPARSE_IGNORED))

VERL_OLD = Convention(
    id="verl@2025-12", title=N_("verl until December 2025"),
    summary=N_("Every product with attention over the full square (factor 12), and V·h counted twice."),
    source="verl-project/verl before pull request 4959", valid_from="2024-11", valid_until="2026-01",
    counts=VERL_COUNTS, counting=PairCounting(pairs="full", window="min", chunk="ignored"),
    rewrites=(rewrites.THREE_MATRICES,), extras=(extras.WIDE_VALUES,), mtp="never",
    statuses=(*DECODERS, VERL_UNKNOWN, LOOK_UP_COUNTED,
              rule(has.has_mla, N_("Counts the values of latent attention as wide as its keys."))))

TRL = Convention(
    id="trl", title=N_("TRL"),
    summary=N_("Every product over the full square, the embedding look-up included; a head only when it is separate."),
    source="huggingface/trl f2cd57710ae3, compute_flops_per_token", valid_from="2026-04",
    counts=(Count(select=("embedding_projection", "shared_expert_gate"), passes=0), EMBEDDING_AS_PRODUCT,
            Count(select=("lm_head",), when="tied", passes=0), Count(select=("*",))),
    counting=FULL, rewrites=(rewrites.NO_GATE, rewrites.THREE_MATRICES), mtp="never",
    statuses=(*DECODERS,
              undefined(has.is_unknown_to_trl, N_("Stops with an error for this model: its configuration names the "
                                                  "experts otherwise.")),
              LOOK_UP_COUNTED, ALWAYS_GATED, GATE_NOT_SEEN, WINDOW_IGNORED))

SLIME = Convention(
    id="slime", title=N_("slime"),
    summary=N_("Matrix products with the causal half of attention; the output projection as h × h, no router."),
    source="THUDM/slime 624b824a898a, calculate_fwd_flops", valid_from="2025-12",
    counts=(Count(select=("router", "shared_expert_gate", "embedding_projection", "part:o"), passes=0),
            Count(select=("*",))),
    counting=HALF, rewrites=(rewrites.NO_GATE, rewrites.THREE_MATRICES), extras=(extras.SQUARE_OUTPUT,), mtp="never",
    statuses=(*DECODERS, rule(has.has_other_output,
                              N_("Counts the output projection as h × h, which this model does not have.")),
              ALWAYS_GATED, GATE_NOT_SEEN, WINDOW_IGNORED, SPARSE_IGNORED))


def _recompute(convention: Convention, value: OptionValue) -> Convention:
    """One more pass of everything outside the embedding and the head."""
    if not value:
        return convention
    counts = tuple(replace(c, passes=4) if c.select == ("*",) else c for c in convention.counts)
    return replace(convention, counts=counts, kind="hardware")


def _flash(convention: Convention, value: OptionValue) -> Convention:
    """One more forward of the scores and values."""
    if not value:
        return convention
    passes = max((c.passes for c in convention.counts if c.select == ("*",)), default=3)
    return replace(convention, counts=(Count(select=CORE, passes=passes + 1), *convention.counts), kind="hardware")


def _intermediate(convention: Convention, value: OptionValue) -> Convention:
    if not value:
        return convention
    kept = tuple(r for r in convention.rewrites if r != rewrites.DENSE_FORMULA)
    return replace(convention, rewrites=(*kept, rewrites.dense_formula(int(value))))


# Options are applied in the order of their names: "flash" before "recompute" would lose a pass, hence "sdpa".
LLAMA_FACTORY_OPTIONS = (
    Option(name="intermediate_size", title=N_("intermediate_size of the configuration (0: width of the dense MLP)"),
           default=0, values=(), minimum=0, maximum=10**9, change=_intermediate),
    Option(name="recompute", title=N_("Add one forward of the layers (hardware)"), default=False, change=_recompute),
    Option(name="sdpa", title=N_("Add one forward of the scores and values (hardware)"), default=False, change=_flash),
)

LLAMA_FACTORY = Convention(
    id="llama-factory", title=N_("LLaMA-Factory"),
    summary=N_("A dense formula with a gated MLP over the full square; a tied head counts half."),
    source="hiyouga/LLaMA-Factory ff6d4d12eeb0, cal_mfu.py", valid_from="2024-08",
    counts=(Count(select=("embedding_projection",), passes=0),
            Count(select=("lm_head",), when="tied", passes=Fraction(3, 2)), Count(select=("lm_head",)),
            Count(select=("*",))),
    counting=FULL, options=LLAMA_FACTORY_OPTIONS, mtp="never",
    rewrites=(rewrites.PLAIN_ATTENTION, rewrites.CORE_OF_WIDTH_H, rewrites.DENSE_FORMULA, rewrites.THREE_MATRICES),
    statuses=(*DECODERS, DENSE_OF_MOE, LATENT_AS_PLAIN, rule(has.is_tied, N_("Counts half of a tied head.")),
              HEAD_DIM_GUESSED, ALWAYS_GATED, GATE_NOT_SEEN, WINDOW_IGNORED))

HF_TRAINER = Convention(
    id="hf-trainer", title=N_("Hugging Face Trainer"),
    summary=N_("6 FLOPs per parameter outside the embeddings, all experts included; no attention core."),
    source="huggingface/transformers 5.24.0, Trainer.floating_point_ops", valid_from="2020-06",
    counts=(NO_MTP, NO_BUFFERS, Count(select=("kind:table",), passes=0),
            Count(select=("*",), by="all_parameters", shown_as=PARAMETERS)),
    mtp="never",
    statuses=(TOTAL_OF_MOE, rule(has.is_tied, N_("Leaves out the head when it is tied to the embedding.")),
              SEVERAL_STACKS))

TUNING = (VERL, VERL_OLD)
TRAINERS = (HF_TRAINER, TRL)
