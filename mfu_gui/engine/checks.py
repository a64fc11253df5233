"""Warnings as data, and what cannot be computed as errors."""

from __future__ import annotations

from mfu_gui.engine.errors import Notice
from mfu_gui.engine.scenario import Result, Scenario


def notices(scenario: Scenario, result: Result) -> tuple[Notice, ...]:
    """Remarks on a scenario and its result that a careful colleague would make."""
    return ()
