"""Attention beside linear attention or short convolutions: Qwen3-Next and 3.5, OLMo hybrid, Kimi Linear and K3,
Ling 2.5, MiniMax-01, LFM2.

Class defaults as of transformers 5.24.0 (2026-11).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.model import (
    MLA,
    Attention,
    AttentionResiduals,
    Dense,
    Ffn,
    GatedDeltaNet,
    KimiDeltaAttention,
    LightningAttention,
    Mixer,
    ModelSpec,
    ShortConvolution,
    Vector,
)
from mfu_gui.formats.hf_config.access import Config, Family
from mfu_gui.formats.hf_config.parts import (
    attention,
    decoder,
    dense,
    every,
    first_dense,
    layer_types,
    letters,
    moe,
    sizes,
    sparse_step,
)

_KINDS = {"linear_attention": "linear", "full_attention": "full", "attention": "full", "conv": "linear",
          "short_conv": "linear"}


def _linear_layers(config: Config, layers: int, period: int) -> Sequence[str]:
    """``layer_types``, else every ``full_attention_interval``-th layer attends."""
    interval = config.integer("full_attention_interval", default=period) if config.has(
        "full_attention_interval") else period
    return layer_types(config, layers, every(layers, interval, "full", "linear"), _KINDS)


def _only(mixers: dict[str, Mixer], kinds: Sequence[str]) -> dict[str, Mixer]:
    return {kind: mixer for kind, mixer in mixers.items() if kind in kinds}


def _delta_net(config: Config) -> GatedDeltaNet:
    keys, values = config.integer("linear_num_key_heads"), config.integer("linear_num_value_heads")
    if values % keys:
        raise InputError("config_heads_divide", config.place("linear_num_key_heads"), heads=values, kv_heads=keys)
    return GatedDeltaNet(key_heads=keys, value_heads=values, key_dim=config.integer("linear_key_head_dim"),
                         value_dim=config.integer("linear_value_head_dim"),
                         conv=config.integer("linear_conv_kernel_dim"))


def _gated_attention(config: Config) -> Attention:
    gate = "elementwise" if config.flag("attn_output_gate", True) else "none"
    return attention(config, biases=letters(config, "attention_bias"), qk_norm="per_head_dim", gate=gate)


def _qwen3_next(config: Config) -> ModelSpec:
    layers = config.layers()
    kinds, ffn_kinds = _linear_layers(config, layers, 4), sparse_step(config, layers)
    ffns: dict[str, Ffn] = {"moe": _shared_gate_experts(config)}
    if "dense" in ffn_kinds:
        ffns["dense"] = dense(config)
    return decoder(config, _only({"full": _gated_attention(config), "linear": _delta_net(config)}, kinds), ffns,
                   kinds=kinds, ffn_kinds=ffn_kinds)


def _shared_gate_experts(config: Config) -> Any:
    return moe(config, shared_width=config.integer("shared_expert_intermediate_size", 0), shared_gate=True)


def _qwen3_5(config: Config) -> ModelSpec:
    """Qwen 3.5 and 3.6, dense or with experts; one more layer predicts the token after the next."""
    kinds = _linear_layers(config, config.layers(), 4)
    ffn = _shared_gate_experts(config) if config.knows("num_experts") else dense(config)
    mtp = config.integer("mtp_num_hidden_layers", 0, default=0) if config.has("mtp_num_hidden_layers") else 0
    return decoder(config, _only({"full": _gated_attention(config), "linear": _delta_net(config)}, kinds), ffn,
                   kinds=kinds, mtp=mtp)


def _olmo_hybrid(config: Config) -> ModelSpec:
    """Attention layers norm what comes out of them, the linear ones what goes in."""
    kinds = _linear_layers(config, config.layers(), 4)
    full = attention(config, biases=letters(config, "attention_bias"), qk_norm="full")
    spec = decoder(config, _only({"full": full, "linear": _delta_net(config)}, kinds), dense(config), kinds=kinds)
    layers = tuple(replace(kind, pre_norm=not isinstance(kind.mixers[0], Attention)) for kind in spec.main.kinds)
    return replace(spec, stacks=(replace(spec.main, kinds=layers),))


def _mla(config: Config, **more: Any) -> MLA:
    return MLA(heads=config.integer("num_attention_heads"), q_lora_rank=config.optional_integer("q_lora_rank"),
               kv_lora_rank=config.integer("kv_lora_rank"), qk_nope_head_dim=config.integer("qk_nope_head_dim"),
               qk_rope_head_dim=config.integer("qk_rope_head_dim", 0), value_dim=config.integer("v_head_dim"), **more)


def _listed(config: Config, layers: int) -> list[str] | None:
    """The lists of Kimi's own files, numbered from 1."""
    nested = config.section("linear_attn_config")
    full = nested.integers("full_attn_layers", minimum=1, maximum=layers)
    linear = nested.integers("kda_layers", minimum=1, maximum=layers)
    if full is None or linear is None:
        return None
    if sorted([*full, *linear]) != list(range(1, layers + 1)):
        raise InputError("config_list_length", nested.place("kda_layers"), found_length=len(full) + len(linear),
                         length=layers)
    return ["full" if index + 1 in set(full) else "linear" for index in range(layers)]


