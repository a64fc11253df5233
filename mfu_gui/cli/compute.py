"""`mfu-gui compute SCENARIO`: MFU, HFU, throughput and all conventions of one scenario."""

from __future__ import annotations

from mfu_gui.cli import arguments as args
from mfu_gui.cli import output
from mfu_gui.cli.source import read
from mfu_gui.texts import Translator


def run(arguments: list[str], tr: Translator) -> int:
    """Read the scenario, compute, print in the form that was asked for."""
    made = args.parser("compute", tr("Compute MFU, HFU, FLOPs and throughput of a scenario."), tr)
    made.add_argument("scenario", metavar="SCENARIO", help=tr("a .mfu file, or - for standard input"))
    args.add_format(made, tr, "json", "text", "csv", "markdown")
    chosen = args.parsed(made, arguments)
    if chosen is not None:
        _compute(chosen.scenario, args.chosen_format(chosen.format), tr)
    return 0


def _compute(path: str, form: str, tr: Translator) -> None:
    from mfu_gui.engine.compare import compare
    from mfu_gui.engine.evaluate import evaluate
    from mfu_gui.formats.presets import PresetStore
    from mfu_gui.formats.result_json import result_document, to_json
    from mfu_gui.formats.scenario_file import load_scenario

    data, source = read(path)
    loaded = load_scenario(data, PresetStore(), source=source)
    scenario = loaded.scenario
    result = evaluate(scenario)
    document = result_document(scenario, result, compare(scenario, result), tr, loaded.notices)
    if form == "json":
        output.data(to_json(document))
        return
    from mfu_gui.formats import result_text

    if form == "csv":
        output.data(result_text.to_csv(document).encode())
    elif form == "markdown":
        output.data(result_text.to_markdown(scenario, document, tr).encode())
    else:
        output.text(result_text.to_text(scenario, document, tr))
