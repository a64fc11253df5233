"""The difference of two conventions as named terms."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings

from mfu_gui.engine.axes import axes_of, tokens_per_sequence
from mfu_gui.engine.conventions import CONVENTIONS, Convention, find
from mfu_gui.engine.conventions.reading import total2
from mfu_gui.engine.differences import TRANSLATED, differences
from mfu_gui.engine.model import ModelSpec
from mfu_gui.engine.run import RunSpec

from .random_models import conventions, models, runs
from .test_known_figures import shape

Amounts = list[tuple[str, str]]


def total(convention: Convention, model: ModelSpec, run: RunSpec) -> Fraction:
    return Fraction(total2(convention, model, run, axes_of(model, run), {})) / (2 * tokens_per_sequence(model, run))


@settings(max_examples=200, deadline=None)
@given(models(), runs(), conventions(), conventions())
def test_terms_add_up_exactly(model: ModelSpec, run: RunSpec, first: Convention, second: Convention) -> None:
    terms = differences(model, run, first, second)
    assert sum((term.flops_per_token for term in terms), Fraction(0)) == total(first, model, run) - total(
        second, model, run)
    assert all(term.flops_per_token for term in terms)
    turned = differences(model, run, second, first)
    assert sorted(-term.flops_per_token for term in turned) == sorted(term.flops_per_token for term in terms)


def test_every_pair_adds_up_on_published_models() -> None:
    for name, length in (("llama3-8b", 8192), ("deepseek-v3", 4096), ("gpt-oss-120b", 4096)):
        model, run = shape(name), RunSpec(sequence_length=length)
        for first in CONVENTIONS:
            terms = differences(model, run, first, find("matmul-causal"))
            assert sum((t.flops_per_token for t in terms), Fraction(0)) == total(first, model, run) - total(
                find("matmul-causal"), model, run)


def named(name: str, length: int, first: str, second: str, depths: int = 0) -> list[tuple[str, str]]:
    """(sentence, GFLOP a token) of each term."""
    run = RunSpec(sequence_length=length, multi_token_prediction=depths)
    found = []
    for term in differences(shape(name), run, find(first), find(second)):
        inner = {key: value.format(**term.values) if key in TRANSLATED else value for key, value in term.values.items()}
        found.append((term.text.format(**inner), f"{float(term.flops_per_token) / 1e9:+.6f}"))
    return found


@pytest.mark.parametrize(("first", "second", "name", "length", "expected"), [
    # 6·V·h = 3.152 G: verl counts V·h twice.
    ("verl", "megatron-lm", "llama3-8b", 8192, [
        ("verl counts the input embedding; Megatron-LM does not.", "+3.152019")]),
    # 6·L·a·d·T = 6.442 G and 6·(2L + 1)·h = 0.0016 G.
    ("torchtitan", "megatron-lm", "llama3-8b", 8192, [
        ("Attention: torchtitan counts the full square, Megatron-LM half the square.", "+6.442451"),
        ("torchtitan counts norms; Megatron-LM does not.", "+0.001597")]),
    ("megatron-lm", "torchtitan", "llama3-8b", 8192, [
        ("Attention: torchtitan counts the full square, Megatron-LM half the square.", "-6.442451"),
        ("torchtitan counts norms; Megatron-LM does not.", "-0.001597")]),
    # 1.5·h·V = 0.944 G of the head.
    ("gpt-neox", "megatron-2021-no-recompute", "gpt3-175b", 2048, [
        ("GPT-NeoX counts the head 2.25×, Megatron 2021 without recompute (72-form) 3.0×.", "-0.943718")]),
    # 6·h·E·L = 0.639 G, and the norms of the latent ranks.
    ("maxtext", "megatron-lm", "deepseek-v3", 4096, [
        ("MaxText counts the router; Megatron-LM does not.", "+0.638583"),
        ("Megatron-LM counts norms; MaxText does not.", "-0.000750")]),
    # 6·h·(V' − V) = 0.000217 G.
    ("megatron-bridge", "megatron-lm", "gpt2-124m-v50257", 1024, [
        ("Megatron-Bridge rounds the vocabulary up to a multiple of 128.", "+0.000217")]),
])
def test_terms_are_named(first: str, second: str, name: str, length: int, expected: Amounts) -> None:
    assert named(name, length, first, second) == expected


def test_depths_are_named() -> None:
    # One depth in DeepSeek-V3: the head 5.560 G and the projection 0.617 G that MaxText leaves out.
    assert named("deepseek-v3", 4096, "maxtext", "megatron-lm", depths=1)[0:3:2] == [
        ("Megatron-LM counts the head of multi-token prediction; MaxText does not.", "-5.560074"),
        ("Megatron-LM counts the projection of multi-token prediction; MaxText does not.", "-0.616563")]
    # 6·2h² + 6·h·V + one layer = 10.181 G.
    sentence, amount = named("deepseek-v3", 4096, "nemo", "deepseek", depths=1)[0]
    assert sentence == "DeepSeek-V3 derivation counts multi-token prediction 0 deep, NeMo 1 deep."
    assert round(float(amount), 3) == 10.181
