"""What a run can be divided by, as rows of a table, and the scenario with another peak.  No Qt here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from msgspec.structs import replace

from mfu_gui.engine.conventions import find
from mfu_gui.engine.denominators import (
    Denominator,
    dense_peak,
    mixed_peak,
    over_both_peaks,
    own_denominators,
    per_framework_device,
)
from mfu_gui.engine.hardware import Precision
from mfu_gui.engine.scenario import DevicesAre, Peak, Result, Scenario
from mfu_gui.formats.framework_peaks import other_denominators
from mfu_gui.texts import N_, Translator
from mfu_gui.texts.numbers import DASH

Use = Callable[[Scenario], Scenario]
UNITS = {"device": N_("device"), "card": N_("card"), "chip": N_("chip"), "module": N_("module"), "die": N_("die")}
PRINTS = {"zero": N_("prints 0"), "nothing": N_("prints none"), "error": N_("stops with an error")}
FALLBACK = N_("{framework}: does not know the device, takes the A100's peak")
CONSTANT = N_("{framework}: the same constant on every device")
_CLOSE = 1e-9


class Row(NamedTuple):
    """One peak: its key, its name, who counts how, TFLOP/s, the utilization over it.

    ``use`` makes it the scenario's peak; None for the one in use and for headings.  ``shown`` is what stands
    where the utilization would.
    """

    key: str
    name: str
    counted_by: str
    tflops: float | None
    utilization: float | None
    shown: str
    use: Use | None
    tip: str
    in_use: bool = False
    doubtful: bool = False
    heading: bool = False


def rows_of(scenario: Scenario, result: Result, tr: Translator) -> tuple[Row, ...]:
    """The device's own peaks, then what frameworks divide by."""
    heading = Row("others", tr("What frameworks divide by"), "", None, None, "", None, "", heading=True)
    return (*_own(scenario, result, tr), heading, *_others(scenario, result, tr))


def remark(scenario: Scenario, result: Result, tr: Translator) -> str:
    """What must be said beside any single figure: both peaks of a low-precision run, what a device is."""
    found = []
    both, percent = over_both_peaks(scenario, result), tr.numbers.percent
    if both is not None:
        found.append(tr("The same run is {bf16} over the BF16 peak and {own} over the {precision} peak: say which.",
                        bf16=percent(both.over_bf16), own=percent(both.over_own), precision=both.precision.upper()))
    per_die = per_framework_device(scenario.hardware, scenario.run, scenario.peak)
    if per_die is not None:
        hardware = scenario.hardware
        counted = (tr("dies") if scenario.peak.devices_are == "framework_devices"
                   else tr(UNITS.get(hardware.unit, hardware.unit)))
        found.append(tr("One {unit} ({peak} TFLOP/s) is {n} devices of {each} TFLOP/s to a framework; here devices are "
                        "counted as: {counted}.", unit=tr(UNITS.get(hardware.unit, hardware.unit)),
                        peak=peak_text(per_die[0]), n=hardware.framework_devices, each=peak_text(per_die[1]),
                        counted=counted))
    return " ".join(found)


def with_peak(scenario: Scenario, **changes: object) -> Scenario:
    """The scenario with another peak; what is not named goes back to the preset's dense peak."""
    peak = Peak(devices_are=scenario.peak.devices_are)
    return replace(scenario, peak=replace(peak, **changes))


def with_unit(scenario: Scenario, devices_are: DevicesAre) -> Scenario:
    """The scenario with devices taken for cards or for dies."""
    return replace(scenario, peak=replace(scenario.peak, devices_are=devices_are, tflops=None))


def _typed(tflops: float) -> Use:
    return lambda scenario: with_peak(scenario, tflops=tflops)


def _row(tr: Translator, key: str, name: str, found: Denominator, use: Use | None, tip: str, *,
         in_use: bool = False, doubtful: bool = False, counted_by: str = "") -> Row:
    shown = tr(PRINTS[found.prints]) if found.prints else tr.numbers.percent(found.utilization, 2)
    return Row(key, name, counted_by, found.tflops, found.utilization, shown, None if in_use else use, tip,
               in_use, doubtful)


