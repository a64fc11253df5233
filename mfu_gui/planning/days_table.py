"""How long a run takes on fewer or more devices, and at another MFU."""

from __future__ import annotations

import msgspec

from mfu_gui.engine.scenario import Scenario
from mfu_gui.planning.failures import goodput_of
from mfu_gui.planning.run_plan import RunPlan
from mfu_gui.planning.solve import Known, solve
from mfu_gui.planning.spec import PlanSpec

FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0)
"""Of the plan's devices."""
ROUND_MFUS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
NEAR = 0.15
"""A round MFU this near to that of the plan would tell the same twice."""


class DaysTable(msgspec.Struct, frozen=True, kw_only=True):
    """Wall days by devices (rows) and MFU of the steps (columns); None where failures leave no time for steps."""

    tokens: float
    given: bool
    """Whether the plan says so many tokens; else they are 20 for each active parameter."""
    devices: tuple[int, ...]
    mfus: tuple[float, ...]
    days: tuple[tuple[float | None, ...], ...]
    present: tuple[int, int]
    """Row and column of the plan itself."""


def days_table(scenario: Scenario, spec: PlanSpec, plan: RunPlan) -> DaysTable | None:
    """The days of ``plan``, which is that of ``spec``, and those around it.  None where it has no devices or no MFU.

    Each cell has the goodput of its number of devices; that the MFU stays when devices are added is for the reader
    to judge, which is why it varies too.
    """
    found = plan.solution
    mfu = plan.value("time", "mfu")
    if not found.devices or not found.rate or not mfu:
        return None
    tokens = found.tokens or plan.value("scaling", "tokens_20_per_parameter")
    if not tokens:
        return None
    losses = goodput_of(spec, scenario.hardware.devices_per_node)
    devices = tuple(dict.fromkeys(max(1, round(found.devices * factor)) for factor in FACTORS))
    mfus = tuple(sorted({mfu, *(each for each in ROUND_MFUS if abs(each / mfu - 1) > NEAR)}))

    def days(count: int, at: float) -> float | None:
        rate = (found.rate or 0.0) * at / mfu
        return solve("days", Known(tokens=tokens, rate=rate, devices=count), losses.at).days

    return DaysTable(tokens=tokens, given=found.tokens is not None, devices=devices, mfus=mfus,
                     days=tuple(tuple(days(count, at) for at in mfus) for count in devices),
                     present=(devices.index(found.devices), mfus.index(mfu)))
