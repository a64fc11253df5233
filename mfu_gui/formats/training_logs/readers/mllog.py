"""MLPerf's ":::MLLOG {…}": JSON behind a marker, with step timings and throughputs among its events.

``step`` counts tokens, samples or steps, depending on the benchmark; the batch and the sequence length, which
are events too, tell which.  The throughput is in tokens/s where steps count tokens, otherwise in samples/s.
"""

from __future__ import annotations

import re
from array import array
from math import log2
from typing import Any

from mfu_gui.formats.training_logs.columns import Average, Batch
from mfu_gui.formats.training_logs.form import Format
from mfu_gui.formats.training_logs.json_records import as_number, parse
from mfu_gui.formats.training_logs.values import NAN

_EVENT = re.compile(rb":::MLLOG (\{[^\n]*\})")
_LENGTHS = ("max_sequence_length", "sequence_length", "seq_length", "max_seq_length")
_SHORTEST = 128
_LONGEST = 1e9


class MllogReader:
    """One event a line."""

    def __init__(self) -> None:
        self.averages: dict[str, Average] = {}
        self.remarks: set[str] = set()
        self.facts: dict[str, float] = {}
        self._tokens = False
        self._timing = NAN

    def feed(self, data: bytes, final: bool = False) -> Batch:
        """The statistics in ``data``, one record for each."""
        events = []
        for match in _EVENT.finditer(data):
            event = parse(match[1])
            if event is None:
                continue
            key, value = event.get("key"), event.get("value")
            if key == "global_batch_size" or key in _LENGTHS:
                number = as_number(value)
                if number > 0:
                    self.facts["global_batch" if key == "global_batch_size" else "sequence_length"] = number
            elif key == "tracked_stats" and isinstance(value, dict):
                events.append((event, value))
        for event, value in events:  # what is counted shows in some events only, but holds for all
            self._look_at_unit(_count_of(event), value)
        merged = _merged([row for event, value in events if (row := self._row(event, value))])
        columns = dict.fromkeys(column for row in merged for column in row)
        return {column: array("d", (row.get(column, NAN) for row in merged)) for column in columns}

    def _row(self, event: dict[str, Any], value: dict[str, Any]) -> dict[str, float]:
        timing, rate, count = as_number(value.get("train_step_timing")), as_number(value.get("throughput")), _count_of(
            event)
        batch, length = self.facts.get("global_batch", NAN), self.facts.get("sequence_length", NAN)
        row = {"step": count, "wall_s": as_number(event.get("time_ms")) / 1000, "global_batch": batch,
               "sequence_length": length}
        if batch > 0 and count > 0 and count % batch == 0:
            row["step"] = count / (batch * length if self._tokens and length > 0 else batch)
        if timing == timing:
            row["step_time_s"] = timing
        if rate == rate:
            row["tokens_per_s" if self._tokens else "samples_per_s"] = rate
        return row if len(row) > 4 and count == count else {}

    def _look_at_unit(self, count: float, value: dict[str, Any]) -> None:
        """Whether counts and rates are in tokens: the batch and the time of a step tell."""
        timing, rate = as_number(value.get("train_step_timing")), as_number(value.get("throughput"))
        if timing == timing:
            self._timing = timing
        batch, length = self.facts.get("global_batch", NAN), self.facts.get("sequence_length", NAN)
        if length > 0 and batch > 0 and count > 0 and count % (batch * length) == 0:
            self._tokens = True
        per_sample = rate * self._timing / batch
        if _SHORTEST / 2 < per_sample < _LONGEST and not length > 0:
            self._tokens = True
            near = 2 ** round(log2(per_sample))
            if abs(per_sample / near - 1) < 0.05:
                self.facts["sequence_length"] = float(near)


def _count_of(event: dict[str, Any]) -> float:
    metadata = event.get("metadata")
    return as_number(metadata.get("step", metadata.get("samples_count"))) if isinstance(metadata, dict) else NAN


def _merged(rows: list[dict[str, float]]) -> list[dict[str, float]]:
    """Timing and throughput of one step in one record."""
    merged: list[dict[str, float]] = []
    for row in rows:
        if merged and merged[-1]["step"] == row["step"] and not (set(row) & set(merged[-1])) - {
                "step", "wall_s", "global_batch", "sequence_length"}:
            merged[-1].update({key: value for key, value in row.items() if key not in merged[-1]})
        else:
            merged.append(row)
    return merged


FORMAT = Format(
    id="mllog", name="MLPerf MLLOG", literals=(b":::MLLOG",), weight=45, part_of=("nemo-2", "nemo-1", "megatron-lm"),
    averages={"step_time_s": "interval", "tokens_per_s": "interval", "samples_per_s": "interval"},
    reader=MllogReader)
