"""Megatron and its family: the 2021 and 2022 closed forms, Megatron-LM, Megatron-Bridge, NeMo."""

from __future__ import annotations

from fractions import Fraction

from msgspec.structs import replace

from mfu_gui.engine.conventions import extras, rewrites
from mfu_gui.engine.conventions import predicates as has
from mfu_gui.engine.conventions.base import Convention, Count, Option
from mfu_gui.engine.conventions.parts import (
    CHUNKS_IGNORED,
    CORE,
    DECODERS,
    GATE_NOT_SEEN,
    HALF,
    LANGUAGE_MODELS_ONLY,
    NO_STATE_CORE,
    NOT_PLAIN_GPT,
    SPARSE_IGNORED,
    WINDOW_IGNORED,
    padding_option,
    rule,
    undefined,
)
from mfu_gui.engine.field import N_
from mfu_gui.engine.model import GatedDeltaNet, KimiDeltaAttention, Mamba2
from mfu_gui.engine.scenario import OptionValue
from mfu_gui.engine.terms import FULL, PairCounting

PLAIN_GPT = (rewrites.PLAIN_ATTENTION, rewrites.CORE_OF_WIDTH_H, rewrites.ALL_KV_HEADS, rewrites.MLP_OF_4H)
SHAPES = ("kind:matrix", *CORE)

MEGATRON_2021 = Convention(
    id="megatron-2021", title=N_("Megatron 2021 (96-form, hardware)"), kind="hardware",
    summary=N_("96·L·h²·(1 + s/6h + V/16Lh): a second forward of every layer is built in."),
    source="Narayanan et al. 2021, arXiv 2104.04473, equation 3", valid_from="2021-04",
    counts=(Count(select=("lm_head",)), Count(select=SHAPES, passes=4)),
    counting=FULL, rewrites=PLAIN_GPT, mtp="never", statuses=(*DECODERS, NOT_PLAIN_GPT, WINDOW_IGNORED))



def _head_passes(convention: Convention, value: OptionValue) -> Convention:
    """V/16 in the 72-form counts 4.5·h·V: it belongs to the 96-form, where it gives 6·h·V."""
    head = Count(select=("lm_head",), passes=Fraction(9, 4))
    return replace(convention, counts=(head, *convention.counts)) if value == "4.5" else convention


HEAD_OPTION = Option(name="head", title=N_("Factor of h·V for the head: 6 is V/12, 4.5 is V/16"), default="6",
                     values=("6", "4.5"), change=_head_passes)

MEGATRON_2021_MODEL = Convention(
    id="megatron-2021-no-recompute", title=N_("Megatron 2021 without recompute (72-form)"),
    summary=N_("72·L·h²·(1 + s/6h + V/12Lh): the same count without the repeated forward."),
    source="Korthikanti et al. 2022, arXiv 2205.05198, appendix A", valid_from="2022-05",
    counts=(Count(select=("lm_head", *SHAPES)),), options=(HEAD_OPTION,),
    counting=FULL, rewrites=PLAIN_GPT, mtp="never", statuses=(*DECODERS, NOT_PLAIN_GPT, WINDOW_IGNORED))

UNSEEN = Count(select=("router", "shared_expert_gate", "embedding_projection"), passes=0)
DELTA_CORE = extras.delta_core(8)
MLA_NORMS = Count(select=("part:q_a_norm", "part:kv_a_norm", "part:mtp_norms"), by="executed_parameters",
                  shown_as="other")
NO_JOIN_IN_PATTERNS = Count(select=("mtp_projection", "part:mtp_norms"), when="hybrid", passes=0)
MEGATRON_COUNTS = (UNSEEN, NO_JOIN_IN_PATTERNS, NO_STATE_CORE, MLA_NORMS, Count(select=("*",)))
MEGATRON_STATES = (extras.scan(7), DELTA_CORE)
MAMBA_WIDTH = rule(has.has_other_mamba_width, N_("Takes Mamba as twice as wide as the hidden size."))
STATES_BESIDE_MEGATRON = undefined(has.has_states_beside(Mamba2, GatedDeltaNet, KimiDeltaAttention),
                                   N_("Has no rule for this kind of layer."))

MEGATRON_LM = Convention(
    id="megatron-lm", title=N_("Megatron-LM"),
    summary=N_("Matrix products with the causal half of attention; router left out, windows not seen."),
    source="NVIDIA/Megatron-LM d98e8a64ddf3, num_floating_point_operations", valid_from="2025-03",
    counts=MEGATRON_COUNTS, counting=HALF, rewrites=(rewrites.MAMBA_OF_2H,), extras=MEGATRON_STATES,
    options=(padding_option(1),),
    statuses=(LANGUAGE_MODELS_ONLY, STATES_BESIDE_MEGATRON, MAMBA_WIDTH, WINDOW_IGNORED, SPARSE_IGNORED))

