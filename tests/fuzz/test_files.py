"""A hundred thousand damaged files of every kind: no traceback, no hang, no growth.  `dev.py fuzz`."""

from __future__ import annotations

import random
import signal
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.hostile.files import KINDS, check, damaged

COUNT = {"config": 10_000, "log": 5_000, "events": 5_000}
LONGEST_S = 2
MOST_MIB = 400


@contextmanager
def no_hang(seconds: int) -> Iterator[None]:
    """A file that takes longer ends the test."""
    if not hasattr(signal, "SIGALRM"):
        yield
        return

    def late(*_: object) -> None:
        raise TimeoutError(f"more than {seconds} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def resident_mib() -> float:
    """Memory of this process; 0 where the system does not say it in /proc."""
    if sys.platform != "linux":
        return 0.0
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_files(kind: str) -> None:
    chance = random.Random(zlib.crc32(kind.encode()) + 1)
    before = resident_mib()
    for number in range(COUNT.get(kind, 16_000)):
        data = damaged(kind, chance)
        try:
            with no_hang(LONGEST_S):
                check(kind, data)
        except Exception as error:
            raise AssertionError(f"{kind} {number}: {data[:3000]!r}") from error
    assert resident_mib() - before < MOST_MIB
