"""A thousand damaged configs: each is refused in one line or read, and what is read is counted right."""

from __future__ import annotations

import random
import time
from typing import Any

import pytest

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.ledger import ledger
from mfu_gui.engine.validation import validate_model
from mfu_gui.formats.hf_config import read_config
from tests.formats.hf_config.mutants import class_seeds, mutant, second_count, seeds

COMPLETE: list[dict[str, Any]] = [
    {"model_type": "llama", "hidden_size": 512, "intermediate_size": 1408, "num_hidden_layers": 6, "head_dim": 64,
     "num_attention_heads": 8, "num_key_value_heads": 4, "vocab_size": 1000, "tie_word_embeddings": False,
     "attention_bias": False, "mlp_bias": False},
    {"model_type": "mistral", "hidden_size": 512, "intermediate_size": 1408, "num_hidden_layers": 6, "head_dim": None,
     "num_attention_heads": 8, "num_key_value_heads": 2, "vocab_size": 1000, "tie_word_embeddings": False,
     "sliding_window": 128},
    {"model_type": "qwen2", "hidden_size": 512, "intermediate_size": 1408, "num_hidden_layers": 6,
     "num_attention_heads": 8, "num_key_value_heads": 4, "vocab_size": 1000, "tie_word_embeddings": True,
     "use_sliding_window": False},
    {"model_type": "qwen3", "hidden_size": 512, "intermediate_size": 1408, "num_hidden_layers": 6, "head_dim": 128,
     "num_attention_heads": 8, "num_key_value_heads": 4, "vocab_size": 1000, "tie_word_embeddings": True,
     "use_sliding_window": False, "attention_bias": False},
    {"model_type": "gemma2", "hidden_size": 512, "intermediate_size": 1408, "num_hidden_layers": 6, "head_dim": 64,
     "num_attention_heads": 8, "num_key_value_heads": 4, "vocab_size": 1000, "tie_word_embeddings": True,
     "sliding_window": 128, "attention_bias": False},
    {"model_type": "gemma3_text", "hidden_size": 512, "intermediate_size": 1408, "num_hidden_layers": 6, "head_dim": 64,
     "num_attention_heads": 8, "num_key_value_heads": 4, "vocab_size": 1000, "tie_word_embeddings": True,
     "sliding_window": 128, "sliding_window_pattern": 6, "attention_bias": False},
    {"model_type": "mixtral", "hidden_size": 512, "intermediate_size": 1408, "num_hidden_layers": 6, "head_dim": 64,
     "num_attention_heads": 8, "num_key_value_heads": 4, "vocab_size": 1000, "tie_word_embeddings": False,
     "num_local_experts": 8, "num_experts_per_tok": 2, "sliding_window": None},
    {"model_type": "qwen3_moe", "hidden_size": 512, "intermediate_size": 1408, "num_hidden_layers": 6, "head_dim": 64,
     "num_attention_heads": 8, "num_key_value_heads": 4, "vocab_size": 1000, "tie_word_embeddings": False,
     "num_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 256, "decoder_sparse_step": 1,
     "mlp_only_layers": [], "use_sliding_window": False, "attention_bias": False},
]


def check(config: dict[str, Any]) -> bool:
    """Whether ``config`` was read; anything but a model or an InputError is a failure of the test."""
    try:
        model = read_config(config)
    except InputError:
        return False
    validate_model(model.spec)
    parameters = ledger(model.spec).parameters
    assert parameters.total == sum(parameters.components.values()) > 0
    if not any(notice.code == "assumed_default" for notice in model.assumptions) and not any(
            notice.code == "config_without_head" for notice in model.assumptions):
        expected = second_count(config) if model.model_type in config.values() else None
        assert expected in (None, parameters.total)
    return True


@pytest.mark.parametrize("part", range(10))
def test_damaged_configs_of_real_models(part: int) -> None:
    chance, originals = random.Random(part), seeds()
    started = time.perf_counter()
    read = sum(check(mutant(chance.choice(originals), chance)) for _ in range(60))
    assert 0 < read < 60
    assert time.perf_counter() - started < 60  # nothing hangs


def test_damaged_configs_of_each_class() -> None:
    chance, originals = random.Random("classes"), class_seeds()
    assert 0 < sum(check(mutant(chance.choice(originals), chance)) for _ in range(400)) < 400


@pytest.mark.parametrize("seed", COMPLETE, ids=lambda seed: seed["model_type"])
def test_damaged_complete_configs_are_counted_twice(seed: dict[str, Any]) -> None:
    assert second_count(seed) == ledger(read_config(seed).spec).parameters.total
    chance = random.Random(seed["model_type"])
    assert sum(check(mutant(seed, chance)) for _ in range(50)) > 0
