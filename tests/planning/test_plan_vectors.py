"""Formulas of plans against what papers and model cards print and what was measured, row by row."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mfu_gui.planning import end_to_end, energy, finetune, goodput, inference, packing, rl, scaling, uncertainty
from mfu_gui.planning import serving_formulas as serving
from mfu_gui.planning.formula import FORMULAS, SECONDS_PER_DAY, Formula

DATA = json.loads((Path(__file__).parent.parent / "data" / "plan_vectors.json").read_text(encoding="utf-8"))
ROWS: list[dict[str, Any]] = DATA["vectors"]
ARTICLES: dict[str, dict[str, Any]] = {row["id"]: row for row in DATA["vectors_of_articles"]}
MODULES = (end_to_end, energy, finetune, goodput, inference, packing, rl, scaling, uncertainty)

LLAMA = {"llama3-8B": (8.03e9, 32, 4096), "llama3-70B": (70.55e9, 80, 8192), "llama3-405B": (405.85e9, 126, 16384)}
"""Parameters, layers, hidden size (Llama 3, arXiv 2407.21783, table 3)."""
DEEPSEEK_V3 = {"layers": 61, "cached_width": 512 + 64}

NAMES: dict[str, dict[str, str]] = {
    "E1.6ND": {"N_active": "active_parameters", "N": "active_parameters", "D": "tokens"},
    "E2.time_8ND_full_recompute": {"N": "parameters", "D": "tokens", "gpus": "devices",
                                   "achieved_tflops": "tflops_per_device"},
    "E3.cost": {"gpu_hours": "device_hours", "usd_per_gpu_hour": "price_per_device_hour"},
    "E3.days_per_T": {"gpu_hours_per_T": "device_hours_per_trillion", "gpus": "devices"},
    "E4.causal_flops_per_token": {"N": "parameters", "L": "layers", "h": "hidden_size", "s": "sequence_length"},
    "E5.deepseek_v3_per_token": {"N_active": "active_parameters", "L": "layers", "heads": "heads", "qk": "qk_dim",
                                 "v": "value_dim", "s": "sequence_length", "causal": "causal"},
    "G1.mtbf": {"hours": "hours", "failures": "failures"},
    "G1.per_gpu_mtbf": {"mtbf_h": "mtbf_hours", "gpus": "devices"},
    "G1.mtbf_from_node_rate": {"failures_per_node_day": "failures_per_node_day", "nodes": "nodes"},
    "G2.young": {"ckpt_s": "checkpoint_s", "mtbf_s": "mtbf_s"},
    "G2.daly": {"ckpt_s": "checkpoint_s", "mtbf_s": "mtbf_s"},
    "I2.mbu": {"param_bytes": "bytes_read", "tpot_s": "time_per_token_s"},
    "N1.kwh": {"gpu_hours": "device_hours", "watts": "watts", "pue": "pue"},
    "N1.tco2_tdp_only": {"gpu_hours": "device_hours", "watts": "watts", "kg_per_kwh_implied": "kg_per_kwh"},
    "R1.grpo_flops": {"N": "parameters", "prompt": "prompt_tokens", "gen": "generated_tokens", "group": "group_size",
                      "inner_epochs": "inner_epochs", "ref_forward": "reference",
                      "old_logprob_forward": "old_log_probs", "shared_prompt_prefill": "shared_prefill"},
    "S1.chinchilla_table3": {"N": "parameters", "D": "tokens"},
    "S2.parametric": {"C": "flops", "fit": "fit"},
    "S3.20_tokens": {"C": "flops"},
    "U1.sem": {"cv_step": "step_deviation", "steps": "steps"},
    "U2.warmup_bias": {"steady_s": "steady_s", "first_step_s": "first_step_s", "steps": "steps"},
}
"""What the arguments of a formula are called in the rows."""


def _tonnes(given: dict[str, Any]) -> dict[str, Any]:
    kwh = energy.energy_kwh(given["gpu_hours"], given["watts"], given["pue"])
    return {"kwh": kwh, "kg_per_kwh": given["kg_per_kwh"]}


def _goodput(given: dict[str, Any]) -> dict[str, Any]:
    assert given["interval"] == "young"
    interval = goodput.young_interval_s(given["ckpt_s"], given["mtbf_s"])
    return {"checkpoint_s": given["ckpt_s"], "restart_s": given["restart_s"], "mtbf_s": given["mtbf_s"],
            "interval_s": interval}


def _documents(given: dict[str, Any]) -> dict[str, Any]:
    lengths = given["doc_lengths"]
    if isinstance(lengths, str):
        count, each = map(int, lengths.split(" x "))
        lengths = [each] * count
    return {"document_lengths": lengths, "sequence_length": given["window"]}


def _overstatement(given: dict[str, Any]) -> dict[str, Any]:
    parameters, layers, hidden = LLAMA[given["model"]]
    return {"parameters": parameters, "layers": layers, "hidden_size": hidden, "sequence_length": given["window"],
            "ratio": given["ratio"]}


def _prefill(given: dict[str, Any]) -> dict[str, Any]:
    return {"parameters": given["params"], "tokens": given["tokens"], "devices": given["tp"],
            "peak_tflops": given["peak"] / 1e12, "efficiency": given["eff"]}


def _decode(given: dict[str, Any]) -> dict[str, Any]:
    return {"bytes_read": given["params"] * given["bytes"], "devices": given["tp"],
            "bandwidth_gb_s": given["bw"] / 1e9, "efficiency": given["hbm_eff"]}


def _hours(given: dict[str, Any]) -> dict[str, Any]:
    return {"active_parameters": given.get("N_active", given.get("N")), "tokens": given["tokens"],
            "device_hours": given["gpu_hours"], "peak_tflops": given["peak"] / 1e12}


SPECIAL: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "N1.tco2": _tonnes, "G3.goodput": _goodput, "P1.attn_ratio": _documents, "P2.mfu_overstatement": _overstatement,
    "I4.prefill_bound": _prefill, "I3.decode_lower_bound": _decode, "E3.mfu_from_gpu_hours": _hours,
    "I1.kv_bytes_per_token": lambda given: {**DEEPSEEK_V3, "bytes_per_value": given["bytes"]},
    "L1.lora_over_full": lambda given: {},
    "N2.sum": lambda given: {"parts": next(iter(given.values()))},
}
UNITS = {"days": SECONDS_PER_DAY, "ms measured": 1e-3, "ms/token measured (13B, A100-40GB, ctx 512, b=1)": 1e-3,
         "KB (1e3)": 1e3}
"""Units of rows, in the unit of the formula where that is another one."""


def value_of(row: dict[str, Any]) -> Any:
    """What the formula that a row names makes of the row's inputs."""
    formula = FORMULAS[row["formula"]]
    given = row["inputs"]
    if formula.id in SPECIAL:
        return formula(**SPECIAL[formula.id](given))
    numbers = {name: given[key] for key, name in NAMES[formula.id].items() if key in given}
    if formula.id == "I2.mbu":
        numbers["bandwidth_gb_s"] = given["peak_bw"] / 1e9
    return formula(**numbers)


