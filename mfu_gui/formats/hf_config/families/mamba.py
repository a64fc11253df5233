"""State-space models without attention, and what all hybrids need of them.

Class defaults as of transformers 5.24.0 (2026-11).
"""

from __future__ import annotations

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.model import Mamba1, Mamba2, ModelSpec
from mfu_gui.formats.hf_config.access import Config, Family
from mfu_gui.formats.hf_config.parts import decoder, groups_of


def inner_width(config: Config, key: str = "expand") -> int:
    """``expand`` × hidden size, rounded down as the classes do."""
    factor = config.number(key, minimum=0.001, maximum=1000)
    width = int((factor or 0) * config.integer("hidden_size"))
    if width < 1:
        raise InputError("out_of_range", config.place(key), value=factor, minimum=1)
    return width


def time_step_rank(config: Config, key: str) -> int:
    """Rank of the time-step projection; "auto" is hidden size / 16, rounded up."""
    if config.value(key, "auto") in (None, "auto"):
        return -(-config.integer("hidden_size") // 16)
    return config.integer(key)


def head_width(config: Config, key: str, inner: int, heads: int) -> int:
    """Width of one head; "auto" divides the inner width."""
    if config.value(key, "auto") not in (None, "auto"):
        return config.integer(key)
    if inner % heads:
        raise InputError("not_divisible", config.place(key), value=inner, divisor=heads)
    return inner // heads


def _mamba(config: Config) -> ModelSpec:
    mixer = Mamba1(inner=inner_width(config), state=config.integer("state_size"),
                   dt_rank=time_step_rank(config, "time_step_rank"), conv=config.integer("conv_kernel"),
                   conv_bias=config.flag("use_conv_bias"), bias=config.flag("use_bias"))
    return decoder(config, mixer, {"": ()}, norms=1)


def _mamba2(config: Config) -> ModelSpec:
    inner, head_dim = inner_width(config), config.integer("head_dim")
    heads = config.optional_integer("num_heads") or inner // head_dim
    if heads * head_dim != inner:
        raise InputError("not_divisible", config.place("num_heads"), value=inner, divisor=head_dim)
    mixer = Mamba2(heads=heads, head_dim=head_dim, state=config.integer("state_size"),
                   groups=groups_of(config, heads, "n_groups"), conv=config.integer("conv_kernel"),
                   chunk=config.integer("chunk_size"), conv_bias=config.flag("use_conv_bias"),
                   bias=config.flag("use_bias"))
    return decoder(config, mixer, {"": ()}, norms=1)


def _defaults(**more: object) -> dict[str, object]:
    return {"vocab_size": 50280, "hidden_size": 768, "num_hidden_layers": 32, "state_size": 16, "expand": 2,
            "conv_kernel": 4, "use_bias": False, "use_conv_bias": True, "time_step_rank": "auto",
            "tie_word_embeddings": True} | more


READERS: dict[str, Family] = {
    "mamba": Family(_mamba, _defaults()),
    "falcon_mamba": Family(_mamba, _defaults()),
    "mamba2": Family(_mamba2, _defaults(
        vocab_size=32768, hidden_size=4096, num_hidden_layers=64, state_size=128, num_heads=128, head_dim=64,
        n_groups=8, chunk_size=256, tie_word_embeddings=False)),
}
