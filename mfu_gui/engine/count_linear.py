"""What linear-attention mixers add to the ledger: gated delta net, Kimi delta attention, lightning.

Their chunked forms hold a state ``key_dim × value_dim`` a head.  Reading the state of zeros before
the first chunk needs no gradient of it, and nobody reads what the last chunk adds.  The triangular
system of the delta rule is solved, not multiplied: its forward is not counted, its backward is one
product over the pairs of each chunk (component ``triangular_solve_backward``).  Kimi's scores are
elementwise in the reference (a decay for each channel) and count nothing.
"""

from __future__ import annotations

from mfu_gui.engine.builder import Builder, Scope
from mfu_gui.engine.count_ssm import Chunks, count_convolution
from mfu_gui.engine.model import GatedDeltaNet, KimiDeltaAttention, LightningAttention


def count_gated_delta_net(mixer: GatedDeltaNet, build: Builder) -> bool:
    """q, k, v, z, b, a, convolution, the delta rule in chunks, a norm a value head, out."""
    proj = build.scope("linear_attention_proj", "attention")
    keys, values = mixer.key_heads * mixer.key_dim, mixer.value_heads * mixer.value_dim
    x = proj.matrix("linear_qkv", build.hidden, 2 * keys + values)
    if mixer.output_gate:
        proj.matrix("linear_z", build.hidden, values)
    proj.matrix("linear_ba", build.hidden, 2 * mixer.value_heads)
    x = count_convolution(build, "attention", 2 * keys + values, mixer.conv, mixer.conv_bias,
                          component="linear_attention_conv", needs=x)
    proj.vector("dt_bias", mixer.value_heads)
    build.scope("ssm_core", "ssm").vector("A", mixer.value_heads)
    build.scope("norms", "norms").vector("linear_norm", mixer.value_dim, kind="norm")
    heads, pairs = mixer.value_heads, Chunks(build, mixer.chunk)
    core = build.scope("linear_attention_core", "attention")
    pairs.pairs(core, "delta_scores", 2 * 2 * heads * mixer.key_dim, first=x, second=x)
    pairs.pairs(core, "delta_values", 2 * heads * mixer.value_dim, first=x, second=x)
    if x:
        solve = build.scope("triangular_solve_backward", "attention")
        pairs.pairs_of_backward(solve, "delta_solve", 2 * heads * (mixer.key_dim + mixer.value_dim))
    _count_states(build, pairs, heads * mixer.key_dim * mixer.value_dim, reads=2, needs=x)
    return proj.matrix("linear_out", values, build.hidden, needs=x or build.policy.weights)


def _count_states(build: Builder, chunks: Chunks, state: int, *, reads: int, needs: bool) -> None:
    """``reads`` products with the state before a chunk and one that adds the chunk to it."""
    core = build.scope("linear_attention_core", "attention")
    chunks.positions(core, "state_read", 2 * reads * state, first=needs, second=needs)
    chunks.positions(core, "state_update", 2 * state, first=needs, second=needs)
    if needs:
        chunks.no_gradient(core, "state_read_first", "first_chunk", 2 * reads * state)
        chunks.no_gradient(core, "state_update_last", "last_chunk", 2 * 2 * state)


def count_kda(mixer: KimiDeltaAttention, build: Builder) -> bool:
    """q, k, v, decay and gate of low rank, b, convolution, the delta rule in chunks, out."""
    proj = build.scope("attention_proj", "attention")
    width = mixer.heads * mixer.head_dim
    x = False
    for name in ("q", "k", "v"):
        x = proj.matrix(name, build.hidden, width) or x
    x = count_convolution(build, "attention", 3 * width, mixer.conv, False, needs=x)
    decay = _low_rank(proj, "decay", build.hidden, mixer.gate_rank, width, False)
    decay = proj.matrix("beta", build.hidden, mixer.heads) or decay
    rank = None if mixer.full_output_gate else mixer.gate_rank
    gate = _low_rank(proj, "output_gate", build.hidden, rank, width, mixer.gate_bias)
    proj.vector("dt_bias", width)
    build.scope("ssm_core", "ssm").vector("A", mixer.heads)
    build.scope("norms", "norms").vector("linear_norm", mixer.head_dim, kind="norm")
    needs, chunks = x or decay, Chunks(build, mixer.chunk)
    core = build.scope("linear_attention_core", "attention")
    # (I + A)⁻¹ times the values and times the keys, then the scores times the new values.
    chunks.pairs(core, "delta_values", 3 * 2 * width, first=needs, second=needs)
    _count_states(build, chunks, width * mixer.head_dim, reads=2, needs=needs)
    return proj.matrix("o", width, build.hidden, needs=needs or gate or build.policy.weights)


def _low_rank(scope: Scope, name: str, hidden: int, rank: int | None, width: int, bias: bool) -> bool:
    """A matrix of a given rank as two, or one full one."""
    if rank is None:
        return scope.matrix(name, hidden, width, bias=bias)
    inner = scope.matrix(name + "_a", hidden, rank)
    return scope.matrix(name + "_b", rank, width, bias=bias, needs=inner)


def count_lightning(mixer: LightningAttention, build: Builder) -> bool:
    """qkv, blocks of scores and values, the state of keys and values, gate, norm, out."""
    proj = build.scope("attention_proj", "attention")
    width = mixer.heads * mixer.head_dim
    x = proj.matrix("qkv", build.hidden, 3 * width)
    core = build.scope("linear_attention_core", "attention")
    # The reference cuts its last block short instead of padding it, so both counts are one.
    executed, build.as_executed = build.as_executed, False
    chunks = Chunks(build, mixer.chunk)
    chunks.pairs(core, "block_scores", 2 * width, first=x, second=x)
    chunks.pairs(core, "block_values", 2 * width, first=x, second=x)
    _count_states(build, chunks, width * mixer.head_dim, reads=1, needs=x)
    build.as_executed = executed
    build.scope("norms", "norms").vector("linear_norm", width, kind="norm")
    if mixer.qk_norm:
        build.scope("norms", "norms").vector("qk_norm", 2 * mixer.head_dim, kind="norm")
    gate = proj.matrix("output_gate", build.hidden, width) if mixer.output_gate else False
    return proj.matrix("out", width, build.hidden, needs=x or gate or build.policy.weights)