def test_every_formula_of_the_rows_is_there() -> None:
    assert {row["formula"] for row in ROWS} <= FORMULAS.keys()
    sections = {row["section"] for row in ROWS}
    assert sections == {"flops", "e2e", "energy", "goodput", "scaling", "packing", "finetune", "inference", "rl",
                        "uncert"}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_row(row: dict[str, Any]) -> None:
    found, expected = value_of(row), row["output"]
    if isinstance(expected, dict):
        named = {"N": found.parameters, "D": found.tokens, "tokens_per_param": found.tokens_per_parameter}
        for key, value in expected.items():
            assert named[key] == pytest.approx(value, rel=row["tol_rel"]), key
        return
    scale = 1.0 if row["unit"] == "days" and row["formula"] == "E3.days_per_T" else UNITS.get(row["unit"], 1.0)
    assert found / scale == pytest.approx(expected, rel=row["tol_rel"])


def test_the_measured_ratio_of_lora_is_that_of_its_row() -> None:
    """The row gives TFLOP/s and tokens/s of both runs; their quotients are FLOPs per token."""
    row = next(row for row in ROWS if row["formula"] == "L1.lora_over_full")
    lora, lora_rate, full, full_rate = map(float, re.findall(r"(?:LoRA |SFT |/ )(\d+)", row["inputs"]["row"]))
    assert (lora / lora_rate) / (full / full_rate) == pytest.approx(row["output"], rel=1e-3)


def article(name: str) -> tuple[dict[str, Any], float, Any]:
    row = ARTICLES[name]
    tolerance = row["tolerance"]
    return row["inputs"], row["output"], lambda value: pytest.approx(
        value, rel=tolerance.get("rel", 0), abs=tolerance.get("abs", 0))


