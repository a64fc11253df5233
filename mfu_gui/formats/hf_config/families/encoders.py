"""Text encoders: BERT and RoBERTa with their relatives, ELECTRA, ALBERT, ModernBERT.

A file that names no architecture at all is read as the published body with its pooler; a null one, as
transformers writes for a class by itself, as the masked language model. Class defaults as of transformers
5.24.0 (2026-11).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.model import (
    Attention,
    Dense,
    Head,
    Layer,
    Letter,
    Linear,
    ModelSpec,
    Projection,
    SharedBlock,
    Stack,
    Table,
    Vector,
)
from mfu_gui.engine.model_edit import run_lengths
from mfu_gui.formats.hf_config.access import Config, Family
from mfu_gui.formats.hf_config.parts import QKVO, context_of


def architecture_of(config: Config, absent: str) -> str:
    """The class that the file names; ``absent`` (recorded) where it has no such key; empty for null."""
    names = config.items("architectures") if config.names_architectures else [absent]
    if not config.names_architectures:
        config.assume("architectures", absent)
    name = names[0] if names else ""
    return name if isinstance(name, str) else ""


def is_body(name: str) -> bool:
    """Whether a class is the body without a language head (``BertModel``, not ``BertLMHeadModel``)."""
    return name.endswith("Model") and "LMHead" not in name


CAUSAL_AS_DECODERS = frozenset({
    "bert", "roberta", "xlm-roberta", "camembert", "ernie", "electra", "data2vec-text", "megatron-bert",
    "roberta-prelayernorm", "xlm-roberta-xl", "bert-generation", "big_bird", "xmod", "esm", "roformer", "rembert"})
"""Families whose classes look at ``is_decoder``; the others take both sides of a text whatever the file says.

