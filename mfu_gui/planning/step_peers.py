"""What another predictor says a step takes, so that its figure can stand beside ours.

calculon (Isaev et al. 2023, "Calculon: a methodology and tool for high-level co-design of systems and large
language models") as its program of February 2024 counts: every operation of a block takes the time of its
arithmetic plus that of its memory traffic, each at an efficiency that depends on its size, on an A100
system of eight devices a node.  The language-model head is not in it.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.fields import N_
from mfu_gui.planning.formula import formula

Steps = tuple[tuple[float, float], ...]
"""(from this size on, efficiency), largest first."""
MATRIX_PEAK, VECTOR_PEAK, MEMORY_PEAK = 312e12, 78e12, 2048e9
MATRIX: Steps = ((128e9, 0.95), (16e9, 0.9), (1e9, 0.6), (0, 0.1))
VECTOR: Steps = ((16e9, 0.95), (1e9, 0.5), (0, 0.1))
MEMORY: Steps = ((100e6, 0.90), (10e6, 0.75), (1e6, 0.6), (0, 0.3))
WORD = 2
"""Bytes of a value."""
ADAM_FLOPS, ADAM_BYTES = 11, 12


class Link(msgspec.Struct, frozen=True, kw_only=True):
    """A network tier: B/s, efficiency, seconds a call, and (factor, correction by members) of a collective."""

    bandwidth: float
    efficiency: float
    latency_s: float
    all_reduce: tuple[float, float]
    gather: tuple[float, float]

    def seconds(self, size: float, members: int, rule: tuple[float, float] = (1.0, 0.0)) -> float:
        """Time of one call on ``size`` bytes."""
        factor, offset = rule
        return self.latency_s + size * factor * (1.0 + offset / members) / (self.bandwidth * self.efficiency)


NODE = Link(bandwidth=300e9, efficiency=0.65, latency_s=1e-5, all_reduce=(2.0, -1.0), gather=(1.5, -1.0))
NETWORK = Link(bandwidth=25e9, efficiency=0.9, latency_s=2e-5, all_reduce=(1.0, 0.0), gather=(1.0, 0.0))


class Operation(msgspec.Struct, frozen=True, kw_only=True):
    """FLOPs and bytes of one operation: forward, gradient of its input, gradient of its weights."""

    forward: tuple[float, float] = (0.0, 0.0)
    input_gradient: tuple[float, float] = (0.0, 0.0)
    weight_gradient: tuple[float, float] = (0.0, 0.0)
    matrix: bool = False
    weights: float = 0.0
    core: bool = False
    """Repeated when only the attention core is recomputed."""

    def seconds(self, part: tuple[float, float]) -> float:
        """Arithmetic and traffic, one after the other."""
        return _seconds(part[0], part[1], self.matrix)


def _at(steps: Steps, size: float) -> float:
    return next(efficiency for least, efficiency in steps if size >= least)


def _seconds(flops: float, size: float, matrix: bool = False) -> float:
    peak, steps = (MATRIX_PEAK, MATRIX) if matrix else (VECTOR_PEAK, VECTOR)
    return flops / (peak * _at(steps, flops)) + size / (MEMORY_PEAK * _at(MEMORY, size))


def _linear(rows: float, inputs: float, outputs: float) -> Operation:
    part = (2.0 * rows * inputs * outputs, WORD * (rows * inputs + rows * outputs + inputs * outputs))
    return Operation(forward=part, input_gradient=part, weight_gradient=part, matrix=True, weights=inputs * outputs)


def _batched(batch: float, rows: float, inner: float, columns: float, core: bool) -> Operation:
    flops, size = 2.0 * batch * rows * inner * columns, WORD * batch * (rows * inner + inner * columns + rows * columns)
    return Operation(forward=(flops, size), input_gradient=(2.0 * flops, size), matrix=True, core=core)


def _norm(values: float, hidden: float) -> Operation:
    size = WORD * (2.0 * values + 2.0 * hidden)
    return Operation(forward=(9.0 * values, size), input_gradient=(14.0 * values, size),
                     weight_gradient=(7.0 * values, size), weights=2.0 * hidden)


def _pointwise(values: float, forward: float, backward: float, size: float, core: bool = False) -> Operation:
    """``forward`` and ``backward`` FLOPs and ``size`` bytes of each value."""
    return Operation(forward=(forward * values, size * values), input_gradient=(backward * values, size * values),
                     core=core)


def _fork(values: float, users: int) -> Operation:
    return Operation(input_gradient=(users * values, WORD * (users + 1) * values))


class CalculonRun(msgspec.Struct, frozen=True, kw_only=True):
    """A GPT and its layout, in the papers' letters as ``step_time.component_model`` has them."""

    h: int
    L: int
    a: int
    n: int
    t: int
    p: int
    v: int
    B: int
    b: int
    s: int
    rc: str


