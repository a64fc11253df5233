"""Blocks of a sweep at once: arrays of what can be varied without compiling the model anew.

Only runs whose formulas take arrays are computed here (``fast_keys``); all others one by one.  Every value
here is that of ``sweep_point.exact_values`` to float64.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from msgspec.structs import replace

from mfu_gui.engine.conventions import Convention, chosen
from mfu_gui.engine.errors import InputError
from mfu_gui.engine.evaluate import evaluate
from mfu_gui.engine.ledger import ledger
from mfu_gui.engine.run import Measured, Parallel
from mfu_gui.engine.scenario import Scenario
from mfu_gui.engine.utilization import peak_tflops_per_device, throughput
from mfu_gui.planning import end_to_end
from mfu_gui.planning.communication import Array, Real
from mfu_gui.planning.failures import goodput_of
from mfu_gui.planning.formula import SECONDS_PER_DAY, TERA
from mfu_gui.planning.memory import capacity_of, devices_per_unit
from mfu_gui.planning.memory_grid import Sizes, memory_totals
from mfu_gui.planning.run_parts import energy_figures
from mfu_gui.planning.run_plan import plan_run
from mfu_gui.planning.spec import TOKEN_RULES, PlanSpec, plan_spec
from mfu_gui.planning.step_core import Grid, step_seconds
from mfu_gui.planning.step_layout import grid_of_sizes
from mfu_gui.planning.step_time import executed_flops, floor_s, layout_unknown, step_inputs
from mfu_gui.planning.step_work import executed_by_length
from mfu_gui.planning.sweep_axes import LAYOUT, MEASURED
from mfu_gui.planning.sweep_flops import StepFlops, step_flops
from mfu_gui.planning.sweep_point import OUTCOMES, Held

Fast = Mapping[str, Array]
"""Values of the fast axes by key, in shapes that broadcast to the block's."""
DEVICES, BATCH, MICRO, LENGTH = "run.devices", "run.global_batch", "run.micro_batch", "run.sequence_length"
SIZES = ("tensor", "pipeline", "virtual_pipeline", "context", "expert")
LAYOUTS = tuple(f"{LAYOUT}{name}" for name in SIZES)
PEAK, ZERO, RECOMPUTE = "hardware.peak_tflops", f"{LAYOUT}zero_stage", "run.recompute"
ALWAYS = frozenset({DEVICES, MICRO, PEAK, *LAYOUTS, *MEASURED})
PREDICTED = frozenset({DEVICES, BATCH, MICRO, LENGTH, PEAK, ZERO, RECOMPUTE, *LAYOUTS})
"""Axes for which the anchored prediction is one product of ratios."""


def fast_keys(base: Scenario, axes: Collection[str], held: Held, keys: Collection[str]) -> frozenset[str]:
    """Which of the axes can be arrays; none where some other input stands against it."""
    spec = plan_spec(base)
    found = {key for key in axes if key in ALWAYS}
    if BATCH in axes and not base.model.contrastive:
        found.add(BATCH)
    if LENGTH in axes and base.run.document_lengths is None and held.how != "model":
        found.add(LENGTH)
    parts = {OUTCOMES[key].part for key in keys}
    timed = bool(parts & {"speed", "plan"}) and held.how in ("predicted", "model")
    uneven = spec.memory.layers_per_stage is not None or spec.memory.shard_devices is not None
    if timed and (uneven or (held.how == "predicted" and not _one_product(base, axes, spec))):
        return frozenset()
    unsized = base.run.devices is None and DEVICES not in axes
    if "memory" in parts and (unsized or spec.memory.layers_per_stage is not None):
        return frozenset()
    if "plan" in parts and (spec.unknown != "days" or not _days_follow(spec)):
        return frozenset()
    return frozenset(found)


def _one_product(base: Scenario, axes: Collection[str], spec: PlanSpec) -> bool:
    return PREDICTED.issuperset(axes) and spec.step_anchor is None


