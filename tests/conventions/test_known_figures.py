"""Figures that issues, pull requests and papers state, each with its reference; in FLOPs of one token."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from msgspec.structs import replace

from mfu_gui.engine.axes import axes_of
from mfu_gui.engine.conventions import chosen
from mfu_gui.engine.conventions.reading import total2
from mfu_gui.engine.model import ModelSpec, MultiTokenPrediction
from mfu_gui.engine.run import RunSpec
from mfu_gui.engine.scenario import ConventionChoice
from mfu_gui.formats.hf_config import read_config
from mfu_gui.formats.presets import PresetStore

from .test_vectors import ROWS
from .vector_models import build, model_of

GPT_OSS = {"attention_biases": ("q", "k", "v", "o"), "mlp_biases": True, "sinks": True, "router_bias": True}


def shape(name: str, **details: Any) -> ModelSpec:
    """The model of that name in the vectors, as its published configuration has it."""
    config = next(row["config"] for row in ROWS if row["model"] == name and "mx_vocab_size" not in row["config"]
                  and "factory" not in row["config"])
    usual = GPT_OSS if name.startswith("gpt-oss") else {"qk_norm": "per_head_dim"} if name.startswith("qwen3-") else {}
    return build(config, details or usual)


def per_token(convention_id: str, model: ModelSpec, length: int, depths: int = 0,
              documents: tuple[int, ...] | None = None, **options: Any) -> Fraction:
    """FLOPs of one token, forward and backward."""
    run = RunSpec(sequence_length=length, document_lengths=documents, multi_token_prediction=depths)
    convention = chosen(ConventionChoice(id=convention_id, options=options))
    return Fraction(total2(convention, model, run, axes_of(model, run), {})) / 2 / length


def rounds_to(value: Fraction, printed: str, unit: float | Fraction = 10**9) -> bool:
    """Whether ``value`` in ``unit`` rounds to the printed digits."""
    half = Fraction(1, 2 * 10 ** len(printed.partition(".")[2]))
    return abs(value / Fraction(unit) - Fraction(printed)) <= half


CASES = [
    # (convention, options, model, length, printed GFLOP a token, where)
    ("torchtitan", {}, "llama3-8b", 8192, "57.914449920", "equals PaLM's 6N+12LHQT"),
    ("palm", {}, "llama3-8b", 8192, "57.914449920", "arXiv 2204.02311, appendix B"),
    ("torchtitan", {}, "qwen3-30b-a3b", 8192, "37.578559488", "pytorch/torchtitan#4300"),
    ("torchtitan", {}, "gpt-oss-120b", 4096, "38.044854144", "pytorch/torchtitan#4300, before"),
    ("torchtitan@2026-07", {}, "gpt-oss-120b", 4096, "38.044854144", "pytorch/torchtitan#4300, before"),
    ("torchtitan@2026-08", {}, "gpt-oss-120b", 4096, "34.534221696", "pytorch/torchtitan#4300, after"),
    ("litgpt", {}, "llama3-8b", 8192, "69.66", "litgpt estimate_flops: attention ×5"),
    ("litgpt", {}, "mixtral-8x7b", 4096, "290.95", "litgpt estimate_flops: all experts"),
    ("hf-trainer", {}, "gpt2-124m-v50257", 1024, "0.510", "a tied head is lost"),
    ("hf-trainer", {}, "deepseek-v3", 4096, "4020.6", "all experts"),
    ("prime-rl", {"transformers": "4"}, "gpt-oss-120b", 8192, "19.40", "experts not found"),
    ("prime-rl", {}, "gpt-oss-120b", 8192, "40.98", "transformers 5"),
    ("prime-rl", {"transformers": "4"}, "mixtral-8x7b", 4096, "15.28", "experts not found"),
    ("prime-rl", {}, "mixtral-8x7b", 4096, "82.93", "transformers 5"),
    ("prime-rl", {}, "deepseek-v3", 4096, "225.9", "shared expert dropped"),
    ("slime", {}, "deepseek-v3", 4096, "225.6", "output projection h × h"),
    ("megatron-lm", {}, "mixtral-8x7b", 4096, "79.71", "half square"),
    ("megatron-lm", {}, "gpt-oss-120b", 8192, "37.95", "half square"),
    ("llama-factory", {}, "mixtral-8x7b", 4096, "49.1", "dense formula"),
    ("llama-factory", {}, "gpt-oss-120b", 8192, "23.1", "dense formula"),
    ("llama-factory", {"intermediate_size": 6144}, "qwen3-30b-a3b", 8192, "25.1", "dense formula"),
    ("nanotron", {}, "mixtral-8x7b", 4096, "49.1", "one expert"),
    ("eleuther-cookbook", {"recompute": False}, "qwen3-235b-a22b", 4096, "949", "MLP of 4h times top-k"),
    ("nemo", {}, "nemotron-h-8b", 8192, "59.0", "three MLP matrices"),
    ("megatron-lm", {}, "gemma3-27b", 32768, "212.0", "window ignored"),
    ("megatron-bridge", {}, "gemma3-27b", 32768, "172.68", "window exact"),
    ("maxtext", {}, "gemma3-27b", 32768, "172.68", "window exact"),
    ("verl", {}, "llama3-8b", 8192, "54.62", "51.47 and V·h twice"),
    ("deepseek", {}, "deepseek-v3", 4096, "249.814721", "feifeibear/DPSKV3MFU 7fd95ec"),
    ("nemo", {}, "deepseek-v3", 4096, "249.811", "NeMo flops_formulas"),
    ("maxtext", {}, "deepseek-v3", 4096, "250.450", "router counted"),
    ("megatron-lm", {}, "deepseek-v3", 4096, "249.812", "arXiv 2505.09343: 250 GFLOP a token"),
    ("nemo", {}, "deepseek-v2", 4096, "155.014", "arXiv 2505.09343: 155 GFLOP a token"),
    ("nemo", {}, "llama3.1-405b", 2048, "2447.9", "arXiv 2505.09343: 2448 GFLOP a token"),
    ("nemo", {}, "llama3.1-405b", 4096, "2473.2", ""),
    ("nemo", {}, "llama3.1-405b", 8192, "2524.0", ""),
    ("matmul-full", {"router": False}, "deepseek-v3", 4096, "280.514", "arXiv 2505.09343, non-causal"),
]


def test_dense_formulas_multiply_by_the_width_that_the_configuration_states() -> None:
    # Qwen3-30B-A3B states intermediate_size 6144 = 8 experts of 768, though no layer has an MLP of that width: with
    # LLaMA-Factory's dense formula its MLP is "right by coincidence", 25.1 GFLOP a token at 8192.
    config = {"model_type": "qwen3_moe", "vocab_size": 151936, "hidden_size": 2048, "intermediate_size": 6144,
              "moe_intermediate_size": 768, "num_hidden_layers": 48, "num_attention_heads": 32,
              "num_key_value_heads": 4, "head_dim": 128, "num_experts": 128, "num_experts_per_tok": 8,
              "decoder_sparse_step": 1, "mlp_only_layers": [], "tie_word_embeddings": False}
    for model in (read_config(config).spec, PresetStore().model("qwen3-30b-a3b").spec):
        assert rounds_to(per_token("llama-factory", model, 8192), "25.1")
        assert model.intermediate_size == 6144


@pytest.mark.parametrize(("convention_id", "options", "name", "length", "printed", "where"), CASES)
def test_figure(convention_id: str, options: dict[str, Any], name: str, length: int, printed: str, where: str) -> None:
    assert rounds_to(per_token(convention_id, shape(name), length, **options), printed)


def test_packed_documents_pay_for_their_own_pairs_only() -> None:
    # NVIDIA/Megatron-LM#5358: linear part × Σs, core × Σs².
    model = shape("llama3-8b")
    assert rounds_to(per_token("megatron-lm", model, 8192, documents=(2048,) * 4), "46.639")


def test_bridge_charges_each_packed_document_for_itself() -> None:
    """NVIDIA-NeMo/Megatron-Bridge pull request 4366 (merged 2026-06): the attention of a packed batch is the sum of
    the squares of the lengths between its ``cu_seqlens``; what is linear has all positions."""
    model = shape("llama3-8b")
    packed = per_token("megatron-bridge", model, 4096, documents=(1024,) * 4)
    assert packed == per_token("megatron-bridge", model, 1024)
    assert packed < per_token("megatron-bridge", model, 4096)
    assert rounds_to(per_token("megatron-lm", model, 8192), "51.470")


def test_nanogpt_iteration_of_the_notebook() -> None:
    # karpathy/nanoGPT transformer_sizing.ipynb: 124M, bias off, T 1024, batch 1.
    assert per_token("nanogpt", shape("gpt2-124m-v50257"), 1024) * 1024 == 875_062_886_400


def test_deepseek_v3_utilization() -> None:
    # arXiv 2505.09343, table 4: 1541.70 tokens/s a GPU over 989 TFLOP/s, 38.94 % causal, 43.73 % full.
    rate = Fraction("1541.70") / (989 * 10**12)
    model = shape("deepseek-v3")
    assert rounds_to(per_token("megatron-lm", model, 4096) * rate, "38.94", unit=Fraction(1, 100))
    full = per_token("matmul-full", model, 4096, router=False)
    assert rounds_to(full * rate, "43.73", unit=Fraction(1, 100))


def test_frameworks_of_one_rule_agree() -> None:
    # GQA, experts and latent attention without a window: within 1e-5 of each other.
    for name in ("llama3-8b", "qwen3-235b-a22b", "deepseek-v3"):
        model = replace(shape(name), multi_token_prediction=None)
        reference = per_token("megatron-lm", model, 4096)
        maxtext = per_token("maxtext", model, 4096) - router(model)
        for other in (per_token("megatron-bridge", model, 4096), maxtext):
            assert abs(other / reference - 1) < Fraction(1, 10**5)


def router(model: ModelSpec) -> Fraction:
    return per_token("matmul-full", model, 1) - per_token("matmul-full", model, 1, router=False)


def test_half_square_was_introduced() -> None:
    # AI-Hypercomputer/maxtext#1988: llama2-7b at 8192, batch 4, from 1721.2 to 1510.1 TFLOP a step.
    model = shape("llama2-7b")
    tokens = 4 * 8192
    assert rounds_to(per_token("maxtext@2025-06", model, 8192) * tokens, "1721.2", 10**12)
    assert rounds_to(per_token("maxtext", model, 8192) * tokens, "1510.1", 10**12)
    # AI-Hypercomputer/maxtext#644: llama2-7b at 2048, batch 12, 1053.4 TFLOP with one product for each matrix.
    assert rounds_to(per_token("maxtext@2024-06", model, 2048) * 12 * 2048, "1053.4", 10**12)
    # verl-project/verl#4959: factor 12 became 6.
    llama = shape("llama3-8b")
    core = 6 * 32 * 4096 * 8192
    assert per_token("verl@2025-12", llama, 8192) - per_token("verl", llama, 8192) == core
    assert per_token("megatron-lm@2025-02", llama, 8192) - per_token("megatron-lm", llama, 8192) == core


def test_old_verl_counts_wide_values() -> None:
    # verl-project/verl#4959: latent attention counted 192 + 192 instead of 192 + 128, over the full square.
    model = shape("deepseek-v2")
    new, old = per_token("verl", model, 4096), per_token("verl@2025-12", model, 4096)
    layers, heads = 60, 128
    assert old - new == 3 * layers * heads * (192 + 128) * 4096 + 6 * layers * heads * 64 * 4096


def test_multi_token_prediction() -> None:
    # DeepSeek-V3, one depth: Megatron-LM +10.181 G, MaxText +4.015 G (no head, no projection).
    model = shape("deepseek-v3")
    assert rounds_to(per_token("megatron-lm", model, 4096, 1) - per_token("megatron-lm", model, 4096), "10.181")
    assert rounds_to(per_token("maxtext", model, 4096, 1) - per_token("maxtext", model, 4096), "4.015")
    plain = replace(model, multi_token_prediction=None)
    assert per_token("megatron-lm", plain, 4096, 1) == per_token("megatron-lm", model, 4096)
    assert isinstance(model.multi_token_prediction, MultiTokenPrediction)


def test_small_differences() -> None:
    llama = shape("llama3-8b")
    megatron = per_token("megatron-lm", llama, 8192)
    assert rounds_to(per_token("verl", llama, 8192) - megatron, "3.152")
    assert rounds_to(per_token("torchtitan", llama, 8192) - megatron - 6 * 32 * 4096 * 8192, "0.0016")
    gpt2 = shape("gpt2-124m-v50257")
    assert rounds_to(per_token("megatron-bridge", gpt2, 1024) - per_token("megatron-lm", gpt2, 1024), "0.000217")
    gpt3 = shape("gpt3-175b")
    head = per_token("gpt-neox", gpt3, 2048) - per_token("megatron-2021-no-recompute", gpt3, 2048)
    assert rounds_to(head, "-0.944")
    assert rounds_to(router(shape("deepseek-v3")), "0.639")
    gemma = shape("gemma3-27b")
    seen = per_token("megatron-lm", gemma, 32768) - per_token("megatron-bridge", gemma, 32768)
    assert rounds_to(seen, "39.3")


def test_ratios() -> None:
    big = shape("llama3.1-405b")
    assert rounds_to(per_token("paddlenlp", big, 8192) / per_token("megatron-lm", big, 8192) - 1, "0.19", 1)
    gpt3 = shape("gpt3-175b")
    assert rounds_to(per_token("nanotron", gpt3, 2048) / per_token("megatron-lm", gpt3, 2048) - 1, "0.34", 1)
    # Three matrices for a squared-ReLU MLP: 59.0 G instead of 46.7 G, 26 % more.
    nemotron = shape("nemotron-h-8b")
    assert rounds_to(per_token("megatron-lm", nemotron, 8192), "46.7")
    assert rounds_to(per_token("nemo", nemotron, 8192) / per_token("megatron-lm", nemotron, 8192) - 1, "0.26", 1)


def test_mla_norms_of_megatron() -> None:
    # NVIDIA/Megatron-LM#1475: each rank has one norm row more, 6 FLOPs each: (1536 + 512)·61.
    model = replace(model_of(next(r["config"] for r in ROWS if r["model"] == "deepseek-v3"
                                  and "N_active" in r["config"])), multi_token_prediction=None)
    difference = per_token("megatron-lm", model, 4096) - per_token("nemo", model, 4096)
    assert difference == 6 * 61 * (1536 + 512)


@pytest.mark.parametrize(("length", "pairs"), [(64, 64 * 64 / 2), (128, 128 * 128 / 2), (129, 128 * 129 / 2 + 128)])
def test_megatron_bridge_counts_a_window_as_wide_as_the_sequence_as_none(length: int, pairs: float) -> None:
    """flop_utils.py: ``swa_context`` is exact where the window is shorter than the sequence, else half of it."""
    model = read_config({"model_type": "mistral", "hidden_size": 256, "intermediate_size": 512, "num_hidden_layers": 1,
                         "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 64, "vocab_size": 1024,
                         "sliding_window": 128}).spec
    weights = 256 * 64 * (2 * 4 + 2 * 2) + 3 * 256 * 512 + 256 * 1024
    assert per_token("megatron-bridge", model, length) * length == 6 * weights * length + 12 * 4 * 64 * pairs
