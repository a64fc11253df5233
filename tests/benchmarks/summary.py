"""One table of the speed goals: what was measured, and how that compares with a peer or with the least possible.

`python -m tests.benchmarks.summary FILE.json` reads what pytest-benchmark wrote; `dev.py bench` calls it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from mfu_gui.formats.text_table import aligned

ROOT = Path(__file__).resolve().parents[2]
Found = dict[str, dict[str, Any]]
"""Benchmarks by their name."""
MEGABYTE = 10**6
REFERENCE_LOOP_S = 0.040
"""Processor time of the loop of ``test_machine_bench`` on the machine that the goals are meant for."""


class Row(NamedTuple):
    """A goal: ``goal`` is the most that is good in ``unit`` (the least, if ``more``); ``of`` finds the figure."""

    what: str
    goal: float
    unit: str
    of: Callable[[Found], float | None]
    beside: Callable[[Found], str] = lambda found: ""
    more: bool = False


def median(name: str, unit: float = 1e3) -> Callable[[Found], float | None]:
    """Median of a benchmark; milliseconds by default."""
    return lambda found: None if name not in found else found[name]["stats"]["median"] * unit


def extra(name: str, key: str) -> Callable[[Found], float | None]:
    """A figure that the benchmark noted."""
    return lambda found: found.get(name, {}).get("extra_info", {}).get(key)


def worst(prefix: str, key: str = "p95_ms") -> Callable[[Found], float | None]:
    """The largest of a figure over all benchmarks whose names begin so."""

    def of(found: Found) -> float | None:
        values = [each["extra_info"][key] for name, each in found.items()
                  if name.startswith(prefix) and key in each["extra_info"]]
        return max(values, default=None)

    return of


def longest(prefix: str) -> Callable[[Found], float | None]:
    """The largest median in milliseconds over all benchmarks whose names begin so."""

    def of(found: Found) -> float | None:
        return max((each["stats"]["median"] * 1e3 for name, each in found.items() if name.startswith(prefix)),
                   default=None)

    return of


def processor(prefix: str) -> Callable[[Found], str]:
    """The processor's part of the same, which other programs on the machine do not change."""

    def of(found: Found) -> str:
        value = worst(prefix, "processor_p95_ms")(found)
        return "" if value is None else f"{value:.1f} ms of processor time"

    return of


def times(name: str, other: Callable[[Found], float | None], of_what: str, unit: float = 1e3) -> Callable[[Found], str]:
    """How many times as long as something else."""

    def of(found: Found) -> str:
        ours, peer = median(name, unit)(found), other(found)
        return "" if not ours or not peer else f"{ours / peer:.2f} × {of_what}"

    return of


def peer_of_evaluate(found: Found) -> str:
    formula = times("test_evaluate_run_edit[opt-175b]", median("test_formula_of_a_framework"), "a framework's formula")(
        found)
    peer = times("test_evaluate_beside_llm_analysis", extra("test_evaluate_beside_llm_analysis", "peer_ms"),
                 "llm-analysis")(found)
    return ", ".join(part for part in (formula, peer or "llm-analysis is not installed") if part)


def floor_of_logs(found: Found) -> str:
    ours = extra("test_megatron_with_half_noise", "MB/s")(found)
    parts = [(name, extra(f"test_floor[{name}]", "MB/s")(found)) for name in ("wc", "grep")]
    return "" if not ours else ", ".join(f"{name} is {floor / ours:.0f} × as fast" for name, floor in parts if floor)


def megabytes(pattern: str) -> Callable[[Found], float | None]:
    """Size of the newest built file of this name."""

    def of(_: Found) -> float | None:
        files = sorted((ROOT / "dist").glob(pattern), key=lambda path: path.stat().st_mtime)
        return files[-1].stat().st_size / MEGABYTE if files else None

    return of


