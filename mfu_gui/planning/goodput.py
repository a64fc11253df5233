"""How much of the wall time is training: failures, checkpoints, restarts.

Young 1974 (first-order optimum interval), Daly 2006 (higher-order), both for failures without memory.
An asynchronous checkpoint costs only the stall it causes.
"""

from __future__ import annotations

from math import sqrt

from mfu_gui.engine.errors import Notice
from mfu_gui.engine.fields import N_
from mfu_gui.planning.formula import formula

SMALL_AGAINST_MTBF = 0.1
"""The formulas assume that checkpoint and restart are short against the time between failures."""
HOURS_PER_DAY = 24.0


@formula("G1.mtbf", expression=N_("hours ÷ failures"), unit="h", basis="exact",
         source="definition; Llama 3, arXiv 2407.21783, section 3.3.4")
def mtbf_hours(hours: float, failures: float) -> float:
    """Mean time between failures of a whole run."""
    return hours / failures


@formula("G1.per_gpu_mtbf", expression=N_("MTBF × devices"), unit="h", basis="model",
         source="failures of devices independent of each other")
def device_mtbf_hours(mtbf_hours: float, devices: int) -> float:
    """Mean device-hours between failures, from the whole run's."""
    return mtbf_hours * devices


@formula("G1.run_mtbf", expression=N_("device-hours between failures ÷ devices"), unit="h", basis="model",
         source="failures of devices independent of each other")
def run_mtbf_hours(device_mtbf_hours: float, devices: float) -> float:
    """Mean time between failures of a run on ``devices``."""
    return device_mtbf_hours / devices


@formula("G1.mtbf_from_node_rate", expression=N_("24 ÷ (failures per node-day × nodes)"), unit="h", basis="model",
         source="Kokolis et al. 2024, arXiv 2410.21680")
def mtbf_from_node_rate(failures_per_node_day: float, nodes: float) -> float:
    """Mean time between failures of ``nodes`` that fail this often."""
    return HOURS_PER_DAY / (failures_per_node_day * nodes)


def _short_checkpoint(checkpoint_s: float, mtbf_s: float) -> tuple[Notice, ...]:
    if checkpoint_s <= SMALL_AGAINST_MTBF * mtbf_s:
        return ()
    return (Notice("goodput_outside_domain", "plan.failures", {"seconds": checkpoint_s, "mtbf": mtbf_s}),)


@formula("G2.young", expression="τ = √(2·C·M)", unit="s", basis="model", source="Young 1974, CACM 17(9)",
         domain=_short_checkpoint)
def young_interval_s(checkpoint_s: float, mtbf_s: float) -> float:
    """Work between two checkpoints that loses the least, to first order."""
    return sqrt(2.0 * checkpoint_s * mtbf_s)


def _daly_domain(checkpoint_s: float, mtbf_s: float) -> tuple[Notice, ...]:
    if checkpoint_s < 2.0 * mtbf_s:
        return ()
    return (Notice("goodput_outside_domain", "plan.failures", {"seconds": checkpoint_s, "mtbf": mtbf_s}),)


@formula("G2.daly", expression="τ = √(2CM)·[1 + ⅓·√(C/2M) + C/18M] − C", unit="s", basis="model",
         source="Daly 2006, FGCS 22(3), eq. 37", domain=_daly_domain)
def daly_interval_s(checkpoint_s: float, mtbf_s: float) -> float:
    """Work between two checkpoints that loses the least, to higher order; M itself once C ≥ 2M."""
    if checkpoint_s >= 2.0 * mtbf_s:
        return mtbf_s
    ratio = checkpoint_s / (2.0 * mtbf_s)
    return sqrt(2.0 * checkpoint_s * mtbf_s) * (1.0 + sqrt(ratio) / 3.0 + ratio / 9.0) - checkpoint_s


def _short_losses(checkpoint_s: float, restart_s: float, mtbf_s: float, interval_s: float) -> tuple[Notice, ...]:
    longest = max(checkpoint_s, restart_s)
    if longest <= SMALL_AGAINST_MTBF * mtbf_s and interval_s <= mtbf_s:
        return ()
    return (Notice("goodput_outside_domain", "plan.failures",
                   {"seconds": max(longest, interval_s), "mtbf": mtbf_s}),)


@formula("G3.goodput", expression="[1 − C/(τ+C)]·[1 − (R + (τ+C)/2)/M]", basis="model",
         source="first order in C/M and R/M; Young 1974, Daly 2006", domain=_short_losses)
def goodput(checkpoint_s: float, restart_s: float, mtbf_s: float, interval_s: float) -> float:
    """Share of the wall time that trains: what checkpoints and lost work leave of it.  Never below 0."""
    period = interval_s + checkpoint_s
    kept = 1.0 - (restart_s + period / 2.0) / mtbf_s
    return max(0.0, (interval_s / period if period else 1.0) * kept)
