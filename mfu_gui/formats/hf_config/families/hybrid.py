"""Attention and Mamba layers in one model: Jamba, Bamba, Granite 4, Falcon-H1, Zamba.

Class defaults as of transformers 5.24.0 (2026-11).
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.model import (
    Attention,
    Dense,
    Ffn,
    Layer,
    Linear,
    Mamba1,
    Mamba2,
    Mixer,
    ModelSpec,
    SharedBlock,
    Stack,
)
from mfu_gui.engine.model_edit import run_lengths
from mfu_gui.formats.hf_config.access import Config, Family
from mfu_gui.formats.hf_config.families.mamba import head_width, inner_width, time_step_rank
from mfu_gui.formats.hf_config.parts import (
    attention,
    decoder,
    dense,
    groups_of,
    kv_heads_of,
    layer_types,
    letters,
    moe,
    sizes,
    whole_model,
)

KINDS = {"mamba": "mamba", "linear_attention": "mamba", "attention": "attention", "full_attention": "attention"}
_HYBRID = {"mamba": "mamba", "linear_attention": "mamba", "hybrid": "hybrid", "full_attention": "hybrid",
           "attention": "hybrid"}


def _periodic(config: Config, layers: int, period: str, offset: str) -> list[bool]:
    """Which layers a period and an offset choose."""
    step, start = config.integer(period), config.integer(offset, 0)
    if start >= step:
        raise InputError("out_of_range", config.place(offset), value=start, minimum=0, maximum=step - 1)
    return [index % step == start for index in range(layers)]


def _jamba(config: Config) -> ModelSpec:
    layers = config.layers()
    mixers: dict[str, Mixer] = {
        "attention": attention(config),
        "mamba": Mamba1(inner=inner_width(config, "mamba_expand"), state=config.integer("mamba_d_state"),
                        dt_rank=time_step_rank(config, "mamba_dt_rank"), conv=config.integer("mamba_d_conv"),
                        conv_bias=config.flag("mamba_conv_bias"), bias=config.flag("mamba_proj_bias"),
                        inner_norms=True),
    }
    attends = _periodic(config, layers, "attn_layer_period", "attn_layer_offset")
    sparse = _periodic(config, layers, "expert_layer_period", "expert_layer_offset")
    ffns: dict[str, Ffn] = {"dense": dense(config)}
    if config.integer("num_experts") > 1:
        ffns["moe"] = moe(config, width=config.integer("intermediate_size"))
    return decoder(config, mixers, ffns, kinds=["attention" if yes else "mamba" for yes in attends],
                   ffn_kinds=["moe" if yes and "moe" in ffns else "dense" for yes in sparse])


def _mamba2(config: Config, *, gated_norm: bool = True, inner: int | None = None) -> Mamba2:
    """The Mamba-2 mixer of the ``mamba_…`` keys."""
    heads = config.integer("mamba_n_heads")
    inner = inner_width(config, "mamba_expand") if inner is None else inner
    head_dim = head_width(config, "mamba_d_head", inner, heads)
    if heads * head_dim != inner:
        raise InputError("not_divisible", config.place("mamba_n_heads"), value=inner, divisor=heads)
    return Mamba2(heads=heads, head_dim=head_dim, state=config.integer("mamba_d_state"),
                  groups=groups_of(config, heads, "mamba_n_groups"), conv=config.integer("mamba_d_conv"),
                  chunk=config.integer("mamba_chunk_size"), conv_bias=config.flag("mamba_conv_bias"),
                  bias=config.flag("mamba_proj_bias"), gated_norm=gated_norm)


def _bamba(config: Config) -> ModelSpec:
    layers = config.layers()
    chosen = set(config.integers("attn_layer_indices", maximum=layers - 1) or ())
    mixers: dict[str, Mixer] = {"attention": attention(config, biases=letters(config, "attention_bias")),
                                "mamba": _mamba2(config)}
    return decoder(config, mixers, dense(config, biases=config.flag("mlp_bias")),
                   kinds=["attention" if index in chosen else "mamba" for index in range(layers)])


def _granite(config: Config) -> ModelSpec:
    layers = config.layers()
    kinds = layer_types(config, layers, ["mamba"] * layers, KINDS)
    mixers: dict[str, Mixer] = {"mamba": _mamba2(config)}
    if "attention" in kinds:
        mixers["attention"] = attention(config, biases=letters(config, "attention_bias"))
    shared = config.integer("shared_intermediate_size", 0)
    ffn: Ffn = Dense(width=shared or 1)
    if config.integer("num_experts", 0):
        ffn = moe(config, width=config.integer("intermediate_size"), shared_width=shared)
    elif not shared:
        raise InputError("out_of_range", config.place("shared_intermediate_size"), value=0, minimum=1)
    return decoder(config, mixers, ffn, kinds=kinds)


def _falcon_h1(config: Config) -> ModelSpec:
    """Both mixers read the layer's input side by side."""
    inner = config.optional_integer("mamba_d_ssm")
    mixers = (_mamba2(config, gated_norm=config.flag("mamba_rms_norm"), inner=inner),
              attention(config, biases=letters(config, "attention_bias")))
    spec = decoder(config, {"": mixers}, dense(config, biases=config.flag("mlp_bias")))
    layer = replace(spec.main.kinds[0], parallel="mixers")
    return replace(spec, stacks=(replace(spec.main, kinds=(layer,)),))


