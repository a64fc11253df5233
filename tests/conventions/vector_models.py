"""ModelSpec from the short configuration of a row of ``convention_vectors.json``.

A configuration names widths only.  What it does not say (norms, biases, learned norms on queries and
keys) is chosen among the shapes that published models have, so that the parameter count which the
row states (``N``, ``nparams``, …) comes out exactly.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from mfu_gui.engine.ledger import ledger
from mfu_gui.engine.model import (
    MLA,
    Attention,
    Dense,
    GatedDeltaNet,
    Head,
    Indexer,
    Layer,
    Mamba2,
    ModelSpec,
    MoE,
    MultiTokenPrediction,
    Stack,
)

Config = dict[str, Any]
OLMOE = {"layers": 16, "hidden": 2048, "heads": 16, "kv_heads": 16, "head_dim": 128, "ffn": 1024, "moe_ffn": 1024,
         "experts": 64, "topk": 8, "shared": 0, "vocab": 50304, "gated": True, "tied": False}
"""OLMoE-1B-7B, arXiv 2409.02060, table 1; the row names only the factory."""
PYTHIA_160M = {"layers": 12, "hidden": 768, "heads": 12, "kv_heads": 12, "head_dim": 64, "ffn": 3072, "vocab": 50304,
               "gated": False, "tied": False}
"""Pythia-160M, arXiv 2304.01373, table 1, with LitGPT's padded vocabulary; the row names only the model."""
LLAMA4_SCOUT = {"layers": 48, "hidden": 5120, "heads": 40, "kv_heads": 8, "head_dim": 128, "ffn": 8192,
                "moe_ffn": 8192, "experts": 16, "topk": 1, "shared": 1, "vocab": 202048, "gated": True, "tied": False}


def completed(config: Config) -> Config:
    """The configuration with what its name implies."""
    if config.get("factory") == "olmoe_1B_7B":
        return OLMOE | config
    if config.get("factory") == "gemma3_27B":
        # OLMo-core's factory gives heads of hidden ÷ heads and a separate head: 29,698,211,424 parameters.
        return config | {"head_dim": 168, "tied": False}
    if config.get("litgpt_name") == "pythia-160m":
        return PYTHIA_160M | config
    if config.get("maxtext_yaml") == "llama4-17b-16e":
        return LLAMA4_SCOUT | config
    if config.get("maxtext_yaml") == "deepseek3.2-671b":
        return {"layers": 61, "hidden": 7168, "heads": 128, "kv_heads": 128, "ffn": 18432, "moe_ffn": 2048,
                "experts": 256, "topk": 8, "shared": 1, "first_dense": 3, "q_lora": 1536, "kv_lora": 512,
                "qk_nope": 128, "qk_rope": 64, "v_dim": 128, "vocab": 129280, "gated": True, "tied": False} | config
    return config


def _attention(c: Config, windowed: bool, chunked: bool, details: Config) -> Attention | MLA:
    if "kv_lora" in c:
        indexer = None
        if c.get("mx_use_indexer"):
            indexer = Indexer(heads=c["mx_indexer_n_heads"], head_dim=c["mx_indexer_head_dim"],
                              top_k=c["mx_indexer_topk"])
        return MLA(heads=c["heads"], q_lora_rank=c["q_lora"], kv_lora_rank=c["kv_lora"],
                   qk_nope_head_dim=c["qk_nope"], qk_rope_head_dim=c["qk_rope"], value_dim=c["v_dim"],
                   indexer=indexer)
    return Attention(
        heads=c["heads"], kv_heads=c["kv_heads"], head_dim=c["head_dim"],
        window=c["window"] if windowed else None, chunk=c["mx_chunk_attn_window_size"] if chunked else None,
        gate="elementwise" if c.get("attention_output_gate") else "none",
        biases=details.get("attention_biases", ()), qk_norm=details.get("qk_norm", "none"),
        sinks=details.get("sinks", False))


def _ffn(c: Config, dense: bool, details: Config) -> Dense | MoE:
    matrices = 3 if c["gated"] else 2
    if dense or "experts" not in c:
        return Dense(width=c["ffn"], matrices=matrices, biases=details.get("mlp_biases", False))
    shared = c.get("shared_ffn", c.get("shared", 0) * c["moe_ffn"])
    return MoE(experts=c["experts"], top_k=c["topk"], width=c["moe_ffn"], matrices=matrices, shared_width=shared,
               shared_gate="gdn_key_heads" in c, biases=details.get("mlp_biases", False),
               router_bias=details.get("router_bias", False), router_buffer="first_dense" in c)


