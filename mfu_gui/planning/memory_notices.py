"""What one should know about a run's memory before trusting it."""

from __future__ import annotations

from collections.abc import Iterator

from mfu_gui.engine.errors import Notice
from mfu_gui.engine.model import MLA, Attention, CompressedAttention
from mfu_gui.planning.memory_terms import Context
from mfu_gui.planning.optimizers import ADAPTER_RECIPES

MODELLED = (Attention, MLA, CompressedAttention)
"""Mixers whose activations have a published closed form."""


def memory_notices(context: Context) -> Iterator[Notice]:
    """Assumptions made and domains left."""
    run, layout, model = context.run, context.layout, context.model
    if layout.devices is None:
        yield Notice("memory_devices_assumed", "run.devices", {"devices": layout.data * layout.replica})
    if run.parallel is None and layout.devices is not None and layout.devices > 1:
        yield Notice("memory_layout_assumed", "run.parallel")
    if run.micro_batch is None:
        yield Notice("memory_micro_batch_assumed", "run.micro_batch")
    if run.attention_kernel is None and any(isinstance(m, Attention | MLA) for s in model.stacks for k in s.kinds
                                            for m in k.mixers):
        yield Notice("memory_flash_assumed", "run.attention_kernel")
    rough = sorted({type(mixer).__name__ for stack in model.stacks for kind in stack.kinds for mixer in kind.mixers
                    if not isinstance(mixer, MODELLED)})
    if rough:
        yield Notice("memory_mixers_rough", "model", {"kinds": rough})
    if context.spec.optimizer in ADAPTER_RECIPES and run.trainable == "full":
        yield Notice("memory_recipe_without_adapters", "plan.memory.optimizer", {"value": context.spec.optimizer})
    if model.stack("vision") is not None and layout.pipeline > 1:
        yield Notice("memory_tower_on_first_stage", "run.parallel.pipeline")
