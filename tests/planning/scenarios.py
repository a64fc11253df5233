"""Scenarios that several tests of plans start from."""

from __future__ import annotations

from typing import Any

from mfu_gui.engine.scenario import Scenario
from mfu_gui.formats.presets import PresetStore
from mfu_gui.formats.scenario_file import load_value


def scenario(model: str = "deepseek-v3", hardware: str = "nvidia-h800-sxm5-80gb", plan: dict[str, Any] | None = None,
             *, convention: dict[str, Any] | None = None, peak_tflops: float | None = None, **run: Any) -> Scenario:
    """A scenario of presets: DeepSeek-V3 on 2048 H800, as its authors measured it, unless told otherwise."""
    if model == "deepseek-v3" and not run:
        run = {"devices": 2048, "sequence_length": 4096, "global_batch": 15360, "measured": {"step_time_s": 19.926}}
    card: dict[str, Any] = {"preset": hardware}
    if peak_tflops is not None:
        card["peak_tflops"] = peak_tflops
    value: dict[str, Any] = {
        "kind": "mfu-scenario", "schema": 1, "model": {"preset": model}, "hardware": card,
        "run": {"precision": "bf16", **run}}
    if plan is not None:
        value["plan"] = plan
    if convention is not None:
        value["convention"] = convention
    return load_value(value, PresetStore()).scenario
