"""Which row of ``convention_vectors.json`` is which convention with which options, and in which unit."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

RowData = dict[str, Any]
Case = tuple[str, dict[str, Any]]

SAME_NAME = {"verl", "trl", "slime", "levanter", "llm-foundry", "lingua", "torchtitan"}
BY_LABEL = {
    ("palm-appendix-b", "6N+12LHQT"): "palm", ("6ND-total", "6N (all params)"): "6n",
    ("6ND-active", "6N_active (incl. both embeddings)"): "6n-active",
    ("kaplan-2020", "6N non-embedding"): "kaplan-2020",
    ("chinchilla-appF", "train=3*fwd"): "chinchilla", ("maxtext", "total_tflops"): "maxtext",
    ("megatron-2021-paper", "96-form (full recompute, HFU)"): "megatron-2021",
    ("nanotron-llama", "model_flops"): "nanotron", ("nanotron-moe-example", "model_flops"): "nanotron",
    ("litgpt-estimate_flops", "estimate_flops(training=True)"): "litgpt",
    ("lightning-measure_flops", "measure_flops(fwd+bwd)"): "lightning",
    ("llama-factory", "compute_model_flops"): "llama-factory", ("colossalai-get_tflops", "get_tflops"): "colossalai",
    ("hf-floating_point_ops", "floating_point_ops(exclude_embeddings=True)"): "hf-trainer",
    ("hf-trainer-floating_point_ops", "Trainer.floating_point_ops"): "hf-trainer",
    ("nanogpt", "estimate_mfu(fwdbwd_per_iter=1, dt=1)"): "nanogpt",
    ("nanogpt", "flops_per_iter (= mfu*312e12)"): "nanogpt",
    ("nanogpt", "flops per token (formula on returned N)"): "nanogpt",
}


def case_of(row: RowData) -> Case | None:
    """(id, options) of a row that is the main output of a convention; None for facts about parts."""
    label, output, config = row["convention"], row["output_name"], row["config"]
    if label == "megatron-lm" and output.startswith("num_floating"):
        return label, {"vocabulary_multiple": 1}
    if label == "megatron-bridge":
        return label, {} if "window" not in config or "window_size" in config else {"window": False}
    if output == "72-form (no recompute, MFU)":
        # The row has V/16, which counts 4.5·h·V; the convention's own default is V/12.
        return "megatron-2021-no-recompute", {"head": "4.5"}
    if label == "nemo-flops-formulas":
        return "nemo", {}
    if (label == "olmo-core" and "layers" in config) or config.get("factory") == "olmoe_1B_7B":
        return "olmo-core", {}
    if label == "internevo":
        return label, {"recompute": config["checkpoint"]}
    if label == "gpt-neox":
        if output == "get_forward_backward_flops":
            return label, {}
        return "gpt-neox-actual", {"recompute": config["checkpoint_activations"]}
    if label == "eleuther-cookbook":
        return label, {"recompute": config["checkpoint_activations"]}
    if label == "paddlenlp":
        return label, {"recompute": config.get("recompute_granularity", "none")}
    if label == "prime-rl":
        return label, {"transformers": "4"} if "transformers 4 field" in output else {}
    if label in SAME_NAME:
        return label, {}
    known = BY_LABEL.get((label, output))
    return (known, {}) if known is not None else None


def per_step(row: RowData) -> Fraction:
    """FLOPs of one step of ``seq_len × batch`` tokens, forward and backward."""
    value, unit = Fraction(row["value"]), row["unit"]
    tokens = row["seq_len"] * row["batch"]
    if "forward only" in unit:
        value *= 3
    if unit.startswith("TFLOP"):
        value *= 10**12
    if unit.startswith("fraction of 312e12"):
        value *= 312 * 10**12
    return value * tokens if unit.startswith("FLOP/token") else value
