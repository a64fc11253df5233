"""What papers and logs printed, computed again to the printed digit from the inputs they printed."""

from __future__ import annotations

from typing import Any

import pytest

from mfu_gui.engine.evaluate import evaluate
from tests.engine.golden import quantity, rounds_to, rows, scenario_of

MUST = "must_come_out.json"
SOURCES = "source_works.json"


def _id(row: dict[str, Any]) -> str:
    return str(row["id"])


@pytest.mark.parametrize("row", rows(MUST), ids=_id)
def test_must_come_out_to_the_printed_digit(row: dict[str, Any]) -> None:
    measured = {row["input"]["key"]: float(row["input"]["printed"])}
    result = evaluate(scenario_of(MUST, row, measured))
    for name, printed in row["expected"].items():
        assert rounds_to(quantity(result, name), printed), (name, quantity(result, name))


@pytest.mark.parametrize("row", rows(SOURCES), ids=_id)
def test_source_work_gives_its_number(row: dict[str, Any]) -> None:
    measured = {row["input"]["key"]: float(row["input"]["printed"])} if row.get("input") else None
    result = evaluate(scenario_of(SOURCES, row, measured))
    for name, value in row.get("parameters", {}).items():
        assert getattr(result.parameters, name) == value
    if "per_step" in row:
        assert result.flops.per_step == row["per_step"]
    if "forward" in row:
        assert result.flops.forward == row["forward"]
    for name, value in row.get("components", {}).items():
        assert result.flops.components[name].forward == value
    for name, printed in row.get("expected", {}).items():
        assert rounds_to(quantity(result, name), printed), (name, quantity(result, name))