KEYS = "test_ui_key_press["
ROWS = (
    Row("evaluate(), DeepSeek-V3, model changed", 0.3, "ms", median("test_evaluate_model_edit[deepseek-v3]")),
    Row("evaluate(), DeepSeek-V3, run changed", 0.1, "ms", median("test_evaluate_run_edit[deepseek-v3]")),
    Row("evaluate(), OPT-175B, run changed", 0.19, "ms", median("test_evaluate_run_edit[opt-175b]"), peer_of_evaluate),
    Row("all conventions, run changed", 0.7, "ms", median("test_all_conventions_run_edit")),
    Row("all conventions, model changed", 4, "ms", median("test_all_conventions_model_edit")),
    Row("key press → all repainted, p95", 16, "ms", worst(KEYS), processor(KEYS)),
    Row("another model → all repainted, p95", 16, "ms", worst("test_ui_preset"), processor("test_ui_preset")),
    Row("key press, 20 scenarios in the plot, p95", 33, "ms", worst("test_ui_key_press_with_20"),
        processor("test_ui_key_press_with_20")),
    Row("first paint with the MFU ÷ a bare window", 1.15, "×", extra("test_ui_start", "ratio")),
    Row("plot and tabs after the first paint", 250, "ms", extra("test_ui_start", "later_ms")),
    Row("mfu-gui compute ÷ import msgspec", 2.5, "×", extra("test_compute_process[en]", "ratio")),
    Row("index of presets", 15, "ms", median("test_preset_index")),
    Row("one preset", 2, "ms", median("test_one_preset")),
    Row("config.json, the slowest", 5, "ms", longest("test_read_config")),
    Row("sweep of 1,000,000 points, the slowest", 300, "ms", longest("test_a_million_points")),
    Row("layouts searched a second", 50_000, "/s", extra("test_layouts[deepseek-v3]", "layouts_per_second"), more=True),
    Row("training log, half noise", 40, "MB/s", extra("test_megatron_with_half_noise", "MB/s"), floor_of_logs,
        more=True),
    Row("one-line records", 250_000, "/s", extra("test_records", "records/s"), more=True),
    Row("memory of a log of 500,000 steps", 102, "MiB", extra("test_memory_and_time_of_the_process[jsonl]", "MiB")),
    Row("another tab, p95", 50, "ms", worst("test_ui_tab_switch"), processor("test_ui_tab_switch")),
    Row("another language, p95", 150, "ms", worst("test_ui_language_switch"), processor("test_ui_language_switch")),
    Row("other colours, p95", 150, "ms", worst("test_ui_theme_switch"), processor("test_ui_theme_switch")),
    Row("processor in 2 s of rest", 0.005, "s", extra("test_ui_at_rest", "idle")),
    Row("memory after the start", 180, "MiB", extra("test_ui_at_rest", "rss_mib")),
    Row(".deb", 46, "MB", megabytes("*.deb")),
    Row("portable, with fonts", 52, "MB", megabytes("*.tar.xz")),
    Row("setup.exe", 36, "MB", megabytes("*setup.exe")),
)


def table(found: Found) -> list[str]:
    """The lines of the table; what was not measured in this run says so."""
    rows = [("what", "goal", "measured", "", "beside")]
    for row in ROWS:
        value = row.of(found)
        sign = "≥" if row.more else "≤"
        goal = f"{sign} {row.goal:,g} {row.unit}"
        if value is None:
            rows.append((row.what, goal, "not measured", "", row.beside(found)))
            continue
        good = value >= row.goal if row.more else value <= row.goal
        digits = 0 if value >= 1000 else 1 if value >= 10 else 3
        rows.append((row.what, goal, f"{value:,.{digits}f} {row.unit}", "" if good else "misses", row.beside(found)))
    return aligned(rows, right=(1, 2))


def machine(found: Found) -> str:
    """How this machine compares with the one that the goals are meant for; no goal is changed by it."""
    loop = extra("test_machine", "loop_s")(found)
    if loop is None:
        return "This machine: not measured"
    return (f"This machine: {loop:.3f} s for the loop of test_machine_bench.py, {loop / REFERENCE_LOOP_S:.2f} × the "
            f"reference ({REFERENCE_LOOP_S:.3f} s). What misses by less than that may be the machine.")


def main(path: str) -> int:
    data = json.loads(Path(path).read_text(encoding="utf-8"))
    found = {each["name"]: each for each in data["benchmarks"]}
    print("\n".join((*table(found), "", machine(found))))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
