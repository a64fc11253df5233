"""The laws on some random scenarios of what ships; `dev.py fuzz` takes thousands."""

from __future__ import annotations

import pytest

from tests.laws.shipped import check_laws


@pytest.mark.parametrize("seed", range(2))
def test_laws(seed: int) -> None:
    check_laws(40, seed)
