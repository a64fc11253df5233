"""What can be varied: axes of a sweep, made from the tables of fields."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import msgspec
from msgspec.structs import replace

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.fields import FIELDS, Field, Kind, checked
from mfu_gui.engine.run import MEASURED_KEYS, Parallel
from mfu_gui.engine.scenario import Scenario
from mfu_gui.planning.memory_fields import MEMORY_FIELDS
from mfu_gui.planning.plan_fields import ENERGY_FIELDS, FAILURE_FIELDS, GOAL_FIELDS, MONEY_FIELDS
from mfu_gui.planning.step_fields import SPEED_FIELDS

MOST_POINTS = 4_000_000
"""Points of one sweep."""
KINDS: tuple[Kind, ...] = ("integer", "real", "fraction", "time", "choice")
"""Fields that hold one number or one choice can be varied."""
LAYOUT = "run.parallel."
MEASURED = tuple(f"run.measured.{key}" for key in MEASURED_KEYS)
Put = Callable[[Scenario, Any], Scenario]


class Axis(msgspec.Struct, frozen=True, kw_only=True):
    """One quantity with the values that it takes, in its own unit.

    ``label`` and ``unit`` are message ids.  ``get`` reads the value of a scenario, ``put`` makes a scenario
    with another one.  ``names`` are what the values are called where they are no numbers (message ids or
    names), one each.
    """

    key: str
    label: str
    unit: str = ""
    kind: Kind
    values: tuple[Any, ...]
    names: tuple[str, ...] = ()
    get: Callable[[Scenario], Any]
    put: Put


@lru_cache(maxsize=1)
def sweep_fields() -> dict[str, Field]:
    """Every field that can be varied, by its key."""
    tables = (FIELDS, GOAL_FIELDS, MONEY_FIELDS, ENERGY_FIELDS, FAILURE_FIELDS, SPEED_FIELDS, MEMORY_FIELDS)
    return {field.key: field for table in tables for field in table if field.kind in KINDS}


def axis_of(field: Field, values: Sequence[Any]) -> Axis:
    """An axis over a field.

    InputError ``sweep_no_values`` without values, and as ``checked`` for the first one that the field refuses.
    """
    if not values:
        raise InputError("sweep_no_values", field.key)
    if field.kind == "choice":
        for value in values:
            checked(field, value)
        labels = dict(field.choices)
        names = tuple(labels[value] for value in values)
    else:
        for value in (min(values), max(values)):  # all lie between the two
            checked(field, value)
        names = ()
    return Axis(key=field.key, label=field.label, unit=field.unit, kind=field.kind, values=tuple(values), names=names,
                get=field.get, put=_put(field))


def axis_of_key(key: str, values: Sequence[Any]) -> Axis:
    """An axis over the field with this key."""
    return axis_of(sweep_fields()[key], values)


def _put(field: Field) -> Put:
    """As the field's own, but a layout of 1 everywhere stays one that was said."""
    if not field.key.startswith(LAYOUT):
        return field.set
    name = field.key.removeprefix(LAYOUT)

    def put(scenario: Scenario, value: Any) -> Scenario:
        parallel = replace(scenario.run.parallel or Parallel(), **{name: int(value)})
        return replace(scenario, run=replace(scenario.run, parallel=parallel))

    return put


def applying(scenario: Scenario) -> list[Field]:
    """The fields that can be varied in this scenario."""
    return [field for field in sweep_fields().values() if field.applies(scenario)]


def check_axes(axes: Sequence[Axis]) -> None:
    """InputError unless these are one or two different axes with points that can be counted."""
    if not 1 <= len(axes) <= 2:
        raise InputError("sweep_axes", "", found=len(axes))
    if len(axes) == 2 and axes[0].key == axes[1].key:
        raise InputError("duplicate_name", "", name=axes[0].key)
    both = {axis.key for axis in axes}
    if len(both.intersection(MEASURED)) == 2:
        raise InputError("contradiction", "run.measured", key=axes[0].key, other=axes[1].key)
    points = 1
    for axis in axes:
        points *= len(axis.values)
    if points > MOST_POINTS:
        raise InputError("sweep_too_many", "", points=points, maximum=MOST_POINTS)
