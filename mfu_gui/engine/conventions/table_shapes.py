"""Formulas over shapes: nanotron, GPT-NeoX, Colossal-AI, InternEvo, PaddleNLP, the EleutherAI cookbook."""

from __future__ import annotations

from fractions import Fraction

from msgspec.structs import replace

from mfu_gui.engine.conventions import extras, rewrites
from mfu_gui.engine.conventions import predicates as has
from mfu_gui.engine.conventions.base import Convention, Count, Option
from mfu_gui.engine.conventions.parts import (
    ALWAYS_GATED,
    CORE,
    DECODERS,
    DENSE_OF_MOE,
    GQA_IGNORED,
    HEAD_DIM_GUESSED,
    LANGUAGE_MODELS_ONLY,
    LATENT_AS_PLAIN,
    NO_BUFFERS,
    NO_MTP,
    PARAMETERS,
    TOTAL_OF_MOE,
    WINDOW_IGNORED,
    always,
    rule,
    undefined,
)
from mfu_gui.engine.conventions.table_nvidia import PLAIN_GPT, SHAPES
from mfu_gui.engine.field import N_
from mfu_gui.engine.model import Mamba1
from mfu_gui.engine.scenario import OptionValue
from mfu_gui.engine.terms import FULL

PLAIN_HEADS = (rewrites.PLAIN_ATTENTION, rewrites.CORE_OF_WIDTH_H)

NANOTRON = Convention(
    id="nanotron", title=N_("nanotron"),
    summary=N_("Products of a gated MLP and attention with head_dim = h ÷ a over the full square; one expert."),
    source="huggingface/nanotron 2411b022a75f, get_flops", valid_from="2024-01",
    counts=(Count(select=("lm_head", *SHAPES)),), counting=FULL, mtp="never",
    rewrites=(rewrites.PLAIN_ATTENTION, rewrites.HEAD_DIM_FLOOR, rewrites.ONE_EXPERT, rewrites.THREE_MATRICES),
    statuses=(*DECODERS, rule(has.is_moe, N_("Counts one expert, though a token uses top-k of them.")),
              LATENT_AS_PLAIN, HEAD_DIM_GUESSED, ALWAYS_GATED, WINDOW_IGNORED))

NEOX_STATUSES = (
    LANGUAGE_MODELS_ONLY, undefined(has.has_states_beside(Mamba1), N_("Has no rule for this kind of layer.")),
    rule(has.has_other_attention_layers,
         N_("Assumes multi-head attention and a plain MLP of width 4h, which this model does not have.")))
NEOX_SCAN = (extras.scan(7), extras.SKIP_OF_SCAN)
HEAD_AT_THREE_QUARTERS = rule(always, N_("Counts three quarters of the head: V/16 belongs to the form with recompute."))

GPT_NEOX = Convention(
    id="gpt-neox", title=N_("GPT-NeoX"),
    summary=N_("72·L·h²·(1 + s/6h + V/16Lh): the head counts 4.5·h·V."),
    source="EleutherAI/gpt-neox ea7aefd8f8e1, get_forward_backward_flops", valid_from="2023-07",
    counts=(Count(select=("lm_head",), passes=Fraction(9, 4)), Count(select=SHAPES)), counting=FULL,
    rewrites=PLAIN_GPT, extras=NEOX_SCAN, mtp="never",
    statuses=(*NEOX_STATUSES, HEAD_AT_THREE_QUARTERS, WINDOW_IGNORED))


def _without_recompute(convention: Convention, value: OptionValue) -> Convention:
    if value:
        return convention
    counts = tuple(replace(c, passes=c.passes * Fraction(3, 4)) for c in convention.counts)
    return replace(convention, counts=counts, extras=NEOX_SCAN)


CHECKPOINTED = Option(name="recompute", title=N_("Activations are recomputed"), default=True,
                      change=_without_recompute)

GPT_NEOX_ACTUAL = Convention(
    id="gpt-neox-actual", title=N_("GPT-NeoX, actual FLOPs (hardware)"), kind="hardware",
    summary=N_("96·L·h²·(1 + s/6h + V/16Lh) with recompute, three quarters of it without."),
    source="EleutherAI/gpt-neox ea7aefd8f8e1, get_actual_flops", valid_from="2023-07",
    counts=(Count(select=("lm_head",), passes=3), Count(select=SHAPES, passes=4)), counting=FULL,
    rewrites=PLAIN_GPT, extras=(extras.scan(7, 4), extras.SKIP_OF_SCAN_AGAIN), mtp="never", options=(CHECKPOINTED,),
    statuses=(*NEOX_STATUSES, WINDOW_IGNORED))

