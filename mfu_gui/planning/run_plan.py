"""Time, money, energy and goodput of a whole run."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil

import msgspec

from mfu_gui.engine.checks import core_share
from mfu_gui.engine.conventions import find
from mfu_gui.engine.errors import Notice, Values
from mfu_gui.engine.evaluate import count, evaluate
from mfu_gui.engine.fields import N_
from mfu_gui.engine.scenario import Result, Scenario
from mfu_gui.planning import end_to_end, scaling
from mfu_gui.planning.failures import Goodput, goodput_figures, goodput_of
from mfu_gui.planning.formula import SECONDS_PER_DAY, TERA, Basis, Figure, missing
from mfu_gui.planning.memory import devices_per_unit
from mfu_gui.planning.run_parts import dates, energy_figures, scaling_figures, scaling_notices
from mfu_gui.planning.solve import Known, Solution, solve
from mfu_gui.planning.spec import PlanSpec, check_plan, plan_spec

Figures = tuple[Figure, ...]


NEEDS = {"plan.tokens": "plan_needs_tokens", "plan.mfu": "plan_needs_speed", "run.devices": "plan_needs_devices",
         "plan.days": "plan_needs_days", "plan.price_per_device_hour": "plan_needs_price",
         "plan.budget": "plan_needs_budget"}
"""What to say of an input that is missing, by its key."""


class RunPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What a run takes.  ``dates`` are the first and the last day (ISO), where a start is given."""

    solution: Solution
    time: Figures
    cost: Figures
    currency: str
    energy: Figures
    goodput: Figures
    scaling: Figures
    dates: tuple[str, str] | None
    notices: tuple[Notice, ...]

    def value(self, section: str, key: str) -> float | int | None:
        """One figure's value: ``value("time", "days")``."""
        figures: Figures = getattr(self, section)
        return next(figure.value for figure in figures if figure.key == key)


class _Basics(msgspec.Struct, frozen=True, kw_only=True):
    """What the scenario says, with what the plan replaces."""

    result: Result
    peak: float
    per_token: float
    rate: float | None
    rate_basis: Basis
    devices: int | None
    units: int
    price: float | None
    price_basis: Basis


def plan_run(scenario: Scenario, spec: PlanSpec, result: Result | None = None) -> RunPlan:
    """Time, cost, energy, goodput and scaling of the whole run.

    ``result`` is ``evaluate(scenario)`` where the caller has it already.  InputError for inputs that
    contradict each other; what cannot be computed for lack of an input is None, with a notice.
    """
    basics = _basics(scenario, spec, result or evaluate(scenario))
    losses = goodput_of(spec, scenario.hardware.devices_per_node)
    check_plan(spec)
    tokens = _tokens(spec, basics.result.parameters.active)
    parallel = scenario.run.parallel
    known = Known(tokens=None if spec.unknown == "tokens" else tokens,
                  rate=None if spec.unknown == "mfu" else basics.rate,
                  devices=None if spec.unknown == "devices" else basics.devices, days=spec.days, budget=spec.budget,
                  price=basics.price,
                  replica=1 if parallel is None else parallel.tensor * parallel.pipeline * parallel.context)
    solution = solve(spec.unknown, known, losses.at)
    seconds = None if solution.days is None else solution.days * SECONDS_PER_DAY
    lost, lost_notices = goodput_figures(losses, solution.devices, seconds)
    time = _time(basics, spec, solution, losses)
    hours = next((figure.value for figure in time if figure.key == "device_hours"), None)
    cost = _cost(basics, hours, spec.billed_device_hours)
    sizes = scaling_figures(basics.result.parameters.active, solution.tokens)
    notices = [*_about(scenario, spec, basics, solution, time, cost), *lost_notices,
               *scaling_notices(scenario.model, spec, sizes)]
    return RunPlan(solution=solution, time=time, cost=cost, currency=spec.currency,
                   energy=energy_figures(scenario, spec, basics.units, hours), goodput=tuple(lost),
                   scaling=sizes, dates=dates(spec.start_date, solution.days),
                   notices=tuple(notices))


def missing_inputs(scenario: Scenario, keys: Iterable[str]) -> tuple[Notice, ...]:
    """What a plan lacks for these results (``days``, ``device_hours``, ``cost``, ``energy_kwh``); InputError as
    ``plan_run``."""
    plan = plan_run(scenario, plan_spec(scenario))
    needs = plan.solution.needs
    found = [Notice(NEEDS[key], key) for key in needs]
    if not needs and "cost" in keys and plan.value("cost", "price_per_device_hour") is None:
        found.append(Notice("cost_needs_price", "plan.price_per_device_hour"))
    if not needs and "energy_kwh" in keys and plan.value("energy", "power_w") is None:
        found.append(Notice("energy_needs_power", "plan.energy.power_w"))
    return tuple(found)


