"""The inputs, each with where it came from, and the convention by which was counted."""

from __future__ import annotations

from msgspec.structs import replace

from mfu_gui.engine.fields import FIELDS, Field, measured_key
from mfu_gui.engine.run import Recompute
from mfu_gui.engine.scenario import Scenario
from mfu_gui.formats.reports.document import Cell, Column, Form, Paragraph, Row, Section, Table
from mfu_gui.formats.reports.given import Given, plain
from mfu_gui.formats.result_text import option_text
from mfu_gui.texts import N_

LIVE = frozenset({"run.devices", "run.global_batch"})
"""Inputs that the formulas of a workbook read; the measured one and the peak besides."""
FORMS: dict[str, Form] = {"integer": "integer", "real": "exact", "fraction": "percent", "time": "exact"}
DERIVED = {"run.replicas": N_("derived: devices ÷ (TP × PP × CP)"),
           "run.accumulation": N_("derived: global batch ÷ (micro-batch × replicas)")}
"""Fields that nobody states: they follow from others."""
PEAK_KINDS = {"dense": N_("dense"), "sparse": N_("2:4 sparse"), "measured": N_("measured")}


def inputs(given: Given) -> Section:
    """One table: model, hardware, run, what was measured."""
    tr = given.tr
    rows = [*_model(given), *_hardware(given), *_run(given), *_measured(given)]
    columns = (Column(tr("Input"), 1.5), Column(tr("Value"), 1.2, numbers=True), Column(tr("Source"), 2.6))
    blocks: list[Table | Paragraph] = [Table(columns, tuple(rows))]
    if given.scenario.notes:
        blocks.append(Paragraph(plain(given.scenario.notes), "muted"))
    return Section(tr("Inputs"), "inputs", tuple(blocks))


def _group(title: str, name: str, source: str) -> Row:
    return Row((Cell(title), Cell(name), Cell(source)), "group")


def _model(given: Given) -> list[Row]:
    tr, scenario, preset = given.tr, given.scenario, given.model_preset()
    original = None if preset is None else replace(scenario, model=preset.spec)
    if preset is not None:
        source = tr("preset {id}: {source}", id=preset.id, source=plain(preset.source, 160))
    elif scenario.model_source.preset is not None:
        source = tr("preset {id}, not on this computer", id=plain(scenario.model_source.preset))
    elif scenario.model_source.hf_config is not None:
        source = "config.json"
    else:
        source = tr("own description")
    return [_group(tr("Model"), plain(scenario.model.name), source), *_fields(given, "model", original)]


def _hardware(given: Given) -> list[Row]:
    tr, scenario, preset = given.tr, given.scenario, given.hardware_preset()
    if preset is not None:
        source = tr("preset {id}: {source}", id=preset.id, source=plain(preset.source, 160))
    elif scenario.hardware_source.preset is not None:
        source = tr("preset {id}, not on this computer", id=plain(scenario.hardware_source.preset))
    else:
        source = tr("own description")
    name = " ".join(part for part in (scenario.hardware.vendor, scenario.hardware.name) if part)
    peak = Row((Cell(tr("Peak per device")),
                Cell(given.result.peak_tflops_per_device, "exact", "TFLOP/s", name="peak_tflops"),
                Cell(peak_source(given))))
    rows = [row for key, row in _keyed(given, "hardware", None) if key not in ("hardware.peak_tflops",
                                                                              "hardware.peak_kind")]
    return [_group(tr("Hardware"), plain(name), source), rows[0], peak, *rows[1:]]


def peak_source(given: Given) -> str:
    """Which peak was divided by, and where it is from."""
    tr, peak, run = given.tr, given.scenario.peak, given.scenario.run
    shipped = given.scenario.hardware.peak_tflops.get(run.precision)
    if peak.tflops is not None:
        if shipped is None:
            return tr("typed")
        return tr("typed; the preset has {peak} TFLOP/s dense", peak=tr.numbers.exact(shipped))
    words = [tr(PEAK_KINDS[peak.kind]), run.precision.upper()]
    if peak.mix:
        words = [tr("mixed by time"), *(f"{tr.numbers.percent(share, 0)} {name.upper()}"
                                        for name, share in peak.mix.items())]
    preset = given.hardware_preset()
    if preset is not None and preset.spec.peak_tflops == given.scenario.hardware.peak_tflops:
        words.append(tr("as in the preset"))
    return tr.join(words)


