"""Where the time of a step went: from 100 % down to the achieved MFU.

Every part is a share of the step.  They come from the component model, and what it cannot account for is
named so; or from the user's own profile, which then replaces the model's parts.  The parts add up to the
step exactly.
"""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec.structs import replace

from mfu_gui.engine.errors import InputError, Notice
from mfu_gui.engine.evaluate import evaluate
from mfu_gui.engine.fields import N_
from mfu_gui.engine.scenario import Result, Scenario
from mfu_gui.planning.efficiency import dense_peak_tflops
from mfu_gui.planning.formula import TERA
from mfu_gui.planning.spec import StepParts, plan_spec
from mfu_gui.planning.step_core import step_seconds
from mfu_gui.planning.step_time import StepInputs, StepTime, hardware_seconds, step_time

Basis = Literal["measured", "model", "floor"]
"""Parts of the user's profile; the model's parts of a measured step; a step that only the model knows."""
PARTS_TOLERANCE = 0.005
"""How far rounded parts may miss the step, relative to it."""
NOTHING = 1e-9


class WaterfallPart(msgspec.Struct, frozen=True, kw_only=True):
    """One bar: ``share`` of the step (below zero what the step did not take although the model has it).

    ``kind``: loss, the useful rest, or the difference that nothing explains.
    """

    key: str
    label: str
    seconds: float
    share: float
    kind: Literal["loss", "useful", "unexplained"] = "loss"


class Waterfall(msgspec.Struct, frozen=True, kw_only=True):
    """All parts of one step, from the start of the waterfall to its end; the last one is what was useful."""

    step_s: float
    basis: Basis
    parts: tuple[WaterfallPart, ...]
    utilization: float
    """MFU of the step, by the chosen convention (HFU for a hardware convention)."""
    notices: tuple[Notice, ...] = ()

    def share(self, key: str) -> float:
        """Share of one part; 0 where there is none."""
        return sum(part.share for part in self.parts if part.key == key)


LABELS: dict[str, str] = {
    "loading": N_("Waiting for data"),
    "scheduling": N_("Scheduling"),
    "post_processing": N_("Post-processing"),
    "communication": N_("Exposed communication"),
    "optimizer": N_("Optimizer"),
    "data": N_("Gradients between replicas"),
    "bubble": N_("Pipeline bubble"),
    "uneven": N_("Uneven stages"),
    "pipeline": N_("Sends between stages"),
    "tensor": N_("Tensor-parallel communication"),
    "context": N_("Context-parallel communication"),
    "expert": N_("Expert-parallel communication"),
    "elementwise": N_("Norms, activations, softmax"),
    "kernels": N_("Products below the peak"),
    "forward_backward": N_("Rest of forward and backward: products below the peak, waiting"),
    "recompute": N_("Recomputation and padding"),
    "counting": N_("Work that the convention counts differently"),
    "peak": N_("Peak of the convention above the dense peak"),
    "unexplained": N_("Not explained by the model"),
    "rounding": N_("Rounding of the parts"),
    "useful": N_("Useful work (MFU)"),
}
FROM_MODEL = ("loading", "optimizer", "data", "bubble", "pipeline", "tensor", "context", "expert", "elementwise")


def waterfall(scenario: Scenario, result: Result | None = None) -> Waterfall:
    """The waterfall of a scenario.

    InputError as ``step_time``; ``step_parts_sum`` where the user's parts are not the step, and
    ``step_parts_need_step`` where there is no measured step.
    """
    parts = plan_spec(scenario).step_parts
    result = result or evaluate(scenario)
    if parts is not None:
        return _from_parts(scenario, result, parts)
    model = step_time(scenario)
    measured = result.throughput.step_time_s
    step = model.total_s if measured is None else measured
    seconds = {key: model.value(key) for key in FROM_MODEL}
    seconds |= _of_products(scenario, result, model)
    seconds["unexplained"] = step - model.total_s
    notices = model.notices
    if seconds["unexplained"] < -NOTHING * step:
        notices += (Notice("step_faster_than_model", "run.measured", {"step_time_s": step, "model_s": model.total_s}),)
    return _made(seconds, step, "floor" if measured is None else "model", notices)


