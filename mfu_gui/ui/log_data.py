"""A training log in the window: its columns as arrays, its figures behind a warm-up, its MFU by a scenario.

The reading and all that it settles is done by ``mfu-gui log`` in a process of its own; here the same rules
(``formats.training_logs``) see a sample of the steps, and NumPy does what concerns all of them.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from mfu_gui.engine.scenario import Scenario
from mfu_gui.formats.training_logs.header import Fact, Facts
from mfu_gui.formats.training_logs.normal import Normal
from mfu_gui.formats.training_logs.rebase import Comparison, Rebased, with_scenario
from mfu_gui.formats.training_logs.statistics import NORMAL_MAD, OUTLIER_DEVIATION, OUTLIER_MADS, STALL
from mfu_gui.formats.training_logs.table import Table

Array = npt.NDArray[np.float64]
COLUMNS = ("step", "step_time_s", "wall_s", "tokens", "global_batch", "sequence_length", "tokens_per_s_per_device",
           "reported_tflops_per_device", "reported_hardware_tflops_per_device", "reported_mfu",
           "reported_mfu_instant", "reported_hfu")
"""What the window asks the process for."""
T = TypeVar("T")
_SAMPLE = 600
_MEDIANS = 500
"""Points of the curve of medians."""
_SEEN = 65
"""Steps that a median looks at."""
_REPORTED = {"reported_mfu": "mfu", "reported_hfu": "hfu", "reported_tflops_per_device": "tflops_per_device",
             "reported_hardware_tflops_per_device": "hardware_tflops_per_device"}
_NOT_READ = ("reported_mfu_instant",)
PERCENTILES = (5, 25, 50, 75, 95)


class Figures(NamedTuple):
    """Figures of one column behind the warm-up; ``percentiles`` as ``PERCENTILES``."""

    steps: int
    median: float
    mean: float
    percentiles: tuple[float, ...]


class LogData:
    """Steps so far and, once everything is read, the ``mfu-log`` object without its steps."""

    def __init__(self) -> None:
        self.document: dict[str, Any] = {}
        self.format_name = ""
        self._parts: dict[str, list[Array]] = {}
        self._whole: dict[str, Array] = {}
        self._length = 0
        self._sample: tuple[int, int, Normal] | None = None
        self._known: dict[tuple[str, int], Any] = {}
        """Figures of columns: they take a while for a million steps."""

    def __len__(self) -> int:
        return self._length

    @property
    def complete(self) -> bool:
        """Whether these are the steps and not only first points."""
        return bool(self.document)

    @property
    def warm_up(self) -> int:
        """Steps at the beginning that the program leaves out, those of a batch ramp-up among them."""
        statistics = self.document.get("statistics")
        return len(self) - int(statistics["steps_in_figures"]) if statistics else 0

    def column(self, name: str) -> Array | None:
        """All values of a column; NaN where a step has none.  None when no step has one."""
        parts = self._parts.get(name)
        if parts:
            known = self._whole.get(name)
            self._whole[name] = np.concatenate([known, *parts] if known is not None else parts)
            parts.clear()
        return self._whole.get(name)

    def extend(self, columns: dict[str, list[float | None]]) -> None:
        """Append steps; those that are not beyond the last one replace all from there."""
        steps = np.asarray(columns["step"], dtype=float)
        if not len(steps):
            return
        self._known.clear()
        present = self.column("step")
        if present is not None and len(present) and steps[0] <= present[-1]:
            self._truncate(int(np.searchsorted(present, steps[0])))
        for name in {*columns, *self._whole}:
            values = columns.get(name)
            column = np.full(len(steps), np.nan) if values is None else np.asarray(values, dtype=float)
            if name not in self._whole and name not in self._parts and self._length:
                self._whole[name] = np.full(self._length, np.nan)
            self._parts.setdefault(name, []).append(column)
        self._length += len(steps)

    def _truncate(self, length: int) -> None:
        for name in {*self._whole, *self._parts}:
            column = self.column(name)
            if column is not None:
                self._whole[name] = column[:length]
        self._length = length

    def clear(self) -> None:
        """Forget the steps (first points, once all steps come)."""
        self._parts.clear()
        self._whole.clear()
        self._length = 0

    def facts(self) -> Facts:
        """What the log says of the run."""
        return {name: Fact(fact["value"], fact["origin"], fact["where"])
                for name, fact in self.document.get("facts", {}).items()}

    def figures(self, name: str, first: int) -> Figures | None:
        """Figures of a column from the step ``first`` on."""
        return self._once(name, first, lambda: figures(self.column(name), first))

    def outliers(self, first: int) -> Outliers:
        """Steps out of the ordinary from ``first`` on."""
        return self._once("outliers", first, lambda: outliers(self.column("step_time_s"), first))

    def wall_average(self, first: int) -> float | None:
        """Time of day of a step from ``first`` on."""
        return self._once("wall average", first, lambda: wall_average(self, first))

    def _once(self, what: str, first: int, make: Callable[[], T]) -> T:
        key = what, first
        if key not in self._known:
            self._known[key] = make()
        found: T = self._known[key]
        return found

    def sample(self) -> Normal:
        """The normal form of some of the steps."""
        key = self._length, id(self.document)
        if self._sample is None or self._sample[:2] != key:
            self._sample = *key, self._sampled()
        return self._sample[2]

    def _sampled(self) -> Normal:
        about = self.document.get("columns", {})
        stride = max(1, len(self) // _SAMPLE) | 1
        table = Table()
        batch = {}
        for name in COLUMNS:
            column = self.column(name)
            if column is not None and name not in _NOT_READ and len(column):
                batch[_REPORTED.get(name, name)] = array("d", column[::stride].tolist())
        if batch:
            table.extend(batch)
        averages = {_REPORTED.get(name, name): entry["average"] for name, entry in about.items() if entry["average"]}
        return Normal(table, averages, self.facts())


class LogView:
    """A log as a scenario reads it.  InputError as ``evaluate`` raises it."""

    def __init__(self, data: LogData, scenario: Scenario) -> None:
        self.data = data
        self.scenario = scenario
        self.normal = with_scenario(data.sample(), scenario)
        self.rebased = Rebased(self.normal, scenario)
        self._rate_is_read = False
        self._factor: float | None = None
        """What all of the rates are multiplied by, where it is one for all."""
        self.rate = self._rate()
        """Tokens/s of one device of the framework."""
        self.mfu = self._mfu()

    @property
    def comparison(self) -> Comparison:
        """Which convention and peak the printed figures follow."""
        return self.rebased.comparison()

    @property
    def devices_from_scenario(self) -> bool:
        """Whether the MFU hangs on the scenario's number of devices."""
        fact = self.normal.facts.get("devices")
        return (self.data.column("tokens_per_s_per_device") is None and fact is not None
                and fact.origin == "scenario")

    def figures(self, first: int) -> Figures | None:
        """Figures of the MFU from the step ``first`` on."""
        if self._factor is None:
            return figures(self.mfu, first)
        found, factor = self.data.figures("tokens_per_s_per_device", first), self._factor
        return None if found is None else Figures(found.steps, found.median * factor, found.mean * factor,
                                                  tuple(value * factor for value in found.percentiles))

    def rate_figures(self, first: int) -> Figures | None:
        """Figures of the tokens/s of one device of the framework."""
        return self.data.figures("tokens_per_s_per_device", first) if self._rate_is_read else figures(self.rate, first)

    def _mfu(self) -> Array | None:
        """MFU of every step as a fraction (HFU by a convention that counts repeated work); above 1 it is NaN."""
        rate = self.rate
        if rate is None:
            return None
        length, rebased = self.data.column("sequence_length"), self.rebased
        hardware = rebased.convention.kind == "hardware"
        per_token: float | Array = rebased.hardware_flops_per_token if hardware else rebased.flops_per_token
        if length is not None and np.isfinite(length).any():
            known = {float(value): rebased.flops(int(value))[1 if hardware else 0]
                     for value in np.unique(length[np.isfinite(length)])[:64] if value >= 1}
            per_token = np.asarray([known.get(float(value), np.nan) for value in length]) if len(known) > 1 else (
                next(iter(known.values()), per_token))
        factor = per_token * rebased.units / (rebased.peak * 1e12)
        share = rate * factor
        with np.errstate(invalid="ignore"):
            outside = (share < 0) | (share > 1)
        if outside.any():
            share[outside] = np.nan
        elif isinstance(factor, float) and self._rate_is_read:
            self._factor = factor
        return share if np.isfinite(share).any() else None

    def _rate(self) -> Array | None:
        """Tokens/s of one device."""
        rate = self.data.column("tokens_per_s_per_device")
        if rate is not None:
            self._rate_is_read = True
            return rate
        time, devices = self.data.column("step_time_s"), self.normal.value("devices")
        if time is None or not devices > 0:
            return None
        tokens: float | Array | None = self.data.column("tokens")
        if tokens is None:
            batch = self.data.column("global_batch")
            length = self.normal.value("sequence_length")
            tokens = batch * length if batch is not None else self.normal.typical("tokens")
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(tokens / time / devices)


