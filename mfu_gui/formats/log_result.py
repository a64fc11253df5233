"""A log as data and as text: the ``mfu-log`` object, its steps as JSON, JSON lines and CSV, a report for people.

Utilizations are fractions, times seconds; what is not known is null.  Steps can be many, so they are made in
pieces and never held all at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import isfinite
from typing import Any

import msgspec

from mfu_gui.engine.errors import Notice
from mfu_gui.formats import text_table
from mfu_gui.formats.result_json import Document, notices_list
from mfu_gui.formats.training_logs.analysis import Analysis, flags
from mfu_gui.formats.training_logs.header import Facts, scenario_parts
from mfu_gui.formats.training_logs.normal import Normal
from mfu_gui.formats.training_logs.questions import Question
from mfu_gui.formats.training_logs.reading import Log
from mfu_gui.formats.training_logs.rebase import Rebased
from mfu_gui.texts import Translator

KIND = "mfu-log"
SCHEMA = 1
STEP_COLUMNS = ("step", "step_time_s", "wall_s", "elapsed_s", "global_batch", "sequence_length", "tokens",
                "samples_per_s", "samples_per_s_per_device", "tokens_per_s", "tokens_per_s_per_device",
                "reported_tflops_per_device", "reported_hardware_tflops_per_device", "reported_mfu",
                "reported_mfu_instant", "reported_hfu", "loss")
"""Columns of a step that come from the log; with a scenario ``REBASED`` follows, and ``flags`` always."""
REBASED = ("tflops_per_device", "mfu", "hfu")
_COUNTS = frozenset({"step", "global_batch", "sequence_length", "tokens"})
_PIECE = 4096


class LogResult:
    """A log, its analysis and, with a scenario, its steps re-based; everything that is written is made of it."""

    def __init__(self, log: Log, normal: Normal, analysis: Analysis, rebased: Rebased | None,
                 wanted: frozenset[str] | None = None) -> None:
        """``wanted``: the columns of a step that are written, ``flags`` among them; all without it."""
        self.log = log
        self.normal = normal
        self.analysis = analysis
        self.rebased = rebased
        self.columns = tuple(name for name in STEP_COLUMNS if normal.get(name) is not None
                             and (wanted is None or name in wanted))
        self._rebased_columns = tuple(name for name in REBASED if rebased is not None
                                      and (wanted is None or name in wanted))
        self._flagged = wanted is None or "flags" in wanted

    @property
    def notices(self) -> tuple[Notice, ...]:
        """All that is to be said about it."""
        found = list(self.log.notices)
        if self.analysis.above_peak and self.rebased is not None:
            found.append(Notice("log_above_peak", "", {"steps": self.analysis.above_peak, "peak": self.rebased.peak}))
        return (*found, *(self.rebased.notices if self.rebased else ()))

    def document(self, tr: Translator) -> Document:
        """The ``mfu-log`` object without its steps."""
        log, normal, analysis = self.log, self.normal, self.analysis
        return {
            "kind": KIND, "schema": SCHEMA, "file": log.name,
            "format": {"id": log.form.id, "name": log.form.name, "confidence": log.confidence},
            "other_formats": [{"id": other.form.id, "name": other.form.name, "lines": other.lines}
                              for other in log.others],
            "encoding": log.encoding, "bytes": log.bytes_read, "step_count": len(normal),
            "columns": self._columns(), "facts": _facts(normal.facts), "scenario": scenario_parts(normal.facts),
            "statistics": _statistics(normal, analysis),
            "comparison": msgspec.to_builtins(analysis.comparison) if analysis.comparison else None,
            "convention": self.rebased.convention.id if self.rebased else None,
            "peak_tflops_per_device": self.rebased.peak if self.rebased else None,
            "mapping": msgspec.to_builtins(log.mapping) if log.mapping else None,
            "unused_names": list(log.unused),
            "questions": [_question(question, tr) for question in normal.questions],
            "warnings": notices_list(self.notices, tr),
        }

    def _columns(self) -> Document:
        """Per column: whether it was read or derived, from what, and what it is a mean over."""
        columns: Document = {}
        for name in self.columns:
            quantity = self.normal.quantities[name]
            columns[name] = {"origin": quantity.origin, "average": quantity.average, "formula": quantity.formula}
        if self.rebased is not None:
            columns.update({name: {"origin": "scenario", "average": "", "formula": ""}
                            for name in self._rebased_columns})
        return columns

    def steps(self, first: int = 0, stop: int | None = None) -> Iterator[list[Document]]:
        """The steps of a range as objects, in pieces."""
        stop = len(self.normal) if stop is None else stop
        for start in range(first, stop, _PIECE):
            names, columns = self.piece(start, min(start + _PIECE, stop))
            yield [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]

    def piece(self, start: int, stop: int) -> tuple[tuple[str, ...], list[list[Any]]]:
        """Names and values of the columns of a range; None where a step has no value."""
        columns = [_plain(name, self.normal.quantities[name].values(start, stop)) for name in self.columns]
        if self.rebased is not None:
            made = {"tflops_per_device": self.rebased.tflops, "mfu": self.rebased.mfu, "hfu": self.rebased.hfu}
            columns += [_plain(name, made[name](start, stop)) for name in self._rebased_columns]
        names = (*self.columns, *self._rebased_columns)
        if self._flagged:
            return (*names, "flags"), [*columns, list(flags(self.normal, self.analysis, start, stop))]
        return names, columns

    def to_json(self, tr: Translator) -> Iterator[bytes]:
        """The whole object, one step a line."""
        head = msgspec.json.format(msgspec.json.encode(self.document(tr)), indent=2)
        yield head[: head.rstrip().rfind(b"}")].rstrip() + b',\n  "steps": ['
        separator = b"\n    "
        for objects in self.steps():
            for row in objects:
                yield separator + msgspec.json.encode(row)
                separator = b",\n    "
        yield b"\n  ]\n}\n"

    def to_json_lines(self, tr: Translator, block: int | None = None) -> Iterator[bytes]:
        """Steps, one a line or ``block`` of them a line in columns, and the summary as the last line."""
        yield from self.step_lines(0, len(self.normal), block)
        yield line({"type": "summary", **self.document(tr)})

    def step_lines(self, first: int, stop: int, block: int | None = None) -> Iterator[bytes]:
        """The steps of a range as JSON lines."""
        if block is None:
            for objects in self.steps(first, stop):
                yield b"".join(line({"type": "step", **row}) for row in objects)
            return
        for start in range(first, stop, block):
            names, columns = self.piece(start, min(start + block, stop))
            yield line({"type": "steps", **dict(zip(names, columns, strict=True))})

    def to_csv(self) -> Iterator[bytes]:
        """One row a step; the same in every language."""
        names, _ = self.piece(0, 0)
        yield text_table.csv([list(names)]).encode()
        for objects in self.steps():
            rows = [",".join(_cell(row[name]) for name in names) for row in objects]
            yield ("\r\n".join(rows) + "\r\n").encode()


def line(value: Document) -> bytes:
    """One JSON line."""
    return msgspec.json.encode(value) + b"\n"


def _plain(name: str, values: Iterable[float]) -> list[Any]:
    """Values as JSON has them: null for NaN, whole numbers for counts."""
    if name in _COUNTS:
        return [None if value != value else int(value) if value.is_integer() else value for value in values]
    return [value if isfinite(value) else None for value in values]


def _cell(value: Any) -> str:
    if isinstance(value, tuple):
        return " ".join(value)
    return "" if value is None else repr(value)


def _facts(facts: Facts) -> Document:
    return {name: {"value": fact.value, "origin": fact.origin, "where": fact.where} for name, fact in facts.items()}


def _question(question: Question, tr: Translator) -> Document:
    return {"key": question.key, "message": tr.sentence(question.code, question.values),
            "choices": [{"value": choice.value, "reason": tr.sentence(choice.reason) if choice.reason.startswith("log_")
                         else choice.reason} for choice in question.choices]}


def _statistics(normal: Normal, analysis: Analysis) -> Document:
    steps, table = normal.table.columns["step"], normal.table
    return {
        "first_step": steps[0], "last_step": steps[-1], "steps_in_figures": len(normal) - analysis.first,
        "first_step_in_figures": steps[analysis.first],
        "warm_up": {"steps": analysis.warm_up, "chosen_by": "user" if analysis.warm_up_given else "program"},
        "ramp_up": msgspec.to_builtins(analysis.ramp_up) if analysis.ramp_up else None,
        "figures": {name: _figures(found, name, analysis) for name, found in analysis.figures.items()},
        "slow_steps": analysis.slow, "fast_steps": analysis.fast,
        "stalls_and_pauses": [msgspec.to_builtins(event) for event in analysis.events],
        "stalls_and_pauses_left_out": analysis.events_left_out, "lost_s": analysis.lost_s,
        "restarts": list(table.restarts), "replaced_steps": table.replaced, "repeated_lines": table.repeated,
        "ranks": len(table.ranks), "unusable_values": table.unusable,
    }


def _figures(found: Any, name: str, analysis: Analysis) -> Document:
    figures: Document = msgspec.to_builtins(found)
    if name == "step_time_s":
        figures["wall_average"] = analysis.wall_average_s
    return figures