def _basics(scenario: Scenario, spec: PlanSpec, result: Result) -> _Basics:
    peak, per_token = result.peak_tflops_per_device, result.flops.per_token
    rate, basis = result.throughput.tokens_per_s_per_device, "exact"
    if rate is None and result.throughput.tflops_per_device is not None and per_token:
        rate = result.throughput.tflops_per_device * TERA / per_token
    if spec.mfu is not None and per_token:
        rate, basis = spec.mfu * peak * TERA / per_token, "assumption"
    units = devices_per_unit(scenario.hardware, scenario.peak)
    price, price_basis = spec.price_per_device_hour, "exact"
    if price is None and scenario.hardware.price_per_hour_usd is not None and spec.currency == "USD":
        price, price_basis = scenario.hardware.price_per_hour_usd / units, "assumption"
    return _Basics(result=result, peak=peak, per_token=per_token, rate=rate,
                   rate_basis="assumption" if basis == "assumption" else "exact",
                   devices=spec.devices if spec.devices is not None else scenario.run.devices, units=units, price=price,
                   price_basis="assumption" if price_basis == "assumption" else "exact")


def _tokens(spec: PlanSpec, active: int) -> float | None:
    """Tokens of the run: given, per parameter, or what a fit finds best."""
    if spec.tokens_per_parameter is not None:
        return spec.tokens_per_parameter * active
    if spec.compute_optimal is not None:
        return scaling.tokens_for_parameters(active, spec.compute_optimal)
    return spec.tokens


def _time(basics: _Basics, spec: PlanSpec, solution: Solution, losses: Goodput) -> Figures:
    tokens, rate, devices, days = solution.tokens, solution.rate, solution.devices, solution.days
    parameters = basics.result.parameters
    figures = [
        Figure(key="tokens", label=N_("Tokens"), value=tokens, unit=N_("tokens"),
               basis="model" if spec.unknown == "tokens" else "exact"),
        Figure(key="flops", label=N_("FLOPs of the run"), unit="FLOP",
               value=None if tokens is None else tokens * basics.per_token,
               expression=N_("tokens × FLOPs per token of the convention"),
               numbers={"tokens": tokens, "flops_per_token": basics.per_token}),
        missing("flops_6nd", N_("FLOPs by 6ND"), "FLOP") if tokens is None else end_to_end.six_nd.figure(
            "flops_6nd", N_("FLOPs by 6ND"), active_parameters=parameters.active, tokens=tokens),
        Figure(key="executed_flops", label=N_("Executed FLOPs"), unit="FLOP",
               value=None if tokens is None else tokens * basics.result.flops.hardware_per_token,
               expression=N_("tokens × FLOPs per token, recomputation included"),
               numbers={"tokens": tokens, "flops_per_token": basics.result.flops.hardware_per_token}),
        Figure(key="steps", label=N_("Optimizer steps"), expression=N_("tokens ÷ tokens of a step"),
               value=None if tokens is None or not basics.result.tokens_per_step else
               ceil(tokens / basics.result.tokens_per_step),
               numbers={"tokens": tokens, "tokens_per_step": basics.result.tokens_per_step}),
        Figure(key="devices", label=N_("Devices"), value=devices,
               basis="model" if spec.unknown == "devices" else "exact"),
        Figure(key="mfu", label=N_("MFU of the steps"), value=_mfu(basics, rate),
               basis="model" if spec.unknown == "mfu" else basics.rate_basis,
               expression=N_("tokens per second and device × FLOPs per token ÷ peak"),
               numbers={"tokens_per_s_per_device": rate, "flops_per_token": basics.per_token,
                        "peak_tflops": basics.peak}),
    ]
    if rate is not None and devices is not None:
        figures.append(Figure(key="tokens_per_s", label=N_("Tokens per second"), value=rate * devices,
                              unit=N_("tokens/s"), basis=basics.rate_basis,
                              expression=N_("tokens per second and device × devices"),
                              numbers={"tokens_per_s_per_device": rate, "devices": devices}))
        figures.append(Figure(key="tokens_per_day", label=N_("Tokens per day"), unit=N_("tokens/day"), basis="model",
                              value=rate * devices * SECONDS_PER_DAY * losses.at(devices),
                              expression=N_("86400 × tokens per second × goodput"),
                              numbers={"tokens_per_s": rate * devices, "goodput": losses.at(devices)}))
    figures += _duration(tokens, rate, devices, days, solution)
    figures += _whole_run(basics, spec, solution)
    return tuple(figures)


def _mfu(basics: _Basics, rate: float | None) -> float | None:
    return None if rate is None else rate * basics.per_token / (basics.peak * TERA)


