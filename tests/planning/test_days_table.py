"""The table of days: the plan's own cell is the plan, the others are plans of their own."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from mfu_gui.engine.evaluate import evaluate
from mfu_gui.planning.days_table import days_table
from mfu_gui.planning.run_plan import plan_run
from mfu_gui.planning.spec import FailureSpec, PlanSpec
from tests.planning.scenarios import scenario

RUN = scenario()
FAILING = FailureSpec(device_mtbf_hours=50_000)


@pytest.mark.parametrize("failures", [None, FAILING])
def test_each_cell_is_a_plan_with_these_devices_and_this_mfu(failures: FailureSpec | None) -> None:
    spec = PlanSpec(tokens=15e12, failures=failures)
    table = days_table(RUN, spec, plan_run(RUN, spec))
    assert table is not None
    assert table.given
    row, column = table.present
    assert table.days[row][column] == pytest.approx(plan_run(RUN, spec).value("time", "days"), rel=1e-12)
    assert len(table.devices) == 5
    for devices, days in zip(table.devices, table.days, strict=True):
        for mfu, found in zip(table.mfus, days, strict=True):
            other = plan_run(RUN, replace(spec, devices=devices, mfu=mfu))
            assert found == pytest.approx(other.value("time", "days"), rel=1e-12)


def test_without_tokens_it_is_for_20_per_parameter() -> None:
    plan = plan_run(RUN, PlanSpec())
    table = days_table(RUN, PlanSpec(), plan)
    assert table is not None
    assert not table.given
    assert table.tokens == 20 * evaluate(RUN).parameters.active
    assert table.mfus == tuple(sorted(table.mfus))


def test_without_devices_or_speed_there_is_none() -> None:
    unknown = replace(RUN, run=replace(RUN.run, measured=None))
    spec = PlanSpec(tokens=1e12)
    assert days_table(unknown, spec, plan_run(unknown, spec)) is None
