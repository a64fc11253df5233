"""The scenarios that are there before the user made any."""

from __future__ import annotations

from msgspec.structs import replace

from mfu_gui.engine.run import Measured, Parallel, Recompute, RunSpec
from mfu_gui.engine.scenario import ConventionChoice, Scenario, Source
from mfu_gui.texts import LANGUAGES, N_, Translator, translator
from mfu_gui.ui.services import Services
from mfu_gui.ui.workspace import Document

MODEL, HARDWARE = "llama-3.1-8b", "nvidia-h100-sxm5-80gb"

EXAMPLE_NAME = N_("Example: Llama 3.1 8B on 128 H100")
EXAMPLE_NOTES = N_("Llama 3.1 8B on 128 H100, as torchtitan published it in December 2024: 5,605 tokens/s per GPU.")
EXAMPLE_READING = N_("Of recomputation its table says only “selective”; that every second matrix product is computed "
                     "again is our reading.")

# 256 × 8192 tokens a step ÷ (128 × 5605 tokens/s), torchtitan benchmarks (llama3_h100_202412), table 3.  Its layout is
# FSDP alone, so every device holds a shard of weights, gradients and optimizer, and works on 256 / 128 sequences.
# "Selective" is another thing there than in Megatron-LM: by operator, what attention gives is kept and every second
# matrix product is computed again.
_RECOMPUTE = Recompute(repeat={"attention_proj": 0.5, "mlp": 0.5})
_RUN = RunSpec(devices=128, sequence_length=8192, global_batch=256, micro_batch=2, recompute=_RECOMPUTE,
               parallel=Parallel(zero_stage=3), measured=Measured(step_time_s=2.923))


def example_notes(tr: Translator) -> str:
    """Where the example is from, and what of it nobody but us says."""
    return ("" if tr.language == "zh" else " ").join((tr(EXAMPLE_NOTES), tr(EXAMPLE_READING)))


def example_scenario(services: Services) -> Scenario:
    """A published run; its name says that it is an example."""
    tr = services.language.tr
    model, hardware = services.presets.model(MODEL), services.presets.hardware(HARDWARE)
    return Scenario(name=tr(EXAMPLE_NAME), notes=example_notes(tr), model=model.spec, hardware=hardware.spec, run=_RUN,
                    convention=ConventionChoice(), model_source=Source(preset=MODEL),
                    hardware_source=Source(preset=HARDWARE))


def is_told(scenario: Scenario) -> bool:
    """Whether a document that began as the example has the user's own measurement by now."""
    return scenario.run.measured != _RUN.measured


def without_its_story(services: Services, document: Document, scenario: Scenario) -> Scenario:
    """``scenario``, which puts another model or device into ``document``, without what would then be untrue.

    Of the example these are its name and its notes, and how it was laid out and recomputed: nobody has said
    that of the new run.  What is not the example's any more stays.
    """
    before = document.scenario
    same = (scenario.model_source, scenario.hardware_source) == (before.model_source, before.hardware_source)
    if same or not document.example:
        return scenario
    run = scenario.run
    if (run.parallel, run.micro_batch, run.recompute) == (_RUN.parallel, _RUN.micro_batch, _RUN.recompute):
        run = replace(run, parallel=None, micro_batch=None, recompute="none")
    told = [translator(code) for code in LANGUAGES]
    names, notes = {tr(EXAMPLE_NAME) for tr in told}, {example_notes(tr) for tr in told}
    return replace(scenario, run=run, notes="" if scenario.notes in notes else scenario.notes,
                   name=services.language.tr("Untitled") if scenario.name in names else scenario.name)


def new_scenario(services: Services) -> Scenario:
    """The present model and device in a run of which nothing is known yet."""
    workspace = services.workspace
    base = example_scenario(services) if workspace.is_empty else workspace.active.scenario
    run = RunSpec(sequence_length=4096, precision=base.run.precision)
    return replace(base, name=services.language.tr("Untitled"), notes="", run=run, reported=None)
