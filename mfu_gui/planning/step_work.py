"""What one sequence of a model costs to execute: the input of the step-time model.

FLOPs come from the ledger through the conventions that count what a kernel does: visible pairs for a
flash kernel (and QKᵀ once more in its backward pass), all S×S pairs for an unfused one.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from msgspec.structs import replace

from mfu_gui.engine.axes import axes_of, padded_axes
from mfu_gui.engine.conventions import chosen
from mfu_gui.engine.conventions.reading import Known, Row, compile_reading, units2_of
from mfu_gui.engine.ledger import ledger
from mfu_gui.engine.model import MLA, Attention, Dense, Layer, ModelSpec, MoE, Stack
from mfu_gui.engine.recompute import repeats, share_of
from mfu_gui.engine.run import Recompute, RunSpec
from mfu_gui.engine.scenario import ConventionChoice
from mfu_gui.engine.terms import units2
from mfu_gui.planning.communication import Array
from mfu_gui.planning.step_core import StepWork

CORE = frozenset({"attention_qk", "attention_av", "attention_sdpa", "attention_indexer", "ssm_core",
                  "linear_attention_core", "recurrent_core"})
"""Components that are products without weights."""
BY_SIZE = {"linear": "parameters_term", "core": "attention_term"}
"""Components of conventions that know a parameter count only, and what they stand for."""
NORM_BYTES = 22.0
"""Traffic of norms, residuals and dropout of one layer: bytes per hidden value."""
PLAIN_BYTES, GATED_BYTES = 4.0, 10.0
"""Traffic of an MLP's activation function: bytes per value of its width."""
PERMUTE_BYTES = 8.0
"""Traffic of sorting tokens by expert and back: bytes per hidden value of each routed copy."""
SCORE_BYTES = 12.0
"""Traffic of an unfused attention: bytes per score."""


def kernel_of(run: RunSpec) -> str:
    """The attention kernel; flash where the run does not say."""
    return run.attention_kernel or "flash"


def _rows(model: ModelSpec, run: RunSpec) -> tuple[Row, ...]:
    counting = "matmul-full" if kernel_of(run) == "unfused" else "matmul-causal"
    return compile_reading(chosen(ConventionChoice(id=counting)), model, run.multi_token_prediction, False,
                           run.trainable)


@lru_cache(maxsize=64)
def step_work(model: ModelSpec, run: RunSpec) -> StepWork:
    """The work of one sequence of ``run``; the layout, the batch and recomputation do not matter."""
    axes, known = axes_of(model, run), Known()
    padding = padded_axes(model, run)
    sums = dict.fromkeys(("linear", "routed", "core", "ends"), (0.0, 0.0))
    for row in _rows(model, run):
        units = units2_of(row, axes, known) / 2
        if padding is not None:
            units += units2_of(row, padding, Known()) / 2
        kind = _kind(row)
        again = float(row.forward) if row.source == "attention_qk" and kernel_of(run) == "flash" else 0.0
        forward, backward = sums[kind]
        sums[kind] = (forward + float(row.forward) * units, backward + (float(row.backward) + again) * units)
    (linear_f, linear_b), (routed_f, routed_b), (core_f, core_b), (ends_f, ends_b) = (
        sums[kind] for kind in ("linear", "routed", "core", "ends"))
    counted = ledger(model, 0, False, run.trainable)
    components = counted.parameters.components
    main, length = model.main, float(run.sequence_length)
    traffic = _traffic(model, run)
    experts = float(components.get("experts", 0))
    first = float(sum(components.get(name, 0) for name in ("token_embedding", "position_embedding")))
    last = float(components.get("lm_head", 0))
    positions = length if main.axis != "decoder" else float(run.decoder_sequence_length or length)
    return StepWork(
        linear_forward=linear_f, linear_backward=linear_b, routed_forward=routed_f, routed_backward=routed_b,
        core_forward=core_f, core_backward=core_b, ends_forward=ends_f, ends_backward=ends_b,
        whole_bytes=traffic[0], split_bytes=traffic[1], core_bytes=traffic[2],
        logits=positions * model.vocabulary if model.head is not None else 0.0, layers=main.layer_count(),
        boundary_bytes=2.0 * positions * main.hidden_size, sublayers=int(traffic[3]),
        expert_sublayers=int(traffic[4]), dispatch_bytes=traffic[5], key_bytes=traffic[6], query_bytes=traffic[7],
        layer_parameters=counted.parameters.total - experts - first - last, expert_parameters=experts,
        first_parameters=first, last_parameters=last if last else first if main.layer_count() else 0.0,
        trained=min(1.0, counted.trained / counted.parameters.total))


def _kind(row: Row) -> str:
    if not row.in_layer:
        return "ends"
    if row.source in CORE:
        return "core"
    return "routed" if row.source == "experts" else "linear"


