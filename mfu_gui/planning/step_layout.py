"""From a run's layout to the grid of the step-time model."""

from __future__ import annotations

from mfu_gui.engine.model import ModelSpec
from mfu_gui.engine.run import RunSpec
from mfu_gui.planning.layout import Layout, layout_of
from mfu_gui.planning.spec import MemorySpec
from mfu_gui.planning.stages import layers_of_chunks
from mfu_gui.planning.step_core import Grid
from mfu_gui.planning.step_work import recomputed_shares


def busiest_share(layers: int, layout: Layout, given: tuple[int, ...] | None = None) -> float:
    """Share of all layers that the fullest device of a pipeline has.

    InputError ``stage_layers_sum`` for given layers that are not those of the model.
    """
    if not layers or layout.pipeline == 1:
        return 1.0
    chunks = layers_of_chunks(layers, layout.pipeline * layout.virtual_pipeline, given)
    stages = [sum(chunks[stage::layout.pipeline]) for stage in range(layout.pipeline)]
    return max(stages) / layers


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
