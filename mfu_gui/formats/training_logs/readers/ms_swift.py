"""ms-swift: logging.jsonl and the same as printed dicts, with "global_step/max_steps" and a speed since the start.

The speed has six digits, so that it gives the elapsed time more exactly than "18m 42s" does; after a resumed
run the two disagree, and then the text is used.
"""

from __future__ import annotations

import re
from array import array
from typing import Any

from mfu_gui.formats.training_logs.columns import Average, Batch
from mfu_gui.formats.training_logs.form import Format
from mfu_gui.formats.training_logs.json_records import as_number, parse
from mfu_gui.formats.training_logs.values import NAN, duration

_RECORD = re.compile(rb"\{[^{}\n]*global_step/max_steps[^{}\n]*\}")
_STEP_KEYS = ("global_step/max_steps", "steps[global_step/max_steps]")


class MsSwiftReader:
    """One object or dict a line, with noise between."""

    def __init__(self) -> None:
        self.averages: dict[str, Average] = {}
        self.remarks: set[str] = set()
        self.exact = True

    def feed(self, data: bytes, final: bool = False) -> Batch:
        """The records in ``data``."""
        records = [record for match in _RECORD.finditer(data) if (record := parse(match.group())) is not None]
        rows = [row for record in records if "loss" in record and (row := self._row(record))["step"] > 0]
        columns = dict.fromkeys(column for row in rows for column in row)
        return {column: array("d", (row.get(column, NAN) for row in rows)) for column in columns}

    def _row(self, record: dict[str, Any]) -> dict[str, float]:
        text = next((str(record[key]) for key in _STEP_KEYS if key in record), "")
        step = as_number(text.partition("/")[0])
        row = {"step": step, "loss": as_number(record["loss"]), "elapsed_s": self._elapsed(record, step)}
        for key, column in (("MFU", "mfu"), ("mfu", "mfu"), ("tokens_per_second_per_gpu", "tokens_per_s_per_device")):
            if key in record:
                row[column] = as_number(record[key])
        return row

    def _elapsed(self, record: dict[str, Any], step: float) -> float:
        text = record.get("elapsed_time")
        whole = duration(text.encode("utf-8", "replace")) if isinstance(text, str) else NAN
        each, rate = as_number(record.get("train_speed(s/it)")), as_number(record.get("train_speed(iter/s)"))
        exact = step * each if each > 0 else step / rate if rate > 0 else NAN
        if exact == exact and (whole != whole or -0.6 <= exact - whole <= 1.6):
            return exact
        self.exact = False
        return whole


FORMAT = Format(
    id="ms-swift", name="ms-swift", literals=(b"global_step/max_steps",), weight=75,
    averages={"elapsed_s": "cumulative", "loss": "interval"}, reader=MsSwiftReader, whole_seconds=True)
