"""Two hundred damaged logs of every format: read or refused, never a mistake of the program, never a hang."""

from __future__ import annotations

import itertools
import random
import zlib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mfu_gui.formats.training_logs.statistics import summary
from tests.formats.training_logs.mutants import NAMES, check, mutant

FOUND = (
    # So few TFLOP/s that a token has no FLOPs, and none to divide by.
    b"Throughput: 16.00 samples/sec, TFLOPS per GPU by Megatron: 1e-320 TFLOPS per GPU: 175.20\n",
    (b"Training epoch 0, iteration 20/99 | lr: 3e-05 | global_batch_size: 128 | global_step: 20 | reduced_train_loss: 7.912 "
    b"| train_step_timing in s: 4.01e-320| TFLOPS_per_GPU: 3.86e+02 | consumed_samples: 2688\n"),
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


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=40))
@example([1.7e308] * 9)
@example([-1.7e308, 1.7e308, 1.7e308])
def test_figures_of_finite_values_are_finite_and_among_them(values: list[float]) -> None:
    """A sum may be larger than the largest number, and two values further apart than it."""
    found = summary(values)
    assert found is not None
    least, most = min(values), max(values)
    assert (found.minimum, found.maximum, found.count) == (least, most, len(values))
    slack = 1e-12 * max(abs(least), abs(most))
    for value in (found.mean, found.median, *found.percentiles.values()):
        assert least - slack <= value <= most + slack
    in_order = [found.percentiles[key] for key in sorted(found.percentiles, key=int)]
    assert all(one <= other + slack for one, other in itertools.pairwise(in_order))
