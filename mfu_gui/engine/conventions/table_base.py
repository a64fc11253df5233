"""Base conventions and the counts of papers.  Sources and dates are of the rule as written here."""

from __future__ import annotations

from msgspec.structs import replace

from mfu_gui.engine.conventions import extras, rewrites
from mfu_gui.engine.conventions.base import Convention, Count, Option
from mfu_gui.engine.conventions.parts import (
    ALWAYS_GATED,
    ATTENTION,
    CORE,
    DECODERS,
    GATE_NOT_SEEN,
    GQA_IGNORED,
    HALF,
    MADE_FOR_DENSE,
    NO_BUFFERS,
    NO_MTP,
    PARAMETERS,
    ROUTER,
    SEVERAL_STACKS,
    SPARSE_IGNORED,
    TOTAL_OF_MOE,
    WINDOW_IGNORED,
    rule,
)
from mfu_gui.engine.conventions.predicates import has_gated_mlp
from mfu_gui.engine.field import N_
from mfu_gui.engine.scenario import OptionValue
from mfu_gui.engine.terms import EXACT, FULL

EVERY_PRODUCT = (Count(select=("*",)),)

MATMUL_CAUSAL = Convention(
    id="matmul-causal", title=N_("Exact, causal"),
    summary=N_("Every matrix product once; each query against the keys it can see."),
    source="MFU Calculator base convention", counts=EVERY_PRODUCT, counting=EXACT, options=(ROUTER,),
    gradients="needed")

MATMUL_FULL = Convention(
    id="matmul-full", title=N_("Exact, full square"),
    summary=N_("Every matrix product once; attention over the full S × S square."),
    source="MFU Calculator base convention", counts=EVERY_PRODUCT, counting=FULL, options=(ROUTER,),
    gradients="needed")

SIX_N = Convention(
    id="6n", title=N_("6N, all parameters"), summary=N_("6 FLOPs per parameter and token; no attention core."),
    source="Kaplan et al. 2020, arXiv 2001.08361, with all parameters as N", valid_from="2020-01",
    counts=(NO_MTP, NO_BUFFERS, Count(select=("*",), by="all_parameters", shown_as=PARAMETERS)),
    mtp="never", statuses=(TOTAL_OF_MOE, SEVERAL_STACKS))

SIX_N_ACTIVE = Convention(
    id="6n-active", title=N_("6N, active parameters"),
    summary=N_("6 FLOPs per parameter that a token uses, both embeddings included; no attention core."),
    source="Kaplan et al. 2020, arXiv 2001.08361, with active parameters as N", valid_from="2021-01",
    counts=(NO_MTP, NO_BUFFERS, Count(select=("*",), by="parameters", shown_as=PARAMETERS)),
    mtp="never", statuses=(SEVERAL_STACKS,))

KAPLAN = Convention(
    id="kaplan-2020", title=N_("Kaplan 2020, 6N without embeddings"),
    summary=N_("6 FLOPs per weight of the layers; embeddings, head and attention scores left out."),
    source="Kaplan et al. 2020, arXiv 2001.08361, table 1", valid_from="2020-01",
    counts=(NO_MTP, Count(select=("lm_head",), passes=0),
            Count(select=("kind:matrix",), by="parameters", shown_as=PARAMETERS)),
    mtp="never", statuses=(MADE_FOR_DENSE, SEVERAL_STACKS))

CHINCHILLA = Convention(
    id="chinchilla", title=N_("Chinchilla, appendix F"),
    summary=N_("Every product over the full square, the embedding as a product, and the softmax."),
    source="Hoffmann et al. 2022, arXiv 2203.15556, appendix F", valid_from="2022-03",
    counts=(Count(select=("router", "shared_expert_gate", "embedding_projection"), passes=0),
            Count(select=("part:tokens",), by="parameters", shown_as="embedding"), Count(select=("*",))),
    counting=FULL, rewrites=(rewrites.ALL_KV_HEADS, rewrites.TWO_MATRICES), extras=(extras.softmax(3),), mtp="never",
    statuses=(*DECODERS, rule(has_gated_mlp, N_("Counts two matrices in the MLP, though this model has three.")),
              GQA_IGNORED, MADE_FOR_DENSE, WINDOW_IGNORED, SPARSE_IGNORED))


def _core_heads(convention: Convention, value: OptionValue) -> Convention:
    return replace(convention, extras=(*convention.extras, extras.KV_CORE),
                   counts=tuple(c for c in convention.counts if c.select != CORE)) if value == "kv" else convention


def _palm_pairs(convention: Convention, value: OptionValue) -> Convention:
    return replace(convention, counting=HALF) if value == "half" else convention


def _input_embedding(convention: Convention, value: OptionValue) -> Convention:
    counts = tuple(c for c in convention.counts if c.select != ("kind:table",) or c.when)
    return replace(convention, counts=counts) if value else convention


PALM_OPTIONS = (
    Option(name="embedding", title=N_("Count the input embedding"), default=False, change=_input_embedding),
    Option(name="core_heads", title=N_("Heads in the attention term"), default="query", values=("query", "kv"),
           change=_core_heads),
    Option(name="pairs", title=N_("Pairs in the attention term"), default="full", values=("full", "half"),
           change=_palm_pairs),
)

PALM = Convention(
    id="palm", title=N_("PaLM, 6N + 12LHQT"),
    summary=N_("6 FLOPs per parameter used in a product, plus attention over the full square."),
    source="Chowdhery et al. 2022, arXiv 2204.02311, appendix B", valid_from="2022-04",
    counts=(
        NO_MTP, NO_BUFFERS, Count(select=("store:position_embedding",), passes=0),
        Count(select=CORE, shown_as=ATTENTION),
        Count(select=("kind:table",), by="parameters", when="tied", shown_as=PARAMETERS),
        Count(select=("kind:table",), passes=0),
        Count(select=("*",), by="parameters", shown_as=PARAMETERS),
    ),
    counting=FULL, options=PALM_OPTIONS, mtp="never", statuses=(WINDOW_IGNORED, SPARSE_IGNORED, SEVERAL_STACKS))

DEEPSEEK = Convention(
    id="deepseek", title=N_("DeepSeek-V3 derivation"),
    summary=N_("Matrix products with the causal half of attention, plus the elementwise product of each MLP; "
               "no router, no multi-token prediction."),
    source="J. Fang 2025, feifeibear/DPSKV3MFU 7fd95ec, dpskv3_flops.py", valid_from="2025-01",
    counts=(NO_MTP, Count(select=("router", "shared_expert_gate", "embedding_projection"), passes=0),
            Count(select=("*",))),
    counting=HALF, rewrites=(rewrites.NO_GATE,), mtp="never",
    extras=(extras.elementwise_products(), extras.embedding_of_h(2)),
    statuses=(*DECODERS, ALWAYS_GATED, GATE_NOT_SEEN, WINDOW_IGNORED, SPARSE_IGNORED))

PAPERS = (MATMUL_CAUSAL, MATMUL_FULL, SIX_N, SIX_N_ACTIVE, KAPLAN, CHINCHILLA, PALM)
DERIVATIONS = (DEEPSEEK,)
