"""Twenty thousand damaged configs: `dev.py fuzz`."""

from __future__ import annotations

import random

import pytest

from tests.formats.hf_config.mutants import class_seeds, mutant, seeds
from tests.formats.hf_config.test_mutants import COMPLETE, check


@pytest.mark.parametrize("part", range(20))
def test_damaged_configs(part: int) -> None:
    chance = random.Random(1000 + part)
    originals = [*seeds(), *COMPLETE]
    for _ in range(1000):
        check(mutant(chance.choice(originals), chance))


@pytest.mark.parametrize("part", range(20))
def test_damaged_configs_of_each_class(part: int) -> None:
    chance = random.Random(3000 + part)
    originals = class_seeds()
    for _ in range(1000):
        check(mutant(chance.choice(originals), chance))