def _days_follow(spec: PlanSpec) -> bool:
    """Whether days come from tokens, or there are none of either."""
    given = any(getattr(spec, name) is not None for name in TOKEN_RULES)
    return given or (spec.days is None and spec.budget is None)


def fast_values(base: Scenario, block: Scenario, fast: Fast, held: Held, keys: Sequence[str]) -> dict[str, Array]:
    """Results of one block: ``block`` is the base scenario with the slow axes put in.

    Arrays that broadcast to the block's shape, NaN where there is no value.  InputError where the whole
    block cannot be computed.
    """
    parts = {OUTCOMES[key].part for key in keys}
    found: dict[str, Any] = {}
    if parts & {"speed", "plan", "count"}:
        found |= _counted(base, block, fast, held, bool(parts & {"speed", "plan"}))
    if "plan" in parts:
        found |= _planned(block, fast, found)
    if "memory" in parts:
        found |= _memory(block, fast)
    values = {key: _filled(found[key]) for key in keys}
    if held.how == "predicted" and "step_time_s" in found:
        # Where nothing can be predicted the point has no scenario, and nothing is said of it.
        missing = np.isnan(_filled(found["step_time_s"]))
        if missing.any():
            return {key: np.where(missing, np.nan, value) for key, value in values.items()}
    return values


def _filled(value: Any) -> Array:
    return np.asarray(np.nan if value is None else value, dtype=np.float64)


# --- FLOPs and speed -------------------------------------------------------------------------------

def _counted(base: Scenario, block: Scenario, fast: Fast, held: Held, timed: bool) -> dict[str, Any]:
    convention = chosen(block.convention)
    batch: Any = fast.get(BATCH, block.run.global_batch)
    flops = step_flops(block.model, block.run, convention, fast.get(LENGTH), 1.0 if batch is None else batch)
    parameters = ledger(block.model, 0, False).parameters
    tokens = flops.tokens * (1.0 if batch is None else batch)
    found: dict[str, Any] = {
        "flops_per_token": flops.model / tokens, "flops_per_step": None if batch is None else flops.model,
        "parameters": parameters.total, "active_parameters": parameters.active,
        "hardware_per_token": flops.hardware / tokens}
    if not timed:
        return found
    peak: Any = peak_tflops_per_device(block.hardware, block.run.precision,
                                       replace(block.peak, tflops=fast.get(PEAK, block.peak.tflops)))
    run: Any = replace(block.run, global_batch=batch, devices=fast.get(DEVICES, block.run.devices),
                       measured=_measured(base, block, fast, held, found, peak))
    rates = throughput(run, None if batch is None else tokens,  # type: ignore[arg-type]
                       found["flops_per_step"], found["flops_per_token"], peak)
    found |= {"step_time_s": rates.step_time_s, "tokens_per_s": rates.tokens_per_s, "peak": peak,
              "tokens_per_s_per_device": rates.tokens_per_s_per_device, "tflops_per_device": rates.tflops_per_device}
    return found | _utilization(convention, found, rates.tflops_per_device, peak, flops)


def _utilization(convention: Convention, found: dict[str, Any], tflops: Any, peak: Any, flops: StepFlops,
                 ) -> dict[str, Any]:
    if tflops is None:
        return {"mfu": None, "hfu": None}
    with np.errstate(divide="ignore", invalid="ignore"):
        mfu = np.asarray(tflops / peak)
        hfu = np.where(flops.model > 0, mfu * (found["hardware_per_token"] / found["flops_per_token"]), mfu)
    possible = mfu <= 1  # nothing above 100 % is shown as a utilization
    return {"mfu": None if convention.kind == "hardware" else np.where(possible, mfu, np.nan),
            "hfu": np.where(possible & (hfu <= 1), hfu, np.nan)}


