"""What cannot be read is refused in one line that names the field; nothing is guessed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mfu_gui.engine.errors import InputError
from mfu_gui.formats.hf_config import known_model_types, read_config

LLAMA: dict[str, Any] = {
    "model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32,
    "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256, "tie_word_embeddings": False,
}
MIXTRAL = LLAMA | {"model_type": "mixtral", "num_local_experts": 8, "num_experts_per_tok": 2}


def _refusal(config: Any) -> InputError:
    with pytest.raises(InputError) as caught:
        read_config(config)
    return caught.value


@pytest.mark.parametrize(
    ("change", "code", "field"),
    [
        ({"num_attention_heads": 30}, "config_heads_divide", "num_key_value_heads"),
        ({"num_key_value_heads": 64}, "config_heads_divide", "num_key_value_heads"),
        ({"num_attention_heads": 24}, "config_head_dim", "num_attention_heads"),
        ({"hidden_size": -4096}, "out_of_range", "hidden_size"),
        ({"intermediate_size": 0}, "out_of_range", "intermediate_size"),
        ({"num_hidden_layers": 10**12}, "out_of_range", "num_hidden_layers"),
        ({"num_hidden_layers": 0}, "out_of_range", "num_hidden_layers"),
        ({"num_hidden_layers": True}, "wrong_type", "num_hidden_layers"),
        ({"hidden_size": "4096"}, "wrong_type", "hidden_size"),
        ({"hidden_size": 4096.5}, "wrong_type", "hidden_size"),
        ({"hidden_size": None}, "wrong_type", "hidden_size"),
        ({"hidden_size": [4096]}, "wrong_type", "hidden_size"),
        ({"vocab_size": 10**30}, "out_of_range", "vocab_size"),
        ({"attention_bias": 1}, "wrong_type", "attention_bias"),
        ({"tie_word_embeddings": "false"}, "wrong_type", "tie_word_embeddings"),
        ({"head_dim": 0}, "out_of_range", "head_dim"),
        ({"architectures": "LlamaForCausalLM"}, "wrong_type", "architectures"),
        ({"architectures": ["LlamaForSequenceClassification"]}, "config_other_head", "architectures"),
        ({"architectures": ["Qwen2ForProcessRewardModel"]}, "config_other_head", "architectures"),
        ({"architectures": ["LlamaForTokenClassification"]}, "config_other_head", "architectures"),
        ({"_class_name": "UNet2DConditionModel"}, "file_is_diffusers", "_class_name"),
        ({"model_type": 7}, "wrong_type", "model_type"),
    ],
)
def test_llama(change: dict[str, Any], code: str, field: str) -> None:
    error = _refusal(LLAMA | change)
    assert (error.code, error.field) == (code, field)


@pytest.mark.parametrize(
    ("config", "code", "field"),
    [
        (MIXTRAL | {"num_experts_per_tok": 9}, "config_top_k", "num_experts_per_tok"),
        ({"model_type": "gemma3_text", "num_hidden_layers": 6, "layer_types": ["full_attention"] * 5},
         "config_list_length", "layer_types"),
        ({"model_type": "gemma3_text", "num_hidden_layers": 1, "layer_types": ["fully_attention"]},
         "unknown_choice", "layer_types[0]"),
        ({"model_type": "gpt_oss", "num_experts_per_tok": 4, "experts_per_token": 2}, "config_disagrees",
         "num_experts_per_tok"),
        ({"model_type": "gpt2", "n_embd": 768, "hidden_size": 1024}, "config_disagrees", "n_embd"),
        ({"model_type": "baichuan", "hidden_size": 4096}, "config_key_missing", "num_attention_heads"),
        ({"model_type": "deepseek_v3", "first_k_dense_replace": -1}, "out_of_range", "first_k_dense_replace"),
        ({"model_type": "deepseek_v3", "kv_lora_rank": None}, "wrong_type", "kv_lora_rank"),
        ({"model_type": "gpt_neo", "attention_types": [[["global", "local"], 11]]}, "config_list_length",
         "attention_types"),
        ({"model_type": "gpt_neo", "attention_types": [[["global"], 10**12]]}, "config_list_length",
         "attention_types[0]"),
        ({"model_type": "gpt_neo", "attention_types": [["global", 24]]}, "unknown_choice", "attention_types[0]"),
        ({"model_type": "mpt", "attn_config": "flash"}, "wrong_type", "attn_config"),
        ({"model_type": "mpt", "n_heads": 16, "attn_config": {"kv_n_heads": 5}}, "config_heads_divide",
         "attn_config.kv_n_heads"),
        ({"model_type": "mpt", "expansion_ratio": "4"}, "wrong_type", "expansion_ratio"),
        ({"model_type": "qwen3_moe", "mlp_only_layers": [24]}, "out_of_range", "mlp_only_layers[0]"),
        ({"model_type": "llama4_text", "no_rope_layers": [1, 1]}, "config_list_length", "no_rope_layers"),
        ({"model_type": "gpt2", "add_cross_attention": True}, "config_unsupported", "add_cross_attention"),
    ],
)
def test_other_families(config: dict[str, Any], code: str, field: str) -> None:
    error = _refusal(config)
    assert (error.code, error.field) == (code, field)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ({"tokenizer_class": "LlamaTokenizer", "model_max_length": 4096}, "file_is_tokenizer"),
        ({"added_tokens": [], "version": "1.0"}, "file_is_tokenizer"),
        ({"image_processor_type": "CLIPImageProcessor"}, "file_is_processor"),
        ({"_from_model_config": True, "eos_token_id": 2}, "file_is_generation"),
        ({"metadata": {}, "weight_map": {}}, "file_is_weights_index"),
        ({"peft_type": "LORA", "r": 8}, "file_is_adapter"),
        ({"producer": {"name": "modelopt"}, "quantization": {}}, "file_is_quantization"),
        ({"train_batch_size": 16, "zero_optimization": {}}, "file_is_deepspeed"),
        ({"hidden_size": 4096}, "model_type_missing"),
        ({}, "model_type_missing"),
    ],
)
def test_other_files(data: dict[str, Any], code: str) -> None:
    assert _refusal(data).code == code


@pytest.mark.parametrize("data", [[], "llama", 7, None])
def test_not_an_object(data: Any) -> None:
    assert _refusal(data).code == "wrong_type"


def test_unknown_type_is_refused_by_name_with_the_nearest() -> None:
    error = _refusal(LLAMA | {"model_type": "lama"})
    assert error.code == "unknown_model_type"
    assert error.values["model_type"] == "lama"
    assert error.values["nearest"] == "llama"
    assert "deepseek_v3" in error.values["supported"]


def test_unknown_type_without_a_near_one_offers_none() -> None:
    assert "nearest" not in _refusal({"model_type": "zzzzzzzzzz"}).values


@pytest.mark.parametrize("model_type", known_model_types())
def test_a_bare_type_is_read_with_assumptions_or_names_what_is_missing(model_type: str) -> None:
    try:
        found = {notice.field for notice in read_config({"model_type": model_type}).assumptions}
    except InputError as error:
        found = {error.field} if error.code in ("config_key_missing", "config_head_dim", "wrong_type") else set()
    assert found


def test_a_hundred_thousand_layers_of_two_kinds_are_read_at_once() -> None:
    model = read_config({"model_type": "gemma2", "num_hidden_layers": 100_000})
    assert model.spec.main.layer_count() == 100_000


def test_long_values_are_cut() -> None:
    error = _refusal(LLAMA | {"hidden_size": "9" * 10_000})
    assert len(json.dumps(error.values)) < 400
