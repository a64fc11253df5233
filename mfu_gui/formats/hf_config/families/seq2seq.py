"""Encoder-decoder models: T5 and BART with their relatives, Whisper, Switch Transformers, NLLB-MoE, T5Gemma.

Class defaults as of transformers 5.24.0 (2026-11).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.model import (
    MAX_LAYERS,
    Attention,
    Convolution,
    Dense,
    Ffn,
    FrameFrontEnd,
    Head,
    Layer,
    Letter,
    ModelSpec,
    MoE,
    Stack,
    Table,
)
from mfu_gui.engine.model_edit import run_lengths
from mfu_gui.formats.hf_config.access import Config, Family
from mfu_gui.formats.hf_config.parts import QKVO, context_of, every, layer_types


def _t5(config: Config) -> ModelSpec:
    """Relative positions in the first layer of each stack; RMSNorm; no biases."""
    return _t5_model(config, _t5_ffn(config), _t5_ffn(config), every_layer=False)


def _umt5(config: Config) -> ModelSpec:
    """T5 with relative positions in every layer."""
    return _t5_model(config, _t5_ffn(config), _t5_ffn(config), every_layer=True)


def _t5_ffn(config: Config) -> Ffn:
    """``feed_forward_proj`` is an activation's name, with ``gated-`` before it where there is a gate."""
    kind = config.text("feed_forward_proj") or "relu"
    gate, _, rest = kind.partition("-")
    if rest and gate != "gated":
        raise InputError("unknown_choice", config.place("feed_forward_proj"), value=kind, allowed="relu, gated-gelu")
    return Dense(width=config.integer("intermediate_size"), matrices=3 if rest else 2)


def _t5_heads(config: Config) -> tuple[int, int]:
    return config.integer("num_attention_heads"), config.integer("head_dim")


def _class_of(config: Config) -> str:
    """The class that the file names, or nothing."""
    return str((config.items("architectures") or [""])[0])


def _t5_model(config: Config, encoder: Ffn | Sequence[Ffn], decoder: Ffn | Sequence[Ffn], *, every_layer: bool,
              window: int | None = None) -> ModelSpec:
    heads, head_dim = _t5_heads(config)
    buckets = config.integer("relative_attention_num_buckets")
    layers = config.layers()
    decoder_layers = config.optional_integer("num_decoder_layers", 1, MAX_LAYERS) or layers
    hidden = config.integer("hidden_size")

    def stack(name: Literal["encoder", "decoder"], count: int, ffns: Ffn | Sequence[Ffn]) -> Stack:
        cross = Attention(heads=heads, kv_heads=heads, head_dim=head_dim, keys_from="encoder")
        each = list(ffns) if isinstance(ffns, Sequence) else [ffns] * count
        found: dict[tuple[bool, Ffn], Layer] = {}
        order = []
        for index, ffn in enumerate(each):
            first = index == 0 or every_layer
            if (first, ffn) not in found:
                own = Attention(heads=heads, kv_heads=heads, head_dim=head_dim,
                                mask="bidirectional" if name == "encoder" else "causal",
                                window=window if name == "encoder" else None,
                                relative_buckets=buckets if first else 0)
                words = (["first"] if first and not every_layer else []) + (["moe"] if isinstance(ffn, MoE) else [])
                found[first, ffn] = Layer(name="-".join(words) or "layer", ffns=(ffn,),
                                          mixers=(own,) if name == "encoder" else (own, cross),
                                          norms=2 if name == "encoder" else 3)
            order.append(found[first, ffn].name)
        return Stack(name=name, axis=name, hidden_size=hidden, kinds=tuple(found.values()), order=run_lengths(order))

    if _class_of(config).endswith("EncoderModel"):  # as the text encoder of an image model
        alone = stack("encoder", layers, encoder)
        return ModelSpec(vocabulary=config.integer("vocab_size"), stacks=(alone,), head=None)
    tied = config.flag("tie_word_embeddings")
    stacks = (stack("encoder", layers, encoder), stack("decoder", decoder_layers, decoder))
    return ModelSpec(vocabulary=config.integer("vocab_size"), stacks=stacks, head=Head(tied=tied))


def _longt5(config: Config) -> ModelSpec:
    """The encoder sees ``local_radius`` keys to each side; its variant with global blocks is not read."""
    kind = config.text("encoder_attention_type")
    if kind != "local":
        raise InputError("config_unsupported", config.place("encoder_attention_type"), value=kind)
    return _t5_model(config, _t5_ffn(config), _t5_ffn(config), every_layer=False,
                     window=2 * config.integer("local_radius"))


