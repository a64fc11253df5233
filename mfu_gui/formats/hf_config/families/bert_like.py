"""Text encoders that differ from BERT in positions, norms, widths or heads: DeBERTa, MPNet, ESM, RemBERT, XLNet, …

As for BERT, a file that names no architecture at all is read as the body, a null one as the language model.
Class defaults as of transformers 5.24.0 (2026-11).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from msgspec.structs import replace

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.model import (
    Attention,
    Dense,
    Ffn,
    Head,
    Layer,
    Linear,
    ModelSpec,
    MoE,
    Projection,
    RelativeKeys,
    Stack,
    Table,
    Vector,
)
from mfu_gui.engine.model_edit import run_lengths
from mfu_gui.formats.hf_config.access import Config, Family
from mfu_gui.formats.hf_config.families.encoders import architecture_of, bert_sizes, encoder_attention, pooler
from mfu_gui.formats.hf_config.parts import (
    QKVO,
    attention,
    context_of,
    dense,
    head_dim_of,
    layer_types,
    letters,
    whole_model,
    windowed,
)
from mfu_gui.formats.hf_config.refuse import check_task


class _Shape(NamedTuple):
    """What differs between the classes."""

    body: str = "Model"
    """How the names of classes without a head end."""
    pooled: bool = True
    """Whether the body has a pooler."""
    always_pooled: bool = False
    """Whether the pooler is there under a language head as well, where nothing reads it."""
    positions: bool = True
    types: bool = True
    pre_norm: bool = False
    embedding_norm: bool = True
    transform: bool = True


def _read(config: Config, shape: _Shape, mixer: Attention | None = None, ffns: Sequence[Ffn] | None = None,
          **more: Any) -> ModelSpec:
    """A stack of equal layers with tables before and a head behind it."""
    parts = tuple(ffns or (Dense(width=config.integer("intermediate_size"), matrices=2, biases=True),))
    layer = Layer(mixers=(mixer or encoder_attention(config),), ffns=parts, pre_norm=shape.pre_norm)
    rows = config.integer("max_position_embeddings") if shape.positions else 0
    stack = Stack(name="encoder", hidden_size=config.integer("hidden_size"), kinds=(layer,),
                  order=((layer.name, config.layers()),), norm_vectors=2, final_norm=shape.pre_norm,
                  embedding_norm=shape.embedding_norm, position_table=rows)
    name = architecture_of(config, "AModel")
    check_task(name.removeprefix("JinaEmbeddings"), config.place("architectures"))
    body = name.endswith(shape.body) and "LMHead" not in name
    projections: tuple[Projection, ...] = ()
    head: Head | None
    if body:
        head = pooler(config) if shape.pooled else None
    else:
        head = Head(tied=config.flag("tie_word_embeddings"), bias=True, transform=shape.transform, stack="encoder")
        if shape.always_pooled:
            projections = (Projection(stack="encoder", outputs=stack.hidden_size, bias=True, component="pooler",
                                      unused=True),)
    types = config.integer("type_vocab_size", 0) if shape.types else 0
    return replace(ModelSpec(vocabulary=config.integer("vocab_size"), token_types=types, stacks=(stack,), head=head,
                             projections=projections, context_length=context_of(config)), **more)


class _Plain:
    """BERT's layers, whatever else differs."""

    def __init__(self, **differs: Any) -> None:
        self.shape = _Shape(**differs)

    def __call__(self, config: Config) -> ModelSpec:
        """Read one of them."""
        return _read(config, self.shape)


def _mpnet(config: Config) -> ModelSpec:
    """One table of relative positions for all layers."""
    size = config.integer("relative_attention_num_buckets") * config.integer("num_attention_heads")
    return _read(config, _Shape(types=False),
                 parts=(Vector(name="relative", size=size, store="position_embedding"),))


def _layoutlm(config: Config) -> ModelSpec:
    """Four tables for the corners and sides of a word's box."""
    rows, hidden = config.integer("max_2d_position_embeddings"), config.integer("hidden_size")
    tables = tuple(Table(name=f"box_{name}", rows=rows, width=hidden, store="position_embedding") for name in "xyhw")
    return _read(config, _Shape(always_pooled=True), tables=tables)


