"""Configs of real models and of every class: their parameters and FLOPs, to the digit.

Expected values come from outside: totals of published checkpoints (with their sources in the index), counts
measured on models that transformers built from the same config (torch's operator counter on the meta
device), and the parameters of each class built from defaults and from odd values.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.inspection import inspect
from mfu_gui.engine.ledger import ledger
from mfu_gui.engine.run import RunSpec
from mfu_gui.formats.hf_config import known_model_types, read_config

DATA = Path(__file__).resolve().parents[2] / "data"
INDEX: dict[str, Any] = json.loads((DATA / "hf_configs" / "index.json").read_text("utf-8"))
PARAMETERS: list[Any] = json.loads((DATA / "ground_truth_params.json").read_text("utf-8"))
FLOPS: list[Any] = json.loads((DATA / "ground_truth_flops.json").read_text("utf-8"))
CLASSES: list[Any] = json.loads((DATA / "class_params.json").read_text("utf-8"))["cases"]
KNOWN = set(known_model_types())

# Totals of the index that leave out the multi-token-prediction block include these stored corrections.
WITH_CORRECTIONS = {"deepseek-v3.2.json", "deepseek-v3.json", "glm-4.5.json", "kimi-linear-48b-a3b.json",
                    "lfm2-8b-a1b.json", "mimo-v2-flash.json", "nemotron-3-nano-30b-a3b.json",
                    "nemotron-3-super-120b-a12b.json"}
# Heads that are not a language model's.
REFUSED = {"internlm2-reward.json": "config_other_head"}


def _config(name: str) -> dict[str, Any]:
    return json.loads((DATA / "hf_configs" / name).read_text("utf-8"))


@pytest.mark.parametrize("name", sorted(INDEX))
def test_configs_of_real_models(name: str) -> None:
    config, row = _config(name), INDEX[name]
    if config["model_type"] not in KNOWN or name in REFUSED:
        with pytest.raises(InputError) as caught:
            read_config(config)
        assert caught.value.code == REFUSED.get(name, "unknown_model_type")
        return
    parameters = ledger(read_config(config).spec).parameters
    expected = row["expected_total_params"]
    if expected is not None:
        found = parameters.checkpoint_total if name in WITH_CORRECTIONS else parameters.total
        assert found == expected


@pytest.mark.parametrize("row", [row for row in PARAMETERS if row["model_type"] in KNOWN], ids=lambda row: row["name"])
def test_parameters_by_component(row: dict[str, Any]) -> None:
    parameters = ledger(read_config(row["config"]).spec).parameters
    assert parameters.components == row["components"]
    assert parameters.total == row["total"]


def _countable(row: dict[str, Any]) -> bool:
    """Leave out what the operator counter itself does not see, and adapters, which are no part of a config."""
    return (row["model_type"] in KNOWN and row["experts_counted"] != "none" and "lora" not in row["id"]
            and not (row["device"] == "cpu" and row["attn_implementation"] == "sdpa"))


@pytest.mark.parametrize("row", [row for row in FLOPS if _countable(row)], ids=lambda row: row["id"])
def test_forward_flops_by_component(row: dict[str, Any]) -> None:
    run = RunSpec(sequence_length=row["seq_len"] or 1, global_batch=row["batch"],
                  decoder_sequence_length=row["decoder_seq_len"])
    square = inspect(read_config(row["config"]).spec, run, as_executed=True).full_square
    found = {name: part.forward for name, part in square.components.items() if part.forward}
    if "attention_sdpa" in row["flops_forward_breakdown"]:  # one fused operator
        found["attention_sdpa"] = found.pop("attention_qk") + found.pop("attention_av")
    assert found == {name: flops for name, flops in row["flops_forward_breakdown"].items() if flops}
    assert square.forward == row["flops_forward"]


@pytest.mark.parametrize("model_type", sorted({case["config"]["model_type"] for case in CLASSES}))
def test_parameters_of_each_class(model_type: str) -> None:
    for case in CLASSES:
        if case["config"]["model_type"] == model_type:
            parameters = ledger(read_config(case["config"]).spec).parameters
            assert (parameters.total, parameters.checkpoint_total - parameters.total) == (
                case["total"], case["buffers"]), case["config"]


def test_every_family_of_the_first_release_is_read() -> None:
    first = (
        "llama mistral qwen2 qwen3 mixtral qwen3_moe deepseek_v2 deepseek_v3 kimi_k2 gemma gemma2 gemma3_text gpt2 "
        "gpt_neox opt gpt_oss phi phi3 gptj gpt_neo gpt_bigcode starcoder2 falcon bloom mpt cohere cohere2 olmo olmo2 "
        "olmo3 granite granitemoe glm glm4 glm4_moe chatglm qwen2_moe olmoe dbrx llama4_text minimax_m2 ernie4_5 "
        "ernie4_5_moe exaone exaone4 internlm2 internlm3 baichuan seed_oss nemotron apertus smollm3"
    )
    assert set(first.split()) <= KNOWN
