"""`mfu-gui explain SCENARIO`: which rules, peak and scope yield the number that was reported."""

from __future__ import annotations

from mfu_gui.cli import arguments as args
from mfu_gui.cli import output
from mfu_gui.cli.source import read
from mfu_gui.engine.errors import InputError
from mfu_gui.engine.explain import Explanation
from mfu_gui.engine.scenario import Reported, Scenario
from mfu_gui.formats.explain_json import explain_scenario, explanation_object, explanation_sentence
from mfu_gui.formats.presets import PresetStore
from mfu_gui.formats.result_json import to_json
from mfu_gui.formats.scenario_file import load_scenario
from mfu_gui.texts import Translator

_NEEDED = {"reported": "explain_needs_reported", "run.measured": "explain_needs_measured",
           "run.devices": "explain_needs_devices"}
"""By the field that is missing: the sentence that says what to write there."""


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
    try:
        found = explain_scenario(scenario)
    except InputError as error:
        code = _NEEDED.get(error.field, error.code) if error.code == "required" else error.code
        raise InputError(code, error.field, **{"file": source} | error.values) from error
    if args.chosen_format(chosen.format) == "json":
        output.data(to_json([explanation_object(each, tr) for each in found]))
    else:
        output.text(_text(scenario, found, tr))
    return 0


def _text(scenario: Scenario, found: list[Explanation], tr: Translator) -> str:
    from mfu_gui.formats import text_table

    number = tr.numbers
    lines = [_reported(scenario.reported, tr), ""] if scenario.reported is not None else []
    if not found:
        return "\n".join([*lines, tr("No way of counting and dividing that is known gives this number.")]) + "\n"
    head = ["", tr("Plausibility"), tr("Off by"), ""]
    table = [[str(place), number.percent(each.plausibility, 0), _off_by(each, tr), explanation_sentence(each, tr)]
             for place, each in enumerate(found, 1)]
    return "\n".join([*lines, *text_table.aligned([head, *table], right=[0, 1, 2])]) + "\n"


def _off_by(explanation: Explanation, tr: Translator) -> str:
    """How far the value is from the reported one; a difference beyond the digits of that is none."""
    return tr("digits match") if explanation.digits_match else f"{explanation.residual * 100:+.2f}%"


def _reported(reported: Reported, tr: Translator) -> str:
    if reported.mfu is not None:
        return tr("Reported: MFU {value:percent2}", value=reported.mfu)
    if reported.hfu is not None:
        return tr("Reported: HFU {value:percent2}", value=reported.hfu)
    return tr("Reported: {value:short5} TFLOP/s per device", value=reported.tflops_per_device)
