"""Relatives of BART with sparse encoders or tables of their own: LED, PEGASUS-X, BigBird-PEGASUS, MVP, FSMT.

Class defaults as of transformers 5.24.0 (2026-11).
"""

from __future__ import annotations

from msgspec.structs import replace

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.model import Attention, Head, Layer, Letter, ModelSpec, Stack, Table, Vector
from mfu_gui.engine.model_edit import run_lengths
from mfu_gui.formats.hf_config.access import Config, Family
from mfu_gui.formats.hf_config.families.seq2seq import BART_NAMES, bart_sizes, bart_stack
from mfu_gui.formats.hf_config.parts import QKVO


def _model(config: Config, encoder: Stack, decoder: Stack, *, logits_bias: bool = True) -> ModelSpec:
    return ModelSpec(vocabulary=config.integer("vocab_size"), stacks=(encoder, decoder),
                     head=Head(tied=config.flag("tie_word_embeddings"), bias_buffer=logits_bias))


def _mvp(config: Config) -> ModelSpec:
    """BART, with prompts that are not read."""
    if config.flag("use_prompt"):
        raise InputError("config_unsupported", config.place("use_prompt"), value=True)
    rows = config.integer("max_position_embeddings") + 2
    encoder, decoder = (bart_stack(config, name, final_norm=False, embedding_norm=True, position_table=rows)
                        for name in ("encoder", "decoder"))
    return _model(config, encoder, decoder)


def _led(config: Config) -> ModelSpec:
    """The encoder's layers have windows to both sides, and matrices for global positions that are stored, and run
    for the few positions that a task makes global."""
    config.remark("config_few_global_positions", "attention_window")
    layers, hidden = config.layers("encoder_layers"), config.integer("hidden_size")
    value = config.value("attention_window")
    listed = config.integers("attention_window", layers, 2) if isinstance(value, list | tuple) else None
    windows = listed or [config.integer("attention_window", 2)] * layers
    encoder = bart_stack(config, "encoder", final_norm=False, embedding_norm=True,
                         position_table=config.integer("max_encoder_position_embeddings"))
    kinds: dict[str, Layer] = {}
    layer = encoder.kinds[0]
    mixer = layer.mixers[0]
    assert isinstance(mixer, Attention)  # noqa: S101 - bart_stack makes one
    for window in windows:
        name = f"window-{window}"
        kinds[name] = replace(layer, name=name, mixers=(replace(mixer, window=window),), ffns=(
            *layer.ffns, Vector(name="global_qkv", size=3 * hidden * (hidden + 1), store="attention")))
    encoder = replace(encoder, kinds=tuple(kinds.values()), order=run_lengths([f"window-{one}" for one in windows]))
    decoder = bart_stack(config, "decoder", final_norm=False, embedding_norm=True,
                         position_table=config.integer("max_decoder_position_embeddings"))
    return _model(config, encoder, decoder)


def _bigbird_pegasus(config: Config) -> ModelSpec:
    """Sparse in blocks for long inputs, which is counted as full attention; biases where the file says so."""
    if config.text("attention_type") == "block_sparse":
        config.remark("config_block_sparse", "attention_type")
    rows = config.integer("max_position_embeddings")
    biases: tuple[Letter, ...] = QKVO if config.flag("use_bias") else ()
    encoder, decoder = (bart_stack(config, name, biases, final_norm=False, embedding_norm=True, position_table=rows)
                        for name in ("encoder", "decoder"))
    return _model(config, encoder, decoder)


def _pegasus_x(config: Config) -> ModelSpec:
    """The encoder sees blocks, and a few global positions that have a norm and a table of their own; no biases in
    attention, sines for positions."""
    config.remark("config_few_global_positions", "num_global_tokens")
    encoder, decoder = (bart_stack(config, name, (), final_norm=True) for name in ("encoder", "decoder"))
    layer = encoder.kinds[0]
    mixer = layer.mixers[0]
    assert isinstance(mixer, Attention)  # noqa: S101 - bart_stack makes one
    layer = replace(layer, norms=3, mixers=(replace(mixer, chunk=config.integer("block_size")),))
    table = Table(name="global_positions", rows=config.integer("num_global_tokens"),
                  width=config.integer("hidden_size"))
    return replace(_model(config, replace(encoder, kinds=(layer,)), decoder, logits_bias=False), tables=(table,))


def _fsmt(config: Config) -> ModelSpec:
    """Two vocabularies; sines for positions are stored; the head is the decoder's table where tied."""
    hidden, rows = config.integer("hidden_size"), config.integer("max_position_embeddings") + 2
    encoder, decoder = (bart_stack(config, name, final_norm=False, position_table=rows)
                        for name in ("encoder", "decoder"))
    source = config.integer("src_vocab_size")
    target = config.integer("vocab_size")
    if config.flag("tie_word_embeddings") and source != target:
        raise InputError("config_unsupported", config.place("tie_word_embeddings"), value=True)
    table = Table(name="source_tokens", rows=source, width=hidden)
    spec = _model(config, encoder, decoder, logits_bias=False)
    return spec if config.flag("tie_word_embeddings") else replace(spec, tables=(table,))


READERS: dict[str, Family] = {
    "mvp": Family(_mvp, bart_sizes(50267, 1024, 4096, (12, 12), 16, use_prompt=False), BART_NAMES),
    "led": Family(_led, bart_sizes(50265, 1024, 4096, (12, 12), 16, attention_window=512,
                                   max_encoder_position_embeddings=16384, max_decoder_position_embeddings=1024),
                  BART_NAMES),
    "bigbird_pegasus": Family(_bigbird_pegasus, bart_sizes(
        96103, 1024, 4096, (16, 16), 16, max_position_embeddings=4096, attention_type="block_sparse", use_bias=False),
        BART_NAMES),
    "pegasus_x": Family(_pegasus_x, bart_sizes(96103, 1024, 4096, (16, 16), 16, block_size=512, num_global_tokens=32),
                        BART_NAMES),
    "fsmt": Family(_fsmt, bart_sizes(42024, 1024, 4096, (12, 12), 16, src_vocab_size=42024,
                                     tie_word_embeddings=False),
                   BART_NAMES | {"vocab_size": ("tgt_vocab_size", "vocab_size")}),
}
