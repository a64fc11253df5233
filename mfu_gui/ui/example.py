"""The scenarios that are there before the user made any."""

from __future__ import annotations

from msgspec.structs import replace

from mfu_gui.engine.run import Measured, Parallel, RunSpec
from mfu_gui.engine.scenario import ConventionChoice, Scenario, Source
from mfu_gui.texts import N_
from mfu_gui.ui.services import Services

MODEL, HARDWARE = "llama-3.1-8b", "nvidia-h100-sxm5-80gb"

EXAMPLE_NAME = N_("Example: Llama 3.1 8B on 128 H100")
EXAMPLE_NOTES = N_("Llama 3.1 8B on 128 H100, as torchtitan published it in December 2024: 5,605 tokens/s per GPU.")

# 256 × 8192 tokens a step ÷ (128 × 5605 tokens/s), torchtitan benchmarks (llama3_h100_202412), table 3.  Its layout is
# FSDP alone, so every device holds a shard of weights, gradients and optimizer, and works on 256 / 128 sequences.
_RUN = RunSpec(devices=128, sequence_length=8192, global_batch=256, micro_batch=2, recompute="selective",
               parallel=Parallel(zero_stage=3), measured=Measured(step_time_s=2.923))


def example_scenario(services: Services) -> Scenario:
    """A published run; its name says that it is an example."""
    tr = services.language.tr
    model, hardware = services.presets.model(MODEL), services.presets.hardware(HARDWARE)
    return Scenario(name=tr(EXAMPLE_NAME), notes=tr(EXAMPLE_NOTES), model=model.spec, hardware=hardware.spec, run=_RUN,
                    convention=ConventionChoice(), model_source=Source(preset=MODEL),
                    hardware_source=Source(preset=HARDWARE))


def new_scenario(services: Services) -> Scenario:
    """The present model and device in a run of which nothing is known yet."""
    workspace = services.workspace
    base = example_scenario(services) if workspace.is_empty else workspace.active.scenario
    run = RunSpec(sequence_length=4096, precision=base.run.precision)
    return replace(base, name=services.language.tr("Untitled"), notes="", run=run, reported=None)
