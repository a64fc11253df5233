"""Published figures, recomputed from the inputs printed beside them."""

from __future__ import annotations

import pytest

from mfu_gui.engine.evaluate import evaluate
from mfu_gui.formats.published import REASONS, Figure, PublishedRow, half_digit, published

ROWS = published().rows


def figure(row_id: str, quantity: str) -> Figure:
    row = published().by_id[row_id]
    return next(f for f in published().recompute(row) if f.quantity == quantity)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_closes_exactly_as_marked(row: PublishedRow) -> None:
    figures = published().recompute(row)
    assert (bool(figures) and all(f.closes for f in figures)) == row.closes
    assert (row.reason == "") == row.closes
    assert row.closes or row.reason in REASONS


def test_residuals_are_as_small_as_the_reasons_say() -> None:
    most = {"slightly_other": 0.005, "coarse_speed": 0.025, "cut_off": 0.03, "different_runs": 0.035}
    assert len(ROWS) == 571
    for row in ROWS:
        for found in published().recompute(row):
            assert abs(found.residual) <= most.get(row.reason, 1.01), row.id


@pytest.mark.parametrize(("row_id", "quantity", "recomputed"), [
    # PaLM, sec. 4.1: 46.2 % MFU and, with 75 % of the forward and all attention repeated, 57.8 % HFU.
    ("palm-chowdhery-et-al-2-001", "mfu", 46.2289), ("palm-chowdhery-et-al-2-001", "hfu", 57.8281),
    # PaLM, table 22: TFLOP a token with rematerialisation.
    ("palm-chowdhery-et-al-2-012", "hardware_tflops_per_token", 4.10014),
    # MosaicML llm-foundry README, MPT-1B on H100.
    ("mosaicml-llm-foundry-b-056", "mfu", 40.8514),
    # Megatron-Bridge 26.04: Llama 3.1 405B on GB300.
    ("nvidia-megatron-bridge-122", "tflops_per_device", 2614.82),
    # NVIDIA dgxc-benchmarking: Nemotron-H 56B, Mamba-2 hybrid.
    ("nvidia-dgxc-benchmarki-121", "mfu", 28.3499),
    # tpu-recipes: windows halved as well.
    ("ai-hypercomputer-tpu-r-036", "tflops_per_device", 349.442),
])
def test_recomputed_as_the_table_of_sources_has_it(row_id: str, quantity: str, recomputed: float) -> None:
    assert figure(row_id, quantity).recomputed == pytest.approx(recomputed, rel=2e-4)


def test_maverick_row_divides_by_the_fp8_peak() -> None:
    # NVIDIA dgxc-benchmarking, llama4/README.md: 18.71 % at 128 GPUs, where 37.4 % is meant.
    row = published().by_id["nvidia-dgxc-benchmarki-112"]
    assert (row.closes, row.reason) == (False, "other_peak")
    assert figure(row.id, "mfu").recomputed == pytest.approx(37.43, abs=0.01)


def test_scenario_evaluates_to_the_recomputed_figure() -> None:
    checked = 0
    for row in ROWS:
        scenario = published().scenario(row)
        if scenario is None or not row.figures or row.measured is None:
            continue
        result = evaluate(scenario)
        values = {"mfu": result.mfu, "hfu": result.hfu, "tflops_per_device": result.throughput.tflops_per_device}
        for found in published().recompute(row):
            value = values.get(found.quantity)
            if value is not None and row.measured.key != "tflops_per_device":
                scale = 1 if found.quantity == "tflops_per_device" else 100
                assert value * scale == pytest.approx(found.recomputed, rel=1e-9), row.id
                checked += 1
    assert checked > 400


@pytest.mark.parametrize(("printed", "half"), [("13.75", 0.005), ("1720", 0.5), ("46", 0.5), ("46.2", 0.05)])
def test_half_of_the_last_digit(printed: str, half: float) -> None:
    assert half_digit(printed) == pytest.approx(half)
