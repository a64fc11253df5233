"""The columns that a log can have, and the compact store of one: 8 bytes a step, or none while it is constant."""

from __future__ import annotations

from array import array
from math import isnan
from typing import Literal

from mfu_gui.formats.training_logs.values import NAN

Average = Literal["instant", "interval", "running", "cumulative", "whole_run", "one_rank"]
"""What a printed figure is a mean over: one step, the steps since the last line, a window that runs along
(exponential or rolling), everything since the start, the whole run, or one step of one rank only."""

COLUMNS: dict[str, str] = {
    "step": "",
    "step_time_s": "s",
    "wall_s": "s",
    "elapsed_s": "s",
    "steps_per_s": "1/s",
    "global_batch": "sequences",
    "samples_per_s": "sequences/s",
    "samples_per_s_per_device": "sequences/s",
    "total_samples": "sequences",
    "sequence_length": "tokens",
    "tokens": "tokens",
    "tokens_per_device": "tokens",
    "tokens_per_s": "tokens/s",
    "tokens_per_s_per_device": "tokens/s",
    "tokens_per_s_per_replica": "tokens/s",
    "tokens_per_s_of_unknown_scope": "tokens/s",
    "total_tokens": "tokens",
    "tflops_per_device": "TFLOP/s",
    "hardware_tflops_per_device": "TFLOP/s",
    "mfu": "fraction",
    "hfu": "fraction",
    "loss": "",
    "weighted_tokens": "tokens",
    "devices": "",
}
"""Column -> its unit.  ``wall_s`` is the time of day of a line; ``elapsed_s`` counts from the start of the
run.  ``tokens``, ``global_batch``: of one step over all devices.  ``total_…``: since the start.
``weighted_tokens`` leaves out padding.  A reader may also give ``rank``, which is not kept."""

POSITIVE = frozenset(COLUMNS) - {"step", "wall_s", "elapsed_s", "loss", "total_samples", "total_tokens"}
"""Columns where 0, a negative number and infinity only say that nothing was measured."""

Batch = dict[str, "array[float]"]
"""Columns of equal length: what a reader found in one piece of a log."""


class Column:
    """One column.  NaN where a line did not have it."""

    __slots__ = ("_constant", "_count", "_data")

    def __init__(self, missing: int = 0) -> None:
        self._constant = NAN
        self._count = missing
        self._data: array[float] | None = None

    def __len__(self) -> int:
        return self._count if self._data is None else len(self._data)

    def __getitem__(self, index: int) -> float:
        return self._constant if self._data is None else self._data[index]

    @property
    def constant(self) -> float | None:
        """The one value of all lines (NaN: none has it), or None when they differ."""
        return self._constant if self._data is None else None

    def extend(self, values: array[float]) -> None:
        """Append values."""
        if not values:
            return
        if self._data is None:
            value = values[0]
            fits = self._count == 0 or _same(value, self._constant)
            if fits and (values.count(value) == len(values) or all(map(isnan, values))):
                self._constant = value
                self._count += len(values)
                return
            self._data = array("d", [self._constant]) * self._count
        self._data.extend(values)

    def truncate(self, length: int) -> None:
        """Keep the first ``length`` values."""
        if self._data is None:
            self._count = min(self._count, length)
        else:
            del self._data[length:]

    def values(self, start: int = 0, stop: int | None = None) -> array[float]:
        """A copy of a range."""
        if self._data is None:
            stop = self._count if stop is None else min(stop, self._count)
            return array("d", [self._constant]) * max(0, stop - start)
        return self._data[start:stop]

    def raw(self) -> array[float]:
        """All values, without a copy where there is one; not to be changed."""
        return self.values() if self._data is None else self._data


def _same(one: float, other: float) -> bool:
    return one == other or (isnan(one) and isnan(other))
