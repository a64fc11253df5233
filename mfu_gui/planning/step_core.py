"""The step-time model on plain numbers: work × layout × machine -> seconds by component.

One device's time line of one optimizer step, as a floor: everything that is counted must happen, what is
not counted (stragglers, launches, host work) comes on top.  All of a ``Grid`` may be arrays of one length,
so that thousands of layouts are one call; scalars give scalars.

Sources: Narayanan et al. 2021, arXiv 2104.04473 (tensor parallelism, pipeline, ring of the gradients);
Korthikanti et al. 2022, arXiv 2205.05198 (sequence parallelism, recomputation); Zhao et al. 2023,
arXiv 2304.11277 (FSDP); Liu et al. 2023, arXiv 2310.01889 (ring attention); Jacobs et al. 2023,
arXiv 2309.14509 (all-to-all attention).
"""

from __future__ import annotations

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from mfu_gui.planning.communication import Array, Real, all_to_all_seconds, group_bandwidth, ring_seconds
from mfu_gui.planning.schedules import bubble_seconds
from mfu_gui.planning.spec import Schedule

Flags = bool | npt.NDArray[np.bool_]
LOGIT_BYTES = 24.0
"""Traffic of one logit in a step: written, read and normalized in fp32, and its gradient."""
OPTIMIZER_BYTES = 28.0
"""Traffic of one parameter in an Adam step: master, two moments and gradient in fp32, read and written."""


class StepWork(msgspec.Struct, frozen=True, kw_only=True):
    """What one sequence costs, summed over the whole model and not yet divided over devices.

    FLOPs as executed, in floats: ``linear`` dense matrices of layers, ``routed`` experts, ``core`` attention
    scores and values and other products without weights, ``ends`` what is outside layers (head, towers).
    ``*_bytes`` is traffic of memory in a forward pass: ``whole_bytes`` is divided by tensor parallelism
    only with sequence parallelism, ``split_bytes`` and ``core_bytes`` always.
    """

    linear_forward: float
    linear_backward: float
    routed_forward: float
    routed_backward: float
    core_forward: float
    core_backward: float
    ends_forward: float
    ends_backward: float
    whole_bytes: float
    split_bytes: float
    core_bytes: float
    logits: float
    layers: int
    boundary_bytes: float
    """Activations between two layers, of one sequence."""
    sublayers: int
    """Blocks that end in a collective of tensor parallelism: mixers and dense MLPs."""
    expert_sublayers: int
    dispatch_bytes: float
    """Tokens sent to routed experts in one direction, over all layers."""
    key_bytes: float
    """Keys and values of all layers."""
    query_bytes: float
    """Queries of all layers; the heads' outputs are as large."""
    layer_parameters: float
    expert_parameters: float
    first_parameters: float
    last_parameters: float
    trained: float
    """Share of the parameters that is trained."""


class Machine(msgspec.Struct, frozen=True, kw_only=True):
    """What one device reaches: FLOP/s and B/s with their efficiencies already applied.

    ``node`` is how many devices share the scale-up link.  A bandwidth that is not known is infinite.
    """

    matmul_flops: float
    expert_flops: float
    attention_flops: float
    memory_bandwidth: float
    scale_up: float
    scale_out: float
    node: float
    latency_s: float = 0.0
    """Of one hop of a collective."""
    layer_s: float = 0.0
    """Of one layer in one pass, whatever its size: launches and kernels too small to fill the device."""