def _run(given: Given) -> list[Row]:
    tr, run = given.tr, given.scenario.run
    rows = _fields(given, "run", None)
    if isinstance(run.recompute, Recompute):
        shares = [f"{plain(name, 60)} {tr.numbers.percent(share, 0)}" for name, share in run.recompute.repeat.items()]
        rows.append(Row((Cell(tr("Recompute")), Cell(tr.join(shares)), Cell(tr("scenario")))))
    return [_group(tr("Run"), "", ""), *rows]


def _measured(given: Given) -> list[Row]:
    key = measured_key(given.scenario)
    if not key:
        return []
    rows = [row for name, row in _keyed(given, "measured", None) if name == f"run.measured.{key}"]
    return [_group(given.tr("Target") if key == "mfu" else given.tr("Measured"), "", ""), *rows]


def _fields(given: Given, panel: str, original: Scenario | None) -> list[Row]:
    return [row for _, row in _keyed(given, panel, original)]


def _keyed(given: Given, panel: str, original: Scenario | None) -> list[tuple[str, Row]]:
    """The fields of a panel that have a value: (key, row)."""
    found = []
    for field in FIELDS:
        if field.panel != panel or not field.applies(given.scenario) or _unsaid(field, given.scenario):
            continue
        value = field.get(given.scenario)
        if value not in (None, ""):
            found.append((field.key, Row((Cell(given.tr(field.label)), _cell(field, value, given),
                                          Cell(_source(field, given, original))))))
    return found


def _unsaid(field: Field, scenario: Scenario) -> bool:
    """Whether a field of the layout only has the value that it has where nothing was said of a layout."""
    return field.key.startswith("run.parallel.") and scenario.run.parallel is None


def _cell(field: Field, value: str | float, given: Given) -> Cell:
    tr = given.tr
    if field.kind == "choice":
        return Cell(tr(dict(field.choices).get(str(value), str(value))))
    name = field.key.rpartition(".")[2]
    if field.panel == "measured":
        name += "_measured"
    elif field.key not in LIVE:
        name = ""
    unit = "" if field.kind == "fraction" or not field.unit else tr(field.unit)
    return Cell(value, FORMS.get(field.kind, "text"), unit, name=name)


def _source(field: Field, given: Given, original: Scenario | None) -> str:
    tr = given.tr
    if field.panel == "measured":
        return tr("target") if field.key == "run.measured.mfu" else tr("measured")
    if field.panel != "model":
        return tr(DERIVED.get(field.key, N_("scenario")))
    if original is None:
        return "config.json" if given.scenario.model_source.hf_config is not None else tr("scenario")
    before = field.get(original) if field.applies(original) else None
    if before == field.get(given.scenario):
        return tr("preset")
    return tr("changed; the preset has {value:integer}", value=before)


def convention(given: Given) -> Section:
    """How the FLOPs are counted."""
    tr, rule, options = given.tr, given.convention, given.scenario.convention.options
    row = next((row for row in given.rows if row.id == rule.id), None)
    lines = [(tr("Convention"), f"{tr(rule.title)} ({rule.id})"), (tr("Rule"), tr(rule.summary))]
    if options:
        lines.append((tr("Options"), option_text(options, tr)))
    lines.append((tr("Counts"), tr("hardware FLOPs, recomputation included") if rule.kind == "hardware"
                  else tr("model FLOPs, recomputation left out")))
    lines.append((tr("Source"), rule.source))
    if rule.valid_from:
        lines.append((tr("In force"), _months(rule.valid_from, rule.valid_until, given)))
    if row is not None:
        fits = tr("fits this model") if row.status == "sound" else tr(row.reason)
        lines.append((tr("Fit"), fits))
    columns = (Column("", 1.0), Column("", 4.3))
    return Section(tr("Convention"), "inputs",
                   (Table(columns, tuple(Row((Cell(name), Cell(text))) for name, text in lines)),))


def _months(first: str, after: str, given: Given) -> str:
    if after:
        return given.tr("from {first} until {after}", first=first, after=after)
    return given.tr("from {first}", first=first)
