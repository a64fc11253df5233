"""JSON: lines of Weights & Biases, lines of anything else with known keys, Megatron's golden values."""

from __future__ import annotations

from array import array
from typing import Any

import msgspec

from mfu_gui.formats.training_logs.columns import Average, Batch
from mfu_gui.formats.training_logs.form import Format
from mfu_gui.formats.training_logs.json_records import JsonLines, as_number, parse
from mfu_gui.formats.training_logs.names import meanings_of, units_of
from mfu_gui.formats.training_logs.values import NAN

_LARGEST = 16 * 2**20


class GoldenValuesReader:
    """One JSON object: metric -> {"start_step", "step_interval", "values": list, or object by step}."""

    def __init__(self) -> None:
        self.averages: dict[str, Average] = {}
        self.remarks: set[str] = set()
        self._data = b""

    def feed(self, data: bytes, final: bool = False) -> Batch:
        """Everything at the end, as the object is only whole then."""
        self._data = (self._data + data)[:_LARGEST]
        if not final:
            return {}
        try:
            value = msgspec.json.decode(self._data)
        except (msgspec.MsgspecError, RecursionError):
            return {}
        rows: dict[float, dict[str, float]] = {}
        for name, metric in value.items() if isinstance(value, dict) else ():
            meaning = next(iter(meanings_of(name)), None)
            if meaning is None or not isinstance(metric, dict):
                continue
            for step, figure in _values(metric):
                rows.setdefault(step, {})[meaning.column] = as_number(figure) / units_of(meaning.column).get(
                    meaning.unit, 1.0)
        steps = sorted(step for step in rows if step == step)
        columns = dict.fromkeys(column for row in rows.values() for column in row)
        batch: Batch = {"step": array("d", steps)} if steps else {}
        batch.update({column: array("d", (rows[step].get(column, NAN) for step in steps)) for column in columns})
        return batch


def _values(metric: dict[str, Any]) -> list[tuple[float, Any]]:
    values = metric.get("values")
    if isinstance(values, dict):
        return [(as_number(step), figure) for step, figure in values.items()]
    if isinstance(values, list):
        start, interval = as_number(metric.get("start_step", 1)), as_number(metric.get("step_interval", 1))
        return [(start + index * interval, figure) for index, figure in enumerate(values)]
    return []


JSON_LINES = Format(id="json-lines", name="JSON lines", literals=(), reader=JsonLines, weight=30)
WANDB_JSON = Format(id="wandb-json", name="Weights & Biases JSON lines", literals=(), reader=JsonLines, weight=35)
GOLDEN_VALUES = Format(id="megatron-golden-values", name="Megatron golden values", literals=(),
                       reader=GoldenValuesReader, weight=35, convention="megatron-lm")

FORMATS = (JSON_LINES, WANDB_JSON, GOLDEN_VALUES)


def json_format(text: bytes) -> Format | None:
    """The kind of JSON that a log begins with; None when it begins with none."""
    text = text.lstrip()
    if not text.startswith(b"{"):
        return None
    if b'"iteration-time"' in text and b'"values"' in text:
        return GOLDEN_VALUES
    first = parse(text.partition(b"\n")[0])
    if first is None:
        return None
    return WANDB_JSON if "_step" in first or "_runtime" in first else JSON_LINES
