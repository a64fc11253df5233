"""How fast the machine itself is: a fixed loop of pure Python, so that a reader of the table can tell a slow machine
from slow code.  The goals stay what they are.

The reference machine has two cores of a server at about 3 GHz and Python 3.11; it takes 0.040 s of processor time for
the loop while nothing else runs on it.  The same machine takes up to twice as long while neighbours use it.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

STEPS = 1_000_000


def loop() -> int:
    total = 0
    for step in range(STEPS):
        total += step
    return total


def test_machine(benchmark: Callable[..., Any]) -> None:
    taken: list[float] = []

    def once() -> None:
        start = time.process_time()
        loop()
        taken.append(time.process_time() - start)

    benchmark.pedantic(once, rounds=20, warmup_rounds=2)
    benchmark.extra_info["loop_s"] = statistics.median(taken)  # type: ignore[attr-defined]
