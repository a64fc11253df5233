"""The table of what users ask for is whole and true: what it names exists, and its figures come out."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from mfu_gui.cli.commands import COMMANDS
from mfu_gui.engine.conventions import find
from mfu_gui.engine.evaluate import evaluate
from mfu_gui.engine.mends import MENDS
from mfu_gui.engine.run import Measured, RunSpec
from mfu_gui.engine.scenario import ConventionChoice, Scenario
from mfu_gui.formats.presets import PresetStore
from mfu_gui.texts.sentences import CAUSES, SENTENCES
from mfu_gui.ui.actions import ACTIONS
from mfu_gui.ui.field_places import field_places

ROOT = Path(__file__).resolve().parent.parent
TABLE = (ROOT / "tests" / "data" / "user_wants.json").read_text(encoding="utf-8")
ROWS: list[dict[str, Any]] = json.loads(TABLE)["rows"]
STORE = PresetStore()
EXPECTED = [*(f"ux-1.{n}" for n in range(1, 16)), *(f"ux-2.{n}" for n in range(1, 16)),
            *(f"ux-3.{n}" for n in range(1, 5)), *(f"ux-4.{n}" for n in range(1, 18)),
            *(f"want-{n}" for n in range(1, 107))]


@cache
def source(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def exists(reference: str) -> bool:
    """Whether what a reference names is there."""
    kind, _, name = reference.partition(":")
    if kind == "test":
        file, _, function = name.partition("::")
        return re.search(rf"^def {function}\(", source(file), re.MULTILINE) is not None
    if kind == "module":
        return (ROOT / name).is_file()
    if kind == "doc":
        file, _, word = name.partition("=")
        return word in source(file)
    if kind == "preset":
        return any(info.id == name for info in STORE.infos())
    if kind == "convention":
        return find(name) is not None  # raises for an unknown one
    tables: dict[str, Any] = {
        "action": {spec.key for spec in ACTIONS}, "field": {place.field.key for place in field_places()},
        "remark": SENTENCES, "cause": CAUSES, "mend": MENDS, "command": COMMANDS}
    return name in tables[kind]


def test_every_item_has_a_row() -> None:
    assert [row["id"] for row in ROWS] == EXPECTED


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_what_a_row_names_exists(row: dict[str, Any]) -> None:
    assert row["want"]
    if row["built"]:
        assert row["where"] or row.get("check")
    else:
        assert row["note"]
    assert [reference for reference in row["where"] if not exists(reference)] == []


def meets(value: float, printed: str) -> bool:
    """Whether ``value`` rounds to the digits printed."""
    return f"{value:.{len(printed.partition('.')[2])}f}" == printed


CHECKED = [row for row in ROWS if "check" in row]


@pytest.mark.parametrize("row", CHECKED, ids=lambda row: row["id"])
def test_the_figures_of_a_row_come_out(row: dict[str, Any]) -> None:
    check = row["check"]
    tried = 0
    precision = check.get("precision", "bf16")
    for preset, printed in check.get("peaks", {}).items():
        digits = len(str(printed).partition(".")[2])
        peak, half = printed if isinstance(printed, list) else (printed, 0.5 / 10**digits)
        assert abs(STORE.hardware(preset).spec.peak_tflops[precision] - peak) <= half + 1e-9, preset
        tried += 1
    if "tflops" in check:
        own = STORE.hardware(check["hardware"]).spec.peak_tflops["bf16"]
        peak, half = check.get("peak", (own, 0.0))  # as the source printed it
        assert abs(own - peak) <= half
        assert any(meets(100 * check["tflops"] / used, check["percent"]) for used in (peak - half, peak, peak + half))
        tried += 1
    if "divide" in check:
        printed, by, true = check["divide"]
        assert meets(float(printed) / by, true)
        tried += 1
    if "lora_ratio" in check:
        share, ratio = check["lora_ratio"]
        assert meets((1 + 1 + float(share)) / 3, ratio)
        tried += 1
    for convention, printed in check.get("gflop_per_token", ()):
        made = Scenario(model=STORE.model("llama-3.1-8b").spec, hardware=STORE.hardware("nvidia-h100-sxm5-80gb").spec,
                        run=RunSpec(sequence_length=8192), convention=ConventionChoice(id=convention))
        assert meets(evaluate(made).flops.per_token / 1e9, printed)
        tried += 1
    if check.get("gpt3"):
        # mlcommons/training_results_v3.1: 0.93 s a step, 2688 sequences of 2048 on 10,752 H100.
        run = RunSpec(sequence_length=2048, global_batch=2688, devices=10752, measured=Measured(step_time_s=0.93))
        made = Scenario(model=STORE.model("gpt3-175b").spec, hardware=STORE.hardware(check["hardware"]).spec, run=run)
        mfu = evaluate(made).mfu
        assert mfu is not None
        assert 0.58 <= mfu <= 0.60
        tried += 1
    assert tried
