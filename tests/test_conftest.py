"""The guards of the test run itself."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st


def test_network_is_refused() -> None:
    with socket.socket() as probe, pytest.raises(RuntimeError, match="network"):
        probe.connect(("127.0.0.1", 9))
    with pytest.raises(RuntimeError, match="network"):
        socket.getaddrinfo("localhost", 80)


def test_profile_is_empty_and_leads_away_from_the_user(profile: Path) -> None:
    assert os.environ["MFU_GUI_HOME"] == str(profile)
    assert not profile.exists()
    for name in ("CONFIG", "DATA", "CACHE", "STATE"):
        assert Path(os.environ[f"XDG_{name}_HOME"]).is_relative_to(profile.parent)


_seen: list[list[int]] = [[], []]


@pytest.mark.parametrize("run", [0, 1])
def test_hypothesis_tries_the_same_examples_each_time(run: int) -> None:
    @given(st.integers())
    def collect(value: int) -> None:
        _seen[run].append(value)

    collect()
    assert _seen[0] == _seen[run]