def _measured(base: Scenario, block: Scenario, fast: Fast, held: Held, counted: dict[str, Any],
              peak: Any) -> Measured | None:
    """What is taken as measured in every point, in arrays."""
    value: Any = held.value
    if held.how in ("axis", "none"):
        varied: dict[str, Any] = {key.removeprefix("run.measured."): fast[key] for key in MEASURED if key in fast}
        return _in_tokens(Measured(**varied) if varied else block.run.measured, counted, peak)
    if held.how == "predicted":
        return Measured(step_time_s=value * _ratio(base, block, fast))
    if held.how == "model":
        return Measured(step_time_s=_floor(block, fast))  # type: ignore[arg-type]
    if held.how == "hfu":
        share = counted["flops_per_token"] / counted["hardware_per_token"]
        return _in_tokens(Measured(tflops_per_device=value * share * peak), counted, peak)
    name = {"step-time": "step_time_s", "throughput": "tokens_per_s_per_device", "mfu": "mfu"}[held.how]
    return _in_tokens(Measured(**{name: value}), counted, peak)


def _in_tokens(measured: Measured | None, counted: dict[str, Any], peak: Any) -> Measured | None:
    """A rate in FLOPs as one in tokens.  InputError ``nothing_counted`` where a token has no FLOPs."""
    if measured is None or (measured.mfu is None and measured.tflops_per_device is None):
        return measured
    if not np.all(counted["flops_per_token"]):
        raise InputError("nothing_counted", "run.measured")
    rate: Any = measured.tflops_per_device if measured.mfu is None else measured.mfu * peak
    return Measured(tokens_per_s_per_device=rate * TERA / counted["flops_per_token"])


def _ratio(base: Scenario, block: Scenario, fast: Fast) -> Array:
    """Predicted over measured step: executed FLOPs of a sequence, and the model's times of both layouts."""
    moved = replace(block, run=replace(block.run, sequence_length=base.run.sequence_length,
                                       recompute=base.run.recompute))
    inputs = step_inputs(block)
    before = step_inputs(moved)
    executed: Real = executed_flops(inputs.work, inputs.grid)
    if LENGTH in fast:
        executed = executed_by_length(block.model, block.run, fast[LENGTH])
    ratio: Any = executed / executed_flops(before.work, before.grid) * _floor(moved, fast, base) / floor_s(base)
    return np.asarray(ratio, dtype=np.float64)


def _floor(block: Scenario, fast: Fast, anchor: Scenario | None = None) -> Array:
    """Seconds of the component model for every layout of the block.

    A prediction needs both runs to say how they lie on their devices, or neither: NaN where only one does.
    """
    said = block.run.parallel is not None or any(key in fast for key in LAYOUTS)
    if anchor is not None and (anchor.run.parallel is not None) != said and (anchor.run.devices or 1) > 1:
        raise InputError("prediction_needs_layout", "run.parallel.tensor")
    run = block.run
    if DEVICES in fast or said:
        # The machine is that of several devices whose layout is known, or not.
        run = replace(run, devices=max(run.devices or 2, 2), parallel=(run.parallel or Parallel()) if said else None)
    inputs = step_inputs(replace(block, run=run))
    spec = plan_spec(block).memory
    grid = _grid(block, fast, inputs.grid, spec.sequence_parallel, spec.expert_tensor)
    devices = np.asarray(fast.get(DEVICES, float(block.run.devices or 1)))
    unknown = not said
    if unknown and (devices > 1).any():
        grid = replace(grid, sharded_states=devices > 1)
    choices = replace(inputs.choices, schedule=spec.schedule or "1f1b")
    seconds = step_seconds(inputs.work, inputs.machine, grid, choices).total_s
    if unknown and anchor is not None:
        seconds = np.where((devices > 1) == layout_unknown(anchor), seconds, np.nan)
    return np.asarray(seconds, dtype=np.float64)


def _grid(block: Scenario, fast: Fast, like: Grid, sequence_parallel: bool | None, expert_tensor: int | None) -> Grid:
    size = _sizes(block, fast)
    return grid_of_sizes(
        block.model.main.layer_count(), size["devices"], size["batch"], tensor=size["tensor"],
        pipeline=size["pipeline"], virtual=size["virtual_pipeline"], context=size["context"], expert=size["expert"],
        expert_tensor=None if expert_tensor is None else float(expert_tensor), micro_batch=size["micro"],
        zero_stage=size["zero"], sequence_parallel=sequence_parallel, linear_again=like.linear_again,
        core_again=like.core_again)


