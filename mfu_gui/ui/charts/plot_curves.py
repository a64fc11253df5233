"""Curves of utilization as paths and as points in the places of the picture."""

from __future__ import annotations

import numpy as np
from PySide6.QtGui import QPainterPath

from mfu_gui.formats.curve import TOP, Curve, Range, points
from mfu_gui.ui.charts.items import line_path


def placed(full: float, span: Range, count: int = 96) -> tuple[np.ndarray, np.ndarray]:
    """A curve in the places of the picture."""
    times, values = (np.asarray(each) for each in points(full, span, count))
    return (np.log10(times), np.log10(values)) if span.log else (times, values)


def band_path(curve: Curve, span: Range) -> QPainterPath:
    """The area between the lowest and the highest curve of a range; empty without one."""
    path = QPainterPath()
    if curve.low is None or curve.high is None or curve.high <= curve.low:
        return path
    upper, lower = placed(curve.high, span, 64), placed(curve.low, span, 64)
    if not upper[0].size or not lower[0].size:
        return path
    # The edge is above the picture; without it the corner would be cut off.
    edge = max(span.y(TOP), float(lower[1][0]))
    path = line_path(np.concatenate((lower[0][:1], upper[0], lower[0][::-1])),
                     np.concatenate(([edge], upper[1], lower[1][::-1])))
    path.closeSubpath()
    return path
