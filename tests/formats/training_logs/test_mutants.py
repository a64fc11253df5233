"""Two hundred damaged logs of every format: read or refused, never a mistake of the program, never a hang."""

from __future__ import annotations

import random
import zlib

import pytest

from tests.formats.training_logs.mutants import NAMES, check, mutant

FOUND = (
    # So few TFLOP/s that a token has no FLOPs, and none to divide by.
    b"Throughput: 16.00 samples/sec, TFLOPS per GPU by Megatron: 1e-320 TFLOPS per GPU: 175.20\n",
)
"""What `dev.py fuzz` found."""


@pytest.mark.parametrize("form", NAMES)
def test_damaged_logs(form: str) -> None:
    chance = random.Random(zlib.crc32(form.encode()))
    logs = sum(check(mutant(form, chance), chance) for _ in range(200))
    assert logs > 5, "hardly any is read, so that little was tested"


@pytest.mark.parametrize("data", FOUND)
def test_what_was_found_once(data: bytes) -> None:
    assert check(data, random.Random(1), share=1)
