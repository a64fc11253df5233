"""What a result is sensitive to: each input moved alone, down and up, everything else held.

A real number moves by 10 %.  A whole number moves to the nearest value about 10 % away that still divides as
before: in steps that the value itself is a multiple of (4096 to 3584 and 4608, 61 to 55 and 67), further where the
layout, the heads or the batch would not divide.  Without such a value within a factor of two it does not move in
that direction, which is said by None.

What is held decides what comes out.  On MFU, the measured quantity stays: a step that still takes 20 s with a tenth
more devices has a lower MFU.  On step time and on days the MFU stays, because a step time that was typed would not
change with anything; both are computed at the utilization that was reached.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from mfu_gui.engine.attribution import value_of
from mfu_gui.engine.batch import devices_of_replica, identity_notices
from mfu_gui.engine.errors import InputError
from mfu_gui.engine.evaluate import evaluate
from mfu_gui.engine.fields import FIELDS, N_, Field, measured_key, with_measured
from mfu_gui.engine.model import MLA, Attention
from mfu_gui.engine.model_edit import mixers_of
from mfu_gui.engine.run import Parallel
from mfu_gui.engine.scenario import Result, Scenario
from mfu_gui.engine.validation import validate
from mfu_gui.planning.run_plan import plan_run
from mfu_gui.planning.spec import TOKEN_RULES, PlanSpec, plan_spec, with_plan

Target = Literal["mfu", "step_time_s", "days"]
TARGETS: tuple[Target, ...] = ("mfu", "step_time_s", "days")
MOVE = 0.1
FURTHEST = 2.0
"""A whole number that has no value which divides within this factor stays where it is."""
_NO_EFFECT = ("run.parallel.", "run.micro_batch", "run.accumulation", "run.replicas", "run.recompute.")
"""Fields that follow from others, or on which no FLOP and no peak depends."""


class End(msgspec.Struct, frozen=True, kw_only=True):
    """One input at another value, and the target there (None: it has none)."""

    input: float | int
    target: float | None


class Sensitivity(msgspec.Struct, frozen=True, kw_only=True):
    """What moving one input does; ``low`` is the smaller input.  ``label`` is a message id, ``kind`` and ``unit``
    are those of the field."""

    key: str
    label: str
    kind: str
    unit: str
    input: float | int
    low: End | None
    high: End | None

    def swing(self, base: float) -> float:
        """How far the target moves from ``base``, the larger of both ways."""
        return max((abs(end.target - base) for end in (self.low, self.high)
                    if end is not None and end.target is not None), default=0.0)


class Sensitivities(msgspec.Struct, frozen=True, kw_only=True):
    """All inputs, the strongest first.  ``held`` is the measured quantity that stays (a key of MEASURED_KEYS)."""

    target: Target
    base: float
    held: str
    inputs: tuple[Sensitivity, ...]


class _Input(NamedTuple):
    """A number that can be moved."""

    key: str
    label: str
    kind: str
    unit: str
    value: float | int
    put: Callable[[Scenario, Any], Scenario]
    least: float | None = None
    most: float | None = None


def sensitivities(scenario: Scenario, target: Target) -> Sensitivities:
    """How ``target`` moves with each input.

    InputError for a target that cannot be computed: ``sensitivity_needs_measured`` (nothing was measured, or what
    was is above the peak), ``sensitivity_needs_step`` (devices or global batch), ``plan_needs_tokens``,
    ``plan_needs_devices``.
    """
    result = evaluate(scenario)
    start = scenario if target == "mfu" else _at_its_mfu(scenario, result)
    base = _target(start, target)
    if base is None:
        raise _missing(start, target)
    found = [_moved(start, each, target) for each in _inputs(start, result, target)]
    ordered = sorted(found, key=lambda each: -each.swing(base))
    return Sensitivities(target=target, base=base, held=measured_key(start), inputs=tuple(ordered))


def _at_its_mfu(scenario: Scenario, result: Result) -> Scenario:
    """The scenario with the MFU that it reaches as what is known."""
    reached = value_of(result, "mfu")
    if reached is None or not 0 < reached <= 1:
        raise InputError("sensitivity_needs_measured", "run.measured")
    return with_measured(scenario, "mfu", reached)


def _missing(scenario: Scenario, target: Target) -> InputError:
    if target == "mfu":
        return InputError("sensitivity_needs_measured", "run.measured")
    if target == "step_time_s":
        return InputError("sensitivity_needs_step", "run.devices")
    if _has_tokens(plan_spec(scenario)):
        return InputError("plan_needs_devices", "run.devices")
    return InputError("plan_needs_tokens", "plan.tokens")


def _has_tokens(spec: PlanSpec) -> bool:
    return any(getattr(spec, rule) is not None for rule in TOKEN_RULES)


def _target(scenario: Scenario, target: Target) -> float | None:
    try:
        validate(scenario)
        result = evaluate(scenario)
        if target != "days":
            return value_of(result, target)
        spec = plan_spec(scenario)
        if not _has_tokens(spec):
            return None
        plan = plan_run(scenario, replace(spec, unknown="days", days=None), result)
        return plan.solution.days
    except InputError:
        return None


# Inputs


def _inputs(scenario: Scenario, result: Result, target: Target) -> Iterator[_Input]:
    spec = plan_spec(scenario)
    for field in FIELDS:
        if field.key == "hardware.peak_tflops":
            yield _Input(field.key, field.label, "real", field.unit, result.peak_tflops_per_device, _with_peak)
        elif field.key == "run.devices" and target == "days" and spec.devices is not None:
            yield _plan_input("devices", N_("Devices"), "integer", "", spec.devices)
        elif field.panel == "measured" and field.key == "run.measured.mfu" and target == "days" and spec.mfu:
            yield _plan_input("mfu", N_("MFU of the steps"), "fraction", "%", spec.mfu, 1.0)
        elif _movable(field, scenario):
            # Held at what was reached, it is no target.
            label = "MFU" if field.key == "run.measured.mfu" else field.label
            yield _Input(field.key, label, field.kind, field.unit, field.get(scenario), field.set,
                         field.minimum, field.maximum)
    if target == "days":
        for name, label in (("tokens", N_("Number of tokens")), ("tokens_per_parameter", N_("Per parameter"))):
            value = getattr(spec, name)
            if value is not None:
                yield _plan_input(name, label, "real", N_("tokens"), value)
        if spec.goodput is not None:
            yield _plan_input("goodput", N_("Goodput"), "fraction", "%", spec.goodput, 1.0)


def _movable(field: Field, scenario: Scenario) -> bool:
    if field.kind not in ("integer", "real", "fraction", "time") or field.key.startswith(_NO_EFFECT):
        return False
    return field.applies(scenario) and bool(field.get(scenario))


def _plan_input(name: str, label: str, kind: str, unit: str, value: float, most: float | None = None) -> _Input:
    def put(scenario: Scenario, changed: float) -> Scenario:
        return with_plan(scenario, replace(plan_spec(scenario), **{name: changed}))

    return _Input(f"plan.{name}", label, kind, unit, value, put, 0.0, most)


def _with_peak(scenario: Scenario, value: float) -> Scenario:
    return replace(scenario, peak=replace(scenario.peak, tflops=value, mix=None))


# Moving


def _moved(start: Scenario, each: _Input, target: Target) -> Sensitivity:
    def end(direction: int) -> End | None:
        for value in _candidates(start, each, direction):
            try:
                there = each.put(start, value)
                validate(there)
            except InputError:
                continue
            if each.kind != "integer" or _divides_as_before(start, there):
                return End(input=value, target=_target(there, target))
        return None

    return Sensitivity(key=each.key, label=each.label, kind=each.kind, unit=each.unit, input=each.value,
                       low=end(-1), high=end(1))


def _candidates(start: Scenario, each: _Input, direction: int) -> Iterator[float | int]:
    """Values to be tried, the nearest to 10 % first."""
    value = each.value
    if each.kind != "integer":
        moved = value * (1 + direction * MOVE)
        if (each.least is None or moved >= each.least) and (each.most is None or moved <= each.most):
            yield moved
        return
    step = step_of(start, each.key, int(value))
    steps = max(1, round(MOVE * value / step))
    # Nearer values come last: whole numbers that divide are rare, and a small step is better than none.
    for count in (*range(steps, int(value * (FURTHEST - 1) / step) + 1), *range(steps - 1, 0, -1)):
        moved = int(value) + direction * count * step
        if moved > 0 and moved * FURTHEST >= value and (each.least is None or moved >= each.least) and (
                each.most is None or moved <= each.most):
            yield moved


def step_of(scenario: Scenario, key: str, value: int) -> int:
    """The step in which a whole number is moved: the largest that divides it and is not above an eighth of it, of
    whole replicas for devices, micro-batches for the batch, pipeline stages for layers, each times a power of two."""
    unit = _unit(scenario, key)
    step = unit if value % unit == 0 else 1
    while value % (2 * step) == 0 and 16 * step <= value:
        step *= 2
    return step


def _unit(scenario: Scenario, key: str) -> int:
    """What a whole number is divided by in this layout."""
    run = scenario.run
    parallel = run.parallel or Parallel()
    if key in ("run.devices", "plan.devices"):
        return devices_of_replica(run)
    if key == "run.global_batch" and run.devices is not None and run.parallel is not None:
        return (run.micro_batch or 1) * max(run.devices // devices_of_replica(run), 1)
    if key == "run.sequence_length":
        return 2 * parallel.context if parallel.context > 1 else 1
    return {"model.layers": parallel.pipeline * parallel.virtual_pipeline, "model.heads": parallel.tensor,
            "model.ffn_width": parallel.tensor, "model.hidden_size": parallel.tensor,
            "model.vocabulary": parallel.tensor, "model.experts": parallel.expert}.get(key, 1)


def _divides_as_before(start: Scenario, there: Scenario) -> bool:
    """Whether nothing stopped dividing that did."""
    return _undivided(there) <= _undivided(start)


def _undivided(scenario: Scenario) -> set[str]:
    run = scenario.run
    found = {notice.code for notice in identity_notices(run)}
    tensor = run.parallel.tensor if run.parallel is not None else 1
    attention = mixers_of(scenario.model, Attention)
    heads = [m.heads for m in attention] + [m.heads for m in mixers_of(scenario.model, MLA)]
    if any(count % tensor for count in heads):
        found.add("heads")
    if any(m.kv_heads % tensor and tensor % m.kv_heads for m in attention):
        found.add("kv_heads")
    return found

