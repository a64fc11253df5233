"""Old files are brought forward, newer ones refused."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from mfu_gui.engine.errors import InputError
from mfu_gui.formats.migrations import MIGRATIONS, current_schema, migrated


def _seconds(data: dict[str, Any]) -> dict[str, Any]:
    return {**{key: value for key, value in data.items() if key != "ms"}, "s": data["ms"] / 1000}


def _nested(data: dict[str, Any]) -> dict[str, Any]:
    return {"kind": data["kind"], "schema": data["schema"], "run": {"s": data["s"]}}


FAKE = {"mfu-scenario": (_seconds, _nested)}


def test_each_step_runs_once_and_in_order() -> None:
    old = {"kind": "mfu-scenario", "schema": 1, "ms": 2000}
    before = copy.deepcopy(old)
    expected = {"kind": "mfu-scenario", "schema": 3, "run": {"s": 2.0}}
    assert migrated(old, "mfu-scenario", "", FAKE) == expected
    assert old == before
    assert migrated({"kind": "mfu-scenario", "schema": 2, "s": 2.0}, "mfu-scenario", "", FAKE) == expected
    assert migrated(expected, "mfu-scenario", "", FAKE) == expected


@pytest.mark.parametrize(
    ("data", "code", "field"),
    [
        ([], "wrong_type", ""),
        ("text", "wrong_type", ""),
        ({}, "wrong_kind", "kind"),
        ({"kind": "mfu-model", "schema": 1}, "wrong_kind", "kind"),
        ({"kind": ["mfu-scenario"], "schema": 1}, "wrong_kind", "kind"),
        ({"kind": "mfu-scenario"}, "missing", "schema"),
        ({"kind": "mfu-scenario", "schema": "1"}, "wrong_type", "schema"),
        ({"kind": "mfu-scenario", "schema": True}, "wrong_type", "schema"),
        ({"kind": "mfu-scenario", "schema": 1.5}, "wrong_type", "schema"),
        ({"kind": "mfu-scenario", "schema": 4}, "newer_schema", "schema"),
        ({"kind": "mfu-scenario", "schema": 10**30}, "newer_schema", "schema"),
        ({"kind": "mfu-scenario", "schema": 0}, "out_of_range", "schema"),
    ],
)
def test_refuses(data: Any, code: str, field: str) -> None:
    with pytest.raises(InputError) as caught:
        migrated(data, "mfu-scenario", "f.mfu", FAKE)
    assert (caught.value.code, caught.value.field, caught.value.values["file"]) == (code, field, "f.mfu")


def test_says_how_new_a_file_may_be() -> None:
    with pytest.raises(InputError) as caught:
        migrated({"kind": "mfu-scenario", "schema": 9}, "mfu-scenario", "", FAKE)
    assert (caught.value.values["schema"], caught.value.values["supported"]) == (9, 3)
    assert current_schema("mfu-scenario", FAKE) == 3


def test_every_kind_of_file_has_its_row() -> None:
    assert set(MIGRATIONS) == {"mfu-scenario", "mfu-model", "mfu-hardware", "mfu-workspace"}
