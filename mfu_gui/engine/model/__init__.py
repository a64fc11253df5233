"""ModelSpec: the shape of a model, as data.

A model is one or more *stacks* of layers (decoder, encoder, vision).  A stack names its layer
*kinds* and gives their run-length *order*, so that order and repetition are data: DeepSeek-V3 is
``order=(("dense", 3), ("moe", 58))``.  A layer holds *mixers* (what moves information between
positions: attention, state space, …), *ffns* (what works on each position: a dense MLP, a mixture
of experts, a single matrix) and perhaps a *shared block* whose weights other layers use too.  All
widths are counts of elements.

Everything is immutable and hashable; a hash is computed once per object.
"""

from mfu_gui.engine.model.attention import (
    MLA,
    Attention,
    CompressedAttention,
    Indexer,
    Letter,
    RelativeKeys,
    SpanConvolution,
)
from mfu_gui.engine.model.base import MAX_LAYERS, MAX_WIDTH, Count, Record, Width
from mfu_gui.engine.model.ffn import (
    AlternatingUpdates,
    AttentionResiduals,
    Dense,
    Ffn,
    HyperConnections,
    Linear,
    MoE,
    Vector,
)
from mfu_gui.engine.model.front_end import Connector, Convolution, FrameFrontEnd, PatchFrontEnd, Projection
from mfu_gui.engine.model.spec import (
    Head,
    Layer,
    Mixer,
    ModelSpec,
    MultiTokenPrediction,
    SharedBlock,
    Stack,
    StackName,
    Table,
)
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
    StateMixer,
)

__all__ = [
    "MAX_LAYERS", "MAX_WIDTH", "MLA", "MLSTM", "RWKV", "SLSTM", "AlternatingUpdates", "Attention",
    "AttentionResiduals", "CompressedAttention", "Connector", "Convolution", "Count", "Dense", "Ffn", "FrameFrontEnd",
    "GatedDeltaNet", "Head", "HyperConnections", "Indexer", "KimiDeltaAttention", "Layer", "Letter",
    "LightningAttention", "Linear", "Mamba1", "Mamba2", "Mixer", "MoE", "ModelSpec", "MultiTokenPrediction",
    "PatchFrontEnd", "Projection", "Record", "RecurrentUnit", "RelativeKeys", "SharedBlock", "ShortConvolution",
    "SpanConvolution", "Stack", "StackName", "StateMixer", "Table", "Vector", "Width",
]
