"""Builds the document of a report from what was computed."""

from __future__ import annotations

from mfu_gui import __version__
from mfu_gui.engine.errors import InputError
from mfu_gui.formats.explain_json import explain_scenario, explanation_sentence
from mfu_gui.formats.reports import breakdown, conventions, inputs, planned, plot, results
from mfu_gui.formats.reports.document import Cell, Column, Paragraph, Report, Row, Section, Table
from mfu_gui.formats.reports.given import Given, plain

MOST_EXPLANATIONS = 3


def build(given: Given) -> Report:
    """The report: what matters first, what it rests on after it."""
    sections = [results.headline(given), reported(given), plot.plot(given), inputs.inputs(given),
                inputs.convention(given), results.figures(given), results.derivation(given),
                breakdown.breakdown(given), planned.memory_section(given), planned.plan_section(given),
                _swept(given), conventions.conventions(given)]
    return _report(given, sections)


def _swept(given: Given) -> Section | None:
    """A sweep needs numpy, which other reports do without."""
    if given.sweep is None:
        return None
    from mfu_gui.formats.reports.swept import sweep_section

    return sweep_section(given)


def summary(given: Given) -> Report:
    """What matters of the report, short enough for a message."""
    return _report(given, [results.headline(given), inputs.inputs(given), inputs.convention(given),
                           breakdown.breakdown(given)])


def _report(given: Given, sections: list[Section | None]) -> Report:
    tr, scenario = given.tr, given.scenario
    title = plain(scenario.name, 200) or " · ".join(
        part for part in (plain(scenario.model.name, 80), plain(scenario.hardware.name, 80)) if part)
    return Report(tr.language, title or tr("Untitled"), tr("Model FLOPs utilization report"),
                  f"{tr('MFU Calculator')} {__version__} · {given.date}", given.date,
                  tuple(section for section in sections if section is not None))


def reported(given: Given) -> Section | None:
    """What a number that somebody reported means; None without one."""
    tr, said = given.tr, given.scenario.reported
    if said is None:
        return None
    if said.mfu is not None:
        sentence = tr("Reported: MFU {value:percent2}", value=said.mfu)
    elif said.hfu is not None:
        sentence = tr("Reported: HFU {value:percent2}", value=said.hfu)
    else:
        sentence = tr("Reported: {value:short5} TFLOP/s per device", value=said.tflops_per_device)
    try:
        found = explain_scenario(given.scenario)[:MOST_EXPLANATIONS]
    except InputError:
        found = []
    title = tr("What the reported number means")
    if not found:
        none = tr("No way of counting and dividing that is known gives this number.")
        return Section(title, "results", (Paragraph(f"{sentence}. {none}"),))
    columns = (Column(tr("Explanation"), 5.2), Column(tr("Value"), 0.9, numbers=True),
               Column(tr("Plausibility"), 1.1, numbers=True))
    rows = tuple(Row((Cell(explanation_sentence(each, tr)),
                      Cell(each.value, "short" if each.peak_tflops is None else "percent"),
                      Cell(tr.numbers.percent(each.plausibility, 0)))) for each in found)
    return Section(title, "results", (Paragraph(sentence), Table(columns, rows)))
