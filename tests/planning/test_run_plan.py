"""Plans of whole runs: published runs come out, and any one quantity follows from the others."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.scenario import Scenario
from mfu_gui.planning.run_plan import RunPlan, plan_run
from mfu_gui.planning.solve import Known, least_devices, solve
from mfu_gui.planning.spec import EnergySpec, FailureSpec, PlanSpec, plan_spec, with_plan
from tests.planning.scenarios import scenario
from tests.planning.test_plan_vectors import article


def plan(of: Scenario, **inputs: Any) -> RunPlan:
    return plan_run(of, PlanSpec(**inputs))


def codes(found: RunPlan) -> set[str]:
    return {notice.code for notice in found.notices}


NO_ROUTER = {"router": False}


@pytest.mark.parametrize(("name", "model", "convention"), [
    ("work2-v3-mfu-decimal", "deepseek-v3", "matmul-causal"), ("work2-v3-mfu-2788", "deepseek-v3", "matmul-causal"),
    ("work2-v3-noncausal", "deepseek-v3", "matmul-full"), ("work2-v2-mfu", "deepseek-v2", "matmul-causal")])
def test_deepseek_by_the_hours_it_was_billed(name: str, model: str, convention: str) -> None:
    """Counted by the ledger; within what the script's own counts of lookups and products of gates add."""
    inputs, expected, close = article(name)
    of = scenario(model, peak_tflops=inputs["peak_flops"] / 1e12, sequence_length=4096,
                  convention={"id": convention, "options": NO_ROUTER})
    found = plan(of, tokens=inputs["tokens"], billed_device_hours=inputs["gpu_hours"])
    assert found.value("time", "billed_utilization") * 100 == close(expected)


def test_deepseek_v3_cost_5_576_million() -> None:
    """2.664, 0.119 and 0.005 million hours at 2 dollars (DeepSeek-AI 2024, arXiv 2412.19437, table 1)."""
    found = plan(scenario(), tokens=14.8e12, billed_device_hours=2.664e6 + 0.119e6 + 0.005e6, price_per_device_hour=2.0)
    assert found.value("cost", "billed_total") == pytest.approx(5.576e6, abs=0.5)


def test_deepseek_v3_took_less_than_two_months() -> None:
    """"3.7 days" for each trillion tokens and "less than two months" for all (arXiv 2412.19437, section 1)."""
    found = plan(scenario(), tokens=1e12)
    assert round(found.value("time", "days"), 1) == 3.7
    found = plan(scenario(), tokens=14.8e12, price_per_device_hour=2.0)
    assert found.value("time", "days") < 60
    # The step's own time leaves out what the billed 2.664 million hours contain.
    assert found.value("time", "device_hours") == pytest.approx(2.664e6, rel=0.01)


def test_llama_65b_took_21_days() -> None:
    """380 tokens/s/GPU on 2048 A100, 1.4T tokens: "approximately 21 days" (arXiv 2302.13971, section 2.4)."""
    of = scenario("llama-1-65b", "nvidia-a100-sxm4-80gb", devices=2048, sequence_length=2048,
                  measured={"tokens_per_s_per_device": 380})
    assert round(plan(of, tokens=1.4e12).value("time", "days")) == 21


def test_llama_3_405b_in_its_hours_and_in_its_steps() -> None:
    """30.84 million hours make 34.5%, though the steps reach 38 to 43% (arXiv 2407.21783, table 4)."""
    of = scenario("llama-3.1-405b", "nvidia-h100-sxm5-80gb", devices=16384, sequence_length=8192, peak_tflops=989.4,
                  convention={"id": "6n"}, measured={"mfu": 0.38})
    found = plan(of, tokens=15.6e12, billed_device_hours=30.84e6)
    # 34.51% with 405e9 parameters; the model has 0.2% more.
    assert found.value("time", "billed_utilization") == pytest.approx(0.3451, rel=0.0025)
    assert found.value("time", "mfu") == pytest.approx(0.38)
    labels = {figure.key: figure.label for figure in found.time}
    assert "MFU" not in labels["billed_utilization"]
    assert "MFU" not in labels["whole_run_utilization"]


