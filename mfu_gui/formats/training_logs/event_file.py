"""TensorBoard event files: checked records of a few protobuf fields, read without TensorFlow or protobuf.

A record is a length (8 bytes), its masked CRC-32C, the data, and their CRC (TFRecord).  The data are an
``Event``: wall_time = 1 (double), step = 2 (int64), summary = 5; a ``Summary.Value``: tag = 1,
simple_value = 2 (float), tensor = 8.  Only scalars are read.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterator
from typing import NamedTuple

from mfu_gui.engine.errors import InputError
from mfu_gui.formats.training_logs.columns import Batch
from mfu_gui.formats.training_logs.crc32c import masked_crc32c
from mfu_gui.formats.training_logs.mapping import Doubt, LogMapping, per_of, propose
from mfu_gui.formats.training_logs.values import NAN

_HEADER = 12
_LARGEST = 64 * 2**20
_LARGEST_CHECKED = 2**20
"""Larger records hold graphs and images, no scalars; of them only the length is checked."""
_OPEN_STEPS = 16
"""So many steps may be written in turns."""
_SETTLED = 64

_SCALARS = {1: ("f", 5), 2: ("d", 6)}
"""DataType -> struct code and the field that holds such values one by one."""


class Scalar(NamedTuple):
    """One value of one metric."""

    wall_s: float
    step: int
    tag: str
    value: float


def is_event_file(head: bytes) -> bool:
    """Whether the first record's length and checksum agree, which no text does by chance."""
    if len(head) < _HEADER:
        return False
    length, checksum = struct.unpack("<QI", head[:_HEADER])
    return 0 < length < _LARGEST and bool(masked_crc32c(head[:8]) == checksum)


class EventReader:
    """Pieces of an event file in, batches of columns out."""

    def __init__(self, mapping: LogMapping | None = None) -> None:
        self.mapping = mapping
        self.doubts: tuple[Doubt, ...] = ()
        self.unused: tuple[str, ...] = ()
        self.damaged_at: int | None = None
        """Where a checksum did not agree; nothing after it was read."""
        self.cut = False
        """The last record is not whole."""
        self._given = mapping is not None
        self._rest = b""
        self._offset = 0
        self._tags: dict[str, list[float]] = {}
        self._rows: dict[int, dict[str, float]] = {}
        self._ready: list[tuple[int, dict[str, float]]] = []

    def feed(self, data: bytes, final: bool = False) -> Batch:
        """The scalars of whole records in ``data``, one row for each step that is complete."""
        if self.damaged_at is not None:
            return {}
        data = self._rest + data if self._rest else data
        used = 0
        try:
            for end, payload in _records(data, self._offset):
                used = end
                for scalar in scalars(payload):
                    self._take(scalar)
        except InputError as error:
            self.damaged_at = error.values["offset"]
        self._rest = data[used:]
        self._offset += used
        if final:
            self.cut = bool(self._rest) and self.damaged_at is None
            self._ready += self._rows.items()
            self._rows = {}
        return self._batch(final or self.damaged_at is not None)

    def _take(self, scalar: Scalar) -> None:
        known = self._tags.setdefault(scalar.tag, [])
        if len(known) < _SETTLED:
            known.append(scalar.value)
        row = self._rows.get(scalar.step)
        if row is not None and scalar.tag in row:  # the step again: a run that began anew
            self._ready.append((scalar.step, self._rows.pop(scalar.step)))
            row = None
        if row is None:
            row = self._rows[scalar.step] = {"": scalar.wall_s}
            if len(self._rows) > _OPEN_STEPS:
                oldest = next(iter(self._rows))
                self._ready.append((oldest, self._rows.pop(oldest)))
        row[scalar.tag] = scalar.value

    def _batch(self, now: bool) -> Batch:
        if not self._ready or (self.mapping is None and len(self._ready) < _SETTLED and not now):
            return {}
        if not self._given:
            names = list(self._tags)
            proposal = propose([name for name in names if name.lower() not in ("step", "steps")], self._tags)
            self.mapping, self.doubts, self.unused = proposal.mapping, proposal.doubts, proposal.unused
        rows, self._ready = self._ready, []
        batch: Batch = {"step": array("d", (step for step, _ in rows)),
                        "wall_s": array("d", (row[""] for _, row in rows))}
        for column, source in (self.mapping.columns if self.mapping else {}).items():
            if column not in batch:
                per = per_of(column, source.unit)
                batch[column] = array("d", (row.get(source.name, NAN) / per for _, row in rows))
        return batch


