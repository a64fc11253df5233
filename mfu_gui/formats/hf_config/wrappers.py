"""Configs that hold another config: vision-language models and the like, read by their text part."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mfu_gui.engine.errors import Notice
from mfu_gui.engine.model import ModelSpec
from mfu_gui.formats.hf_config.refuse import check_architectures, quantization

WRAPPERS: dict[str, str] = {}

# What these are depends on the class their file names; their readers look at it.
_LOOK_AT_CLASS = (
    "bert roberta xlm-roberta camembert ernie distilbert electra albert modernbert vit deit dinov2 "
    "dinov2_with_registers clip clip_vision_model siglip siglip_vision_model"
)
READ_ARCHITECTURES = frozenset(_LOOK_AT_CLASS.split())


def read_model(data: Mapping[str, Any], model_type: str) -> tuple[ModelSpec, tuple[Notice, ...]]:
    """The model of a config with a ``model_type``, and everything assumed about it."""
    from mfu_gui.formats.hf_config import read_text_model

    has_head, notices = (True, ()) if model_type in READ_ARCHITECTURES else check_architectures(data, model_type)
    notices += quantization(data)
    spec, assumed = read_text_model(data, model_type, has_head=has_head)
    return spec, (*notices, *assumed.values())
