"""First points while a log is still being read: a few of each piece, with the extremes, derived as in the end."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

from mfu_gui.formats.training_logs.header import Facts
from mfu_gui.formats.training_logs.normal import Normal
from mfu_gui.formats.training_logs.recognise import Candidate
from mfu_gui.formats.training_logs.table import Table

if TYPE_CHECKING:
    from mfu_gui.engine.scenario import Scenario

MOST_POINTS = 64
_CONTEXT = 64
"""Lines before a piece that its differences start from."""


def normal_of_range(candidate: Candidate, facts: Facts, scenario: Scenario | None, first: int, stop: int,
                    ) -> tuple[Normal, int]:
    """The normal form of a range of steps alone, and where the range begins in it."""
    start = max(0, first - _CONTEXT)
    part = Table()
    for name, column in candidate.table.columns.items():
        part.columns.setdefault(name, type(column)()).extend(column.values(start, stop))
    part.ranks = candidate.table.ranks
    exact = getattr(candidate.reader, "exact", False)
    normal = Normal(part, candidate.averages, facts, whole_seconds=candidate.form.whole_seconds and not exact)
    if scenario is not None:
        # Counting is imported when there is something to count, so that first points come at once.
        from mfu_gui.formats.training_logs.rebase import with_scenario

        normal = with_scenario(normal, scenario)
    return normal, first - start


def points(candidate: Candidate, facts: Facts, scenario: Scenario | None, first: int, stop: int) -> dict[str, Any]:
    """Columns of a few points of a range: step, step_time_s, where known the rate of a device, with a scenario mfu."""
    first = max(first, stop - 4096)
    normal, begin = normal_of_range(candidate, facts, scenario, first, stop)
    times = normal.all("step_time_s")
    steps = normal.table.columns["step"].raw()
    length = len(steps)
    places = set(range(begin, length, max(1, (length - begin) // MOST_POINTS)))
    known = [index for index in range(begin, length) if isfinite(times[index])]
    if known:
        places |= {min(known, key=times.__getitem__), max(known, key=times.__getitem__)}
    chosen = sorted(places)
    columns: dict[str, list[float]] = {"step": [steps[index] for index in chosen],
                                       "step_time_s": [times[index] for index in chosen]}
    if normal.get("tokens_per_s_per_device") is not None:
        rates = normal.all("tokens_per_s_per_device")
        columns["tokens_per_s_per_device"] = [rates[index] for index in chosen]
    if scenario is not None:
        from mfu_gui.formats.training_logs.rebase import Rebased

        shares = Rebased(normal, scenario).mfu(0, length)
        columns["mfu"] = [shares[index] for index in chosen]
    return {name: [value if isfinite(value) else None for value in values] for name, values in columns.items()}