def figures(values: Array | None, first: int) -> Figures | None:
    """Figures of the finite values from ``first`` on; None when there is none."""
    if values is None:
        return None
    steady = values[first:]
    steady = steady[np.isfinite(steady)]
    if not len(steady):
        return None
    found = np.percentile(steady, PERCENTILES)
    return Figures(len(steady), float(found[2]), float(steady.mean()), tuple(map(float, found)))


def wall_average(data: LogData, first: int) -> float | None:
    """Time of day from the first to the last step behind the warm-up ÷ their number; None without a clock."""
    clock, steps = data.column("wall_s"), data.column("step")
    if clock is None or steps is None:
        return None
    known = np.flatnonzero(np.isfinite(clock[first:])) + first
    if len(known) < 2:
        return None
    gone, way = clock[known[-1]] - clock[known[0]], steps[known[-1]] - steps[known[0]]
    return float(gone / way) if gone > 0 and way > 0 else None


class Outliers(NamedTuple):
    """Indices of steps that are out of the ordinary; stalls take more than three medians."""

    slow: npt.NDArray[np.intp]
    fast: npt.NDArray[np.intp]
    stalls: npt.NDArray[np.intp]


def outliers(time: Array | None, first: int) -> Outliers:
    """By the rule of ``statistics.outlier_bounds``, behind the warm-up."""
    none = np.empty(0, dtype=np.intp)
    if time is None or not np.isfinite(time[first:]).any():
        return Outliers(none, none, none)
    steady = time[first:]
    middle = float(np.nanmedian(steady))
    deviation = NORMAL_MAD * float(np.nanmedian(np.abs(steady - middle)))
    away = max(OUTLIER_MADS * deviation, OUTLIER_DEVIATION * abs(middle))
    with np.errstate(invalid="ignore"):
        stalls = np.flatnonzero(steady > STALL * middle) + first
        slow = np.flatnonzero((steady > middle + away) & ~(steady > STALL * middle)) + first
        fast = np.flatnonzero(steady < middle - away) + first
    return Outliers(slow, fast, stalls)


