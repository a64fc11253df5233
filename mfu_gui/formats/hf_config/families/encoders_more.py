"""Text encoders whose layers have matrices beside BERT's: LUKE (entities), MobileBERT (bottlenecks), ConvBERT.

As for BERT, a file that names no architecture at all is read as the body, a null one as the language model.
Class defaults, and which matrices there are, as of transformers 5.24.0 (2026-11), modeling_luke.py,
modeling_mobilebert.py and modeling_convbert.py.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.model import (
    Attention,
    Dense,
    Head,
    Layer,
    Linear,
    ModelSpec,
    Projection,
    SpanConvolution,
    Stack,
    Table,
    Vector,
)
from mfu_gui.formats.hf_config.access import Config, Family
from mfu_gui.formats.hf_config.families.encoders import (
    architecture_of,
    bert_sizes,
    encoder_attention,
    is_body,
    narrow_embeddings,
    pooler,
)
from mfu_gui.formats.hf_config.parts import context_of
from mfu_gui.formats.hf_config.refuse import check_task


def _stored_matrix(inputs: int, outputs: int, bias: bool = True) -> int:
    return inputs * outputs + (outputs if bias else 0)


def _luke(config: Config) -> ModelSpec:
    """BERT for the words of a text (arXiv 2010.01057).

    Entities beside the words have tables, queries in each layer and a head of their own, which are stored; a text
    without entities runs none of them.  The head for words shares no weights with the table of words, the one for
    entities does with theirs.
    """
    config.remark("config_entities_not_run", "entity_vocab_size")
    hidden, layers = config.integer("hidden_size"), config.layers()
    entities, width = config.integer("entity_vocab_size"), config.integer("entity_emb_size")
    name = architecture_of(config, "LukeModel")
    check_task(name, config.place("architectures"))
    parts = [Vector(name="entity_norm", size=2 * hidden, store="norms")]
    if width != hidden:
        parts.append(Vector(name="entity_projection", size=width * hidden, store="embedding_projection"))
    ffns: tuple[Dense | Vector, ...] = (Dense(width=config.integer("intermediate_size"), matrices=2, biases=True),)
    if config.flag("use_entity_aware_attention"):
        ffns += (Vector(name="entity_queries", size=3 * _stored_matrix(hidden, hidden), store="attention"),)
    head, projections = pooler(config), list[Projection]()
    if not is_body(name):
        head = Head(bias=True, transform=True, stack="encoder")
        projections.append(Projection(stack="encoder", outputs=hidden, bias=True, component="pooler", unused=True))
        parts += [Vector(name="entity_transform", size=_stored_matrix(hidden, width), store="lm_head_transform"),
                  Vector(name="entity_transform_norm", size=2 * width, store="norms"),
                  Vector(name="entity_bias", size=entities, store="lm_head")]
    rows, types = config.integer("max_position_embeddings"), config.integer("type_vocab_size")
    tables = (Table(name="entities", rows=entities, width=width),
              Table(name="entity_positions", rows=rows, width=hidden, store="position_embedding"),
              Table(name="entity_types", rows=types, width=hidden))
    layer = Layer(mixers=(encoder_attention(config),), ffns=ffns, pre_norm=False)
    stack = Stack(name="encoder", hidden_size=hidden, kinds=(layer,), order=((layer.name, layers),), norm_vectors=2,
                  final_norm=False, embedding_norm=True, position_table=rows)
    return ModelSpec(vocabulary=config.integer("vocab_size"), token_types=types, tables=tables, stacks=(stack,),
                     head=head, projections=tuple(projections), parts=tuple(parts), context_length=context_of(config))


def _bottlenecked(config: Config) -> tuple[int, list[Linear | Vector]]:
    """Width inside a layer of MobileBERT, and the matrices before its attention."""
    hidden, inner = config.integer("hidden_size"), config.integer("intra_bottleneck_size")
    if not config.flag("use_bottleneck"):
        return hidden, [_projection(name, hidden, hidden) for name in "qkvo"]
    shared, narrow = config.flag("key_query_shared_bottleneck"), config.flag("use_bottleneck_attention")
    if not (shared or narrow) and inner != hidden:
        raise InputError("config_unsupported", config.place("key_query_shared_bottleneck"), value=False)
    parts: list[Linear | Vector] = [_projection("bottleneck_in", hidden, inner), _norm("bottleneck_in", inner)]
    if shared and narrow:  # the class has this matrix and runs the other one for all
        parts.append(Vector(name="bottleneck_attention", size=_stored_matrix(hidden, inner), store="attention"))
    elif shared:
        parts.append(_projection("bottleneck_attention", hidden, inner))
    if shared:
        parts.append(_norm("bottleneck_attention", inner))
    values = inner if narrow else hidden
    parts += [_projection("q", inner, inner), _projection("k", inner, inner), _projection("v", values, inner),
              _projection("o", inner, inner)]
    return inner, parts


def _projection(name: str, inputs: int, outputs: int) -> Linear:
    return Linear(name=name, inputs=inputs, outputs=outputs, bias=True, component="attention_proj", store="attention")


def _norm(of: str, width: int) -> Vector:
    """A norm, or what stands for it: two vectors either way."""
    return Vector(name=f"{of}_norm", size=2 * width, store="norms")


def _feed_forward(config: Config, inner: int) -> Iterator[Linear | Vector]:
    """Several small MLPs in turn, and the way out of the bottleneck."""
    width = config.integer("intermediate_size")
    for number in range(config.integer("num_feedforward_networks")):
        yield Linear(name=f"up_{number}", inputs=inner, outputs=width, bias=True, component="mlp", store="mlp")
        yield Linear(name=f"down_{number}", inputs=width, outputs=inner, bias=True, component="mlp", store="mlp")
        yield _norm(f"mlp_{number}", inner)
    if config.flag("use_bottleneck"):
        hidden = config.integer("hidden_size")
        yield Linear(name="bottleneck_out", inputs=inner, outputs=hidden, bias=True, component="mlp", store="mlp")
        yield _norm("bottleneck_out", hidden)


def _mobilebert(config: Config) -> ModelSpec:
    """Layers as narrow as their bottleneck, with several MLPs (arXiv 2004.02984).

    A token reads its neighbours' embeddings beside its own, all narrower than the model.  The head multiplies by a
    matrix as wide as the model: a part of it is the table of tokens, the rest its own.
    """
    hidden, narrow = config.integer("hidden_size"), config.integer("embedding_size")
    name = architecture_of(config, "MobileBertModel")
    check_task(name, config.place("architectures"))
    if narrow > hidden:
        raise InputError("out_of_range", config.place("embedding_size"), value=narrow, minimum=1, maximum=hidden)
    heads = config.integer("num_attention_heads")
    inner, before = _bottlenecked(config)
    if inner % heads:
        raise InputError("config_head_dim", config.place("num_attention_heads"), hidden=inner, heads=heads)
    core = Attention(heads=heads, kv_heads=heads, head_dim=inner // heads, mask="bidirectional", own_q=False,
                     own_kv=False, own_o=False)
    layer = Layer(mixers=(core,), ffns=(*before, _norm("attention", inner), *_feed_forward(config, inner)), norms=0,
                  pre_norm=False)
    stack = Stack(name="encoder", hidden_size=hidden, kinds=(layer,), order=((layer.name, config.layers()),),
                  norm_vectors=2, final_norm=False, embedding_norm=True,
                  position_table=config.integer("max_position_embeddings"))
    model = ModelSpec(vocabulary=config.integer("vocab_size"), token_types=config.integer("type_vocab_size"),
                      stacks=(stack,), context_length=context_of(config))
    activated = config.flag("classifier_activation")
    if not is_body(name):
        return _with_head(config, model, name, activated)
    model = replace(model, head=pooler(config) if activated else None)
    if narrow == hidden:
        return replace(model, parts=(_transformation(config),))
    more: tuple[Linear, ...] = ()
    if config.flag("trigram_input"):  # the neighbours' part of the way in
        more = (Linear(name="neighbours", inputs=2 * narrow, component="embedding_projection",
                       store="embedding_projection"),)
    types = Table(name="types", rows=model.token_types, width=hidden)
    return replace(model, parts=more, tables=(types,), token_types=0, embedding_width=narrow,
                   embedding_projection="in", embedding_projection_bias=True)


def _transformation(config: Config) -> Linear | Vector:
    """The way from the embeddings into the model; stored, but not run, where there is nothing to do."""
    hidden, narrow = config.integer("hidden_size"), config.integer("embedding_size")
    trigram = config.flag("trigram_input")
    reads = 3 * narrow if trigram else narrow
    if not trigram and narrow == hidden:
        return Vector(name="embedding_transformation", size=_stored_matrix(reads, hidden),
                      store="embedding_projection")
    return Linear(name="embedding_transformation", inputs=reads, bias=True, component="embedding_projection",
                  store="embedding_projection")


def _with_head(config: Config, model: ModelSpec, name: str, activated: bool) -> ModelSpec:
    """With the language head, whose matrix holds the table of tokens: together they are one of the full width."""
    hidden = model.main.hidden_size
    if not config.flag("tie_word_embeddings"):
        raise InputError("config_unsupported", config.place("tie_word_embeddings"), value=False)
    projections: tuple[Projection, ...] = ()
    if name.endswith("ForPreTraining"):
        dense = (Projection(stack="encoder", outputs=hidden, bias=True, component="pooler"),) if activated else ()
        projections = (*dense, Projection(stack="encoder", inputs=hidden, outputs=2, bias=True, component="pooler"))
    return replace(model, head=Head(tied=True, bias=True, transform=True, stack="encoder"), projections=projections,
                   parts=(_transformation(config),))


def _convbert(config: Config) -> ModelSpec:
    """Half of the layer's width is attention, half a convolution by computed kernels (arXiv 2008.02496)."""
    hidden, kernel = config.integer("hidden_size"), config.integer("conv_kernel_size")
    if kernel % 2 == 0:  # the class cannot run these: its convolutions give other lengths
        raise InputError("config_unsupported", config.place("conv_kernel_size"), value=kernel)
    heads = max(1, config.integer("num_attention_heads") // config.integer("head_ratio"))
    if hidden % heads:
        raise InputError("config_head_dim", config.place("num_attention_heads"), hidden=hidden, heads=heads)
    head_dim = hidden // heads // 2
    if 2 * heads * head_dim != hidden:
        raise InputError("not_divisible", config.place("hidden_size"), value=hidden // heads, divisor=2)
    name = architecture_of(config, "ConvBertModel")
    check_task(name, config.place("architectures"))
    attention = Attention(heads=heads, kv_heads=heads, head_dim=head_dim, mask="bidirectional", own_o=False,
                          biases=("q", "k", "v"))
    span = SpanConvolution(heads=heads, head_dim=head_dim, kernel=kernel)
    layer = Layer(mixers=(attention, span), ffns=(_projection("o", hidden, hidden), *_grouped_mlp(config)),
                  pre_norm=False, parallel="mixers")
    narrow = narrow_embeddings(config)
    wide = "tables" not in narrow
    stack = Stack(name="encoder", hidden_size=hidden, kinds=(layer,), order=((layer.name, config.layers()),),
                  norm_vectors=2, final_norm=False, embedding_norm=wide,
                  position_table=config.integer("max_position_embeddings") if wide else 0)
    head = None if is_body(name) else Head(tied=config.flag("tie_word_embeddings"), bias=True, transform=True,
                                           stack="encoder")
    return ModelSpec(vocabulary=config.integer("vocab_size"), stacks=(stack,), head=head,
                     context_length=context_of(config), **narrow)


def _grouped_mlp(config: Config) -> Iterator[Linear]:
    """Two matrices in blocks on the diagonal, which is the whole matrix for one group."""
    hidden, width, groups = (config.integer(key) for key in ("hidden_size", "intermediate_size", "num_groups"))
    for size in (hidden, width):
        if size % groups:
            raise InputError("not_divisible", config.place("num_groups"), value=size, divisor=groups)
    for name, inputs, outputs in (("up", hidden, width), ("down", width, hidden)):
        yield Linear(name=name, inputs=inputs // groups, outputs=outputs, bias=True, component="mlp", store="mlp")


READERS: dict[str, Family] = {
    "luke": Family(_luke, bert_sizes(50267, entity_vocab_size=500000, entity_emb_size=256,
                                     use_entity_aware_attention=True)),
    "mobilebert": Family(_mobilebert, bert_sizes(
        30522, 512, 512, 24, 4, embedding_size=128, trigram_input=True, use_bottleneck=True, intra_bottleneck_size=128,
        use_bottleneck_attention=False, key_query_shared_bottleneck=True, num_feedforward_networks=4,
        classifier_activation=True)),
    "convbert": Family(_convbert, bert_sizes(30522, embedding_size=768, head_ratio=2, conv_kernel_size=9,
                                             num_groups=1)),
}
