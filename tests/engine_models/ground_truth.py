"""Measured counts of real model code, and the engine's count of the same model.

``tests/data/ground_truth_flops.json``: torch 2.13 FlopCounterMode on transformers 5.24 code, forward and
``logits.float().sum().backward()``, attention over the full S × S square.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mfu_gui.engine.conventions import find
from mfu_gui.engine.evaluate import count
from mfu_gui.engine.model import ModelSpec
from mfu_gui.engine.run import RunSpec

DATA = Path(__file__).resolve().parents[1] / "data"
CASES: list[dict[str, Any]] = json.loads((DATA / "ground_truth_flops.json").read_text("utf-8"))
BY_ID = {case["id"]: case for case in CASES}
PARAMETERS: dict[str, dict[str, Any]] = {
    row["name"]: row for row in json.loads((DATA / "ground_truth_params.json").read_text("utf-8"))}
MEASURED: list[dict[str, Any]] = json.loads((DATA / "measured_models.json").read_text("utf-8"))["cases"]

Parts = dict[str, int]


def sees_everything(case: dict[str, Any]) -> bool:
    """Whether the operator counter saw every product: it is blind to grouped_mm experts and to fused
    attention on a CPU."""
    return case["experts_counted"] != "none" and not (
        case["device"] == "cpu" and case["attn_implementation"] == "sdpa")


def run_of(case: dict[str, Any], **more: Any) -> RunSpec:
    """The run of a case; a model of images alone has no sequence length of its own."""
    return RunSpec(sequence_length=case["seq_len"] or 1, global_batch=case["batch"],
                   decoder_sequence_length=case["decoder_seq_len"], **more)


def counted(model: ModelSpec, run: RunSpec, *, as_executed: bool = False) -> tuple[Parts, Parts, Parts]:
    """(forward, backward, recomputed) FLOPs of one step by component, over the full square."""
    flops, _ = count(model, run, find("matmul-full"), as_executed=as_executed)
    parts = flops.components.items()
    return ({name: part.forward for name, part in parts if part.forward},
            {name: part.backward for name, part in parts if part.backward},
            {name: part.recompute for name, part in parts if part.recompute})


def measured(case: dict[str, Any]) -> tuple[Parts, Parts]:
    """(forward, backward) FLOPs by component as measured."""
    return case["flops_forward_breakdown"], case["flops_backward_breakdown"]
