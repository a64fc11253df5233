"""What conventions count and leave out, as the table of their rules has it."""

from __future__ import annotations

import pytest

from mfu_gui.engine.conventions import CONVENTIONS, find
from mfu_gui.engine.conventions.counted import counted

from .test_known_figures import shape


def times(convention_id: str, model: str) -> dict[str, float]:
    return {one.part: float(one.times) for one in counted(find(convention_id), shape(model))}


@pytest.mark.parametrize(("convention_id", "model", "expected"), [
    ("megatron-lm", "deepseek-v3", {"the router": 0, "the experts": 3, "the shared experts": 3, "norms": 3,
                                    "attention scores and values": 3, "the head": 3}),
    ("maxtext", "deepseek-v3", {"the router": 3}),
    ("torchtitan", "llama3-8b", {"norms": 3, "the head": 3, "attention scores and values": 3}),
    ("verl", "llama3-8b", {"the input embedding": 3, "the head": 3}),
    ("hf-trainer", "llama3-8b", {"attention scores and values": 0, "the head": 3}),
    ("eleuther-cookbook", "llama3-8b", {"the head": 1, "the MLP": 4}),
    ("prime-rl", "deepseek-v3", {"the shared experts": 0, "scores and values as wide as the hidden size": 3}),
    ("lingua", "llama3-8b", {"scores and values as wide as the hidden size": 3.5}),
])
def test_parts(convention_id: str, model: str, expected: dict[str, float]) -> None:
    found = times(convention_id, model)
    assert {part: found[part] for part in expected} == expected


def test_every_convention_says_something_about_every_model() -> None:
    for convention in CONVENTIONS:
        for model in ("llama3-8b", "deepseek-v3", "gpt-oss-120b"):
            assert any(one.times for one in counted(convention, shape(model)))
