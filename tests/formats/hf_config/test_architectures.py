"""The class that a file names decides what is counted; layers cut down for a trial keep what the class does.

Parameters and forward FLOPs of 16 tokens, counted by torch 2.13's operator registry on the classes of
transformers 5.24.0, built on the meta device from these configs.
"""

from __future__ import annotations

from typing import Any

import pytest

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.inspection import inspect
from mfu_gui.engine.run import RunSpec
from mfu_gui.formats.hf_config import read_config

BERT = {"model_type": "bert", "hidden_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4,
        "intermediate_size": 80, "vocab_size": 99, "max_position_embeddings": 64}
T5 = {"model_type": "t5", "d_model": 48, "num_layers": 2, "num_heads": 4, "d_kv": 8, "d_ff": 80, "vocab_size": 99}
TWO_LAYERS_OF_DEEPSEEK = {
    "model_type": "deepseek_v3", "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2,
    "num_attention_heads": 4, "num_key_value_heads": 4, "vocab_size": 99, "q_lora_rank": 24, "kv_lora_rank": 16,
    "qk_nope_head_dim": 16, "qk_rope_head_dim": 8, "v_head_dim": 16, "n_routed_experts": 8, "num_experts_per_tok": 2,
    "moe_intermediate_size": 32}
SWITCH = {**T5, "model_type": "switch_transformers", "num_layers": 6, "num_decoder_layers": 4, "num_experts": 4,
          "num_sparse_encoder_layers": 2, "num_sparse_decoder_layers": 1}

MEASURED: list[tuple[dict[str, Any], str, int, int | None]] = [
    (BERT, "BertLMHeadModel", 45379, 1405440),
    (BERT, "BertForPreTraining", 47829, 1410240),
    ({**BERT, "model_type": "electra", "embedding_size": 24}, "ElectraForCausalLM", 41347, 1329408),
    (T5, "T5EncoderModel", 32768, 950272),
    ({**T5, "model_type": "umt5"}, "UMT5EncoderModel", 40576, 1196032),
    # Three dense layers by default, of two.
    (TWO_LAYERS_OF_DEEPSEEK, "DeepseekV3ForCausalLM", 72976, 2283520),
    ({**TWO_LAYERS_OF_DEEPSEEK, "first_k_dense_replace": 3}, "DeepseekV3ForCausalLM", 72976, 2283520),
    # A saved file holds the steps beside the numbers they came from; capacity makes its FLOPs depend on data.
    ({**SWITCH, "encoder_sparse_step": 2, "decoder_sparse_step": 2}, "SwitchTransformersForConditionalGeneration",
     285232, None),
]


@pytest.mark.parametrize(("config", "name", "parameters", "forward"), MEASURED, ids=lambda value: str(value)[:30])
def test_counts_what_the_named_class_has(config: dict[str, Any], name: str, parameters: int,
                                         forward: int | None) -> None:
    model = read_config({**config, "architectures": [name]}).spec
    found = inspect(model, RunSpec(sequence_length=16, decoder_sequence_length=8), as_executed=True)
    assert found.parameters.total == parameters
    assert forward is None or found.full_square.forward == forward


def test_a_decoder_without_its_encoder_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        read_config({"model_type": "bart", "architectures": ["BartForCausalLM"]})
    assert (caught.value.code, caught.value.field) == ("config_unsupported", "architectures")


def test_more_layers_with_experts_than_layers_are_refused() -> None:
    with pytest.raises(InputError) as caught:
        read_config({**SWITCH, "num_sparse_decoder_layers": 5})
    assert (caught.value.code, caught.value.field) == ("out_of_range", "num_sparse_decoder_layers")