def _own(scenario: Scenario, result: Result, tr: Translator) -> Iterator[Row]:
    peak, run = scenario.peak, scenario.run
    chosen, *others = own_denominators(scenario, result)
    plain = peak.tflops is None and peak.mix is None
    if not plain:
        words = {"measured": tr("Measured peak, as typed"), "sparse": tr("Sparse peak, as typed")}
        name = (_mix_name(peak, tr) if peak.tflops is None
                else words.get(peak.kind, tr("Peak as typed")))
        yield _row(tr, "chosen", name, chosen, None, "", in_use=True)
    for found in others:
        key = f"{found.kind}.{found.precision}"
        precision = found.precision.upper()
        if found.kind == "mix":
            yield _row(tr, key, _mix_name(peak, tr), found, partial(with_peak, mix=peak.mix), "")
        elif found.kind == "sparse":
            yield _row(tr, key, tr("{precision}, 2:4 sparse", precision=precision), found,
                       partial(with_peak, kind="sparse"), tr("Nothing is trained with 2:4 sparsity."),
                       in_use=plain and peak.kind == "sparse", doubtful=True)
        else:
            own = found.precision == run.precision
            use = with_peak if own else _typed(found.tflops or 1.0)
            yield _row(tr, key, tr("{precision}, dense", precision=precision), found, use, "",
                       in_use=own and plain and peak.kind == "dense")
    yield from _mix(scenario, result, tr)
    yield from _other_unit(scenario, result, tr)


def _mix(scenario: Scenario, result: Result, tr: Translator) -> Iterator[Row]:
    """A usual mix for low-precision runs: most products in it, the rest in BF16."""
    hardware, precision = scenario.hardware, scenario.run.precision
    if scenario.peak.mix is not None or precision not in ("fp8", "fp4") or "bf16" not in hardware.peak_tflops:
        return
    mix: dict[Precision, float] = {precision: 0.8, "bf16": 0.2}
    peak = Peak(mix=mix, devices_are=scenario.peak.devices_are)
    tflops, rate = mixed_peak(hardware, peak), result.throughput.tflops_per_device
    found = Denominator(kind="mix", precision=precision, tflops=tflops,
                        utilization=None if rate is None else rate / tflops)
    yield _row(tr, "mix.usual", _mix_name(peak, tr), found, partial(with_peak, mix=mix),
               tr("Peaks mixed by time: the head and attention stay in BF16."))


def _mix_name(peak: Peak, tr: Translator) -> str:
    parts = [f"{precision.upper()} {tr.numbers.percent(share, 0)}" for precision, share in (peak.mix or {}).items()]
    return tr("Mix: {parts}", parts=tr.join(parts))


def _other_unit(scenario: Scenario, result: Result, tr: Translator) -> Iterator[Row]:
    """The peak of what devices are not counted as: the die of a card, the card of a die."""
    hardware, precision, peak = scenario.hardware, scenario.run.precision, scenario.peak
    if hardware.framework_devices == 1 or precision not in hardware.peak_tflops:
        return
    other: DevicesAre = "units" if peak.devices_are == "framework_devices" else "framework_devices"
    tflops = dense_peak(hardware, precision, Peak(devices_are=other))
    rate = result.throughput.tflops_per_device
    found = Denominator(kind="dense", precision=precision, tflops=tflops,
                        utilization=None if rate is None else rate / tflops)
    unit = tr(UNITS.get(hardware.unit, hardware.unit)) if other == "units" else tr("die")
    yield _row(tr, "unit", tr("{precision}, per {unit}", precision=precision.upper(), unit=unit), found,
               partial(with_unit, devices_are=other), tr("If the devices of the run are of this kind."))


def _others(scenario: Scenario, result: Result, tr: Translator) -> Iterator[Row]:
    used = result.peak_tflops_per_device
    for number, found in enumerate(other_denominators(scenario, result)):
        words = {"fallback": FALLBACK, "constant": CONSTANT}
        name = tr(words[found.kind], framework=found.framework) if found.kind in words else found.framework
        counted = tr(find(found.convention).title) if found.convention else ""
        tip = "\n".join(text for text in (found.framework, tr("Source: {source}", source=found.source)) if text)
        same = found.tflops is not None and abs(found.tflops / used - 1) < _CLOSE
        use = None if found.tflops is None or same else _typed(found.tflops)
        yield _row(tr, f"other.{number}", name, found, use, tip, counted_by=counted,
                   doubtful=found.kind in ("fallback", "constant", "no_peak"))


def tflops_text(row: Row) -> str:
    """The peak as it is shown: as data sheets have it, without zeros at the end."""
    return DASH if row.tflops is None else peak_text(row.tflops)


def peak_text(tflops: float) -> str:
    """TFLOP/s in at most five digits: 383, 989.4, 1,978.9."""
    return f"{tflops:,.5g}"