def _switch(config: Config) -> ModelSpec:
    """Experts in every n-th layer, from the second on; one expert a token."""
    dense = Dense(width=config.integer("intermediate_size"), matrices=2)
    experts = MoE(experts=config.integer("num_experts"), top_k=1, width=config.integer("intermediate_size"), matrices=2,
                  router_bias=config.flag("router_bias"))

    def ffns(side: str, count: int) -> list[Ffn]:
        sparse = config.integer(f"num_sparse_{side}_layers", 0)
        step = count // sparse if sparse else count  # 0 sparse layers means one in the class itself
        if config.has(f"{side}_sparse_step"):  # what the class wrote when the file was saved
            step = config.integer(f"{side}_sparse_step")
        if not step:
            raise InputError("out_of_range", config.place(f"num_sparse_{side}_layers"), value=sparse, minimum=0,
                             maximum=count)
        return [experts if step == 1 or index % step == 1 else dense for index in range(count)]

    layers = config.layers()
    decoder_layers = config.optional_integer("num_decoder_layers", 1, MAX_LAYERS) or layers
    return _t5_model(config, ffns("encoder", layers), ffns("decoder", decoder_layers), every_layer=False)


class _Bart:
    """What differs between BART's relatives."""

    def __init__(self, *, positions: int | None = 2, embedding_norm: bool = True, final_norm: bool = False,
                 logits_bias: bool = True) -> None:
        self.positions = positions  # rows beside those of the positions; None: nothing is learned
        self.embedding_norm = embedding_norm
        self.final_norm = final_norm
        self.logits_bias = logits_bias

    def __call__(self, config: Config) -> ModelSpec:
        """LayerNorm, biases, plain MLP; a bias of the logits that is stored but not trained."""
        return _bart_model(config, self)