def _records(data: bytes, offset: int) -> Iterator[tuple[int, bytes]]:
    """End and data of each whole record; InputError ``log_record_damaged`` where a checksum differs."""
    at = 0
    while at + _HEADER <= len(data):
        length, checksum = struct.unpack_from("<QI", data, at)
        if masked_crc32c(data[at : at + 8]) != checksum or length > _LARGEST:
            raise InputError("log_record_damaged", "", offset=offset + at)
        end = at + _HEADER + length + 4
        if end > len(data):
            return
        payload = data[at + _HEADER : end - 4]
        if length <= _LARGEST_CHECKED:
            (checksum,) = struct.unpack_from("<I", data, end - 4)
            if masked_crc32c(payload) != checksum:
                raise InputError("log_record_damaged", "", offset=offset + at)
            yield end, payload
        else:
            yield end, b""
        at = end


def _fields(data: bytes) -> Iterator[tuple[int, int, bytes | int]]:
    """Number, wire type and value of each protobuf field; ends at what is no field."""
    at, size = 0, len(data)
    while at < size:
        key, at = _varint(data, at)
        number, wire = key >> 3, key & 7
        if wire == 0:
            value, at = _varint(data, at)
            yield number, wire, value
            continue
        if wire == 2:
            length, at = _varint(data, at)
        elif wire in (1, 5):
            length = 8 if wire == 1 else 4
        else:
            return
        if at + length > size:
            return
        yield number, wire, data[at : at + length]
        at += length


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(data) and shift < 70:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    return 0, len(data)


def scalars(event: bytes) -> list[Scalar]:
    """The scalar values of one ``Event``."""
    wall, step, found = NAN, 0, []
    for number, wire, value in _fields(event):
        if number == 1 and wire == 1 and isinstance(value, bytes):
            (wall,) = struct.unpack("<d", value)
        elif number == 2 and wire == 0 and isinstance(value, int):
            step = value - 2**64 if value >= 2**63 else value
        elif number == 5 and wire == 2 and isinstance(value, bytes):
            found += [part for inner, kind, part in _fields(value) if inner == 1 and kind == 2]
    named = [_tag_and_value(part) for part in found if isinstance(part, bytes)]
    return [Scalar(wall, step, tag, value) for tag, value in named if tag and value is not None]


def _tag_and_value(part: bytes) -> tuple[str, float | None]:
    tag, scalar = "", None
    for number, wire, value in _fields(part):
        if number == 1 and wire == 2 and isinstance(value, bytes):
            tag = value.decode("utf-8", "replace")
        elif number == 2 and wire == 5 and isinstance(value, bytes):
            (scalar,) = struct.unpack("<f", value)
        elif number == 8 and wire == 2 and isinstance(value, bytes):
            scalar = _of_tensor(value)
    return tag, scalar


def _of_tensor(tensor: bytes) -> float | None:
    """The one number in a ``TensorProto``; None when it holds something else."""
    parts = {number: value for number, _, value in _fields(tensor)}
    code, single = _SCALARS.get(parts.get(1, 0), ("", 0))  # type: ignore[arg-type]
    if not code:
        return None
    content = parts.get(4) or parts.get(single)
    size = struct.calcsize(code)
    if not isinstance(content, bytes) or len(content) != size:
        return None
    (value,) = struct.unpack("<" + code, content)
    return float(value)
