"""A picture as a list of simple shapes, which SVG and a painter draw alike.

Coordinates are points from the top left; colours ``#rrggbb``.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Anchor = Literal["start", "middle", "end"]
Point = tuple[float, float]


class Stroke(NamedTuple):
    """A line through points."""

    points: tuple[Point, ...]
    color: str
    width: float = 1.0
    dashed: bool = False


class Area(NamedTuple):
    """A filled polygon."""

    points: tuple[Point, ...]
    color: str


class Box(NamedTuple):
    """A filled rectangle with round corners."""

    x: float
    y: float
    width: float
    height: float
    color: str
    radius: float = 0.0


class Dot(NamedTuple):
    """A filled circle with a white ring."""

    x: float
    y: float
    radius: float
    color: str


class Label(NamedTuple):
    """A text on its base line."""

    x: float
    y: float
    text: str
    color: str
    size: float = 8.0
    anchor: Anchor = "start"
    bold: bool = False


Shape = Stroke | Area | Box | Dot | Label


class Drawing(NamedTuple):
    """Shapes in the order in which they are painted, and what they show in words."""

    width: float
    height: float
    shapes: tuple[Shape, ...]
    title: str
    description: str


def text_width(text: str, size: float) -> float:
    """About how wide a text is: enough to leave room for it without knowing the font."""
    return sum(1.0 if ord(c) > 0x2E7F else 0.56 for c in text) * size
