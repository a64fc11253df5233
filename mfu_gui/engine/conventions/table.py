"""The conventions, one row each.  Sources and dates are of the rule as written here."""

from __future__ import annotations

from fractions import Fraction

from msgspec.structs import replace

from mfu_gui.engine.conventions.base import Convention, Count, Option, StatusRule
from mfu_gui.engine.conventions.rewrites import has_window, is_moe, is_plain_gpt, no_router, plain_gpt
from mfu_gui.engine.fields import N_
from mfu_gui.engine.model import ModelSpec
from mfu_gui.engine.scenario import OptionValue
from mfu_gui.engine.terms import EXACT, FULL, PairCounting

CORE = ("attention_qk", "attention_av")
EVERY_PRODUCT = (Count(select=("*",)),)
HALF = PairCounting(pairs="half", window="ignored", chunk="ignored")
PARAMETERS = "parameters_term"
ATTENTION = "attention_term"


def _set_router(convention: Convention, value: OptionValue) -> Convention:
    return convention if value else replace(convention, rewrites=(no_router, *convention.rewrites))


ROUTER = Option(name="router", title=N_("Count the router"), default=True, change=_set_router)




WINDOW_IGNORED = StatusRule(applies=has_window, status="quirk",
                            reason=N_("Counts sliding-window and chunked layers as full attention."))
TOTAL_OF_MOE = StatusRule(applies=is_moe, status="quirk",
                          reason=N_("Counts all experts, though a token uses only its top-k."))


def _not_plain_gpt(model: ModelSpec) -> bool:
    return not is_plain_gpt(model)


NOT_PLAIN_GPT = StatusRule(
    applies=_not_plain_gpt, status="quirk",
    reason=N_("Assumes multi-head attention and a plain MLP of width 4h, which this model does not have."))

MATMUL_CAUSAL = Convention(
    id="matmul-causal", title=N_("Exact, causal"),
    summary=N_("Every matrix product once; each query against the keys it can see."),
    source="MFU Calculator base convention", counts=EVERY_PRODUCT, counting=EXACT, options=(ROUTER,))

MATMUL_FULL = Convention(
    id="matmul-full", title=N_("Exact, full square"),
    summary=N_("Every matrix product once; attention over the full S × S square."),
    source="MFU Calculator base convention", counts=EVERY_PRODUCT, counting=FULL, options=(ROUTER,))

SIX_N = Convention(
    id="6n", title=N_("6N, all parameters"), summary=N_("6 FLOPs per parameter and token; no attention core."),
    source="Kaplan et al. 2020, arXiv 2001.08361, with all parameters as N", valid_from="2020-01",
    counts=(Count(select=("section:mtp", "kind:buffer"), passes=Fraction(0)),
            Count(select=("*",), by="all_parameters", shown_as=PARAMETERS)),
    mtp="never", statuses=(TOTAL_OF_MOE,))

SIX_N_ACTIVE = Convention(
    id="6n-active", title=N_("6N, active parameters"),
    summary=N_("6 FLOPs per parameter that a token uses, both embeddings included; no attention core."),
    source="Kaplan et al. 2020, arXiv 2001.08361, with active parameters as N", valid_from="2021-01",
    counts=(Count(select=("section:mtp", "kind:buffer"), passes=Fraction(0)),
            Count(select=("*",), by="parameters", shown_as=PARAMETERS)),
    mtp="never")

PALM = Convention(
    id="palm", title=N_("PaLM, 6N + 12LHQT"),
    summary=N_("6 FLOPs per parameter used in a product, plus attention over the full square."),
    source="Chowdhery et al. 2022, arXiv 2204.02311, appendix B", valid_from="2022-04",
    counts=(
        Count(select=("section:mtp", "kind:buffer", "store:position_embedding"), passes=Fraction(0)),
        Count(select=CORE, shown_as=ATTENTION),
        Count(select=("kind:table",), by="parameters", when="tied", shown_as=PARAMETERS),
        Count(select=("kind:table",), passes=Fraction(0)),
        Count(select=("*",), by="parameters", shown_as=PARAMETERS),
    ),
    counting=FULL, mtp="never", statuses=(WINDOW_IGNORED,))

MEGATRON_2021 = Convention(
    id="megatron-2021", title=N_("Megatron 2021 (96-form, hardware)"), kind="hardware",
    summary=N_("96·L·h²·(1 + s/6h + V/16Lh): a second forward of every layer is built in."),
    source="Narayanan et al. 2021, arXiv 2104.04473, appendix", valid_from="2021-04",
    counts=(Count(select=("lm_head",)), Count(select=("kind:matrix", *CORE), passes=Fraction(4))),
    counting=FULL, rewrites=(plain_gpt,), mtp="never", statuses=(NOT_PLAIN_GPT, WINDOW_IGNORED))

MEGATRON_2021_MODEL = Convention(
    id="megatron-2021-no-recompute", title=N_("Megatron 2021 without recompute (72-form)"),
    summary=N_("72·L·h²·(1 + s/6h + V/12Lh): the same count without the repeated forward."),
    source="Korthikanti et al. 2022, arXiv 2205.05198, appendix A", valid_from="2022-05",
    counts=(Count(select=("lm_head", "kind:matrix", *CORE)),),
    counting=FULL, rewrites=(plain_gpt,), mtp="never", statuses=(NOT_PLAIN_GPT, WINDOW_IGNORED))

MEGATRON_LM = Convention(
    id="megatron-lm", title=N_("Megatron-LM"),
    summary=N_("Matrix products with the causal half of attention; router left out, windows not seen."),
    source="NVIDIA/Megatron-LM d98e8a64ddf3, num_floating_point_operations", valid_from="2025-03",
    counts=(
        Count(select=("router", "shared_expert_gate", "embedding_projection"), passes=Fraction(0)),
        Count(select=("part:q_a_norm", "part:kv_a_norm", "part:mtp_norms"), by="executed_parameters",
              shown_as="other"),
        Count(select=("*",)),
    ),
    counting=HALF, statuses=(WINDOW_IGNORED,))

NANOGPT = Convention(
    id="nanogpt", title=N_("nanoGPT"),
    summary=N_("6 FLOPs per parameter without the position table, plus attention over the full square."),
    source="karpathy/nanoGPT 3adf61e154c3, estimate_mfu", valid_from="2023-01",
    counts=(
        Count(select=("section:mtp", "kind:buffer", "store:position_embedding"), passes=Fraction(0)),
        Count(select=CORE, shown_as=ATTENTION),
        Count(select=("*",), by="all_parameters", shown_as=PARAMETERS),
    ),
    counting=FULL, mtp="never", statuses=(TOTAL_OF_MOE, WINDOW_IGNORED))

CONVENTIONS: tuple[Convention, ...] = (
    MATMUL_CAUSAL, MATMUL_FULL, SIX_N, SIX_N_ACTIVE, PALM, MEGATRON_2021, MEGATRON_2021_MODEL, MEGATRON_LM, NANOGPT,
)