def _layer(c: Config, name: str, details: Config) -> Layer:
    """``name`` lists the letters of the layer: d dense, m MoE, w window, c chunked, g gated delta net."""
    if "g" in name:
        mixer: Any = GatedDeltaNet(key_heads=c["gdn_key_heads"], value_heads=c["gdn_value_heads"],
                                   key_dim=c["gdn_key_dim"], value_dim=c["gdn_value_dim"], conv=c["gdn_conv"])
    else:
        mixer = _attention(c, "w" in name, "c" in name, details)
    return Layer(name=name, mixers=(mixer,), ffns=(_ffn(c, "d" in name, details),), norms=details.get("norms", 2))


def _names(c: Config) -> list[str]:
    """The kind of each layer, in order."""
    names = []
    for index in range(c["layers"]):
        name = "d" if index < c.get("first_dense", 0) or "experts" not in c else "m"
        if "pattern" in c and (index + 1) % c["pattern"]:
            name += "w"
        if c.get("mx_chunk_attn_window_size") and (index + 1) % c["mx_nope_layer_interval"]:
            name += "c"
        if "full_attention_interval" in c and (index + 1) % c["full_attention_interval"]:
            name += "g"
        names.append(name)
    return names


def _hybrid_layer(c: Config, letter: str) -> Layer:
    if letter == "M":
        mamba = Mamba2(heads=c["mamba_heads"], head_dim=c["mamba_head_dim"], state=c["mamba_state"],
                       groups=c["mamba_groups"])
        return Layer(name="mamba", mixers=(mamba,), norms=1)
    if letter == "*":
        return Layer(name="attention", mixers=(_attention(c, False, False, {}),), norms=1)
    return Layer(name="moe" if letter == "E" else "mlp", ffns=(_ffn(c, letter == "-", {}),), norms=1)


def _runs(names: list[str]) -> tuple[tuple[str, int], ...]:
    return tuple((name, len(list(group))) for name, group in itertools.groupby(names))


def build(config: Config, details: Config | None = None) -> ModelSpec:
    """The model with ``details`` for what the configuration leaves open."""
    c, details = completed(config), details or {}
    if "hybrid" in c:
        letters = c["hybrid"]
        kinds = tuple(_hybrid_layer(c, letter) for letter in dict.fromkeys(letters))
        order = _runs([_hybrid_layer(c, letter).name for letter in letters])
    else:
        names = _names(c)
        kinds = tuple(_layer(c, name, details) for name in dict.fromkeys(names))
        order = _runs(names)
    stack = Stack(hidden_size=c["hidden"], kinds=kinds, order=order, norm_vectors=details.get("norm_vectors", 1),
                  position_table=c.get("pos_emb", 0))
    mtp = MultiTokenPrediction(depths=1, layer=order[-1][0]) if "kv_lora" in c else None
    return ModelSpec(vocabulary=c.get("mx_vocab_size", c["vocab"]), stacks=(stack,),
                     head=Head(tied=c["tied"], bias=details.get("head_bias", False)), multi_token_prediction=mtp)


def _variants() -> Iterator[Config]:
    yield {}
    yield {"norm_vectors": 2, "attention_biases": ("q", "k", "v", "o"), "mlp_biases": True}
    yield {"attention_biases": ("q", "k", "v", "o"), "mlp_biases": True, "sinks": True, "router_bias": True}
    yield {"qk_norm": "per_head_dim"}
    yield {"qk_norm": "full"}
    yield {"qk_norm": "per_head_dim", "norms": 4}


def _stated(c: Config, model: ModelSpec) -> Iterator[tuple[int, int]]:
    """(stated, counted) parameters, for every count that the row states."""
    found = ledger(model).parameters
    table = found.components["token_embedding"]
    position = found.components.get("position_embedding", 0)
    counts = {
        "nparams": found.total, "num_params": found.total, "num_parameters_all": found.total,
        "num_parameters": found.total, "model_numel": found.total, "n_params_all": found.total,
        "N_active": found.active, "n_active_params": found.active,
        "num_parameters_no_emb": found.total - table - position,
        "num_non_embed_params": found.total - table}
    if "bias" in c:
        counts["N"] = found.total - position  # nanoGPT's own N
    for key, counted in counts.items():
        if key in c:
            yield c[key], counted


def model_of(config: Config) -> ModelSpec:
    """The model whose counts are those that the configuration states; ValueError when none fits."""
    c = completed(config)
    if c.get("nemo_fn") == "gpt_oss":
        return build(c, {"sinks": True})
    for details in _variants():
        model = build(c, details)
        if all(stated == counted for stated, counted in _stated(c, model)):
            return model
    raise ValueError(f"no shape has the stated parameters: {config}")


def with_windows_off(model: ModelSpec) -> ModelSpec:
    """The same model without sliding windows: what a framework sees that was not told of them."""
    main = model.main
    kinds = tuple(replace(kind, mixers=tuple(replace(m, window=None) if isinstance(m, Attention) else m
                                             for m in kind.mixers)) for kind in main.kinds)
    return replace(model, stacks=(replace(main, kinds=kinds),))
