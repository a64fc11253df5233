"""What recurrent mixers add to the ledger: RG-LRU, RWKV, mLSTM, sLSTM, short convolution.

Their recurrences are elementwise (RG-LRU, RWKV-4, sLSTM's cell) and count nothing, or have a matrix
state (RWKV-5, mLSTM) and are counted as products.
"""

from __future__ import annotations

from mfu_gui.engine.builder import Builder
from mfu_gui.engine.count_ssm import Chunks, count_convolution
from mfu_gui.engine.model import MLSTM, RWKV, SLSTM, RecurrentUnit, ShortConvolution


def count_recurrent_unit(mixer: RecurrentUnit, build: Builder) -> bool:
    """y, x, convolution, two block-diagonal gates, out."""
    proj = build.scope("recurrent_proj", "ssm")
    y = proj.matrix("y", build.hidden, mixer.width, bias=mixer.bias)
    x = proj.matrix("x", build.hidden, mixer.width, bias=mixer.bias)
    x = count_convolution(build, "ssm", mixer.width, mixer.conv, mixer.bias, needs=x)
    gates, block = build.scope("recurrent_gates", "ssm"), mixer.width // mixer.blocks
    needs = x
    for name in ("input_gate", "recurrent_gate"):
        needs = gates.matrix(name, block, block, copies=mixer.blocks, used=mixer.blocks, bias=True, needs=x) or needs
    proj.vector("recurrent_parameter", mixer.width)
    return proj.matrix("out", mixer.width, build.hidden, bias=mixer.bias,
                       needs=needs or y or build.policy.weights)


def count_rwkv(mixer: RWKV, build: Builder) -> bool:
    """Receptance, key, value, output; version 5 has a gate and a matrix state a head.

    The state of version 5 is one outer product and one product with the receptance a position:
    4·width·head_dim FLOPs (component ``linear_attention_core``).
    """
    proj = build.scope("attention_proj", "attention")
    names = ("key", "value", "receptance") + (("rwkv_gate",) if mixer.version == 5 else ())
    needs = False
    for name in names:
        needs = proj.matrix(name, build.hidden, mixer.width) or needs
    if mixer.version == 4:
        proj.vector("time", 2 * mixer.width + 3 * build.hidden)
    else:
        head = mixer.head_dim or 64
        proj.vector("time", 2 * mixer.width + 4 * build.hidden)
        build.scope("norms", "norms").vector("head_norm", 2 * mixer.width, kind="norm")
        build.scope("linear_attention_core", "attention").product(
            "rwkv_state", 4 * mixer.width * head, build.positions(), first=needs, second=needs)
    return proj.matrix("output", mixer.width, build.hidden, needs=needs or build.policy.weights)


def count_mlstm(mixer: MLSTM, build: Builder) -> bool:
    """q, k, v, gates, the chunkwise matrix memory, a norm over all heads, out.

    As executed, positions after the last whole chunk run one by one and form no pairs.
    """
    proj = build.scope("recurrent_proj", "ssm")
    keys, values = mixer.heads * mixer.qk_dim, mixer.heads * mixer.value_dim
    x = False
    for name, width in (("q", keys), ("k", keys), ("v", values)):
        x = proj.matrix(name, build.hidden, width, bias=mixer.bias) or x
    gate = proj.matrix("output_gate", build.hidden, values, bias=mixer.bias)
    for name in ("input_gate", "forget_gate"):
        gate = proj.matrix(name, build.hidden, mixer.heads, bias=True) or gate
    needs = x or gate
    core, chunks = build.scope("recurrent_core", "ssm"), Chunks(build, mixer.chunk, whole_only=True)
    chunks.pairs(core, "memory_scores", 2 * keys, first=needs, second=needs)
    chunks.pairs(core, "memory_values", 2 * values, first=needs, second=needs)
    # Adding to the memory, reading it, and the dot product with the normaliser.
    chunks.positions(core, "memory_states", 2 * 2 * values * mixer.qk_dim + 2 * keys, first=needs, second=needs)
    build.scope("norms", "norms").vector("memory_norm", values, kind="norm")
    return proj.matrix("out", values, build.hidden, bias=mixer.bias, needs=needs or build.policy.weights)


def count_slstm(mixer: SLSTM, build: Builder) -> bool:
    """Four block-diagonal gates from the input and four from the previous hidden state, one norm."""
    proj, gates = build.scope("recurrent_proj", "ssm"), build.scope("recurrent_gates", "ssm")
    block = mixer.width // mixer.heads
    x = build.x
    if mixer.conv:
        x = count_convolution(build, "ssm", mixer.width, mixer.conv, mixer.bias, needs=x)
    x = proj.matrix("gates", block, block, copies=4 * mixer.heads, used=4 * mixer.heads, needs=x) or x
    gates.matrix("recurrent_gates", block, block, copies=4 * mixer.heads, used=4 * mixer.heads, bias=mixer.bias,
                 needs=x)
    build.scope("norms", "norms").vector("memory_norm", mixer.width, kind="norm")
    return x or build.policy.weights


def count_short_convolution(mixer: ShortConvolution, build: Builder) -> bool:
    """In (three gates' worth), a depthwise convolution over the hidden size, out."""
    proj, hidden = build.scope("ssm_proj", "ssm"), build.hidden
    x = proj.matrix("conv_in", hidden, 3 * hidden, bias=mixer.bias)
    x = count_convolution(build, "ssm", hidden, mixer.conv, mixer.bias, needs=x) or x
    return proj.matrix("conv_out", hidden, hidden, bias=mixer.bias, needs=x)
