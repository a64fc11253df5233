"""Parts of a run's plan beside its time: energy and emissions, tokens by the scaling fits, calendar days."""

from __future__ import annotations

from datetime import date, timedelta
from math import ceil

from mfu_gui.engine.errors import Notice
from mfu_gui.engine.fields import N_
from mfu_gui.engine.model import ModelSpec, MoE
from mfu_gui.engine.scenario import Scenario
from mfu_gui.planning import energy, scaling
from mfu_gui.planning.formula import Basis, Figure, missing
from mfu_gui.planning.spec import PlanSpec

USUAL_PUE = 1.1
USUAL_GRID_KG_PER_KWH = 0.385
"""The average of the United States that the figures of LLaMA were made with."""
Figures = tuple[Figure, ...]


def energy_figures(scenario: Scenario, spec: PlanSpec, units: int, hours: float | int | None) -> Figures:
    """Energy and emissions of ``hours`` device-hours, and what they were computed from.

    ``units``: counted devices in one unit of the preset, whose rated power they share.
    """
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


def scaling_figures(active: int, tokens: float | None) -> Figures:
    """Tokens that three rules find best for this size, and how the plan compares."""
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
                                 expression=N_("tokens ÷ active parameters"),
                                 numbers={"tokens": tokens, "parameters": active}))
    return tuple(figures)


def dates(start: str | None, days: float | None) -> tuple[str, str] | None:
    """First and last day; None without a start, and for an end that no calendar has."""
    if start is None or days is None:
        return None
    try:
        return start, (date.fromisoformat(start) + timedelta(days=ceil(days))).isoformat()
    except OverflowError:
        return None


def scaling_notices(model: ModelSpec, spec: PlanSpec, figures: Figures) -> tuple[Notice, ...]:
    """Where the fits do not reach, once; and that they are of dense models, when one of them is used."""
    found = [notice for figure in figures for notice in figure.notices][:1]
    if spec.compute_optimal is not None and any(isinstance(ffn, MoE) for kind in model.main.kinds for ffn in kind.ffns):
        found.append(Notice("scaling_dense_only", "plan.compute_optimal"))
    return tuple(found)