Source: transformers 5.24.0, modeling_<family>.py: ``create_causal_mask`` if ``config.is_decoder``, else
``create_bidirectional_mask``; albert, distilbert, ibert, longformer, mpnet and splinter have the second alone.
"""


def mask_of(config: Config) -> Literal["causal", "bidirectional"]:
    """Causal where the file makes a decoder of the encoder (``is_decoder``) and its class has that.

    InputError for attention to another model's output (``add_cross_attention``): the file does not say which.
    """
    if config.model_type not in CAUSAL_AS_DECODERS or not config.flag("is_decoder", None):
        return "bidirectional"
    if config.flag("add_cross_attention", None):
        raise InputError("config_unsupported", config.place("add_cross_attention"), value=True)
    return "causal"


def encoder_attention(config: Config, biases: Sequence[Letter] = QKVO, window: int | None = None) -> Attention:
    """Attention to both sides, unless the file makes a decoder of it; heads as wide as they fill the hidden size."""
    hidden, heads = config.integer("hidden_size"), config.integer("num_attention_heads")
    if hidden % heads:
        raise InputError("config_head_dim", config.place("num_attention_heads"), hidden=hidden, heads=heads)
    return Attention(heads=heads, kv_heads=heads, head_dim=hidden // heads, mask=mask_of(config),
                     biases=tuple(biases), window=window)


def _layer(config: Config) -> Layer:
    """Norms come after attention and MLP; LayerNorm, biases, plain MLP."""
    return Layer(mixers=(encoder_attention(config),),
                 ffns=(Dense(width=config.integer("intermediate_size"), matrices=2, biases=True),), pre_norm=False)


def _stack(config: Config, **more: Any) -> Stack:
    layer = _layer(config)
    return Stack(name="encoder", hidden_size=config.integer("hidden_size"), kinds=(layer,),
                 order=((layer.name, config.layers()),), norm_vectors=2, **more)


def pooler(config: Config) -> Head:
    """A dense hidden × hidden on the first position."""
    return Head(classes=config.integer("hidden_size"), pooled=True, bias=True, stack="encoder")


def _bert(config: Config) -> ModelSpec:
    name, hidden = architecture_of(config, "BertModel"), config.integer("hidden_size")
    head = pooler(config) if is_body(name) else Head(tied=config.flag("tie_word_embeddings"), bias=True,
                                                     transform=True, stack="encoder")
    # Pretrained with a second task, whether two sentences follow each other: two classes from the pooler.
    pooled = (Projection(stack="encoder", outputs=hidden, bias=True, component="pooler"),
              Projection(stack="encoder", inputs=hidden, outputs=2, bias=True, component="pooler"))
    stack = _stack(config, final_norm=False, embedding_norm=True,
                   position_table=config.integer("max_position_embeddings"))
    return ModelSpec(vocabulary=config.integer("vocab_size"), token_types=config.integer("type_vocab_size", 0),
                     stacks=(stack,), head=head, projections=pooled if name.endswith("ForPreTraining") else (),
                     context_length=context_of(config))


def _distilbert(config: Config) -> ModelSpec:
    """No token types, no pooler."""
    body = architecture_of(config, "DistilBertModel").endswith("Model")
    head = None if body else Head(tied=config.flag("tie_word_embeddings"), bias=True, transform=True, stack="encoder")
    stack = _stack(config, final_norm=False, embedding_norm=True,
                   position_table=config.integer("max_position_embeddings"))
    return ModelSpec(vocabulary=config.integer("vocab_size"), stacks=(stack,), head=head,
                     context_length=context_of(config))


def narrow_embeddings(config: Config) -> dict[str, Any]:
    """Embeddings narrower than the model: tables of their width, one projection in, the norm at that width."""
    hidden, width = config.integer("hidden_size"), config.integer("embedding_size")
    rows = config.integer("max_position_embeddings")
    if width == hidden:
        return {"token_types": config.integer("type_vocab_size", 0)}
    return {
        "embedding_width": width, "embedding_projection": "in", "embedding_projection_bias": True,
        "token_types": config.integer("type_vocab_size", 0),
        "tables": (Table(name="positions", rows=rows, width=width, store="position_embedding"),),
        "parts": (Vector(name="embedding_norm", size=2 * width, store="norms"),),
    }


def _electra(config: Config) -> ModelSpec:
    """Trained as a discriminator: one logit for each token."""
    name = architecture_of(config, "ElectraModel")
    head: Head | None
    if name.endswith(("ForMaskedLM", "ForCausalLM")) or not name:
        head = Head(tied=config.flag("tie_word_embeddings"), bias=True, transform=True, stack="encoder")
    else:
        head = None if name.endswith("Model") else Head(classes=1, bias=True, transform=True, transform_norm=0,
                                                        stack="encoder")
    narrow = narrow_embeddings(config)
    wide = "tables" not in narrow
    stack = _stack(config, final_norm=False, embedding_norm=wide,
                   position_table=config.integer("max_position_embeddings") if wide else 0)
    return ModelSpec(vocabulary=config.integer("vocab_size"), stacks=(stack,), head=head,
                     context_length=context_of(config), **narrow)


def _albert(config: Config) -> ModelSpec:
    """One set of weights for each group of layers, used by all layers of the group."""
    body = architecture_of(config, "AlbertModel").endswith("Model")
    groups, inner, layers = config.integer("num_hidden_groups"), config.integer("inner_group_num"), config.layers()
    if groups != 1 or inner != 1:
        raise InputError("config_unsupported", config.place("num_hidden_groups" if groups != 1 else "inner_group_num"),
                         value=groups if groups != 1 else inner)
    block = SharedBlock(stored=1, mixers=(encoder_attention(config),),
                        ffns=(Dense(width=config.integer("intermediate_size"), matrices=2, biases=True),), norms=2)
    layer = Layer(shared=block, norms=0, pre_norm=False)
    narrow = narrow_embeddings(config)
    wide = "tables" not in narrow
    if wide:  # the way into the layers is there even where the widths are equal
        narrow["parts"] = (Linear(name="project_in", bias=True, component="embedding_projection",
                                  store="embedding_projection"),)
    stack = Stack(name="encoder", hidden_size=config.integer("hidden_size"), kinds=(layer,),
                  order=((layer.name, layers),), norm_vectors=2, final_norm=False, embedding_norm=wide,
                  position_table=config.integer("max_position_embeddings") if wide else 0)
    head = pooler(config) if body else Head(tied=config.flag("tie_word_embeddings"), bias=True, transform=True,
                                             stack="encoder")
    return ModelSpec(vocabulary=config.integer("vocab_size"), stacks=(stack,), head=head,
                     context_length=context_of(config), **narrow)


def _modernbert(config: Config) -> ModelSpec:
    """Gated MLP, every n-th layer global, the others see a window to both sides; no norm before the first
    layer's attention."""
    layers, period = config.layers(), config.integer("global_attn_every_n_layers")
    listed = config.choices("layer_types", {"full_attention": "global", "sliding_attention": "local"}, layers)
    kinds = listed or ["global" if index % period == 0 else "local" for index in range(layers)]
    biases = config.flag("attention_bias")
    ffn = Dense(width=config.integer("intermediate_size"), matrices=3, biases=config.flag("mlp_bias"))
    window = config.integer("local_attention")
    vectors: Any = 2 if config.flag("norm_bias") else 1
    made: dict[str, Layer] = {}
    order = []
    for index, kind in enumerate(kinds):
        name = f"first-{kind}" if index == 0 else kind
        if name not in made:
            mixer = encoder_attention(config, QKVO if biases else (), None if kind == "global" else window)
            made[name] = Layer(name=name, mixers=(mixer,), ffns=(ffn,), norms=1 if index == 0 else 2)
        order.append(name)
    stack = Stack(name="encoder", hidden_size=config.integer("hidden_size"), kinds=tuple(made.values()),
                  order=run_lengths(order), norm_vectors=vectors, embedding_norm=True)
    body = architecture_of(config, "ModernBertForMaskedLM").endswith("Model")
    head = None if body else Head(tied=config.flag("tie_word_embeddings"), bias=config.flag("decoder_bias"),
                                  transform=True, transform_bias=config.flag("classifier_bias"),
                                  transform_norm=vectors, stack="encoder")
    return ModelSpec(vocabulary=config.integer("vocab_size"), stacks=(stack,), head=head,
                     context_length=context_of(config))


