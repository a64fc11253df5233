"""Memory formulas against what papers print, other tools compute, and measurements gave."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from mfu_gui.engine.errors import Notice
from mfu_gui.planning import memory_dense, memory_formulas, memory_peers
from mfu_gui.planning.formula import FORMULAS, GIB, Figure
from mfu_gui.planning.memory_peers import MegatronArguments

DATA = json.loads((Path(__file__).parent.parent / "data" / "memory_vectors.json").read_text(encoding="utf-8"))
ROWS: list[dict[str, Any]] = DATA["vectors"]
ARTICLES: dict[str, dict[str, Any]] = {row["id"]: row for row in DATA["vectors_of_articles"]}

GPT = {"s": "sequence_length", "b": "micro_batch", "h": "hidden_size", "a": "heads", "L": "layers", "tp": "tensor",
       "pp": "pipeline", "vpp": "virtual_pipeline", "mode": "mode"}
STATES = {"h": "hidden_size", "L": "layers", "tp": "tensor", "pp": "pipeline",
          "bytes_per_param": "bytes_per_parameter"}
DENSE = {"h": "hidden_size", "ffn": "ffn", "kv_ratio": "kv_ratio", "vocab": "vocabulary", "L": "layers",
         "tp": "tensor", "pp": "pipeline", "cp": "context", "dp": "data", "seq": "sequence_length",
         "mbs": "micro_batch", "zero": "zero_stage", "sp": "sequence_parallel", "flash": "flash",
         "recompute": "recompute"}
ZERO = {"params": "parameters", "dp": "replicas", "stage": "stage", "K": "optimizer_bytes"}
DEEPSPEED = {"params": "parameters", "largest_layer": "largest_layer", "gpus": "devices", "offload": "offload",
             "optimizer_offload": "optimizer_offload"}
NAMES = {"M1.block_states": STATES, "M2.korthikanti_tp": GPT, "M2.korthikanti_tp_sp_selective": GPT,
         "M2.relative_per_layer": GPT, "M1.zero_paper": ZERO, "M1.deepspeed_zero2": DEEPSPEED,
         "M1.deepspeed_zero3": DEEPSPEED, "M4.dense_full_stack": DENSE}
"""What the arguments of a formula are called in the rows."""
UNITS = {"GiB": GIB, "GB (1e9)": 1e9}
COOKBOOK: dict[str, dict[str, Any]] = {
    "pythia-6.9B L32 h4096 s2048 b8 tp2 dp64 ZeRO1 ckpt": {
        "layers": 32, "hidden_size": 4096, "sequence_length": 2048, "micro_batch": 8, "heads": 32, "tensor": 2,
        "devices": 128, "zero_stage": 1, "checkpointing": True,
        # 34 GiB are half of 34·s·b·h·layers: the run split activations over the tensor-parallel devices.
        "partition_activations": True},
    "20B L44 h6144 s2048 b1 1 GPU ckpt": {
        "layers": 44, "hidden_size": 6144, "sequence_length": 2048, "micro_batch": 1, "heads": 64,
        "checkpointing": True},
    "llama-7B-like L32 h4096 ffn3.5 s4096 b1 1 GPU no ckpt": {
        "layers": 32, "hidden_size": 4096, "sequence_length": 4096, "micro_batch": 1, "heads": 32, "expansion": 3.5},
    "llama2-70B L80 h8192 ffn3.5x3 kv.125 s4096 64 GPU ZeRO3 ckpt": {
        "layers": 80, "hidden_size": 8192, "sequence_length": 4096, "micro_batch": 1, "heads": 64, "expansion": 3.5,
        "mlp_matrices": 3, "kv_ratio": 0.125, "devices": 64, "zero_stage": 3, "checkpointing": True},
}


def figure_of(row: dict[str, Any]) -> Figure:
    """The formula of a row, filled with the row's numbers."""
    given = row["inputs"]
    formula = FORMULAS[row["formula"]]
    if "megatron" in formula.id:
        return formula.figure("x", "x", arguments=msgspec.convert(given, MegatronArguments))
    numbers = {name: given[key] for key, name in NAMES[formula.id].items() if key in given}
    if formula.id == "M1.deepspeed_zero3":
        numbers["devices"] = given["gpus_per_node"] * given["nodes"]
    return formula.figure("x", "x", **numbers)


@pytest.mark.parametrize("row", [row for row in ROWS if row["section"] != "mem-peer"], ids=lambda row: row["id"])
def test_formula(row: dict[str, Any]) -> None:
    found = figure_of(row)
    assert found.value is not None
    unit = UNITS.get(row["unit"], 1) if found.unit == "bytes" else 1
    assert found.value / unit == pytest.approx(row["output"], rel=row["tol_rel"])


