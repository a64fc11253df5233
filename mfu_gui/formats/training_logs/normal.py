"""One normal form for every log: what was read, what follows from it, and what only the user can say.

The identity behind all of it: tokens/s of one device × devices × step time = global batch × sequence length.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from itertools import islice
from math import ceil, floor, isfinite, isnan
from typing import Literal, NamedTuple

from mfu_gui.engine.errors import Notice
from mfu_gui.formats.training_logs import intervals
from mfu_gui.formats.training_logs.columns import Average
from mfu_gui.formats.training_logs.header import Fact, Facts
from mfu_gui.formats.training_logs.questions import Question
from mfu_gui.formats.training_logs.running_means import instant_values
from mfu_gui.formats.training_logs.statistics import finite, median
from mfu_gui.formats.training_logs.table import Table
from mfu_gui.formats.training_logs.values import NAN

Origin = Literal["read", "derived"]
Values = Callable[[int, int], "array[float]"]

WHOLE = 0.01
"""Printed figures have three digits at least, so that a quotient of them may be so far off."""
_EXACT = 2e-4
_SAMPLE = 10_000
NEAR = 0.03
"""What the identity may be off before it is remarked on: printed figures have three digits at least."""
_READ = {"tflops_per_device": "reported_tflops_per_device", "mfu": "reported_mfu", "hfu": "reported_hfu",
         "hardware_tflops_per_device": "reported_hardware_tflops_per_device"}


class Quantity(NamedTuple):
    """One column of the normal form; ``values(start, stop)`` gives a range of it."""

    values: Values
    origin: Origin
    average: Average
    formula: str = ""


class Normal:
    """The normal form of one log.

    ``quantities``: step_time_s, tokens (of a step, all devices), tokens_per_s, tokens_per_s_per_device,
    reported_…, loss, global_batch, sequence_length, wall_s; those that neither stand in the log nor
    follow from it are absent.  ``facts``: devices, sequence_length, global_batch and others.
    """

    def __init__(self, table: Table, averages: dict[str, Average], facts: Facts, *, whole_seconds: bool = False,
                 ) -> None:
        self.table = table
        self.facts = dict(facts)
        self.quantities: dict[str, Quantity] = {}
        self.notices: list[Notice] = []
        self.questions: list[Question] = []
        self.averages = averages
        self._whole_seconds = whole_seconds
        self._typical: dict[str, tuple[Quantity, float]] = {}
        self._from = len(table) // 4
        """The first quarter may be warm-up; medians for identities are taken behind it."""
        self._read_columns()
        self._step_time_from_clocks()
        self._counts()
        self._complete()
        self._check_identity()

    def __len__(self) -> int:
        return len(self.table)

    def with_facts(self, facts: Facts) -> Normal:
        """The normal form that follows when more is known."""
        return Normal(self.table, self.averages, {**self.facts, **facts}, whole_seconds=self._whole_seconds)

    def get(self, name: str) -> Quantity | None:
        """The column of this name, if there is one."""
        return self.quantities.get(name)

    def all(self, name: str) -> array[float]:
        """All values of a column; NaN where there is none."""
        quantity = self.quantities.get(name)
        return quantity.values(0, len(self)) if quantity else array("d", [NAN]) * len(self)

    def value(self, name: str) -> float:
        """A fact as a number; NaN when it is not known."""
        fact = self.facts.get(name)
        return float(fact.value) if fact is not None else NAN

    def typical(self, name: str) -> float:
        """The median of a column behind the first quarter, of a sample of a long one; NaN when there is none."""
        quantity = self.quantities.get(name)
        if quantity is None:
            return NAN
        if name not in self._typical:
            values = quantity.values(self._from, len(self))
            numbers = finite(values[:: len(values) // _SAMPLE | 1])
            self._typical[name] = quantity, median(numbers) if numbers else NAN
        known, value = self._typical[name]
        if known is not quantity:
            del self._typical[name]
            return self.typical(name)
        return value

    def typical_ratio(self, over: str, under: str) -> float:
        """The median of the quotient of two columns, line by line; NaN where one is missing."""
        parts = [self.quantities.get(over), self.quantities.get(under)]
        values = [part.values(self._from, len(self))[:: len(self) // _SAMPLE | 1] for part in parts if part is not None]
        numbers = finite(map(_quotient, *values)) if len(values) == 2 else ()
        return median(numbers) if numbers else NAN

    def _read_columns(self) -> None:
        for name in self.table.columns:
            column = self.table.column(name)
            if column is not None:
                self._put(_READ.get(name, name), column.values, "read", self.averages.get(name, "interval"))

    def _put(self, name: str, values: Values, origin: Origin, average: Average, formula: str = "") -> None:
        if name not in self.quantities:
            self.quantities[name] = Quantity(values, origin, average, formula)

    def _stored(self, name: str, values: array[float], average: Average, formula: str) -> None:
        if any(map(isfinite, values)):
            self._put(name, lambda start, stop: values[start:stop], "derived", average, formula)

    def _derive(self, name: str, function: Callable[..., float], parts: Sequence[str], formula: str,
                average: Average | None = None) -> None:
        """A column from others, line by line; a part that is a fact counts for every line."""
        if name in self.quantities:
            return
        sources: list[Values] = []
        for part in parts:
            quantity = self.quantities.get(part)
            if quantity is not None:
                sources.append(quantity.values)
            elif isfinite(fact := self.value(part)):
                sources.append(_constant(fact))
            else:
                return
        known = [self.quantities[part].average for part in parts if part in self.quantities]

        def values(start: int, stop: int) -> array[float]:
            return array("d", map(function, *(source(start, stop) for source in sources)))

        self._put(name, values, "derived", average or _widest(known), formula)

    def _step_time_from_clocks(self) -> None:
        steps = self.table.columns["step"]
        self._derive("step_time_s", _inverse, ("steps_per_s",), "1 ÷ steps_per_s")
        for name, formula in (("elapsed_s", "Δ elapsed_s ÷ Δ step"), ("wall_s", "Δ wall_s ÷ Δ step")):
            clock = self.quantities.get(name)
            if clock is None or "step_time_s" in self.quantities or len(self) < 2:
                continue
            if name == "wall_s" and self._has_better_than_wall():
                continue
            seconds = clock.values(0, len(self))
            whole = self._whole_seconds if name == "elapsed_s" else intervals.are_whole(seconds)
            if whole and name == "elapsed_s":
                self.notices.append(Notice("log_whole_seconds"))
            times = (intervals.over_spans if whole else intervals.per_step)(steps.raw(), seconds)
            self._stored("step_time_s", times, "interval", formula)

        if "elapsed_s" in self.quantities:
            self._derive("step_time_s", _quotient, ("elapsed_s", "step"), "elapsed_s ÷ step", "cumulative")

    def _has_better_than_wall(self) -> bool:
        """Whether the time of a step follows from rates, which leave out what happens between steps."""
        rates = {"samples_per_s", "samples_per_s_per_device", "tokens_per_s", "tokens_per_s_per_device"}
        sizes = self.quantities.keys() | self.facts.keys()
        if not rates & self.quantities.keys():
            return False
        if "samples_per_s" in self.quantities and "global_batch" in sizes:
            return True
        tokens = "tokens" in sizes or {"global_batch", "sequence_length"} <= sizes
        return tokens and ("tokens_per_s" in self.quantities or "devices" in sizes)

    def _counts(self) -> None:
        steps = self.table.columns["step"]
        for name, counter in (("global_batch", "total_samples"), ("tokens", "total_tokens")):
            total = self.quantities.get(counter)
            if total is not None and name not in self.quantities and len(self) > 1:
                grown = intervals.per_step(steps.raw(), total.values(0, len(self)))
                self._stored(name, grown, "interval", f"Δ {counter} ÷ Δ step")
            elif total is not None and len(self) == 1:
                self._derive(name, _quotient, (counter, "step"), f"{counter} ÷ step", "cumulative")
        if "devices" in self.quantities:
            self._fact("devices", self.typical("devices"), "devices")
        self._from_ratio("devices", ("tokens_per_s",), ("tokens_per_s_per_device",))
        self._from_ratio("devices", ("samples_per_s",), ("samples_per_s_per_device",))
        self._from_ratio("sequence_length", ("tokens",), ("global_batch",))
        self._from_ratio("global_batch", ("tokens",), ("sequence_length",))

    def _size(self, name: str) -> float:
        typical = self.typical(name)
        return typical if isfinite(typical) else self.value(name)

    def _from_ratio(self, fact: str, over: Sequence[str], under: Sequence[str]) -> None:
        """A whole number from a quotient of products, if it comes out near one."""
        if fact in self.facts or (fact in self.quantities and fact != "devices"):
            return
        value = 1.0
        for name in over:
            value *= self._size(name)
        for name in under:
            size = self._size(name)
            value = value / size if size else NAN
        divisor = under[0] if len(under) == 1 else f"({' × '.join(under)})"
        self._fact(fact, value, " × ".join(over) + (f" ÷ {divisor}" if under else ""))

    def _fact(self, name: str, value: float, formula: str) -> None:
        whole = whole_near(value)
        if whole is not None and name not in self.facts:
            self.facts[name] = Fact(whole, "derived", formula)

    def _complete(self) -> None:
        """Every column and fact that follows, each from what is nearest to it."""
        derive = self._derive
        if isfinite(tokens := self.value("tokens")):
            self._put("tokens", _constant(tokens), "read", "interval", self.facts["tokens"].where)
        derive("step_time_s", _quotient, ("global_batch", "samples_per_s"), "global_batch ÷ samples_per_s")
        derive("tokens", _product, ("global_batch", "sequence_length"), "global_batch × sequence_length")
        derive("tokens", _product, ("tokens_per_device", "devices"), "tokens_per_device × devices")
        derive("step_time_s", _quotient, ("tokens", "tokens_per_s"), "tokens ÷ tokens_per_s")
        derive("step_time_s", _time_of_each, ("tokens", "tokens_per_s_per_device", "devices"),
               "tokens ÷ (tokens_per_s_per_device × devices)")
        self._from_ratio("global_batch", ("samples_per_s", "step_time_s"), ())
        self._from_ratio("devices", ("tokens",), ("tokens_per_s_per_device", "step_time_s"))
        self._from_ratio("devices", ("global_batch", "sequence_length"), ("tokens_per_s_per_device", "step_time_s"))
        self._from_ratio("devices", ("samples_per_s", "sequence_length"), ("tokens_per_s_per_device",))
        self._from_ratio("sequence_length", ("tokens_per_s_per_device", "devices", "step_time_s"), ("global_batch",))
        self._from_ratio("sequence_length", ("tokens_per_s", "step_time_s"), ("global_batch",))
        derive("tokens", _product, ("global_batch", "sequence_length"), "global_batch × sequence_length")
        derive("tokens", _product, ("tokens_per_s", "step_time_s"), "tokens_per_s × step_time_s")
        derive("tokens_per_s", _quotient, ("tokens", "step_time_s"), "tokens ÷ step_time_s")
        derive("tokens_per_s", _product, ("tokens_per_s_per_device", "devices"), "tokens_per_s_per_device × devices")
        derive("tokens_per_s_per_device", _quotient, ("tokens_per_s", "devices"), "tokens_per_s ÷ devices")
        derive("tokens", _product, ("tokens_per_s", "step_time_s"), "tokens_per_s × step_time_s")
        self._instant_mfu()

    def _instant_mfu(self) -> None:
        reported, time = self.quantities.get("reported_mfu"), self.quantities.get("step_time_s")
        if reported is None or time is None or reported.average != "running" or time.average != "instant":
            return
        values = instant_values(reported.values(0, len(self)), time.values(0, len(self)))
        if values is not None:
            self._stored("reported_mfu_instant", values, "instant", "reported_mfu = 0.9 × last + 0.1 × instant")

    def _check_identity(self) -> None:
        """Remark when what was read does not fit together, or gives an odd sequence length."""
        rate, time = self._size("tokens_per_s_per_device"), self._size("step_time_s")
        devices, batch, length = self.value("devices"), self._size("global_batch"), self._size("sequence_length")
        source = self.facts.get("sequence_length")
        each = self.quantities.get("tokens_per_s_per_device")
        if each is not None and each.origin == "read":
            implied = rate * devices * time / batch if batch else NAN
            if isfinite(implied) and isfinite(length) and abs(implied / length - 1) > NEAR:
                self.notices.append(Notice("log_identity_fails", "", {"implied": implied, "length": int(length)}))
        if source is not None and source.origin == "derived" and not is_usual_length(int(source.value)):
            self.notices.append(Notice("log_odd_sequence_length", "", {"length": source.value}))


def whole_near(value: float) -> int | None:
    """The whole number that a quotient of printed figures stands for; None when several are as likely.

    Of those that the digits allow it is the one with the most factors of two, as counts of devices,
    batches and lengths are; a value that is whole by itself is taken as it is.
    """
    if not (isfinite(value) and 0.5 < value < 1e15):
        return None
    whole = round(value)
    low, high = ceil(value * (1 - WHOLE)), floor(value * (1 + WHOLE))
    if low > high:
        return None
    power = 1
    while -(-low // (2 * power)) * 2 * power <= high:
        power *= 2
    roundest = -(-low // power) * power
    if power * 16 >= roundest or high == low:
        return roundest
    return whole if abs(value - whole) <= _EXACT * value else None


def is_usual_length(length: int) -> bool:
    """Whether a sequence length is near a multiple of a large power of two, as configured ones are."""
    power = 1 << max(0, length.bit_length() - 3)
    return length >= 64 and min(length % power, power - length % power) <= 1


def _widest(averages: Sequence[Average]) -> Average:
    """Of several means the one over the most."""
    order: tuple[Average, ...] = ("whole_run", "cumulative", "running", "interval", "one_rank", "instant")
    return next((average for average in order if average in averages), "interval")


def _constant(value: float) -> Values:
    return lambda start, stop: array("d", [value]) * (stop - start)


def _inverse(value: float) -> float:
    return 1 / value if value else NAN


def _product(one: float, other: float) -> float:
    return one * other


def _quotient(over: float, under: float) -> float:
    return over / under if under else NAN


def _time_of_each(tokens: float, rate: float, devices: float) -> float:
    return _quotient(tokens, rate * devices)


def changes(values: array[float]) -> bool:
    """Whether a column takes more than one value."""
    known = (value for value in values if not isnan(value))
    first = next(known, NAN)
    return any(value != first for value in islice(known, None))