MEGATRON_LM_OLD = Convention(
    id="megatron-lm@2025-02", title=N_("Megatron-LM until February 2025"),
    summary=N_("Matrix products with attention over the full square; router left out, windows not seen."),
    source="NVIDIA/Megatron-LM before 2025-03, num_floating_point_operations; issues 831 and 1475",
    valid_from="2024-01", valid_until="2025-03",
    counts=MEGATRON_COUNTS, counting=FULL, options=(padding_option(1),),
    statuses=(*DECODERS, undefined(has.has_mla, N_("Had no rule for latent attention yet.")),
              WINDOW_IGNORED))


def _bridge_window(convention: Convention, value: OptionValue) -> Convention:
    return convention if value else replace(convention, counting=HALF)


WINDOW_SEEN = PairCounting(pairs="half", window="exact", chunk="ignored")
BRIDGE_OPTIONS = (
    padding_option(128),
    Option(name="window", title=N_("See sliding windows"), default=True, change=_bridge_window),
)

MEGATRON_BRIDGE = Convention(
    id="megatron-bridge", title=N_("Megatron-Bridge"),
    summary=N_("As Megatron-LM, with exact sliding windows and the vocabulary padded to a multiple of 128."),
    source="NVIDIA-NeMo/Megatron-Bridge 067f987df03b, flop_utils.py", valid_from="2026-06",
    counts=MEGATRON_COUNTS, counting=WINDOW_SEEN,
    rewrites=(rewrites.MAMBA_OF_2H, rewrites.padded_vocabulary(128)), extras=MEGATRON_STATES,
    options=BRIDGE_OPTIONS,
    statuses=(LANGUAGE_MODELS_ONLY, STATES_BESIDE_MEGATRON, MAMBA_WIDTH, CHUNKS_IGNORED))

MEGATRON_BRIDGE_OLD = Convention(
    id="megatron-bridge@2026-05", title=N_("Megatron-Bridge until May 2026"),
    summary=N_("As Megatron-LM, windows not seen; experts with biases (gpt-oss) counted with two matrices."),
    source="NVIDIA-NeMo/Megatron-Bridge performance summaries before release 26.06", valid_from="2025-09",
    valid_until="2026-06",
    counts=MEGATRON_COUNTS, counting=HALF,
    rewrites=(rewrites.MAMBA_OF_2H, rewrites.padded_vocabulary(128), rewrites.TWO_MATRICES_OF_BIASED_EXPERTS),
    extras=MEGATRON_STATES,
    options=(padding_option(128),),
    statuses=(LANGUAGE_MODELS_ONLY, STATES_BESIDE_MEGATRON,
              rule(has.has_biased_gated_experts,
                   N_("Counts two matrices in each expert, though this model has three.")),
              WINDOW_IGNORED, SPARSE_IGNORED))


def _nemo_vocabulary(convention: Convention, value: OptionValue) -> Convention:
    if value == 0:
        return convention
    return replace(convention, rewrites=(*convention.rewrites, rewrites.fixed_vocabulary(int(value))))


NEMO_VOCABULARY = Option(
    name="vocabulary", title=N_("Vocabulary from the family's table (0: the model's own)"), default=0,
    values=(0, 32_000, 51_200, 128_256, 256_000), change=_nemo_vocabulary)
NEMO_COUNTS = (UNSEEN, NO_STATE_CORE, Count(select=("*",)))
NEMO_STATUSES = (
    LANGUAGE_MODELS_ONLY, undefined(has.has_states_beside(Mamba2), N_("Has no rule for this kind of layer.")),
    rule(has.is_plain_hybrid, N_("Counts three matrices in the MLP, though this model has two.")),
    rule(has.has_guessed_head_dim_nemo, N_("Takes head_dim as hidden size ÷ heads, which this model does not have.")),
    rule(has.has_window_nemo_ignores, N_("Counts sliding-window and chunked layers as full attention.")),
    GATE_NOT_SEEN, SPARSE_IGNORED)

NEMO = Convention(
    id="nemo", title=N_("NeMo"),
    summary=N_("One closed form per model family, causal half; most take the width of attention as h."),
    source="NVIDIA-NeMo/NeMo 8cfedd720346, flops_formulas.py", valid_from="2025-01",
    counts=NEMO_COUNTS, counting=WINDOW_SEEN, extras=(extras.scan(2), extras.DIAGONAL_WITH_SINKS),
    rewrites=(rewrites.NO_GATE, rewrites.NEMO_FAMILIES), options=(NEMO_VOCABULARY,), statuses=NEMO_STATUSES)

NEMO_OLD = Convention(
    id="nemo@2024-12", title=N_("NeMo until December 2024"),
    summary=N_("The same closed forms with attention over the full square."),
    source="NVIDIA NeMo performance summaries up to 24.12", valid_from="2024-01", valid_until="2025-01",
    counts=NEMO_COUNTS, counting=FULL, rewrites=(rewrites.NO_GATE, rewrites.NEMO_FAMILIES),
    options=(NEMO_VOCABULARY,), statuses=(*DECODERS, *NEMO_STATUSES[2:], WINDOW_IGNORED))

FORMS_2021 = (MEGATRON_2021, MEGATRON_2021_MODEL)
MEGATRON = (MEGATRON_LM, MEGATRON_LM_OLD, MEGATRON_BRIDGE, MEGATRON_BRIDGE_OLD, NEMO, NEMO_OLD)
