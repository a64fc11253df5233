"""`mfu-gui plan SCENARIO`: memory, time, cost, energy, goodput and serving of a run that has not happened."""

from __future__ import annotations

from mfu_gui.cli import arguments as args
from mfu_gui.cli import output
from mfu_gui.cli.source import read
from mfu_gui.texts import Translator


def run(arguments: list[str], tr: Translator) -> int:
    """Read the scenario, plan, print in the form that was asked for."""
    made = args.parser("plan", tr("Plan a run: whether it fits, how long it takes, what it costs."), tr)
    made.add_argument("scenario", metavar="SCENARIO", help=tr("a .mfu file, or - for standard input"))
    args.add_format(made, tr, "json", "text")
    chosen = args.parsed(made, arguments)
    if chosen is not None:
        _plan(chosen.scenario, args.chosen_format(chosen.format), tr)
    return 0


def _plan(path: str, form: str, tr: Translator) -> None:
    from mfu_gui.formats.plan_result import plan_document, plan_of_scenario
    from mfu_gui.formats.presets import PresetStore
    from mfu_gui.formats.result_json import to_json
    from mfu_gui.formats.scenario_file import load_scenario

    data, source = read(path)
    loaded = load_scenario(data, PresetStore(), source=source)
    plan = plan_of_scenario(loaded.scenario)
    if form == "json":
        output.data(to_json(plan_document(loaded.scenario, plan, tr, loaded.notices)))
        return
    from mfu_gui.formats.plan_text import plan_to_text

    output.text(plan_to_text(loaded.scenario, plan, tr, loaded.notices))