class Grid(msgspec.Struct, frozen=True, kw_only=True):
    """One layout, or an array of layouts in each field.

    ``data`` replicas of the dense part; ``busiest`` share of all layers on the fullest stage;
    ``linear_again`` and ``core_again`` the share of forward work that recomputation repeats.
    ``gathered`` is true where parameters are sharded (ZeRO stage 3), ``sharded_states`` from stage 1 on.
    """

    tensor: Real = 1.0
    pipeline: Real = 1.0
    virtual: Real = 1.0
    context: Real = 1.0
    expert: Real = 1.0
    expert_tensor: Real = 1.0
    data: Real = 1.0
    expert_data: Real = 1.0
    shards: Real = 1.0
    expert_shards: Real = 1.0
    sharded_states: Real | Flags = False
    gathered: Real | Flags = False
    sequence_parallel: Real | Flags = False
    micro_batch: Real = 1.0
    micro_batches: Real = 1.0
    busiest: Real = 1.0
    linear_again: Real = 0.0
    core_again: Real = 0.0


class Choices(msgspec.Struct, frozen=True, kw_only=True):
    """What is the same for all layouts of a call."""

    schedule: Schedule = "1f1b"
    context_all_to_all: bool = False
    tensor_hidden: float = 0.0
    """Share of the tensor-parallel collectives that runs beside matrix products."""
    expert_hidden: float = 0.0
    data_hidden: bool = False
    """Whether the gradients' collective runs beside the last backward pass."""
    gradient_bytes: float = 2.0
    parameter_bytes: float = 2.0
    expert_imbalance: float = 1.0
    loading_s: float = 0.0
    """Time in which the data of one step are prepared, beside the step before."""


