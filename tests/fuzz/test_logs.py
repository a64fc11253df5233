"""Five thousand damaged logs of every format: `dev.py fuzz`."""

from __future__ import annotations

import random
import zlib

import pytest

from tests.formats.training_logs.mutants import NAMES, check, mutant


@pytest.mark.parametrize("form", NAMES)
def test_damaged_logs(form: str) -> None:
    chance = random.Random(zlib.crc32(form.encode()) + 1)
    for number in range(5000):
        data = mutant(form, chance)
        try:
            check(data, chance)
        except Exception as error:
            raise AssertionError(f"log {number}: {data!r}") from error
