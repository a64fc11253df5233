"""FLOPs and time -> utilization and throughput, and every inverse.

MFU = model FLOPs per step ÷ (peak FLOP/s of one device × devices × step time); Chowdhery et al. 2022,
arXiv 2204.02311, appendix B.  All functions are exact up to one rounding of binary64 a step.
"""

from __future__ import annotations

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.hardware import HardwareSpec, Precision
from mfu_gui.engine.run import RunSpec
from mfu_gui.engine.scenario import Peak, Throughput

TERA = 1e12


def preset_peak_tflops(hardware: HardwareSpec, precision: Precision, peak: Peak) -> float:
    """Peak of one counted device in one precision; InputError ``peak_missing`` names those there are."""
    value = hardware.peak_tflops.get(precision)
    if value is None:
        raise InputError("peak_missing", "run.precision", precision=precision, hardware=hardware.name or None,
                         available=", ".join(sorted(hardware.peak_tflops)))
    if peak.kind == "sparse":
        if hardware.sparse_factor is None:
            raise InputError("no_sparse_peak", "hardware.peak_kind", hardware=hardware.name or None)
        value *= hardware.sparse_factor
    return value / hardware.framework_devices if peak.devices_are == "framework_devices" else value


def peak_tflops_per_device(hardware: HardwareSpec, precision: Precision, peak: Peak) -> float:
    """The peak that one device is measured against, in TFLOP/s.

    A typed peak is that of one counted device and is used as it is.  A mix of precisions by share of
    FLOPs is mixed by time: 1 ÷ Σ share ÷ peak.
    """
    if peak.tflops is not None:
        return peak.tflops
    if peak.kind == "measured":
        raise InputError("measured_peak_missing", "hardware.peak_tflops")
    if peak.mix:
        return 1.0 / sum(share / preset_peak_tflops(hardware, p, peak) for p, share in peak.mix.items())
    return preset_peak_tflops(hardware, precision, peak)


def tokens_per_s_per_device(tflops_per_device: float, flops_per_token: float) -> float:
    """Tokens per second of one device from its TFLOP/s; InputError ``nothing_counted`` where a token has no FLOPs."""
    if not flops_per_token:
        raise InputError("nothing_counted", "run.measured")
    return tflops_per_device * TERA / flops_per_token


def throughput(run: RunSpec, tokens_per_step: int | None, flops_per_step: int | None, flops_per_token: float,
               peak_tflops: float) -> Throughput:
    """All forms of the measured quantity; those that need a missing input are None."""
    measured, devices = run.measured, run.devices
    if measured is None:
        return Throughput()
    step_time = measured.step_time_s
    total, each, tflops = measured.tokens_per_s, measured.tokens_per_s_per_device, measured.tflops_per_device
    if measured.mfu is not None:
        tflops = measured.mfu * peak_tflops
    if tflops is not None:
        each = tokens_per_s_per_device(tflops, flops_per_token)
    elif each is not None:
        # From what was measured, not by way of a step time that it implies: one rounding less.
        tflops = each * flops_per_token / TERA
    if step_time is not None and tokens_per_step is not None:
        total = tokens_per_step / step_time
    if each is not None and devices is not None:
        total = each * devices
    if total is not None:
        if devices is not None and each is None:
            each = total / devices
        if tokens_per_step is not None and step_time is None:
            step_time = tokens_per_step / total
    if tflops is None:
        tflops = _tflops(step_time, each, devices, flops_per_step, flops_per_token)
    return Throughput(step_time_s=step_time, tokens_per_s=total, tokens_per_s_per_device=each,
                      tflops_per_device=tflops)


def _tflops(step_time: float | None, each: float | None, devices: int | None, flops_per_step: int | None,
            flops_per_token: float) -> float | None:
    if step_time is not None and devices is not None and flops_per_step is not None:
        return flops_per_step / (step_time * devices * TERA)
    return None if each is None else each * flops_per_token / TERA


def step_time_at(utilization: float, flops_per_step: int, peak_tflops: float, devices: int) -> float:
    """Step time in seconds at which a utilization (fraction) is reached."""
    return flops_per_step / (utilization * peak_tflops * TERA * devices)


def utilization_at(step_time_s: float, flops_per_step: int, peak_tflops: float, devices: int) -> float:
    """Utilization (fraction) of a step time in seconds."""
    return flops_per_step / (step_time_s * peak_tflops * TERA * devices)
