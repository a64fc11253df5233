"""Plain values to Structs, with errors that name the place, what was found and what is allowed there."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from mfu_gui.engine.errors import InputError

T = TypeVar("T")


def convert(value: Any, kind: type[T], *, place: str = "", source: str = "") -> T:
    """``value`` (of dict, list, str, int, float, bool, None) as ``kind``.

    ``place`` is where the value stands in the file (``model.spec``); ``source`` names the file.
    InputError, its field the place: ``missing`` and ``unknown_key`` (the nearest known key, the known
    ones), ``unknown_choice``, ``wrong_type``, ``not_positive``, ``out_of_range``, ``wrong_length``,
    ``wrong_form``.  A whole number may be written with a point (2048.0), as JSON has it.
    """
    return settled(value, kind, place=place, source=source)[1]


def settled(value: Any, kind: type[T], *, place: str = "", source: str = "") -> tuple[Any, T]:
    """The same, and ``value`` as it was taken: with 2048 for 2048.0."""
    try:
        return value, msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        from mfu_gui.formats.whole_numbers import with_whole_numbers

        whole = with_whole_numbers(value, kind)
        if whole is not value:
            return settled(whole, kind, place=place, source=source)
        from mfu_gui.formats.convert_errors import explained

        raise explained(str(error), value, kind, place, source) from None
    except RecursionError:
        raise InputError("too_deep", place, file=source or None) from None
