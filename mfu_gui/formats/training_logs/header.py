"""What a log says before its first step: the arguments, the number of devices, the model's configuration.

Only the beginning is searched.  Every fact keeps the words it was read from.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Literal

import msgspec

SEARCHED = 2**20
"""Bytes from the beginning of the log."""

Origin = Literal["read", "derived", "answered", "scenario"]


class Fact(msgspec.Struct, frozen=True):
    """A value, how it is known, and the words or figures it is from."""

    value: Any
    origin: Origin
    where: str = ""


Facts = dict[str, Fact]

_NAMES: dict[str, tuple[str, ...]] = {
    "devices": ("world_size", "world size", "WORLD_SIZE", "Num_devices", "num_devices", "device_num"),
    "sequence_length": ("seq_length", "sequence_length", "max_target_length", "block_size", "seq_len", "max_seq_len",
                        "encoder_seq_length", "sequence length"),
    "longest_sequence": ("cutoff_len", "max_seq_length", "max_length", "model_max_length"),
    "global_batch": ("global_batch_size", "global_train_batch_size", "train_batch_size", "global batch size",
                     "Total train batch size (w. parallel, distributed & accumulation)"),
    "micro_batch": ("micro_batch_size", "train_micro_batch_size_per_gpu", "per_device_train_batch_size",
                    "device_train_microbatch_size", "local batch size", "Instantaneous batch size per device"),
    "accumulation": ("gradient_accumulation_steps", "Gradient Accumulation steps"),
    "tensor": ("tensor_model_parallel_size", "tensor_parallel_degree"),
    "pipeline": ("pipeline_model_parallel_size", "pipeline_parallel_degree"),
    "virtual_pipeline": ("virtual_pipeline_model_parallel_size",),
    "context": ("context_parallel_size", "context_parallel_degree"),
    "expert": ("expert_model_parallel_size", "expert_parallel_degree"),
    "nodes": ("nnodes",),
    "devices_per_node": ("n_gpus_per_node", "nproc_per_node", "nproc-per-node"),
    "layers": ("num_layers", "num-layers"),
    "hidden": ("hidden_size", "hidden-size"),
    "ffn": ("ffn_hidden_size", "ffn-hidden-size"),
    "heads": ("num_attention_heads", "num-attention-heads"),
    "kv_heads": ("num_query_groups", "num-query-groups"),
    "head_dim": ("kv_channels", "kv-channels"),
    "vocabulary": ("vocab_size", "vocab-size"),
    "padded_vocabulary": ("padded_vocab_size",),
    "experts": ("num_experts", "num-experts"),
    "top_k": ("moe_router_topk", "moe-router-topk"),
    "expert_ffn": ("moe_ffn_hidden_size", "moe-ffn-hidden-size"),
    "shared_expert_ffn": ("moe_shared_expert_intermediate_size",),
    "positions": ("max_position_embeddings", "max-position-embeddings"),
}
_WORDS: dict[str, tuple[str, ...]] = {
    "gated": ("swiglu",), "untied": ("untie_embeddings_and_output_weights",), "grouped": ("group_query_attention",),
    "latent": ("multi_latent_attention",), "position_kind": ("position_embedding_type",),
    "recompute_granularity": ("recompute_granularity",), "bf16": ("bf16",), "fp16": ("fp16",), "fp8": ("fp8",),
    "dtype": ("params_dtype",),
}
_INTEGER = re.compile(rb"['\")]{0,2}[ \t]*(?:\.{2,}|[:=]|)[ \t]*['\"]?(\d{1,3}(?:,\d{3}){1,5}|\d{1,16})(?![\w.]|,\d)")
_WORD = re.compile(rb"['\")]{0,2}[ \t]*(?:\.{2,}|[:=])[ \t]*['\"]?([A-Za-z][\w.]{0,40})")
_SPECIAL: tuple[tuple[str, bytes, re.Pattern[bytes], Callable[[bytes], float]], ...] = (
    ("devices", b"MEMBER: ", re.compile(rb"MEMBER: \d+/(\d{1,9})"), int),
    ("devices", b"Starting with ", re.compile(rb"Starting with (\d{1,9}) processes"), int),
    ("peak_tflops", b"Peak FLOPS used for computing MFU", re.compile(rb"computing MFU: ([\d.]+e[+-]?\d+)"),
     lambda text: float(text) / 1e12),
    ("tokens", b"tokens per iteration will be:", re.compile(rb"will be: (\d[\d,]{0,20})"),
     lambda text: int(text.replace(b",", b""))),
)
_LARGEST = 10**12
_CONFIG = re.compile(rb"Model config \w+ \{")
_MOST_PLACES = 12


def read_header(text: bytes) -> Facts:
    """The facts that the beginning of a log states."""
    text = text[:SEARCHED]
    facts: Facts = {}
    for key, names in _NAMES.items():
        for name in names:
            if (found := _first(text, name.encode(), _INTEGER)) is not None:
                value = int(found[0].replace(b",", b""))
                if 0 < value <= _LARGEST:
                    facts[key] = Fact(value, "read", found[1])
                    break
    for key, names in _WORDS.items():
        for name in names:
            if (found := _first(text, name.encode(), _WORD)) is not None:
                facts[key] = Fact(found[0].decode("ascii", "replace"), "read", found[1])
                break
    for key, literal, pattern, convert in _SPECIAL:
        place = text.find(literal)
        match = pattern.search(text, max(0, place - 80), place + 400) if place >= 0 else None
        if match and key not in facts:
            facts[key] = Fact(convert(match[1]), "read", _shown(match[0]))
    if (config := _model_config(text)) is not None:
        facts["hf_config"] = Fact(config, "read", "Model config")
    return _combined(facts)


def _first(text: bytes, name: bytes, pattern: re.Pattern[bytes]) -> tuple[bytes, str] | None:
    """The value after the first place where a name stands by itself with a value behind it."""
    for place in _places(text, name):
        match = pattern.match(text, place + len(name), place + len(name) + 120)
        if match:
            return match[1], _shown(text[place : match.end()])
    return None


def _places(text: bytes, name: bytes) -> Iterator[int]:
    place, count = text.find(name), 0
    while place >= 0 and count < _MOST_PLACES:
        before, after = text[place - 1 : place] if place else b" ", text[place + len(name) : place + len(name) + 1]
        if not (before.isalnum() or before == b"_") and not (after.isalnum() or after == b"_"):
            count += 1
            yield place
        place = text.find(name, place + len(name))


def _shown(text: bytes) -> str:
    line = re.sub(r"\.{3,}", "…", text.decode("utf-8", "replace"))
    return " ".join(line.split())[:100]


def _combined(facts: Facts) -> Facts:
    """What follows from several facts: devices from nodes, or from the parts of a batch."""
    if "devices" not in facts and "nodes" in facts and "devices_per_node" in facts:
        nodes, each = facts["nodes"], facts["devices_per_node"]
        facts["devices"] = Fact(nodes.value * each.value, "derived", f"{nodes.where}; {each.where}")
    parts = [facts.get(key) for key in ("global_batch", "micro_batch", "accumulation")]
    model_parallel = {"tensor", "pipeline", "context"} & facts.keys()
    if "devices" not in facts and not model_parallel and all(parts):
        total, micro, steps = (part for part in parts if part is not None)
        if total.value % (micro.value * steps.value) == 0:
            where = "; ".join(part.where for part in (total, micro, steps))
            facts["devices"] = Fact(total.value // (micro.value * steps.value), "derived", where)
    if (precision := _precision(facts)) is not None:
        facts["precision"] = precision
    return facts


def _precision(facts: Facts) -> Fact | None:
    for name in ("fp8", "bf16", "fp16"):
        fact = facts.get(name)
        if fact is not None and fact.value.lower() not in ("false", "none", "null", "no"):
            return Fact(name, "read", fact.where)
    dtype = facts.get("dtype")
    for word, name in (("bfloat16", "bf16"), ("float16", "fp16"), ("float32", "fp32")):
        if dtype is not None and word in dtype.value:
            return Fact(name, "read", dtype.where)
    return None


def _model_config(text: bytes) -> dict[str, Any] | None:
    """The configuration that Hugging Face's libraries print: JSON behind "Model config"."""
    match = _CONFIG.search(text)
    if match is None:
        return None
    start, depth = match.end() - 1, 0
    for place in range(start, min(len(text), start + 65536)):
        depth += (text[place : place + 1] == b"{") - (text[place : place + 1] == b"}")
        if depth == 0:
            try:
                config = msgspec.json.decode(text[start : place + 1])
            except msgspec.MsgspecError:
                return None
            return config if isinstance(config, dict) and "model_type" in config else None
    return None


