"""`mfu-gui sweep SCENARIO`: one or two quantities over many values, or with --layouts the best layouts."""

from __future__ import annotations

import argparse
from typing import Any

from mfu_gui.cli import arguments as args
from mfu_gui.cli import output
from mfu_gui.cli.source import read
from mfu_gui.engine.errors import InputError, Notice
from mfu_gui.texts import Translator

HOLDS = ("predicted", "hfu", "mfu", "throughput", "step-time", "model")
RANKINGS = ("time", "memory", "cost")


def run(arguments: list[str], tr: Translator) -> int:
    """Read the scenario, sweep or search, print in the form that was asked for."""
    made = args.parser("sweep", tr("Vary one or two quantities of a scenario, or search the best layouts for it."), tr)
    add: Any = made.add_argument
    add("scenario", metavar="SCENARIO", help=tr("a .mfu file, or - for standard input"))
    add("--axis", metavar="KEY=VALUES", action="append", default=[],
        help=tr("what is varied: key=a,b,c or key=lo:hi:n (key=lo:hi:n:log in even ratios); once or twice. Keys are "
                "those of the scenario file (run.devices, hardware.peak_tflops), or model, hardware, convention"))
    add("--result", metavar="KEY", action="append", default=[],
        help=tr("what is computed, several by commas; default: mfu. Also hfu, step_time_s, tokens_per_s, days, cost, "
                "memory_bytes and others"))
    add("--hold", choices=HOLDS,
        help=tr("what stays of the measurement; default: predicted from it, or what the scenario has"))
    add("--fits", action="store_true", help=tr("only points or layouts that fit into the memory"))
    add("--max-days", metavar="DAYS", type=_positive(tr), help=tr("only points that take no longer"))
    add("--layouts", action="store_true",
        help=tr("search TP × PP × VP × CP × EP × micro-batch × recompute × ZeRO; --axis limits it to values"))
    add("--by", choices=RANKINGS, default=RANKINGS[0], help=tr("how layouts are ranked; default: time"))
    add("--count", metavar="N", type=args.number(tr, 1, 1000), default=20, help=tr("layouts to print; default: 20"))
    args.add_format(made, tr, "json", "text", "csv")
    chosen = args.parsed(made, arguments)
    if chosen is not None:
        _run(chosen, args.chosen_format(chosen.format), tr)
    return 0


def _positive(tr: Translator) -> Any:
    def convert(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = 0.0
        if not 0 < value <= 1e9:
            raise argparse.ArgumentTypeError(tr("expected a number above zero, but found {text}", text=tr.value(text)))
        return value

    return convert


def _run(chosen: argparse.Namespace, form: str, tr: Translator) -> None:
    from mfu_gui.formats.presets import PresetStore
    from mfu_gui.formats.scenario_file import load_scenario
    from mfu_gui.formats.sweep_axis import read_axis

    presets = PresetStore()
    axes = [read_axis(text, presets) for text in chosen.axis]
    data, source = read(chosen.scenario)
    loaded = load_scenario(data, presets, source=source)
    if chosen.layouts:
        _layouts(loaded, axes, chosen, form, tr)
    else:
        _sweep(loaded, axes, chosen, form, tr)


def _sweep(loaded: Any, axes: list[Any], chosen: argparse.Namespace, form: str, tr: Translator) -> None:
    from mfu_gui.formats import sweep_result
    from mfu_gui.formats.result_json import to_json
    from mfu_gui.planning.sweep import sweep

    if not axes:
        raise InputError("sweep_axes", "--axis", found=0)
    keys = result_keys(chosen.result)
    needed = (*keys, *(("memory_share",) if chosen.fits else ()), *(("days",) if chosen.max_days else ()))
    found = sweep(loaded.scenario, axes, needed, chosen.hold)
    keep = found.kept(fits=chosen.fits, most_days=chosen.max_days)
    filtered = chosen.fits or chosen.max_days is not None
    rows = list(sweep_result.points(found, keys, (place for place in found.places() if keep[place] or not filtered)))
    _complain(rows)
    if form == "json":
        output.data(to_json(sweep_result.sweep_document(found, keys, rows, tr, loaded.notices)))
    elif form == "csv":
        output.data(sweep_result.sweep_to_csv(found, keys, rows).encode())
    else:
        output.text(sweep_result.sweep_to_text(found, keys, rows, tr, loaded.notices))


def result_keys(given: list[str]) -> tuple[str, ...]:
    """The results that are asked for, each once; MFU where none is."""
    return tuple(dict.fromkeys(key.strip() for text in given for key in text.split(",") if key.strip())) or ("mfu",)


def _complain(rows: list[Any]) -> None:
    """A sweep in which no point can be computed is a mistake in what was given."""
    if rows and all(row.error is not None for row in rows):
        raise rows[0].error


def _layouts(loaded: Any, axes: list[Any], chosen: argparse.Namespace, form: str, tr: Translator) -> None:
    from mfu_gui.formats import sweep_result
    from mfu_gui.formats.result_json import to_json
    from mfu_gui.formats.sweep_axis import limits_of
    from mfu_gui.planning.layouts import search

    for given, name in ((chosen.result, "--result"), (chosen.hold, "--hold"), (chosen.max_days, "--max-days")):
        if given:
            raise InputError("contradiction", "", key="--layouts", other=name)
    found = search(loaded.scenario, limits_of(axes))
    rows = found.rows(chosen.by, chosen.count, all_of_them=False)
    if chosen.fits:
        rows = [row for row in rows if row.verdict in ("fits", "tight")]
    notices = [*loaded.notices, *(_no_costs(loaded.scenario, rows) if chosen.by == "cost" else ())]
    if form == "json":
        output.data(to_json(sweep_result.layouts_document(found, rows, chosen.by, tr, notices)))
    elif form == "csv":
        output.data(sweep_result.layouts_to_csv(rows, tr).encode())
    else:
        output.text(sweep_result.layouts_to_text(found, rows, tr, notices))


def _no_costs(scenario: Any, rows: list[Any]) -> tuple[Notice, ...]:
    """What is missing where the cost that layouts are ranked by is not known; device time ranks them all the same."""
    if not rows or rows[0].cost is not None:
        return ()
    from msgspec.structs import replace

    from mfu_gui.engine.run import Measured
    from mfu_gui.planning.run_plan import missing_inputs

    run = replace(scenario.run, devices=rows[0].devices, measured=Measured(step_time_s=rows[0].step_time_s))
    return missing_inputs(replace(scenario, run=run), ["cost"])