def _block(run: CalculonRun, sequence_parallel: bool) -> Iterator[Operation]:
    h, t, positions, width = run.h, run.t, run.b * run.s, 4 * run.h
    values = positions * h
    shared = values // t if sequence_parallel else values
    scores = run.a // t * run.s**2 * run.b
    ends = (_pointwise(shared, 1, 1, 5), _pointwise(shared, 1, 2, 6))  # dropout, residual
    yield from (_fork(shared, 2), _norm(shared, h), _fork(values, 3))
    yield from (_linear(positions, h, h // t) for _ in range(3))
    yield _batched(run.b * run.a // t, run.s, h // run.a, run.s, True)
    yield from (_pointwise(scores, 5, 8, 4, True), _pointwise(scores, 1, 1, 5, True))  # softmax, dropout
    yield _batched(run.b * run.a // t, run.s, run.s, h // run.a, False)
    yield _linear(positions, h // t, h)
    yield from ends
    yield from (_fork(shared, 2), _norm(shared, h), _linear(positions, h, width // t))
    yield _pointwise(width * positions // t, 8, 13, 4)  # GELU
    yield _linear(positions, width // t, h)
    yield from ends


def _tensor_seconds(run: CalculonRun, sequence_parallel: bool) -> tuple[float, float, float]:
    """(forward, backward, repeated) communication of one block over tensor parallelism."""
    if run.t == 1:
        return 0.0, 0.0, 0.0
    values = float(run.b * run.s * run.h)
    rule = NODE.gather if sequence_parallel else NODE.all_reduce
    call = NODE.seconds(WORD * values, run.t, rule)
    reducing = _seconds(values * (run.t - 1) / run.t, 2 * WORD * values)
    if not sequence_parallel:
        each = 2.0 * (call + reducing)
        return each, each, 2.0 * call if run.rc == "full" else 0.0
    each = 2.0 * (call + reducing) + 2.0 * (call + _seconds(0.0, 2 * WORD * values))
    return each, each, {"full": 4.0, "sel": 2.0}.get(run.rc, 0.0) * call


@formula("T3.calculon", expression=N_("m·(blocks ÷ p) + bubble + sends + gradients + optimizer, by operation"),
         unit="s", source="calculon, commit caa4b11, with its system a100_80g",
         accuracy=N_("On published A100 steps 3.7% to 10% off on average, 30% for MT-NLG."))
def calculon_step_s(h: int, L: int, a: int, n: int, t: int, p: int, v: int, B: int, b: int, s: int,  # noqa: N803
                    rc: str) -> float:
    """Seconds of one step as calculon predicts them; ``rc`` is full, sel (sequence parallel) or none.

    InputError ``unknown_choice`` for another ``rc``.
    """
    if rc not in ("full", "sel", "none"):
        raise InputError("unknown_choice", "run.recompute", value=rc, allowed="full, sel, none")
    return _step(CalculonRun(h=h, L=L, a=a, n=n, t=t, p=p, v=v, B=B, b=b, s=s, rc=rc))


def _step(run: CalculonRun) -> float:
    sequence_parallel = run.rc == "sel" and run.t > 1
    operations = tuple(_block(run, sequence_parallel))
    replicas = run.n // (run.t * run.p)
    batches = run.B // (replicas * run.b)
    blocks = -(-run.L // run.p)
    forward = sum(op.seconds(op.forward) for op in operations)
    backward = sum(op.seconds(op.input_gradient) + op.seconds(op.weight_gradient) for op in operations)
    again = sum(op.seconds(op.forward) for op in operations if run.rc == "full" or (run.rc == "sel" and op.core))
    tensor_forward, tensor_backward, tensor_again = _tensor_seconds(run, sequence_parallel)
    block = forward + tensor_forward + again + tensor_again + backward + tensor_backward
    sent = WORD * run.b * run.s * run.h / (run.t if sequence_parallel else 1)
    send = 2.0 * NETWORK.seconds(sent, 2) if run.p > 1 else 0.0
    chunk = blocks / run.v * block + send
    optimizer = sum(_seconds(ADAM_FLOPS * op.weights, ADAM_BYTES * op.weights) for op in operations if op.weights)
    weights = WORD * sum(op.weights for op in operations)
    gradients = NETWORK.seconds(weights, replicas, NETWORK.all_reduce) if replicas > 1 else 0.0
    bubble = (run.p - 1) * chunk
    if batches % run.p:
        bubble += (run.v - 1) * (run.p - batches % run.p) * chunk
    missing = run.p - run.L % run.p if run.L % run.p else 0
    bubble -= missing * (block + send / 2)
    return batches * run.v * chunk + bubble + blocks * (optimizer + gradients)
