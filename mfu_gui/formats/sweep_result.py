"""A sweep or a search for layouts as data for other programs: ``mfu-sweep`` and ``mfu-layouts``.

Every point that is written was computed by itself, as ``mfu-gui compute`` would; a point that cannot be
computed has nulls and its reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from mfu_gui.engine.errors import InputError, Notice
from mfu_gui.engine.run import Recompute
from mfu_gui.engine.scenario import Scenario
from mfu_gui.formats import text_table
from mfu_gui.formats.result_json import Document, notices_list
from mfu_gui.formats.sweep_words import (
    SIZES,
    TIMINGS,
    axis_title,
    counts_text,
    held_text,
    outcome_text,
    reason_text,
    recompute_text,
    value_text,
    verdict_word,
)
from mfu_gui.planning.layouts import By, LayoutRow, Layouts
from mfu_gui.planning.spec import plan_spec
from mfu_gui.planning.sweep import Place, Sweep
from mfu_gui.planning.sweep_axes import Axis
from mfu_gui.planning.sweep_point import HOLD_LABELS, OUTCOMES, Values, prediction_at
from mfu_gui.texts import Translator

KIND, LAYOUTS_KIND, SCHEMA = "mfu-sweep", "mfu-layouts", 1


class Point(msgspec.Struct, frozen=True):
    """One point, computed by itself: values of the axes, results, and why there are none."""

    place: Place
    at: tuple[Any, ...]
    results: Values
    error: InputError | None


def points(found: Sweep, keys: Iterable[str], places: Iterable[Place] | None = None) -> Iterator[Point]:
    """These results of these points (all of them), exactly."""
    keys = tuple(keys)
    for place in found.places() if places is None else places:
        try:
            values = found.exact(place)
            yield Point(place, found.at(place), {key: values[key] for key in keys}, None)
        except InputError as error:
            yield Point(place, found.at(place), dict.fromkeys(keys), error)


def sweep_document(found: Sweep, keys: tuple[str, ...], rows: list[Point], tr: Translator,
                   notices: Iterable[Notice] = ()) -> Document:
    """The ``mfu-sweep`` object; messages in the language of ``tr``.  ``rows`` are the points to be written."""
    best = {key: _best(rows, key) for key in keys}
    current = found.current()
    return {
        "kind": KIND, "schema": SCHEMA, "name": found.base.name,
        "convention": {"id": found.base.convention.id, "options": dict(found.base.convention.options)},
        "held": _held(found, rows, tr),
        "axes": [_axis(axis) for axis in found.axes],
        "results": [{"key": key, "unit": _unit(found.base, key)} for key in keys],
        "current": None if current is None else list(found.at(current)),
        "points": [{"at": list(point.at), **point.results,
                    **({} if point.error is None else {"error": tr.describe(point.error)})} for point in rows],
        "best": best,
        "warnings": notices_list([*notices, *found.notices], tr),
    }


def _held(found: Sweep, rows: list[Point], tr: Translator) -> Document:
    document: Document = {"id": found.held.how, "value": found.held.value, "meaning": tr(HOLD_LABELS[found.held.how])}
    if found.held.how == "predicted":
        bands = [prediction_at(found.base, found.axes, point.at) for point in rows if point.error is None]
        document["typical_error"] = max((band.typical for band in bands), default=None)
        document["worst_error"] = max((band.worst for band in bands), default=None)
    return document


def _axis(axis: Axis) -> Document:
    document: Document = {"key": axis.key, "unit": axis.unit, "values": list(axis.values)}
    if axis.names:
        document["names"] = list(axis.names)
    return document


def _unit(base: Scenario, key: str) -> str:
    return plan_spec(base).currency if OUTCOMES[key].kind == "money" else OUTCOMES[key].unit


def _best(rows: list[Point], key: str) -> list[Any] | None:
    known = [(value, point) for point in rows if (value := point.results[key]) is not None]
    if not known:
        return None
    chosen = (min if OUTCOMES[key].less else max)(known, key=lambda pair: pair[0])
    return list(chosen[1].at)


def sweep_to_csv(found: Sweep, keys: tuple[str, ...], rows: list[Point]) -> str:
    """One line a point, full precision, columns named as in the JSON."""
    table = [[*(axis.key for axis in found.axes), *keys]]
    table += [[*map(_plain, point.at), *(_plain(point.results[key]) for key in keys)] for point in rows]
    return text_table.csv(table)


def _plain(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else repr(value)


def sweep_to_text(found: Sweep, keys: tuple[str, ...], rows: list[Point], tr: Translator,
                  notices: Iterable[Notice] = ()) -> str:
    """A table for people: two axes and one result crosswise, else a line for each point."""
    currency = plan_spec(found.base).currency
    lines = [tr.value(found.base.name), ""] if found.base.name else []
    lines += [held_text(found.held, tr), ""]
    every = len(rows) == len(list(found.places()))
    if len(found.axes) == 2 and len(keys) == 1 and every:
        lines += [tr(OUTCOMES[keys[0]].label), *_crosswise(found, keys[0], rows, tr, currency)]
    else:
        head = [*(axis_title(axis, tr) for axis in found.axes), *(tr(OUTCOMES[key].label) for key in keys), ""]
        current = found.current()
        table = [head, *([*(value_text(axis, value, tr) for axis, value in zip(found.axes, point.at, strict=True)),
                          *(outcome_text(key, point.results[key], tr, currency) for key in keys),
                          tr("now") if point.place == current else ""] for point in rows)]
        lines += text_table.aligned(table, right=range(len(head) - 1))
    errors = dict.fromkeys(tr.describe(point.error) for point in rows if point.error is not None)
    remarks = [*(tr.describe(notice) for notice in (*notices, *found.notices)), *errors]
    if remarks:
        lines += ["", tr("Remarks"), *(f"  {remark}" for remark in remarks)]
    return "\n".join(lines) + "\n"


def _crosswise(found: Sweep, key: str, rows: list[Point], tr: Translator, currency: str) -> list[str]:
    first, second = found.axes
    cells = {point.place: outcome_text(key, point.results[key], tr, currency) for point in rows}
    head = [f"{axis_title(first, tr)} \\ {axis_title(second, tr)}",
            *(value_text(second, value, tr) for value in second.values)]
    table = [head] + [[value_text(first, value, tr), *(cells[row, column] for column in range(len(second.values)))]
                      for row, value in enumerate(first.values)]
    return text_table.aligned(table, right=range(len(head)))


# --- layouts ---------------------------------------------------------------------------------------

def layouts_document(found: Layouts, rows: list[LayoutRow], by: By, tr: Translator, notices: Iterable[Notice] = (),
                     ) -> Document:
    """The ``mfu-layouts`` object: how many there are, and the best of them with their reasons."""
    current = found.current()
    return {
        "kind": LAYOUTS_KIND, "schema": SCHEMA, "name": found.base.name, "timing": found.timing, "ranked_by": by,
        "searched": found.space.count, "verdicts": dict(found.counts()), "capacity_bytes": found.capacity,
        "current": None if current is None else _row(current, tr),
        "layouts": [_row(row, tr) for row in rows],
        "warnings": notices_list([*notices, *found.notices], tr),
    }


def _row(row: LayoutRow, tr: Translator) -> Document:
    again = msgspec.to_builtins(row.recompute) if isinstance(row.recompute, Recompute) else row.recompute
    return {"devices": row.devices, "parallel": msgspec.structs.asdict(row.parallel), "micro_batch": row.micro_batch,
            "recompute": again, "step_time_s": row.step_time_s, "mfu": row.mfu, "tokens_per_s": row.tokens_per_s,
            "memory_bytes": row.memory_bytes, "memory_share": row.memory_share, "verdict": row.verdict,
            "days": row.days, "cost": row.cost, "current": row.current,
            "layers_per_stage": None if row.stage_layers is None else list(row.stage_layers),
            "reason": reason_text(row, tr)}


LAYOUT_COLUMNS = ("devices", *(name for name, _ in SIZES), "zero_stage", "micro_batch", "recompute", "step_time_s",
                  "mfu", "memory_bytes", "memory_share", "verdict", "days", "cost")


def layouts_to_csv(rows: list[LayoutRow], tr: Translator) -> str:
    """One line a layout."""
    table = [list(LAYOUT_COLUMNS)]
    for row in rows:
        document = _row(row, tr)
        flat = {**document, **document["parallel"]}
        if not isinstance(flat["recompute"], str):
            flat["recompute"] = msgspec.json.encode(flat["recompute"]).decode()
        table.append([_plain(flat[name]) for name in LAYOUT_COLUMNS])
    return text_table.csv(table)


def layouts_to_text(found: Layouts, rows: list[LayoutRow], tr: Translator, notices: Iterable[Notice] = ()) -> str:
    """A ranked table for people, the scenario's own layout below it."""
    lines = [tr.value(found.base.name), ""] if found.base.name else []
    lines += [tr(TIMINGS[found.timing]), counts_text(found, tr), ""]
    current = found.current()
    several = len({row.devices for row in rows}) > 1
    head = [tr("Devices")] if several else []
    head += [*(letters for _, letters in SIZES), "ZeRO", tr("Micro-batch"), tr("Recompute"), tr("Step time"), "MFU",
             tr("Memory"), tr("Verdict"), tr("Why")]
    shown = rows if current is None or any(row.current for row in rows) else [*rows, current]
    table = [head, *(_cells(row, several, tr) for row in shown)]
    lines += text_table.aligned(table, right=range(len(head) - 2))
    remarks = [tr.describe(notice) for notice in (*notices, *found.notices)]
    if remarks:
        lines += ["", tr("Remarks"), *(f"  {remark}" for remark in remarks)]
    return "\n".join(lines) + "\n"


def _cells(row: LayoutRow, several: bool, tr: Translator) -> list[str]:
    numbers = tr.numbers
    word = verdict_word(row, tr)
    return [*([numbers.integer(row.devices)] if several else []),
            *(str(getattr(row.parallel, name)) for name, _ in SIZES), str(row.parallel.zero_stage),
            numbers.integer(row.micro_batch), recompute_text(row.recompute, tr), numbers.duration(row.step_time_s),
            numbers.percent(row.mfu), numbers.bytes(row.memory_bytes),
            tr("{verdict} (now)", verdict=word) if row.current else word, reason_text(row, tr)]
