"""Files that Hugging Face's Trainer leaves: trainer_state.json, all_results.json, train_results.json.

Steps have no times there; the run as a whole has.
"""

from __future__ import annotations

import re
from array import array

from mfu_gui.formats.training_logs.columns import Average, Batch
from mfu_gui.formats.training_logs.form import Format
from mfu_gui.formats.training_logs.json_records import as_number, parse
from mfu_gui.formats.training_logs.readers.hf_trainer import whole_run
from mfu_gui.formats.training_logs.values import NAN

_OBJECT = re.compile(rb"\{[^{}]*\}")
_STEPS = re.compile(rb'"global_step": *(\d+)')
_LONGEST = 256 * 1024


class HfStateReader:
    """Takes the innermost objects one by one, so that a large file needs no memory."""

    misleading = ("global_batch",)
    """``train_batch_size`` is that of one device here, though elsewhere it is the whole one."""

    def __init__(self) -> None:
        self.averages: dict[str, Average] = {}
        self.remarks: set[str] = set()
        self.facts: dict[str, float] = {}
        self._waiting = b""
        self._last: list[dict[str, float]] = []
        """The last step, which may be the one that the figures of the whole run belong to."""

    def feed(self, data: bytes, final: bool = False) -> Batch:
        """Losses as they come; the one record with a time at the end."""
        data = self._waiting + data
        if steps := _STEPS.search(data):
            self.facts["global_step"] = float(steps[1])
        rows, end = self._last, 0
        for match in _OBJECT.finditer(data):
            end = match.end()
            values = parse(match.group().replace(b"\n", b" "))
            if values is None:
                continue
            if "train_runtime" in values:
                self.facts.update({key: found for key, value in values.items()
                                   if (found := as_number(value)) == found and key != "step"})
            elif "loss" in values and "step" in values:
                rows.append({"step": as_number(values["step"]), "loss": as_number(values["loss"]),
                             "total_tokens": as_number(values.get("num_input_tokens_seen"))})
        self._waiting = b"" if final else data[max(end, len(data) - _LONGEST) :]
        if final and (whole := whole_run(self.facts, self.averages)):
            ends = [row for row in rows if row["step"] == whole["step"]]
            rows = [row for row in rows if row["step"] < whole["step"]]
            rows.append({**(ends[-1] if ends else {}), **whole})
        rows, self._last = (rows, []) if final else (rows[:-1], rows[-1:])
        columns = dict.fromkeys(column for row in rows for column in row)
        return {column: array("d", (row.get(column, NAN) for row in rows)) for column in columns}


FORMAT = Format(
    id="hf-state", name="Hugging Face Trainer's JSON files", weight=55, convention="hf-trainer",
    literals=(b'"log_history"', b'"train_runtime"', b'"train_steps_per_second"'), reader=HfStateReader)
