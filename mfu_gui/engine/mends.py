"""What a remark offers to do about the slip it names: from its code to the scenario as it was probably meant.

Data only.  A mend carries the whole scenario after it, so that a window makes it one step of undo, and the
code of its caption (``mfu_gui.texts``).  Nothing is ever mended by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec
from msgspec.structs import replace

from mfu_gui.engine.batch import replicas
from mfu_gui.engine.errors import Notice
from mfu_gui.engine.hardware import PRECISIONS
from mfu_gui.engine.run import MEASURED_KEYS, Measured
from mfu_gui.engine.scenario import ConventionChoice, Scenario

EXACT = "matmul-causal"
NOTHING_TO_MEND = frozenset({
    "padding_present", "state_core_counted", "state_core_by_state", "state_core_left_out",
})
"""Remarks that tell how something was counted; there is no slip in them."""


class Mend(msgspec.Struct, frozen=True):
    """``code`` and ``values`` of the caption, the ``field`` that is changed, the ``scenario`` after it.

    ``utilization``: what the remark says that it would give, a fraction, where it says so.
    """

    code: str
    field: str
    scenario: Scenario
    values: dict[str, Any] = {}
    utilization: float | None = None


Offers = Iterator[Mend]


def mends(scenario: Scenario, notice: Notice) -> tuple[Mend, ...]:
    """What ``notice`` about ``scenario`` offers, likeliest first; nothing for what is no slip."""
    if notice.code == "mfu_above_one":
        corrected = notice.values["corrected"]
        return tuple(replace(mend, utilization=corrected[cause]) for cause in corrected
                     for mend in _CAUSES[cause](scenario, notice))
    make = MENDS.get(notice.code)
    return () if make is None else tuple(
        replace(mend, utilization=notice.values.get("corrected")) for mend in make(scenario, notice)
        if mend.scenario != scenario)


def hints(scenario: Scenario) -> tuple[Notice, ...]:
    """What is worth a question although nothing looks wrong: cards of which a framework sees several devices."""
    count = scenario.hardware.framework_devices
    if count > 1 and scenario.peak.devices_are == "units" and scenario.run.devices is not None:
        return (Notice("cards_hold_dies", "hardware.devices_are", {"count": count, "devices": scenario.run.devices}),)
    return ()


def _run(scenario: Scenario, code: str, field: str, values: dict[str, Any], **changes: Any) -> Mend:
    return Mend(code, f"run.{field}", replace(scenario, run=replace(scenario.run, **changes)), values)


def _measured(scenario: Scenario, code: str, key: str, value: float, **values: Any) -> Mend:
    measured = Measured(**{key: value})
    return Mend(code, f"run.measured.{key}", replace(scenario, run=replace(scenario.run, measured=measured)), values)


def _value(scenario: Scenario) -> tuple[str, float]:
    measured = scenario.run.measured
    return next(((key, value) for key in MEASURED_KEYS if (value := getattr(measured, key, None)) is not None),
                ("", 0.0))


def _peak(scenario: Scenario, code: str, field: str, values: dict[str, Any], **changes: Any) -> Mend:
    return Mend(code, field, replace(scenario, peak=replace(scenario.peak, **changes)), values)


# Causes of more than the peak

def _scope(scenario: Scenario, notice: Notice) -> Offers:
    key, value = _value(scenario)
    devices = scenario.run.devices or 1
    if key == "tokens_per_s_per_device":
        yield _measured(scenario, "tokens_of_all_devices", "tokens_per_s", value)
    elif key == "tflops_per_device":
        yield _measured(scenario, "tflops_of_all_devices", key, value / devices, devices=devices)


def _nodes(scenario: Scenario, notice: Notice) -> Offers:
    each = scenario.hardware.devices_per_node
    if each is not None and scenario.run.devices is not None:
        devices = scenario.run.devices * each
        yield _run(scenario, "devices", "devices", {"devices": devices}, devices=devices)


def _milliseconds(scenario: Scenario, notice: Notice) -> Offers:
    _, value = _value(scenario)
    yield _measured(scenario, "step_time", "step_time_s", value * 1000, seconds=value * 1000)


def _batch_in_tokens(scenario: Scenario, notice: Notice) -> Offers:
    run = scenario.run
    if run.global_batch is not None and run.global_batch >= run.sequence_length:
        batch = run.global_batch // run.sequence_length
        yield _run(scenario, "global_batch", "global_batch", {"batch": batch}, global_batch=batch)


def _exact(scenario: Scenario, notice: Notice) -> Offers:
    yield Mend("exact_causal", "convention.id", replace(scenario, convention=ConventionChoice(id=EXACT)))


def _petaflops(scenario: Scenario, notice: Notice) -> Offers:
    tflops = (scenario.peak.tflops or 0.0) * 1000
    yield _peak(scenario, "peak", "hardware.peak_tflops", {"peak": tflops}, tflops=tflops)


def _precision(scenario: Scenario, notice: Notice) -> Offers:
    peaks = scenario.hardware.peak_tflops
    higher = next(p for p in PRECISIONS if peaks.get(p) == max(peaks.values()))
    changed = replace(scenario, peak=replace(scenario.peak, mix=None))
    yield _run(changed, "precision", "precision", {"precision": higher.upper()}, precision=higher)


def _sparse(scenario: Scenario, notice: Notice) -> Offers:
    yield _peak(scenario, "sparse_peak", "hardware.peak_kind", {}, kind="sparse")


_CAUSES: dict[str, Callable[[Scenario, Notice], Offers]] = {
    "scope": _scope, "nodes": _nodes, "milliseconds": _milliseconds, "batch_in_tokens": _batch_in_tokens,
    "full_square": _exact, "all_experts": _exact, "petaflops": _petaflops, "precision": _precision, "sparse": _sparse,
}


# Other remarks

def _dense(scenario: Scenario, notice: Notice) -> Offers:
    yield _peak(scenario, "dense_peak", "hardware.peak_kind", {}, kind="dense")


def _preset_peak(scenario: Scenario, notice: Notice) -> Offers:
    yield _peak(scenario, "peak", "hardware.peak_tflops", {"peak": notice.values["dense"]}, tflops=None)


def _of_one_device(scenario: Scenario, notice: Notice) -> Offers:
    _, value = _value(scenario)
    yield _measured(scenario, "tokens_of_one_device", "tokens_per_s_per_device", value)


def _batch_of_one(scenario: Scenario, notice: Notice) -> Offers:
    """The batch of one device, or of one replica where several devices share it."""
    run = scenario.run
    shares = [run.devices, replicas(run)] if run.parallel is not None else [run.devices]
    for count in dict.fromkeys(share for share in shares if share is not None and share > 1):
        batch = (run.global_batch or 1) * count
        yield _run(scenario, "global_batch", "global_batch", {"batch": batch}, global_batch=batch)


def _thousandth(scenario: Scenario, notice: Notice) -> Offers:
    seconds = notice.values["seconds"]
    yield _measured(scenario, "step_time", "step_time_s", seconds, seconds=seconds)


def _context(scenario: Scenario, notice: Notice) -> Offers:
    length = notice.values["context"]
    changes: dict[str, Any] = {"sequence_length": length}
    if scenario.run.document_lengths is not None:
        changes["document_lengths"] = None
    yield _run(scenario, "sequence_length", "sequence_length", {"length": length}, **changes)


def _depths(scenario: Scenario, notice: Notice) -> Offers:
    depths = notice.values["depths"]
    yield _run(scenario, "prediction_depths", "multi_token_prediction", {"depths": depths},
               multi_token_prediction=depths)


def _no_recompute(scenario: Scenario, notice: Notice) -> Offers:
    yield _run(scenario, "no_recompute", "recompute", {}, recompute="none")


def _devices(scenario: Scenario, notice: Notice) -> Offers:
    for devices in notice.values["offers"]:
        yield _run(scenario, "devices", "devices", {"devices": devices}, devices=devices)


def _batches(scenario: Scenario, notice: Notice) -> Offers:
    for batch in notice.values["offers"]:
        yield _run(scenario, "global_batch", "global_batch", {"batch": batch}, global_batch=batch)


def _dies(scenario: Scenario, notice: Notice) -> Offers:
    yield _peak(scenario, "count_dies", "hardware.devices_are", {}, devices_are="framework_devices")


MENDS: dict[str, Callable[[Scenario, Notice], Offers]] = {
    "convention_undefined": _exact, "convention_quirk": _exact, "all_experts_counted": _exact, "window_ignored": _exact,
    "full_square_share": _exact, "hardware_convention": _exact,
    "sequence_exceeds_context": _context, "mtp_not_counted": _depths, "hfu_above_one": _no_recompute,
    "layout_does_not_divide": _devices, "batch_does_not_divide": _batches,
    "sparse_peak": _dense, "peak_is_sparse_headline": _preset_peak,
    "throughput_of_one_device": _of_one_device, "batch_of_one_device": _batch_of_one,
    "step_time_in_milliseconds": _thousandth, "cards_hold_dies": _dies,
}
"""By the code of the remark, beside ``mfu_above_one``, which is mended by its causes."""
