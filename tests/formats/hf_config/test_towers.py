"""What one image costs in tower and connector: equal to what counting the operators of real code gives."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mfu_gui.engine.inspection import inspect
from mfu_gui.engine.run import RunSpec
from mfu_gui.formats.hf_config import read_config

DATA = Path(__file__).resolve().parents[2] / "data"
CASES: list[dict[str, Any]] = json.loads((DATA / "measured_towers.json").read_text("utf-8"))["cases"]


def _forward(config: dict[str, Any], images: int) -> int:
    run = RunSpec(sequence_length=16, global_batch=1, images=images)
    return inspect(read_config(config).spec, run, as_executed=True).full_square.forward


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["config"]["model_type"])
def test_one_image(case: dict[str, Any]) -> None:
    config = case["config"]
    assert _forward(config, 1) - _forward(config, 0) == case["forward"]
    assert _forward(config, 3) - _forward(config, 0) == 3 * case["forward"]
