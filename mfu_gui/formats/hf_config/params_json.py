"""Files of original releases that have no ``model_type``: Llama's, Mistral's and DeepSeek's own parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mfu_gui.engine.errors import InputError, Notice
from mfu_gui.engine.model import ModelSpec
from mfu_gui.formats.hf_config.access import Config, Family
from mfu_gui.formats.hf_config.parts import attention, decoder, dense, moe, window_of

_LLAMA_VOCABULARY = 32000

_NAMES = {
    "hidden_size": ("dim",),
    "num_hidden_layers": ("n_layers",),
    "num_attention_heads": ("n_heads",),
    "num_key_value_heads": ("n_kv_heads",),
    "intermediate_size": ("hidden_dim",),
    "max_position_embeddings": ("max_seq_len", "max_position_embeddings"),
    "tie_word_embeddings": ("tied_embeddings", "tie_embeddings", "tie_word_embeddings"),
}
_DEFAULTS = {"num_key_value_heads": None, "head_dim": None, "tie_word_embeddings": False, "multiple_of": 256,
             "ffn_dim_multiplier": None, "sliding_window": None}
# Parts of later releases that these readers do not know.
_UNSUPPORTED = ("moe_args", "vision_args", "vision_chunk_size", "vision_encoder", "q_lora_rank", "ssm_cfg")


def read_params(data: Mapping[str, Any]) -> tuple[ModelSpec, tuple[Notice, ...], str]:
    """The model, its assumptions and a name for its kind of file; refused where the keys are of neither kind."""
    if "moe_inter_dim" in data and "dim" in data:
        from mfu_gui.formats.hf_config.registry import family_of

        family = family_of("deepseek_ref")
        if family is not None:
            config = Config(data, "deepseek_ref", family)
            return family.read(config), tuple(config.assumptions.values()), "deepseek_ref"
    if not {"dim", "n_layers", "n_heads"} <= data.keys():
        raise InputError("model_type_missing", "model_type")
    for key in _UNSUPPORTED:
        if data.get(key) is not None:
            raise InputError("config_unsupported", key, value=key)
    mistral = "hidden_dim" in data
    kind = "mistral params.json" if mistral else "llama params.json"
    config = Config(data, kind, Family(_mistral if mistral else _llama, _DEFAULTS, _NAMES))
    spec = (_mistral if mistral else _llama)(config)
    return spec, tuple(config.assumptions.values()), kind


def _llama(config: Config) -> ModelSpec:
    """The MLP width is 2/3 of 4 × dim, times a factor, up to a multiple; −1 tokens means Llama's first 32,000."""
    width = 8 * config.integer("hidden_size") // 3
    factor = config.number("ffn_dim_multiplier", 1e-3, 1000)
    if factor is not None:
        width = int(factor * width)
    multiple = config.integer("multiple_of")
    ffn = dense(config, width=-(-width // multiple) * multiple)
    return decoder(_with_vocabulary(config), attention(config), ffn)


def _with_vocabulary(config: Config) -> Config:
    if config.integer("vocab_size", -1) != -1:
        return config
    config.assume("vocab_size", _LLAMA_VOCABULARY)
    return config.changed("vocab_size", _LLAMA_VOCABULARY)


def _mistral(config: Config) -> ModelSpec:
    mixer = attention(config, window=window_of(config))
    if not config.has("moe"):
        return decoder(config, mixer, dense(config))
    section = config.section("moe")
    return decoder(config, mixer, moe(section, width=config.integer("intermediate_size")))
