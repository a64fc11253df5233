"""MFU and HFU of every step by a scenario's convention, peak and model; and how the printed figures compare.

What the log says of devices, batch and sequence length counts; the scenario fills what the log leaves open.
"""

from __future__ import annotations

from array import array
from math import isfinite
from typing import Any

import msgspec
from msgspec.structs import replace

from mfu_gui.engine.conventions import BY_ID, chosen
from mfu_gui.engine.conventions.base import Convention
from mfu_gui.engine.errors import InputError, Notice
from mfu_gui.engine.evaluate import count
from mfu_gui.engine.scenario import Scenario
from mfu_gui.engine.utilization import TERA, peak_tflops_per_device
from mfu_gui.formats.training_logs.header import Fact, Facts
from mfu_gui.formats.training_logs.normal import Normal
from mfu_gui.formats.training_logs.values import NAN

LENGTHS = tuple(sorted(base << shift for base in (512, 768) for shift in range(12)))
"""Sequence lengths that are tried when printed FLOP/s shall tell the length."""
FITS = 0.02
_AGREES = 0.005


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """What the printed figures say beside ours.

    ``flops_per_token``: printed TFLOP/s ÷ tokens/s of one device.  ``peak_tflops``: printed TFLOP/s ÷
    printed utilization.  ``conventions``: those that count so many FLOPs per token for this model.
    ``printed_tflops_share``: printed TFLOP/s ÷ the scenario's peak.
    """

    flops_per_token: float | None = None
    peak_tflops: float | None = None
    conventions: tuple[str, ...] = ()
    printed_tflops_share: float | None = None


