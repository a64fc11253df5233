"""A drawing as inline SVG: no script, no reference, every text escaped."""

from __future__ import annotations

from html import escape

from mfu_gui.formats.reports.drawing import Area, Box, Dot, Drawing, Label, Shape, Stroke


def svg(drawing: Drawing) -> str:
    """The ``svg`` element of a drawing, as wide as its place."""
    size = f"0 0 {_number(drawing.width)} {_number(drawing.height)}"
    shapes = "\n".join(_shape(shape) for shape in drawing.shapes)
    return (f'<svg viewBox="{size}" role="img" xmlns="http://www.w3.org/2000/svg">\n'
            f"<title>{escape(drawing.title)}</title>\n<desc>{escape(drawing.description)}</desc>\n{shapes}\n</svg>")


def _shape(shape: Shape) -> str:
    if isinstance(shape, Label):
        bold = ' font-weight="600"' if shape.bold else ""
        return (f'<text x="{_number(shape.x)}" y="{_number(shape.y)}" fill="{shape.color}" '
                f'font-size="{_number(shape.size)}" text-anchor="{shape.anchor}"{bold}>{escape(shape.text)}</text>')
    if isinstance(shape, Stroke):
        dashes = ' stroke-dasharray="4 3"' if shape.dashed else ""
        return (f'<polyline points="{_points(shape.points)}" fill="none" stroke="{shape.color}" '
                f'stroke-width="{_number(shape.width)}" stroke-linejoin="round"{dashes}/>')
    if isinstance(shape, Area):
        return f'<polygon points="{_points(shape.points)}" fill="{shape.color}"/>'
    if isinstance(shape, Dot):
        return (f'<circle cx="{_number(shape.x)}" cy="{_number(shape.y)}" r="{_number(shape.radius)}" '
                f'fill="{shape.color}" stroke="#ffffff" stroke-width="1.2"/>')
    assert isinstance(shape, Box)  # noqa: S101 - there is no other shape
    return (f'<rect x="{_number(shape.x)}" y="{_number(shape.y)}" width="{_number(shape.width)}" '
            f'height="{_number(shape.height)}" rx="{_number(shape.radius)}" fill="{shape.color}"/>')


def _points(points: tuple[tuple[float, float], ...]) -> str:
    return " ".join(f"{_number(x)},{_number(y)}" for x, y in points)


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
