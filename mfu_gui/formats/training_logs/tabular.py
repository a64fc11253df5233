"""Tables of text: a head with names, then one line a step.  Separated by commas, tabs or semicolons."""

from __future__ import annotations

import csv
import io
import re
from array import array
from collections import Counter
from math import isnan

from mfu_gui.formats.training_logs.columns import Batch
from mfu_gui.formats.training_logs.mapping import Doubt, LogMapping, per_of, propose
from mfu_gui.formats.training_logs.values import number, numbers

_SAMPLE_ROWS = 200
_QUOTED_SEPARATOR = re.compile(rb'"[^"\n]*[,;\t][^"\n]*"')
_MOST_COLUMNS = 5000


class Head:
    """The names of a table and how its cells are separated."""

    def __init__(self, separator: bytes, names: list[str]) -> None:
        self.separator = separator
        self.names = names


def head_of(text: bytes) -> Head | None:
    """The head of the table that ``text`` begins with; None when it is no table with names.

    A table has a first line with two or more different names and at least one line of as many cells,
    most of them numbers or empty.
    """
    lines = text.split(b"\n")[:_SAMPLE_ROWS]
    first = next((index for index, line in enumerate(lines) if line.strip()), None)
    if first is None:
        return None
    for separator in (b",", b"\t", b";"):
        names = cells(lines[first], separator)
        rows = [cells(line, separator) for line in lines[first + 1 : -1] if line.strip()]
        if 2 <= len(names) <= _MOST_COLUMNS and rows and _is_table(names, rows):
            return Head(separator, [name.decode("utf-8", "replace").strip() for name in names])
    return None


def cells(line: bytes, separator: bytes) -> list[bytes]:
    """The cells of one line, without quotes."""
    if b'"' not in line:
        return line.split(separator)
    try:
        row = next(csv.reader(io.StringIO(line.decode("utf-8", "surrogateescape")), delimiter=separator.decode()), [])
    except csv.Error:
        return line.replace(b'"', b"").split(separator)
    return [cell.encode("utf-8", "surrogateescape") for cell in row]


def _is_table(names: list[bytes], rows: list[list[bytes]]) -> bool:
    filled = [name for name in names if name.strip()]
    if len(set(filled)) < len(filled) or len(filled) < len(names) - 1 or any(not isnan(number(n)) for n in filled):
        return False
    same = [row for row in rows if len(row) == len(names)]
    if len(same) < 0.7 * len(rows) or not same:
        return False
    cells_of = [cell.strip() for row in same for cell in row]
    words = sum(bool(cell) and isnan(number(cell)) and cell.lower() not in (b"nan", b"none", b"n/a", b"null")
                for cell in cells_of)
    return words <= 0.5 * len(cells_of)


class TableReader:
    """Reads a table by a mapping: a given one, or the one its names propose."""

    def __init__(self, mapping: LogMapping | None = None) -> None:
        self.mapping = mapping
        self.doubts: tuple[Doubt, ...] = ()
        self.unused: tuple[str, ...] = ()
        self.names: list[str] = []
        self.runs: list[str] = []
        """Runs that the table has side by side; the first is read."""
        self._head: Head | None = None
        self._places: list[tuple[str, int, float]] = []

    def feed(self, data: bytes, final: bool = False) -> Batch:
        """The rows in ``data``; the very first piece holds the head."""
        if self._head is None:
            self._head = head = head_of(data)
            if head is None:
                return {}
            self._begin(data, head)
            data = data.lstrip(b"\n")
            data = data[data.find(b"\n") + 1 :] if b"\n" in data else b""
        if final and not data.endswith(b"\n"):
            data = data[: data.rfind(b"\n") + 1]  # a cut last row
        return self._read(data)

    def _begin(self, text: bytes, head: Head) -> None:
        self.names = head.names
        named, self.runs = _of_one_run(head.names)
        if self.mapping is None:
            wanted = [index for index, name in enumerate(named) if name]
            samples = {named[index]: column for index, column in
                       zip(wanted, self._samples(text, head, wanted), strict=True)}
            proposal = propose([named[index] for index in wanted], samples)
            self.mapping, self.doubts, self.unused = proposal.mapping, proposal.doubts, proposal.unused
        for column, source in self.mapping.columns.items():
            place = next((index for names in (head.names, named) for index, name in enumerate(names)
                          if name == source.name), None)
            if place is not None:
                self._places.append((column, place, per_of(column, source.unit)))

    def _samples(self, text: bytes, head: Head, wanted: list[int]) -> list[list[float]]:
        rows = [cells(line, head.separator) for line in text.lstrip(b"\n").split(b"\n")[1:_SAMPLE_ROWS]]
        rows = [row for row in rows if len(row) == len(head.names)]
        return [[value for row in rows if not isnan(value := number(row[index]))] for index in wanted]

    def _read(self, data: bytes) -> Batch:
        head = self._head
        if head is None or not self._places:
            return {}
        if b'"' in data and not _QUOTED_SEPARATOR.search(data):
            data = data.replace(b'"', b"")
        separator, width = head.separator, len(head.names)
        if b'"' in data:
            rows = [cells(line, separator) for line in data.split(b"\n")]
        else:
            rows = [line.split(separator) for line in data.split(b"\n")]
        rows = [row for row in rows if len(row) == width]
        if not rows:
            return {}
        batch = {column: numbers([row[place] for row in rows], per) for column, place, per in self._places}
        return with_values(batch)


def _of_one_run(names: list[str]) -> tuple[list[str], list[str]]:
    """Names as a single run has them, "" for what belongs to another run or to an envelope; and the runs.

    Tables of Weights & Biases say "<run> - <metric>", and repeat it with __MIN and __MAX.
    """
    runs = Counter(name.rpartition(" - ")[0] for name in names if " - " in name)
    runs.pop("", None)
    if not runs:
        return names, []
    first = runs.most_common(1)[0][0]
    named = []
    for name in names:
        run, dash, metric = name.rpartition(" - ")
        if name.endswith(("__MIN", "__MAX")) or (dash and run != first):
            named.append("")
        else:
            named.append(metric if dash else name)
    return named, [first, *(run for run in runs if run != first)]


def with_values(batch: Batch) -> Batch:
    """Only the rows that say something beside their step."""
    others = [values for column, values in batch.items() if column not in ("step", "wall_s", "elapsed_s")]
    if not others:
        return batch
    keep = [any(value == value for value in row) for row in zip(*others, strict=True)]
    if all(keep):
        return batch
    return {column: array("d", (value for value, kept in zip(values, keep, strict=True) if kept))
            for column, values in batch.items()}
