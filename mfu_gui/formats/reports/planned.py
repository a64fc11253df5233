"""Memory and plan of the run: estimates, each with how sure it is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from msgspec.structs import replace

from mfu_gui.engine.errors import InputError
from mfu_gui.formats import plan_words
from mfu_gui.formats.plan_text import VERDICTS
from mfu_gui.formats.reports.document import Block, Cell, Column, Form, Paragraph, Row, Section, Table
from mfu_gui.formats.reports.given import Given
from mfu_gui.planning.formula import Figure
from mfu_gui.planning.memory import Memory, capacity_of, memory
from mfu_gui.planning.run_plan import RunPlan, plan_run
from mfu_gui.planning.spec import plan_spec
from mfu_gui.texts import Translator

STATES = ("weights", "gradients", "optimizer")
EXAMPLE_TOKENS = 1e12
SAID_TWICE = "days"
"""The wall time once more, for programs."""
FORMS: dict[str, Form] = {"s": "duration", "bytes": "bytes", "FLOP": "flop", "FLOP/token": "flop", "tokens": "count",
                          "tokens/day": "count", "tokens/s": "count", "h": "count", "sequences": "count"}


def memory_section(given: Given) -> Section:
    """Memory of the fullest device; without a layout, the states of the whole model."""
    tr, scenario = given.tr, given.scenario
    spec = plan_spec(scenario)
    try:
        found = memory(scenario.model, scenario.run, scenario.hardware, spec.memory, scenario.peak)
    except InputError as error:
        return Section(tr("Memory"), "memory", (Paragraph(tr.describe(error), "remark"),))
    blocks = _of_layout(given, found) if scenario.run.parallel is not None else _of_model(given, found)
    return Section(tr("Memory"), "memory", tuple(blocks))


def _of_layout(given: Given, found: Memory) -> list[Block]:
    tr, worst = given.tr, found.worst
    title = tr("Memory of the fullest device (stage {stage} of {stages})", stage=worst.stage + 1,
               stages=len(found.stages))
    serious = found.verdict == "does_not_fit"
    rows = [_figure_row(term, tr) for term in worst.terms if term.value]
    rows.append(_row(tr("Total"), Cell(worst.total, "bytes", formula="=SUM({1:all})"), "", "total"))
    if found.capacity is not None:
        rows.append(_row(tr("Memory of the device"), Cell(found.capacity, "bytes")))
    notices = [Paragraph(tr.sentence(notice.code, notice.values), "remark") for notice in found.notices]
    return [Paragraph(title), Paragraph(tr(VERDICTS[found.verdict]), "serious" if serious else "plain"), *notices,
            _table(rows, tr)]


def _of_model(given: Given, found: Memory) -> list[Block]:
    tr, run = given.tr, given.scenario.run
    terms = [term for term in found.worst.terms if term.key in STATES and term.value]
    total = sum(term.value or 0 for term in terms)
    rows = [_figure_row(term, tr) for term in terms]
    rows.append(_row(tr("Total"), Cell(total, "bytes", formula="=SUM({1:all})"), "", "total"))
    if run.devices is not None:
        rows.append(_row(tr("Shared out evenly over all devices"), Cell(total / run.devices, "bytes")))
    capacity = capacity_of(given.scenario.hardware, plan_spec(given.scenario).memory, given.scenario.peak)
    if capacity is not None:
        rows.append(_row(tr("Memory of the device"), Cell(capacity, "bytes")))
    about = tr("How the model is spread over the devices is not stated. These are its weights, gradients and optimizer "
               "states as a whole; activations come on top.")
    return [Paragraph(about, "muted"), _table(rows, tr)]


def plan_section(given: Given) -> Section | None:
    """Time, cost and energy of the planned run; without a plan, of a trillion tokens.  None without a speed."""
    tr, scenario = given.tr, given.scenario
    spec = plan_spec(scenario)
    if scenario.plan is None:
        if given.result.throughput.tokens_per_s is None:
            return None
        spec = replace(spec, tokens=EXAMPLE_TOKENS)
    try:
        found = plan_run(scenario, spec, given.result)
    except InputError as error:
        return Section(tr("Plan"), "plan", (Paragraph(tr.describe(error), "remark"),))
    title = tr("Plan") if scenario.plan is not None else tr("What a trillion tokens take at this speed")
    sentence = plan_words.sentence(scenario, spec, found, tr)
    notices = [Paragraph(tr.sentence(notice.code, notice.values), "remark") for notice in found.notices
               if scenario.plan is not None]
    return Section(title, "plan", (Paragraph(sentence), *notices, _table(_plan_rows(found, tr), tr)))


def _plan_rows(found: RunPlan, tr: Translator) -> list[Row]:
    rows: list[Row] = []
    parts: tuple[tuple[str, Iterable[Figure]], ...] = (
        (tr("Time"), found.time), (tr("Cost"), found.cost), (tr("Energy"), found.energy),
        (tr("Goodput"), found.goodput))
    for title, figures in parts:
        known = [figure for figure in figures if figure.value is not None and figure.key != SAID_TWICE]
        if known:
            rows.append(_row(title, Cell(""), "", "group"))
            rows += [_figure_row(figure, tr, found.currency) for figure in known]
    return rows


def _table(rows: list[Row], tr: Translator) -> Table:
    columns = (Column(tr("Figure"), 2.6), Column(tr("Value"), 1.4, numbers=True), Column(tr("Certainty"), 1.2))
    return Table(columns, tuple(rows))


def _row(label: str, cell: Cell, sure: str = "", tone: Literal["", "total", "group"] = "") -> Row:
    return Row((Cell(label), cell, Cell(sure)), tone)


def _figure_row(figure: Figure, tr: Translator, currency: str = "") -> Row:
    return _row(tr(figure.label), _cell(figure, tr, currency), plan_words.basis_word(figure, tr))


def _cell(figure: Figure, tr: Translator, currency: str) -> Cell:
    if currency and figure.key in plan_words.MONEY:
        return Cell(figure.value, "count", currency)
    if not figure.unit and figure.key in plan_words.FRACTIONS:
        return Cell(figure.value, "percent1")
    form = FORMS.get(figure.unit, "integer" if isinstance(figure.value, int) else "short")
    unit = "" if form in ("duration", "bytes", "flop") or not figure.unit else tr(figure.unit)
    return Cell(figure.value, form, unit)
