"""Running the command line inside the test, as a person would run it."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from mfu_gui.cli import main

DATA = Path(__file__).resolve().parent.parent / "data"
SCENARIOS = DATA / "scenarios"


class Done(NamedTuple):
    """What a command left behind."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as JSON, without NaN or Infinity."""
        return json.loads(self.out, parse_constant=pytest.fail)


Cli = Callable[..., Done]


@pytest.fixture
def cli(capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Cli:
    """``cli("compute", path, stdin=b"…")``: runs a command and returns what it left behind."""

    def run(*arguments: str | Path, stdin: bytes = b"") -> Done:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsysbinary.readouterr()
        status = main([str(argument) for argument in arguments])
        out, err = capsysbinary.readouterr()
        return Done(status, out.decode(), err.decode())

    return run


@pytest.fixture
def scenario() -> dict[str, Any]:
    """DeepSeek-V3 on 2048 H800, as an object that a test may change."""
    value: dict[str, Any] = json.loads((SCENARIOS / "deepseek-v3-2048-h800.mfu").read_text(encoding="utf-8"))
    return value
