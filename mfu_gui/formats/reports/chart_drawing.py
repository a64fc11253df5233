"""The charts of a report as drawings."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from mfu_gui.formats.curve import TOP, Range, points
from mfu_gui.formats.reports.colors import ACCENT, BAND, LINE, MUTED, TEXT
from mfu_gui.formats.reports.document import BarChart, Chart, HyperbolaChart
from mfu_gui.formats.reports.drawing import Area, Box, Dot, Drawing, Label, Point, Shape, Stroke, text_width

Place = Callable[[float, float], Point]
WIDTH = 500.0
SMALL = 8.0
_LEFT, _TOP_MARGIN, _PLOT_HEIGHT, _UNDER = 34.0, 20.0, 150.0, 30.0
_GRID = (0.0, 0.25, 0.5, 0.75, 1.0)
_BAR, _GAP = 11.0, 6.0


def drawn(chart: Chart) -> Drawing:
    """The drawing of a chart."""
    return _bars(chart) if isinstance(chart, BarChart) else _hyperbola(chart)


def _hyperbola(chart: HyperbolaChart) -> Drawing:
    start, end = chart.span
    bottom, right = _TOP_MARGIN + _PLOT_HEIGHT, WIDTH - 14.0

    def place(time: float, share: float) -> Point:
        return (_LEFT + (time - start) / (end - start) * (right - _LEFT), bottom - share * _PLOT_HEIGHT)

    def line(full: float) -> list[Point]:
        times, shares = points(full, Range(start, end, 0.0))
        return _below_top([place(time, share) for time, share in zip(times, shares, strict=True)])

    shapes: list[Shape] = []
    if chart.band is not None:
        low, high = line(chart.band[0]), line(chart.band[1])
        shapes.append(Area((*low, *reversed(high)), BAND))
    for share in _GRID:
        y = bottom - share * _PLOT_HEIGHT
        shapes.append(Stroke(((_LEFT, y), (right, y)), LINE if share else MUTED, 0.6))
        shapes.append(Label(_LEFT - 5, y + 2.8, f"{share:.0%}", MUTED, SMALL, "end"))
    shapes += _times(chart, place, bottom)
    if chart.hardware is not None:
        shapes.append(Stroke(tuple(line(chart.hardware)), MUTED, 1.0, dashed=True))
    shapes.append(Stroke(tuple(line(chart.full)), ACCENT, 1.8))
    shapes += _full_mark(chart, place)
    if chart.point is not None and chart.point[1] <= TOP:
        shapes += _point(chart, place, right)
    shapes += _legend(chart, right)
    return Drawing(WIDTH, bottom + _UNDER, tuple(shapes), chart.title, chart.description)


def _below_top(line: list[Point]) -> list[Point]:
    """The part of a curve up to 100 %, cut where it enters the picture."""
    inside = [point for point in line if point[1] >= _TOP_MARGIN]
    outside = [point for point in line if point[1] < _TOP_MARGIN]
    if inside and outside:
        (x1, y1), (x2, y2) = outside[-1], inside[0]
        ratio = (_TOP_MARGIN - y1) / (y2 - y1)
        inside.insert(0, (x1 + ratio * (x2 - x1), _TOP_MARGIN))
    return inside


def _times(chart: HyperbolaChart, place: Place, bottom: float) -> Iterable[Shape]:
    for mark in chart.x_marks:
        x = place(mark.at, 0.0)[0]
        yield Stroke(((x, bottom), (x, bottom + 3)), MUTED, 0.6)
        yield Label(x, bottom + 12, mark.label, MUTED, SMALL, "middle")
    yield Label((_LEFT + WIDTH - 14.0) / 2, bottom + 25, chart.x_title, MUTED, SMALL, "middle")


def _full_mark(chart: HyperbolaChart, place: Place) -> Iterable[Shape]:
    x, y = place(chart.full, 1.0)
    yield Dot(x, y, 2.4, ACCENT)
    yield Label(x + 6, y - 4, chart.full_label, MUTED, SMALL)


def _point(chart: HyperbolaChart, place: Place, right: float) -> Iterable[Shape]:
    assert chart.point is not None  # noqa: S101 - the caller has looked
    time, share, text = chart.point
    x, y = place(time, share)
    bottom = place(time, 0.0)[1]
    yield Stroke(((x, y), (x, bottom)), ACCENT, 0.7, dashed=True)
    yield Dot(x, y, 4.0, ACCENT)
    room = text_width(text, 9.5)
    if x + 9 + room <= right:
        yield Label(x + 9, y - 6, text, TEXT, 9.5, bold=True)
    else:
        yield Label(x - 4, y - 9, text, TEXT, 9.5, "end", bold=True)


def _legend(chart: HyperbolaChart, right: float) -> Iterable[Shape]:
    x = right
    for kind, words in reversed(chart.legend):
        x -= text_width(words, SMALL)
        yield Label(x, 8, words, MUTED, SMALL)
        x -= 20
        if kind == "band":
            yield Box(x, 2, 16, 7, BAND)
        else:
            hardware = kind == "hardware"
            yield Stroke(((x, 5.5), (x + 16, 5.5)), MUTED if hardware else ACCENT, 1.0 if hardware else 1.8, hardware)
        x -= 14


def _bars(chart: BarChart) -> Drawing:
    names = max((text_width(bar.name, SMALL + 0.5) for bar in chart.bars), default=0.0)
    left = min(names + 8, 0.45 * WIDTH)
    longest = max((bar.value for bar in chart.bars), default=1.0) or 1.0
    room = WIDTH - left - 48
    shapes: list[Shape] = []
    y = 4.0
    for bar in chart.bars:
        width = max(bar.value / longest * room, 0.75)
        base = y + _BAR / 2 + 3
        shapes += [Label(left - 6, base, bar.name, TEXT, SMALL + 0.5, "end"),
                   Box(left, y, width, _BAR, bar.color, 1.5),
                   Label(left + width + 5, base, bar.label, MUTED, SMALL + 0.5)]
        y += _BAR + _GAP
    return Drawing(WIDTH, y, tuple(shapes), chart.title, chart.description)