def _kimi_linear(config: Config) -> ModelSpec:
    layers = config.layers()
    default = _listed(config, layers) or ["full" if index and index % 4 == 0 else "linear" for index in range(layers)]
    kinds = layer_types(config, layers, default, _KINDS)
    nested = config.section("linear_attn_config")
    outer = {"head_dim": "linear_head_dim", "num_heads": "linear_num_heads",
             "short_conv_kernel_size": "linear_conv_kernel_dim"}
    nested = config.section("linear_attn_config", {
        key: config.integer(other) for key, other in outer.items() if not nested.has(key)})
    head_dim = nested.integer("head_dim")
    linear = KimiDeltaAttention(heads=nested.integer("num_heads"), head_dim=head_dim, gate_rank=head_dim,
                                conv=nested.integer("short_conv_kernel_size"),
                                full_output_gate=nested.flag("use_full_rank_gate", None))
    full = _mla(config, gate="elementwise" if config.flag("mla_use_output_gate", None) else "none")
    return _with_attention_residuals(config, _kimi_stack(config, kinds, linear, full))


def _with_attention_residuals(config: Config, model: ModelSpec) -> ModelSpec:
    """What attention and MLP of each layer read, and what comes out at the end, is a weighted sum of the residual
    stream where each block of layers began and of what the present block has added so far.

    Source: NVIDIA-NeMo/Automodel 00ef9ca241e8, kimi_k3/model.py: ``_forward_attn_residual``.
    """
    size, layers = config.optional_integer("attn_res_block_size"), config.layers()
    if size is None:
        return model
    sources = -(-layers // size) + 1
    for index in range(layers):
        before = -(-index // size)  # nothing is before the first layer's attention, which reads the embedding
        sources += (before + 1 if before else 0) + index // size + 2
    return replace(model, parts=(AttentionResiduals(mixes=2 * layers + 1, sources=sources),))


def _kimi_stack(config: Config, kinds: Sequence[str], linear: Mixer, full: Mixer, mtp: int = 0) -> ModelSpec:
    ffn_kinds = first_dense(config, config.layers())
    width = config.integer("moe_intermediate_size")
    ffns: dict[str, Ffn | tuple[Ffn, ...]] = {"dense": dense(config)}
    if "moe" in ffn_kinds:
        latent = config.optional_integer("routed_expert_hidden_size")
        experts = moe(config, width=width, router_buffer=True, latent_width=latent,
                      shared_width=width * config.integer("num_shared_experts", 0))
        ffns["moe"] = experts
        if latent is not None and config.flag("latent_moe_use_norm", None):
            ffns["moe"] = (experts, Vector(name="latent_norm", size=latent, store="norms"))
    return decoder(config, _only({"full": full, "linear": linear}, kinds), ffns, kinds=kinds, ffn_kinds=ffn_kinds,
                   mtp=mtp)


def _bailing_hybrid(config: Config) -> ModelSpec:
    """Ling 2.5: Kimi's delta attention with full matrices for decay and gate, latent attention gated a head."""
    layers = config.layers()
    group = config.integer("layer_group_size")
    kinds = layer_types(config, layers, every(layers, group, "full", "linear"), _KINDS)
    linear = KimiDeltaAttention(heads=config.integer("linear_num_heads"), head_dim=config.integer("linear_head_dim"),
                                conv=config.integer("linear_conv_kernel_dim"))
    return _kimi_stack(config, kinds, linear, _mla(config, gate="per_head"),
                       config.integer("num_nextn_predict_layers", 0))


def _minimax(config: Config) -> ModelSpec:
    layers = config.layers()
    types = config.integers("attn_type_list", layers, maximum=1)
    default = every(layers, 2, "linear", "full") if types is None else ["full" if one else "linear" for one in types]
    kinds = layer_types(config, layers, default, _KINDS)
    full = attention(config)
    linear = LightningAttention(heads=full.heads, head_dim=full.head_dim, chunk=config.integer("block_size"))
    experts = moe(config, width=config.integer("intermediate_size"),
                  shared_width=config.integer("shared_intermediate_size", 0))
    return decoder(config, _only({"full": full, "linear": linear}, kinds), experts, kinds=kinds)


def _lfm2_kinds(config: Config) -> Sequence[str]:
    layers = config.layers()
    chosen = config.integers("full_attn_idxs", maximum=layers - 1)
    default = ["full" if chosen is None or index in chosen else "linear" for index in range(layers)]
    return layer_types(config, layers, default, _KINDS)


def _lfm2_mixers(config: Config, kinds: Sequence[str]) -> dict[str, Mixer]:
    conv = ShortConvolution(conv=config.integer("conv_L_cache"), bias=config.flag("conv_bias"))
    return _only({"full": attention(config, qk_norm="per_head_dim"), "linear": conv}, kinds)


def _lfm2(config: Config) -> ModelSpec:
    kinds = _lfm2_kinds(config)
    width = config.integer("intermediate_size")
    if config.flag("block_auto_adjust_ff_dim"):
        width = int(2 * width / 3)
        multiplier = config.number("block_ffn_dim_multiplier")
        if multiplier is not None:
            multiple = config.integer("block_multiple_of")
            width = -(-int(multiplier * width) // multiple) * multiple
    return decoder(config, _lfm2_mixers(config, kinds), Dense(width=max(1, width)), kinds=kinds)


def _lfm2_moe(config: Config) -> ModelSpec:
    kinds, layers = _lfm2_kinds(config), config.layers()
    first = config.integer("num_dense_layers", 0)
    ffns: dict[str, Ffn] = {"dense": dense(config),
                            "moe": moe(config, router_buffer=config.flag("use_expert_bias"))}
    return decoder(config, _lfm2_mixers(config, kinds), ffns, kinds=kinds,
                   ffn_kinds=["dense" if index < first else "moe" for index in range(layers)])


_LINEAR: dict[str, Any] = {
    "linear_conv_kernel_dim": 4, "linear_key_head_dim": 128, "linear_value_head_dim": 128,
    "linear_num_key_heads": 16, "linear_num_value_heads": 32, "attention_bias": False, "head_dim": 256,
}
_SPARSE: dict[str, Any] = {"num_experts_per_tok": 10, "num_experts": 512, "moe_intermediate_size": 512,
                           "shared_expert_intermediate_size": 512}
_MLA: dict[str, Any] = {
    "kv_lora_rank": 512, "q_lora_rank": None, "qk_rope_head_dim": 64, "v_head_dim": 128, "qk_nope_head_dim": 128,
    "num_shared_experts": 1, "num_experts_per_tok": 8, "linear_head_dim": 128, "linear_num_heads": 32,
    "linear_conv_kernel_dim": 4,
}
_TOP_K = {"num_experts_per_tok": ("num_experts_per_token", "num_experts_per_tok"),
          "linear_conv_kernel_dim": ("linear_conv_kernel_dim", "short_conv_kernel_size")}
_EXPERTS = {"num_experts": ("num_experts", "num_local_experts")}
_LFM2: dict[str, Any] = {"conv_bias": False, "conv_L_cache": 3, "head_dim": None}
_LFM2_NAMES = {"tie_word_embeddings": ("tie_word_embeddings", "tie_embedding"),
               "intermediate_size": ("block_ff_dim", "intermediate_size")}
_MINIMAX = sizes(32000, 4096, 14336, 32, 32, 8, head_dim=None, num_experts=8, num_experts_per_tok=2, block_size=256,
                 shared_intermediate_size=0)
_MINIMAX_NAMES = {"num_experts": ("num_local_experts", "num_experts")}
_QWEN3_5 = Family(_qwen3_5, sizes(248320, 4096, 12288, 32, 16, 4, **_LINEAR))
_QWEN3_5_MOE = Family(_qwen3_5, sizes(248320, 2048, None, 40, 16, 2, **_LINEAR, **_SPARSE | {
    "num_experts_per_tok": 8, "num_experts": 256}), _EXPERTS)

READERS: dict[str, Family] = {
    "qwen3_next": Family(_qwen3_next, sizes(151936, 2048, 5632, 48, 16, 2, decoder_sparse_step=1, **_LINEAR, **_SPARSE),
                         _EXPERTS),
    "qwen3_5_text": _QWEN3_5,
    "qwen3_5_moe_text": _QWEN3_5_MOE,
    "olmo_hybrid": Family(_olmo_hybrid, sizes(100352, 3840, 11008, 32, 30, None, **_LINEAR | {
        "linear_key_head_dim": 96, "linear_value_head_dim": 192, "linear_num_key_heads": 30,
        "linear_num_value_heads": 30, "head_dim": None})),
    "kimi_linear": Family(_kimi_linear, sizes(163840, 2304, 9216, 27, 32, 32, moe_intermediate_size=1024,
                                              num_experts=256, first_k_dense_replace=1, **_MLA), _TOP_K),
    "bailing_hybrid": Family(_bailing_hybrid, sizes(
        157184, 2560, 6144, 42, 32, 32, moe_intermediate_size=768, num_experts=512, first_k_dense_replace=2,
        layer_group_size=6, num_nextn_predict_layers=1, **_MLA), _TOP_K),
    "minimax": Family(_minimax, _MINIMAX, _MINIMAX_NAMES),
    "minimax_text_01": Family(_minimax, _MINIMAX, _MINIMAX_NAMES),
    "minimax_m1": Family(_minimax, _MINIMAX, _MINIMAX_NAMES),
    "lfm2": Family(_lfm2, sizes(65536, 2560, 12288, 32, 32, 8, tied=True, block_auto_adjust_ff_dim=True,
                                block_ffn_dim_multiplier=1.0, block_multiple_of=256, **_LFM2), _LFM2_NAMES),
    "lfm2_moe": Family(_lfm2_moe, sizes(65536, 2048, 7168, 32, 32, 8, tied=True, moe_intermediate_size=1792,
                                        num_experts=32, num_experts_per_tok=4, num_dense_layers=2,
                                        use_expert_bias=True, **_LFM2),
                       {"tie_word_embeddings": ("tie_word_embeddings", "tie_embedding")}),
}