def test_llama_3_failed_every_three_hours() -> None:
    """419 unexpected interruptions in 54 days on 16,384 devices (arXiv 2407.21783, section 3.3.4)."""
    of = scenario("llama-3.1-405b", "nvidia-h100-sxm5-80gb", devices=16384, sequence_length=8192,
                  measured={"mfu": 0.4})
    found = plan(of, tokens=15.6e12, failures=FailureSpec(device_mtbf_hours=50_677))
    assert found.value("goodput", "mtbf_hours") == pytest.approx(3.09, rel=0.002)
    days = found.value("time", "days")
    assert found.value("goodput", "failures") == pytest.approx(419 / 54 * days, rel=0.002)
    share = found.value("goodput", "fraction")
    assert found.value("time", "whole_run_utilization") == pytest.approx(0.4 * share)
    without = plan(of, tokens=15.6e12)
    assert days == pytest.approx(without.value("time", "days") / share)
    assert "goodput_assumed" in codes(without)
    assert "goodput_assumed" not in codes(found)


def test_energy_is_that_of_the_planned_hours() -> None:
    """Device-hours × 400 W × 1.1, 0.385 kg/kWh: LLaMA's rule (arXiv 2302.13971, table 15)."""
    of = scenario("llama-1-65b", "nvidia-a100-sxm4-80gb", devices=2048, sequence_length=2048,
                  measured={"tokens_per_s_per_device": 380})
    found = plan(of, tokens=1.4e12, energy=EnergySpec(power_w=400))
    hours = found.value("time", "device_hours")
    assert hours == pytest.approx(1_022_362, rel=0.002)
    assert found.value("energy", "kwh") == pytest.approx(449_000, rel=0.005)
    assert found.value("energy", "tco2") == pytest.approx(173, rel=0.005)
    half = plan(of, tokens=1.4e12,
                energy=EnergySpec(power_w=400, draw=0.5, host_factor=1.5, grid_kg_per_kwh=0))
    assert half.value("energy", "kwh") == pytest.approx(found.value("energy", "kwh") * 0.75)
    assert half.value("energy", "tco2") == 0


def test_what_6nd_leaves_out_is_the_attention_scores() -> None:
    """6·L·h·s/(6N), causal: DeepSeek-V3 at 4096 has 30.702 of 6 × 37.552 GFLOP a token in scores (arXiv 2505.09343:
    that much lies between its causal and its non-causal count)."""
    notice = next(n for n in plan(scenario(), tokens=14.8e12).notices if n.code == "six_nd_falls_short")
    assert notice.values["share"] == pytest.approx(30.702305 / (6 * 37.552282624), rel=3e-4)  # S + 1 keys for S


def test_tokens_by_rule() -> None:
    of = scenario("llama-3-8b", "nvidia-h100-sxm5-80gb", devices=8, sequence_length=8192, measured={"mfu": 0.4})
    assert plan(of, tokens_per_parameter=20).value("time", "tokens") == 20 * 8_030_261_248
    for fit in ("hoffmann", "epoch_replication"):
        tokens = plan(of, compute_optimal=fit).value("time", "tokens")
        keys = {"hoffmann": "tokens_hoffmann", "epoch_replication": "tokens_epoch"}
        assert tokens == plan(of, tokens=1).value("scaling", keys[fit])


def test_a_fit_of_dense_models_says_so_for_experts() -> None:
    assert "scaling_dense_only" in codes(plan(scenario(), compute_optimal="epoch_replication"))
    assert "scaling_dense_only" not in codes(plan(scenario(), tokens=1e12))


def test_calendar() -> None:
    found = plan(scenario(), tokens=14.8e12, start_date="2024-02-01")
    days = found.value("time", "days")
    assert 54 < days < 55
    assert found.dates == ("2024-02-01", "2024-03-27"), "2024 is a leap year: 55 days from 1 February"
    assert plan(scenario(), tokens=1e30, start_date="2024-02-01").dates is None
    with pytest.raises(InputError, match="bad_date"):
        plan(scenario(), tokens=1e12, start_date="2023-02-29")


