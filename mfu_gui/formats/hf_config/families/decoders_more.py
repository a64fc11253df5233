"""More decoders: KOSMOS-2's and Chameleon's text, Emu3's, DiffLlama, Doge, CPM-Ant.

Class defaults as of transformers 5.24.0 (2026-11).
"""

from __future__ import annotations

import math

from msgspec.structs import replace

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.model import Ffn, Linear, ModelSpec, Table, Vector
from mfu_gui.formats.hf_config.access import Config, Family
from mfu_gui.formats.hf_config.parts import QKVO, attention, decoder, dense, letters, moe, sizes, window_of
from mfu_gui.formats.hf_config.vector_quantizers import CHAMELEON, chameleon_size


def _kosmos2(config: Config) -> ModelSpec:
    """Sines for positions; one more norm inside attention and one inside the MLP."""
    heads, hidden = config.integer("num_attention_heads"), config.integer("hidden_size")
    inside = Vector(name="inside_norms", size=2 * (hidden + config.integer("intermediate_size")), store="norms")
    return decoder(config, attention(config, kv_heads=heads, biases=QKVO),
                   {"": (dense(config, 2, biases=True), inside)}, norm_vectors=2)


def _chameleon(config: Config) -> ModelSpec:
    """Norms on all queries and keys; the tokenizer of its images is stored beside it."""
    mixer = attention(config, qk_norm="full", qk_norm_bias=True, biases=letters(config, "attention_bias"))
    spec = decoder(config, mixer, dense(config, biases=config.flag("mlp_bias")))
    config.remark("config_parameters_only", "vq_config")
    size = chameleon_size(config.section("vq_config", CHAMELEON))
    return replace(spec, parts=(Vector(name="image_tokenizer", size=size),))


def _emu3(config: Config) -> ModelSpec:
    """Llama; images are words of its vocabulary."""
    return decoder(config, attention(config, biases=letters(config, "attention_bias")),
                   dense(config, biases=config.flag("mlp_bias")))


def _diffllama(config: Config) -> ModelSpec:
    """Heads in pairs, of which one is taken off the other; four vectors a layer say by how much."""
    mixer = attention(config, differential=True, biases=letters(config, "attention_bias"))
    if mixer.kv_heads % 2:
        raise InputError("not_divisible", config.place("num_key_value_heads"), value=mixer.kv_heads, divisor=2)
    return decoder(config, mixer, dense(config), extra=4 * mixer.head_dim)


def _doge(config: Config) -> ModelSpec:
    """A mask computed from the values, scaled residuals; with ``is_moe``, many experts of one neuron each beside the
    MLP, chosen by two small routers."""
    hidden = config.integer("hidden_size")
    mixer = attention(config, qk_norm="per_head_dim", biases=letters(config, "attention_bias"),
                      window=window_of(config))
    biased = config.flag("mlp_bias")
    mask = (Linear(name="mask_projection", inputs=mixer.kv_heads * mixer.head_dim, outputs=mixer.kv_heads,
                   bias=config.flag("attention_bias"), component="attention_proj", store="attention"),
            Vector(name="mask_scales", size=mixer.kv_heads, store="attention"))
    ffn: tuple[Ffn, ...] = (dense(config, biases=biased),)
    if config.flag("is_moe"):
        keys = math.isqrt(config.integer("num_experts"))
        ffn = (*ffn, Linear(name="router", outputs=2 * keys, component="router", store="router"),
               moe(config, width=1, matrices=2, router=False))
    return decoder(config, mixer, {"": (*mask, *ffn)}, extra=2 * hidden)


def _cpmant(config: Config) -> ModelSpec:
    """Prompts that are learned are rows of the vocabulary; one table of relative positions for all layers; tables
    for kinds of segments."""
    heads = config.integer("num_attention_heads")
    mixer = attention(config, kv_heads=heads, head_dim=config.integer("head_dim"))
    prompts, kinds = config.integer("prompt_types"), config.integer("segment_types")
    config.remark("config_prompt_not_counted", "prompt_length")
    hidden = config.integer("hidden_size")
    spec = decoder(config, mixer, dense(config))
    # The head is as long as the vocabulary alone: its matrix is not that of the table.
    pairs = config.integer("position_bias_num_buckets") + kinds * kinds
    tables = (Table(name="prompts", rows=prompts * config.integer("prompt_length"), width=hidden),
              Table(name="segments", rows=kinds, width=hidden),
              Table(name="relative_positions", rows=pairs, width=heads, store="position_embedding"))
    return replace(spec, tables=tables, head=spec.head and replace(spec.head, tied=False))


READERS: dict[str, Family] = {
    "kosmos_2_text_model": Family(_kosmos2, sizes(65037, 2048, 8192, 24, 32, tied=True), {
        "hidden_size": ("embed_dim", "hidden_size"), "num_hidden_layers": ("layers", "num_hidden_layers"),
        "num_attention_heads": ("attention_heads", "num_attention_heads"),
        "intermediate_size": ("ffn_dim", "intermediate_size")}),
    "chameleon": Family(_chameleon, sizes(65536, 4096, 11008, 32, 32, 32, attention_bias=False, mlp_bias=False)),
    "emu3_text_model": Family(_emu3, sizes(184622, 4096, 14336, 32, 32, 8, attention_bias=False, mlp_bias=False)),
    "diffllama": Family(_diffllama, sizes(32000, 2048, 8192, 16, 32, None, head_dim=None, attention_bias=False)),
    "doge": Family(_doge, sizes(
        32768, 1024, 2048, 32, 8, None, head_dim=None, attention_bias=False, mlp_bias=False, sliding_window=None,
        is_moe=False, num_experts=16384, num_experts_per_tok=64)),
    "cpmant": Family(_cpmant, sizes(
        30720, 4096, 10240, 48, 32, tied=True, head_dim=128, prompt_types=32, prompt_length=32, segment_types=32,
        position_bias_num_buckets=512),
        {"head_dim": ("dim_head", "head_dim"), "intermediate_size": ("dim_ff", "intermediate_size")}),
}
