"""How far off step times are: the model by itself, predictions from a measured run, and other predictors.

`python3 packaging/dev.py bench` prints the table after the timings; `python -m tests.benchmarks.accuracy` alone.
Every measured step of the shipped published rows and of the runs in tests/data is in it, by the set it comes from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import permutations
from statistics import fmean, median
from typing import NamedTuple

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.evaluate import evaluate
from mfu_gui.engine.scenario import Scenario
from mfu_gui.formats.published import published
from mfu_gui.planning.anchored import affine_in_micro_batches, changed, predict
from mfu_gui.planning.step_time import floor_s
from tests.planning.step_runs import (
    MT_NLG,
    RUNS,
    b200,
    calculon,
    megatron,
    megatron_pairs,
    of_set,
    printed_step_s,
    published_scenario,
)

SIMUMAX = "SimuMax 5.6 / 13.5"
REFERENCE = {
    "Megatron A100, Korthikanti table 5": "calculon 3.65 / 8.9",
    "Megatron A100, Narayanan table 1": "calculon 7.4 / 12.1",
    "Megatron A100, Narayanan table 2": "calculon 10.3 / 12.5",
    "MT-NLG 530B": "calculon 29.7 / 31.3",
    "B200, SimuMax runs": SIMUMAX,
}
"""What an error study of those programs found on the same rows (mean / largest, per cent)."""
MOST_PAIRS = 400
"""Pairs of one set that are predicted: more change no mean."""


class Row(NamedTuple):
    """One set: number of rows, then errors as fractions."""

    name: str
    rows: int
    floor: Sequence[float]
    anchored: Sequence[float]
    peer: Sequence[float]
    note: str = ""


def _floor_errors(pairs: Iterable[tuple[Scenario, float]]) -> list[float]:
    return [floor_s(scenario) / measured - 1 for scenario, measured in pairs]


def _anchored_errors(pairs: Iterable[tuple[Scenario, Scenario, float]]) -> list[float]:
    return [predict(first, second).step_time_s / measured - 1 for first, second, measured in pairs]


def megatron_rows() -> list[Row]:
    """The A100 sets, calculon beside them."""
    sets = {"Megatron A100, Korthikanti table 5": ("korthikanti",),
            "530B with 8 replicas": ("korthikanti-dp8",),
            "Megatron A100, Narayanan table 1": ("megatron-t1",),
            "Megatron A100, Narayanan table 2": ("megatron-t2",), "MT-NLG 530B": (MT_NLG,)}
    pairs = list(megatron_pairs())
    found = []
    for name, names in sets.items():
        runs = of_set(*names)
        own = [(first, second) for first, second in pairs if second["set"] in names]
        found.append(Row(
            name, len(runs), _floor_errors((megatron(run), printed_step_s(run)) for run in runs),
            _anchored_errors((megatron(first), megatron(second), printed_step_s(second)) for first, second in own),
            [calculon(run) / printed_step_s(run) - 1 for run in runs], REFERENCE.get(name, "")))
    without_nlg = [row for row in found if row.name != "MT-NLG 530B"]
    found.append(_joined("all of them but MT-NLG", without_nlg))
    found.append(Row("all pairs, MT-NLG too", len(pairs), (), [e for row in found[:5] for e in row.anchored], ()))
    return found


def _joined(name: str, rows: Sequence[Row]) -> Row:
    def every(errors: Callable[[Row], Sequence[float]]) -> list[float]:
        return [error for row in rows for error in errors(row)]

    return Row(name, sum(row.rows for row in rows), every(lambda row: row.floor), every(lambda row: row.anchored),
               every(lambda row: row.peer))


def b200_rows() -> list[Row]:
    """SimuMax's measured runs; anchored: 32 micro-batches from those with 4 and 8."""
    times = {row["case"]: row["step_ms"] for row in RUNS["b200"]}
    affine = [affine_in_micro_batches(4, times[case.replace("_mbc32", "_mbc4")], 8,
                                      times[case.replace("_mbc32", "_mbc8")], 32) / measured - 1
              for case, measured in times.items() if "_mbc32" in case]
    return [Row("B200, SimuMax runs", len(times),
                _floor_errors((b200(case), measured / 1000) for case, measured in times.items()), affine,
                [row["simumax_ms"] / row["step_ms"] - 1 for row in RUNS["b200"]],
                f"{REFERENCE['B200, SimuMax runs']}; anchored: two batches")]


def published_rows() -> list[Row]:
    """Every shipped published row that a step time follows from, by source and by whether it prints a layout."""
    sets: dict[str, list[tuple[Scenario, float]]] = {}
    for row in published().rows:
        found = published_scenario(row)
        if found is None or row.source.startswith(("Narayanan", "Korthikanti")):
            continue  # those two are the sets above, with all that their tables print
        scenario, printed = found
        try:
            step = evaluate(scenario).throughput.step_time_s
            if step is not None:
                floor_s(scenario)
                sets.setdefault(row.source + ("" if printed else " (no layout printed)"), []).append((scenario, step))
        except InputError:
            continue
    return [Row(name, len(rows), _floor_errors(rows), _anchored_errors(_pairs(rows)), ())
            for name, rows in sorted(sets.items())]


def _pairs(rows: Sequence[tuple[Scenario, float]]) -> list[tuple[Scenario, Scenario, float]]:
    """Pairs of one model on one accelerator that differ in anything else, evenly thinned."""
    found = [(first, second, measured) for (first, _), (second, measured) in permutations(rows, 2)
             if first.model == second.model and first.hardware == second.hardware
             and first.run.precision == second.run.precision and changed(first, second) != ("none",)]
    return found[::max(1, -(-len(found) // MOST_PAIRS))]


def _text(errors: Sequence[float]) -> str:
    if not errors:
        return f"{'–':>24}"
    sizes = [abs(error) for error in errors]
    return f"{len(errors):5d} {100 * fmean(sizes):5.1f} {100 * max(sizes):6.1f} {100 * median(errors):+6.1f}"


def table() -> str:
    """The table as text: for each set n, mean, largest and median error in per cent."""
    head = f"{'set':58} {'rows':>5} {'model: n mean max med':>25} {'anchored: n mean max med':>25}  other predictor"
    lines = [head, "-" * len(head)]
    for row in (*megatron_rows(), *b200_rows(), *published_rows()):
        note = f"  reference: {row.note}" if row.note else ""
        peer = _text(row.peer) if row.peer else ""
        lines.append(f"{row.name[:58]:58} {row.rows:5d} {_text(row.floor):>25} {_text(row.anchored):>25}  {peer}{note}")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())