@pytest.mark.parametrize("name", ["work2-v3-mfu-decimal", "work2-v3-mfu-2788"])
def test_utilization_of_hours(name: str) -> None:
    given, expected, close = article(name)
    found = end_to_end.utilization_from_hours(given["tokens"] * given["train_flops_per_token"], given["gpu_hours"],
                                              given["peak_flops"] / 1e12)
    assert found * 100 == close(expected)


def test_utilization_of_hours_with_a_rounded_model_and_exact_attention() -> None:
    given, expected, close = article("work2-v3-ref")
    flops = (6 * given["active_params"] + 3 * given["attn_fwd_per_token"]) * given["tokens"]
    found = end_to_end.utilization_from_hours(flops, given["gpu_hours"], given["peak_flops"] / 1e12)
    assert found * 100 == close(expected)


def test_hours_of_a_trillion() -> None:
    given, expected, close = article("work2-v3-hours-per-T")
    assert end_to_end.hours_per_trillion(given["gpu_hours"], given["tokens"]) == close(expected)


def test_days_at_a_throughput_and_of_steps() -> None:
    given, expected, close = article("work3-days")
    seconds = end_to_end.time_from_throughput_s(given["tokens"], given["tokens_per_s"])
    assert seconds / SECONDS_PER_DAY == close(expected)
    given, expected, close = article("work7-days")
    seconds = end_to_end.time_from_steps_s(given["iters"], given["step_ms"] / 1e3)
    assert seconds / SECONDS_PER_DAY == close(expected)


def test_gpt3_by_6nd_and_with_recomputation() -> None:
    given, expected, close = article("work5-6nd-gpt3")
    assert end_to_end.six_nd(given["N"], given["D"]) == close(expected)
    given, expected, close = article("work5-time-gpt3")
    found = end_to_end.time_with_full_recompute_s(given["N"], given["D"], given["devices"],
                                                  given["peak_tflops"] * given["util"])
    # Printed as 2921340; the figure ends in 340.659…
    assert int(found) == expected
    assert found == close(expected)


def test_llama_65b_in_21_days() -> None:
    given, expected, close = article("work5-mfu-llama65b")
    hours = given["devices"] * given["days"] * 24
    found = end_to_end.utilization_from_hours_6nd(given["N"], given["D"], hours, given["peak_tflops"])
    assert found * 100 == close(expected)


def test_frozen_backbone() -> None:
    given, expected, close = article("work4-llava-910b")
    found = finetune.forward_only_utilization(given["tokens_per_s_per_device"], given["params"], given["peak_tflops"])
    assert found * 100 == close(expected)


def test_cache_of_gpt3() -> None:
    given, expected, close = article("work5-kv-gpt3")
    each = serving.kv_bytes_per_token(given["l"], 2 * given["h"])
    assert serving.kv_cache_bytes(each, given["s"] + given["n"], given["b"]) == close(expected)


def test_forward_pass_of_an_article() -> None:
    given, expected, close = article("work5-fwd")
    hidden, layers, tokens = given["h"], given["l"], given["s"] * given["b"]
    parameters = 12 * layers * hidden**2 + given["V"] * hidden
    core = serving.prefill_flops(0, layers, hidden, given["s"])
    # The article counts the full square of pairs, the formula the causal half.
    assert serving.prefill_flops(parameters, layers, hidden, tokens) + core == close(expected)


def test_prefill_mfu_and_decode_mbu() -> None:
    given, expected, close = article("work8-def-prefill-mfu")
    flops = serving.prefill_flops(given["matmul_params"], given["L"], given["h"], given["s"]) * given["batch"]
    assert serving.utilization(flops, given["prefill_s"], given["peak_tflops"]) * 100 == close(expected)
    given, expected, close = article("work8-def-decode-mbu")
    found = serving.bandwidth_utilization(given["weight_bytes"] + given["kv_bytes"], given["tpot_s"],
                                          given["peak_bandwidth_tb_s"] * 1e3)
    assert found * 100 == close(expected)


def test_energy_of_gpt3_from_its_flops() -> None:
    """1,287 MWh from 3.14e23 FLOPs at 24.6 TFLOP/s, 330 W and a PUE of 1.1 (Patterson et al. 2021,
    arXiv 2104.10350, table 4)."""
    seconds = 3.14e23 / 24.6e12
    kwh = energy.energy_kwh(end_to_end.device_hours(1, seconds), watts=330, pue=1.1)
    assert kwh / 1000 == pytest.approx(1287, rel=0.002)