COLOSSALAI = Convention(
    id="colossalai", title=N_("Colossal-AI (hardware)"), kind="hardware",
    summary=N_("8 FLOPs per parameter and token: recompute is always assumed; no attention core."),
    source="hpcaitech/ColossalAI 4f9953be335e, get_tflops", valid_from="2022-06",
    counts=(NO_MTP, NO_BUFFERS, Count(select=("*",), by="all_parameters", passes=4, shown_as=PARAMETERS)),
    mtp="never", statuses=(*DECODERS, TOTAL_OF_MOE))


def _layers_again(convention: Convention, value: OptionValue) -> Convention:
    if not value:
        return convention
    counts = tuple(replace(c, passes=4) if c.select != ("lm_head",) else c for c in convention.counts)
    return replace(convention, counts=counts, kind="hardware")


INTERNEVO = Convention(
    id="internevo", title=N_("InternEvo"),
    summary=N_("L·((8 + 4ρ)·h² + 4·T·h) forward, three times, plus the head; keys and values as wide as queries."),
    source="InternLM/InternEvo c628a8c87411, get_megatron_flops", valid_from="2023-07",
    counts=(Count(select=("lm_head",)), Count(select=SHAPES)), counting=FULL, mtp="never",
    rewrites=(*PLAIN_HEADS, rewrites.ALL_KV_HEADS, rewrites.DENSE_FORMULA),
    options=(Option(name="recompute", title=N_("Activations are recomputed (hardware)"), default=False,
                    change=_layers_again),),
    statuses=(*DECODERS, DENSE_OF_MOE, LATENT_AS_PLAIN, GQA_IGNORED, HEAD_DIM_GUESSED, WINDOW_IGNORED))


def _paddle_recompute(convention: Convention, value: OptionValue) -> Convention:
    if value == "none":
        return convention
    again = {"full": SHAPES, "full_attn": ("store:attention&kind:matrix", *CORE), "core_attn": CORE}[str(value)]
    head = Count(select=("lm_head",))
    changed = replace(convention, counts=(head, Count(select=again, passes=4), *convention.counts), kind="hardware")
    return replace(changed, extras=(extras.elementwise_products(2, 4),)) if value == "full" else changed


PADDLENLP = Convention(
    id="paddlenlp", title=N_("PaddleNLP"),
    summary=N_("Projections of 4·h² and a gated MLP with its elementwise product, over the full square."),
    source="PaddlePaddle/PaddleNLP, llm_per_token_flops (public copy)", valid_from="2024-01",
    counts=(Count(select=("lm_head", *SHAPES)),), counting=FULL, mtp="never",
    rewrites=(*PLAIN_HEADS, rewrites.ALL_KV_HEADS, rewrites.DENSE_FORMULA, rewrites.THREE_MATRICES),
    extras=(extras.elementwise_products(2),),
    options=(Option(name="recompute", title=N_("Recomputed part (hardware)"), default="none",
                    values=("none", "full", "full_attn", "core_attn"), change=_paddle_recompute),),
    statuses=(*DECODERS, DENSE_OF_MOE, LATENT_AS_PLAIN, GQA_IGNORED, HEAD_DIM_GUESSED, ALWAYS_GATED, WINDOW_IGNORED))


def _cookbook_recompute(convention: Convention, value: OptionValue) -> Convention:
    if value:
        return convention
    counts = tuple(replace(c, passes=3) if c.passes == 4 else c for c in convention.counts)
    return replace(convention, counts=counts, kind="model")


def _cookbook_expansion(convention: Convention, value: OptionValue) -> Convention:
    kept = tuple(r for r in convention.rewrites if r.change is not rewrites.cookbook_mlp(4).change)
    return replace(convention, rewrites=(*kept, rewrites.cookbook_mlp(int(value))))


COOKBOOK = Convention(
    id="eleuther-cookbook", title=N_("EleutherAI cookbook (hardware by default)"), kind="hardware",
    summary=N_("Layers four times with MLPs of 4h whatever the model has; the head forward only."),
    source="EleutherAI/cookbook 827ee3b293a6, calc_transformer_flops.py", valid_from="2023-06",
    counts=(Count(select=("lm_head",), passes=1), Count(select=("router", *SHAPES), passes=4)), counting=FULL,
    rewrites=(*PLAIN_HEADS, rewrites.cookbook_mlp(4)), extras=(extras.embedding_of_h(4, 1),), mtp="never",
    options=(Option(name="expansion", title=N_("Width of the MLP in hidden sizes"), default=4, values=(), minimum=1,
                    maximum=64, change=_cookbook_expansion),
             Option(name="recompute", title=N_("Activations are recomputed"), default=True,
                    change=_cookbook_recompute)),
    statuses=(*DECODERS, rule(always, N_("Counts the head in the forward pass only.")),
              rule(has.has_other_mlp_width, N_("Ignores the width of the MLP: counts 4h.")),
              LATENT_AS_PLAIN, HEAD_DIM_GUESSED, WINDOW_IGNORED))

SHAPE_FORMULAS = (GPT_NEOX, GPT_NEOX_ACTUAL)
