"""Speed of the step-time model: one scenario, its waterfall, and many layouts at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from mfu_gui.planning.step_core import Grid, step_seconds
from mfu_gui.planning.step_time import step_inputs, step_time
from mfu_gui.planning.waterfall import waterfall
from tests.planning.step_runs import b200

CASE = "deepseekv3_l4_tp1_ep4_pp2_dp4_mbc8_cef"
LAYOUTS = 100_000


def test_step_time(benchmark: Any) -> None:
    """One step by component, with formulas."""
    assert benchmark(step_time, b200(CASE)).total_s > 0


def test_waterfall(benchmark: Any) -> None:
    """One waterfall of a measured step."""
    assert benchmark(waterfall, b200(CASE, 0.7716)).utilization > 0


def test_many_layouts(benchmark: Any) -> None:
    """100,000 layouts in one call; the goal is 50,000 a second with the rest of a search."""
    inputs = step_inputs(b200(CASE))
    random = np.random.default_rng(1)
    sizes = {name: random.choice([1.0, 2.0, 4.0, 8.0], LAYOUTS) for name in ("tensor", "pipeline", "expert", "context")}
    grid = Grid(**{name: getattr(inputs.grid, name) for name in Grid.__struct_fields__} | sizes)
    found = benchmark(step_seconds, inputs.work, inputs.machine, grid, inputs.choices)
    assert found.total_s.shape == (LAYOUTS,)
