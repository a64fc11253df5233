"""From layouts to the grid of the step-time model: one run's, or arrays of sizes at once."""

from __future__ import annotations

import numpy as np

from mfu_gui.engine.model import ModelSpec
from mfu_gui.engine.run import RunSpec
from mfu_gui.planning.communication import Array, Real
from mfu_gui.planning.layout import Layout, layout_of
from mfu_gui.planning.spec import MemorySpec
from mfu_gui.planning.stages import layers_of_stages
from mfu_gui.planning.step_core import Flags, Grid
from mfu_gui.planning.step_work import recomputed_shares


def busiest_share(layers: int, layout: Layout, given: tuple[int, ...] | None = None) -> float:
    """Share of all layers that the fullest device of a pipeline has.

    InputError ``stage_layers_sum`` for given layers that are not those of the model.
    """
    if not layers or layout.pipeline == 1:
        return 1.0
    return max(layers_of_stages(layers, layout.pipeline, layout.virtual_pipeline, given)) / layers


def grid_of(model: ModelSpec, run: RunSpec, spec: MemorySpec) -> tuple[Grid, Layout]:
    """The one layout of ``run``, with micro-batches 1 where batch or devices are not known."""
    layout = layout_of(run, spec)
    linear, core = recomputed_shares(model, run)
    return Grid(
        tensor=float(layout.tensor), pipeline=float(layout.pipeline), virtual=float(layout.virtual_pipeline),
        context=float(layout.context), expert=float(layout.expert), expert_tensor=float(layout.expert_tensor),
        data=float(layout.data), expert_data=float(layout.expert_data), shards=float(layout.shards),
        expert_shards=float(layout.expert_shards), sharded_states=layout.zero_stage >= 1,
        gathered=layout.zero_stage >= 3, sequence_parallel=layout.sequence_parallel,
        micro_batch=float(layout.micro_batch), micro_batches=float(layout.micro_batches or 1),
        busiest=busiest_share(model.main.layer_count(), layout, spec.layers_per_stage),
        linear_again=linear, core_again=core), layout


def busiest_shares(layers: int, pipeline: Real, virtual: Real) -> Array:
    """``busiest_share`` of evenly cut models, for arrays of sizes."""
    chunks = np.asarray(pipeline) * virtual
    base, rest = np.divmod(float(max(layers, 1)), chunks)
    fullest = base * virtual + np.ceil(rest / pipeline)
    return np.asarray(np.where(chunks > 1, fullest / max(layers, 1), 1.0), dtype=np.float64)


def grid_of_sizes(layers: int, devices: Real, global_batch: Real, *, tensor: Real = 1.0, pipeline: Real = 1.0,
                  virtual: Real = 1.0, context: Real = 1.0, expert: Real = 1.0, expert_tensor: Real | None = None,
                  micro_batch: Real = 1.0, zero_stage: Real = 0.0, sequence_parallel: Flags | None = None,
                  linear_again: Real = 0.0, core_again: Real = 0.0) -> Grid:
    """Grid of layouts given by their sizes, each a number or an array of one length.

    ``layers`` are those of the main stack.  What does not divide is rounded down, as in ``layout_of``;
    ``linear_again`` and ``core_again`` come from ``step_work.recomputed_shares``.
    """
    expert_tensor = tensor if expert_tensor is None else expert_tensor
    virtual = np.where(np.asarray(pipeline) > 1, virtual, 1.0)
    data = np.maximum(np.floor_divide(devices, tensor * pipeline * context), 1.0)
    expert_data = np.maximum(np.floor_divide(devices, pipeline * expert_tensor * expert), 1.0)
    stage = np.asarray(zero_stage)
    return Grid(
        tensor=tensor, pipeline=pipeline, virtual=virtual, context=context, expert=expert, expert_tensor=expert_tensor,
        data=data, expert_data=expert_data, shards=data * context, expert_shards=expert_data,
        sharded_states=stage >= 1, gathered=stage >= 3,
        sequence_parallel=np.asarray(tensor) > 1 if sequence_parallel is None else sequence_parallel,
        micro_batch=micro_batch, micro_batches=np.maximum(np.floor_divide(global_batch, micro_batch * data), 1.0),
        busiest=busiest_shares(layers, pipeline, virtual), linear_again=linear_again, core_again=core_again)