@pytest.mark.parametrize("row", [row for row in ROWS if row["section"] == "mem-act" and "Fig.1" in row["source"]],
                         ids=lambda row: row["id"])
def test_korthikanti_figure_1_to_a_thousandth(row: dict[str, Any]) -> None:
    assert figure_of(row).value == pytest.approx(row["output"] * GIB, rel=1e-3)


@pytest.mark.parametrize("row", [row for row in ROWS if row["section"] == "mem-peer"], ids=lambda row: row["id"])
def test_cookbook(row: dict[str, Any]) -> None:
    found = memory_peers.cookbook_memory(**COOKBOOK[row["inputs"]["case"]])
    expected = row["output"]
    # Printed with two decimals, some of them with one.
    close: Callable[[float], Any] = lambda value: pytest.approx(value, rel=row["tol_rel"], abs=0.05)  # noqa: E731
    assert found.parameters / 1e9 == close(expected["params_B"])
    assert found.activation_bytes / GIB == close(expected["activation_GiB"])
    assert found.model_bytes / GIB == close(expected["model_GiB"])
    assert found.gradient_bytes / GIB == close(expected["grad_GiB"])
    assert found.optimizer_bytes / GIB == close(expected["optimizer_GiB"])


def article(name: str) -> tuple[dict[str, Any], float]:
    row = ARTICLES[name]
    return row["inputs"], row["output"]


@pytest.mark.parametrize("name", ["work5-12lh2-32.5b", "work5-12lh2-65.2b"])
def test_parameters_by_12lh2(name: str) -> None:
    given, expected = article(name)
    assert memory_formulas.approximate_parameters(given["h"], given["l"]) == expected


def test_parameters_of_gpt3() -> None:
    given, expected = article("work5-gpt-exact")
    assert memory_formulas.gpt_parameters(given["h"], given["l"], given["V"]) == expected


@pytest.mark.parametrize("name", ["work5-llama7b-12h2l", "work5-10h2l"])
def test_parameters_of_llamas(name: str) -> None:
    given, expected = article(name)
    found = memory_formulas.llama_parameters(given["h"], given["l"], given["V"], given.get("heads", 1),
                                             given.get("kv_heads", given.get("heads", 1)))
    assert found == expected


@pytest.mark.parametrize("name", ["work5-act-gpt3-b1", "work5-act-gpt3-b64"])
def test_activations_without_parallelism(name: str) -> None:
    given, expected = article(name)
    assert memory_formulas.activations(given["s"], given["b"], given["h"], given["a"], given["l"]) == expected


def test_bytes_of_a_parameter() -> None:
    given, expected = article("work5-train-bytes")
    assert memory_formulas.bytes_per_parameter(given["fp16_param"], given["fp32_param"], given["fp16_grad"],
                                               given["fp32_grad"], given["adam"]) == expected


def codes(notices: tuple[Notice, ...]) -> set[str]:
    return {notice.code for notice in notices}


def test_outside_its_domain_a_figure_carries_the_warning() -> None:
    gpt = {"sequence_length": 2048, "micro_batch": 1, "hidden_size": 12288, "heads": 96, "layers": 96}
    tensor = memory_formulas.activations_tensor
    assert tensor.figure("x", "x", **gpt, tensor=8).notices == ()
    assert codes(tensor.figure("x", "x", **gpt, tensor=7).notices) == {"heads_by_tensor"}
    assert codes(tensor.figure("x", "x", **gpt, tensor=8, pipeline=7).notices) == {"layers_by_stages"}
    relative = memory_formulas.relative_per_layer
    assert codes(relative.check(6144, 64, 2048, 7, "sel")) == {"heads_by_tensor"}
    assert codes(memory_formulas.zero_states.check(1e9, 8, 4)) == {"out_of_range"}
    assert codes(memory_formulas.block_states.check(12288, 96, 8, 7, 18.0)) == {"layers_by_stages"}
    dense = memory_dense.dense_full_stack
    assert "layers_by_stages" in codes(dense.check(8192, 28672, 0.125, 128256, 13, 4096, pipeline=2))
    megatron = MegatronArguments(hidden_size=4096, num_attention_heads=32, num_layers=32, world_size=8, swiglu=True)
    notice, = memory_peers.megatron_activations.check(megatron)
    assert notice.values == {"parts": ["gated_mlp"]}
