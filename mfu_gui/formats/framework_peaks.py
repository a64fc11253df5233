"""What other frameworks would divide by on a device, and what each would print.

``resources/catalogue/framework_peaks.json`` holds, for each preset of an accelerator, what the look-up
of each framework returned for the name that the device reports, else the entry of its table.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated, Literal

import msgspec

from mfu_gui.engine.compare import flops_per_token
from mfu_gui.engine.conventions import BY_ID
from mfu_gui.engine.denominators import A100_TFLOPS, Denominator, DenominatorKind
from mfu_gui.engine.hardware import Precision
from mfu_gui.engine.scenario import Result, Scenario
from mfu_gui.resources import resource_path

NoPeak = Literal["a100", "infinity", "none", "error"]


class Framework(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A framework with a table of peaks: ``unknown_device`` says what it does without an entry."""

    name: str
    source: str
    unknown_device: Literal["a100", "infinity", "none", "error", "constant"]
    date: str = ""
    constant: float | None = None
    convention: str = ""


class PeakTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole file."""

    kind: Literal["mfu-framework-peaks"]
    schema: Annotated[int, msgspec.Meta(ge=1, le=1)]
    about: str
    frameworks: dict[str, Framework]
    peaks: dict[str, dict[Precision, dict[str, float | NoPeak]]]


@cache
def peak_table() -> PeakTable:
    """The shipped table."""
    return msgspec.json.decode(resource_path("catalogue", "framework_peaks.json").read_bytes(), type=PeakTable)


class FrameworkPeak(msgspec.Struct, frozen=True, kw_only=True):
    """What one framework divides by: ``tflops``, or None with what it shows instead."""

    id: str
    framework: Framework
    precision: Precision
    kind: DenominatorKind
    tflops: float | None
    prints: Literal["", "zero", "nothing", "error"] = ""


PRINTS: dict[str, Literal["zero", "nothing", "error"]] = {"infinity": "zero", "none": "nothing", "error": "error"}


def framework_peaks(preset_id: str | None, precision: Precision) -> tuple[FrameworkPeak, ...]:
    """What each framework divides by on the device of a preset; ``None``: a device nobody knows.

    Most tables have bf16 alone: they divide by it whatever the precision of the run.
    """
    table = peak_table()
    known = table.peaks.get(preset_id, {}) if preset_id is not None else {}
    found = []
    for name, framework in table.frameworks.items():
        if framework.constant is not None:
            found.append(FrameworkPeak(id=name, framework=framework, precision="bf16", kind="constant",
                                       tflops=framework.constant))
            continue
        for asked in dict.fromkeys((precision, "bf16")):
            value = known.get(asked, {}).get(name)
            if value is not None:
                found.append(_peak(name, framework, asked, value))
                break
        else:
            found.append(_peak(name, framework, "bf16", framework.unknown_device))
    return tuple(found)


def _peak(name: str, framework: Framework, precision: Precision, value: float | str) -> FrameworkPeak:
    if isinstance(value, float | int):
        return FrameworkPeak(id=name, framework=framework, precision=precision, kind="framework", tflops=float(value))
    if value == "a100":
        return FrameworkPeak(id=name, framework=framework, precision="bf16", kind="fallback", tflops=A100_TFLOPS)
    return FrameworkPeak(id=name, framework=framework, precision=precision, kind="no_peak", tflops=None,
                         prints=PRINTS[value])


def other_denominators(scenario: Scenario, result: Result) -> tuple[Denominator, ...]:
    """What each framework would print for the run: its own count, where it has one that fits the model,
    over its own peak; else the chosen count."""
    rate = result.throughput.tokens_per_s_per_device
    found = []
    for peak in framework_peaks(scenario.hardware_source.preset, scenario.run.precision):
        convention = BY_ID.get(peak.framework.convention)
        if convention is not None and convention.status(scenario.model)[0] == "undefined":
            convention = None
        per_token = (flops_per_token(convention, scenario.model, scenario.run) if convention is not None
                     else result.flops.per_token)
        utilization = None if rate is None or peak.tflops is None else rate * per_token / (peak.tflops * 1e12)
        found.append(Denominator(
            kind=peak.kind, precision=peak.precision, tflops=peak.tflops, utilization=utilization,
            framework=peak.framework.name, source=peak.framework.source, prints=peak.prints,
            convention=convention.id if convention is not None else scenario.convention.id))
    return tuple(found)
