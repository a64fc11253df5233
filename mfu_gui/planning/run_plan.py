"""Time, money, energy and goodput of a whole run."""

from __future__ import annotations

from datetime import date, timedelta
from math import ceil

import msgspec

from mfu_gui.engine.compare import flops_per_token
from mfu_gui.engine.conventions import find
from mfu_gui.engine.errors import Notice
from mfu_gui.engine.evaluate import evaluate
from mfu_gui.engine.fields import N_
from mfu_gui.engine.scenario import Result, Scenario
from mfu_gui.planning import end_to_end, energy, scaling
from mfu_gui.planning.failures import Goodput, goodput_figures, goodput_of
from mfu_gui.planning.formula import SECONDS_PER_DAY, TERA, Basis, Figure, missing
from mfu_gui.planning.memory import devices_per_unit
from mfu_gui.planning.solve import Known, Solution, solve
from mfu_gui.planning.spec import PlanSpec, check_plan

USUAL_PUE = 1.1
USUAL_GRID_KG_PER_KWH = 0.385
"""The average of the United States that the figures of LLaMA were made with."""
Figures = tuple[Figure, ...]


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
    tokens, token_notices = _tokens(spec, basics)
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
    cost = _cost(basics, hours)
    notices = [*token_notices, *_about(scenario, spec, basics, solution, cost), *lost_notices]
    return RunPlan(solution=solution, time=time, cost=cost, currency=spec.currency,
                   energy=_energy(scenario, spec, basics.units, hours), goodput=tuple(lost),
                   scaling=_scaling(basics, solution.tokens), dates=_dates(spec.start_date, solution.days),
                   notices=tuple(notices))


def _basics(scenario: Scenario, spec: PlanSpec, result: Result) -> _Basics:
    peak, per_token = result.peak_tflops_per_device, result.flops.per_token
    rate, basis = result.throughput.tokens_per_s_per_device, "exact"
    if rate is None and result.throughput.tflops_per_device is not None and per_token:
        rate = result.throughput.tflops_per_device * TERA / per_token
    if spec.mfu is not None:
        rate, basis = spec.mfu * peak * TERA / per_token, "assumption"
    units = devices_per_unit(scenario.hardware, scenario.peak)
    price, price_basis = spec.price_per_device_hour, "exact"
    if price is None and scenario.hardware.price_per_hour_usd is not None and spec.currency == "USD":
        price, price_basis = scenario.hardware.price_per_hour_usd / units, "assumption"
    return _Basics(result=result, peak=peak, per_token=per_token, rate=rate,
                   rate_basis="assumption" if basis == "assumption" else "exact",
                   devices=spec.devices if spec.devices is not None else scenario.run.devices, units=units, price=price,
                   price_basis="assumption" if price_basis == "assumption" else "exact")


def _tokens(spec: PlanSpec, basics: _Basics) -> tuple[float | None, tuple[Notice, ...]]:
    """Tokens of the run: given, per parameter, or what a fit finds best."""
    check_plan(spec)
    active = basics.result.parameters.active
    if spec.tokens_per_parameter is not None:
        return spec.tokens_per_parameter * active, ()
    if spec.compute_optimal is not None:
        return (scaling.tokens_for_parameters(active, spec.compute_optimal),
                scaling.tokens_for_parameters.check(active, spec.compute_optimal))
    return spec.tokens, ()


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
                              unit=N_("tokens/s"), basis=basics.rate_basis))
        figures.append(Figure(key="tokens_per_day", label=N_("Tokens per day"), unit=N_("tokens/day"), basis="model",
                              value=rate * devices * SECONDS_PER_DAY * losses.at(devices)))
    figures += _duration(tokens, rate, devices, days, solution)
    figures += _whole_run(basics, spec, solution)
    return tuple(figures)


def _mfu(basics: _Basics, rate: float | None) -> float | None:
    return None if rate is None else rate * basics.per_token / (basics.peak * TERA)


