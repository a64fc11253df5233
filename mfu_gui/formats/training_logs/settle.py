"""Settles what a name alone does not: by what the user said, by clocks, by the identity; asks for the rest."""

from __future__ import annotations

from array import array
from math import isfinite, isnan

from mfu_gui.formats.training_logs import intervals
from mfu_gui.formats.training_logs.columns import Average, Column
from mfu_gui.formats.training_logs.header import Facts
from mfu_gui.formats.training_logs.mapping import Doubt
from mfu_gui.formats.training_logs.names import Meaning, units_of
from mfu_gui.formats.training_logs.normal import Normal
from mfu_gui.formats.training_logs.questions import Answers, Choice, Question, about_metric
from mfu_gui.formats.training_logs.recognise import Candidate
from mfu_gui.formats.training_logs.statistics import finite, median
from mfu_gui.formats.training_logs.table import Table
from mfu_gui.formats.training_logs.values import NAN

_AGREES = 0.3
"""Clocks count pauses too, so a unit only has to be of the right size."""
_IDENTITY = 0.05
_USUAL_LENGTHS = ("4096", "8192", "2048")


def settle(table: Table, averages: dict[str, Average], doubts: tuple[Doubt, ...], answers: Answers, facts: Facts,
           ) -> tuple[Doubt, ...]:
    """Give each doubtful metric the meaning that is answered or proved; the doubts that remain."""
    remaining = []
    for doubt in doubts:
        answer = answers.meanings.get(doubt.name)
        if answer is None:
            answer = _proved(table, doubt, facts)
        if answer is None:
            remaining.append(doubt)
        else:
            _move(table, averages, doubt.meanings[0], answer)
    return tuple(remaining)


def _move(table: Table, averages: dict[str, Average], assumed: Meaning, meant: Meaning) -> None:
    """Values that were read as one column and unit belong to another."""
    column = table.columns.pop(assumed.column, None)
    if column is None:
        return
    factor = units_of(assumed.column).get(assumed.unit, 1.0) / units_of(meant.column).get(meant.unit, 1.0)
    if factor != 1.0:
        scaled = Column()
        scaled.extend(array("d", (value * factor for value in column.raw())))
        column = scaled
    table.columns[meant.column] = column
    averages[meant.column] = averages.pop(assumed.column, meant.average)


def _proved(table: Table, doubt: Doubt, facts: Facts) -> Meaning | None:
    """The one meaning that agrees with the rest of the log."""
    column = table.column(doubt.meanings[0].column)
    numbers = finite(column.raw()) if column else None
    if not numbers:
        return None
    value = median(numbers) * units_of(doubt.meanings[0].column).get(doubt.meanings[0].unit, 1.0)
    columns = {meaning.column for meaning in doubt.meanings}
    if columns == {"step_time_s"}:
        return _by_clock(table, doubt, value)
    if columns == {"tokens_per_s", "tokens_per_s_per_device"}:
        return _by_identity(table, doubt, value, facts)
    return None


def _by_clock(table: Table, doubt: Doubt, value: float) -> Meaning | None:
    steps = table.columns["step"].raw()
    for name in ("elapsed_s", "wall_s"):
        clock = table.column(name)
        if clock is None or len(table) < 3:
            continue
        paces = finite(intervals.per_step(steps, clock.raw()))
        if not paces:
            continue
        pace = median(paces)
        fitting = [meaning for meaning in doubt.meanings
                   if abs(value / units_of("step_time_s").get(meaning.unit, 1.0) / pace - 1) < _AGREES]
        if len(fitting) == 1:
            return fitting[0]
    return None


def _by_identity(table: Table, doubt: Doubt, value: float, facts: Facts) -> Meaning | None:
    time, tokens = _typical(table, "step_time_s"), _typical(table, "tokens")
    if isnan(tokens):
        tokens = _size(table, "global_batch", facts) * _size(table, "sequence_length", facts)
    devices = _size(table, "devices", facts)
    if devices == 1 or not isfinite(time * tokens * devices) or not tokens:
        return None
    for meaning in doubt.meanings:
        scale = devices if meaning.column == "tokens_per_s_per_device" else 1.0
        if abs(value * scale * time / tokens - 1) < _IDENTITY:
            return meaning
    return None


def _typical(table: Table, name: str) -> float:
    column = table.column(name)
    numbers = finite(column.raw()) if column else None
    return median(numbers) if numbers else NAN


def _size(table: Table, name: str, facts: Facts) -> float:
    typical = _typical(table, name)
    return typical if isfinite(typical) else float(facts[name].value) if name in facts else NAN


def questions_of(normal: Normal, candidate: Candidate, doubts: tuple[Doubt, ...]) -> list[Question]:
    """What remains open: metrics with two meanings, and the facts without which no MFU follows."""
    questions = [about_metric(doubt) for doubt in doubts]
    if "log_metric_without_name" in candidate.form.remarks and "Value" in getattr(candidate.reader, "unused", ()):
        choices = tuple(Choice(text) for text in ("step_time_s:s", "tflops_per_device:TFLOP/s", "mfu:percent",
                                                  "tokens_per_s_per_device", "tokens_per_s", "loss"))
        questions.append(Question("log_ask_metric", "Value", choices, {"name": "Value"}))
    if normal.get("tokens_per_s_per_device") is None:
        if normal.get("tokens") is None and normal.get("tokens_per_s") is None:
            if not isfinite(normal.value("sequence_length")):
                questions.append(_about_length(normal))
            if normal.get("global_batch") is None and not isfinite(normal.value("global_batch")):
                questions.append(Question("log_ask_global_batch", "global_batch"))
        if not isfinite(normal.value("devices")):
            questions.append(_about_devices(normal, candidate.table))
    return questions


def _about_length(normal: Normal) -> Question:
    longest = normal.facts.get("longest_sequence")
    likely = [Choice(str(longest.value), longest.where)] if longest is not None else []
    return Question("log_ask_sequence_length", "sequence_length",
                    (*likely, *(Choice(text) for text in _USUAL_LENGTHS if not longest or text != str(longest.value))))


def _about_devices(normal: Normal, table: Table) -> Question:
    choices = [Choice(str(len(table.ranks)), "log_because_ranks")] if len(table.ranks) > 1 else []
    weighted = normal.typical("weighted_tokens")
    each = normal.typical("tokens_per_s_per_device") * normal.typical("step_time_s")
    if isfinite(weighted / each if each else NAN):
        choices.append(Choice(str(max(1, round(weighted / each))), "log_because_weights"))
    return Question("log_ask_devices", "devices", tuple(choices))
