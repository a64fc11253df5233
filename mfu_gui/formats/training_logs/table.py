"""The steps of one log: columns with rising step numbers, whatever order the lines came in.

Lines repeat for three reasons.  Several ranks print the same step: one rank's lines are kept.  A run was
started again from a checkpoint: its steps replace those that were lost.  The same line was written twice:
the first counts.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from itertools import compress, count, islice
from math import inf, isnan
from operator import lt

from mfu_gui.formats.training_logs.columns import POSITIVE, Batch, Column
from mfu_gui.formats.training_logs.values import NAN

RANK = "rank"
_LEAD_IS_GONE = 64
_STRAGGLERS = 3


class Table:
    """Rising steps and their columns, with what was left out on the way."""

    def __init__(self) -> None:
        self.columns: dict[str, Column] = {"step": Column()}
        self.restarts: list[float] = []
        """First step of each part that begins again."""
        self.replaced = 0
        """Steps that a later part of the log has again."""
        self.repeated = 0
        """Lines left out because the step was there already."""
        self.ranks: set[int] = set()
        self.unusable = 0
        """Values that were zero, negative or infinite where that means nothing."""
        self._lead = NAN
        self._foreign = 0
        self._distance = 1.0

    def __len__(self) -> int:
        return len(self.columns["step"])

    def column(self, name: str) -> Column | None:
        """The column, or None when no line had it."""
        found = self.columns.get(name)
        if found is None or (found.constant is not None and isnan(found.constant)):
            return None
        return found

    def extend(self, batch: Batch) -> int:
        """Take in what a reader found; returns the length before the first new step."""
        batch = self._of_lead(dict(batch))
        if not batch or not next(iter(batch.values())):
            return len(self)
        self._drop_impossible(batch)
        steps = batch.get("step")
        if steps is None:
            first = len(self) + 1
            batch["step"] = steps = array("d", range(first, first + len(next(iter(batch.values())))))
        last = self.columns["step"][-1] if len(self) else -inf
        if steps[0] > last and all(map(lt, steps, islice(steps, 1, None))):
            before = len(self)
            self._append(batch)
            return before
        return self._in_order(batch)

    def _of_lead(self, batch: Batch) -> Batch:
        """The lines of the rank that printed first; lines that name no rank are kept."""
        ranks = batch.pop(RANK, None)
        if ranks is None:
            return batch
        self.ranks.update(int(rank) for rank in set(ranks) if not isnan(rank) and 0 <= rank < 1e7)
        if len(self.ranks) < 2:
            self._lead = next(iter(self.ranks), NAN)
            return batch
        keep = bytearray(len(ranks))
        for index, rank in enumerate(ranks):
            if rank == self._lead or isnan(rank):
                keep[index], self._foreign = 1, 0
                continue
            self._foreign += 1
            if isnan(self._lead) or self._foreign > _LEAD_IS_GONE * max(1, len(self.ranks)):
                self._lead, self._foreign, keep[index] = rank, 0, 1
        return {name: array("d", compress(values, keep)) for name, values in batch.items()}

    def _drop_impossible(self, batch: Batch) -> None:
        for name, values in batch.items():
            if name not in POSITIVE or not values:
                continue
            smallest, largest = min(values), max(values)
            if smallest > 0 and largest < inf:  # false as well when NaN comes first
                continue
            cleaned = array("d", (value if 0 < value < inf else NAN for value in values))
            self.unusable += sum(map(isnan, cleaned)) - sum(map(isnan, values))
            batch[name] = cleaned

    def _append(self, batch: Batch) -> None:
        before, steps = len(self), batch["step"]
        for name in batch:
            if name not in self.columns:
                self.columns[name] = Column(before)
        for name, column in self.columns.items():
            values = batch.get(name)
            column.extend(array("d", [NAN]) * len(steps) if values is None else values)
        if len(steps) > 1:
            self._distance = steps[-1] - steps[-2]

    def _in_order(self, batch: Batch) -> int:
        """Append runs of rising steps; a step back is a restart, a straggler or a repetition."""
        steps = batch["step"]
        lowest = len(self)
        last = self.columns["step"][-1] if len(self) else -inf
        start = 0
        for index in range(len(steps) + 1):
            step = steps[index] if index < len(steps) else NAN
            if step > last:
                last = step
                continue
            if index > start:
                self._append({name: values[start:index] for name, values in batch.items()})
            start = index
            if index == len(steps):
                break
            if not self._begins_again(step, last):
                self.repeated += 1
                start = index + 1
                continue
            place = bisect_left(self.columns["step"].raw(), step)
            self.replaced += len(self) - place
            self.restarts.append(step)
            for column in self.columns.values():
                column.truncate(place)
            lowest, last = min(lowest, place), step
        return lowest

    def _begins_again(self, step: float, last: float) -> bool:
        """Whether a step that is not beyond the last one starts a part anew."""
        if isnan(step) or step == last:
            return False
        many_print = len(self.ranks) < 2 and self.repeated * 2 >= len(self)
        return not (many_print and last - step <= _STRAGGLERS * self._distance)


def pick(columns: dict[str, Column], indices: range) -> dict[str, array[float]]:
    """A range of every column."""
    return {name: column.values(indices.start, indices.stop) for name, column in columns.items()}


def steps_of(length: int, first: int = 1) -> array[float]:
    """Numbers for lines that have none."""
    return array("d", islice(count(first), length))
