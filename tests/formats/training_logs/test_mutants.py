"""Two hundred damaged logs of every format: read or refused, never a mistake of the program, never a hang."""

from __future__ import annotations

import random
import zlib

import pytest

from tests.formats.training_logs.mutants import NAMES, check, mutant


@pytest.mark.parametrize("form", NAMES)
def test_damaged_logs(form: str) -> None:
    chance = random.Random(zlib.crc32(form.encode()))
    logs = sum(check(mutant(form, chance), chance) for _ in range(200))
    assert logs > 5, "hardly any is read, so that little was tested"
