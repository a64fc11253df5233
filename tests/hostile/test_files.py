"""Two thousand damaged and harmful files of every kind; `dev.py fuzz` reads a hundred thousand."""

from __future__ import annotations

import json
import random
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.hostile.files import KINDS, check, damaged, good, nothing_else_happens

COUNT = {"log": 150, "events": 200, "config": 250}


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_files(kind: str) -> None:
    chance = random.Random(zlib.crc32(kind.encode()))
    accepted = 0
    for number in range(COUNT.get(kind, 300)):
        data = damaged(kind, chance)
        try:
            accepted += check(kind, data)
        except Exception as error:
            raise AssertionError(f"{kind} {number}: {data[:3000]!r}") from error
    assert accepted, "nothing was read, so this test proves nothing"


@settings(max_examples=40)
@given(st.sampled_from(KINDS), st.binary(max_size=300))
def test_any_bytes(kind: str, data: bytes) -> None:
    check(kind, data)


@settings(max_examples=60)
@given(st.sampled_from(("scenario", "workspace", "preset", "mapping", "config")), st.data())
def test_any_json(kind: str, data: st.DataObject) -> None:
    leaves = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
    words = ("kind", "schema", "name", "model", "run", "hardware", "scenarios", "spec", "columns")
    keys = st.sampled_from(words) | st.text(max_size=8)
    value = data.draw(st.dictionaries(keys, st.recursive(
        leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3), max_leaves=8)))
    known = {"scenario": "mfu-scenario", "workspace": "mfu-workspace", "preset": "mfu-model",
             "mapping": "mfu-log-mapping"}
    if data.draw(st.booleans()) and kind in known:
        value |= {"kind": known[kind], "schema": 1}
    check(kind, json.dumps(value).encode())


def test_good_files_are_accepted() -> None:
    for kind in KINDS:
        seed = good(kind)[0]
        assert check(kind, seed if isinstance(seed, bytes) else json.dumps(seed).encode())


def test_the_watch_sees_a_file_that_is_opened(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("")
    with pytest.raises(AssertionError, match="secret"), nothing_else_happens():
        (tmp_path / "secret").read_text()