def _shared_stack(config: Config, kinds: list[str], mamba: Mixer, block: SharedBlock, own: tuple[Ffn, ...]) -> Stack:
    """Mamba layers, some of which call a shared block first and add what it says through a matrix."""
    hidden = config.integer("hidden_size")
    join = Linear(name="join", component="hybrid_linear", store="hybrid_linear")
    layers = {"mamba": Layer(name="mamba", mixers=(mamba,), norms=1),
              "hybrid": Layer(name="hybrid", mixers=(mamba,), ffns=(join, *own), shared=block, norms=1)}
    return Stack(hidden_size=hidden, kinds=tuple(layers[name] for name in dict.fromkeys(kinds)),
                 order=run_lengths(kinds))


def _zamba(config: Config) -> ModelSpec:
    layers, hidden = config.layers(), config.integer("hidden_size")
    period, offset = config.integer("attn_layer_period"), config.integer("attn_layer_offset", 0)
    kinds = config.choices("layers_block_type", _HYBRID, layers) or ["mamba", "mamba", "hybrid", *(
        "hybrid" if index % period == offset else "mamba" for index in range(layers - 3))][:layers]
    heads = config.integer("num_attention_heads")
    width = config.optional_integer("attention_hidden_size") or 2 * hidden
    block = SharedBlock(
        mixers=(Attention(heads=heads, kv_heads=kv_heads_of(config, heads),
                          head_dim=config.optional_integer("attention_head_dim") or 2 * hidden // heads),),
        ffns=(dense(config),), norms=1, input_width=width, input_norm=True)
    inner, mamba_heads = inner_width(config, "mamba_expand"), config.integer("n_mamba_heads")
    if inner % mamba_heads:
        raise InputError("not_divisible", config.place("n_mamba_heads"), value=inner, divisor=mamba_heads)
    mamba = Mamba1(inner=inner, state=config.integer("mamba_d_state"), dt_rank=time_step_rank(config, "mamba_dt_rank"),
                   conv=config.integer("mamba_d_conv"), heads=mamba_heads, conv_bias=config.flag("mamba_conv_bias"),
                   bias=config.flag("mamba_proj_bias"))
    return whole_model(config, _shared_stack(config, kinds, mamba, block, ()))


def _zamba2_kinds(config: Config, layers: int) -> list[str]:
    """The block of each layer; without a list the class has one for 54 layers."""
    listed = config.choices("layers_block_type", _HYBRID, layers)
    if listed is not None:
        return listed
    kinds = ["mamba"] + (["mamba"] * 5 + ["hybrid"]) * 7 + ["mamba"] * 4 + ["hybrid"] + ["mamba"] * 3 + ["hybrid"]
    kinds += ["mamba"] * 2
    if layers != len(kinds):
        raise InputError("config_key_missing", config.place("layers_block_type"), key="layers_block_type",
                         model_type=config.model_type)
    return kinds


def _adapter(name: str, inputs: int, rank: int, outputs: int, component: str, store: str) -> tuple[Linear, Linear]:
    """The two matrices that one call of a shared block adds to one of its own."""
    return (Linear(name=f"{name}_down", inputs=inputs, outputs=rank, component=component, store=store),
            Linear(name=f"{name}_up", inputs=rank, outputs=outputs, component=component, store=store))


def _zamba2(config: Config) -> ModelSpec:
    layers, hidden = config.layers(), config.integer("hidden_size")
    kinds = _zamba2_kinds(config, layers)
    heads, width = config.integer("num_attention_heads"), config.optional_integer("intermediate_size") or 4 * hidden
    biases = config.flag("add_bias_linear")
    blocks = min(config.integer("num_mem_blocks"), max(1, kinds.count("hybrid")))
    block = SharedBlock(
        stored=blocks, norms=1, input_width=2 * hidden, input_norm=True,
        mixers=(Attention(heads=heads, kv_heads=kv_heads_of(config, heads), head_dim=2 * hidden // heads),),
        ffns=(Dense(width=width, biases=biases),))
    rank = config.integer("adapter_rank")
    own: tuple[Ffn, ...] = _adapter("gate_up", hidden, rank, 2 * width, "mlp", "mlp")
    if config.flag("use_shared_attention_adapter"):
        for name in "qkv":
            own += _adapter(name, 2 * hidden, rank, 2 * hidden, "attention_proj", "attention")
    inner, mamba_heads = inner_width(config, "mamba_expand"), config.integer("n_mamba_heads")
    mamba = Mamba2(heads=mamba_heads, head_dim=head_width(config, "", inner, mamba_heads),
                   state=config.integer("mamba_d_state"), groups=groups_of(config, mamba_heads, "mamba_ngroups"),
                   conv=config.integer("mamba_d_conv"), chunk=config.integer("chunk_size"),
                   conv_bias=config.flag("use_conv_bias"), bias=biases)
    return whole_model(config, _shared_stack(config, kinds, mamba, block, own))


_MAMBA: dict[str, Any] = {
    "mamba_d_state": 256, "mamba_d_conv": 4, "mamba_expand": 2, "mamba_n_heads": 128, "mamba_n_groups": 1,
    "mamba_chunk_size": 256, "mamba_conv_bias": True, "mamba_proj_bias": False,
}
_EXPERTS = {"num_experts": ("num_local_experts", "num_experts")}

READERS: dict[str, Family] = {
    "jamba": Family(_jamba, sizes(
        65536, 4096, 14336, 32, 32, 8, head_dim=None, num_experts=16, num_experts_per_tok=2, expert_layer_period=2,
        expert_layer_offset=1, attn_layer_period=8, attn_layer_offset=4, mamba_d_state=16, mamba_d_conv=4,
        mamba_expand=2, mamba_dt_rank="auto", mamba_conv_bias=True, mamba_proj_bias=False)),
    "bamba": Family(_bamba, sizes(128000, 4096, 14336, 32, 32, 8, head_dim=None, attn_layer_indices=None,
                                  mamba_d_head="auto", attention_bias=False, mlp_bias=False, **_MAMBA)),
    "granitemoehybrid": Family(_granite, sizes(
        32000, 4096, 11008, 32, 32, None, head_dim=None, num_experts=8, num_experts_per_tok=2,
        shared_intermediate_size=1024, mamba_d_head="auto", attention_bias=False, **_MAMBA), _EXPERTS),
    "falcon_h1": Family(_falcon_h1, sizes(
        128000, 4096, 14336, 32, 32, 8, head_dim=None, mamba_d_ssm=1024, mamba_d_head="auto", mamba_rms_norm=False,
        attention_bias=False, mlp_bias=False, **_MAMBA)),
    "zamba": Family(_zamba, sizes(
        32000, 3712, 14848, 76, 16, 16, tied=True, attention_hidden_size=None, attention_head_dim=None,
        attn_layer_period=6, attn_layer_offset=4, n_mamba_heads=2, mamba_d_state=16, mamba_d_conv=4, mamba_expand=2,
        mamba_dt_rank="auto", mamba_conv_bias=True, mamba_proj_bias=False)),
    "zamba2": Family(_zamba2, sizes(
        32000, 2560, None, 54, 32, None, tied=True, num_mem_blocks=1, adapter_rank=128,
        use_shared_attention_adapter=False, add_bias_linear=False, n_mamba_heads=8, mamba_ngroups=1, mamba_d_state=64,
        mamba_d_conv=4, mamba_expand=2, chunk_size=256, use_conv_bias=True)),
}
