"""Damaged configs, and a second count of parameters that shares no code with the first."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

CONFIGS = Path(__file__).resolve().parents[2] / "data" / "hf_configs"
JUNK: list[Any] = [
    0, -1, 1, 2, 3, 7, 64, 4096, 10**6, 10**9, 10**12, 10**30, True, False, None, "4096", "", "x", [], [1, 2], {},
    {"a": 1}, 1.5, -0.5, 1e308, float("inf"), float("nan"), [None], ["full_attention"], [[1]],
]
OTHER_TYPES = ["llama", "mamba2", "gemma3", "t5", "qwen3_5", "zamba2", "chatglm", "openelm", "bert", "clip", "nope"]


@lru_cache(maxsize=1)
def seeds() -> list[dict[str, Any]]:
    """All configs of real models."""
    files = sorted(path for path in CONFIGS.glob("*.json") if path.name != "index.json")
    return [json.loads(path.read_text("utf-8")) for path in files]


@lru_cache(maxsize=1)
def class_seeds() -> list[dict[str, Any]]:
    """Configs of every class whose parameters were counted."""
    cases = json.loads((CONFIGS.parent / "class_params.json").read_text("utf-8"))["cases"]
    return [case["config"] for case in cases]


def _paths(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    for key, value in node.items() if isinstance(node, dict) else enumerate(node):
        yield (*path, key)
        if isinstance(value, dict) or (isinstance(value, list) and len(value) < 200):
            yield from _paths(value, (*path, key))


def mutant(seed: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """``seed`` with one to three keys dropped, replaced, multiplied, lengthened or shortened."""
    config = copy.deepcopy(seed)
    for _ in range(chance.choice([1, 1, 1, 2, 3])):
        paths = list(_paths(config))
        if not paths:
            break
        _change(config, chance.choice(paths), chance)
    return config


def _change(config: dict[str, Any], path: tuple[Any, ...], chance: random.Random) -> None:
    node: Any = config
    for key in path[:-1]:
        node = node[key]
    value, what = node[path[-1]], chance.random()
    if what < 0.25:
        del node[path[-1]]
    elif what < 0.7:
        node[path[-1]] = copy.deepcopy(chance.choice(JUNK))
    elif what < 0.85 and isinstance(value, int) and not isinstance(value, bool):
        node[path[-1]] = value * chance.choice([2, 3, -1]) + chance.choice([0, 1, -1])
    elif what < 0.95 and isinstance(value, list):
        node[path[-1]] = value + value[:1] if chance.random() < 0.5 else value[:-1]
    else:
        config["model_type"] = chance.choice(OTHER_TYPES)


def second_count(config: dict[str, Any]) -> int | None:
    """Parameters straight from the keys of the commonest types, by textbook shapes; None for other types.

    Only for files that need no class default: a missing key raises KeyError.
    """
    if config["model_type"] not in _NORMS:
        return None
    hidden, layers, heads = config["hidden_size"], config["num_hidden_layers"], config["num_attention_heads"]
    kv_heads = config["num_key_value_heads"] or heads
    head_dim = config.get("head_dim") or hidden // heads
    attention = 2 * hidden * heads * head_dim + 2 * hidden * kv_heads * head_dim
    if config["model_type"] == "qwen2":
        attention += (heads + 2 * kv_heads) * head_dim
    if config.get("attention_bias"):
        attention += (heads + 2 * kv_heads) * head_dim + hidden
    if config["model_type"] in ("qwen3", "qwen3_moe", "gemma3_text"):
        attention += 2 * head_dim
    norms = _NORMS[config["model_type"]] * hidden
    table = config["vocab_size"] * hidden * (1 if config["tie_word_embeddings"] else 2)
    return layers * (attention + norms) + _mlps(config, hidden, layers) + table + hidden


_NORMS = {"llama": 2, "mistral": 2, "qwen2": 2, "qwen3": 2, "gemma": 2, "gemma2": 4, "gemma3_text": 4, "mixtral": 2,
          "qwen3_moe": 2}


def _mlps(config: dict[str, Any], hidden: int, layers: int) -> int:
    """Parameters of all MLPs and experts."""
    if config["model_type"] != "qwen3_moe":
        width = config["intermediate_size"]
        if config["model_type"] == "mixtral":
            return layers * config["num_local_experts"] * (3 * hidden * width + hidden)
        biases = 2 * width + hidden if config.get("mlp_bias") and config["model_type"] == "llama" else 0
        return layers * (3 * hidden * width + biases)
    step, only = config["decoder_sparse_step"], config.get("mlp_only_layers") or []
    experts = config.get("num_experts", config.get("num_local_experts", 0))
    moe = experts * (3 * hidden * config["moe_intermediate_size"] + hidden)
    sparse = sum(bool(step and index not in only and (index + 1) % step == 0) for index in range(layers))
    return sparse * moe + ((layers - sparse) * 3 * hidden * config["intermediate_size"] if sparse < layers else 0)
