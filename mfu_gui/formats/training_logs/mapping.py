"""Which column of a table is what: proposed from names and values, or said by the user and saved.

A saved mapping is JSON of the kind ``mfu-log-mapping``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isfinite
from pathlib import Path
from typing import Literal

import msgspec

from mfu_gui.engine.errors import InputError
from mfu_gui.formats import atomic, strict_json
from mfu_gui.formats.convert import convert
from mfu_gui.formats.nearest import nearest
from mfu_gui.formats.training_logs.columns import COLUMNS, Average
from mfu_gui.formats.training_logs.names import STEP_NAMES, Meaning, meanings_of, units_of

KIND: Literal["mfu-log-mapping"] = "mfu-log-mapping"
LIKELY_MILLISECONDS = 100.0
"""Steps of more than this many seconds are rarer than steps of so many milliseconds."""


class Source(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True,
             rename={"name": "from"}):
    """Where a column comes from: the name in the file, and the unit it is written in there."""

    name: str
    unit: str = ""
    average: Average = "interval"


class LogMapping(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Which metric of a log is which column."""

    kind: Literal["mfu-log-mapping"]
    schema: Literal[1]
    name: str = ""
    columns: dict[str, Source]


class Doubt(msgspec.Struct, frozen=True):
    """A metric that can mean several things; the first is assumed until somebody says otherwise."""

    name: str
    meanings: tuple[Meaning, ...]


class Proposal(msgspec.Struct, frozen=True):
    """A mapping made from names, what is doubtful in it, and the names that mean nothing known."""

    mapping: LogMapping
    doubts: tuple[Doubt, ...]
    unused: tuple[str, ...]


def check(mapping: LogMapping) -> LogMapping:
    """The mapping itself; InputError for a column or a unit that there is not, or a mapping of nothing."""
    for column, source in mapping.columns.items():
        if column not in COLUMNS:
            raise InputError("unknown_key", "columns", key=column, nearest=nearest(column, list(COLUMNS)),
                             allowed=", ".join(COLUMNS))
        units = units_of(column)
        if source.unit and source.unit not in units:
            raise InputError("unknown_choice", f"columns.{column}.unit", value=source.unit, allowed=", ".join(units))
    if not mapping.columns:
        raise InputError("required", "columns")
    return mapping


def per_of(column: str, unit: str) -> float:
    """What a value in this unit is divided by."""
    return units_of(column)[unit] if unit else 1.0


def read_mapping(path: str | Path) -> LogMapping:
    """A saved mapping; InputError for a file that is none."""
    source = Path(path).name
    value = strict_json.load(path)
    kind = value.get("kind") if isinstance(value, dict) else None
    if kind != KIND:
        raise InputError("wrong_kind", "kind", found_kind=kind, wanted_kind=KIND, file=source)
    return check(convert(value, LogMapping, source=source))


def write_mapping(path: str | Path, mapping: LogMapping) -> None:
    """Save a mapping, all of it or nothing."""
    atomic.write_bytes(path, msgspec.json.format(msgspec.json.encode(check(mapping)), indent=2) + b"\n")


def propose(names: Iterable[str], samples: Mapping[str, list[float]] | None = None) -> Proposal:
    """A mapping of the names that are known.

    ``samples``: some values of each metric; they settle whether a utilization is a percentage and,
    often, whether a time is in milliseconds.
    """
    names, samples = list(names), samples or {}
    columns: dict[str, Source] = {}
    doubts: list[Doubt] = []
    unused = []
    for name in sorted(names, key=_precedence):
        meanings = _possible(meanings_of(name), samples.get(name, []), columns)
        if not meanings:
            unused.append(name)
            continue
        first = meanings[0]
        columns[first.column] = Source(name=name, unit=first.unit, average=first.average)
        if len(meanings) > 1:
            doubts.append(Doubt(name, meanings))
    mapping = LogMapping(kind=KIND, schema=1, columns=columns)
    return Proposal(mapping, tuple(doubts), tuple(sorted(unused, key=names.index)))


def _precedence(name: str) -> tuple[int, int]:
    """Certain names before doubtful ones, and step numbers in the order of their table."""
    return len(meanings_of(name)), STEP_NAMES.index(name) if name in STEP_NAMES else 0


def _possible(meanings: tuple[Meaning, ...], values: list[float], taken: Mapping[str, Source]) -> tuple[Meaning, ...]:
    """The meanings that are still free and that the values allow, the likely one first."""
    free = tuple(meaning for meaning in meanings if meaning.column not in taken)
    sizes = sorted(abs(value) for value in values if isfinite(value))
    largest = sizes[-1] if sizes else 0.0
    if len(free) < 2 or not largest:
        return free
    if {meaning.column for meaning in free} <= {"mfu", "hfu"} and largest > 1.5:
        return tuple(meaning for meaning in free if meaning.unit == "percent")
    if {meaning.column for meaning in free} == {"step_time_s"} and sizes[len(sizes) // 2] > LIKELY_MILLISECONDS:
        return tuple(sorted(free, key=lambda meaning: meaning.unit != "ms"))
    return free
