"""`mfu-gui report SCENARIO -o FILE`: a report of one scenario, of the kind that the file's name says."""

from __future__ import annotations

import argparse
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from mfu_gui.cli import arguments as args
from mfu_gui.cli import output
from mfu_gui.cli.source import read
from mfu_gui.engine.errors import InputError
from mfu_gui.texts import Translator

if TYPE_CHECKING:
    from mfu_gui.engine.scenario import Scenario
    from mfu_gui.formats.presets import PresetStore
    from mfu_gui.formats.reports.swept import Asked, Swept

DATE_VARIABLE = "SOURCE_DATE_EPOCH"
PAPERS = ("a4", "letter")


def run(arguments: list[str], tr: Translator) -> int:
    """Read the scenario, compute, write the report."""
    made = args.parser("report", tr("Write a report of a scenario that can be sent to others."), tr)
    made.add_argument("scenario", metavar="SCENARIO", help=tr("a .mfu file, or - for standard input"))
    made.add_argument("-o", "--output", metavar="FILE", required=True,
                      help=tr("the file to write; its name ends in .pdf, .xlsx, .html, .md or .csv"))
    made.add_argument("--paper", choices=PAPERS, default=PAPERS[0], help=tr("size of the pages of a PDF"))
    made.add_argument("--axis", metavar="KEY=VALUES", action="append", default=[],
                      help=tr("a sweep in the report: what is varied, as “mfu-gui sweep” takes it; once or twice"))
    made.add_argument("--result", metavar="KEY", action="append", default=[],
                      help=tr("what the sweep computes, several by commas; default: mfu"))
    chosen = args.parsed(made, arguments)
    if chosen is not None:
        _write(chosen, Path(chosen.output), tr)
        output.message(tr("Saved {file}", file=tr.value(chosen.output)))
    return 0


def _write(chosen: argparse.Namespace, target: Path, tr: Translator) -> None:
    from mfu_gui.engine.compare import compare
    from mfu_gui.engine.evaluate import evaluate
    from mfu_gui.formats.presets import PresetStore
    from mfu_gui.formats.reports import files
    from mfu_gui.formats.reports.build import build
    from mfu_gui.formats.reports.given import Given
    from mfu_gui.formats.scenario_file import load_scenario

    kind = files.kind_of(target)
    date = report_date()
    presets = PresetStore()
    asked = _asked(chosen, presets)
    data, source = read(chosen.scenario)
    loaded = load_scenario(data, presets, source=source)
    result = evaluate(loaded.scenario)
    report = build(Given(loaded.scenario, result, compare(loaded.scenario, result), tr, presets, date, loaded.notices,
                         None if asked is None else _swept(loaded.scenario, asked)))
    if kind == ".pdf":
        from mfu_gui.ui import pdf_report

        application = pdf_report.start_without_window()
        try:
            content = pdf_report.pdf(report, tr, chosen.paper)
        finally:
            del application
    else:
        content = files.rendered(report, kind, tr)
    files.write(target, content)


def _asked(chosen: argparse.Namespace, presets: PresetStore) -> Asked | None:
    """The sweep that the arguments ask for; InputError ``sweep_axes`` for results of none."""
    if not chosen.axis:
        if chosen.result:
            raise InputError("sweep_axes", "--axis", found=0)
        return None
    from mfu_gui.cli.sweep import result_keys
    from mfu_gui.formats.reports.swept import Asked
    from mfu_gui.formats.sweep_axis import read_axis

    return Asked(tuple(read_axis(text, presets) for text in chosen.axis), result_keys(chosen.result))


def _swept(scenario: Scenario, asked: Asked) -> Swept:
    from mfu_gui.formats.reports.swept import swept

    return swept(scenario, asked)


def report_date() -> str:
    """Today, or the day that SOURCE_DATE_EPOCH names; InputError ``bad_epoch`` if it names none."""
    given = os.environ.get(DATE_VARIABLE)
    if not given:
        return datetime.now().astimezone().date().isoformat()
    try:
        return datetime.fromtimestamp(int(given), UTC).date().isoformat()
    except (ValueError, OverflowError, OSError) as error:
        raise InputError("bad_epoch", DATE_VARIABLE, value=given) from error
