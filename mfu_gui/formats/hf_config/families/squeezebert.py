"""SqueezeBERT (arXiv 2006.11316): BERT whose matrices are convolutions in groups.

Class defaults as of transformers 5.24.0 (2026-11).
"""

from __future__ import annotations

from msgspec.structs import replace

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.model import Head, Layer, Linear, ModelSpec, Projection, Stack
from mfu_gui.formats.hf_config.access import Config, Family
from mfu_gui.formats.hf_config.families.encoders import architecture_of, encoder_attention, pooler
from mfu_gui.formats.hf_config.parts import context_of


def _grouped(config: Config, name: str, inputs: int, outputs: int, component: str, store: str) -> Linear:
    """A matrix in ``<name>_groups`` blocks on the diagonal."""
    key = f"{name}_groups"
    groups = config.integer(key)
    for width in (inputs, outputs):
        if width % groups:
            raise InputError("not_divisible", config.place(key), value=width, divisor=groups)
    return Linear(name=name, inputs=inputs // groups, outputs=outputs, bias=True, component=component, store=store)


def _squeezebert(config: Config) -> ModelSpec:
    """Its pooler is stored, and run, under the language head too."""
    hidden, width = config.integer("hidden_size"), config.integer("intermediate_size")
    if config.integer("embedding_size", default=hidden) != hidden:
        raise InputError("config_unsupported", config.place("embedding_size"), value=config.integer("embedding_size"))
    body = architecture_of(config, "SqueezeBertModel").endswith("Model")
    core = replace(encoder_attention(config, ()), own_q=False, own_kv=False, own_o=False)
    parts = (*(_grouped(config, name, hidden, hidden, "attention_proj", "attention")
               for name in ("q", "k", "v", "post_attention")),
             _grouped(config, "intermediate", hidden, width, "mlp", "mlp"),
             _grouped(config, "output", width, hidden, "mlp", "mlp"))
    layer = Layer(mixers=(core,), ffns=parts, pre_norm=False)
    stack = Stack(name="encoder", hidden_size=hidden, kinds=(layer,), order=((layer.name, config.layers()),),
                  norm_vectors=2, final_norm=False, embedding_norm=True,
                  position_table=config.integer("max_position_embeddings"))
    head = pooler(config) if body else Head(tied=config.flag("tie_word_embeddings"), bias=True, transform=True,
                                             stack="encoder")
    unused = () if body else (Projection(stack="encoder", outputs=hidden, bias=True, component="pooler", unused=True),)
    return ModelSpec(vocabulary=config.integer("vocab_size"), token_types=config.integer("type_vocab_size", 0),
                     stacks=(stack,), head=head, projections=unused, context_length=context_of(config))


READERS: dict[str, Family] = {
    "squeezebert": Family(_squeezebert, {
        "vocab_size": 30522, "hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12,
        "intermediate_size": 3072, "max_position_embeddings": 512, "type_vocab_size": 2, "embedding_size": 768,
        "q_groups": 4, "k_groups": 4, "v_groups": 4, "post_attention_groups": 1, "intermediate_groups": 4,
        "output_groups": 4, "tie_word_embeddings": True}),
}