def _duration(tokens: float | None, rate: float | None, devices: int | None, days: float | None,
              solution: Solution) -> list[Figure]:
    if days is None or devices is None or tokens is None or rate is None:
        return [missing("seconds", N_("Wall time"), "s"), missing("days", N_("Days"), N_("days")),
                missing("device_hours", N_("Device-hours"), "h")]
    numbers = {"tokens": tokens, "tokens_per_s": rate * devices, "goodput": solution.goodput}
    seconds = days * SECONDS_PER_DAY
    rule = end_to_end.time_from_throughput_s
    return [
        Figure(key="seconds", label=N_("Wall time"), value=seconds, unit="s", basis="model", formula=rule.id,
               expression=rule.expression, numbers=numbers),
        Figure(key="days", label=N_("Days"), value=days, unit=N_("days"), basis="model", formula=rule.id,
               expression=rule.expression, numbers=numbers),
        end_to_end.device_hours.figure("device_hours", N_("Device-hours"), "model", devices=devices, seconds=seconds),
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


def _cost(basics: _Basics, hours: float | int | None) -> Figures:
    price = Figure(key="price_per_device_hour", label=N_("Price of a device-hour"), value=basics.price,
                   basis=basics.price_basis)
    if basics.price is None or hours is None:
        return (price, missing("total", N_("Cost")))
    return (price, end_to_end.cost.figure("total", N_("Cost"), basics.price_basis, device_hours=hours,
                                          price_per_device_hour=basics.price))


def _energy(scenario: Scenario, spec: PlanSpec, units: int, hours: float | int | None) -> Figures:
    given = spec.energy
    rated = scenario.hardware.power_w
    power = given.power_w if given.power_w is not None else None if rated is None else rated / units
    draw = 1.0 if given.draw is None else given.draw
    pue = USUAL_PUE if given.pue is None else given.pue
    grid = USUAL_GRID_KG_PER_KWH if given.grid_kg_per_kwh is None else given.grid_kg_per_kwh
    inputs = (
        Figure(key="power_w", label=N_("Power of a device"), value=power, unit="W",
               basis="exact" if given.power_w is not None else "assumption"),
        Figure(key="draw", label=N_("Share of it drawn"), value=draw, basis="exact" if given.draw else "assumption"),
        Figure(key="pue", label="PUE", value=pue, basis="exact" if given.pue else "assumption"),
        Figure(key="grid_kg_per_kwh", label=N_("Emissions of the grid"), value=grid, unit="kg/kWh",
               basis="assumption" if given.grid_kg_per_kwh is None else "exact"),
    )
    if power is None or hours is None:
        return (missing("kwh", N_("Energy"), "kWh"), missing("tco2", N_("Emissions"), "tCO2e"), *inputs)
    basis: Basis = "model" if all(part.basis == "exact" for part in inputs[:3]) else "assumption"
    used = energy.energy_kwh.figure("kwh", N_("Energy"), basis, device_hours=hours, watts=power, pue=pue, draw=draw,
                                    host_factor=given.host_factor)
    emitted = energy.emissions_tonnes.figure(
        "tco2", N_("Emissions"), "assumption" if inputs[3].basis == "assumption" else basis, kwh=used.value,
        kg_per_kwh=grid)
    return (used, emitted, *inputs)


def _scaling(basics: _Basics, tokens: float | None) -> Figures:
    """Tokens that three rules find best for this size, and how the plan compares."""
    active = basics.result.parameters.active
    figures = [
        Figure(key="tokens_20_per_parameter", label=N_("Tokens by 20 per parameter"), unit=N_("tokens"), basis="model",
               value=scaling.TOKENS_PER_PARAMETER * active, formula="S3.20_tokens", expression="D = 20·N",
               numbers={"parameters": active}),
        scaling.tokens_for_parameters.figure("tokens_hoffmann", N_("Tokens by Hoffmann's printed fit"),
                                             parameters=active, fit="hoffmann"),
        scaling.tokens_for_parameters.figure("tokens_epoch", N_("Tokens by the repeated fit"), parameters=active,
                                             fit="epoch_replication"),
    ]
    if tokens is not None:
        figures.insert(0, Figure(key="tokens_per_parameter", label=N_("Tokens per parameter"), value=tokens / active,
                                 numbers={"tokens": tokens, "parameters": active}))
    return tuple(figures)


def _dates(start: str | None, days: float | None) -> tuple[str, str] | None:
    """First and last day; None without a start, and for an end that no calendar has."""
    if start is None or days is None:
        return None
    try:
        return start, (date.fromisoformat(start) + timedelta(days=ceil(days))).isoformat()
    except OverflowError:
        return None


def _about(scenario: Scenario, spec: PlanSpec, basics: _Basics, solution: Solution, cost: Figures) -> list[Notice]:
    """What is missing, what cannot be, what breaks a limit, what leaves a formula's domain."""
    found = [Notice("plan_needs", key, {"unknown": spec.unknown}) for key in solution.needs]
    if solution.impossible:
        found.append(Notice("plan_impossible", "plan.failures"))
    mfu = _mfu(basics, solution.rate)
    if mfu is not None and mfu > 1:
        found.append(Notice("plan_above_peak", "plan.mfu", {"mfu": mfu}))
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
    """6ND leaves out attention scores: say so where they matter."""
    exact = flops_per_token(find("matmul-causal"), scenario.model, scenario.run)
    simple = end_to_end.six_nd(basics.result.parameters.active, 1.0)
    if scenario.run.trainable != "full" or not simple or exact <= simple * (1 + end_to_end.LARGE_ATTENTION_SHARE):
        return []
    return [Notice("six_nd_falls_short", "plan.tokens", {"share": exact / simple - 1})]