class StepSeconds(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds of one step on the busiest device, by component; ``total_s`` is their sum."""

    matmul_s: Real
    attention_s: Real
    elementwise_s: Real
    tensor_s: Real
    context_s: Real
    expert_s: Real
    bubble_s: Real
    pipeline_s: Real
    data_s: Real
    optimizer_s: Real
    loading_s: Real

    @property
    def total_s(self) -> Array:
        """The step."""
        return np.asarray(sum(getattr(self, name) for name in self.__struct_fields__), dtype=np.float64)


class _Passes(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds of one micro-batch through all layers, forward and backward (with what is repeated)."""

    forward: Real
    backward: Real

    @property
    def both(self) -> Real:
        """Forward and backward."""
        return self.forward + self.backward


def step_seconds(work: StepWork, machine: Machine, grid: Grid, choices: Choices | None = None) -> StepSeconds:
    """Seconds of one step for every layout of ``grid``."""
    choices = choices or Choices()
    matmul, weight_part = _matmul(work, machine, grid, choices)
    attention = _attention(work, machine, grid)
    elementwise = _elementwise(work, machine, grid)
    tensor = _tensor(work, machine, grid, choices)
    context = _context(work, machine, grid, choices, attention)
    expert = _expert(work, machine, grid, choices)
    layers = (matmul, attention, elementwise, tensor, context, expert)
    forward, backward = sum(part.forward for part in layers), sum(part.backward for part in layers)
    times = grid.micro_batches * grid.busiest
    ends_matmul, ends_elementwise = _ends(work, machine, grid)
    compute = grid.micro_batches * (grid.busiest * (forward + backward) + ends_matmul + ends_elementwise)
    busy = StepSeconds(
        matmul_s=times * matmul.both + grid.micro_batches * ends_matmul,
        attention_s=times * attention.both,
        elementwise_s=times * elementwise.both + grid.micro_batches * ends_elementwise,
        tensor_s=times * tensor.both, context_s=times * context.both, expert_s=times * expert.both,
        bubble_s=_bubble(grid, choices.schedule, forward, backward, weight_part),
        pipeline_s=_pipeline(work, machine, grid),
        data_s=_data(work, machine, grid, choices, compute, grid.busiest * backward),
        optimizer_s=_optimizer(work, machine, grid), loading_s=0.0 * compute)
    # The next step's data are prepared beside this one; only what takes longer is waited for.
    return replace(busy, loading_s=np.maximum(choices.loading_s - busy.total_s, 0.0))


def _share(grid: Grid) -> Real:
    """The part of one sequence-batch that a device works on: micro-batch ÷ (tensor × context)."""
    return grid.micro_batch / (grid.tensor * grid.context)


def _matmul(work: StepWork, machine: Machine, grid: Grid, choices: Choices) -> tuple[_Passes, Real]:
    """(passes, seconds of the weight gradients alone)."""
    share = _share(grid)
    routed = choices.expert_imbalance / machine.expert_flops
    forward = share * (work.linear_forward / machine.matmul_flops + work.routed_forward * routed)
    backward = share * (work.linear_backward / machine.matmul_flops + work.routed_backward * routed)
    return _Passes(forward=forward, backward=backward + grid.linear_again * forward), np.minimum(forward, backward)


def _attention(work: StepWork, machine: Machine, grid: Grid) -> _Passes:
    forward = _share(grid) * work.core_forward / machine.attention_flops
    backward = _share(grid) * work.core_backward / machine.attention_flops
    return _Passes(forward=forward, backward=backward + grid.core_again * forward)


def _elementwise(work: StepWork, machine: Machine, grid: Grid) -> _Passes:
    whole_over = np.where(np.asarray(grid.sequence_parallel, dtype=bool), grid.tensor, 1.0)
    layers = grid.micro_batch / grid.context * (work.whole_bytes / whole_over + work.split_bytes / grid.tensor)
    core = _share(grid) * work.core_bytes
    forward = (layers + core) / machine.memory_bandwidth
    again = (grid.linear_again * layers + grid.core_again * core) / machine.memory_bandwidth
    fixed = machine.layer_s * work.layers
    return _Passes(forward=forward + fixed, backward=2.0 * forward + again + fixed * (1.0 + grid.linear_again))


def _ends(work: StepWork, machine: Machine, grid: Grid) -> tuple[Real, Real]:
    """(products, traffic) of one micro-batch outside layers."""
    share = _share(grid)
    return (share * (work.ends_forward + work.ends_backward) / machine.matmul_flops,
            share * LOGIT_BYTES * work.logits / machine.memory_bandwidth)


def _tensor(work: StepWork, machine: Machine, grid: Grid, choices: Choices) -> _Passes:
    """An all-reduce (or all-gather and reduce-scatter, as much) after each block, and again backward."""
    bandwidth = group_bandwidth(grid.tensor, 1.0, machine.node, machine.scale_up, machine.scale_out)
    size = grid.micro_batch * work.boundary_bytes / grid.context
    inside_experts = np.where(np.asarray(grid.expert_tensor) > 1, work.expert_sublayers, 0)
    blocks = work.sublayers + inside_experts
    each = ring_seconds(grid.tensor, size, bandwidth, machine.latency_s, "ar") * (1.0 - choices.tensor_hidden)
    return _Passes(forward=blocks * each, backward=blocks * each * (1.0 + grid.linear_again))


def _context(work: StepWork, machine: Machine, grid: Grid, choices: Choices, attention: _Passes) -> _Passes:
    """Keys and values once around the ring, beside the products, or all-to-alls of heads before them."""
    share = _share(grid)
    stride = grid.tensor
    if choices.context_all_to_all:
        size = share * 2.0 * (work.query_bytes + work.key_bytes / 2.0)
        once = all_to_all_seconds(grid.context, stride, size, machine.node, machine.scale_up, machine.scale_out,
                                  machine.latency_s, machine.latency_s)
        return _Passes(forward=once, backward=once * (1.0 + grid.linear_again))
    bandwidth = group_bandwidth(grid.context, stride, machine.node, machine.scale_up, machine.scale_out)
    hops = (grid.context - 1.0) * (share * work.key_bytes / bandwidth + machine.latency_s * work.layers)
    return _Passes(forward=np.maximum(hops - attention.forward, 0.0),
                   backward=np.maximum((2.0 + grid.core_again) * hops - attention.backward, 0.0))


def _expert(work: StepWork, machine: Machine, grid: Grid, choices: Choices) -> _Passes:
    """Tokens to their experts and back, in both passes."""
    size = _share(grid) * work.dispatch_bytes * choices.expert_imbalance
    once = 2.0 * all_to_all_seconds(grid.expert, grid.expert_tensor, size, machine.node, machine.scale_up,
                                    machine.scale_out, machine.latency_s, machine.latency_s)
    once = once * (1.0 - choices.expert_hidden)
    return _Passes(forward=once, backward=once * (1.0 + grid.linear_again))


def _bubble(grid: Grid, schedule: Schedule, forward: Real, backward: Real, weight_part: Real) -> Real:
    """Waiting for the first and last micro-batch: the other stages' time, divided by interleaving."""
    if schedule in ("1f1b", "interleaved", "gpipe"):
        return (1.0 - grid.busiest) / grid.virtual * (forward + backward)
    waiting = bubble_seconds(schedule, grid.pipeline, grid.busiest * forward, grid.busiest * backward,
                             grid.busiest * weight_part, grid.virtual)
    return np.where(np.asarray(grid.pipeline) > 1, waiting, 0.0)


def _pipeline(work: StepWork, machine: Machine, grid: Grid) -> Real:
    """Sends between stages: each micro-batch and virtual stage in both directions."""
    stride = grid.tensor * grid.context * grid.data
    bandwidth = np.where(stride * grid.pipeline <= machine.node, machine.scale_up, machine.scale_out)
    size = _share(grid) * work.boundary_bytes
    sends = 2.0 * (grid.micro_batches * grid.virtual + grid.pipeline - 1.0)
    return np.where(np.asarray(grid.pipeline) > 1, sends * (size / bandwidth + machine.latency_s), 0.0)


def _local_parameters(work: StepWork, grid: Grid) -> tuple[Real, Real]:
    """(dense, routed) parameters that the fullest device computes with, before sharding by ZeRO."""
    ends = np.where(np.asarray(grid.pipeline) > 1, max(work.first_parameters, work.last_parameters),
                    work.first_parameters + work.last_parameters)
    dense = (work.layer_parameters * grid.busiest + ends) / grid.tensor
    routed = work.expert_parameters * grid.busiest / (grid.expert_tensor * grid.expert)
    return dense, routed


def _data(work: StepWork, machine: Machine, grid: Grid, choices: Choices, compute: Real, last: Real) -> Real:
    """Gradients between replicas once a step; with sharded parameters their gathering in every micro-batch."""
    dense, routed = _local_parameters(work, grid)
    groups = ((dense, grid.data * grid.context, grid.tensor), (routed, grid.expert_data,
                                                               grid.expert_tensor * grid.expert))
    reduce: Real = 0.0
    gather: Real = 0.0
    for parameters, members, stride in groups:
        bandwidth = group_bandwidth(members, stride, machine.node, machine.scale_up, machine.scale_out)
        size = work.trained * choices.gradient_bytes * parameters
        reduce = reduce + ring_seconds(members, size, bandwidth, machine.latency_s, "ar")
        gather = gather + ring_seconds(members, choices.parameter_bytes * parameters, bandwidth, machine.latency_s,
                                       "ag")
    once = np.maximum(reduce - last, 0.0) if choices.data_hidden else reduce
    # Two gathers of the parameters and one reduction of the gradients in every micro-batch run beside the
    # products; the first layer's gather has nothing to hide behind.
    sharded = np.maximum(3.0 * grid.micro_batches * gather - compute, 0.0) + gather / max(work.layers, 1)
    return np.where(np.asarray(grid.gathered, dtype=bool), sharded, once)


def _optimizer(work: StepWork, machine: Machine, grid: Grid) -> Real:
    dense, routed = _local_parameters(work, grid)
    states = np.asarray(grid.sharded_states, dtype=bool)
    owned = dense / np.where(states, grid.shards, 1.0) + routed / np.where(states, grid.expert_shards, 1.0)
    return OPTIMIZER_BYTES * work.trained * owned / machine.memory_bandwidth