def _longformer(config: Config) -> ModelSpec:
    """Each layer has its window to both sides; matrices for global positions are stored, and run for the few
    positions that a task makes global."""
    config.remark("config_few_global_positions", "attention_window")
    layers, hidden = config.layers(), config.integer("hidden_size")
    value = config.value("attention_window")
    listed = config.integers("attention_window", layers, 2) if isinstance(value, list | tuple) else None
    windows = listed or [config.integer("attention_window", 2)] * layers
    model = _read(config, _Shape())
    stack = model.stacks[0]
    kinds = {}
    for window in windows:
        layer = replace(stack.kinds[0], name=f"window-{window}", mixers=(encoder_attention(config, window=window),),
                        ffns=(*stack.kinds[0].ffns,
                              Vector(name="global_qkv", size=3 * hidden * (hidden + 1), store="attention")))
        kinds[layer.name] = layer
    order = run_lengths([f"window-{window}" for window in windows])
    return replace(model, stacks=(replace(stack, kinds=tuple(kinds.values()), order=order),))


def _big_bird(config: Config) -> ModelSpec:
    """Sparse in blocks for long sequences, which is counted as full attention; a pooler also under the head."""
    if config.text("attention_type") == "block_sparse":
        config.remark("config_block_sparse", "attention_type")
    return _read(config, _Shape(always_pooled=True),
                 mixer=encoder_attention(config, ("o", *("qkv" if config.flag("use_bias") else ()))))


def _xmod(config: Config) -> ModelSpec:
    """Each language has an adapter in each layer; a sequence passes through one."""
    languages = config.items("languages") or ["one"]
    hidden = config.integer("hidden_size")
    width = int(hidden / (config.number("adapter_reduction_factor", 0.001, hidden) or 2))
    ffns: list[Ffn] = [Dense(width=config.integer("intermediate_size"), matrices=2, biases=True),
                       MoE(experts=len(languages), top_k=1, width=max(1, width), matrices=2, biases=True,
                           router=False)]
    if config.flag("adapter_layer_norm"):
        ffns.append(Vector(name="adapter_norm", size=2 * hidden, store="norms"))
    shape = _Shape(pre_norm=config.flag("pre_norm"))
    return _read(config, shape, ffns=ffns)


def _esm(config: Config) -> ModelSpec:
    """Norms before each part; a head for contacts is stored with the body and not run."""
    kind = config.text("position_embedding_type")
    if kind not in ("absolute", "rotary"):
        raise InputError("config_unsupported", config.place("position_embedding_type"), value=kind)
    if config.flag("is_folding_model"):
        raise InputError("config_unsupported", config.place("is_folding_model"), value=True)
    shape = _Shape(types=False, pre_norm=True, positions=kind == "absolute",
                   embedding_norm=config.flag("emb_layer_norm_before"))
    contacts = config.layers() * config.integer("num_attention_heads") + 1
    return _read(config, shape, parts=(Vector(name="contact_head", size=contacts),))


def _nomic(config: Config) -> ModelSpec:
    """Rotary positions, a gated MLP, no biases in the layers."""
    heads, hidden = config.integer("num_attention_heads"), config.integer("hidden_size")
    mixer = Attention(heads=heads, kv_heads=heads, head_dim=head_dim_of(config, hidden, heads), mask="bidirectional")
    return _read(config, _Shape(positions=False, pooled=False), mixer, (dense(config),))


def _gte(config: Config) -> ModelSpec:
    """Rotary positions, a gated MLP with a bias behind it."""
    bias = Vector(name="down_bias", size=config.integer("hidden_size"), store="mlp")
    return _read(config, _Shape(positions=False, pooled=False), None, (dense(config), bias))


def _roformer(config: Config) -> ModelSpec:
    """Rotary positions from a stored table; embeddings may be narrower than the model."""
    hidden, heads = config.integer("hidden_size"), config.integer("num_attention_heads")
    width = config.optional_integer("embedding_size") or hidden
    table = Table(name="sines", rows=config.integer("max_position_embeddings"),
                  width=head_dim_of(config, hidden, heads), store="position_embedding")
    model = _read(config, _Shape(positions=False, pooled=False, embedding_norm=width == hidden), tables=(table,))
    if width == hidden:
        return model
    return replace(model, embedding_width=width, embedding_projection="in", embedding_projection_bias=True,
                   parts=(Vector(name="embedding_norm", size=2 * width, store="norms"),))


