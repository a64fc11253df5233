"""MFU against step time, as a curve and as rows."""

from __future__ import annotations

from mfu_gui.formats.curve import Curve, Range, curve_of, range_of, table
from mfu_gui.formats.reports.document import Cell, Column, HyperbolaChart, Mark, Row, Section, Table
from mfu_gui.formats.reports.given import Given


def plot(given: Given) -> Section | None:
    """The section; None where there is nothing to draw."""
    curve = curve_of(given.scenario, given.result, given.rows)
    if curve is None:
        return None
    span = range_of(curve)
    return Section(given.tr("MFU against step time"), "sweep", (_chart(given, curve, span),))


def _chart(given: Given, curve: Curve, span: Range) -> HyperbolaChart:
    tr = given.tr
    steps = curve.quantity == "step_time_s"
    unit = "s" if steps else "µs"
    count = round((span.end - span.start) / span.step)
    marks = tuple(Mark(at, f"{at:.6g} {unit}") for at in (span.start + i * span.step for i in range(count + 1)))
    full = tr("100%: {time}", time=_time(given, curve, curve.full, 3))
    point = None
    if curve.time is not None and curve.utilization is not None:
        label = f"{_time(given, curve, curve.time, 4)} · {tr.numbers.percent(curve.utilization, 2)}"
        point = (curve.time, curve.utilization, label)
    band = None if curve.low is None or curve.high is None else (curve.low, curve.high)
    legend = [("main", "HFU" if given.result.convention_kind == "hardware" else "MFU")]
    legend += [("band", tr("range of the conventions that fit"))] if band is not None else []
    legend += [("hardware", "HFU")] if curve.hardware is not None else []
    title = tr("MFU against step time")
    described = ". ".join(part for part in (title, point[2] if point else "", full) if part)
    return HyperbolaChart(title, described, tr("step time") if steps else tr("time per token of one device"),
                          (span.start, span.end), marks, curve.full, full, curve.hardware, band, point,
                          tuple(legend), _rows(given, curve, span))


def _time(given: Given, curve: Curve, time: float, digits: int) -> str:
    numbers = given.tr.numbers
    return numbers.duration(time, digits) if curve.quantity == "step_time_s" else f"{numbers.short(time, digits)} µs"


def _rows(given: Given, curve: Curve, span: Range) -> Table:
    tr = given.tr
    steps = curve.quantity == "step_time_s"
    formula = ("=flops_per_step/(peak_tflops*1E12*devices*{0})" if steps
               else "=flops_per_token/(peak_tflops*1E6*{0})")
    heads = (tr("Step time, s") if steps else tr("Time per token of one device, µs"), "MFU", tr("Lowest that fits"),
             tr("Highest that fits"), "HFU")
    ends = (curve.low, curve.high, curve.hardware)
    shown = [0, 1, *(column for column, end in enumerate(ends, 2) if end is not None)]
    rows = []
    for time, *shares in table(curve, span):
        scaled = ["" if end is None else f"={{1}}*{end / curve.full!r}" for end in ends]
        point = time == curve.time
        cells = [Cell(time, "exact", formula="=step_time_s" if point and steps else "")]
        cells += [Cell(share, "percent", formula=live)
                  for share, live in zip(shares, (formula, *scaled), strict=True)]
        rows.append(Row(tuple(cells[column] for column in shown), "chosen" if point else ""))
    return Table(tuple(Column(heads[column], numbers=True) for column in shown), tuple(rows))
