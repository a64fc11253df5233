"""A plan in words and numbers for people: one sentence, figures with their units, formulas filled in.

No Qt here: window, command line and reports say the same.
"""

from __future__ import annotations

from datetime import date
from typing import Any

from mfu_gui.engine.scenario import Scenario
from mfu_gui.planning.formula import BASIS_LABELS, Figure
from mfu_gui.planning.run_plan import RunPlan
from mfu_gui.planning.spec import PlanSpec
from mfu_gui.texts import N_, Translator
from mfu_gui.texts.numbers import DASH

FRACTIONS = frozenset({
    "mfu", "whole_run_utilization", "billed_utilization", "fraction", "lost_to_checkpoints", "lost_to_failures", "draw",
    "mbu", "rollout_share", "rollout_mfu", "training_mfu", "loop_mfu", "flops_over_full", "rule_of_thumb"})
"""Figures without a unit that are shares of something."""
LARGEST_SI_FLOPS = 1e18
"""Up to here prefixes of the SI are understood: PFLOP; above it powers of ten are."""
MONEY = frozenset({"total", "billed_total", "price_per_device_hour"})
"""Figures of the section ``cost``; their unit is the plan's currency."""
CURRENCIES = {"USD": N_("${amount}"), "EUR": N_("€{amount}"), "GBP": N_("£{amount}"), "CNY": N_("¥{amount}")}
"""How amounts are written; other currencies stand behind the amount by their name."""


NUMBERS: dict[str, str] = {
    "active_parameters": N_("active parameters"), "adapter_share": N_("adapters' share of the parameters"),
    "bandwidth_gb_s": N_("bandwidth, GB/s"), "batch": N_("batch"), "bytes": N_("bytes each"),
    "bytes_per_sequence": N_("bytes of a sequence"), "bytes_per_value": N_("bytes of a value"),
    "bytes_read": N_("bytes read"), "checkpoint_s": N_("checkpoint C, s"), "collectives_s": N_("collectives, s"),
    "computing_s": N_("computing, s"), "context": N_("context"), "days": N_("days"), "dense": N_("dense parameters"),
    "device_hours": N_("device-hours"), "devices": N_("devices"), "draw": N_("share drawn"),
    "efficiency": N_("efficiency"), "experts": N_("parameters of experts read"), "fit": N_("fit"),
    "flops": N_("FLOPs"), "flops_per_token": N_("FLOPs per token"), "full": N_("training everything"),
    "goodput": N_("goodput"), "here": N_("here"), "host_factor": N_("host factor"),
    "interval_s": N_("work between checkpoints τ, s"), "kg_per_kwh": N_("kg per kWh"), "kwh": N_("kWh"),
    "memory": N_("memory, bytes"), "mfu": N_("MFU"),
    "mtbf_s": N_("time between failures M, s"), "parameters": N_("parameters"), "peak_tflops": N_("peak, TFLOP/s"),
    "prefix": N_("cached prefix"), "price_per_device_hour": N_("price"), "prompt": N_("prompt"),
    "prompts": N_("prompts"), "pue": N_("PUE"), "reading_s": N_("reading, s"), "restart_s": N_("restart R, s"),
    "rollout": N_("rollout"), "seconds": N_("seconds"), "time_per_token_s": N_("time per token, s"),
    "time_s": N_("time, s"), "tokens": N_("tokens"), "tokens_per_s": N_("tokens per second"),
    "tokens_per_s_per_device": N_("tokens per second and device"), "tokens_per_step": N_("tokens of a step"),
    "top_k": N_("experts of a token k"), "total": N_("total"), "watts": N_("watts"),
    "weight_bytes": N_("bytes of a weight"), "weights": N_("weights, bytes"),
}
"""What the numbers behind a figure are called."""


def money(value: float | int | None, currency: str, tr: Translator, *, exact: bool = False) -> str:
    """An amount: $5.58M, 7.2 亿 元; with ``exact`` all its digits before the point: $5,576,000."""
    if value is None:
        return DASH
    number = tr.numbers
    if abs(value) < 1000:
        written = f"{value:,.2f}"
    else:
        written = number.integer(value) if exact else number.count(value, 4)
    form = CURRENCIES.get(currency)
    return tr(form, amount=written) if form else f"{written} {tr.value(currency)}"


def shown(figure: Figure, tr: Translator, currency: str | None = None) -> tuple[str, str]:
    """A figure as people read it: (number, unit).  ``currency`` for figures of money."""
    value, number, unit = figure.value, tr.numbers, figure.unit
    if value is None:
        return DASH, ""
    if currency is not None and figure.key in MONEY:
        return money(value, currency, tr), ""
    if unit == "s":
        return _parted(number.duration(value))
    if unit == "bytes":
        return _parted(number.bytes(value))
    if unit in ("FLOP", "FLOP/token"):
        return _parted(number.si(value, 3, "FLOP")) if abs(value) < LARGEST_SI_FLOPS else (number.short(value), "FLOP")
    if unit == "kWh":
        return _scaled(value, ("kWh", "MWh", "GWh", "TWh"), tr)
    if unit == "tCO2e":
        return number.short(value), "t CO₂e"
    if unit == "" and figure.key in FRACTIONS:
        return number.percent(value), ""
    if unit in ("tokens", "h", "tokens/day", "tokens/s", "sequences") or (unit == "" and abs(value) >= 1e6):
        return (number.count(value), tr(unit)) if abs(value) >= 1000 else (number.short(value), tr(unit))
    return (number.integer(value) if isinstance(value, int) else number.short(value)), tr(unit) if unit else ""


