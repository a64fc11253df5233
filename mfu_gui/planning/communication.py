"""Time and volume of collectives: the α–β model of a ring, and which link a group of devices gets.

A ring of k members moves (k−1)/k of a tensor for an all-gather, a reduce-scatter or an all-to-all, and
twice that for an all-reduce, in k−1 (2(k−1)) hops that cost a latency each (NCCL tests, PERFORMANCE.md).
All functions take numbers or arrays of numbers.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from mfu_gui.engine.errors import InputError, Notice
from mfu_gui.engine.fields import N_
from mfu_gui.planning.formula import formula

Array = npt.NDArray[np.float64]
Real = float | Array
Collective = Literal["ar", "ag", "rs", "a2a", "bc", "p2p"]
"""All-reduce, all-gather, reduce-scatter, all-to-all, broadcast, one send."""
RING = "alpha-beta model of a ring; factors of the NCCL tests, PERFORMANCE.md"


def _small_message(n: Real, bytes: Real, busbw: Real, alpha: Real,  # noqa: A002
                   op: Collective) -> tuple[Notice, ...]:
    if np.all(np.asarray(alpha) > 0) and np.any(ring_seconds(n, bytes, busbw, 0.0, op) < latency_seconds(n, alpha, op)):
        return (Notice("message_of_latency", "", {"op": op}),)
    return ()


def _factors(op: Collective, members: Real) -> tuple[Real, Real]:
    """(share of the tensor that each member moves, hops)."""
    if op not in get_args(Collective):
        raise InputError("unknown_choice", "op", value=op, allowed=", ".join(get_args(Collective)))
    hops = members - 1.0
    share = hops / members
    if op == "ar":
        return 2.0 * share, 2.0 * hops
    if op == "bc":
        return np.where(hops > 0, 1.0, 0.0), hops
    return (1.0, 1.0) if op == "p2p" else (share, hops)


def ring_seconds(members: Real, size: Real, bandwidth: Real, latency_s: Real, op: Collective) -> Array:
    """Seconds of a collective over ``members`` on a tensor of ``size`` bytes (the whole one, not a shard)."""
    share, hops = _factors(op, members)
    return np.asarray(share * size / bandwidth + hops * latency_s, dtype=np.float64)


def latency_seconds(members: Real, latency_s: Real, op: Collective) -> Array:
    """What the hops of a collective cost, however small the tensor."""
    return np.asarray(_factors(op, members)[1] * latency_s, dtype=np.float64)


@formula("C1.ring", expression=N_("share of the tensor ÷ bus bandwidth + hops × latency"), unit="s", basis="model",
         source=RING, domain=_small_message,
         accuracy=N_("Large tensors on one kind of link; small ones are all latency."))
def collective_time_s(n: int, bytes: float, busbw: float, alpha: float,  # noqa: A002 - what is sent
                      op: Collective) -> float:
    """Seconds of a collective of ``n`` devices; ``busbw`` in B/s, ``alpha`` seconds a hop."""
    return float(ring_seconds(n, bytes, busbw, alpha, op))


@formula("C2.tp_layer_bytes", expression=N_("4 all-reduces × 2·(t−1)/t × b·s·h × bytes"), unit="bytes", basis="exact",
         source="Narayanan et al. 2021, arXiv 2104.04473, section 3.2")
def tensor_parallel_bytes(b: float, s: float, h: float, tp: float, bytes: float) -> float:  # noqa: A002
    """What one device sends for one transformer layer and micro-batch, forward and backward."""
    return 4.0 * 2.0 * (tp - 1.0) / tp * b * s * h * bytes


@formula("C3.ep_a2a_bytes", expression=N_("tokens × k × h × (dispatch + combine bytes) × (e−1)/e"), unit="bytes",
         basis="model", source="all-to-all of routed tokens, balanced experts",
         accuracy=N_("An upper bound: node-limited routing sends a token to each node once."))
def expert_parallel_bytes(tokens: float, topk: float, h: float, ep: float, dispatch_bytes: float,
                          combine_bytes: float) -> float:
    """What one device sends for one layer of experts in the forward pass."""
    return tokens * topk * h * (dispatch_bytes + combine_bytes) * (ep - 1.0) / ep


def members_in_node(members: Real, stride: Real, node: Real) -> Array:
    """Members of a group that share a node, when neighbours in the group are ``stride`` devices apart."""
    return np.asarray(np.clip(np.floor(node / stride), 1.0, members), dtype=np.float64)


def group_bandwidth(members: Real, stride: Real, node: Real, scale_up: Real, scale_out: Real) -> Array:
    """Bus bandwidth in B/s of a ring whose neighbours are ``stride`` devices apart.

    Inside a node it is that of the scale-up link.  Over nodes every member in a node brings its own
    network card: the ring runs at the smaller of scale-up bandwidth and members × ``scale_out``.  A
    data-parallel ring over nodes of eight devices so gets eight cards, one at tensor size 8 gets one.
    """
    inside = members_in_node(members, stride, node)
    across = np.minimum(scale_up, inside * scale_out)
    return np.asarray(np.where(inside >= members, scale_up, across), dtype=np.float64)


def all_to_all_seconds(members: Real, stride: Real, size: Real, node: Real, scale_up: Real, scale_out: Real,
                       up_latency_s: Real, out_latency_s: Real) -> Array:
    """Seconds in which each device sends ``size`` bytes, evenly, to all members of its group.

    What stays in the node takes the scale-up link, the rest the device's own network card; both run at
    the same time, so the slower one counts.
    """
    inside = members_in_node(members, stride, node)
    near = size * (inside - 1.0) / members / scale_up + (inside - 1.0) * up_latency_s
    far = size * (members - inside) / members / scale_out + np.where(members > inside, out_latency_s, 0.0)
    return np.asarray(np.maximum(near, far), dtype=np.float64)