def scenario_parts(facts: Facts) -> dict[str, Any]:
    """The parts of a scenario file that the facts fill: ``model`` and ``run``."""
    run: dict[str, Any] = {key: facts[key].value for key in ("devices", "sequence_length", "global_batch",
                                                             "precision", "micro_batch") if key in facts}
    parallel = {key: facts[key].value for key in ("tensor", "pipeline", "virtual_pipeline", "context", "expert")
                if key in facts}
    if any(value > 1 for value in parallel.values()):
        run["parallel"] = parallel
    granularity = facts.get("recompute_granularity")
    if granularity is not None and granularity.value in ("full", "selective"):
        run["recompute"] = granularity.value
    parts: dict[str, Any] = {"run": run} if run else {}
    config = facts["hf_config"].value if "hf_config" in facts else model_config(facts)
    if config is not None:
        parts["model"] = {"hf_config": config}
    return parts


def model_config(facts: Facts) -> dict[str, Any] | None:
    """A config.json for the model that Megatron's arguments describe; None when they do not say enough.

    Latent attention and shared experts need more than the arguments that are read, so there is none then.
    """
    def value(key: str) -> Any:
        return facts[key].value if key in facts else None

    layers, hidden, heads = value("layers"), value("hidden"), value("heads")
    vocabulary = value("padded_vocabulary") or value("vocabulary")
    if not (layers and hidden and heads and vocabulary) or value("latent") == "True" or value("shared_expert_ffn"):
        return None
    tied = value("untied") not in ("True", "true")
    kv_heads = value("kv_heads") if value("grouped") in (None, "True", "true") else None
    if value("gated") in ("True", "true"):
        config = {"model_type": "llama", "hidden_size": hidden, "num_hidden_layers": layers,
                  "num_attention_heads": heads, "num_key_value_heads": kv_heads or heads,
                  "intermediate_size": value("ffn") or 4 * hidden, "vocab_size": vocabulary,
                  "tie_word_embeddings": tied}
        if value("head_dim"):
            config["head_dim"] = value("head_dim")
        if value("experts") and value("top_k"):
            config.update(model_type="mixtral", num_local_experts=value("experts"), num_experts_per_tok=value("top_k"),
                          intermediate_size=value("expert_ffn") or config["intermediate_size"])
        return config
    if value("experts") or (kv_heads and kv_heads != heads) or not value("positions"):
        return None
    return {"model_type": "gpt2", "n_embd": hidden, "n_layer": layers, "n_head": heads, "n_inner": value("ffn"),
            "vocab_size": vocabulary, "n_positions": value("positions"), "tie_word_embeddings": tied}
