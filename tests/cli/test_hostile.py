"""Scenarios and configs with something wrong somewhere: computed or refused, never a mistake of the program."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.cli.conftest import DATA, SCENARIOS, Cli, Done

SCENARIO_FILES = sorted(SCENARIOS.glob("*.mfu"))
CONFIG_FILES = sorted((DATA / "hf_configs").glob("[!i]*.json"))
# The fixtures are for one command, and each example runs one.
ONE_COMMAND = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])

NUMBERS = (st.integers(-(10**40), 10**40) | st.floats(allow_nan=False, allow_infinity=False)
           | st.sampled_from([0, 1, -1, 2**63, 2**64, 10**308, 0.0, 5e-324, 1e308, 1e-300]))
LEAVES = st.none() | st.booleans() | NUMBERS | st.text(max_size=30)
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner,
                                                                                         max_size=3), max_leaves=6)


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """(container, key) of everything inside ``value``."""
    keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in list(keys):
        yield value, key
        yield from places(value[key])


@st.composite
def damaged(draw: st.DrawFn, files: list[Path]) -> bytes:
    """A file with up to three values replaced, removed or doubled, or some bytes changed."""
    data = draw(st.sampled_from(files)).read_bytes()
    if draw(st.integers(0, 4)) == 0:
        start = draw(st.integers(0, len(data)))
        end = draw(st.integers(start, min(len(data), start + 20)))
        return data[:start] + draw(st.binary(max_size=20)) + data[end:]
    value = json.loads(data)
    for _ in range(draw(st.integers(1, 3))):
        container, key = draw(st.sampled_from(list(places(value))))
        action = draw(st.sampled_from(["replace", "replace", "remove", "rename"]))
        if action == "replace":
            container[key] = draw(VALUES)
        elif action == "remove" or isinstance(container, list):
            del container[key]
        else:
            container[draw(st.text(max_size=8))] = container.pop(key)
        if not list(places(value)):
            break
    return json.dumps(value).encode()


def lawful(done: Done) -> None:
    assert done.status in (0, 2), done.err
    assert (done.out == "") == (done.status == 2)
    if done.status == 2:
        assert done.err.count("\n") == 1
        assert len(done.err) < 1500


@ONE_COMMAND
@given(damaged(SCENARIO_FILES), st.sampled_from(["json", "text", "csv", "markdown"]), st.sampled_from(["en", "zh"]))
def test_compute(cli: Cli, data: bytes, form: str, language: str) -> None:
    done = cli("compute", "-", "--format", form, "--lang", language, stdin=data)
    lawful(done)
    if form == "json" and done.status == 0:
        assert done.json["kind"] == "mfu-result"


@ONE_COMMAND
@given(damaged(CONFIG_FILES))
def test_inspect(cli: Cli, data: bytes) -> None:
    lawful(cli("inspect", "-", "--sequence-length", "64", "--decoder-sequence-length", "8", stdin=data))


@ONE_COMMAND
@given(damaged(CONFIG_FILES))
def test_conventions(cli: Cli, data: bytes) -> None:
    done = cli("conventions", "-", "--sequence-length", "64", "--decoder-sequence-length", "8", stdin=data)
    lawful(done)


WORDS = ["compute", "inspect", "conventions", "presets", "schema", "--help", "--format", "json", "text", "-", "--lang",
         "zh", "--batch", "7", "--sequence-length", "--"]
ANY_WORD = st.sampled_from(WORDS) | st.text(st.characters(exclude_characters="\0"), max_size=12)


@ONE_COMMAND
@given(arguments=st.lists(ANY_WORD, min_size=1, max_size=6))
def test_arguments(cli: Cli, monkeypatch: pytest.MonkeyPatch, arguments: list[str]) -> None:
    import sys
    import types

    window = types.ModuleType("mfu_gui.ui.app")
    window.run = lambda paths: 0  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "mfu_gui.ui.app", window)
    done = cli(*arguments)
    assert done.status in (0, 2), done.err
