"""Training frameworks on PyTorch: nanoGPT, torchtitan, OLMo-core, lingua, LitGPT, Lightning, llm-foundry, prime-rl."""

from __future__ import annotations

from fractions import Fraction

from msgspec.structs import replace

from mfu_gui.engine.conventions import extras, rewrites
from mfu_gui.engine.conventions import predicates as has
from mfu_gui.engine.conventions.base import Convention, Count, Option
from mfu_gui.engine.conventions.parts import (
    ATTENTION,
    CHUNKS_IGNORED,
    CORE,
    DECODERS,
    HALF,
    HEAD_DIM_GUESSED,
    LANGUAGE_MODELS_ONLY,
    NO_BUFFERS,
    NO_MTP,
    NO_STATE_CORE,
    PARAMETERS,
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

ALL_PARAMETERS = Count(select=("*",), by="all_parameters", shown_as=PARAMETERS)
USED_PARAMETERS = Count(select=("*",), by="parameters", shown_as=PARAMETERS)
NO_CORE = Count(select=CORE, passes=0)
CORE_TERM = Count(select=CORE, shown_as=ATTENTION)

NANOGPT = Convention(
    id="nanogpt", title=N_("nanoGPT"),
    summary=N_("6 FLOPs per parameter without the position table, plus attention over the full square."),
    source="karpathy/nanoGPT 3adf61e154c3, estimate_mfu", valid_from="2023-01",
    counts=(NO_MTP, NO_BUFFERS, Count(select=("store:position_embedding",), passes=0), CORE_TERM, ALL_PARAMETERS),
    counting=FULL, mtp="never",
    statuses=(*DECODERS, TOTAL_OF_MOE, WINDOW_IGNORED, SPARSE_IGNORED,
              rule(has.is_untied, N_("Counts the embedding look-up as a product when the head is separate."))))

TORCHTITAN_COUNTS = (
    NO_BUFFERS, Count(select=("part:mtp_head", "section:mtp&attention_qk", "section:mtp&attention_av"), passes=0),
    CORE_TERM, Count(select=("part:tokens",), when="untied", passes=0), USED_PARAMETERS)

TORCHTITAN = Convention(
    id="torchtitan", title=N_("torchtitan"),
    summary=N_("6 FLOPs per active parameter without the input embedding, plus attention over the full square."),
    source="pytorch/torchtitan b5bcd76c66d0, num_flops_per_token", valid_from="2024-06", valid_until="2026-08",
    counts=TORCHTITAN_COUNTS, counting=FULL,
    statuses=(*DECODERS, WINDOW_IGNORED, SPARSE_IGNORED))

TORCHTITAN_JULY = replace(TORCHTITAN, id="torchtitan@2026-07", title=N_("torchtitan until July 2026"))

TORCHTITAN_NEW = Convention(
    id="torchtitan@2026-08", title=N_("torchtitan from August 2026"),
    summary=N_("As before, with sliding windows and the attention and head of multi-token prediction counted."),
    source="pytorch/torchtitan pull request 4300", valid_from="2026-08",
    counts=(NO_BUFFERS, CORE_TERM, Count(select=("part:tokens",), when="untied", passes=0),
            Count(select=("part:mtp_head",)), USED_PARAMETERS),
    counting=PairCounting(pairs="full", window="min", chunk="ignored"),
    statuses=(LANGUAGE_MODELS_ONLY,
              undefined(has.has_states_beside(GatedDeltaNet), N_("Has no rule for this kind of layer.")),
              CHUNKS_IGNORED, SPARSE_IGNORED))

OLMO_HEAD = (
    NO_MTP, NO_BUFFERS, NO_STATE_CORE,
    Count(select=("kind:table", "part:norm", "part:linear_norm", "embedding_projection"), passes=0),
    Count(select=("linear_attention_proj", "linear_attention_conv"), passes=1),
    CORE_TERM, Count(select=("lm_head", "kind:matrix"), shown_as=PARAMETERS), USED_PARAMETERS)
OLMO_WINDOWS = rule(has.has_window,
                    N_("Counts full layers over the whole square but window layers over what they see."))

OLMO_CORE = Convention(
    id="olmo-core", title=N_("OLMo-core"),
    summary=N_("6 FLOPs per parameter of each module that a token uses, plus attention over the full square; "
               "a window counts min(S, W)."),
    source="allenai/OLMo-core fa6c5014c9f6, num_flops_per_token", valid_from="2025-12",
    counts=OLMO_HEAD, counting=PairCounting(pairs="full", window="min", chunk="ignored"), mtp="never",
    extras=(extras.delta_core(8, 1),),
    statuses=(LANGUAGE_MODELS_ONLY,
              undefined(has.has_states_beside(GatedDeltaNet), N_("Has no rule for this kind of layer.")),
              undefined(has.has_mla, N_("Has no rule for latent attention.")),
              rule(has.has_delta_net, N_("Counts delta-rule layers in the forward pass only.")),
              OLMO_WINDOWS, CHUNKS_IGNORED))

OLMO_CORE_OLD = Convention(
    id="olmo-core@2025-11", title=N_("OLMo-core until November 2025"),
    summary=N_("6 FLOPs per parameter without the input embedding, all experts included, plus attention over the "
               "full square."),
    source="allenai/OLMo-core before pull request 511, num_flops_per_token", valid_from="2024-06",
    valid_until="2025-12",
    counts=(NO_MTP, NO_BUFFERS, Count(select=("kind:table",), passes=0), CORE_TERM, ALL_PARAMETERS),
    counting=FULL, mtp="never", statuses=(*DECODERS, undefined(has.has_mla, N_("Has no rule for latent attention.")),
                                          TOTAL_OF_MOE, WINDOW_IGNORED))

LINGUA = Convention(
    id="lingua", title=N_("Meta Lingua"),
    summary=N_("6 FLOPs per parameter without the input embedding, plus 7·L·h·T: causal half with the kernel's "
               "own recomputation."),
    source="facebookresearch/lingua 437d680e5218, get_num_flop_per_token", valid_from="2024-10",
    counts=(NO_MTP, NO_BUFFERS, NO_CORE, Count(select=("part:tokens",), passes=0), ALL_PARAMETERS),
    counting=HALF, extras=(extras.core_of_width_h(Fraction(7, 2)),), mtp="never",
    statuses=(*DECODERS, TOTAL_OF_MOE, rule(has.is_tied, N_("Leaves out the head when it is tied to the embedding.")),
              HEAD_DIM_GUESSED, WINDOW_IGNORED,
              rule(always, N_("Counts scores that the attention kernel computes again as model FLOPs."))))

LLM_FOUNDRY = Convention(
    id="llm-foundry", title=N_("llm-foundry (MosaicML)"),
    summary=N_("6 FLOPs per active parameter, embeddings included, plus 12·L·h·T."),
    source="mosaicml/llm-foundry 8c8dd48f7216, flops_per_batch", valid_from="2023-05",
    counts=(NO_MTP, NO_BUFFERS, NO_CORE, USED_PARAMETERS),
    counting=FULL, extras=(extras.core_of_width_h(),), mtp="never",
    statuses=(*DECODERS,
              rule(has.is_untied, N_("Counts the embedding look-up as a product when the head is separate.")),
              HEAD_DIM_GUESSED, WINDOW_IGNORED, SPARSE_IGNORED))

LITGPT = Convention(
    id="litgpt", title=N_("LitGPT"),
    summary=N_("6 FLOPs per parameter, all experts included, plus attention counted five times instead of three."),
    source="Lightning-AI/litgpt 26857050fe3f, estimate_flops", valid_from="2023-08",
    counts=(NO_MTP, NO_BUFFERS, NO_CORE, ALL_PARAMETERS),
    counting=FULL, extras=(extras.core_of_width_h(5),), mtp="never",
    statuses=(*DECODERS, TOTAL_OF_MOE, rule(always, N_("Charges attention five passes instead of three.")),
              HEAD_DIM_GUESSED, WINDOW_IGNORED))

LIGHTNING = Convention(
    id="lightning", title=N_("Lightning, measured"),
    summary=N_("Products counted by the operator counter while the model runs; attention over the full square."),
    source="Lightning-AI/pytorch-lightning 2.6.6, measure_flops", valid_from="2023-08",
    counts=(Count(select=("kind:matrix", *CORE)),), counting=FULL, gradients="needed",
    statuses=(undefined(has.is_moe, N_("Fails on this model: the routing of experts depends on the data.")),
              rule(has.has_states, N_("Counts the projections only; scans and recurrences are not seen.")),
              WINDOW_IGNORED))


def _transformers(convention: Convention, value: OptionValue) -> Convention:
    if value == "5":
        return convention
    return replace(convention, rewrites=(*convention.rewrites, rewrites.NO_LOCAL_EXPERTS))


PRIME_RL = Convention(
    id="prime-rl", title=N_("prime-rl"),
    summary=N_("6 FLOPs per active weight used in a product, plus 12·L·a·(h ÷ a)·T."),
    source="PrimeIntellect-ai/prime-rl 559b44772e47, num_flop_per_token", valid_from="2025-08",
    counts=(NO_MTP, NO_CORE, Count(select=("shared_experts", "shared_expert_gate"), passes=0),
            Count(select=("kind:matrix",), shown_as=PARAMETERS)),
    counting=FULL, extras=(extras.core_of_width_h(floor=True),), mtp="never", gradients="needed",
    options=(Option(name="transformers", title=N_("Version of transformers that reads the configuration"),
                    default="5", values=("4", "5"), change=_transformers),),
    statuses=(*DECODERS, rule(has.has_shared_experts, N_("Does not find the shared experts.")),
              HEAD_DIM_GUESSED, WINDOW_IGNORED, SPARSE_IGNORED))

PYTORCH = (TORCHTITAN, TORCHTITAN_JULY, TORCHTITAN_NEW)
MORE_PYTORCH = (LLM_FOUNDRY, OLMO_CORE, OLMO_CORE_OLD)
SMALL_PYTORCH = (LITGPT, LIGHTNING)
