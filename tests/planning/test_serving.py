"""Serving a model: prompt, decoding and cache, counted by the ledger."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.scenario import Scenario
from mfu_gui.formats.presets import PresetStore
from mfu_gui.planning.cache import cache_of
from mfu_gui.planning.formula import GIB
from mfu_gui.planning.inference import (
    Inference,
    decode_flops,
    forward_flops,
    generates,
    head_flops,
    inference,
    prompt_flops,
    weights_read,
)
from mfu_gui.planning.spec import InferenceSpec, PlanSpec
from tests.planning.scenarios import scenario

STORE = PresetStore()


def model(name: str) -> Any:
    return STORE.model(name).spec


def served(of: Scenario, **inputs: Any) -> Inference:
    return inference(of, PlanSpec(inference=InferenceSpec(**inputs)))


def value(figures: Any, key: str) -> Any:
    return next(figure.value for figure in figures if figure.key == key)


def codes(found: Inference) -> set[str]:
    return {notice.code for notice in found.notices}


@pytest.mark.parametrize(("name", "kilobytes"), [
    ("deepseek-v3", 70.272), ("qwen2.5-72b", 327.680), ("llama-3.1-405b", 516.096)])
def test_cache_of_a_token(name: str, kilobytes: float) -> None:
    """Latent attention and grouped queries in 16 bits (DeepSeek-AI 2025, arXiv 2505.09343, table 1)."""
    assert cache_of(model(name), 1).per_token == kilobytes * 1000


def test_a_window_bounds_the_cache() -> None:
    """Mistral 7B v0.1 keeps 4096 tokens of 32 layers, 8 KV heads of 128 (arXiv 2310.06825)."""
    each = 2 * 32 * 8 * 128 * 2
    mistral = model("mistral-7b-v0.1")
    assert cache_of(mistral, 4096).stored == cache_of(mistral, 100_000).stored == 4096 * each
    assert cache_of(mistral, 1000).stored == 1000 * each
    # gpt-oss: half of the layers see 128 tokens (its config.json); 8 KV heads of 64.
    layer = 2 * 8 * 64 * 2
    assert cache_of(model("gpt-oss-120b"), 10_000).stored == 18 * 128 * layer + 18 * 10_000 * layer


def test_llama_decodes_by_two_flops_a_parameter_and_four_a_key() -> None:
    llama = model("llama-3-8b")
    matrices = 8_030_261_248 - 128_256 * 4096 - (2 * 32 + 1) * 4096
    for context in (1, 4095):
        assert decode_flops(llama, context) == 2 * matrices + 4 * 32 * 4096 * (context + 1)


@given(st.sampled_from(["llama-3-8b", "gpt-oss-120b", "mixtral-8x7b", "mistral-7b-v0.1", "qwen2.5-7b"]),
       st.integers(1, 20_000), st.integers(0, 64))
def test_a_prompt_is_the_sum_of_its_tokens(name: str, prompt: int, more: int) -> None:
    """Generating tokens one by one computes what a prompt with them computes, the head at each of them."""
    spec, run = model(name), scenario().run
    steps = sum(decode_flops(spec, prompt + step) for step in range(more))
    assert forward_flops(spec, run, prompt + more) - forward_flops(spec, run, prompt) == steps


def test_latent_attention_is_absorbed_when_it_generates() -> None:
    """128 heads against 512 latent and 64 rotary numbers, and 512 again for the values, in 61 layers."""
    spec = model("deepseek-v3")
    assert decode_flops(spec, 1000) - decode_flops(spec, 999) == 61 * 2 * 128 * (512 + 64 + 512)


def test_the_head_and_the_prefix_of_a_prompt() -> None:
    llama, run = model("llama-3-8b"), scenario().run
    assert head_flops(llama) == 2 * 4096 * 128_256
    whole = forward_flops(llama, run, 1000)
    assert prompt_flops(llama, run, 1000, head="all") == whole
    assert prompt_flops(llama, run, 1000) == whole - 999 * head_flops(llama)
    assert prompt_flops(llama, run, 1000, 400, "all") == whole - forward_flops(llama, run, 400)
    of = scenario("llama-3-8b", "nvidia-h100-sxm5-80gb", sequence_length=1000)
    assert value(served(of, prefix_tokens=400, batch=3).prefill, "tokens") == 3 * 600
    with pytest.raises(InputError, match=r"plan\.inference\.prefix_tokens"):
        served(of, prefix_tokens=1000)


def test_prefill_mfu_and_decode_utilizations() -> None:
    """The definitions: FLOPs or bytes over what the measured time would have allowed."""
    of = scenario("llama-2-7b", "huawei-ascend-910b3", sequence_length=4096)
    found = served(of, prompt_tokens=4096, output_tokens=1, batch=8, devices=1, prefill_s=3, time_per_token_s=0.025,
                   head="all")
    peak = of.hardware.peak_tflops["bf16"] * 1e12
    assert value(found.prefill, "mfu") == pytest.approx(value(found.prefill, "flops") / (3 * peak))
    read = value(found.decode, "weight_bytes") + value(found.decode, "cache_bytes")
    bandwidth = (of.hardware.memory_bandwidth_gb_s or 0) * 1e9
    assert value(found.decode, "mbu") == pytest.approx(read / (0.025 * bandwidth))
    assert value(found.decode, "cache_bytes") == 8 * 4097 * 2 * 32 * 4096 * 2
    assert "inference_above_peak" not in codes(found)
    assert "inference_above_peak" in codes(served(of, devices=1, time_per_token_s=1e-4))
    assert "inference_above_peak" in codes(served(of, devices=1, prefill_s=1e-3))
    assert "mbu" not in {figure.key for figure in served(of).decode}, "nothing was measured"


def test_weights_that_a_step_reads() -> None:
    """Llama: all but the token table and what is no weight of a product; Mixtral: the experts touched."""
    llama = weights_read(model("llama-3-8b"), 1)
    assert (llama.dense, llama.experts, llama.touched) == (8_030_261_248 - 128_256 * 4096, 0.0, None)
    tied = weights_read(model("llama-3.2-1b"), 1)
    assert tied.dense == 1_235_814_400, "the head is the table"
    expert = 3 * 4096 * 14_336
    one, many = weights_read(model("mixtral-8x7b"), 1), weights_read(model("mixtral-8x7b"), 10_000)
    assert one.experts == pytest.approx(32 * 2 * expert)
    assert many.experts == pytest.approx(32 * 8 * expert)
    assert one.touched == pytest.approx(2)


def test_decoding_is_bound_by_reading_and_then_by_computing() -> None:
    of = scenario("llama-3-8b", "nvidia-h100-sxm5-80gb", sequence_length=128)
    few, many = served(of, batch=1, devices=1), served(of, batch=4096, devices=1)
    read = value(few.decode, "weight_bytes") + value(few.decode, "cache_bytes")
    assert value(few.decode, "bound_s") == pytest.approx(read / (0.9 * 3350e9), rel=1e-3)
    flops = value(many.decode, "flops_per_token") * 4096
    assert value(many.decode, "bound_s") == pytest.approx(flops / (0.7 * 989.4e12), rel=1e-2)
    slower = served(of, batch=1, devices=1, collectives_s=0.001)
    assert value(slower.decode, "bound_s") == pytest.approx(value(few.decode, "bound_s") + 0.001)


def test_sequences_that_fit() -> None:
    """90% of 80 GB (79.6 GiB) less 16 GB of weights, by 131,072 bytes a token."""
    of = scenario("llama-3-8b", "nvidia-h100-sxm5-80gb", sequence_length=7936)
    memory = of.hardware.memory_gib
    assert memory is not None
    expected = (0.9 * memory * GIB - 2 * 8_030_261_248) // (131_072 * 8192)
    assert value(served(of, devices=1).cache, "most_sequences") == expected
    assert "inference_weights_do_not_fit" in codes(served(scenario(), devices=8))
    assert "inference_weights_do_not_fit" not in codes(served(scenario(), devices=32))


def test_models_that_do_not_generate() -> None:
    assert generates(model("llama-3-8b"))
    assert generates(model("deepseek-v3"))
    assert not generates(model("bert-base"))
    found = served(scenario("bert-base", "nvidia-h100-sxm5-80gb", sequence_length=512))
    assert found.decode == found.cache == ()
    assert "inference_does_not_generate" in codes(found)
    assert value(found.prefill, "flops") > 0


def test_what_is_assumed_is_said() -> None:
    assert {"inference_devices_assumed", "inference_collectives_left_out", "experts_assumed_even"} <= codes(
        served(scenario()))
    plain = served(scenario("llama-3-8b", "nvidia-h100-sxm5-80gb", sequence_length=128), devices=1)
    assert codes(plain) == set()
