"""One point of a sweep, computed exactly: the scenario that it is, and every result that can be asked for.

What is not varied and was measured (a step time, an MFU) cannot stay true when the run changes.  ``Held``
says what is taken to stay, so that nobody reads a sweep without knowing it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, get_args

import msgspec
from msgspec.structs import replace

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.evaluate import evaluate
from mfu_gui.engine.fields import N_, measured_key
from mfu_gui.engine.run import Measured
from mfu_gui.engine.scenario import Result, Scenario
from mfu_gui.engine.validation import validate
from mfu_gui.planning.anchored import Prediction, predict
from mfu_gui.planning.memory_advice import memory_of
from mfu_gui.planning.run_plan import plan_run
from mfu_gui.planning.spec import plan_spec
from mfu_gui.planning.step_time import floor_s
from mfu_gui.planning.sweep_axes import MEASURED, Axis

Hold = Literal["predicted", "hfu", "mfu", "throughput", "step-time", "model", "axis", "none"]
HOLDS: tuple[Hold, ...] = get_args(Hold)[:6]
"""What can be chosen; ``axis`` and ``none`` follow from the axes and from the scenario."""
HOLD_LABELS: dict[Hold, str] = {
    "predicted": N_("step time predicted from the measured run"),
    "hfu": N_("HFU stays as measured"),
    "mfu": N_("MFU stays as measured"),
    "throughput": N_("tokens per second and device stay as measured"),
    "step-time": N_("step time stays as measured"),
    "model": N_("step time of the component model, without any measurement"),
    "axis": N_("the measured quantity is itself varied"),
    "none": N_("nothing was measured"),
}


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """One result that a sweep can show; ``less`` is true where a small value is the better one."""

    key: str
    label: str
    unit: str = ""
    kind: Literal["fraction", "time", "real", "count", "bytes", "money"] = "real"
    part: Literal["count", "speed", "memory", "plan"] = "speed"
    less: bool = False


OUTCOMES: dict[str, Outcome] = {outcome.key: outcome for outcome in (
    Outcome(key="mfu", label="MFU", kind="fraction"),
    Outcome(key="hfu", label="HFU", kind="fraction"),
    Outcome(key="step_time_s", label=N_("Step time"), unit="s", kind="time", less=True),
    Outcome(key="tokens_per_s", label=N_("Tokens/s, all devices"), unit=N_("tokens/s")),
    Outcome(key="tokens_per_s_per_device", label=N_("Tokens/s per device"), unit=N_("tokens/s/device")),
    Outcome(key="tflops_per_device", label=N_("TFLOP/s per device"), unit="TFLOP/s"),
    Outcome(key="days", label=N_("Days"), unit=N_("days"), part="plan", less=True),
    Outcome(key="device_hours", label=N_("Device-hours"), unit="h", kind="count", part="plan", less=True),
    Outcome(key="cost", label=N_("Cost"), kind="money", part="plan", less=True),
    Outcome(key="energy_kwh", label=N_("Energy"), unit="kWh", kind="count", part="plan", less=True),
    Outcome(key="memory_bytes", label=N_("Memory of the fullest device"), unit="bytes", kind="bytes", part="memory",
            less=True),
    Outcome(key="memory_share", label=N_("Share of the device's memory"), kind="fraction", part="memory", less=True),
    Outcome(key="flops_per_token", label=N_("FLOPs per token"), unit="FLOP", kind="count", part="count", less=True),
    Outcome(key="flops_per_step", label=N_("FLOPs per step"), unit="FLOP", kind="count", part="count", less=True),
    Outcome(key="parameters", label=N_("Parameters"), kind="count", part="count"),
    Outcome(key="active_parameters", label=N_("Active parameters"), kind="count", part="count"),
)}
Values = dict[str, float | None]


class Held(msgspec.Struct, frozen=True, kw_only=True):
    """What stays while the rest is varied, and its value in the base scenario (None where it has none)."""

    how: Hold
    value: float | None = None


def usual_hold(base: Scenario, axes: Sequence[Axis]) -> Hold:
    """What holds unless somebody says otherwise.

    The anchored prediction where the scenario has a measured step; the MFU that is a target; else the HFU,
    because hardware utilization changes least when a run does; without a measurement the component model.
    """
    if any(axis.key in MEASURED for axis in axes):
        return "axis"
    run = base.run
    whole = run.devices is not None and run.global_batch is not None
    key = measured_key(base)
    if not key:
        return "model" if whole else "none"
    if key == "mfu":
        return "mfu"
    return "predicted" if whole else "hfu"


def held_of(base: Scenario, axes: Sequence[Axis], hold: Hold | None = None) -> Held:
    """What holds, with its value.

    InputError ``sweep_hold_axis`` where a measured quantity is an axis and something else shall hold, and
    ``sweep_hold_needs`` where the base scenario does not have what shall hold.
    """
    usual = usual_hold(base, axes)
    how = hold or usual
    if usual == "axis" and how != "axis":
        raise InputError("sweep_hold_axis", "run.measured", hold=how)
    if how in ("axis", "none", "model"):
        return Held(how=how)
    result = evaluate(base)
    value = {"mfu": result.mfu, "hfu": result.hfu, "step-time": result.throughput.step_time_s,
             "throughput": result.throughput.tokens_per_s_per_device,
             "predicted": result.throughput.step_time_s}[how]
    if value is None:
        raise InputError("sweep_hold_needs", "run.measured", hold=how)
    return Held(how=how, value=value)


def placed(base: Scenario, axes: Sequence[Axis], values: Sequence[Any]) -> Scenario:
    """The base scenario with these values, its measurement left as it is.  InputError where they do not fit."""
    scenario = base
    for axis, value in zip(axes, values, strict=True):
        scenario = axis.put(scenario, value)
    validate(scenario)
    return scenario


def point_scenario(base: Scenario, axes: Sequence[Axis], held: Held, values: Sequence[Any]) -> Scenario:
    """The scenario of one point: with these values, and measured as ``held`` says.  InputError as ``placed``."""
    return _with_held(base, held, placed(base, axes, values))


def prediction_at(base: Scenario, axes: Sequence[Axis], values: Sequence[Any]) -> Prediction:
    """The prediction behind a point that was predicted, with its band."""
    return predict(base, placed(base, axes, values))


def _with_held(base: Scenario, held: Held, scenario: Scenario) -> Scenario:
    if held.how in ("axis", "none"):
        return scenario
    if held.how == "predicted":
        measured = Measured(step_time_s=predict(base, scenario).step_time_s)
    elif held.how == "model":
        measured = Measured(step_time_s=floor_s(scenario))
    elif held.how == "step-time":
        measured = Measured(step_time_s=held.value)
    elif held.how == "throughput":
        measured = Measured(tokens_per_s_per_device=held.value)
    elif held.how == "mfu":
        measured = Measured(mfu=held.value)
    else:
        plain = evaluate(replace(scenario, run=replace(scenario.run, measured=None)))
        if not plain.flops.per_token:
            raise InputError("nothing_counted", "run.measured")
        share = plain.flops.per_token / plain.flops.hardware_per_token
        measured = Measured(tflops_per_device=(held.value or 0.0) * share * plain.peak_tflops_per_device)
    return replace(scenario, run=replace(scenario.run, measured=measured))


def exact_values(base: Scenario, axes: Sequence[Axis], held: Held, values: Sequence[Any],
                 keys: Iterable[str]) -> Values:
    """Results of one point.  InputError for a point that cannot be computed."""
    return results_of(point_scenario(base, axes, held, values), keys)


def results_of(scenario: Scenario, keys: Iterable[str]) -> Values:
    """These results of one scenario; None where something that they need is not known."""
    result = evaluate(scenario)
    keys = tuple(keys)
    parts = {OUTCOMES[key].part for key in keys}
    found = _of_result(result)
    if "memory" in parts:
        made = memory_of(scenario)
        found["memory_bytes"] = made.worst.total
        found["memory_share"] = None if made.capacity is None else made.worst.total / made.capacity
    if "plan" in parts:
        plan = plan_run(scenario, plan_spec(scenario), result)
        found |= {"days": plan.value("time", "days"), "device_hours": plan.value("time", "device_hours"),
                  "cost": plan.value("cost", "total"), "energy_kwh": plan.value("energy", "kwh")}
    return {key: found[key] for key in keys}


def _of_result(result: Result) -> Values:
    return {"mfu": result.mfu, "hfu": result.hfu, **msgspec.structs.asdict(result.throughput),
            "flops_per_token": result.flops.per_token, "flops_per_step": result.flops.per_step,
            "parameters": result.parameters.total, "active_parameters": result.parameters.active}
