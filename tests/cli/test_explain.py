"""`mfu-gui explain`: what a reported number means."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import SCENARIOS, Cli

KEYS = {"sentence", "convention", "options", "peak_tflops", "peak_kind", "scope", "recompute", "unit_slip", "value",
        "residual", "plausibility"}
PATH = SCENARIOS / "deepseek-v3-2048-h800.mfu"


def explained(cli: Cli, value: dict[str, Any], *more: str) -> Any:
    done = cli("explain", "-", "--format", "json", *more, stdin=json.dumps(value).encode())
    assert (done.status, done.err) == (0, "")
    return done.json


def test_the_published_number_is_what_the_scenario_says(cli: Cli, scenario: dict[str, Any]) -> None:
    rows = explained(cli, scenario)
    assert all(set(row) == KEYS for row in rows)
    assert [row["plausibility"] for row in rows] == sorted((row["plausibility"] for row in rows), reverse=True)
    best = rows[0]
    assert (best["convention"], best["options"], best["peak_tflops"]) == ("matmul-full", {"router": False}, 989.0)
    assert best["value"] == pytest.approx(0.43728, abs=1e-5)
    assert abs(best["residual"]) < 0.0002
    assert best["plausibility"] == 1


def test_a_slide_that_divided_by_the_fp8_peak(cli: Cli, scenario: dict[str, Any]) -> None:
    # 385 TFLOP/s over the 1979 TFLOP/s of fp8 in place of the 989 of bf16.
    scenario["convention"] = {"id": "megatron-lm"}
    del scenario["hardware"]["peak_tflops"]
    scenario["reported"] = {"mfu": 0.195}
    best = explained(cli, scenario)[0]
    assert best["peak_tflops"] == pytest.approx(1979, rel=1e-3)
    assert "19.4" in best["sentence"] or "19.5" in best["sentence"]


def test_causal_and_full_are_told_apart_by_the_printed_digits(cli: Cli, scenario: dict[str, Any]) -> None:
    scenario["convention"] = {"id": "megatron-lm"}
    scenario["reported"] = {"mfu": 0.3894}
    assert explained(cli, scenario)[0]["convention"] == "megatron-lm"


@pytest.mark.parametrize("form", ["json", "text"])
def test_a_number_that_nothing_gives(cli: Cli, scenario: dict[str, Any], form: str) -> None:
    scenario["reported"] = {"tflops_per_device": 1e-7}
    done = cli("explain", "-", "--format", form, stdin=json.dumps(scenario).encode())
    assert done.status == 0
    assert done.out == "[]\n" if form == "json" else "No way of counting" in done.out


@pytest.mark.parametrize(("part", "field"), [("reported", "reported"), ("run.measured", "measured")])
def test_what_explaining_needs(cli: Cli, scenario: dict[str, Any], part: str, field: str) -> None:
    *keys, last = part.split(".")
    inner = scenario
    for key in keys:
        inner = inner[key]
    del inner[last]
    done = cli("explain", "-", stdin=json.dumps(scenario).encode())
    assert (done.status, done.out) == (2, "")
    assert field in done.err
    assert done.err.count("\n") == 1


def test_what_is_missing_names_the_file(cli: Cli, scenario: dict[str, Any], tmp_path: Path) -> None:
    del scenario["reported"]
    file = tmp_path / "a run.mfu"
    file.write_text(json.dumps(scenario))
    done = cli("explain", file)
    assert done.status == 2
    assert done.err.startswith("a run.mfu: reported: ")
    assert "reported.mfu (0.38 is 38 %)" in done.err
    scenario["reported"] = {"mfu": 0.38}
    scenario["run"]["measured"] = None
    file.write_text(json.dumps(scenario))
    told = cli("explain", file).err
    assert told.startswith("a run.mfu: run.measured: ")
    assert "run.measured.step_time_s" in told


def test_what_is_told_to_write_can_be_explained(cli: Cli, scenario: dict[str, Any]) -> None:
    """The sentence names fields; they are those of the file."""
    scenario["reported"], scenario["run"]["measured"] = {"mfu": 0.38}, {"step_time_s": 20}
    assert explained(cli, scenario)
    scenario["run"]["measured"] = {"tokens_per_s": 1e6}
    assert explained(cli, scenario)
    for other in ({"hfu": 0.38}, {"tflops_per_device": 400}):
        scenario["reported"] = other
        assert isinstance(explained(cli, scenario), list)


def test_the_text_says_whether_the_digits_match(cli: Cli, scenario: dict[str, Any]) -> None:
    for language, words in (("en", "digits match"), ("zh", "数位一致")):
        out = cli("explain", PATH, "--format", "text", "--lang", language).out
        assert words in out.splitlines()[3]
    scenario["run"]["measured"] = {"step_time_s": 20}
    scenario["reported"] = {"mfu": 0.4309}
    out = cli("explain", "-", "--format", "text", stdin=json.dumps(scenario).encode()).out
    assert any(sign in out for sign in ("+0.", "-0."))


def test_language(cli: Cli, scenario: dict[str, Any]) -> None:
    english, chinese = (explained(cli, scenario, "--lang", language) for language in ("en", "zh"))
    assert [row["convention"] for row in english] == [row["convention"] for row in chinese]
    assert all(any("\u4e00" <= c <= "\u9fff" for c in row["sentence"]) for row in chinese)
    for language, word in (("en", "Plausibility"), ("zh", "可信度")):
        out = cli("explain", PATH, "--format", "text", "--lang", language).out
        assert word in out
        assert "43.73%" in out
