"""How long a step must take: the component model of one scenario.

A pure function of the scenario.  ``step_time`` gives every component with its formula and the numbers in
it; ``floor_s`` only the sum.  For many layouts at once take work, machine and choices from ``step_inputs``,
a grid from ``step_layout.grid_of_sizes``, and call ``step_core.step_seconds``: about a million a second.
"""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from mfu_gui.engine.errors import InputError, Notice
from mfu_gui.engine.fields import N_
from mfu_gui.engine.hardware import HardwareSpec
from mfu_gui.engine.model import Attention, Dense, Head, Layer, ModelSpec, Stack
from mfu_gui.engine.run import Parallel, RunSpec
from mfu_gui.engine.scenario import Scenario
from mfu_gui.planning.efficiency import dense_peak_tflops, machine_of, usual_efficiency
from mfu_gui.planning.formula import SECONDS_PER_DAY, TERA, Basis, Figure, formula
from mfu_gui.planning.layout import Layout
from mfu_gui.planning.spec import PlanSpec, plan_spec
from mfu_gui.planning.step_core import Choices, Grid, Machine, StepSeconds, StepWork, step_seconds
from mfu_gui.planning.step_figures import component_figures
from mfu_gui.planning.step_layout import grid_of
from mfu_gui.planning.step_work import step_work

UNCALIBRATED = N_("On A100 with Megatron-LM 25 published steps are met within 4.3% on average and 9% at worst; "
                  "elsewhere most real steps take longer than the model's, up to 2.2 times as long.")


