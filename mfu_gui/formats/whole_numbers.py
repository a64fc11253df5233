"""Whole numbers that were written with a point: to JSON 2048.0 and 2048 are one number.

Imported only once a value does not fit.
"""

from __future__ import annotations

import typing
from typing import Any

from mfu_gui.formats.shapes import alternatives, bare, step

EXACT_BELOW = 2.0**53
"""From here on a float may stand for another whole number than the one that was written."""


def as_whole(value: float) -> int | None:
    """The whole number that a float is, or None where it is none or may be another than was written."""
    return int(value) if value.is_integer() and abs(value) < EXACT_BELOW else None


def with_whole_numbers(value: Any, kind: Any) -> Any:
    """``value`` with 2048 for 2048.0 wherever ``kind`` takes whole numbers only; itself where there is none."""
    if kind is Any:
        return value
    if isinstance(value, float):
        whole = as_whole(value) if _takes_whole_only(kind) else None
        return value if whole is None else whole
    if isinstance(value, dict):
        entries = {key: with_whole_numbers(entry, step(kind, key)) for key, entry in value.items()}
        return entries if any(entries[key] is not value[key] for key in entries) else value
    if isinstance(value, list) and value:
        items = _items(value, kind)
        return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
    return value


def _items(value: list[Any], kind: Any) -> list[Any]:
    fixed = any(typing.get_origin(bare(arm)) is tuple and typing.get_args(bare(arm))[-1] is not Ellipsis
                for arm in alternatives(kind))
    if fixed:
        return [with_whole_numbers(item, step(kind, index)) for index, item in enumerate(value)]
    # A long list is looked up once.
    inner = step(kind, 0)
    if inner is Any:
        return value
    if _takes_whole_only(inner):
        return [int(item) if type(item) is float and item.is_integer() and -EXACT_BELOW < item < EXACT_BELOW else item
                for item in value]
    return [with_whole_numbers(item, inner) for item in value]


def _takes_whole_only(kind: Any) -> bool:
    kinds = [bare(arm) for arm in alternatives(kind)]
    return int in kinds and float not in kinds