@pytest.mark.parametrize(("unknown", "known", "missing"), [
    ("days", {}, {"plan_needs_tokens"}),
    ("devices", {"tokens": 1e12}, {"plan_needs_days"}),
    ("tokens", {}, {"plan_needs_days"}),
    ("tokens", {"budget": 1e6, "currency": "EUR"}, {"plan_needs_price"}),
    ("mfu", {"days": 10}, {"plan_needs_tokens"}),
])
def test_what_is_missing_is_named(unknown: str, known: dict[str, Any], missing: set[str]) -> None:
    found = plan(scenario(), unknown=unknown, **known)
    assert {code for code in codes(found) if code.startswith("plan_needs")} == missing
    assert found.value("time", "device_hours") is None
    assert found.value("cost", "total") is None


def test_without_a_measurement_the_speed_is_missing() -> None:
    of = scenario("llama-3-8b", "nvidia-h100-sxm5-80gb", sequence_length=8192)
    assert {"plan_needs_speed", "plan_needs_devices"} <= codes(plan(of, tokens=1e12))
    found = plan(of, tokens=1e12, mfu=0.4, devices=64)
    assert found.value("time", "days") > 0


def test_a_rented_cluster_costs_whatever_is_trained_on_it() -> None:
    of = scenario("llama-3-8b", "nvidia-h100-sxm5-80gb", sequence_length=8192)
    found = plan(of, unknown="budget", devices=1024, days=30, price_per_device_hour=2.5)
    assert found.value("cost", "total") == 1024 * 30 * 24 * 2.5
    assert found.value("time", "tokens") is None


def test_money_alone_says_how_long() -> None:
    found = plan(scenario(), unknown="days", budget=1e6, price_per_device_hour=2.0)
    assert found.value("time", "days") == pytest.approx(1e6 / 2 / 2048 / 24)
    assert found.value("cost", "total") == pytest.approx(1e6)
    devices = plan(scenario(), unknown="devices", budget=1e6, days=10, price_per_device_hour=2.0)
    assert devices.value("time", "devices") == int(1e6 / 2 / 240)


def test_limits_that_are_broken_are_named() -> None:
    found = plan(scenario(), tokens=14.8e12, days=30, budget=1e6, price_per_device_hour=2.0)
    assert {"plan_too_long", "plan_over_budget"} <= codes(found)
    assert not {"plan_too_long", "plan_over_budget"} & codes(
        plan(scenario(), tokens=14.8e12, days=60, budget=1e7, price_per_device_hour=2.0))
    assert "plan_above_peak" in codes(plan(scenario(), unknown="mfu", tokens=14.8e12, days=10))
    assert "plan_billed_above_peak" in codes(plan(scenario(), tokens=14.8e12, billed_device_hours=1e6))
    assert "plan_billed_above_peak" not in codes(plan(scenario(), tokens=14.8e12, billed_device_hours=2.788e6))


@given(st.sampled_from(["devices", "budget", "tokens", "mfu"]), st.floats(1e9, 1e14), st.integers(1, 20_000),
       st.floats(0.05, 1), st.none() | st.floats(1e3, 1e6))
def test_any_one_follows_from_the_others(unknown: str, tokens: float, devices: int, mfu: float,
                                         device_mtbf: float | None) -> None:
    """What was found for days, given back, yields the quantity that was left out."""
    failures = None if device_mtbf is None else FailureSpec(device_mtbf_hours=device_mtbf, checkpoint_s=5, restart_s=20)
    of = scenario()
    first = plan(of, tokens=tokens, devices=devices, mfu=mfu, failures=failures, price_per_device_hour=2.0)
    days = first.value("time", "days")
    if days is None:
        assert first.solution.impossible
        return
    whole: dict[str, Any] = {"tokens": tokens, "devices": devices, "mfu": mfu, "days": days}
    if unknown == "budget":
        whole.pop("days")
    else:
        whole.pop(unknown)
    again = plan(of, unknown=unknown, failures=failures, price_per_device_hour=2.0, **whole)
    if unknown == "budget":
        assert again.value("cost", "total") == pytest.approx(first.value("cost", "total"))
    elif unknown == "devices":
        # The least that does it; past the summit of devices × goodput fewer do as well.
        assert again.value("time", "devices") <= devices
        assert again.value("time", "days") <= days * (1 + 1e-9)
    else:
        assert again.value("time", unknown) == pytest.approx({"tokens": tokens, "mfu": mfu}[unknown])