def test_palm_used_30_percent_of_its_hours() -> None:
    """6144 chips for 1200 hours and 3072 for 336 (Chowdhery et al. 2022, arXiv 2204.02311, section 4 and
    appendix B): over all of them 30%, in the steps 46.2%."""
    hours = 6144 * 1200 + 3072 * 336
    found = end_to_end.utilization_from_hours(2.527e24, hours, 275)
    assert round(found, 2) == 0.30


def codes(formula: Formula[..., Any], **numbers: Any) -> set[str]:
    figure = formula.figure("x", "x", **numbers)
    return {notice.code for notice in figure.notices}


def test_outside_its_domain_a_figure_carries_the_warning() -> None:
    short = {"checkpoint_s": 60, "mtbf_s": 11124.0}
    assert codes(goodput.young_interval_s, **short) == codes(goodput.daly_interval_s, **short) == set()
    assert codes(goodput.young_interval_s, checkpoint_s=2000, mtbf_s=11124.0) == {"goodput_outside_domain"}
    assert codes(goodput.daly_interval_s, checkpoint_s=23000, mtbf_s=11124.0) == {"goodput_outside_domain"}
    assert codes(goodput.goodput, **short, restart_s=300, interval_s=1155) == set()
    assert codes(goodput.goodput, **short, restart_s=3000, interval_s=1155) == {"goodput_outside_domain"}
    assert codes(goodput.goodput, **short, restart_s=300, interval_s=20000) == {"goodput_outside_domain"}
    assert codes(scaling.parametric_optimum, flops=1e21) == set()
    assert codes(scaling.parametric_optimum, flops=1e25) == {"scaling_extrapolated"}
    assert codes(scaling.tokens_for_parameters, parameters=1e9, fit="epoch_replication") == set()
    assert codes(scaling.tokens_for_parameters, parameters=4e11, fit="epoch_replication") == {"scaling_extrapolated"}
    assert codes(packing.attention_ratio, document_lengths=[8192], sequence_length=8192) == set()
    assert codes(packing.attention_ratio, document_lengths=[8192, 1], sequence_length=8192) == {"packing_too_long"}
    assert codes(serving.experts_touched, tokens=4, experts=256, top_k=8) == {"experts_assumed_even"}
    assert codes(end_to_end.time_with_full_recompute_s, parameters=1e9, tokens=1e9, devices=8,
                 tflops_per_device=100) == {"assumes_full_recompute"}


def test_daly_gives_the_mtbf_once_checkpoints_take_twice_of_it() -> None:
    assert goodput.daly_interval_s(200.0, 100.0) == 100.0
    assert goodput.daly_interval_s(199.999, 100.0) == pytest.approx(
        200 * (1 + 1 / 3 + 1 / 9) - 200, rel=1e-4)


def test_experts_touched_is_between_one_tokens_and_all() -> None:
    assert serving.experts_touched(1, 256, 8) == pytest.approx(8)
    assert serving.experts_touched(10**6, 256, 8) == pytest.approx(256)
    assert serving.experts_touched(2, 256, 8) == pytest.approx(256 * (1 - (1 - 8 / 256) ** 2))


def test_ridge_batch_of_a100_and_h100() -> None:
    """About 153 and 295 for 16-bit weights, from the data sheets' 312 and 989 TFLOP/s, 2.04 and 3.35 TB/s."""
    assert round(serving.ridge_batch(312, 2039)) == 153
    assert round(serving.ridge_batch(989.4, 3350)) == 295


def test_fine_tuning_passes() -> None:
    assert (finetune.passes(True, True), finetune.passes(False, True), finetune.passes(False, False)) == (6, 4, 2)


def test_ppo_adds_a_critic_and_a_reward_model() -> None:
    grpo = rl.grpo_flops(8e9, 512, 2048, 1)
    assert rl.ppo_flops(8e9, 512, 2048, critic_parameters=8e9) == pytest.approx(grpo + 8 * 8e9 * 2560)
    assert rl.ppo_flops(8e9, 512, 2048, 0, reward_parameters=8e9) == pytest.approx(grpo + 2 * 8e9 * 2560)


def test_attention_share() -> None:
    """Twice the layers × width × length × γ over the parameters; 13% for Llama 3 8B at 8192 (causal half)."""
    assert end_to_end.attention_share(8.03e9, 32 * 4096, 8192) == pytest.approx(0.1337, rel=1e-3)


def test_every_registered_formula_says_where_it_comes_from() -> None:
    assert MODULES
    for formula in FORMULAS.values():
        assert formula.source, formula.id
        assert formula.expression, formula.id
