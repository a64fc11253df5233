"""What one run can be divided by: every peak of its device, and what others take for its peak.

A utilization says nothing until its denominator is known; an fp8 run has one over the bf16 peak and
one over the fp8 peak, and both are published.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.hardware import PRECISIONS, HardwareSpec, Precision
from mfu_gui.engine.run import RunSpec
from mfu_gui.engine.scenario import Peak, Result, Scenario
from mfu_gui.engine.utilization import peak_tflops_per_device, preset_peak_tflops

A100_TFLOPS = 312.0
"""Dense bf16 peak of an A100, to which several frameworks fall back for a device they do not know."""

DenominatorKind = Literal["chosen", "dense", "sparse", "mix", "framework", "fallback", "constant", "no_peak"]


class Denominator(msgspec.Struct, frozen=True, kw_only=True):
    """One peak of one device in TFLOP/s, and the utilization (fraction) of the run over it.

    ``precision`` is that of the peak.  ``framework`` names who divides by it, ``source`` where that is
    written.  ``no_peak``: the framework has none for this device; ``prints`` says what it shows then.
    """

    kind: DenominatorKind
    precision: Precision
    tflops: float | None
    utilization: float | None = None
    framework: str = ""
    convention: str = ""
    source: str = ""
    prints: Literal["", "zero", "nothing", "error"] = ""


def own_denominators(scenario: Scenario, result: Result) -> tuple[Denominator, ...]:
    """The peak that is chosen, then every dense peak of the device, the mix of precisions if one is
    given, and the sparse peak of the run's precision, in which nothing is trained."""
    hardware, run, peak = scenario.hardware, scenario.run, scenario.peak
    rate = result.throughput.tflops_per_device
    found = [_one("chosen", run.precision, result.peak_tflops_per_device, rate)]
    if peak.mix is not None and peak.tflops is not None:
        found.append(_one("mix", run.precision, mixed_peak(hardware, peak), rate))
    found += [_one("dense", precision, dense_peak(hardware, precision, peak), rate)
              for precision in PRECISIONS if precision in hardware.peak_tflops]
    if hardware.sparse_factor is not None and run.precision in hardware.peak_tflops:
        dense = dense_peak(hardware, run.precision, peak)
        found.append(_one("sparse", run.precision, dense * hardware.sparse_factor, rate))
    return tuple(found)


def _one(kind: DenominatorKind, precision: Precision, tflops: float, rate: float | None) -> Denominator:
    return Denominator(kind=kind, precision=precision, tflops=tflops,
                       utilization=None if rate is None else rate / tflops)


def dense_peak(hardware: HardwareSpec, precision: Precision, peak: Peak) -> float:
    """Dense peak of one counted device; InputError ``peak_missing`` when there is none."""
    return preset_peak_tflops(hardware, precision, Peak(devices_are=peak.devices_are))


def mixed_peak(hardware: HardwareSpec, peak: Peak) -> float:
    """The peaks of a mix of precisions, mixed by time."""
    return peak_tflops_per_device(hardware, "bf16", Peak(mix=peak.mix, devices_are=peak.devices_are))


class BothPeaks(msgspec.Struct, frozen=True):
    """The same FLOPs over the bf16 peak and over the peak of the run's own precision."""

    precision: Precision
    bf16_tflops: float
    own_tflops: float
    over_bf16: float
    over_own: float


def over_both_peaks(scenario: Scenario, result: Result) -> BothPeaks | None:
    """Utilization of a low-precision run (fp8, fp4, int8) over bf16 and over its own peak together.

    None for other precisions, without a measured speed, or where the device has no such peak.
    """
    precision, rate = scenario.run.precision, result.throughput.tflops_per_device
    if precision not in ("fp8", "fp4", "int8") or rate is None:
        return None
    try:
        bf16 = dense_peak(scenario.hardware, "bf16", scenario.peak)
        own = dense_peak(scenario.hardware, precision, scenario.peak)
    except InputError:
        return None
    return BothPeaks(precision, bf16, own, rate / bf16, rate / own)


def per_framework_device(hardware: HardwareSpec, run: RunSpec, peak: Peak) -> tuple[float, float] | None:
    """Dense peak of the whole unit and of one framework device (die), where they differ."""
    if hardware.framework_devices == 1 or run.precision not in hardware.peak_tflops:
        return None
    unit = hardware.peak_tflops[run.precision]
    return unit, unit / hardware.framework_devices
