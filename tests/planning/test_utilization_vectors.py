"""MFU and HFU of whole scenarios against what papers and benchmark tables print, row by row."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from mfu_gui.engine.evaluate import evaluate
from mfu_gui.engine.ledger import ledger
from mfu_gui.engine.model import Attention, Dense, Head, Layer, ModelSpec, Stack
from mfu_gui.engine.run import Measured, Recompute, RecomputeName, RunSpec
from mfu_gui.engine.scenario import ConventionChoice, Peak, Result
from mfu_gui.formats.presets import PresetStore

from .scenarios import scenario

ROWS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent.parent / "data" / "utilization_vectors.json").read_text(encoding="utf-8"))["vectors"]
Given = dict[str, Any]
MPT_VOCABULARY = 50368
"""mosaicml/llm-foundry, scripts/train/benchmarking: the vocabulary of all its models."""
MEGASCALE_VOCABULARY = 64000
"""Jiang et al. 2024, arXiv 2402.15627, section 6: the vocabulary of the GPT of 175B."""


def gpt(given: Given, vocabulary: int, *, biases: bool = False) -> ModelSpec:
    """A GPT with learned positions: MLPs four times as wide, a tied head."""
    hidden = given["h"]
    attention = Attention(heads=hidden // 64, kv_heads=hidden // 64, head_dim=64,
                          biases=("q", "k", "v", "o") if biases else ())
    layer = Layer(mixers=(attention,), ffns=(Dense(width=4 * hidden, matrices=2, biases=biases),))
    stack = Stack(hidden_size=hidden, kinds=(layer,), order=((layer.name, given["L"]),),
                  norm_vectors=2 if biases else 1, position_table=given["s"])
    return ModelSpec(vocabulary=vocabulary, stacks=(stack,), head=Head(tied=True))


def result(convention: str, model: ModelSpec, measured: Measured, *, length: int, devices: int = 1, batch: int = 1,
           peak_tflops: float = 312.0, recompute: RecomputeName | Recompute = "none") -> Result:
    """What the program makes of a run."""
    base = scenario("llama-3-8b", "nvidia-a100-sxm4-80gb", sequence_length=length)
    run = RunSpec(sequence_length=length, devices=devices, global_batch=batch, measured=measured, recompute=recompute)
    return evaluate(replace(base, model=model, run=run, peak=Peak(tflops=peak_tflops),
                            convention=ConventionChoice(id=convention)))


def model_flops(given: Given) -> float:
    """72BsLh²(1 + s/6h + V/12Lh) over time and peak."""
    found = result("megatron-2021-no-recompute", gpt(given, given["V"]), Measured(step_time_s=given["step_s"]),
                   length=given["s"], devices=given["gpus"], batch=given["B"], peak_tflops=given["peak"] / 1e12)
    assert found.mfu is not None
    return found.mfu * 100


def full_recompute(given: Given) -> float:
    """Layers run forward twice, the head once."""
    found = result("megatron-2021-no-recompute", gpt(given, given["V"]), Measured(step_time_s=given["step_s"]),
                   length=given["s"], devices=given["gpus"], batch=given["B"], peak_tflops=given["peak"] / 1e12,
                   recompute="full")
    assert found.hfu is not None
    return found.hfu * 100


def printed_selective(given: Given) -> float:
    """The HFU that belongs to an MFU, by the formula as it is printed: s/6h becomes s/3h."""
    found = result("megatron-2021-no-recompute", gpt(given, given["V"]), Measured(mfu=given["mfu_pct"] / 100),
                   length=given["s"], recompute="korthikanti-printed")
    assert found.hfu is not None
    return found.hfu * 100


def step_of_a_rate(given: Given) -> float:
    """96BsLh²(1 + s/6h + V/16Lh) over the printed TFLOP/s."""
    found = result("megatron-2021", gpt(given, given["V"]), Measured(tflops_per_device=given["tflops"]),
                   length=given["s"], devices=given["gpus"], batch=given["B"])
    assert found.throughput.step_time_s is not None
    return found.throughput.step_time_s


def megascale(given: Given) -> float:
    """96 layers, 12288 wide (arXiv 2402.15627, table 1)."""
    shape = {"h": 12288, "L": 96, "s": given["seq"], "B": given["batch"], "V": MEGASCALE_VOCABULARY}
    return model_flops({**given, **shape})


def mosaic(given: Given) -> float:
    """The models have biases, which is seen from their parameters: they come out exactly."""
    model = gpt(given, MPT_VOCABULARY, biases=True)
    assert ledger(model).parameters.total == given["params"]
    found = result("llm-foundry", model, Measured(tokens_per_s=given["tokens_per_s"]), length=given["s"],
                   devices=given["gpus"], peak_tflops=given["peak"] / 1e12)
    assert found.mfu is not None
    return found.mfu * 100


def share_of_peak(given: Given, tflops: str) -> float:
    """A rate over the peak, whatever the model."""
    model = gpt({"h": 2304, "L": 24, "s": 2048}, 51200)
    found = result("megatron-2021-no-recompute", model, Measured(tflops_per_device=given[tflops]),
                   length=given.get("seq", 2048), peak_tflops=given["peak"])
    assert found.mfu is not None
    return found.mfu * 100


def some_layers(given: Given) -> float:
    """HFU over MFU where the first k layers of Llama 3 8B run forward twice."""
    assert given["model"] == "llama3-8B causal s=8192"
    found = result("matmul-causal", PresetStore().model("llama-3-8b").spec, Measured(mfu=0.4), length=8192,
                   recompute=Recompute(layers=given["k"], repeat={"*": 1}))
    assert found.hfu is not None
    return found.hfu / 0.4


OURS: dict[str, Callable[[Given], float]] = {
    "F1.megatron_model_flops": model_flops,
    "F1.megascale": megascale,
    "F2.megatron2021_full_recompute_flops": step_of_a_rate,
    "F3.mosaic": mosaic,
    "F4.llama3_table4": lambda given: share_of_peak(given, "tflops"),
    "H2.selective_paper_convention": printed_selective,
    "H3.full": full_recompute,
    "H4.percent_of_peak": lambda given: share_of_peak(given, "achieved_tflops"),
    "H5.block_k": some_layers,
}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_row(row: dict[str, Any]) -> None:
    assert OURS[row["formula"]](row["inputs"]) == pytest.approx(row["output"], rel=row["tol_rel"])


def test_no_row_is_left_out() -> None:
    assert len(ROWS) == 39
    assert {row["formula"] for row in ROWS} == OURS.keys()
