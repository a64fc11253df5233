"""ModelSpec, Stack, Layer: how the parts of a model are put together."""

from __future__ import annotations

from typing import Literal

from mfu_gui.engine.model.attention import MLA, Attention, CompressedAttention, SpanConvolution
from mfu_gui.engine.model.base import Count, LayerCount, PartName, Record, Width
from mfu_gui.engine.model.ffn import AttentionResiduals, Dense, Ffn, Linear, MoE, Vector
from mfu_gui.engine.model.front_end import Connector, FrameFrontEnd, PatchFrontEnd, Projection
from mfu_gui.engine.model.state_space import (
    MLSTM,
    RWKV,
    SLSTM,
    GatedDeltaNet,
    KimiDeltaAttention,
    LightningAttention,
    Mamba1,
    Mamba2,
    RecurrentUnit,
    ShortConvolution,
)

Mixer = (Attention | MLA | CompressedAttention | SpanConvolution | Mamba1 | Mamba2 | GatedDeltaNet
         | KimiDeltaAttention | LightningAttention | RecurrentUnit | RWKV | MLSTM | SLSTM | ShortConvolution)
StackName = Literal["decoder", "encoder", "vision"]


class SharedBlock(Record, frozen=True, kw_only=True):
    """Mixers and ffns whose weights several layers use in turn: ``stored`` copies exist, and every
    layer of the kind executes one (Zamba2: 2 stored, 13 executed; ALBERT: 1 stored, 12 executed)."""

    stored: Width = 1
    mixers: tuple[Mixer, ...] = ()
    ffns: tuple[Ffn, ...] = ()
    norms: Count = 2
    """Hidden-wide normalisations, as in a layer."""
    input_width: Width | None = None
    """Width of what its mixers read where it is not the hidden size (Zamba: hidden state and
    embedding side by side, 2 × hidden)."""
    input_norm: bool = False
    """A norm over that width."""


class Layer(Record, frozen=True, kw_only=True):
    """One kind of layer; ``norms`` counts its hidden-wide normalisations."""

    name: str = "layer"
    mixers: tuple[Mixer, ...] = ()
    ffns: tuple[Ffn, ...] = ()
    shared: SharedBlock | None = None
    norms: Count = 2
    norm_vectors: Literal[0, 1, 2] | None = None
    """Learned vectors per norm where they differ from the stack's."""
    pre_norm: bool = True
    """Whether a norm stands between the layer's input and its first matrices."""
    parallel: Literal["none", "mixers", "all"] = "none"
    """What reads the layer's input side by side instead of in turn: its mixers (Falcon-H1), or mixers
    and ffns (GPT-J)."""
    extra_parameters: Count = 0
    """Learned vectors of a layer that no product uses (scales, skips)."""


class Stack(Record, frozen=True, kw_only=True):
    """Layers of one width that run over one axis of positions."""

    name: StackName = "decoder"
    axis: Literal["text", "decoder", "encoder", "frame", "patch"] = "text"
    hidden_size: Width
    kinds: tuple[Layer, ...]
    order: tuple[tuple[str, LayerCount], ...]
    norm_vectors: Literal[0, 1, 2] = 1
    """Learned vectors per norm: 1 RMSNorm, 2 LayerNorm with bias, 0 none."""
    final_norm: bool = True
    embedding_norm: bool = False
    position_table: Count = 0
    """Rows of a learned position table of this stack's width."""
    front_end: PatchFrontEnd | FrameFrontEnd | None = None
    """What makes positions out of images or sound; a stack without one reads tokens."""

    def layer_count(self) -> int:
        """Number of layers executed."""
        return sum(count for _, count in self.order)

    def kind(self, name: str) -> Layer:
        """The layer kind with this name; KeyError when the order names one that is not there."""
        for layer in self.kinds:
            if layer.name == name:
                return layer
        raise KeyError(name)


