"""Old files brought to the present shape, one version at a time.

A migration is a pure function from the JSON object of one schema to that of the next; it never
changes what it is given.  ``MIGRATIONS[kind][0]`` leads from schema 1 to 2, and so on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mfu_gui.engine.errors import InputError

Object = dict[str, Any]
Migration = Callable[[Object], Object]

MIGRATIONS: Mapping[str, tuple[Migration, ...]] = {
    "mfu-scenario": (),
    "mfu-model": (),
    "mfu-hardware": (),
    "mfu-workspace": (),
}


def current_schema(kind: str, migrations: Mapping[str, tuple[Migration, ...]] = MIGRATIONS) -> int:
    """The schema that this version writes."""
    return len(migrations.get(kind, ())) + 1


def migrated(
    data: Any, kind: str, source: str = "", migrations: Mapping[str, tuple[Migration, ...]] = MIGRATIONS
) -> Object:
    """The object of a file of this kind in its present shape.

    InputError: ``wrong_type`` (not an object), ``wrong_kind``, ``missing`` (no schema), ``newer_schema``,
    ``out_of_range`` (a schema below 1).
    """
    file = {"file": source} if source else {}
    if not isinstance(data, dict):
        raise InputError("wrong_type", "", expected="object", **file)
    found = data.get("kind")
    if found != kind:
        raise InputError("wrong_kind", "kind", found_kind=found, wanted_kind=kind, **file)
    schema = data.get("schema")
    if schema is None:
        raise InputError("missing", "schema", key="schema", **file)
    if isinstance(schema, float) and schema.is_integer():
        schema = int(schema)
    if not isinstance(schema, int) or isinstance(schema, bool):
        raise InputError("wrong_type", "schema", expected="int", value=schema, **file)
    supported = current_schema(kind, migrations)
    if schema > supported:
        raise InputError("newer_schema", "schema", schema=schema, supported=supported, **file)
    if schema < 1:
        raise InputError("out_of_range", "schema", value=schema, minimum=1, maximum=supported, **file)
    for step in migrations.get(kind, ())[schema - 1 :]:
        data = step(data)
    return {**data, "schema": supported}
