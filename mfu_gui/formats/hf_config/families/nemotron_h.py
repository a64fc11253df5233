"""Nemotron-H and Nemotron 3: one mixer, MLP or mixture of experts a layer, named by a pattern.

Class defaults as of transformers 5.24.0 (2026-11).
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.model import Ffn, Mamba2, Mixer, ModelSpec, MultiTokenPrediction
from mfu_gui.formats.hf_config.access import Config, Family
from mfu_gui.formats.hf_config.parts import attention, decoder, dense, groups_of, letters, moe, sizes

_LETTERS = {"M": "mamba", "*": "attention", "-": "mlp", "E": "moe"}
_WORDS = {"mamba": "mamba", "linear_attention": "mamba", "attention": "attention", "full_attention": "attention",
          "mlp": "mlp", "moe": "moe"}


def _kinds(config: Config, key: str, pattern_key: str) -> Sequence[str] | None:
    """The kind of each layer, from a list of words or a pattern of letters."""
    listed = config.choices(key, _WORDS)
    if listed is not None:
        return listed
    pattern = config.text(pattern_key)
    if pattern is None:
        return None
    for letter in pattern:
        if letter not in _LETTERS:
            raise InputError("unknown_choice", config.place(pattern_key), value=letter, allowed=", ".join(_LETTERS))
    return [_LETTERS[letter] for letter in pattern]


def _layers(config: Config) -> Sequence[str]:
    kinds = _kinds(config, "layers_block_type", "hybrid_override_pattern")
    if kinds is None:
        kinds = ["mamba", "moe", "attention", "mlp"]
        config.assume("layers_block_type", ", ".join(kinds))
    if not kinds or (config.has("num_hidden_layers") and config.layers() != len(kinds)):
        raise InputError("config_list_length", config.place("hybrid_override_pattern"), found_length=len(kinds),
                         length=config.layers())
    return kinds


def _mixer(config: Config, kind: str) -> Mixer:
    if kind == "attention":
        return attention(config, biases=letters(config, "attention_bias"))
    heads = config.integer("mamba_num_heads")
    return Mamba2(heads=heads, head_dim=config.integer("mamba_head_dim"),
                  state=config.integer("ssm_state_size"), groups=groups_of(config, heads, "n_groups"),
                  conv=config.integer("conv_kernel"), chunk=config.integer("chunk_size"),
                  conv_bias=config.flag("use_conv_bias"), bias=config.flag("use_bias"))


def _ffn(config: Config, kind: str) -> Ffn:
    if kind == "mlp":
        return dense(config, 2, biases=config.flag("mlp_bias"))
    return moe(config, matrices=2, router_buffer=True, latent_width=config.optional_integer("moe_latent_size"),
               shared_width=config.integer("moe_shared_expert_intermediate_size"))


def _prediction(config: Config, there: set[str]) -> MultiTokenPrediction | None:
    """The extra depths, where their layers are kinds that the model has."""
    depths = config.integer("num_nextn_predict_layers", 0)
    kinds = _kinds(config, "mtp_layers_block_type", "mtp_hybrid_override_pattern")
    if not depths or not kinds or not set(kinds) <= there:
        return None
    return MultiTokenPrediction(depths=depths, layer=kinds[0], more_layers=tuple(kinds[1:]))


def _nemotron_h(config: Config) -> ModelSpec:
    kinds = _layers(config)
    sized = config.changed("num_hidden_layers", len(kinds))
    mixers: dict[str, Mixer | tuple[Mixer, ...]] = {
        kind: _mixer(config, kind) if kind in ("mamba", "attention") else () for kind in kinds}
    ffns: dict[str, Ffn | tuple[Ffn, ...]] = {
        kind: _ffn(config, kind) if kind in ("mlp", "moe") else () for kind in kinds}
    spec = decoder(sized, mixers, ffns, kinds=kinds, ffn_kinds=kinds, norms=1)
    named = {f"{kind}-{kind}": kind for kind in kinds}
    stack = replace(spec.main, kinds=tuple(replace(k, name=named.get(k.name, k.name)) for k in spec.main.kinds),
                    order=tuple((named.get(name, name), times) for name, times in spec.main.order))
    return replace(spec, stacks=(stack,),
                   multi_token_prediction=_prediction(config, {kind.name for kind in stack.kinds}))


READERS: dict[str, Family] = {
    "nemotron_h": Family(
        _nemotron_h,
        sizes(131072, 4096, 21504, 4, 32, 8, head_dim=128, attention_bias=False, mlp_bias=False, ssm_state_size=128,
              mamba_num_heads=128, mamba_head_dim=64, n_groups=8, conv_kernel=4, use_conv_bias=True, chunk_size=128,
              use_bias=False, num_experts=8, num_experts_per_tok=2, moe_intermediate_size=7688,
              moe_shared_expert_intermediate_size=7688, moe_latent_size=None, num_nextn_predict_layers=0),
        {"head_dim": ("head_dim", "attention_head_dim"), "num_experts": ("n_routed_experts",),
         "n_groups": ("n_groups", "mamba_n_groups"), "conv_kernel": ("conv_kernel", "mamba_d_conv"),
         "use_conv_bias": ("use_conv_bias", "mamba_conv_bias"), "chunk_size": ("chunk_size", "mamba_chunk_size"),
         "layers_block_type": ("layers_block_type", "layer_types")}),
}