def _parted(text: str) -> tuple[str, str]:
    """``54.1 days`` as number and unit; what has two of each stays together."""
    first, _, rest = text.partition(" ")
    return (text, "") if " " in rest else (first, rest)


def _scaled(value: float, units: tuple[str, ...], tr: Translator) -> tuple[str, str]:
    step = 0
    while step < len(units) - 1 and abs(value) >= 1000:
        value, step = value / 1000, step + 1
    return tr.numbers.short(value), units[step]


def written(figure: Figure, tr: Translator, currency: str | None = None) -> str:
    """Number and unit in one text."""
    number, unit = shown(figure, tr, currency)
    return f"{number} {unit}".rstrip()


def formula_text(figure: Figure, tr: Translator, source: str = "") -> str:
    """The formula of a figure with its numbers, how sure it is, how far it has been off, and its source."""
    exact = tr.numbers.exact(figure.value)
    unit = tr(figure.unit) if figure.unit else ""
    lines = [f"{tr(figure.label)} = {exact} {unit}".rstrip() if exact else tr(figure.label)]
    if figure.expression:
        lines.append(f"= {tr(figure.expression)}")
    if figure.numbers:
        lines.append(tr.join([f"{tr(NUMBERS.get(name, name))} = {_value(value, tr)}"
                              for name, value in figure.numbers.items()]))
    lines.append(tr(BASIS_SENTENCES[figure.basis]))
    if figure.accuracy:
        lines.append(tr(figure.accuracy))
    lines += [tr.sentence(notice.code, notice.values) for notice in figure.notices]
    if source:
        lines.append(tr("Source: {source}", source=source))
    return "\n".join(lines)


BASIS_SENTENCES = {
    "exact": N_("Exact: follows from the inputs alone."),
    "model": N_("A model: it leaves something out, and measured runs differ from it."),
    "assumption": N_("Rests on an assumption that nobody has checked for this run."),
}


def basis_word(figure: Figure, tr: Translator) -> str:
    """How sure a figure is, in one word; nothing for one that is not known."""
    return "" if figure.value is None else tr(BASIS_LABELS[figure.basis])


def _value(value: Any, tr: Translator) -> str:
    if value is None:
        return DASH
    return tr.numbers.short(value, 6) if isinstance(value, int | float) else tr.value(value)


def day(iso: str, tr: Translator) -> str:
    """A day of the calendar: 12 March 2025, 2025年3月12日."""
    found = date.fromisoformat(iso)
    return tr("{day} {month} {year}", day=str(found.day), month=tr(MONTHS[found.month - 1]), year=str(found.year))


MONTHS = (N_("January"), N_("February"), N_("March"), N_("April"), N_("May"), N_("June"), N_("July"), N_("August"),
          N_("September"), N_("October"), N_("November"), N_("December"))


def sentence(scenario: Scenario, spec: PlanSpec, plan: RunPlan, tr: Translator) -> str:
    """The plan in one sentence; what is missing where there is no plan yet."""
    found = plan.solution
    if found.impossible:
        return tr.sentence("plan_impossible")
    if found.devices is None or found.days is None:
        return " ".join(tr.sentence(notice.code, notice.values) for notice in plan.notices
                        if notice.code.startswith("plan_needs"))
    number = tr.numbers
    cost = plan.value("cost", "total")
    words: dict[str, str] = {
        "devices": number.integer(found.devices), "hardware": tr.value(scenario.hardware.name) or tr("devices"),
        "tokens": number.count(found.tokens), "time": _time(found.days, tr),
        "mfu": number.percent(plan.value("time", "mfu")), "cost": money(cost, plan.currency, tr)}
    if found.tokens is None or found.rate is None:
        text = N_("{devices} {hardware} for {time} cost {cost}.") if cost is not None else N_(
            "{devices} {hardware} for {time}.")
    else:
        text = _SENTENCES[spec.unknown if spec.unknown in _SENTENCES else "days"][cost is not None]
    line = tr(text, **words)
    if plan.dates is not None:
        line += tr(" From {start} until {finish}.", start=day(plan.dates[0], tr), finish=day(plan.dates[1], tr))
    return line


def _time(days: float, tr: Translator) -> str:
    return tr.numbers.duration(days * 86400)


_SENTENCES = {
    "days": (N_("{tokens} tokens on {devices} {hardware} at {mfu} MFU take {time}."),
             N_("{tokens} tokens on {devices} {hardware} at {mfu} MFU take {time} and cost {cost}.")),
    "devices": (N_("{tokens} tokens in {time} at {mfu} MFU take {devices} {hardware}."),
                N_("{tokens} tokens in {time} at {mfu} MFU take {devices} {hardware} and cost {cost}.")),
    "tokens": (N_("{devices} {hardware} at {mfu} MFU train {tokens} tokens in {time}."),
               N_("{devices} {hardware} at {mfu} MFU train {tokens} tokens in {time}, for {cost}.")),
    "mfu": (N_("{tokens} tokens on {devices} {hardware} in {time} need an MFU of {mfu}."),
            N_("{tokens} tokens on {devices} {hardware} in {time}, for {cost}, need an MFU of {mfu}.")),
}
"""By what is to be found: without and with a cost."""
