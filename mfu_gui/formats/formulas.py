"""Formulas with their numbers filled in, for tooltips and reports."""

from __future__ import annotations

from mfu_gui.engine.compare import ConventionRow
from mfu_gui.engine.scenario import Result, Scenario
from mfu_gui.texts import Translator
from mfu_gui.texts.numbers import DASH


def mfu_formula(scenario: Scenario, result: Result, tr: Translator) -> str:
    """MFU = FLOPs ÷ (peak × devices × time)."""
    numbers, run, flops = tr.numbers, scenario.run, result.flops
    lines = [tr("MFU = model FLOPs per step ÷ (peak × devices × step time)")]
    time = result.throughput.step_time_s
    shown = result.mfu if result.mfu is not None else result.implied_mfu
    if flops.per_step is not None and run.devices is not None and time is not None and shown is not None:
        lines.append(
            f"= {numbers.si(flops.per_step, 4, 'FLOP')} ÷ ({numbers.short(result.peak_tflops_per_device, 4)} TFLOP/s"
            f" × {run.devices:,} × {_digits(time, tr)} s) = {numbers.percent(shown, 2)}")
    elif result.throughput.tflops_per_device is not None and shown is not None:
        rate, peak = result.throughput.tflops_per_device, result.peak_tflops_per_device
        filled = f"= {numbers.short(rate, 4)} ÷ {numbers.short(peak, 4)} = {numbers.percent(shown, 2)}"
        lines = [tr("MFU = TFLOP/s per device ÷ peak"), filled]
    return "\n".join(lines)


def hfu_formula(result: Result, tr: Translator) -> str:
    """HFU = MFU × executed ÷ model FLOPs."""
    numbers, flops = tr.numbers, result.flops
    lines = [tr("HFU = MFU × FLOPs executed ÷ model FLOPs; recomputation counts")]
    if result.mfu is not None and result.hfu is not None and flops.per_token:
        ratio = flops.hardware_per_token / flops.per_token
        mfu, hfu = numbers.percent(result.mfu, 2), numbers.percent(result.hfu, 2)
        lines.append(f"= {mfu} × {numbers.short(ratio, 4)} = {hfu}")
    return "\n".join(lines)


def tflops_formula(result: Result, tr: Translator) -> str:
    """TFLOP/s per device = tokens/s per device × FLOPs per token."""
    numbers, rate = tr.numbers, result.throughput.tokens_per_s_per_device
    lines = [tr("TFLOP/s per device = tokens/s per device × FLOPs per token")]
    if rate is not None and result.throughput.tflops_per_device is not None:
        lines.append(f"= {numbers.short(rate, 5)} × {numbers.si(result.flops.per_token, 4, 'FLOP')} = "
                     f"{numbers.short(result.throughput.tflops_per_device, 4)} TFLOP/s")
    return "\n".join(lines)


def tokens_formula(scenario: Scenario, result: Result, tr: Translator) -> str:
    """tokens/s per device = tokens per step ÷ (devices × step time)."""
    numbers, time, devices = tr.numbers, result.throughput.step_time_s, scenario.run.devices
    lines = [tr("tokens/s per device = tokens per step ÷ (devices × step time)")]
    rate = result.throughput.tokens_per_s_per_device
    if result.tokens_per_step is not None and devices is not None and time is not None and rate is not None:
        lines.append(f"= {result.tokens_per_step:,} ÷ ({devices:,} × {_digits(time, tr)} s) = "
                     f"{numbers.short(rate, 5)}")
    if result.throughput.tokens_per_s is not None:
        lines.append(tr("all devices: {rate} tokens/s", rate=numbers.short(result.throughput.tokens_per_s, 5)))
    return "\n".join(lines)


def step_formula(scenario: Scenario, result: Result, tr: Translator) -> str:
    """Step time = model FLOPs ÷ (peak × devices × MFU)."""
    numbers, flops, devices = tr.numbers, result.flops, scenario.run.devices
    lines = [tr("step time = tokens per step ÷ tokens/s")]
    time, total = result.throughput.step_time_s, result.throughput.tokens_per_s
    if result.tokens_per_step is not None and total is not None and time is not None:
        lines.append(f"= {result.tokens_per_step:,} ÷ {numbers.short(total, 5)} = {_digits(time, tr)} s")
    if flops.per_step is not None and devices is not None:
        full = flops.per_step / (result.peak_tflops_per_device * 1e12 * devices)
        lines.append(tr("at 100% MFU: {time}", time=numbers.duration(full)))
    return "\n".join(lines)


def flops_formula(result: Result, tr: Translator) -> str:
    """FLOPs per token = FLOPs per step ÷ tokens per step."""
    numbers, flops = tr.numbers, result.flops
    lines = [tr("FLOPs per token = model FLOPs per step ÷ tokens per step, forward and backward")]
    if flops.per_step is not None and result.tokens_per_step is not None:
        lines.append(f"= {numbers.si(flops.per_step, 4, 'FLOP')} ÷ {result.tokens_per_step:,} = "
                     f"{numbers.si(flops.per_token, 4, 'FLOP')}")
    lines.append(tr("executed, with recomputation: {flops}", flops=numbers.si(flops.hardware_per_token, 4, "FLOP")))
    return "\n".join(lines)


def _digits(value: float, tr: Translator) -> str:
    """A typed number as it was typed, a computed one with five digits."""
    exact = tr.numbers.exact(value)
    return exact if len(exact) <= 8 else tr.numbers.short(value, 5)


def range_text(rows: tuple[ConventionRow, ...], low: ConventionRow, high: ConventionRow, tr: Translator) -> str:
    """The spread over the conventions that fit the model."""
    count = sum(row.kind == "model" and row.status == "sound" and row.flops_per_token is not None for row in rows)
    percent = tr.numbers.percent
    if low.utilization is None or high.utilization is None:
        return tr("{n} conventions fit this model.", n=count)
    return tr("{n} conventions fit this model: {low} ({first}) … {high} ({last})", n=count,
              low=percent(low.utilization), first=low.id, high=percent(high.utilization), last=high.id)


def plain_sentence(result: Result | None, tr: Translator) -> str:
    """What the number means, without a technical word."""
    if result is None:
        return ""
    if result.mfu is not None:
        seconds = result.mfu * 100
        shown = tr.numbers.integer(seconds) if seconds >= 1 else tr.numbers.short(seconds, 1)
        return tr("Of every 100 s, the chips could have done this work in {n} s.", n=shown)
    if result.implied_mfu is not None:
        return tr("More work than the chips can do in that time: one of the inputs is wrong.")
    if result.convention_kind == "hardware":
        return tr("This convention counts recomputed work, so there is no MFU by it.")
    return tr("Enter one measured quantity to see how well the hardware is used.")


def share(part: int, whole: int, tr: Translator) -> str:
    """A part of a whole in percent."""
    return tr.numbers.percent(part / whole) if whole else DASH
