"""Reads records of text out of noise: the reader behind every format that is described by its fields.

A record begins where ``start`` matches and belongs to the line it is on; when a value that other records
have is missing there, the lines up to the next record are looked at too, because some writers wrap.
The first record is searched for each field; after that ``templates`` do the work.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

from mfu_gui.formats.training_logs.columns import Batch
from mfu_gui.formats.training_logs.fields import Field
from mfu_gui.formats.training_logs.templates import Spot, Template, learn
from mfu_gui.formats.training_logs.values import NAN, numbers

Values = tuple[bytes, ...]
Fields = tuple[Field, ...]

_MOST_TEMPLATES = 6
_PATIENCE = 40
"""Templates that are learnt before a log counts as too irregular for them."""
_FARTHEST = 8192
"""Bytes that a record can have when it is wrapped or has many lines."""
_SHORT_FORMS = 3
"""So often a record without one of the usual values is seen before its form is learnt."""
_BESIDE = frozenset({"rank", "wall_s"})
"""What stands before a record; its absence is no sign of a wrapped line."""


class LineFormat(NamedTuple):
    """Records of text.

    ``start``: a pattern near the beginning of each record, once in each.  ``needs``: a record has at
    least one of these columns, or it is none.  ``many_lines``: a record continues on the next lines.
    ``finish``: what remains to be done with a batch.
    """

    start: re.Pattern[bytes]
    fields: Fields
    needs: tuple[str, ...]
    many_lines: bool = False
    finish: Callable[[Batch], Batch] | None = None


class Record(NamedTuple):
    """The values of one record and where it ends in the data."""

    fields: Fields
    values: Values
    end: int


class LineReader:
    """Feeds on whole lines and gives batches of columns."""

    def __init__(self, form: LineFormat) -> None:
        self._form = form
        self._templates: list[Template] = []
        self._learnt = 0
        self._short: Counter[frozenset[str]] = Counter()
        self._usual: set[str] = set()
        """Columns that records of this log have."""
        self._waiting = b""
        self._by_column: dict[str, list[Field]] = {}
        for field in form.fields:
            self._by_column.setdefault(field.column, []).append(field)

    @property
    def start(self) -> re.Pattern[bytes]:
        """Where records begin."""
        return self._form.start

    def feed(self, data: bytes, final: bool = False) -> Batch:
        """Records in ``data``, which ends at the end of a line unless ``final``.

        A last record that may go on in the next piece is kept for it.
        """
        data = self._waiting + data if self._waiting else data
        self._waiting = b""
        if not data:
            return {}
        data = b"\n" + data
        batch = self._fast(data)
        if batch is None:
            batch = self._one_by_one(data, final)
        return self._form.finish(batch) if batch and self._form.finish else batch

    def _fast(self, data: bytes) -> Batch | None:
        """All records by the one best template; None when some are not of its form."""
        if not self._templates:
            return None
        template = self._templates[0]
        rows = template.pattern.findall(data)
        if not rows or len(rows) != len(self._form.start.findall(data)):
            return None
        columns = [tuple(rows)] if len(template.fields) == 1 else list(zip(*rows, strict=True))
        return _collected(template.fields, columns)

    def _one_by_one(self, data: bytes, final: bool) -> Batch:
        """By any template that fits, and field by field where none does."""
        groups: list[tuple[Fields, list[Values]]] = []
        starts = [match.start() for match in self._form.start.finditer(data)]
        end_before = 0
        for start, following in pairwise([*starts, len(data)]):
            line = max(data.rfind(b"\n", 0, start), end_before)
            stop = data.rfind(b"\n", start, following)
            if stop < 0 or following == len(data):
                stop = following  # two records on one line, or the last one
            record = self._record(data, line, start, stop, final or following < len(data))
            if record is None:
                self._waiting = data[_text_begin(data, line) :]
                break
            end_before = record.end
            if record.values:
                if not groups or groups[-1][0] != record.fields:
                    groups.append((record.fields, []))
                groups[-1][1].append(record.values)
        return _joined(groups)

    def _record(self, data: bytes, line: int, start: int, stop: int, certain: bool) -> Record | None:
        """The record that starts at ``start`` on the line at ``line``, before ``stop``.

        None when it may go on after the data: then more is needed to be ``certain``.
        """
        for place, template in enumerate(self._templates):
            match = template.pattern.match(data, line, stop + 1)
            if match and match.end() > start:
                if place:
                    self._templates.insert(0, self._templates.pop(place))
                return Record(template.fields, match.groups(), match.end() - 1)
        begin = _text_begin(data, line)
        line_end = data.find(b"\n", start, stop)
        end = stop if line_end < 0 or self._form.many_lines else line_end
        text = data[begin : min(end, begin + _FARTHEST) + 1]
        spots = self._spots(text)
        found = {spot.field.column for spot in spots} - _BESIDE
        may_grow = not certain and len(data) - begin < _FARTHEST
        if not self._usual or not self._usual <= found:
            if may_grow and (end < stop or self._form.many_lines or found):
                return None
            wrapped = self._unwrapped(data[begin : min(stop, begin + _FARTHEST)] + b"\n", found, stop)
            if wrapped is not None:
                return wrapped
        if not found.intersection(self._form.needs):
            return Record((), (), start)
        self._learn(text, spots, found)
        self._usual |= found
        return Record(tuple(spot.field for spot in spots), tuple(text[spot.start : spot.stop] for spot in spots), end)

    def _spots(self, text: bytes) -> list[Spot]:
        """Where the values stand; of several ways to write a column the first that is there counts."""
        spots = []
        for fields in self._by_column.values():
            for field in fields:
                match = field.pattern.search(text)
                if match:
                    spots.append(Spot(match.start(1), match.end(1), field))
                    break
        return spots

    def _unwrapped(self, text: bytes, found: set[str], end: int) -> Record | None:
        """The record with its line breaks taken out, if it says more then."""
        if text.count(b"\n") < 2:
            return None
        joined = text[:-1].replace(b"\n", b" ") + b"\n"
        spots = self._spots(joined)
        columns = {spot.field.column for spot in spots} - _BESIDE
        if columns <= found or not columns.intersection(self._form.needs):
            return None
        self._usual |= columns
        return Record(tuple(spot.field for spot in spots), tuple(joined[spot.start : spot.stop] for spot in spots), end)

    def _learn(self, text: bytes, spots: list[Spot], found: set[str]) -> None:
        if self._learnt >= _PATIENCE:
            return
        if not self._usual <= found:
            self._short[frozenset(found)] += 1
            if self._short[frozenset(found)] <= _SHORT_FORMS:
                return
        template = learn(text, spots)
        if template is not None:
            self._learnt += 1
            self._templates.insert(0, template)
            del self._templates[_MOST_TEMPLATES:]


def _text_begin(data: bytes, line: int) -> int:
    return line + 1 if data[line : line + 1] == b"\n" else line


def _collected(fields: Fields, columns: Sequence[Values]) -> Batch:
    return {field.column: _converted(field, texts) for field, texts in zip(fields, columns, strict=True)}


def _joined(groups: list[tuple[Fields, list[Values]]]) -> Batch:
    """One batch of records with different fields; NaN where a record lacks one."""
    whole: Batch = {}
    length = 0
    for fields, rows in groups:
        part = _collected(fields, list(zip(*rows, strict=True)))
        for column in part:
            if column not in whole:
                whole[column] = array("d", [NAN]) * length
        for column, values in whole.items():
            values.extend(part[column] if column in part else array("d", [NAN]) * len(rows))
        length += len(rows)
    return whole


def _converted(field: Field, texts: Values) -> array[float]:
    if field.convert is None:
        return numbers(texts, field.per)
    values = field.convert(texts)
    return values if field.per == 1.0 else array("d", (value / field.per for value in values))