def _duration(tokens: float | None, rate: float | None, devices: int | None, days: float | None,
              solution: Solution) -> list[Figure]:
    """Wall time and device-hours; from devices and days alone where they are all there is."""
    if days is None or devices is None:
        return [missing("seconds", N_("Wall time"), "s"), missing("days", N_("Days"), N_("days")),
                missing("device_hours", N_("Device-hours"), "h")]
    numbers: Values = {"days": days}
    rule_id, expression = "", N_("days × 86400")
    basis: Basis = "exact"
    if tokens is not None and rate is not None:
        rule = end_to_end.time_from_throughput_s
        rule_id, expression, basis = rule.id, rule.expression, "model"
        numbers = {"tokens": tokens, "tokens_per_s": rate * devices, "goodput": solution.goodput}
    seconds = days * SECONDS_PER_DAY
    return [
        Figure(key="seconds", label=N_("Wall time"), value=seconds, unit="s", basis=basis, formula=rule_id,
               expression=expression, numbers=numbers),
        Figure(key="days", label=N_("Days"), value=days, unit=N_("days"), basis=basis, formula=rule_id,
               expression=expression, numbers=numbers),
        end_to_end.device_hours.figure("device_hours", N_("Device-hours"), basis, devices=devices, seconds=seconds),
    ]


def _whole_run(basics: _Basics, spec: PlanSpec, solution: Solution) -> list[Figure]:
    """Utilization over the wall time, kept apart from the MFU of the steps."""
    mfu, label = _mfu(basics, solution.rate), N_("Whole-run utilization")
    found = [Figure(key="whole_run_utilization", label=label, basis="model",
                    value=None if mfu is None or solution.goodput is None else mfu * solution.goodput,
                    expression=N_("MFU of the steps × goodput"),
                    numbers={"mfu": mfu, "goodput": solution.goodput})]
    if spec.billed_device_hours is not None and solution.tokens is not None:
        found.append(end_to_end.utilization_from_hours.figure(
            "billed_utilization", N_("Utilization of the billed hours"), flops=solution.tokens * basics.per_token,
            device_hours=spec.billed_device_hours, peak_tflops=basics.peak))
    return found


def _cost(basics: _Basics, hours: float | int | None, billed: float | None) -> Figures:
    """Price, cost, and what the hours that were billed cost, where they are known."""
    price = Figure(key="price_per_device_hour", label=N_("Price of a device-hour"), value=basics.price,
                   basis=basics.price_basis)
    found = [price]
    for key, label, counted in (("total", N_("Cost"), hours), ("billed_total", N_("Cost of the billed hours"), billed)):
        if basics.price is not None and counted is not None:
            found.append(end_to_end.cost.figure(key, label, basics.price_basis, device_hours=counted,
                                                price_per_device_hour=basics.price))
        elif key == "total":
            found.append(missing(key, label))
    return tuple(found)


def _about(scenario: Scenario, spec: PlanSpec, basics: _Basics, solution: Solution, time: Figures,
           cost: Figures) -> list[Notice]:
    """What is missing, what cannot be, what breaks a limit, what leaves a formula's domain."""
    found = [Notice(NEEDS[key], key) for key in solution.needs]
    if solution.impossible:
        found.append(Notice("plan_impossible", "plan.failures"))
    mfu = _mfu(basics, solution.rate)
    if mfu is not None and mfu > 1:
        found.append(Notice("plan_above_peak", "plan.mfu", {"mfu": mfu}))
    billed = next((figure.value for figure in time if figure.key == "billed_utilization"), None)
    if billed is not None and billed > 1:
        found.append(Notice("plan_billed_above_peak", "plan.billed_device_hours", {"share": billed}))
    if spec.unknown == "devices" and solution.devices is not None:
        found.append(Notice("plan_mfu_held", "run.devices", {"devices": solution.devices}))
    found += _limits(spec, solution, cost)
    found += _about_6nd(scenario, basics)
    if basics.result.convention_kind == "hardware":
        found.append(Notice("plan_counts_recompute", "convention.id"))
    return found


def _limits(spec: PlanSpec, solution: Solution, cost: Figures) -> list[Notice]:
    found: list[Notice] = []
    if spec.days is not None and solution.days is not None and solution.days > spec.days * (1 + 1e-9):
        found.append(Notice("plan_too_long", "plan.days", {"days": solution.days, "limit": spec.days}))
    total = next((figure.value for figure in cost if figure.key == "total"), None)
    if spec.budget is not None and total is not None and total > spec.budget * (1 + 1e-9):
        found.append(Notice("plan_over_budget", "plan.budget",
                            {"cost": total, "limit": spec.budget, "currency": spec.currency}))
    return found


def _about_6nd(scenario: Scenario, basics: _Basics) -> list[Notice]:
    """6ND leaves out attention scores: say so where they matter.  Causal, they add 6·L·heads·head_dim·T per token."""
    simple = end_to_end.six_nd(basics.result.parameters.active, 1.0)
    if scenario.run.trainable != "full" or not simple:
        return []
    flops, _ = count(scenario.model, scenario.run, find("matmul-causal"))
    share = core_share(flops) * flops.per_token / simple
    if share <= end_to_end.LARGE_ATTENTION_SHARE:
        return []
    return [Notice("six_nd_falls_short", "plan.tokens", {"share": share})]