def test_devices_come_in_whole_replicas() -> None:
    of = scenario("llama-3-8b", "nvidia-h100-sxm5-80gb", devices=64, sequence_length=8192, measured={"mfu": 0.4},
                  parallel={"tensor": 4, "pipeline": 3})
    found = plan(of, unknown="devices", tokens=1e12, days=20)
    assert found.value("time", "devices") % 12 == 0
    assert found.value("time", "days") <= 20
    fewer = plan(of, tokens=1e12, devices=found.value("time", "devices") - 12)
    assert fewer.value("time", "days") > 20


def _share(lost: float) -> Any:
    return lambda devices: max(0.0, 1 - lost * devices)


@given(st.floats(1, 400), st.floats(1e-6, 1e-2), st.integers(1, 8))
def test_the_least_devices(wanted: float, lost: float, replica: int) -> None:
    """Against trying them all: devices × (1 − lost·devices) rises and falls again."""
    share = _share(lost)
    counts = [count for count in range(replica, 2001, replica) if count * share(count) >= wanted]
    assert least_devices(wanted, share, replica) == (counts[0] if counts else None)


def test_more_devices_than_work_are_no_help() -> None:
    found = solve("devices", Known(tokens=1e12, rate=1000.0, days=1.0), _share(1e-3))
    assert found.impossible
    assert found.devices is None


def test_recompute_counts_as_executed_only() -> None:
    run = {"devices": 64, "sequence_length": 2048, "global_batch": 64, "measured": {"step_time_s": 13.75}}
    plain = plan(scenario("gpt3-175b", "nvidia-a100-sxm4-80gb", **run), tokens=3e11)
    full = plan(scenario("gpt3-175b", "nvidia-a100-sxm4-80gb", recompute="full", **run), tokens=3e11)
    assert full.value("time", "flops") == plain.value("time", "flops") == plain.value("time", "executed_flops")
    assert full.value("time", "executed_flops") > 1.3 * full.value("time", "flops")
    assert full.value("time", "days") == plain.value("time", "days")
    assert full.value("time", "steps") == -(-300_000_000_000 // (64 * 2048))


def test_a_hardware_convention_is_called_what_it_is() -> None:
    of = scenario("gpt3-175b", "nvidia-a100-sxm4-80gb", devices=64, sequence_length=2048, global_batch=64,
                  measured={"step_time_s": 13.75}, convention={"id": "megatron-2021"})
    assert "plan_counts_recompute" in codes(plan(of, tokens=3e11))


def test_price_and_power_of_dies() -> None:
    """A card of two dies counted as two devices: each has half of its price and power."""
    of = scenario(measured={"mfu": 0.4}, devices=16, sequence_length=4096)
    whole = replace(of, hardware=replace(of.hardware, framework_devices=2, price_per_hour_usd=4.0, power_w=1000))
    dies = replace(whole, peak=replace(of.peak, devices_are="framework_devices"))
    assert plan(whole, tokens=1e10).value("cost", "price_per_device_hour") == 4.0
    assert plan(dies, tokens=1e10).value("cost", "price_per_device_hour") == 2.0
    assert plan(dies, tokens=1e10).value("energy", "power_w") == 500
    assert plan(dies, tokens=1e10, currency="CNY").value("cost", "total") is None, "a price in dollars is not in yuan"


def test_a_plan_in_a_scenario() -> None:
    of = scenario(plan={"tokens": 1e12, "energy": {"pue": 1.3}})
    spec = plan_spec(of)
    assert (spec.tokens, spec.energy.pue, spec.days) == (1e12, 1.3, None)
    assert plan_spec(with_plan(of, spec)) == spec
    assert with_plan(of, PlanSpec()).plan is None
    assert plan_spec(replace(of, plan=None)) == PlanSpec()
    with pytest.raises(InputError, match="contradiction"):
        plan_spec(with_plan(of, replace(spec, tokens_per_parameter=20)))
    with pytest.raises(InputError, match="wrong_type"):
        plan_spec(replace(of, plan={"tokens": "many"}))
