"""How exact the MFU is, from how exactly the measured value was given."""

from __future__ import annotations

import math
import sys

from mfu_gui.engine.field import Field
from mfu_gui.engine.fields import BY_KEY, measured_key
from mfu_gui.engine.fields_stated import STATED_FIELDS
from mfu_gui.formats.uncertain import half_digit_of
from mfu_gui.ui.workspace import Document

SMALLEST = 1e-7
"""Relative widths below this are those of numbers that were computed; nobody asks for them."""


def relative_width(document: Document) -> float | None:
    """Half the width of the measured value, relative to it; None where it is not known, or is a target."""
    scenario = document.scenario
    key = measured_key(scenario)
    if not key or key == "mfu":
        return None
    for field in (BY_KEY[f"run.measured.{key}"], *STATED_FIELDS):
        typed = _as_typed(document, field)
        if typed is not None:
            return typed
    value = BY_KEY[f"run.measured.{key}"].get(scenario)
    half = half_digit_of(value)
    relative = None if half is None else half / value
    return None if relative is None or not SMALLEST <= relative < 1 else relative


def _as_typed(document: Document, field: Field) -> float | None:
    typed = document.typed.get(field.key)
    if typed is None or typed.half is None or not isinstance(typed.value, int | float):
        return None
    if typed.value <= 0 or field.get(document.scenario) != typed.value:
        return None
    return typed.half / typed.value if 0 < typed.half < typed.value else None


def plus_minus(document: Document) -> float | None:
    """The MFU (or HFU) is shown ± this, a fraction, rounded up to one digit; None where nothing is known."""
    result, width = document.result, relative_width(document)
    if result is None or width is None or document.problem is not None:
        return None
    value = result.mfu if result.mfu is not None else result.hfu
    if value is None:
        return None
    half = value * width / (1 - width)  # the farther end, where it is a time
    # Nothing counted is an MFU of 0, and some are too small for a power of ten of their own.
    if half < max(SMALLEST * value, sys.float_info.min):
        return None
    unit = 10.0 ** math.floor(math.log10(half))
    return float(f"{math.ceil(half / unit - 1e-6) * unit:.1g}")
