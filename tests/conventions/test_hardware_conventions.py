"""Conventions that count hardware FLOPs: their value is an HFU, never an MFU."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from mfu_gui.engine.compare import compare
from mfu_gui.engine.conventions import CONVENTIONS
from mfu_gui.engine.evaluate import evaluate
from mfu_gui.engine.hardware import HardwareSpec
from mfu_gui.engine.run import Measured, RecomputeName, RunSpec
from mfu_gui.engine.scenario import ConventionChoice, Scenario

from .test_known_figures import shape

# Korthikanti et al. 2022, arXiv 2205.05198, table 5: 175B on 64 A100, batch 64, 13.75 s a step, 51.4 % MFU.
KORTHIKANTI = Scenario(
    model=shape("gpt3-175b"), hardware=HardwareSpec(peak_tflops={"bf16": 312.0}),
    run=RunSpec(sequence_length=2048, devices=64, global_batch=64, measured=Measured(step_time_s=13.75)))
HARDWARE = [c.id for c in CONVENTIONS if c.kind == "hardware"]


@pytest.mark.parametrize("recompute", ["none", "full", "selective"])
@pytest.mark.parametrize("convention", HARDWARE)
def test_hfu_is_the_value_whatever_the_run_recomputes(convention: str, recompute: RecomputeName) -> None:
    asked = replace(KORTHIKANTI, convention=ConventionChoice(id=convention),
                    run=replace(KORTHIKANTI.run, recompute=recompute))
    result = evaluate(asked)
    row = next(row for row in compare(asked, result) if row.id == convention)
    assert result.mfu is None
    assert result.hfu == pytest.approx(row.utilization)
    assert result.flops.per_step == row.flops_per_step
    assert result.flops.recompute == 0
    assert "hardware_convention" in {notice.code for notice in result.warnings}


def test_96_form_is_the_72_form_and_a_forward_of_the_layers() -> None:
    # 96·B·s·L·h²·(1 + s/6h + V/16hL) = 72·B·s·L·h²·(1 + s/6h + V/12hL) + 24·B·s·L·h²·(1 + s/6h).
    results = {name: evaluate(replace(KORTHIKANTI, convention=ConventionChoice(id=name))).flops.per_step or 0
               for name in ("megatron-2021", "megatron-2021-no-recompute")}
    layers = 24 * 64 * 2048 * 96 * 12288**2 + 4 * 64 * 2048**2 * 96 * 12288
    assert results["megatron-2021"] - results["megatron-2021-no-recompute"] == layers
    assert results["megatron-2021"] == pytest.approx(1.879571147217961e17, rel=1e-9)
