"""`mfu-gui sweep`: the contract of its JSON, tables in both languages, and what it refuses."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest

from tests.cli.conftest import Cli

SWEEP = {"kind", "schema", "name", "convention", "held", "axes", "results", "current", "points", "best", "warnings"}
LAYOUTS = {"kind", "schema", "name", "timing", "ranked_by", "searched", "verdicts", "capacity_bytes", "current",
           "layouts", "warnings"}


@pytest.fixture
def llama() -> bytes:
    """Llama 3.1 70B on 64 H100 with a measured step, its layout and a plan."""
    return json.dumps({
        "kind": "mfu-scenario", "schema": 1, "name": "=Llama", "model": {"preset": "llama-3.1-70b"},
        "hardware": {"preset": "nvidia-h100-sxm5-80gb"},
        "run": {"devices": 64, "sequence_length": 8192, "global_batch": 64, "micro_batch": 1, "precision": "bf16",
                "parallel": {"tensor": 8, "pipeline": 4, "zero_stage": 1}, "measured": {"step_time_s": 9.0}},
        "plan": {"tokens": 1e12, "price_per_device_hour": 2}}).encode()


def swept(cli: Cli, scenario: bytes, *more: str) -> Any:
    done = cli("sweep", "-", "--format", "json", *more, stdin=scenario)
    assert (done.status, done.err) == (0, "")
    return done.json


def test_contract(cli: Cli, llama: bytes) -> None:
    found = swept(cli, llama, "--axis", "run.devices=32,64,128", "--axis", "run.micro_batch=1,2",
                  "--result", "mfu,days", "--result", "memory_bytes")
    assert set(found) == SWEEP
    assert (found["kind"], found["schema"], found["name"]) == ("mfu-sweep", 1, "=Llama")
    assert found["held"].keys() == {"id", "value", "meaning", "typical_error", "worst_error"}
    assert (found["held"]["id"], found["held"]["value"]) == ("predicted", 9.0)
    assert found["axes"] == [{"key": "run.devices", "unit": "", "values": [32, 64, 128]},
                             {"key": "run.micro_batch", "unit": "sequences", "values": [1, 2]}]
    assert [result["key"] for result in found["results"]] == ["mfu", "days", "memory_bytes"]
    assert found["current"] == [64, 1]
    assert [point["at"] for point in found["points"]] == [[32, 1], [32, 2], [64, 1], [64, 2], [128, 1], [128, 2]]
    best = max(found["points"], key=lambda point: point["mfu"])
    assert found["best"]["mfu"] == best["at"]


def test_points_are_those_of_compute(cli: Cli, llama: bytes) -> None:
    """At a held step time every point is what `compute` says of the same scenario."""
    found = swept(cli, llama, "--axis", "devices=32:128:4", "--hold", "step-time", "--result", "mfu,hfu,tokens_per_s")
    assert [point["at"] for point in found["points"]] == [[32], [64], [96], [128]]
    for point in found["points"]:
        value = json.loads(llama)
        value["run"]["devices"] = point["at"][0]
        computed = cli("compute", "-", "--format", "json", stdin=json.dumps(value).encode()).json
        assert (point["mfu"], point["hfu"]) == (computed["mfu"], computed["hfu"])
        assert point["tokens_per_s"] == computed["throughput"]["tokens_per_s"]


@pytest.mark.parametrize(("axis", "values"), [
    ("sequence_length=2k:16k:4:log", [2000, 4000, 8000, 16000]),
    ("run.global_batch=64,128,64", [64, 128]),
    ("run.micro_batch=1:8:4", [1, 3, 6, 8]),
    ("hardware.peak_tflops=494.5:989:2", [494.5, 989.0]),
    ("run.precision=bf16,fp8", ["bf16", "fp8"]),
    ("run.measured.mfu=20 %,0.4", [0.2, 0.4]),
    ("model=llama-3.1-8b,llama-3.1-70b", ["llama-3.1-8b", "llama-3.1-70b"]),
    ("hardware=nvidia-h100-sxm5-80gb,nvidia-a100-sxm4-80gb", ["nvidia-h100-sxm5-80gb", "nvidia-a100-sxm4-80gb"]),
    ("convention=matmul-causal,palm", ["matmul-causal", "palm"]),
    ("plan.tokens=1T,15T", [1e12, 15e12]),
])
def test_axes(cli: Cli, llama: bytes, axis: str, values: list[Any]) -> None:
    found = swept(cli, llama, "--axis", axis)
    expected = pytest.approx(values) if isinstance(values[0], float) else values
    assert found["axes"][0]["values"] == expected
    assert all(point["mfu"] is not None for point in found["points"])


def test_a_point_without_a_value_says_why(cli: Cli, llama: bytes) -> None:
    found = swept(cli, llama, "--axis", "run.precision=bf16,fp4")
    first, second = found["points"]
    assert first["mfu"] is not None
    assert "error" not in first
    assert second["mfu"] is None
    assert "fp4" in second["error"]


def test_filters(cli: Cli, llama: bytes) -> None:
    axis = ("--axis", "run.devices=32,64,128,256,512", "--result", "memory_share,days")
    every = swept(cli, llama, *axis)["points"]
    limit = sorted(point["days"] for point in every)[2]
    kept = swept(cli, llama, *axis, "--max-days", repr(limit), "--fits")["points"]
    assert kept == [point for point in every if point["days"] <= limit and point["memory_share"] <= 1]


def test_csv(cli: Cli, llama: bytes) -> None:
    done = cli("sweep", "-", "--axis", "devices=32,64", "--result", "mfu,cost", "--format", "csv", stdin=llama)
    rows = list(csv.reader(io.StringIO(done.out)))
    points = swept(cli, llama, "--axis", "devices=32,64", "--result", "mfu,cost")["points"]
    assert rows[0] == ["run.devices", "mfu", "cost"]
    assert [[int(a), float(b), float(c)] for a, b, c in rows[1:]] == [
        [point["at"][0], point["mfu"], point["cost"]] for point in points]


@pytest.mark.parametrize(("language", "held"), [("en", "What is held:"), ("zh", "保持不变")])
def test_text(cli: Cli, llama: bytes, language: str, held: str) -> None:
    one = cli("sweep", "-", "--axis", "devices=32,64", "--format", "text", "--lang", language, stdin=llama)
    two = cli("sweep", "-", "--axis", "devices=32,64", "--axis", "micro_batch=1,2", "--format", "text", "--lang",
              language, stdin=llama)
    for done in (one, two):
        assert done.status == 0
        assert held in done.out
        assert "=Llama" in done.out


def test_layouts(cli: Cli, llama: bytes) -> None:
    found = swept(cli, llama, "--layouts", "--count", "5", "--axis", "run.parallel.tensor=4,8")
    assert set(found) == LAYOUTS
    assert (found["kind"], found["timing"], found["ranked_by"]) == ("mfu-layouts", "predicted", "time")
    assert sum(found["verdicts"].values()) == found["searched"]
    assert len(found["layouts"]) == 5
    assert {row["parallel"]["tensor"] for row in found["layouts"]} <= {4, 8}
    times = [row["step_time_s"] for row in found["layouts"] if row["verdict"] == "fits"]
    assert times == pytest.approx(sorted(times), rel=1e-8)
    assert found["current"]["step_time_s"] == pytest.approx(9.0, rel=1e-12)
    assert all(row["reason"] for row in found["layouts"])


COSTS, LAYOUT_COSTS = ("--result", "days,cost"), ("--layouts", "--by", "cost", "--count", "3")


@pytest.mark.parametrize(("plan", "axis", "asked", "codes"), [
    (None, "devices=32,64", COSTS, ["plan_needs_tokens"]), ({"tokens": 1e12}, "devices=32,64", COSTS, []),
    (None, "plan.tokens=1e12,2e12", COSTS, []), (None, "devices=32,64", ("--result", "mfu"), []),
    ({"tokens": 1e12, "currency": "EUR"}, "devices=32,64", COSTS, ["cost_needs_price"]),
    (None, "devices=32,64", LAYOUT_COSTS, ["plan_needs_tokens"]), (None, "devices=32,64", ("--layouts",), []),
    ({"tokens": 1e12, "currency": "EUR"}, "devices=32,64", LAYOUT_COSTS, ["cost_needs_price"]),
    ({"tokens": 1e12}, "devices=32,64", LAYOUT_COSTS, [])])
def test_a_cost_that_is_not_known_says_what_is_missing(cli: Cli, llama: bytes, plan: Any, axis: str,
                                                       asked: tuple[str, ...], codes: list[str]) -> None:
    scenario = {**json.loads(llama), "plan": plan}
    found = swept(cli, json.dumps(scenario).encode(), "--axis", axis, *asked)
    assert [warning["code"] for warning in found["warnings"]] == codes
    if "cost" in asked[-1] or "cost" in asked:
        costs = [row["cost"] for row in found.get("points", found.get("layouts"))]
        assert (None in costs) == bool(codes)


@pytest.mark.parametrize("by", ["memory", "cost"])
def test_layouts_by(cli: Cli, llama: bytes, by: str) -> None:
    found = swept(cli, llama, "--layouts", "--by", by, "--count", "4", "--axis", "devices=32,64")
    key = {"memory": "memory_bytes", "cost": "cost"}[by]
    values = [row[key] for row in found["layouts"]]
    assert values == pytest.approx(sorted(values), rel=1e-8)


@pytest.mark.parametrize("form", ["text", "csv"])
def test_layouts_as_tables(cli: Cli, llama: bytes, form: str) -> None:
    done = cli("sweep", "-", "--layouts", "--count", "3", "--format", form, stdin=llama)
    assert done.status == 0
    if form == "csv":
        rows = list(csv.DictReader(io.StringIO(done.out)))
        assert len(rows) == 3
        assert float(rows[0]["step_time_s"]) > 0
    else:
        assert "TP" in done.out
        assert "it fits (now)" in done.out


@pytest.mark.parametrize(("arguments", "words"), [
    ((), ("--axis", "one or two")),
    (("--axis", "devices"), ("key=lo:hi:n",)),
    (("--axis", "devices=1:2"), ("run.devices", "key=lo:hi:n")),
    (("--axis", "devices=1:8:4:cubic"), ("key=lo:hi:n",)),
    (("--axis", "tensr=1,2"), ("tensor",)),
    (("--axis", "devices=0,8"), ("run.devices", "0")),
    (("--axis", "devices=many"), ("run.devices", "many")),
    (("--axis", "run.precision=bf8"), ("fp8",)),
    (("--axis", "sequence_length=0:8:4:log"), ("above zero",)),
    (("--axis", "devices=1:100000000:100000000"), ("run.devices",)),
    (("--axis", "model=llama-3.1-80b"), ("model", "llama-3.1-8")),
    (("--axis", "devices=8", "--axis", "run.devices=16"), ("run.devices",)),
    (("--axis", "devices=8", "--result", "speed"), ("speed", "step_time_s")),
    (("--axis", "run.measured.mfu=0.4", "--hold", "mfu"), ("measured",)),
    (("--axis", "devices=8", "--max-days", "0"), ("--max-days",)),
    (("--layouts", "--axis", "sequence_length=1,2"), ("run.sequence_length",)),
    (("--layouts", "--hold", "mfu"), ("--layouts", "--hold")),
    (("--layouts", "--axis", "tensor=3"), ("64",)),
    (("--axis", "run.precision=fp4"), ("fp4",)),
])
def test_refusals(cli: Cli, llama: bytes, arguments: tuple[str, ...], words: tuple[str, ...]) -> None:
    done = cli("sweep", "-", *arguments, stdin=llama)
    assert done.status == 2
    assert done.out == ""
    assert done.err.count("\n") == 1
    assert all(word in done.err for word in words), done.err


def test_help_lists_it(cli: Cli) -> None:
    assert "sweep" in cli("--help").out
    assert "--layouts" in cli("sweep", "--help").out