def _rembert(config: Config) -> ModelSpec:
    """Narrow tables before the layers, a wide head of its own behind them."""
    inner, outer = config.integer("input_embedding_size"), config.integer("output_embedding_size")
    hidden, vocabulary = config.integer("hidden_size"), config.integer("vocab_size")
    model = _read(config, _Shape(positions=False, embedding_norm=False))
    table = Table(name="positions", rows=config.integer("max_position_embeddings"), width=inner,
                  store="position_embedding")
    parts: tuple[Linear | Vector, ...] = (Vector(name="embedding_norm", size=2 * inner, store="norms"),)
    head = model.head
    if head is not None and not head.pooled:
        if config.flag("tie_word_embeddings"):
            raise InputError("config_unsupported", config.place("tie_word_embeddings"), value=True)
        head = Head(classes=vocabulary, inputs=outer, bias=True, stack="encoder")
        parts += (Linear(name="transform", inputs=hidden, outputs=outer, bias=True, component="lm_head_transform",
                         store="lm_head_transform"), Vector(name="transform_norm", size=2 * outer, store="norms"))
    return replace(model, head=head, tables=(table,), parts=parts, embedding_width=inner, embedding_projection="in",
                   embedding_projection_bias=True)


def _terms(config: Config) -> set[str]:
    """Which scores against positions there are: of the queries (c2p), of the keys (p2c)."""
    value = config.value("pos_att_type", None)
    names = value.split("|") if isinstance(value, str) else config.items("pos_att_type") or []
    found = {str(name).strip().lower() for name in names if str(name).strip()}
    if not found <= {"c2p", "p2c", "c2c"}:
        raise InputError("unknown_choice", config.place("pos_att_type"), value=str(value), allowed="c2p, p2c")
    return found


def _deberta(version: int) -> Any:
    """Scores of queries and keys against a table of relative positions beside those against each other."""
    def read(config: Config) -> ModelSpec:
        hidden = config.integer("hidden_size")
        parts: list[Linear | Vector] = []
        tables: tuple[Table, ...] = ()
        relative = None
        if config.flag("relative_attention"):
            reach = config.integer("max_relative_positions", -1)
            reach = reach if reach > 0 else config.integer("max_position_embeddings")
            buckets = config.integer("position_buckets", -1) if version == 2 else 0
            rows = 2 * (buckets if buckets > 0 else reach)
            tables = (Table(name="relative_positions", rows=rows, width=hidden, store="position_embedding"),)
            kind: Literal["own", "shared"] = "shared" if version == 2 and config.flag("share_att_key") else "own"
            terms = _terms(config)
            # The first version takes as much of the table as the sequence is long.
            relative = RelativeKeys(rows=rows if version == 2 else None, keys=kind if "c2p" in terms else "none",
                                    queries=kind if "p2c" in terms else "none",
                                    biases=("k", "q") if version == 2 else ("q",))
            if version == 2 and config.text("norm_rel_ebd") == "layer_norm":
                parts.append(Vector(name="relative_norm", size=2 * hidden, store="norms"))
        if version == 2 and config.integer("conv_kernel_size", 0):
            kernel, groups = config.integer("conv_kernel_size"), config.integer("conv_groups", default=1)
            if hidden % groups:
                raise InputError("not_divisible", config.place("conv_groups"), value=hidden, divisor=groups)
            parts += [Linear(name="convolution", inputs=kernel * hidden // groups, bias=True,
                             component="attention_conv", store="other"),
                      Vector(name="convolution_norm", size=2 * hidden, store="norms")]
        biases = QKVO if version == 2 else ("q", "v", "o")
        mixer = replace(encoder_attention(config, biases), relative_keys=relative)
        width = config.optional_integer("embedding_size") or hidden
        shape = _Shape(types=config.integer("type_vocab_size", 0) > 0, pooled=False,
                       positions=config.flag("position_biased_input"))
        model = _read(config, shape, mixer, tables=tables, parts=tuple(parts))
        if width == hidden:
            return model
        if shape.positions or not config.flag("legacy"):
            raise InputError("config_unsupported", config.place("embedding_size"), value=width)
        return replace(model, embedding_width=width, embedding_projection="in")
    return read


