"""`mfu-gui plan`: the contract of its JSON, its text in both languages, and what it refuses."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cli.conftest import SCENARIOS, Cli

PLAN = {"kind", "schema", "name", "memory", "time", "cost", "energy", "goodput", "inference", "warnings"}


def planned(cli: Cli, value: dict[str, Any], *more: str) -> Any:
    done = cli("plan", "-", "--format", "json", *more, stdin=json.dumps(value).encode())
    assert (done.status, done.err) == (0, "")
    return done.json


@pytest.fixture
def deepseek(scenario: dict[str, Any]) -> dict[str, Any]:
    """DeepSeek-V3 with the plan of its paper."""
    scenario["plan"] = {"tokens": 14.8e12, "price_per_device_hour": 2, "billed_device_hours": 2.788e6,
                        "start_date": "2024-10-01"}
    return scenario


def test_contract(cli: Cli, deepseek: dict[str, Any]) -> None:
    plan = planned(cli, deepseek)
    assert set(plan) == PLAN
    assert (plan["kind"], plan["schema"], plan["name"]) == ("mfu-plan", 1, deepseek["name"])
    stages = plan["memory"]["stages"]
    assert plan["memory"]["worst"] == max(stages, key=lambda stage: stage["total_bytes"]) == stages[0]
    for stage in stages:
        assert stage["total_bytes"] == pytest.approx(sum(stage["terms"].values()))
    assert {"tokens", "flops", "days", "device_hours", "mfu", "whole_run_utilization"} <= plan["time"].keys()
    assert {"price_per_device_hour", "total", "currency"} <= plan["cost"].keys()
    assert {"kwh", "tco2"} <= plan["energy"].keys()
    assert plan["goodput"]["fraction"] == 1.0
    assert set(plan["inference"]) == {"prefill", "decode", "cache", "post_training"}
    assert {warning["code"] for warning in plan["warnings"]} >= {"goodput_assumed", "six_nd_falls_short"}
    for section in (plan["time"], plan["cost"], plan["energy"], plan["goodput"], plan["inference"]["decode"]):
        assert set(section["basis"]) <= section.keys()
        assert set(section["basis"].values()) <= {"exact", "model", "assumption"}


def test_deepseek_v3(cli: Cli, deepseek: dict[str, Any]) -> None:
    """2.788 million hours at 2 dollars are 5.576 million (arXiv 2412.19437, table 1); its steps alone take
    the 54 days that 180 thousand hours for each trillion tokens make on 2048 devices."""
    plan = planned(cli, deepseek)
    assert plan["cost"]["billed_total"] == 5_576_000
    assert plan["cost"]["currency"] == "USD"
    assert plan["time"]["days"] == pytest.approx(14.8 * 180e3 / 2048 / 24, rel=0.01)
    assert (plan["time"]["start_date"], plan["time"]["finish_date"]) == ("2024-10-01", "2024-11-25")
    assert plan["time"]["formulas"]["flops_6nd"] == "E1.6ND"
    assert plan["inference"]["cache"]["bytes_per_token"] == 70_272


@pytest.mark.parametrize("unknown", ["days", "devices", "budget", "tokens", "mfu"])
def test_each_unknown(cli: Cli, deepseek: dict[str, Any], unknown: str) -> None:
    deepseek["plan"].update(days=60, budget=6e6, unknown=unknown)
    if unknown != "budget":
        del deepseek["plan"]["budget"]
    plan = planned(cli, deepseek)
    assert plan["time"]["unknown"] == unknown
    for key in ("days", "devices", "tokens", "mfu"):
        assert plan["time"][key] > 0
    assert plan["cost"]["total"] > 0
    assert plan["time"]["days"] <= 60


def test_a_scenario_without_a_plan(cli: Cli, scenario: dict[str, Any]) -> None:
    """Memory and serving need none; what time and cost need is named."""
    plan = planned(cli, scenario)
    assert plan["time"]["days"] is None
    assert plan["cost"]["total"] is None
    assert "plan_needs_tokens" in {warning["code"] for warning in plan["warnings"]}
    assert plan["memory"]["worst"]["total_bytes"] > 0
    assert plan["inference"]["decode"]["bound_s"] > 0


@pytest.mark.parametrize("file", sorted(path.name for path in SCENARIOS.glob("*.mfu")))
def test_every_example_can_be_planned(cli: Cli, file: str) -> None:
    value = json.loads((SCENARIOS / file).read_text(encoding="utf-8"))
    value["plan"] = {"tokens": 1e12, "failures": {"device_mtbf_hours": 5e4},
                     "post_training": {"method": "grpo", "prompts_per_step": 64}}
    plan = planned(cli, value)
    assert plan["time"]["days"] > 0
    assert 0 < plan["goodput"]["fraction"] < 1
    assert plan["inference"]["post_training"]["time"]["total"] > 0


def test_text(cli: Cli, deepseek: dict[str, Any]) -> None:
    deepseek["plan"]["post_training"] = {"method": "ppo"}
    done = cli("plan", "-", "--format", "text", stdin=json.dumps(deepseek).encode())
    assert (done.status, done.err) == (0, "")
    assert "14.8T tokens on 2,048 H800 SXM5 80GB" in done.out
    assert "take 54.3 days and cost $5.333M" in done.out
    assert "From 1 October 2024 until 25 November 2024." in done.out
    assert "$5.576M" in done.out
    for word in ("exact", "model", "assumption", "Whole-run utilization", "KV cache", "Rollout"):
        assert word in done.out
    assert max(map(len, done.out.splitlines())) < 180


def test_text_in_chinese(cli: Cli, deepseek: dict[str, Any]) -> None:
    done = cli("--lang", "zh", "plan", "-", "--format", "text", stdin=json.dumps(deepseek).encode())
    assert done.status == 0
    assert "2024年11月25日" in done.out
    english = cli("plan", "-", "--format", "text", stdin=json.dumps(deepseek).encode())
    shared = {line.strip() for line in done.out.splitlines()} & {line.strip() for line in english.out.splitlines()}
    assert not {line for line in shared if any(word.isalpha() and len(word) > 8 for word in line.split())} - {
        deepseek["name"]}


@pytest.mark.parametrize(("plan", "place"), [
    ({"tokens": -1}, "plan.tokens"), ({"unknown": "speed"}, "plan.unknown"), ({"pue": 1.1}, "plan"),
    ({"energy": {"pue": 0}}, "plan.energy.pue"), ({"start_date": "2024-13-01"}, "plan.start_date"),
    ({"memory": {"optimizer": "adamm"}}, "plan.memory.optimizer"),
    ({"inference": {"prompt_tokens": 10, "prefix_tokens": 10}}, "plan.inference.prefix_tokens"),
    ({"tokens": 1e12, "compute_optimal": "hoffmann"}, "plan"),
])
def test_bad_plans_are_named_in_one_line(cli: Cli, scenario: dict[str, Any], plan: dict[str, Any], place: str) -> None:
    scenario["plan"] = plan
    done = cli("plan", "-", stdin=json.dumps(scenario).encode())
    assert (done.status, done.out) == (2, "")
    assert len(done.err.splitlines()) == 1
    assert place in done.err


def test_the_schema_describes_the_plan(cli: Cli) -> None:
    schema = cli("schema", "scenario").json
    plan = schema["$defs"]["PlanSpec"]["properties"]
    assert {"tokens", "days", "budget", "energy", "failures", "memory", "inference", "post_training"} <= plan.keys()
    assert all(field.get("description") for field in plan.values())
