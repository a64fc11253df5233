"""The scenario at another place of its curve."""

from __future__ import annotations

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.fields import measured_key, with_measured
from mfu_gui.engine.scenario import Result, Scenario
from mfu_gui.formats.curve import Curve


def moved(scenario: Scenario, result: Result, curve: Curve, time: float) -> Scenario:
    """``scenario`` at another time, said in the quantity that it knows (step time if none)."""
    key = measured_key(scenario)
    utilization = curve.at(time)
    devices = scenario.run.devices
    rate = utilization * result.peak_tflops_per_device * 1e12 / result.flops.per_token
    values: dict[str, float | None] = {
        "step_time_s": time if curve.quantity == "step_time_s" else None,
        "tokens_per_s": None if devices is None else rate * devices,
        "tokens_per_s_per_device": rate,
        "tflops_per_device": utilization * result.peak_tflops_per_device,
        "mfu": min(utilization, 1.0),
    }
    if not key or values[key] is None:
        key = "step_time_s" if values["step_time_s"] is not None else "tokens_per_s_per_device"
    value = values[key]
    if value is None:
        raise InputError("required", "run.measured")
    return with_measured(scenario, key, value if key == "step_time_s" else float(f"{value:.5g}"))