class StepInputs(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that the vectorised core needs for one scenario."""

    work: StepWork
    machine: Machine
    grid: Grid
    choices: Choices
    layout: Layout


class StepTime(msgspec.Struct, frozen=True, kw_only=True):
    """The step of one scenario as the model has it.

    ``components`` are figures in seconds, in the order of a time line; they add up to ``total_s``.
    ``hfu`` is that of the model: executed FLOPs over peak, devices and ``total_s``.
    """

    total_s: float
    components: tuple[Figure, ...]
    seconds: StepSeconds
    inputs: StepInputs
    family: str
    notices: tuple[Notice, ...]

    def value(self, key: str) -> float:
        """Seconds of one component."""
        return float(next(figure.value or 0.0 for figure in self.components if figure.key == key))


def step_inputs(scenario: Scenario, plan: PlanSpec | None = None) -> StepInputs:
    """Inputs of the core.  InputError where devices or the global batch are missing (``required``)."""
    for name in ("devices", "global_batch"):
        if getattr(scenario.run, name) is None:
            raise InputError("required", f"run.{name}")
    plan = plan or plan_spec(scenario)
    grid, layout = grid_of(scenario.model, scenario.run, plan.memory)
    machine = machine_of(scenario, plan.step)
    if layout_unknown(scenario):
        # Nothing can be said of communication, and nobody keeps all states on each of many devices.
        machine = replace(machine, scale_up=float("inf"), scale_out=float("inf"), latency_s=0.0)
        grid = replace(grid, sharded_states=True)
    return StepInputs(work=step_work(scenario.model, work_run(scenario.run)), machine=machine,
                      grid=grid, choices=choices_of(scenario, plan, layout), layout=layout)


def layout_unknown(scenario: Scenario) -> bool:
    """Whether a run on several devices does not say how it lies on them."""
    return scenario.run.parallel is None and (scenario.run.devices or 1) > 1


def work_run(run: RunSpec) -> RunSpec:
    """What of a run its work depends on, so that layouts and batches of one run share it."""
    return RunSpec(sequence_length=run.sequence_length, multi_token_prediction=run.multi_token_prediction,
                   attention_kernel=run.attention_kernel, document_lengths=run.document_lengths,
                   trainable=run.trainable, decoder_sequence_length=run.decoder_sequence_length, images=run.images)


def choices_of(scenario: Scenario, plan: PlanSpec, layout: Layout) -> Choices:
    """What is the same for all layouts of a scenario."""
    step, usual = plan.step, usual_efficiency(scenario.hardware)
    return Choices(
        schedule=layout.schedule, context_all_to_all=step.context_exchange == "all-to-all",
        tensor_hidden=usual.tensor_overlap if step.tensor_overlap is None else step.tensor_overlap,
        expert_hidden=usual.expert_overlap if step.expert_overlap is None else step.expert_overlap,
        data_hidden=usual.data_overlap if step.data_overlap is None else step.data_overlap,
        gradient_bytes=step.gradient_bytes, expert_imbalance=plan.memory.expert_imbalance, loading_s=step.loading_s)


def step_time(scenario: Scenario) -> StepTime:
    """The step of ``scenario`` by component; InputError where an input is missing or impossible."""
    plan = plan_spec(scenario)
    inputs = step_inputs(scenario, plan)
    seconds = step_seconds(inputs.work, inputs.machine, inputs.grid, inputs.choices)
    usual = usual_efficiency(scenario.hardware)
    basis: Basis = "model" if usual.known else "assumption"
    figures = component_figures(inputs.work, inputs.machine, inputs.grid, inputs.choices, seconds, basis)
    return StepTime(total_s=float(seconds.total_s), components=figures, seconds=seconds, inputs=inputs,
                    family=usual.family, notices=_notices(scenario, inputs, usual.known))


def floor_s(scenario: Scenario, plan: PlanSpec | None = None) -> float:
    """Seconds of one step of ``scenario``."""
    inputs = step_inputs(scenario, plan)
    return float(step_seconds(inputs.work, inputs.machine, inputs.grid, inputs.choices).total_s)


def executed_flops(work: StepWork, grid: Grid) -> float:
    """FLOPs that the devices execute for one sequence, recomputation included."""
    layers = (work.linear_forward + work.routed_forward) * (1.0 + float(grid.linear_again))
    core = work.core_forward * (1.0 + float(grid.core_again))
    return (layers + core + work.linear_backward + work.routed_backward + work.core_backward + work.ends_forward
            + work.ends_backward)


def hardware_seconds(scenario: Scenario) -> float:
    """The step at an HFU of 1: executed FLOPs over the dense peak of all devices.

    InputError ``required`` without devices or batch.
    """
    inputs = step_inputs(scenario)
    flops = executed_flops(inputs.work, inputs.grid) * (scenario.run.global_batch or 1)
    return flops / (dense_peak_tflops(scenario) * TERA * (scenario.run.devices or 1))


def _notices(scenario: Scenario, inputs: StepInputs, known: bool) -> tuple[Notice, ...]:
    found: list[Notice] = []
    hardware, layout = scenario.hardware, inputs.layout
    if not known:
        found.append(Notice("step_efficiency_assumed", "hardware", {"hardware": hardware.name or "?"}))
    if hardware.memory_bandwidth_gb_s is None:
        found.append(Notice("step_without_memory_bandwidth", "hardware", {}))
    devices, node = layout.devices or 1, inputs.machine.node
    if layout_unknown(scenario):
        found.append(Notice("step_layout_unknown", "run.parallel.tensor", {}))
    elif (devices > 1 and hardware.scale_up_gb_s is None) or (devices > node and hardware.scale_out_gbit_s is None):
        found.append(Notice("step_without_link_bandwidth", "hardware", {}))
    return tuple(found)


@formula("T6.tokens_per_day", expression=N_("global batch × sequence ÷ step time × 86,400"), unit=N_("tokens/day"),
         basis="exact", source="definition")
def tokens_per_day(step_s: float, gbs: float, seq: float) -> float:
    """Tokens of one day of steps of ``step_s`` seconds."""
    return gbs * seq / step_s * SECONDS_PER_DAY


A100 = HardwareSpec(
    name="A100 SXM4 80GB", vendor="NVIDIA", peak_tflops={"bf16": 312.0, "fp16": 312.0}, memory_bandwidth_gb_s=2000.0,
    scale_up_gb_s=300.0, scale_up_domain=8, scale_out_gbit_s=200.0, devices_per_node=8)
"""The device that the published constants of the model were stated for."""


def gpt_model(hidden: int, layers: int, heads: int, sequence: int, vocabulary: int) -> ModelSpec:
    """A GPT as Megatron-LM trained them until 2022: plain MLP of four times the width, tied embeddings."""
    width = hidden // heads
    layer = Layer(mixers=(Attention(heads=heads, kv_heads=heads, head_dim=width),),
                  ffns=(Dense(width=4 * hidden, matrices=2),), norms=2)
    stack = Stack(hidden_size=hidden, kinds=(layer,), order=(("layer", layers),), position_table=sequence)
    return ModelSpec(name="GPT", vocabulary=vocabulary, stacks=(stack,), head=Head(tied=True))


@formula("T2.component_model",
         expression=N_("m·(layers ÷ p + head) + bubble + sends + gradients + optimizer, on A100"), unit="s",
         source="Narayanan et al. 2021, arXiv 2104.04473; Korthikanti et al. 2022, arXiv 2205.05198",
         accuracy=UNCALIBRATED)
def component_model(h: int, L: int, a: int, n: int, t: int, p: int, v: int, B: int, b: int, s: int,  # noqa: N803
                    V: int, rc: str) -> float:  # noqa: N803 - the papers' letters
    """Seconds of one step of a GPT on A100 with unfused attention.

    ``h`` hidden, ``L`` layers, ``a`` heads, ``n`` devices, ``t p v`` tensor, pipeline and virtual pipeline,
    ``B`` global and ``b`` micro-batch, ``s`` sequence, ``V`` vocabulary.  ``rc`` is full, sel (with sequence
    parallelism, as Korthikanti et al. ran it) or none.
    """
    names = {"full": "full", "sel": "selective", "selective": "selective", "none": "none"}
    if rc not in names:
        raise InputError("unknown_choice", "run.recompute", value=rc, allowed=", ".join(names))
    run = RunSpec(sequence_length=s, devices=n, global_batch=B, precision="fp16", micro_batch=b,
                  attention_kernel="unfused", recompute=names[rc],  # type: ignore[arg-type]
                  parallel=Parallel(tensor=t, pipeline=p, virtual_pipeline=v))
    plan = msgspec.to_builtins(PlanSpec())
    plan["memory"] = {"sequence_parallel": rc.startswith("sel")}
    return floor_s(Scenario(model=gpt_model(h, L, a, s, V), hardware=A100, run=run, plan=plan))
