"""Golden rows from tests/data/golden: what they say, as scenarios."""

from __future__ import annotations

import json
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from pathlib import Path
from typing import Any

from mfu_gui.engine.scenario import Result, Scenario
from mfu_gui.formats.presets import PresetStore
from mfu_gui.formats.scenario_file import load_value

FOLDER = Path(__file__).resolve().parent.parent / "data" / "golden"
SECONDS_A_DAY = 86400


@cache
def file(name: str) -> dict[str, Any]:
    """One data file."""
    data: dict[str, Any] = json.loads((FOLDER / name).read_text(encoding="utf-8"))
    return data


def rows(name: str) -> list[dict[str, Any]]:
    """Its rows."""
    found: list[dict[str, Any]] = file(name)["rows"]
    return found


def scenario_of(name: str, row: dict[str, Any], measured: dict[str, float] | None = None) -> Scenario:
    """The scenario of a row, through the reader of scenario files."""
    value = {
        "kind": "mfu-scenario", "schema": 1, "name": row["id"],
        "model": file(name)["models"][row["model"]],
        "hardware": {"spec": {"name": "as printed", "peak_tflops": {"bf16": row.get("peak_tflops", 1)}}},
        "run": {**row["run"], **({"measured": measured} if measured else {})},
        "convention": row["convention"],
    }
    return load_value(value, PresetStore()).scenario


def quantity(result: Result, name: str) -> float:
    """A figure of a result by the name that the data use."""
    if name == "flops_per_token":
        return result.flops.per_token
    if name == "tflops_per_token":
        return result.flops.per_token / 1e12
    if name == "hfu_pct":
        assert result.hfu is not None
        return result.hfu * 100
    rates = result.throughput
    assert rates.tflops_per_device is not None
    if name == "tflops_per_device":
        return rates.tflops_per_device
    if name == "days_for_300b_tokens":
        assert rates.tokens_per_s is not None
        return 300e9 / rates.tokens_per_s / SECONDS_A_DAY
    assert name == "mfu_pct", name
    return rates.tflops_per_device / result.peak_tflops_per_device * 100


def rounds_to(value: float, printed: str) -> bool:
    """Whether ``value`` itself, rounded half up to the printed digits, reads as ``printed``."""
    places = Decimal(1).scaleb(int(Decimal(printed).as_tuple().exponent))
    return Decimal(repr(value)).quantize(places, ROUND_HALF_UP) == Decimal(printed)