class Rebased:
    """The scenario's reading of a log's steps.  Raises InputError as ``evaluate`` does."""

    def __init__(self, normal: Normal, scenario: Scenario) -> None:
        self.normal = normal
        self.scenario = scenario
        self.notices: list[Notice] = []
        self.convention: Convention = chosen(scenario.convention)
        self.peak = peak_tflops_per_device(scenario.hardware, scenario.run.precision, scenario.peak)
        self.units = 1 if scenario.peak.devices_are == "framework_devices" else scenario.hardware.framework_devices
        """Devices that the framework sees in one that the peak is of."""
        self._flops: dict[int, tuple[float, float]] = {}
        length = normal.value("sequence_length")
        self.sequence_length = int(length) if isfinite(length) else scenario.run.sequence_length
        self.flops_per_token, self.hardware_flops_per_token = self.flops(self.sequence_length)
        self._compare_sizes()

    def flops(self, sequence_length: int, convention: Convention | None = None) -> tuple[float, float]:
        """FLOPs per token by the convention, and with what is computed again, at this length."""
        key = sequence_length
        if convention is None and key in self._flops:
            return self._flops[key]
        run = self.scenario.run
        if sequence_length != run.sequence_length:
            run = replace(run, sequence_length=sequence_length, document_lengths=None)
        counted, _ = count(self.scenario.model, run, convention or self.convention)
        found = counted.per_token, counted.hardware_per_token
        if convention is None:
            self._flops[key] = found
        return found

    def tflops(self, start: int, stop: int, *, hardware: bool = False) -> array[float]:
        """TFLOP/s of one device as the peak counts it, in FLOPs of the convention."""
        rate = self.normal.get("tokens_per_s_per_device")
        if rate is None:
            return array("d", [NAN]) * (stop - start)
        rates = rate.values(start, stop)
        lengths = self.normal.get("sequence_length")
        which = 1 if hardware else 0
        if lengths is None:
            per_token = (self.flops_per_token, self.hardware_flops_per_token)[which]
            return array("d", (value * self.units * per_token / TERA for value in rates))
        return array("d", (value * self.units * self._at(length)[which] / TERA
                           for value, length in zip(rates, lengths.values(start, stop), strict=True)))

    def _at(self, length: float) -> tuple[float, float]:
        return self.flops(int(length)) if 1 <= length < 1e9 else (NAN, NAN)

    def mfu(self, start: int, stop: int) -> array[float]:
        """Model FLOPs ÷ peak as fractions; NaN above 1 and where the convention counts repeated work."""
        if self.convention.kind == "hardware":
            return array("d", [NAN]) * (stop - start)
        return array("d", (_possible(value / self.peak) for value in self.tflops(start, stop)))

    def hfu(self, start: int, stop: int) -> array[float]:
        """The same with what is computed again."""
        return array("d", (_possible(value / self.peak) for value in self.tflops(start, stop, hardware=True)))

    def _compare_sizes(self) -> None:
        run = self.scenario.run
        for name, wanted in (("devices", run.devices), ("sequence_length", run.sequence_length),
                             ("global_batch", run.global_batch)):
            typical = self.normal.typical(name)
            found = typical if isfinite(typical) else self.normal.value(name)
            if name == "devices" and self.units > 1:
                found /= self.units
            if wanted is not None and isfinite(found) and abs(found / wanted - 1) > 0.01:
                shown = round(found) if found.is_integer() else found
                self.notices.append(Notice("log_disagrees", f"run.{name}", {name: shown, "scenario": wanted}))

    def comparison(self) -> Comparison:
        """Which convention and which peak the printed figures follow."""
        normal = self.normal
        printed = next((name for name in ("reported_tflops_per_device", "reported_hardware_tflops_per_device")
                        if normal.get(name)), "")
        tflops = normal.typical(printed)
        per_token = normal.typical_ratio(printed, "tokens_per_s_per_device") * TERA
        peak = normal.typical_ratio("reported_tflops_per_device", "reported_mfu")
        conventions = tuple(name for name in BY_ID if _same(self._of(name), per_token)) if isfinite(per_token) else ()
        return Comparison(flops_per_token=per_token if isfinite(per_token) else None,
                          peak_tflops=peak if isfinite(peak) else None, conventions=conventions,
                          printed_tflops_share=tflops * self.units / self.peak if isfinite(tflops) else None)

    def _of(self, convention_id: str) -> float:
        convention = BY_ID[convention_id]
        if convention.status(self.scenario.model)[0] == "undefined":
            return NAN
        try:
            return self.flops(self.sequence_length, convention)[0]
        except InputError:
            return NAN

    def check_length(self, convention_id: str) -> None:
        """Remark when the scenario's sequence length is not the one that the printed TFLOP/s speak of."""
        source = self.normal.facts.get("sequence_length")
        fitting = self.lengths_that_fit(convention_id)
        if source is not None and source.origin == "scenario" and fitting and self.sequence_length not in fitting:
            self.notices.append(Notice("log_length_fits", "run.sequence_length", {
                "lengths": ", ".join(map(str, fitting)), "length": self.sequence_length}))

    def lengths_that_fit(self, convention_id: str) -> tuple[int, ...]:
        """Sequence lengths at which printed TFLOP/s, batch, devices and time agree with the model's FLOPs."""
        normal = self.normal
        tflops, time = normal.typical("reported_tflops_per_device"), normal.typical("step_time_s")
        batch, devices = normal.typical("global_batch"), normal.value("devices")
        work = tflops * TERA * time * devices / batch if batch else NAN
        if not isfinite(work):
            return ()
        # Builds of 2024 print FLOP/s with attention in full.
        return self._lengths(convention_id, work) or self._lengths("matmul-full", work)

    def _lengths(self, convention_id: str, work: float) -> tuple[int, ...]:
        """Lengths at which a sequence has so many FLOPs by the convention."""
        convention = BY_ID.get(convention_id)
        if convention is None or convention.status(self.scenario.model)[0] == "undefined":
            return ()
        return tuple(length for length in LENGTHS
                     if abs(self.flops(length, convention)[0] * length - work) < FITS * work)


def _possible(share: float) -> float:
    return share if 0 <= share <= 1 else NAN


def _same(one: float, other: float) -> bool:
    # Not a quotient: a figure as small as 1e-320 leaves 0 FLOPs.
    return isfinite(one) and abs(one - other) < _AGREES * abs(other)


def facts_of(scenario: Scenario) -> Facts:
    """What a scenario says of the sizes that a log may leave open.

    Devices are those that the framework sees, as in a log.
    """
    run = scenario.run
    units = 1 if scenario.peak.devices_are == "framework_devices" else scenario.hardware.framework_devices
    values: dict[str, Any] = {"devices": run.devices * units if run.devices else None,
                              "sequence_length": run.sequence_length, "global_batch": run.global_batch}
    return {name: Fact(value, "scenario") for name, value in values.items() if value is not None}


def with_scenario(normal: Normal, scenario: Scenario) -> Normal:
    """The normal form with the scenario's sizes where the log has none."""
    missing = {name: fact for name, fact in facts_of(scenario).items() if name not in normal.facts
               and (name == "devices" or normal.get(name) is None)}
    return normal.with_facts(missing) if missing else normal
