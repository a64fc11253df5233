"""A sweep in a report: every point computed by itself, as `mfu-gui sweep` prints it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import Any

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.scenario import Scenario
from mfu_gui.formats.reports.document import Block, Cell, Column, Form, Paragraph, Row, Section, Table
from mfu_gui.formats.reports.given import Given, plain
from mfu_gui.formats.sweep_result import Point, points
from mfu_gui.formats.sweep_words import axis_title, held_text, value_text
from mfu_gui.planning.spec import plan_spec
from mfu_gui.planning.sweep import Sweep, sweep
from mfu_gui.planning.sweep_axes import Axis
from mfu_gui.planning.sweep_point import OUTCOMES, Hold
from mfu_gui.texts import Translator

MOST_POINTS = 1000
"""Points that a report holds; `mfu-gui sweep` writes any number."""
MOST_COLUMNS = 5
"""Columns of a table that a page has room for; more results are in further tables."""
FORMS: dict[str, Form] = {"fraction": "percent", "time": "duration", "bytes": "bytes", "count": "count"}


@dataclass(frozen=True)
class Asked:
    """A sweep that is wanted: what is varied, which results, what is held, which points are left out."""

    axes: tuple[Axis, ...]
    keys: tuple[str, ...] = ("mfu",)
    hold: Hold | None = None
    fits: bool = False
    most_days: float | None = None


@dataclass(frozen=True)
class Swept:
    """A sweep with its points, each computed by itself."""

    found: Sweep
    keys: tuple[str, ...]
    rows: tuple[Point, ...]


def swept(base: Scenario, asked: Asked) -> Swept:
    """The sweep of a scenario.

    InputError as ``sweep``, ``report_sweep_too_many``, and that of the first point where none can be computed.
    """
    count = prod(len(axis.values) for axis in asked.axes)
    if count > MOST_POINTS:
        raise InputError("report_sweep_too_many", "", points=count, maximum=MOST_POINTS)
    filters = (*(("memory_share",) if asked.fits else ()), *(("days",) if asked.most_days is not None else ()))
    found = sweep(base, asked.axes, (*asked.keys, *filters), asked.hold)
    kept = found.kept(fits=asked.fits, most_days=asked.most_days)
    rows = tuple(points(found, asked.keys, (place for place in found.places() if kept[place])))
    if rows and rows[0].error is not None and all(row.error is not None for row in rows):
        raise rows[0].error
    return Swept(found, asked.keys, rows)


def sweep_section(given: Given) -> Section | None:
    """What is held, the points, and what is to be said of them; None without a sweep."""
    tr, wanted = given.tr, given.sweep
    if wanted is None:
        return None
    try:
        done = swept(given.scenario, wanted) if isinstance(wanted, Asked) else wanted
    except InputError as error:
        return Section(tr("Sweep"), "sweep", (Paragraph(tr.sentence(error.code, error.values), "remark"),))
    errors = dict.fromkeys(tr.describe(row.error) for row in done.rows if row.error is not None)
    remarks = [*(tr.describe(notice) for notice in done.found.notices), *errors]
    blocks: list[Block] = [Paragraph(held_text(done.found.held, tr)),
                           *(Paragraph(plain(remark), "remark") for remark in remarks), *_tables(done, tr)]
    return Section(tr("Sweep"), "sweep", tuple(blocks))


def _tables(done: Swept, tr: Translator) -> Iterator[Table]:
    """The points, with as many results beside the axes as there is room for."""
    axes, current = done.found.axes, done.found.current()
    currency = plan_spec(done.found.base).currency
    room = MOST_COLUMNS - len(axes)
    for first in range(0, len(done.keys), room):
        keys = done.keys[first:first + room]
        columns = (*(Column(plain(axis_title(axis, tr), 80), 1.4) for axis in axes),
                   *(Column(tr(OUTCOMES[key].label), numbers=True) for key in keys))
        yield Table(columns, tuple(Row(
            (*(_axis_cell(axis, value, tr) for axis, value in zip(axes, row.at, strict=True)),
             *(_result_cell(key, row.results[key], currency, tr) for key in keys)),
            "chosen" if row.place == current else "") for row in done.rows))


def _axis_cell(axis: Axis, value: Any, tr: Translator) -> Cell:
    """A value of an axis: a number where its head says the unit."""
    if axis.kind == "integer":
        return Cell(value, "integer")
    if axis.kind == "real":
        return Cell(value, "exact")
    return Cell(plain(value_text(axis, value, tr), 80))


def _result_cell(key: str, value: float | None, currency: str, tr: Translator) -> Cell:
    outcome = OUTCOMES[key]
    if outcome.kind == "money":
        return Cell(value, "count", currency)
    if outcome.key == "flops_per_token" or outcome.key == "flops_per_step":
        return Cell(value, "flop")
    return Cell(value, FORMS.get(outcome.kind, "short"), tr(outcome.unit) if outcome.kind == "real" else "")
