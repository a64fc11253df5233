"""Files that are not the configuration of a language model, and heads that are not a language model's."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from mfu_gui.engine.errors import InputError, Notice
from mfu_gui.formats.hf_config.access import shortened

# The key that gives a file away, and what it is.
_OTHER_FILES: tuple[tuple[str, str], ...] = (
    ("_class_name", "diffusers"),
    ("_diffusers_version", "diffusers"),
    ("peft_type", "adapter"),
    ("weight_map", "weights_index"),
    ("added_tokens_decoder", "tokenizer"),
    ("tokenizer_class", "tokenizer"),
    ("added_tokens", "tokenizer"),
    ("image_processor_type", "processor"),
    ("feature_extractor_type", "processor"),
    ("processor_class", "processor"),
    ("_from_model_config", "generation"),
    ("max_new_tokens", "generation"),
    ("producer", "quantization"),
    ("__class_name__", "processor"),
    ("modules_to_not_convert", "quantization"),
    ("word_embedding_dimension", "sentence_transformers"),
    ("zero_optimization", "deepspeed"),
)
# Types that are known and still not read, by what no part of a model can say of them.
_UNREAD = {
    "config_positions_change": "funnel swin swinv2 swin2sr donut-swin maskformer-swin hiera pvt pvt_v2 segformer cvt "
                               "levit convnext convnextv2 focalnet poolformer efficientnet resnet mobilenet_v2 "
                               "mobilevit gemma3n_vision",
    "config_codebook_decoder": "moshi",
}
_WHY_UNREAD = {name: code for code, names in _UNREAD.items() for name in names.split()}
_TASKS = re.compile(
    r"(Reward|Classification|QuestionAnswering|MultipleChoice|NextSentence|Regression|ValueHead|Ranking|CrossEncoder"
    r"|Retrieval|Embedding|Classifier|TokenDetection|SequenceScor)")
# A class that ends in "Model" and nothing more is the body without a head.
_BODY = re.compile(r"^[A-Za-z0-9_]*Model$")
# Their files name the bare class although the checkpoint has a head.
_NAMED_BY_BODY = frozenset({"chatglm"})
_HEADS = re.compile(r"(LMHeadModel|LMHead|DoubleHeads|ForCausalLM)")


def check_kind(data: Mapping[str, Any]) -> None:
    """Refuse a file of another kind, by the key that shows it."""
    if "_class_name" in data or "_diffusers_version" in data:
        key = "_class_name" if "_class_name" in data else "_diffusers_version"
        raise InputError("file_is_diffusers", key, key=key, value=shortened(data[key]))
    if data.get("model_type"):
        return
    for key, kind in _OTHER_FILES:
        if key in data:
            raise InputError(f"file_is_{kind}", key, key=key)


def why_unread(model_type: str) -> str | None:
    """The code that says why models of a known type are not read; None for a type that nothing is known of."""
    return _WHY_UNREAD.get(model_type)


def check_task(name: str, place: str) -> None:
    """Refuse the class of a task that is no language model's."""
    if _TASKS.search(name):
        raise InputError("config_other_head", place, architecture=shortened(name))


def check_architectures(data: Mapping[str, Any], model_type: str, path: str = "") -> tuple[bool, tuple[Notice, ...]]:
    """Whether the model has a language head, with a notice where it has not.

    A head for rewards, classes or embeddings is refused: its FLOPs are not those of a language model.
    """
    names = data.get("architectures")
    place = f"{path}.architectures" if path else "architectures"
    if names is None:
        return True, ()
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise InputError("wrong_type", place, expected="array", found="object", value=shortened(names))
    for name in names:
        check_task(name, place)
    bare = all(_BODY.match(name) and not _HEADS.search(name) for name in names)
    if names and bare and model_type not in _NAMED_BY_BODY:
        return False, (Notice("config_without_head", place, {"architecture": shortened(names[0])}),)
    return True, ()


def quantization(data: Mapping[str, Any], path: str = "") -> tuple[Notice, ...]:
    """A notice where the weights are stored quantised: shapes stay the logical ones."""
    for key in ("quantization_config", "quantization", "compression_config"):
        section = data.get(key)
        if isinstance(section, Mapping):
            method = section.get("quant_method") or section.get("quant_algo") or section.get("bits")
            values = {"method": shortened(method)} if isinstance(method, str | int) else {}
            return (Notice("config_quantized", f"{path}.{key}" if path else key, values),)
    return ()
