"""Hugging Face's Trainer on a terminal: printed dicts and a progress bar; axolotl and TRL are the same.

The dicts have no time, so times come from the bar: whole seconds since the start.  The bar's own rate is a
running mean and is not read.  ``train_runtime`` at the end is the whole run, pauses for evaluation included.
"""

from __future__ import annotations

import re
from array import array
from typing import Any

from mfu_gui.formats.training_logs.columns import Average, Batch
from mfu_gui.formats.training_logs.form import Format
from mfu_gui.formats.training_logs.json_records import as_number, parse
from mfu_gui.formats.training_logs.values import NAN, duration

_BAR = re.compile(rb"%\|[^|\n]*\| +(\d{1,15})/(\d{1,15}) \[([\d:]+)<[^,\]\n]*,[^\]\n]*\]")
_DICT = re.compile(rb"\{'[^{}\n]*\}")
_NAME = re.compile(rb"[^\n]*?([A-Za-z]*):? *\d+\Z")
_RATES = ("tokens/train_per_sec_per_gpu", "tokens_per_second_per_gpu")


class HfTrainerReader:
    """Bars give steps and times, dicts the rest of the step of the bar before them."""

    def __init__(self) -> None:
        self.averages: dict[str, Average] = {}
        self.remarks: set[str] = set()
        self.facts: dict[str, float] = {}
        self._total: int | None = None
        self._open: dict[str, float] | None = None
        self._dicts = 0
        self._timed = False

    def feed(self, data: bytes, final: bool = False) -> Batch:
        """Records up to the last bar; the record of that bar waits for the dict that may follow."""
        rows: list[dict[str, float]] = []
        events = sorted([*((match.start(), match) for match in _BAR.finditer(data)),
                         *((match.start(), match) for match in _DICT.finditer(data))], key=lambda event: event[0])
        for _, match in events:
            if match.re is _BAR:
                self._bar(data, match, rows)
            else:
                values = parse(match.group())
                if values is not None:
                    self._dict(values, rows)
        if final:
            if self._open is not None:
                rows.append(self._open)
                self._open = None
            whole = self._whole_run()
            if whole and not self._timed:
                rows.append(whole)
            elif "global_batch" in whole:
                self.facts["global_batch"] = whole["global_batch"]
        columns = dict.fromkeys(column for row in rows for column in row)
        return {column: array("d", (row.get(column, NAN) for row in rows)) for column in columns}

    def _bar(self, data: bytes, match: re.Match[bytes], rows: list[dict[str, float]]) -> None:
        name = _NAME.match(data, data.rfind(b"\n", 0, match.start()) + 1, match.start())
        if name is not None and name[1] not in (b"", b"Train"):
            return
        step, total, elapsed = int(match[1]), int(match[2]), duration(match[3])
        if self._total is None:
            self._total = total
        if total != self._total or step == 0:
            return
        if self._open is not None and self._open["step"] == step:
            return
        if self._open is not None:
            rows.append(self._open)
        self._timed = True
        self._open = {"step": float(step), "elapsed_s": elapsed}

    def _dict(self, values: dict[str, Any], rows: list[dict[str, float]]) -> None:
        if "train_runtime" in values:
            self.facts.update({key: number for key, value in values.items() if (number := as_number(value)) == number})
            return
        if "loss" not in values or "eval_loss" in values:
            return
        self._dicts += 1
        row = self._open
        if row is None:
            row = {}
            if self._total is None:  # no bar: lines are all there is
                self.remarks.add("log_without_step_numbers")
                row["step"] = float(self._dicts)
            rows.append(row)
        row["loss"] = as_number(values["loss"])
        row["total_tokens"] = as_number(values.get("num_input_tokens_seen", values.get("tokens/total")))
        row["step_time_s"] = as_number(values.get("step_time"))
        row["mfu"] = as_number(values.get("mfu", values.get("MFU")))
        for key in _RATES:
            if key in values:
                self.remarks.add("log_rate_of_last_micro_batch")
                row["tokens_per_s_per_device"] = as_number(values[key])
        if row in rows and "step" not in row:
            rows.remove(row)

    def _whole_run(self) -> dict[str, float]:
        return whole_run(self.facts, {} if self._timed else self.averages)


def whole_run(facts: dict[str, float], averages: dict[str, Average]) -> dict[str, float]:
    """One record for the whole run, from the figures that the Trainer prints at its end.

    ``train_steps_per_second`` and ``train_samples_per_second`` have three decimals; the number of steps is
    whole, which gives the step time its digits back.
    """
    runtime, rate = facts.get("train_runtime", NAN), facts.get("train_steps_per_second", NAN)
    steps = facts.get("global_step", round(runtime * rate) if runtime * rate < 1e12 else NAN)
    if not (runtime > 0 and steps >= 1):
        return {}
    averages.update(dict.fromkeys(("step_time_s", "global_batch", "tokens_per_s"), "whole_run"))
    row = {"step": float(steps), "step_time_s": runtime / steps}
    samples = facts.get("train_samples_per_second", NAN)
    if samples > 0 and rate > 0:
        row["global_batch"] = samples * runtime / steps
        if abs(row["global_batch"] - round(row["global_batch"])) < 0.5 * runtime / steps * 1e-3 + 0.02:
            row["global_batch"] = float(round(row["global_batch"]))
    tokens = facts.get("train_tokens_per_second", NAN)
    if tokens > 0:
        row["tokens_per_s"] = tokens
    return row


FORMAT = Format(
    id="hf-trainer", name="Hugging Face Trainer", literals=(b"%|", b"{'loss'", b"{'train_runtime'"), weight=50,
    convention="hf-trainer", averages={"elapsed_s": "cumulative", "tokens_per_s_per_device": "interval"},
    part_of=("ms-swift", "llama-factory", "nemo-1"), reader=HfTrainerReader, whole_seconds=True)
