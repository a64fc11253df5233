"""LLaMA-Factory's trainer_log.jsonl: steps, elapsed time, tokens since the start and their rate since the start.

Tokens usually include padding.  Tokens divided by the rate give the elapsed time with more digits than its
whole seconds; where the two agree, that is used.
"""

from __future__ import annotations

from array import array
from typing import Any

from mfu_gui.formats.training_logs.columns import Average, Batch
from mfu_gui.formats.training_logs.form import Format
from mfu_gui.formats.training_logs.json_records import as_number, column_of, objects
from mfu_gui.formats.training_logs.values import NAN, duration

_KEYS = {"current_steps": "step", "loss": "loss", "total_tokens": "total_tokens"}


class LlamaFactoryReader:
    """One object a line."""

    def __init__(self) -> None:
        self.averages: dict[str, Average] = {}
        self.remarks: set[str] = set()
        self.exact = True
        """Elapsed times have parts of a second."""

    def feed(self, data: bytes, final: bool = False) -> Batch:
        """The records in ``data``."""
        records = [record for record in objects(data) if "current_steps" in record and "loss" in record]
        if not records:
            return {}
        batch = {column: column_of(records, key) for key, column in _KEYS.items()}
        batch["elapsed_s"] = array("d", map(self._elapsed, records))
        if any(value == value for value in batch["total_tokens"]):
            self.remarks.add("log_tokens_with_padding")
        return batch

    def _elapsed(self, record: dict[str, Any]) -> float:
        text = record.get("elapsed_time")
        whole = duration(text.encode("utf-8", "replace")) if isinstance(text, str) else NAN
        tokens, rate = as_number(record.get("total_tokens")), as_number(record.get("throughput"))
        if tokens > 0 and rate > 0 and -0.5 <= tokens / rate - whole <= 1.5:
            return tokens / rate
        self.exact = False
        return whole


FORMAT = Format(
    id="llama-factory", name="LLaMA-Factory", literals=(b'"current_steps"',), weight=75,
    convention="llama-factory", averages={"elapsed_s": "cumulative", "loss": "interval"},
    reader=LlamaFactoryReader, whole_seconds=True)
