"""The laws on four thousand random scenarios of what ships: `dev.py fuzz`."""

from __future__ import annotations

import pytest

from tests.laws.shipped import check_laws


@pytest.mark.parametrize("seed", range(100, 108))
def test_laws(seed: int) -> None:
    check_laws(500, seed)