def recomputed_shares(model: ModelSpec, run: RunSpec) -> tuple[float, float]:
    """(share of the layers' products that runs again, share of the attention core that does)."""
    shares = repeats(run)
    if not shares:
        return 0.0, 0.0
    axes, known = axes_of(model, run), Known()
    sums = {"linear": [0.0, 0.0], "core": [0.0, 0.0]}
    for row in _rows(model, run):
        kind = _kind(row)
        if kind == "ends":
            continue
        of_layers = "core" if kind == "core" else "linear"
        amount = float(row.forward) * units2_of(row, axes, known)
        sums[of_layers][0] += amount
        sums[of_layers][1] += amount * _share_again(row, shares, of_layers)
    layers = _layers_again(model, run)
    linear, core = ((again / all_of * layers if all_of else 0.0) for all_of, again in sums.values())
    return linear, core


def executed_by_length(model: ModelSpec, run: RunSpec, lengths: Array) -> Array:
    """FLOPs that the devices execute for one sequence of each of ``lengths``, recomputation included.

    As ``step_time.executed_flops`` of ``step_work``, for many lengths at once and sequences without padding.
    """
    changed: Any = {"sequence_length": lengths}
    axes, shares, layers = axes_of(model, replace(run, **changed)), repeats(run), _layers_again(model, run)
    total = np.zeros(lengths.shape)
    for row in _rows(model, run):
        kind = _kind(row)
        units = np.asarray(units2(row.measure, axes, row.counting, np.minimum), dtype=np.float64) / 2
        again = 0.0 if kind == "ends" else _share_again(row, shares, "core" if kind == "core" else "linear") * layers
        again += row.source == "attention_qk" and kernel_of(run) == "flash"
        total = total + (float(row.forward) * (1.0 + again) + float(row.backward)) * units
    return total


def _share_again(row: Row, shares: dict[str, Fraction], of_layers: str) -> float:
    return float(share_of(row, shares) or shares.get(BY_SIZE[of_layers], 0))


def _layers_again(model: ModelSpec, run: RunSpec) -> float:
    """The share of all layers that recomputation is limited to."""
    if isinstance(run.recompute, Recompute) and run.recompute.layers is not None:
        return min(1.0, run.recompute.layers / max(model.main.layer_count(), 1))
    return 1.0


def _traffic(model: ModelSpec, run: RunSpec) -> list[float]:
    """(whole, split, core) bytes of a forward pass, blocks, expert blocks, (dispatched, key, query) bytes."""
    sums = [0.0] * 8
    for stack in model.stacks:
        length = float(run.sequence_length)
        if stack.axis == "decoder":
            length = float(run.decoder_sequence_length or run.sequence_length)
        elif stack.name == "vision":
            continue  # towers are small beside the language model; a floor may leave them out
        kinds = {kind.name: kind for kind in stack.kinds}
        for name, count in stack.order:
            for index, value in enumerate(_layer(kinds[name], stack, length, kernel_of(run) == "unfused")):
                sums[index] += count * value
    return sums


def _layer(layer: Layer, stack: Stack, length: float, unfused: bool) -> list[float]:
    h, sums = float(stack.hidden_size), [0.0] * 8
    sums[0] = NORM_BYTES * length * h
    shared = layer.shared
    mixers = (*layer.mixers, *(shared.mixers if shared is not None else ()))
    ffns = (*layer.ffns, *(shared.ffns if shared is not None else ()))
    sums[3] += bool(mixers)
    for mixer in mixers:
        if isinstance(mixer, Attention):
            value = mixer.value_dim or mixer.head_dim
            sums[6] += 2.0 * length * mixer.kv_heads * (mixer.head_dim + value)
            sums[7] += 2.0 * length * mixer.heads * value
        elif isinstance(mixer, MLA):
            sums[6] += 2.0 * length * mixer.heads * (mixer.qk_nope_head_dim + mixer.qk_rope_head_dim + mixer.value_dim)
            sums[7] += 2.0 * length * mixer.heads * mixer.value_dim
        if unfused and isinstance(mixer, (Attention, MLA)):
            sums[2] += SCORE_BYTES * mixer.heads * length * length
    dense = [ffn for ffn in ffns if isinstance(ffn, Dense)]
    moes = [ffn for ffn in ffns if isinstance(ffn, MoE)]
    sums[3] += bool(dense) and not moes
    sums[4] += bool(moes)
    for ffn in dense:
        sums[1] += (GATED_BYTES if ffn.matrices == 3 else PLAIN_BYTES) * ffn.width * length
    for moe in moes:
        each = GATED_BYTES if moe.matrices == 3 else PLAIN_BYTES
        routed = moe.top_k * length
        width = float(moe.latent_width or h)
        sums[1] += each * (moe.width * routed + moe.shared_width * length) + PERMUTE_BYTES * routed * width
        sums[5] += 2.0 * routed * width
    return sums