def moving_median(x: Array, y: Array, window: int) -> tuple[Array, Array]:
    """The median of ``window`` steps around each of some places: where they are, and the medians.

    A wide window is seen by a sample of it.
    """
    known = np.isfinite(y)
    if not known.all():
        x, y = x[known], y[known]
    if not len(y):
        return x, y
    places = np.unique(np.linspace(0, len(y) - 1, min(len(y), _MEDIANS)).astype(np.intp))
    around = np.linspace(-(window // 2), window // 2, min(window | 1, _SEEN)).astype(np.intp)
    indices = np.clip(places[:, None] + around, 0, len(y) - 1)
    return x[places], np.median(y[indices], axis=1)


def decimated(x: Array, y: Array, parts: int) -> tuple[Array, Array]:
    """At most ``2 × parts`` points with the least and the greatest value of each part, in their order."""
    known = np.isfinite(y)
    if not known.all():
        x, y = x[known], y[known]
    if len(y) <= 2 * parts:
        return x, y
    size = -(-len(y) // parts)
    whole = len(y) // size * size
    shaped = y[:whole].reshape(-1, size)
    offsets = np.arange(len(shaped)) * size
    ends = np.sort(np.stack([shaped.argmin(1) + offsets, shaped.argmax(1) + offsets]), axis=0).T.ravel()
    if whole < len(y):
        rest = y[whole:]
        ends = np.append(ends, np.sort([rest.argmin(), rest.argmax()]) + whole)
    ends = np.unique(ends)
    return x[ends], y[ends]
