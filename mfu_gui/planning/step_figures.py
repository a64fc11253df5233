"""The components of a step as figures: name, formula, and the numbers that filled it."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from mfu_gui.engine.errors import Values
from mfu_gui.engine.fields import N_
from mfu_gui.planning.communication import group_bandwidth
from mfu_gui.planning.formula import TERA, Basis, Figure
from mfu_gui.planning.step_core import Choices, Grid, Machine, StepSeconds, StepWork

GIGA = 1e9


class Component(msgspec.Struct, frozen=True):
    """One component: its key (``<key>_s`` in StepSeconds), formula id, name and formula in words."""

    key: str
    formula: str
    label: str
    expression: str
    numbers: Callable[[StepWork, Machine, Grid, Choices], Values]


def _tflops(value: float) -> float:
    return value / TERA


def _matmul(work: StepWork, machine: Machine, grid: Grid, choices: Choices) -> Values:
    return {"micro_batches": grid.micro_batches, "micro_batch": grid.micro_batch, "tensor": grid.tensor,
            "context": grid.context, "busiest": grid.busiest, "recomputed": grid.linear_again,
            "forward_tflop": _tflops(work.linear_forward + work.routed_forward),
            "backward_tflop": _tflops(work.linear_backward + work.routed_backward),
            "head_tflop": _tflops(work.ends_forward + work.ends_backward),
            "tflops": _tflops(machine.matmul_flops), "expert_tflops": _tflops(machine.expert_flops)}


def _attention(work: StepWork, machine: Machine, grid: Grid, choices: Choices) -> Values:
    return {"micro_batches": grid.micro_batches, "micro_batch": grid.micro_batch, "tensor": grid.tensor,
            "context": grid.context, "busiest": grid.busiest, "recomputed": grid.core_again,
            "forward_tflop": _tflops(work.core_forward), "backward_tflop": _tflops(work.core_backward),
            "tflops": _tflops(machine.attention_flops)}


def _elementwise(work: StepWork, machine: Machine, grid: Grid, choices: Choices) -> Values:
    return {"micro_batches": grid.micro_batches, "micro_batch": grid.micro_batch, "tensor": grid.tensor,
            "context": grid.context, "busiest": grid.busiest, "norms_gb": work.whole_bytes / GIGA,
            "mlp_gb": work.split_bytes / GIGA, "scores_gb": work.core_bytes / GIGA, "logits": work.logits,
            "gb_s": machine.memory_bandwidth / GIGA, "layer_s": machine.layer_s}


def _tensor(work: StepWork, machine: Machine, grid: Grid, choices: Choices) -> Values:
    bandwidth = float(group_bandwidth(grid.tensor, 1.0, machine.node, machine.scale_up, machine.scale_out))
    return {"tensor": grid.tensor, "blocks": work.sublayers, "micro_batches": grid.micro_batches,
            "activation_gb": work.boundary_bytes * grid.micro_batch / grid.context / GIGA, "busiest": grid.busiest,
            "recomputed": grid.linear_again, "gb_s": bandwidth / GIGA, "hidden": choices.tensor_hidden}


def _context(work: StepWork, machine: Machine, grid: Grid, choices: Choices) -> Values:
    bandwidth = float(group_bandwidth(grid.context, grid.tensor, machine.node, machine.scale_up, machine.scale_out))
    return {"context": grid.context, "keys_gb": work.key_bytes / GIGA, "queries_gb": work.query_bytes / GIGA,
            "micro_batches": grid.micro_batches, "busiest": grid.busiest, "gb_s": bandwidth / GIGA}


def _expert(work: StepWork, machine: Machine, grid: Grid, choices: Choices) -> Values:
    return {"expert": grid.expert, "tokens_gb": work.dispatch_bytes / GIGA, "micro_batches": grid.micro_batches,
            "micro_batch": grid.micro_batch, "tensor": grid.tensor, "context": grid.context, "busiest": grid.busiest,
            "imbalance": choices.expert_imbalance, "scale_up_gb_s": machine.scale_up / GIGA,
            "scale_out_gb_s": machine.scale_out / GIGA, "hidden": choices.expert_hidden}


def _bubble(work: StepWork, machine: Machine, grid: Grid, choices: Choices) -> Values:
    return {"pipeline": grid.pipeline, "virtual": grid.virtual, "micro_batches": grid.micro_batches,
            "busiest": grid.busiest, "schedule": choices.schedule}


def _pipeline(work: StepWork, machine: Machine, grid: Grid, choices: Choices) -> Values:
    return {"pipeline": grid.pipeline, "virtual": grid.virtual, "micro_batches": grid.micro_batches,
            "activation_gb": work.boundary_bytes * grid.micro_batch / (grid.tensor * grid.context) / GIGA,
            "scale_up_gb_s": machine.scale_up / GIGA, "scale_out_gb_s": machine.scale_out / GIGA}


def _data(work: StepWork, machine: Machine, grid: Grid, choices: Choices) -> Values:
    members = grid.data * grid.context
    bandwidth = float(group_bandwidth(members, grid.tensor, machine.node, machine.scale_up, machine.scale_out))
    return {"replicas": members, "expert_replicas": grid.expert_data, "gradient_bytes": choices.gradient_bytes,
            "parameters": work.layer_parameters, "expert_parameters": work.expert_parameters,
            "tensor": grid.tensor, "busiest": grid.busiest, "gb_s": bandwidth / GIGA, "trained": work.trained,
            "gathered": bool(grid.gathered), "overlap": choices.data_hidden}


def _optimizer(work: StepWork, machine: Machine, grid: Grid, choices: Choices) -> Values:
    return {"parameters": work.layer_parameters + work.expert_parameters, "trained": work.trained,
            "tensor": grid.tensor, "busiest": grid.busiest, "shards": grid.shards if grid.sharded_states else 1,
            "gb_s": machine.memory_bandwidth / GIGA}


def _loading(work: StepWork, machine: Machine, grid: Grid, choices: Choices) -> Values:
    return {"loading_s": choices.loading_s}


COMPONENTS: tuple[Component, ...] = (
    Component("matmul", "S1.matmul", N_("Matrix products"),
              N_("m·b·(FLOPs of layers × fullest stage + head) ÷ (t·c) ÷ reached FLOP/s"), _matmul),
    Component("attention", "S2.attention", N_("Attention core"),
              N_("m·b·(scores and values, forward and backward) ÷ (t·c) ÷ reached FLOP/s"), _attention),
    Component("elementwise", "S3.elementwise", N_("Norms, activations, softmax"),
              N_("m·b·traffic ÷ reached memory bandwidth + fixed time of each layer"), _elementwise),
    Component("tensor", "S4.tensor", N_("Tensor-parallel communication"),
              N_("m × blocks × 2 × all-reduce of 2·b·s·h bytes, once more when recomputed"), _tensor),
    Component("context", "S5.context", N_("Context-parallel communication"),
              N_("ring: keys and values (c−1) hops, less the attention beside them; or all-to-all of heads"), _context),
    Component("expert", "S6.expert", N_("Expert-parallel communication"),
              N_("m × (dispatch + combine) × 2 passes, slower of node link and network"), _expert),
    Component("bubble", "S7.bubble", N_("Pipeline bubble"),
              N_("(1 − fullest stage) ÷ v × time of one micro-batch through all layers"), _bubble),
    Component("pipeline", "S8.pipeline", N_("Sends between stages"),
              N_("2·(m·v + p − 1) × (2·b·s·h ÷ (t·c) ÷ bandwidth)"), _pipeline),
    Component("data", "S9.data", N_("Gradients between replicas"),
              N_("all-reduce of the gradients; sharded: what 3 gathers a micro-batch take beyond the products"), _data),
    Component("optimizer", "S10.optimizer", N_("Optimizer"),
              N_("28 bytes × owned parameters ÷ reached memory bandwidth"), _optimizer),
    Component("loading", "S11.loading", N_("Waiting for data"),
              N_("preparing the data − the step, where that is longer"), _loading),
)
"""In the order of a step."""


def component_figures(work: StepWork, machine: Machine, grid: Grid, choices: Choices, seconds: StepSeconds,
                      basis: Basis) -> tuple[Figure, ...]:
    """One figure in seconds for every component."""
    return tuple(
        Figure(key=part.key, label=part.label, value=float(getattr(seconds, f"{part.key}_s")), unit="s",
               basis="exact" if part.key == "loading" else basis, formula=part.formula, expression=part.expression,
               numbers=part.numbers(work, machine, grid, choices))
        for part in COMPONENTS)