def _sizes(block: Scenario, fast: Fast) -> dict[str, Any]:
    """Sizes of the layouts of a block: numbers, or arrays where they are varied."""
    run, parallel = block.run, block.run.parallel or Parallel()
    found: dict[str, Any] = {name: fast.get(f"{LAYOUT}{name}", float(getattr(parallel, name))) for name in SIZES}
    return found | {"zero": float(parallel.zero_stage), "micro": fast.get(MICRO, float(run.micro_batch or 1)),
                    "devices": fast.get(DEVICES, float(run.devices or 1)),
                    "batch": fast.get(BATCH, float(run.global_batch or 1))}


# --- plan ------------------------------------------------------------------------------------------

def _planned(block: Scenario, fast: Fast, found: dict[str, Any]) -> dict[str, Any]:
    """Days, device-hours, cost and energy: as ``plan_run``, of arrays."""
    spec = plan_spec(block)
    result = evaluate(replace(block, run=replace(block.run, measured=None)))
    plan = plan_run(block, spec, result)
    tokens, price = plan.value("time", "tokens"), plan.value("cost", "price_per_device_hour")
    devices: Any = spec.devices if spec.devices is not None else fast.get(DEVICES, block.run.devices)
    rate: Any = found["tokens_per_s_per_device"]
    if rate is None and found["tflops_per_device"] is not None:
        rate = found["tflops_per_device"] * TERA / found["flops_per_token"]
    if spec.mfu is not None:
        rate = spec.mfu * found["peak"] * TERA / found["flops_per_token"]
    if rate is None or devices is None or tokens is None:
        return dict.fromkeys(("days", "device_hours", "cost", "energy_kwh"))
    different, places = np.unique(np.asarray(devices, dtype=np.float64), return_inverse=True)
    losses = goodput_of(spec, block.hardware.devices_per_node)
    share = np.array([losses.at(float(count)) for count in different])[places].reshape(np.shape(devices))
    share = np.where(share > 0, share, np.nan)  # more failures than work: it never ends
    days = tokens / (rate * devices * share * SECONDS_PER_DAY)
    hours: Any = end_to_end.device_hours(devices, days * SECONDS_PER_DAY)
    kwh = energy_figures(block, spec, devices_per_unit(block.hardware, block.peak), 1.0)[0].value
    return {"days": days, "device_hours": hours, "cost": None if price is None else hours * price,
            "energy_kwh": None if kwh is None else hours * kwh}


# --- memory ----------------------------------------------------------------------------------------

def _memory(block: Scenario, fast: Fast) -> dict[str, Any]:
    spec = plan_spec(block)
    size = _sizes(block, fast)
    devices = size["devices"] if spec.devices is None else float(spec.devices)
    batch = fast.get(BATCH, block.run.global_batch)
    given = [devices, 1.0 if batch is None else batch, size["micro"], size["tensor"], size["pipeline"],
             size["virtual_pipeline"], size["context"], size["expert"], size["zero"], fast.get(LENGTH, 1.0)]
    arrays = np.broadcast_arrays(*(np.asarray(value, dtype=np.float64) for value in given))
    flat = [np.ascontiguousarray(array).reshape(-1) for array in arrays]
    names = ("devices", "global_batch", "micro_batch", "tensor", "pipeline", "virtual", "context", "expert",
             "zero_stage", "sequence_length")
    values: dict[str, Any] = dict(zip(names, flat, strict=True))
    if batch is None:
        values["global_batch"] = None
    if LENGTH not in fast:
        values["sequence_length"] = None
    total = memory_totals(block.model, block.run, spec.memory, Sizes(**values)).reshape(arrays[0].shape)
    capacity = capacity_of(block.hardware, spec.memory, block.peak)
    return {"memory_bytes": total, "memory_share": None if capacity is None else total / capacity}
