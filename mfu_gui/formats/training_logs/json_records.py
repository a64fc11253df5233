"""Records that are JSON objects, one a line, or Python dicts as ``print`` writes them."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from mfu_gui.formats.training_logs.columns import Batch
from mfu_gui.formats.training_logs.mapping import Doubt, LogMapping, per_of, propose
from mfu_gui.formats.training_logs.tabular import with_values
from mfu_gui.formats.training_logs.values import NAN, number

Object = dict[str, Any]
_DECODER = msgspec.json.Decoder(dict[str, Any])
_NOT_FINITE = re.compile(rb"(?<=[:,\[ ])\s*(?:NaN|nan|-?Infinity|-?inf|None)(?=[\s,}\]])")
_TRUTH = re.compile(rb"(?<=[:,\[ ])(True|False)(?=[\s,}\]])")
_SAMPLES = 200
_LONGEST = 2**20


def objects(data: bytes) -> list[Object]:
    """The JSON objects of ``data``, one a line; lines that are none are passed over."""
    try:
        return _DECODER.decode_lines(data)
    except (msgspec.MsgspecError, RecursionError):
        return [found for line in data.split(b"\n") if (found := parse(line)) is not None]


def parse(text: bytes) -> Object | None:
    """One JSON object or printed dict; None for anything else.  NaN and infinity become null."""
    start = text.find(b"{")
    if start < 0 or len(text) > _LONGEST:
        return None
    text = text[start:].strip()
    for form in (text, None):
        try:
            return _DECODER.decode(_as_json(text) if form is None else form)
        except (msgspec.MsgspecError, RecursionError):
            continue
    return None


def _as_json(text: bytes) -> bytes:
    """A printed dict as JSON, where it holds no quotes or backslashes within its texts."""
    if text.startswith((b"{'", b"{ '")):
        text = _TRUTH.sub(lambda match: match[1].lower(), text.replace(b"'", b'"'))
    return _NOT_FINITE.sub(b" null", text)


def as_number(value: Any) -> float:
    """A JSON value as a number: also a text that is one; NaN for the rest."""
    if isinstance(value, bool):
        return NAN
    if isinstance(value, int | float):
        try:
            return float(value)
        except OverflowError:
            return NAN
    return number(value.encode("utf-8", "replace")) if isinstance(value, str) else NAN


def column_of(records: Iterable[Mapping[str, Any]], key: str, per: float = 1.0) -> array[float]:
    """One key of all records as a column."""
    values: list[Any] = [record.get(key) for record in records]
    column: array[float]
    try:
        column = array("d", values)
    except (TypeError, OverflowError):
        column = array("d", map(as_number, values))
    return column if per == 1.0 else array("d", (value / per for value in column))


class JsonLines:
    """Reads JSON lines by a mapping: a given one, or the one that the keys of the first lines propose."""

    def __init__(self, mapping: LogMapping | None = None) -> None:
        self.mapping = mapping
        self.doubts: tuple[Doubt, ...] = ()
        self.unused: tuple[str, ...] = ()
        self.names: list[str] = []
        self._proposed = mapping is None

    def feed(self, data: bytes, final: bool = False) -> Batch:
        """The records in ``data``."""
        if final and not data.endswith(b"\n") and not data.rstrip().endswith(b"}"):
            data = data[: data.rfind(b"\n") + 1]
        records = objects(data)
        if not records:
            return {}
        if self.mapping is None:
            self._propose(records)
        if self.mapping is None:
            return {}
        batch = {column: column_of(records, source.name, per_of(column, source.unit))
                 for column, source in self.mapping.columns.items()}
        return with_values(batch)

    def _propose(self, records: list[Object]) -> None:
        samples: dict[str, list[float]] = {}
        for record in records[:_SAMPLES]:
            for key, value in record.items():
                if isinstance(value, int | float | str) and (found := as_number(value)) == found:
                    samples.setdefault(key, []).append(found)
        self.names = list(samples)
        proposal = propose(samples, samples)
        if any(column not in ("step", "wall_s", "elapsed_s", "loss") for column in proposal.mapping.columns) or (
                "elapsed_s" in proposal.mapping.columns):
            self.mapping, self.doubts, self.unused = proposal.mapping, proposal.doubts, proposal.unused
