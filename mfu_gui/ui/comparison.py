"""Scenarios side by side, and the change between two of them, prepared for the window.  No Qt here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from mfu_gui.engine.attribution import Attribution, Quantity, factors
from mfu_gui.engine.conventions import find
from mfu_gui.engine.fields import BY_KEY, FIELDS, Field, measured_key
from mfu_gui.engine.run import Recompute, Trainable
from mfu_gui.engine.scenario import Result, Scenario
from mfu_gui.formats.reports.given import plain
from mfu_gui.formats.result_text import option_text
from mfu_gui.texts import N_, Translator
from mfu_gui.texts.numbers import DASH

Value = float | int | str | None
LONGEST = 60
DIFFERS = "≠"
QUANTITY_NAMES: dict[Quantity, str] = {
    "mfu": "MFU", "hfu": "HFU", "tflops_per_device": N_("TFLOP/s per device"),
    "tokens_per_s_per_device": N_("Tokens/s per device"), "step_time_s": N_("Step time"),
    "flops_per_token": N_("FLOPs per token"),
}
OTHER_NAMES = {"model": N_("Model"), "hardware": N_("Hardware"), "convention": N_("Convention"),
               "hardware.precision_mix": N_("Precision mix"), "run.measured": N_("Measured")}
"""What is no field of the form."""
PEAK_KEYS = frozenset({"hardware", "run.precision", "hardware.peak_tflops", "hardware.peak_kind",
                       "hardware.precision_mix", "hardware.devices_are"})
"""What chooses the peak."""


class Cell(NamedTuple):
    """One value: the text, all digits for a copy, and how it differs from the reference (empty: it does not)."""

    text: str
    value: Value
    difference: str = ""


class CompareRow(NamedTuple):
    """One line of the table; a ``head`` has no values."""

    key: str
    label: str
    cells: tuple[Cell, ...] = ()
    head: bool = False

    @property
    def differs(self) -> bool:
        return any(cell.difference for cell in self.cells)


class Side(NamedTuple):
    """One scenario of the table; ``result`` is None where it has none."""

    name: str
    scenario: Scenario
    result: Result | None


# Results

_Figure = tuple[str, str, str, Callable[[Result], Value]]
FIGURES: tuple[_Figure, ...] = (
    ("mfu", "MFU", "utilization", lambda r: r.implied_mfu if r.implied_mfu is not None else r.mfu),
    ("hfu", "HFU", "utilization", lambda r: r.hfu),
    ("tflops_per_device", N_("TFLOP/s per device"), "short", lambda r: r.throughput.tflops_per_device),
    ("tokens_per_s_per_device", N_("Tokens/s per device"), "short", lambda r: r.throughput.tokens_per_s_per_device),
    ("tokens_per_s", N_("Tokens/s, all devices"), "short", lambda r: r.throughput.tokens_per_s),
    ("step_time_s", N_("Step time"), "time", lambda r: r.throughput.step_time_s),
    ("flops_per_token", N_("FLOPs per token"), "flop", lambda r: r.flops.per_token),
    ("flops_per_step", N_("FLOPs per step"), "flop", lambda r: r.flops.per_step),
    ("parameters", N_("Parameters"), "count", lambda r: r.parameters.total),
    ("active", N_("Active parameters"), "count", lambda r: r.parameters.active),
    ("peak", N_("Peak per device, TFLOP/s"), "exact", lambda r: r.peak_tflops_per_device),
)


def rows_of(sides: Sequence[Side], reference: int, tr: Translator) -> list[CompareRow]:
    """All rows: results first, then inputs; what no scenario has is left out."""
    rows = [CompareRow("results", tr("Results"), head=True)]
    for key, label, form, get in FIGURES:
        values = [None if side.result is None else get(side.result) for side in sides]
        if any(value is not None for value in values):
            cells = _cells(values, reference, lambda value, form=form: _written(value, form, tr),  # type: ignore[misc]
                           form, tr)
            rows.append(CompareRow(f"result.{key}", tr(label), cells))
    for title, panel in ((N_("Model"), "model"), (N_("Hardware"), "hardware"), (N_("Run"), "run"),
                         (N_("Measured"), "measured")):
        inside = _inputs(sides, reference, panel, tr)
        if inside:
            rows += [CompareRow(f"head.{panel}", tr(title), head=True), *inside]
    conventions = [_convention(side.scenario, tr) for side in sides]
    rows += [CompareRow("head.convention", tr("Convention"), head=True),
             CompareRow("convention", tr("Convention"), _texts(conventions, reference)),
             CompareRow("notes", tr("Notes"), _texts([plain(s.scenario.notes, LONGEST) for s in sides], reference))]
    return [row for row in rows if row.key != "notes" or any(cell.value for cell in row.cells)]


def _inputs(sides: Sequence[Side], reference: int, panel: str, tr: Translator) -> list[CompareRow]:
    found = []
    names = {"model": model_name, "hardware": hardware_name}.get(panel)
    if names is not None:
        found.append(CompareRow(panel, tr("Name"), _texts([names(side.scenario) for side in sides], reference)))
    for field in FIELDS:
        if field.panel != panel or _unsaid(field, sides):
            continue
        values = [field.get(s.scenario) if field.applies(s.scenario) else None for s in sides]
        if all(value in (None, "", ()) for value in values):
            continue
        cells = _cells(values, reference, lambda value, field=field: _field_cell(field, value, tr),  # type: ignore[misc]
                       field.kind, tr)
        unit = tr(field.unit) if field.unit and field.kind in ("integer", "real") else ""
        label = tr("{label}, {unit}", label=tr(field.label), unit=unit) if unit else tr(field.label)
        found.append(CompareRow(field.key, label, cells))
    return found


def _field_cell(field: Field, value: Any, tr: Translator) -> str:
    if field.key == "hardware.peak_tflops" and value is None:
        return tr("as in the preset")
    return field_text(field, value, tr)


def _unsaid(field: Field, sides: Sequence[Side]) -> bool:
    """Whether a field of the layout has only what it has where nothing was said of a layout."""
    return field.key.startswith("run.parallel.") and all(side.scenario.run.parallel is None for side in sides)


def _cells(values: Sequence[Any], reference: int, write: Callable[[Any], str], form: str,
           tr: Translator) -> tuple[Cell, ...]:
    base = values[reference]
    return tuple(
        Cell(write(value), value if isinstance(value, float | int) or value is None else write(value),
             "" if number == reference else difference(base, value, form, tr))
        for number, value in enumerate(values))


def _texts(values: Sequence[str], reference: int) -> tuple[Cell, ...]:
    return tuple(Cell(value or DASH, value, "" if value == values[reference] else DIFFERS) for value in values)


def difference(base: Any, value: Any, form: str, tr: Translator) -> str:
    """How a value differs from the reference, in a few signs; empty where it does not."""
    if base == value:
        return ""
    if not isinstance(base, float | int) or not isinstance(value, float | int) or isinstance(value, bool):
        return DIFFERS
    if form in ("utilization", "fraction"):
        return points(value - base, tr)
    if not base or value / base <= 0:
        return DIFFERS
    ratio = value / base
    if not 0.5 < ratio < 2:
        return f"×{tr.numbers.short(ratio)}"
    return signed(100 * (ratio - 1), lambda number: f"{_one_decimal(number)}%")


def points(value: float | Fraction, tr: Translator) -> str:
    """A difference of two utilizations: +3.2 points."""
    return tr("{amount} points", amount=signed(100 * value, _one_decimal))


def _one_decimal(value: float | Fraction) -> str:
    number = float(value)
    return f"{number:.1f}" if number >= 0.095 else f"{number:.2g}"


def signed(value: Any, write: Callable[[Any], str]) -> str:
    """A number with its sign, the true minus for a negative one."""
    sign = "+" if value > 0 else "−" if value < 0 else "±"
    return f"{sign}{write(abs(value))}"


# Words of one scenario


def model_name(scenario: Scenario) -> str:
    """What the model is called."""
    return plain(scenario.model.name or scenario.model_source.preset or "", LONGEST)


def hardware_name(scenario: Scenario) -> str:
    """What the device is called."""
    device = scenario.hardware
    name = device.name if device.vendor in device.name else f"{device.vendor} {device.name}".strip()
    return plain(name or scenario.hardware_source.preset or "", LONGEST)


def _convention(scenario: Scenario, tr: Translator) -> str:
    choice = scenario.convention
    options = f" ({option_text(choice.options, tr)})" if choice.options else ""
    return tr(find(choice.id).title) + options


def field_text(field: Field, value: Any, tr: Translator) -> str:
    """A value of a field as a person reads it, without its unit unless that belongs to the number."""
    if value in (None, "", ()):
        return DASH
    if field.kind in ("choice", "set"):
        names = dict(field.choices)
        each = value if isinstance(value, tuple | list) else (value,)
        return tr.join([tr(names.get(str(one), str(one))) for one in each])
    if field.kind == "lengths":
        return plain(" ".join(str(one) for one in value), LONGEST)
    if field.kind == "text":
        return plain(str(value), LONGEST)
    return _written(value, {"integer": "integer", "fraction": "utilization", "time": "time"}.get(field.kind, "exact"),
                    tr)


def _written(value: Any, form: str, tr: Translator) -> str:
    numbers = tr.numbers
    if value is None:
        return DASH
    if form == "utilization":
        return numbers.percent(value, 2)
    if form == "flop":
        return numbers.si(value, 4, "FLOP")
    if form == "time":
        return numbers.duration(value, 4)
    if form == "count":
        return numbers.count(value, 4)
    if form == "integer":
        return numbers.integer(value)
    if form == "exact":
        text = numbers.short(value, 6)
        return text.rstrip("0").rstrip(".") if "." in text and "×" not in text else text
    return numbers.short(value, 4)


# The change between two


def quantity_text(value: Any, quantity: Quantity, tr: Translator) -> str:
    """A value of a quantity that changes can be explained of."""
    form = {"mfu": "utilization", "hfu": "utilization", "step_time_s": "time", "flops_per_token": "flop"}
    return _written(float(value), form.get(quantity, "short"), tr)


def amount_text(value: Fraction, quantity: Quantity, tr: Translator) -> str:
    """A part of a change, with its sign."""
    if quantity in ("mfu", "hfu"):
        return points(value, tr)
    return signed(float(value), lambda number: quantity_text(number, quantity, tr))


def part_text(keys: Sequence[str], before: Side, after: Side, tr: Translator) -> str:
    """What changed in one part; of hardware, the peaks as well."""
    text = tr.join([change_text(key, before.scenario, after.scenario, tr) for key in keys])
    if before.result is None or after.result is None or not PEAK_KEYS.issuperset(keys):
        return text
    peaks = [_written(side.result.peak_tflops_per_device, "exact", tr)  # type: ignore[union-attr]
             for side in (before, after)]
    if peaks[0] == peaks[1]:
        return text
    return tr("{change} ({first} → {second} TFLOP/s)", change=text, first=peaks[0], second=peaks[1])


def change_text(key: str, before: Scenario, after: Scenario, tr: Translator) -> str:
    """``Devices: 512 → 1,024``."""
    name = tr(OTHER_NAMES[key]) if key in OTHER_NAMES else tr(BY_KEY[key].label) if key in BY_KEY else key
    texts = [_side_text(key, scenario, tr) for scenario in (before, after)]
    if texts[0] == texts[1]:  # two texts that hide what differs would say that nothing does
        return tr("{name}: other numbers", name=name)
    return tr("{name}: {before} → {after}", name=name, before=texts[0], after=texts[1])


def _side_text(key: str, scenario: Scenario, tr: Translator) -> str:
    if key == "model":
        return model_name(scenario) or DASH
    if key == "hardware":
        return hardware_name(scenario) or DASH
    if key == "convention":
        return _convention(scenario, tr)
    if key == "hardware.peak_tflops" and scenario.peak.tflops is None:
        return tr("as in the preset")
    if key == "hardware.precision_mix":
        mix = scenario.peak.mix or {}
        return tr.join([f"{tr.numbers.percent(share, 0)} {name.upper()}" for name, share in mix.items()]) or DASH
    if key == "run.measured":
        known = measured_key(scenario)
        if not known:
            return DASH
        field = BY_KEY[f"run.measured.{known}"]
        unit = f" {tr(field.unit)}" if field.kind == "real" else ""
        text = field_text(field, field.get(scenario), tr) + unit
        return tr("{value} (target)", value=text) if known == "mfu" else text
    if key == "run.recompute" and isinstance(scenario.run.recompute, Recompute):
        shares = scenario.run.recompute.repeat.items()
        return tr.join([f"{plain(name, 30)} {tr.numbers.percent(share, 0)}" for name, share in shares]) or DASH
    if key == "run.trainable" and isinstance(scenario.run.trainable, Trainable):
        trained = scenario.run.trainable
        rank = [] if trained.lora_rank is None else [f"r = {trained.lora_rank}"]
        return tr.join([field_text(BY_KEY[key], BY_KEY[key].get(scenario), tr), *rank, *trained.targets,
                        *(plain(part, 30) for part in trained.frozen)])
    field = BY_KEY[key]
    unit = f" {tr(field.unit)}" if field.unit and field.kind == "real" else ""
    return field_text(field, field.get(scenario), tr) + unit


def headline(found: Attribution, before: Side, after: Side, tr: Translator) -> str:
    """The change in one sentence."""
    values = {"quantity": tr(QUANTITY_NAMES[found.quantity]), "before": before.name, "after": after.name,
              "first": quantity_text(found.before, found.quantity, tr),
              "second": quantity_text(found.after, found.quantity, tr),
              "amount": amount_text(found.after - found.before, found.quantity, tr)}
    if found.before == found.after:
        return tr("{quantity}: {first} in both, {before} and {after}.", **values)
    return tr("{quantity}: {first} ({before}) → {second} ({after}), {amount}.", **values)


def product_sentence(before: Side, after: Side, tr: Translator) -> str:
    """The change of MFU as a product of three ratios; empty where one of them is not known."""
    if before.result is None or after.result is None:
        return ""
    ratios = factors(before.result, after.result)
    if ratios is None or ratios == (1.0, 1.0, 1.0):
        return ""
    flops, rate, peak = (f"×{tr.numbers.short(ratio, 4)}" for ratio in ratios)
    return tr("As a product: FLOPs per token {flops}, tokens/s per device {rate}, 1 ÷ peak {peak}.", flops=flops,
              rate=rate, peak=peak)