def bert_sizes(vocabulary: int | None = None, hidden: int = 768, width: int = 3072, layers: int = 12,
               heads: int = 12, **more: Any) -> dict[str, Any]:
    """A table of class defaults from the sizes every encoder has; without a vocabulary the file must say it."""
    known = {} if vocabulary is None else {"vocab_size": vocabulary}
    return known | {
        "hidden_size": hidden, "intermediate_size": width, "num_hidden_layers": layers, "num_attention_heads": heads,
        "max_position_embeddings": 512, "type_vocab_size": 2, "tie_word_embeddings": True} | more


READERS: dict[str, Family] = {
    "bert": Family(_bert, bert_sizes(30522)),
    "roberta": Family(_bert, bert_sizes(50265)),
    "xlm-roberta": Family(_bert, bert_sizes(30522)),
    "camembert": Family(_bert, bert_sizes(30522)),
    "ernie": Family(_bert, bert_sizes(30522)),
    "distilbert": Family(_distilbert, bert_sizes(30522),
                         {"hidden_size": ("dim", "hidden_size"), "num_hidden_layers": ("n_layers", "num_hidden_layers"),
                          "num_attention_heads": ("n_heads", "num_attention_heads"),
                          "intermediate_size": ("hidden_dim", "intermediate_size")}),
    "electra": Family(_electra, bert_sizes(30522, 256, 1024, 12, 4, embedding_size=128)),
    "albert": Family(_albert, bert_sizes(30000, 4096, 16384, 12, 64, embedding_size=128, num_hidden_groups=1,
                                          inner_group_num=1)),
    "modernbert": Family(_modernbert, {
        "vocab_size": 50368, "hidden_size": 768, "intermediate_size": 1152, "num_hidden_layers": 22,
        "num_attention_heads": 12, "global_attn_every_n_layers": 3, "local_attention": 128, "attention_bias": False,
        "mlp_bias": False, "norm_bias": False, "classifier_bias": False, "decoder_bias": True,
        "tie_word_embeddings": True}),
}
