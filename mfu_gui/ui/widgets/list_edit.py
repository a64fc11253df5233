"""ListEdit: a line in which several whole numbers, or ranges of layers, are typed."""

from __future__ import annotations

import re
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from mfu_gui.engine.errors import InputError
from mfu_gui.formats.quantities import Parsed, parse
from mfu_gui.ui.widgets.number_edit import NumberEdit

MOST = 100_000
_TIMES = re.compile(r"(\d+)\s*[×xX*]\s*(\S+)")


class ListEdit(NumberEdit):
    """As NumberEdit, for ``lengths`` ("1024 2048", "4×1024") and for plain ``text``."""

    def __init__(self, kind: str, parent: QWidget | None = None) -> None:
        super().__init__("integer", optional=True, parent=parent)
        self._lengths = kind == "lengths"
        self.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)

    def read(self, text: str) -> Parsed:
        if not self._lengths:
            return Parsed(text.strip(), text.strip())  # type: ignore[arg-type]
        value = lengths(text)
        return Parsed(value, written(value))  # type: ignore[arg-type]

    def written(self, value: Any) -> str:
        return written(value) if self._lengths else str(value)

    def step_by(self, steps: float) -> None:
        """Lists have no next one."""


def lengths(text: str) -> tuple[int, ...]:
    """Whole numbers set apart by spaces, commas or semicolons; ``4×1024`` is one of them four times.

    InputError ``list_unreadable`` with the entry that is no number.
    """
    found: list[int] = []
    joined = re.sub(r"\s*([×xX*])\s*", r"\1", text.replace("，", ",").replace("；", ";").replace("、", ","))
    for entry in re.split(r"[\s,;]+", joined.strip(" ,;")):
        match = _TIMES.fullmatch(entry)
        times, number = (int(match[1]), match[2]) if match else (1, entry)
        try:
            value = parse(number, "integer").value
        except InputError as error:
            raise InputError("list_unreadable", "", text=entry) from error
        if value < 1 or not 0 < times <= MOST or len(found) + times > MOST:
            raise InputError("list_unreadable", "", text=entry)
        found += [int(value)] * times
    return tuple(found)


def written(values: tuple[int, ...]) -> str:
    """The list with equal neighbours put together: ``4×1024 2048``."""
    runs: list[list[int]] = []
    for value in values:
        if runs and runs[-1][0] == value:
            runs[-1][1] += 1
        else:
            runs.append([value, 1])
    return " ".join(f"{times}×{value}" if times > 1 else str(value) for value, times in runs)
