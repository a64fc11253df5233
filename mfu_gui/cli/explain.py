"""`mfu-gui explain SCENARIO`: which rules, peak and scope yield the number that was reported."""

from __future__ import annotations

from mfu_gui.cli import arguments as args
from mfu_gui.cli import output
from mfu_gui.cli.source import read
from mfu_gui.engine.scenario import Reported, Scenario
from mfu_gui.formats.explain_json import explain_json
from mfu_gui.formats.presets import PresetStore
from mfu_gui.formats.result_json import Document, to_json
from mfu_gui.formats.scenario_file import load_scenario
from mfu_gui.texts import Translator


def run(arguments: list[str], tr: Translator) -> int:
    """Read the scenario, look for explanations of what it reports, print them best first."""
    made = args.parser("explain", tr("Find what a reported number means: how it was counted and divided."), tr)
    made.add_argument("scenario", metavar="SCENARIO",
                      help=tr("a .mfu file with “reported”, or - for standard input"))
    args.add_format(made, tr, "json", "text")
    chosen = args.parsed(made, arguments)
    if chosen is None:
        return 0
    data, source = read(chosen.scenario)
    scenario = load_scenario(data, PresetStore(), source=source).scenario
    rows = explain_json(scenario, tr)
    if args.chosen_format(chosen.format) == "json":
        output.data(to_json(rows))
    else:
        output.text(_text(scenario, rows, tr))
    return 0


def _text(scenario: Scenario, rows: list[Document], tr: Translator) -> str:
    from mfu_gui.formats import text_table

    number = tr.numbers
    lines = [_reported(scenario.reported, tr), ""] if scenario.reported is not None else []
    if not rows:
        return "\n".join([*lines, tr("No way of counting and dividing that is known gives this number.")]) + "\n"
    head = ["", tr("Plausibility"), tr("Off by"), ""]
    table = [[str(place), number.percent(row["plausibility"], 0), f"{row['residual'] * 100:+.2f}%", row["sentence"]]
             for place, row in enumerate(rows, 1)]
    return "\n".join([*lines, *text_table.aligned([head, *table], right=[0, 1, 2])]) + "\n"


def _reported(reported: Reported, tr: Translator) -> str:
    if reported.mfu is not None:
        return tr("Reported: MFU {value:percent2}", value=reported.mfu)
    if reported.hfu is not None:
        return tr("Reported: HFU {value:percent2}", value=reported.hfu)
    return tr("Reported: {value:short5} TFLOP/s per device", value=reported.tflops_per_device)
