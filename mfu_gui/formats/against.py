"""MFU against another input than the time: exact evaluations, everything else as it is.

What was measured stays as it is too: with the step time known, twice the batch in the same time is twice the MFU;
with the throughput known, the MFU moves only with the FLOPs of a token.  No Qt here.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.evaluate import evaluate
from mfu_gui.engine.fields import BY_KEY, measured_key
from mfu_gui.engine.scenario import Scenario

AXES = ("run.devices", "run.sequence_length", "run.global_batch")
DOUBLINGS, PARTS = 4, 3
"""How far to both sides of the present value, and points for each doubling."""


class Spot(NamedTuple):
    """One evaluation.  ``utilization`` may exceed 1; ``hfu`` is None where it does, or cannot be said."""

    value: int
    utilization: float
    hfu: float | None
    step_time_s: float | None
    tokens_per_s_per_device: float | None


class Against(NamedTuple):
    """The line of one input: its field key, its present value, and its spots by rising value."""

    key: str
    present: int
    spots: tuple[Spot, ...]
    known: str
    """The measured quantity that stays as it is."""

    @property
    def here(self) -> Spot | None:
        """The spot of the present value."""
        return next((spot for spot in self.spots if spot.value == self.present), None)


def against(scenario: Scenario, key: str) -> Against | None:
    """``scenario`` evaluated at values around the present one; None where it has none, or nothing was measured."""
    field = BY_KEY[key]
    present, known = field.get(scenario), measured_key(scenario)
    if present is None or not known:
        return None
    spots = tuple(spot for value in values_around(present) if (spot := _spot(scenario, key, value)) is not None)
    return Against(key, present, spots, known) if spots else None


def values_around(present: int) -> list[int]:
    """Whole numbers, evenly apart in ratio, the present one and its doublings among them."""
    steps = range(-DOUBLINGS * PARTS, DOUBLINGS * PARTS + 1)
    return sorted({max(1, round(present * 2.0 ** (step / PARTS))) for step in steps})


def doublings(present: int) -> list[int]:
    """The present value, its halves and doubles: where the axis has its marks."""
    halves = [present // 2**power for power in range(DOUBLINGS + 1) if present % 2**power == 0]
    return sorted({*halves, *(present * 2**power for power in range(DOUBLINGS + 1))})


def _spot(scenario: Scenario, key: str, value: int) -> Spot | None:
    try:
        result = evaluate(BY_KEY[key].set(scenario, value))
    except InputError:  # documents that are longer than the sequence, and the like
        return None
    used = result.mfu if result.mfu is not None else result.hfu if result.hfu is not None else result.implied_mfu
    if used is None or not math.isfinite(used):
        return None
    rates = result.throughput
    return Spot(value, used, result.hfu, rates.step_time_s, rates.tokens_per_s_per_device)
