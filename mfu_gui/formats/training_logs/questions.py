"""What a log does not settle, as questions with the likely answer first."""

from __future__ import annotations

from typing import Any

import msgspec

from mfu_gui.engine.errors import InputError
from mfu_gui.formats.training_logs.columns import COLUMNS
from mfu_gui.formats.training_logs.mapping import Doubt
from mfu_gui.formats.training_logs.names import Meaning, units_of

FACTS = ("devices", "sequence_length", "global_batch")
_MOST = 10**12


class Choice(msgspec.Struct, frozen=True):
    """A possible answer and, as the code of a sentence, why it is one."""

    value: str
    reason: str = ""


class Question(msgspec.Struct, frozen=True):
    """``key`` is what an answer is given for: a fact, or the name of a metric in the log."""

    code: str
    key: str
    choices: tuple[Choice, ...] = ()
    values: dict[str, Any] = {}


class Answers(msgspec.Struct, frozen=True):
    """What the user said: facts by their name, meanings by the name of the metric."""

    facts: dict[str, int] = {}
    meanings: dict[str, Meaning] = {}


def about_metric(doubt: Doubt) -> Question:
    """What a metric with an ambiguous name means."""
    choices = tuple(Choice(written(meaning)) for meaning in doubt.meanings)
    return Question("log_ask_metric", doubt.name, choices, {"name": doubt.name})


def written(meaning: Meaning) -> str:
    """``step_time_s:ms``; the form in which a meaning is answered."""
    return f"{meaning.column}:{meaning.unit}" if meaning.unit else meaning.column


def read_answers(texts: list[str]) -> Answers:
    """Answers of the form NAME=VALUE: ``devices=512``, ``throughput=tokens_per_s_per_device``, ``dt=step_time_s:ms``.

    InputError ``log_bad_answer``, ``unknown_choice`` or ``out_of_range``, its field the name.
    """
    facts: dict[str, int] = {}
    meanings: dict[str, Meaning] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name or not value:
            raise InputError("log_bad_answer", "--set", text=text)
        if name in FACTS:
            facts[name] = _whole(name, value)
            continue
        column, _, unit = value.partition(":")
        if column not in COLUMNS:
            raise InputError("unknown_choice", name, value=column, allowed=", ".join(COLUMNS))
        if unit and unit not in units_of(column):
            raise InputError("unknown_choice", name, value=unit, allowed=", ".join(units_of(column)))
        meanings[name] = Meaning(column, unit)
    return Answers(facts, meanings)


def _whole(name: str, text: str) -> int:
    plain = text.replace(",", "").replace("_", "")
    if not plain.isascii() or not plain.isdigit() or len(plain) > 18 or not 1 <= int(plain) <= _MOST:
        raise InputError("out_of_range", name, value=text, minimum=1, maximum=_MOST)
    return int(plain)