def _useful_seconds(scenario: Scenario, result: Result) -> float:
    """Model FLOPs at the convention's peak."""
    if result.flops.per_step is None or scenario.run.devices is None:
        raise InputError("required", "run.global_batch" if result.flops.per_step is None else "run.devices")
    return result.flops.per_step / (result.peak_tflops_per_device * TERA * scenario.run.devices)


def _at_dense_peak(scenario: Scenario, result: Result) -> tuple[float, float]:
    """(model FLOPs, recomputation and padding) at the dense peak, in seconds."""
    devices = dense_peak_tflops(scenario) * TERA * (scenario.run.devices or 1)
    flops = result.flops
    return (flops.per_step or 0) / devices, ((flops.recompute or 0) + (flops.padding or 0)) / devices


def _of_products(scenario: Scenario, result: Result, model: StepTime) -> dict[str, float]:
    """What the time of all products is made of: useful work, and why it was not all."""
    useful = _useful_seconds(scenario, result)
    counted, again = _at_dense_peak(scenario, result)
    executed = hardware_seconds(scenario)
    spent = model.value("matmul") + model.value("attention")
    even = _even_seconds(model.inputs)
    return {"uneven": spent - even, "kernels": even - executed, "recompute": again,
            "counting": executed - counted - again, "peak": counted - useful, "useful": useful}


def _even_seconds(inputs: StepInputs) -> float:
    """Time of all products if every stage had the same share of them."""
    stages = float(inputs.grid.pipeline)
    work = replace(inputs.work, ends_forward=inputs.work.ends_forward / stages,
                   ends_backward=inputs.work.ends_backward / stages)
    seconds = step_seconds(work, inputs.machine, replace(inputs.grid, busiest=1.0 / stages), inputs.choices)
    return float(seconds.matmul_s + seconds.attention_s)


def _from_parts(scenario: Scenario, result: Result, parts: StepParts) -> Waterfall:
    step = result.throughput.step_time_s
    if step is None:
        raise InputError("step_parts_need_step", "plan.step_parts")
    parts = complete(parts, step)
    total = check_parts(parts, step)
    useful = _useful_seconds(scenario, result)
    counted, again = _at_dense_peak(scenario, result)
    seconds = {
        "loading": parts.data_s, "scheduling": parts.scheduling_s, "post_processing": parts.post_processing_s,
        "optimizer": parts.optimizer_s, "communication": parts.communication_s,
        "forward_backward": (parts.forward_backward_s or 0.0) - counted - again, "recompute": again,
        "peak": counted - useful, "rounding": step - total, "useful": useful}
    return _made(seconds, step, "measured", ())


def _sum(parts: StepParts) -> float:
    return sum(float(getattr(parts, name) or 0.0) for name in parts.__struct_fields__)


def complete(parts: StepParts, step_s: float) -> StepParts:
    """The parts with what the others leave for forward and backward, where that is not given."""
    if parts.forward_backward_s is not None:
        return parts
    return replace(parts, forward_backward_s=max(step_s - _sum(parts), 0.0))


def check_parts(parts: StepParts, step_s: float) -> float:
    """The sum of the user's parts; InputError ``step_parts_sum`` unless it is the step, up to rounding."""
    total = _sum(parts)
    if abs(total - step_s) > PARTS_TOLERANCE * step_s or not parts.forward_backward_s:
        raise InputError("step_parts_sum", "plan.step_parts", sum_s=total, step_time_s=step_s,
                         difference_s=total - step_s)
    return total


def _made(seconds: dict[str, float], step: float, basis: Basis, notices: tuple[Notice, ...]) -> Waterfall:
    parts = tuple(
        WaterfallPart(key=key, label=label, seconds=seconds[key], share=seconds[key] / step, kind=_kind(key))
        for key, label in LABELS.items()
        if key == "useful" or abs(seconds.get(key, 0.0)) > NOTHING * step)
    return Waterfall(step_s=step, basis=basis, parts=parts, utilization=seconds["useful"] / step, notices=notices)


def _kind(key: str) -> Literal["loss", "useful", "unexplained"]:
    if key == "useful":
        return "useful"
    return "unexplained" if key in ("unexplained", "rounding") else "loss"
