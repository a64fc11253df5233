"""What papers, frameworks and performance pages printed, computed again from the inputs they printed."""

from __future__ import annotations

from typing import Any

import pytest

from mfu_gui.engine.evaluate import evaluate
from tests.engine.golden import quantity, rows, scenario_of
from tests.rounding import meets, rounds_to

MUST = "must_come_out.json"
PUBLISHED = "published.json"
SOURCES = "source_works.json"


def _id(row: dict[str, Any]) -> str:
    return str(row["id"])


@pytest.mark.parametrize("row", rows(MUST), ids=_id)
def test_must_come_out_to_the_printed_digit(row: dict[str, Any]) -> None:
    measured = {row["input"]["key"]: float(row["input"]["printed"])}
    result = evaluate(scenario_of(MUST, row, measured))
    for name, printed in row["expected"].items():
        assert rounds_to(quantity(result, name), printed), (name, quantity(result, name))


@pytest.mark.parametrize("row", rows(PUBLISHED), ids=_id)
def test_published_figure_closes_where_its_source_is_consistent(row: dict[str, Any]) -> None:
    if row["input"] is None:
        result = evaluate(scenario_of(PUBLISHED, row))
        assert row["closes"]
        assert all(rounds_to(quantity(result, name), printed) for name, printed in row["expected"].items())
        return
    closes = []
    for name, printed in row["expected"].items():

        def at(value: float, name: str = name) -> float:
            return quantity(evaluate(scenario_of(PUBLISHED, row, {row["input"]["key"]: value})), name)

        closes.append(meets(at, row["input"]["printed"], printed, row["input"].get("half_digit")))
    assert all(closes) == row["closes"]


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