def _bart_attention(config: Config, heads_key: str, biases: tuple[Letter, ...] = QKVO, **more: Any) -> Attention:
    hidden, heads = config.integer("hidden_size"), config.integer(heads_key)
    if hidden % heads:
        raise InputError("config_head_dim", config.place(heads_key), hidden=hidden, heads=heads)
    return Attention(heads=heads, kv_heads=heads, head_dim=hidden // heads, biases=biases, **more)


def bart_stack(config: Config, side: Literal["encoder", "decoder"], biases: tuple[Letter, ...] = QKVO,
               ffns: Mapping[str, Ffn] | None = None, order: Sequence[str] | None = None, **more: Any) -> Stack:
    """One side: LayerNorm, biases, a plain MLP unless ``ffns`` says otherwise; the decoder looks at the encoder."""
    heads_key = f"{side}_attention_heads"
    own = _bart_attention(config, heads_key, biases, mask="bidirectional" if side == "encoder" else "causal")
    mixers = (own,) if side == "encoder" else (own, _bart_attention(config, heads_key, biases, keys_from="encoder"))
    if ffns is None:
        ffns = {"layer": Dense(width=config.integer(f"{side}_ffn_dim"), matrices=2, biases=True)}
    order = order or ["layer"] * config.layers(f"{side}_layers")
    kinds = tuple(Layer(name=name, mixers=mixers, ffns=(ffn,), norms=len(mixers) + 1)
                  for name, ffn in ffns.items() if name in order)
    return Stack(name=side, axis=more.pop("axis", side), hidden_size=config.integer("hidden_size"), kinds=kinds,
                 order=run_lengths(order), norm_vectors=2, **more)


def _bart_model(config: Config, kind: _Bart) -> ModelSpec:
    if _class_of(config).endswith("ForCausalLM"):
        raise InputError("config_unsupported", config.place("architectures"), value=_class_of(config))
    rows = 0 if kind.positions is None else config.integer("max_position_embeddings") + kind.positions
    stacks = tuple(bart_stack(config, side, final_norm=kind.final_norm, embedding_norm=kind.embedding_norm,
                               position_table=rows) for side in ("encoder", "decoder"))
    return ModelSpec(vocabulary=config.integer("vocab_size"), stacks=stacks,
                     head=Head(tied=config.flag("tie_word_embeddings"), bias_buffer=kind.logits_bias),
                     context_length=context_of(config))


def _nllb_moe(config: Config) -> ModelSpec:
    """M2M-100 with experts (two a token) in every n-th layer."""
    def side(name: Literal["encoder", "decoder"]) -> Stack:
        layers, step = config.layers(f"{name}_layers"), config.integer(f"{name}_sparse_step", 0)
        width = config.integer(f"{name}_ffn_dim")
        ffns: dict[str, Ffn] = {
            "dense": Dense(width=width, matrices=2, biases=True),
            "moe": MoE(experts=config.integer("num_experts", 2), top_k=2, width=width, matrices=2, biases=True,
                       router_bias=config.flag("router_bias"), runs_all_experts=True),
        }
        order = ["moe" if step and (index + 1) % step == 0 else "dense" for index in range(layers)]
        return bart_stack(config, name, ffns=ffns, order=order)

    return ModelSpec(vocabulary=config.integer("vocab_size"), stacks=(side("encoder"), side("decoder")),
                     head=Head(tied=config.flag("tie_word_embeddings")))


def _whisper(config: Config) -> ModelSpec:
    """Two convolutions halve the frames; no bias on keys; both position tables are stored."""
    hidden = config.integer("hidden_size")
    letters: tuple[Letter, ...] = ("q", "v", "o")
    front = FrameFrontEnd(convolutions=(
        Convolution(inputs=config.integer("num_mel_bins"), outputs=hidden, kernel=3),
        Convolution(inputs=hidden, outputs=hidden, kernel=3, stride=2)))
    encoder = bart_stack(config, "encoder", letters, axis="frame", front_end=front,
                          position_table=config.integer("max_source_positions"))
    decoder = bart_stack(config, "decoder", letters, position_table=config.integer("max_target_positions"))
    return ModelSpec(vocabulary=config.integer("vocab_size"), stacks=(encoder, decoder),
                     head=Head(tied=config.flag("tie_word_embeddings")))


def _t5gemma(config: Config) -> ModelSpec:
    """Two Gemma 2 stacks; the decoder's layers look at the encoder between their own attention and MLP."""
    encoder = config.section("encoder", _GEMMA_MODULE)
    decoder = config.section("decoder", _GEMMA_MODULE)
    width = encoder.integer("hidden_size")
    own_width = decoder.integer("hidden_size")
    tied = config.flag("tie_word_embeddings") if config.has("tie_word_embeddings") else decoder.flag(
        "tie_word_embeddings")
    stacks = (_gemma_stack(encoder, "encoder", None),
              _gemma_stack(decoder, "decoder", None if width == own_width else width))
    # The encoder has a table of its own; the head is tied to the decoder's.
    table = Table(name="encoder_tokens", rows=encoder.integer("vocab_size"), width=width)
    return ModelSpec(vocabulary=decoder.integer("vocab_size"), stacks=stacks, head=Head(tied=tied), tables=(table,))


def _gemma_stack(config: Config, side: Literal["encoder", "decoder"], keys_width: int | None) -> Stack:
    heads, kv_heads = config.integer("num_attention_heads"), config.integer("num_key_value_heads")
    head_dim, layers = config.integer("head_dim"), config.layers()
    bidirectional = side == "encoder"
    kinds = layer_types(config, layers, every(layers, 2))
    biases = QKVO if config.flag("attention_bias") else ()
    window = config.integer("sliding_window")
    made = []
    for kind in dict.fromkeys(kinds):
        limit = None if kind == "full" else 2 * (window - 1) or 1 if bidirectional else window
        mixers: list[Attention] = [Attention(heads=heads, kv_heads=kv_heads, head_dim=head_dim, biases=biases,
                                             mask="bidirectional" if bidirectional else "causal", window=limit)]
        if not bidirectional:
            mixers.append(Attention(heads=heads, kv_heads=kv_heads, head_dim=head_dim, biases=biases,
                                    keys_from="encoder", keys_width=keys_width))
        made.append(Layer(name=kind, mixers=tuple(mixers), ffns=(Dense(width=config.integer("intermediate_size")),),
                          norms=2 * len(mixers) + 2))
    return Stack(name=side, axis=side, hidden_size=config.integer("hidden_size"), kinds=tuple(made),
                 order=run_lengths(kinds))


_GEMMA_MODULE: dict[str, Any] = {
    "vocab_size": 256000, "hidden_size": 2304, "intermediate_size": 9216, "num_hidden_layers": 26,
    "num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 256, "attention_bias": False,
    "sliding_window": 4096, "tie_word_embeddings": True,
}
_T5_NAMES = {"hidden_size": ("d_model", "hidden_size"), "num_hidden_layers": ("num_layers", "num_hidden_layers"),
             "num_attention_heads": ("num_heads", "num_attention_heads"), "head_dim": ("d_kv", "head_dim"),
             "intermediate_size": ("d_ff", "intermediate_size")}
BART_NAMES = {"hidden_size": ("d_model", "hidden_size"),
               "encoder_layers": ("encoder_layers", "num_hidden_layers"),
               "encoder_attention_heads": ("encoder_attention_heads", "num_attention_heads")}


def _t5_sizes(vocabulary: int, hidden: int, width: int, layers: int, heads: int, **more: Any) -> dict[str, Any]:
    return {"vocab_size": vocabulary, "hidden_size": hidden, "intermediate_size": width, "num_hidden_layers": layers,
            "num_attention_heads": heads, "head_dim": 64, "num_decoder_layers": None, "feed_forward_proj": "relu",
            "relative_attention_num_buckets": 32, "tie_word_embeddings": True} | more


def bart_sizes(vocabulary: int, hidden: int, width: int, layers: tuple[int, int], heads: int,
               **more: Any) -> dict[str, Any]:
    """A table of class defaults from the sizes both sides have."""
    return {"vocab_size": vocabulary, "hidden_size": hidden, "encoder_ffn_dim": width, "decoder_ffn_dim": width,
            "encoder_layers": layers[0], "decoder_layers": layers[1], "encoder_attention_heads": heads,
            "decoder_attention_heads": heads, "max_position_embeddings": 1024, "tie_word_embeddings": True} | more


_BART = bart_sizes(50265, 1024, 4096, (12, 12), 16)

READERS: dict[str, Family] = {
    "t5": Family(_t5, _t5_sizes(32128, 512, 2048, 6, 8), _T5_NAMES),
    "mt5": Family(_t5, _t5_sizes(250112, 512, 1024, 8, 6, feed_forward_proj="gated-gelu"), _T5_NAMES),
    "umt5": Family(_umt5, _t5_sizes(250112, 512, 1024, 8, 6, feed_forward_proj="gated-gelu"), _T5_NAMES),
    "longt5": Family(_longt5, _t5_sizes(32128, 512, 2048, 6, 8, local_radius=127, encoder_attention_type="local"),
                     _T5_NAMES),
    "switch_transformers": Family(_switch, _t5_sizes(
        32128, 768, 2048, 12, 12, num_decoder_layers=12, num_experts=8, num_sparse_encoder_layers=3,
        num_sparse_decoder_layers=3, router_bias=False), _T5_NAMES),
    "bart": Family(_Bart(), _BART, BART_NAMES),
    "mbart": Family(_Bart(final_norm=True), _BART, BART_NAMES),
    "plbart": Family(_Bart(), bart_sizes(50005, 768, 3072, (6, 6), 12), BART_NAMES),
    "pegasus": Family(_Bart(positions=0, embedding_norm=False, final_norm=True), _BART, BART_NAMES),
    "marian": Family(_Bart(positions=0, embedding_norm=False), bart_sizes(58101, 1024, 4096, (12, 12), 16),
                     BART_NAMES),
    "blenderbot": Family(_Bart(positions=0, embedding_norm=False, final_norm=True), bart_sizes(
        8008, 2560, 10240, (2, 24), 32, max_position_embeddings=128), BART_NAMES),
    "blenderbot-small": Family(_Bart(positions=0), bart_sizes(50265, 512, 2048, (8, 8), 16,
                                                               max_position_embeddings=512), BART_NAMES),
    "m2m_100": Family(_Bart(positions=None, embedding_norm=False, final_norm=True, logits_bias=False),
                      bart_sizes(128112, 1024, 4096, (12, 12), 16), BART_NAMES),
    "nllb-moe": Family(_nllb_moe, bart_sizes(
        128112, 1024, 4096, (12, 12), 16, encoder_sparse_step=4, decoder_sparse_step=4, num_experts=128,
        router_bias=False), BART_NAMES),
    "whisper": Family(_whisper, bart_sizes(51865, 384, 1536, (4, 4), 6, num_mel_bins=80, max_source_positions=1500,
                                            max_target_positions=448), BART_NAMES),
    "t5gemma": Family(_t5gemma, {}),
}
