"""How cells of a workbook look: fonts, colours, and the forms of numbers."""

from __future__ import annotations

from typing import Any, Literal

from mfu_gui.formats.reports import colors as c
from mfu_gui.formats.reports.document import LONGEST_TYPED, Cell, Form, Sheet

WIDTHS: dict[Sheet, tuple[float, ...]] = {
    "inputs": (28, 24, 72),
    "results": (64, 20, 16),
    "breakdown": (32, 20, 18, 18, 18, 12),
    "conventions": (50, 20, 20, 14, 13, 64),
    "memory": (44, 18, 18, 60),
    "plan": (44, 32, 18, 60),
    "sweep": (32, 28, 30, 30, 30),
}
Tone = Literal["", "total", "chosen", "muted", "group", "ground"]
FORMS: dict[Form, str] = {
    "text": "@", "integer": "#,##0", "percent": "0.00%", "percent1": "0.0%", "flop": "#,##0",
    "change": "+0.0%;-0.0%;0.0%",
    "duration": '#,##0.0###" s"', "bytes": '#,##0.00" GiB"', "short": "#,##0.0##", "exact": "General",
    "count": "#,##0",
}
LARGE, TINY = 1e15, 1e-3
LONG_S = 2 * 86400
FONT = "Calibri"


class Look:
    """The formats of one workbook, each made once."""

    def __init__(self, book: Any, days: str) -> None:
        """``days``: the word for them."""
        self._book, self._days = book, days
        self._made: dict[tuple[tuple[str, Any], ...], Any] = {}
        text = {"text_wrap": True, "valign": "top"}
        self.title = self._format(bold=True, font_size=16, **text)
        self.heading = self._format(bold=True, font_size=12, font_color=c.ACCENT, **text)
        self.muted = self._format(font_color=c.MUTED, **text)
        self.plain = self._format(**text)
        self.formula = self._format(font_color=c.MUTED, **text)
        self.remark = self._format(font_color=c.WARNING, **text)
        self.serious = self._format(font_color=c.ERROR, bold=True, **text)

    def head(self, numbers: bool) -> Any:
        """The head of a column."""
        return self._format(bold=True, font_color=c.MUTED, bottom=1, bottom_color=c.MUTED,
                            **_side(numbers))

    def cell(self, cell: Cell, tone: Tone, numbers: bool, *, editable: bool) -> Any:
        """A cell of a row of this tone."""
        look: dict[str, Any] = {"bottom": 1, "bottom_color": c.LINE, "valign": "top", **_side(numbers),
                                "num_format": number_format(cell, self._days)}
        if tone in ("total", "chosen", "group"):
            look["bold"] = True
        if tone in ("chosen", "group", "ground"):
            look["bg_color"] = c.CHOSEN_SOFT if tone == "chosen" else c.SOFT
        if tone == "muted":
            look["font_color"] = c.MUTED
        if editable:
            look["font_color"] = "#0000ff"
        if not numbers:
            look["text_wrap"] = True
        return self._format(**look)

    def _format(self, **properties: Any) -> Any:
        key = tuple(sorted(properties.items()))
        if key not in self._made:
            self._made[key] = self._book.add_format({"font_name": FONT, "font_size": 11, **properties})
        return self._made[key]


def _side(numbers: bool) -> dict[str, Any]:
    """Numbers to the right; texts beside them keep a distance."""
    return {"align": "right"} if numbers else {"align": "left", "indent": 1}


def in_days(cell: Cell) -> bool:
    """Whether a time is so long that seconds say nothing; one that is computed in the sheet stays in seconds."""
    return (cell.form == "duration" and not cell.formula and isinstance(cell.value, int | float)
            and abs(cell.value) >= LONG_S)


def number_format(cell: Cell, days: str = "d") -> str:
    """The form of a number, with its unit as a text behind it."""
    form = FORMS.get(cell.form, "General")
    value = cell.value
    large_or_tiny = isinstance(value, int | float) and (abs(value) >= LARGE or 0 < abs(value) < TINY)
    if large_or_tiny and cell.form in ("flop", "short", "integer", "count"):
        form = "0.0000E+00"
    if cell.form == "count" and isinstance(value, int | float) and abs(value) < 1000:
        form = "General"
    if cell.form == "exact" and isinstance(value, float) and len(repr(value)) > LONGEST_TYPED:
        form = "#,##0.0####"
    if in_days(cell):
        return f'#,##0.0#" {days}"'
    unit = cell.unit.replace('"', "")
    return f'{form}" {unit}"' if unit and not isinstance(value, str) else form