class Head(Record, frozen=True, kw_only=True):
    """The LM head: ``hidden × vocabulary``; tied heads store no matrix but multiply all the same.

    ``classes`` instead makes it a classifier, never tied; ``pooled`` runs it once a sequence or image
    (ViT reads the class token only).
    """

    tied: bool = False
    bias: bool = False
    bias_buffer: bool = False
    """The bias is stored but not trained by gradient (BART)."""
    transform: bool = False
    """A dense ``hidden × hidden`` and a norm before the head (BERT); ``hidden × embedding_width``
    where the embedding is factorised (ALBERT)."""
    transform_bias: bool = True
    transform_norm: Literal[0, 1, 2] = 2
    """Learned vectors of that norm."""
    classes: Width | None = None
    pooled: bool = False
    inputs: Width | None = None
    """Width it reads where that is not the stack's (DINOv2: class token beside the mean patch)."""
    stack: StackName = "decoder"


class MultiTokenPrediction(Record, frozen=True, kw_only=True):
    """Extra prediction depths after the main model: each joins the hidden state with the next
    embedding (``2·hidden × hidden``), runs one layer of kind ``layer`` and uses the head again."""

    depths: Width
    layer: str
    more_layers: tuple[str, ...] = ()
    """Further layers of one depth (Nemotron 3: an attention layer, then a MoE layer)."""


class Table(Record, frozen=True, kw_only=True):
    """A learned table that is looked up, not multiplied: ``rows × width``."""

    name: PartName
    rows: Width
    width: Width
    store: PartName = "token_embedding"


class ModelSpec(Record, frozen=True, kw_only=True):
    """A whole model.

    ``vocabulary`` 0 means no token embedding and no LM head.  ``embedding_width`` differs from the
    hidden size when input and output are factorised (OPT-350M): two projections join them.
    """

    name: str = ""
    vocabulary: Count = 0
    embedding_width: Width | None = None
    embedding_projection: Literal["both", "in"] = "both"
    """Which of the two projections exist; ALBERT's way out is its head's transform."""
    embedding_projection_bias: bool = False
    token_types: Count = 0
    """Rows of a token-type table (BERT)."""
    tables: tuple[Table, ...] = ()
    stacks: tuple[Stack, ...]
    head: Head | None = Head()
    projections: tuple[Projection, ...] = ()
    contrastive: bool = False
    """The projected outputs of two towers are compared with each other, all pairs of a batch (CLIP)."""
    connectors: tuple[Connector, ...] = ()
    image_tokens: Width | None = None
    """Positions that one image takes up in the language model, or offers to its cross-attention."""
    sound_tokens: Width | None = None
    """Positions that one clip of sound takes up in the language model."""
    parts: tuple[Linear | Vector | AttentionResiduals, ...] = ()
    """Matrices and vectors outside all layers, or beside all of them, run over the positions of the main stack."""
    multi_token_prediction: MultiTokenPrediction | None = None
    context_length: Width | None = None
    """Longest sequence the model was made for; only a warning depends on it."""
    intermediate_size: Width | None = None
    """What config.json states under this name where it is not the first MLP's width: models of experts alone often
    state a width that no layer has. Only the dense formulas of some conventions multiply by it."""

    def stack(self, name: str) -> Stack | None:
        """The stack with this name, or None."""
        for stack in self.stacks:
            if stack.name == name:
                return stack
        return None

    @property
    def main(self) -> Stack:
        """The stack that carries the text: the decoder, else the first."""
        for stack in self.stacks:  # asked for a thousand times per model
            if stack.name == "decoder":
                return stack
        return self.stacks[0]

    @property
    def mlp_width(self) -> int | None:
        """Width of the first dense MLP in the main stack, else of one expert; None without either."""
        ffns = [ffn for kind in self.main.kinds for ffn in kind.ffns]
        dense = (ffn.width for ffn in ffns if isinstance(ffn, Dense))
        return next(dense, next((ffn.width for ffn in ffns if isinstance(ffn, MoE)), None))