def _eurobert(config: Config) -> ModelSpec:
    """Llama's layers, seeing both ways."""
    mixer = attention(config, biases=letters(config, "attention_bias"), mask="bidirectional")
    layer = Layer(mixers=(mixer,), ffns=(dense(config, biases=config.flag("mlp_bias")),))
    stack = Stack(name="encoder", hidden_size=config.integer("hidden_size"), kinds=(layer,),
                  order=((layer.name, config.layers()),))
    body = architecture_of(config, "EuroBertModel").endswith("Model")
    head = None if body else Head(tied=config.flag("tie_word_embeddings"), bias=config.flag("mlp_bias"),
                                      stack="encoder")
    return ModelSpec(vocabulary=config.integer("vocab_size"), stacks=(stack,), head=head,
                     context_length=context_of(config))


def _modernbert_decoder(config: Config) -> ModelSpec:
    """ModernBERT's layers behind a causal mask; a dense and a norm before the head."""
    layers, period = config.layers(), config.integer("global_attn_every_n_layers")
    kinds = layer_types(config, layers, ["sliding" if index % period else "full" for index in range(layers)])
    biases = letters(config, "attention_bias")
    heads = config.integer("num_attention_heads")
    mixers = windowed(config.changed("sliding_window", config.integer("local_attention") // 2), kinds,
                      attention(config, kv_heads=heads, biases=biases))
    ffn = dense(config, biases=config.flag("mlp_bias"))
    vectors: Any = 2 if config.flag("norm_bias") else 1
    made: dict[str, Layer] = {}
    order = []
    for index, kind in enumerate(kinds):
        name = f"first-{kind}" if index == 0 else kind
        made.setdefault(name, Layer(name=name, mixers=(mixers[kind],), ffns=(ffn,), norms=1 if index == 0 else 2))
        order.append(name)
    stack = Stack(hidden_size=config.integer("hidden_size"), kinds=tuple(made.values()), order=run_lengths(order),
                  norm_vectors=vectors, embedding_norm=True)
    model = whole_model(config, stack, head_bias=config.flag("decoder_bias"))
    if model.head is None:
        return model
    return replace(model, head=replace(model.head, transform=True, transform_bias=config.flag("classifier_bias"),
                                       transform_norm=vectors))


def _xlm(config: Config) -> ModelSpec:
    """Norms behind the parts, a head with a bias and nothing before it; causal where the file says so."""
    hidden = config.integer("hidden_size")
    shape = _Shape(types=False, pooled=False, transform=False,
                   pre_norm=config.knows("pre_norm") and config.flag("pre_norm"))
    mixer = encoder_attention(config)
    if config.flag("causal"):
        mixer = replace(mixer, mask="causal")
    if config.flag("asm"):
        raise InputError("config_unsupported", config.place("asm"), value=True)
    languages = config.integer("n_langs", 1)
    tables: tuple[Table, ...] = ()
    if languages > 1 and config.flag("use_lang_emb"):
        tables = (Table(name="languages", rows=languages, width=hidden),)
    ffn = Dense(width=4 * hidden, matrices=2, biases=True)
    model = _read(config, shape, mixer, (ffn,), tables=tables)
    stack = model.stacks[0]
    return replace(model, stacks=(replace(stack, final_norm=False),))


def _xlnet(config: Config) -> ModelSpec:
    """Queries are scored against sines of relative positions as well, two for each position; no memory of
    earlier segments."""
    if config.text("attn_type") != "bi":
        raise InputError("config_unsupported", config.place("attn_type"), value=config.text("attn_type"))
    heads, hidden = config.integer("num_attention_heads"), config.integer("hidden_size")
    dim = head_dim_of(config, hidden, heads)
    mixer = Attention(heads=heads, kv_heads=heads, head_dim=dim, mask="bidirectional",
                      relative_keys=RelativeKeys(trained=False))
    biases = Vector(name="relative_biases", size=5 * heads * dim, store="attention")
    ffn = Dense(width=config.integer("intermediate_size"), matrices=2, biases=True)
    shape = _Shape(types=False, pooled=False, positions=False, embedding_norm=False, transform=False)
    return _read(config, shape, mixer, (biases, ffn), parts=(Vector(name="mask", size=hidden),))


_XLM_NAMES = {"hidden_size": ("emb_dim", "hidden_size"), "num_hidden_layers": ("n_layers", "num_hidden_layers"),
              "num_attention_heads": ("n_heads", "num_attention_heads"), "vocab_size": ("vocab_size", "n_words")}
_XLM = {"vocab_size": 30145, "hidden_size": 2048, "num_hidden_layers": 12, "num_attention_heads": 16,
        "max_position_embeddings": 512, "causal": False, "asm": False, "n_langs": 1, "use_lang_emb": True,
        "intermediate_size": None, "tie_word_embeddings": True}
_DEBERTA = {"type_vocab_size": 0, "relative_attention": False, "max_relative_positions": -1, "legacy": True,
            "position_biased_input": True, "pos_att_type": None}

READERS: dict[str, Family] = {
    "data2vec-text": Family(_Plain(), bert_sizes(30522)),
    "ibert": Family(_Plain(), bert_sizes(30522)),
    "splinter": Family(_Plain(pooled=False), bert_sizes(30522)),
    "megatron-bert": Family(_Plain(pre_norm=True, embedding_norm=False), bert_sizes(29056, 1024, 4096, 24, 16)),
    "roberta-prelayernorm": Family(_Plain(pre_norm=True), bert_sizes(50265)),
    "xlm-roberta-xl": Family(_Plain(pre_norm=True, embedding_norm=False), bert_sizes(
        250880, 2560, 10240, 36, 32, max_position_embeddings=514, type_vocab_size=1)),
    "bert-generation": Family(_Plain(body="Encoder", pooled=False, types=False, transform=False),
                              bert_sizes(50358, 1024, 4096, 24, 16)),
    "jina_embeddings_v3": Family(_Plain(positions=False), bert_sizes(250002, 1024, 4096, 24, 16, type_vocab_size=1)),
    "mpnet": Family(_mpnet, bert_sizes(30527, relative_attention_num_buckets=32)),
    "layoutlm": Family(_layoutlm, bert_sizes(30522, max_2d_position_embeddings=1024)),
    "longformer": Family(_longformer, bert_sizes(30522, attention_window=512)),
    "big_bird": Family(_big_bird, bert_sizes(50358, max_position_embeddings=4096, use_bias=True,
                                             attention_type="block_sparse")),
    "xmod": Family(_xmod, bert_sizes(30522, languages=["en_XX"], adapter_reduction_factor=2, pre_norm=False,
                                     adapter_layer_norm=False)),
    "esm": Family(_esm, bert_sizes(max_position_embeddings=1026, position_embedding_type="absolute",
                                   emb_layer_norm_before=None, is_folding_model=False)),
    "nomic_bert": Family(_nomic, bert_sizes(30528, head_dim=None)),
    "gte": Family(_gte, bert_sizes(250048, type_vocab_size=1)),
    "roformer": Family(_roformer, bert_sizes(50000, max_position_embeddings=1536, embedding_size=None)),
    "rembert": Family(_rembert, bert_sizes(250300, 1152, 4608, 32, 18, input_embedding_size=256,
                                           output_embedding_size=1664, tie_word_embeddings=False)),
    "deberta": Family(_deberta(1), bert_sizes(50265) | _DEBERTA),
    "deberta-v2": Family(_deberta(2), bert_sizes(128100, 1536, 6144, 24, 24) | _DEBERTA | {
        "position_buckets": -1, "share_att_key": False, "norm_rel_ebd": "none", "conv_kernel_size": 0,
        "conv_groups": 1}),
    "eurobert": Family(_eurobert, bert_sizes(128256) | {
        "num_key_value_heads": None, "head_dim": None, "attention_bias": False, "mlp_bias": False,
        "tie_word_embeddings": False}),
    "modernbert-decoder": Family(_modernbert_decoder, bert_sizes(50368, 768, 1152, 22, 12) | {
        "head_dim": None, "global_attn_every_n_layers": 3, "local_attention": 128, "attention_bias": False,
        "mlp_bias": False, "norm_bias": False, "classifier_bias": False, "decoder_bias": True}),
    "xlm": Family(_xlm, _XLM, _XLM_NAMES),
    "flaubert": Family(_xlm, _XLM | {"pre_norm": False}, _XLM_NAMES),
    "xlnet": Family(_xlnet, {
        "vocab_size": 32000, "hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 24,
        "num_attention_heads": 16, "head_dim": None, "attn_type": "bi", "tie_word_embeddings": True},
        {"hidden_size": ("d_model", "hidden_size"), "intermediate_size": ("d_inner",),
         "num_hidden_layers": ("n_layer", "num_hidden_layers"), "head_dim": ("d_head",),
         "num_attention_heads": ("n_head", "num_attention_heads")}),
}
