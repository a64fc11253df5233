"""Training frameworks on JAX: MaxText and Levanter."""

from __future__ import annotations

from msgspec.structs import replace

from mfu_gui.engine.conventions import extras, rewrites
from mfu_gui.engine.conventions import predicates as has
from mfu_gui.engine.conventions.base import Convention, Count, Option
from mfu_gui.engine.conventions.parts import (
    DECODERS,
    GATE_NOT_SEEN,
    HEAD_DIM_GUESSED,
    LANGUAGE_MODELS_ONLY,
    LATENT_AS_PLAIN,
    NO_STATE_CORE,
    WINDOW_IGNORED,
    rule,
    undefined,
)
from mfu_gui.engine.field import N_
from mfu_gui.engine.model import GatedDeltaNet
from mfu_gui.engine.scenario import OptionValue
from mfu_gui.engine.terms import FULL, PairCounting

MAXTEXT_COUNTS = (
    Count(select=("mtp_projection", "part:mtp_head", "embedding_projection", "shared_expert_gate"), passes=0),
    NO_STATE_CORE, Count(select=("*",)))



def _halved_windows(convention: Convention, value: OptionValue) -> Convention:
    if value == "exact":
        return convention
    return replace(convention, counting=replace(convention.counting, window="half"))


WINDOWS = Option(name="window", title=N_("Pairs of sliding windows"), default="exact", values=("exact", "half"),
                 change=_halved_windows)

MAXTEXT = Convention(
    id="maxtext", title=N_("MaxText"),
    summary=N_("Every product, router included, with the causal half of attention; windows as S·W − W²/2."),
    source="AI-Hypercomputer/maxtext e591f30cbbf2, calculate_tflops_training_per_device", valid_from="2025-07",
    counts=MAXTEXT_COUNTS, counting=PairCounting(pairs="half", window="continuous", chunk="half"),
    rewrites=(rewrites.NO_GATE,), extras=(extras.delta_core(8),), options=(WINDOWS,),
    statuses=(LANGUAGE_MODELS_ONLY,
              undefined(has.has_states_beside(GatedDeltaNet), N_("Has no rule for this kind of layer.")),
              GATE_NOT_SEEN,
              rule(has.has_mtp, N_("Counts the layer of multi-token prediction without its head and projection."))))

MAXTEXT_OLD = Convention(
    id="maxtext@2025-06", title=N_("MaxText until June 2025"),
    summary=N_("Every product, router included, with attention over the full square."),
    source="AI-Hypercomputer/maxtext before pull request 1988", valid_from="2024-04", valid_until="2025-07",
    counts=MAXTEXT_COUNTS, counting=FULL, rewrites=(rewrites.NO_GATE,),
    statuses=(*DECODERS, GATE_NOT_SEEN, WINDOW_IGNORED))

LEVANTER = Convention(
    id="levanter", title=N_("Levanter"),
    summary=N_("Every product, router included, over the full square, plus three FLOPs of softmax for each score."),
    source="stanford-crfm/levanter 9263f81e8b45, lm_flops_per_token", valid_from="2024-01",
    counts=(Count(select=("shared_expert_gate", "embedding_projection"), passes=0), Count(select=("*",))),
    counting=FULL, rewrites=(rewrites.PLAIN_ATTENTION, rewrites.CORE_OF_WIDTH_H), extras=(extras.softmax(3),),
    mtp="never", statuses=(*DECODERS, LATENT_AS_PLAIN, HEAD_DIM_GUESSED, GATE_NOT_SEEN, WINDOW_IGNORED))

JAX = (MAXTEXT, MAXTEXT_OLD)
