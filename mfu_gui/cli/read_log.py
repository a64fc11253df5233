"""`mfu-gui log FILE`: a training log's steps in one normal form, with MFU by a scenario."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO

import msgspec

from mfu_gui.cli import arguments as args
from mfu_gui.cli import output
from mfu_gui.cli.source import STDIN, STDIN_NAME, read
from mfu_gui.engine.errors import InputError
from mfu_gui.formats.training_logs.mapping import read_mapping, write_mapping
from mfu_gui.formats.training_logs.preview import points
from mfu_gui.formats.training_logs.questions import read_answers
from mfu_gui.formats.training_logs.reading import Log, Reading
from mfu_gui.formats.training_logs.text_source import open_log, pieces
from mfu_gui.texts import Translator

if TYPE_CHECKING:
    from mfu_gui.engine.scenario import Scenario
    from mfu_gui.formats.log_result import LogResult

_LOOK_AGAIN_S = 0.5
_MOST_STEPS = 10**9


def run(arguments: list[str], tr: Translator) -> int:
    """Read the log, print in the form that was asked for."""
    chosen = args.parsed(_parser(tr), arguments)
    if chosen is None:
        return 0
    if chosen.formats:
        output.text(_formats())
        return 0
    if chosen.file is None:
        raise InputError("required", "FILE")
    form = args.chosen_format(chosen.format)
    if chosen.follow and form != "jsonl":
        raise InputError("unknown_choice", "--format", value=form, allowed="jsonl")
    scenario = _scenario(chosen.scenario)
    file, size, name = _opened(chosen.file)
    with file:
        reading = Reading(name, wanted=chosen.wanted, answers=read_answers(chosen.answers),
                          mapping=read_mapping(chosen.mapping) if chosen.mapping else None)
        if form == "jsonl":
            try:
                _stream(reading, file, size, scenario, chosen, tr)
            except InputError:
                if reading.names:  # a table: somebody may know what its names mean
                    _write({"type": "names", "names": reading.names})
                raise
        else:
            for piece in pieces(file):
                reading.feed(piece)
            reading.feed(b"", True)
            _print(_result(reading, scenario, chosen), form, tr)
    return 0


def _parser(tr: Translator) -> args.Parser:
    made = args.parser("log", tr("Read a training log: step times, throughput and MFU of every step."), tr)
    made.add_argument("file", metavar="FILE", nargs="?", help=tr("a training log, or - for standard input"))
    made.add_argument("--scenario", metavar="SCENARIO",
                      help=tr("a .mfu file: its model, peak and convention give the MFU"))
    made.add_argument("--as", dest="wanted", metavar="FORMAT",
                      help=tr("read it as this format, whatever it looks like"))
    made.add_argument("--set", dest="answers", metavar="NAME=VALUE", action="append", default=[],
                      help=tr("say what the log does not: devices=512, or throughput=tokens_per_s_per_device"))
    made.add_argument("--skip", metavar="N", type=args.number(tr, 0, _MOST_STEPS),
                      help=tr("steps that count as warm-up; default: found by the program"))
    made.add_argument("--mapping", metavar="MAPPING", help=tr("a saved mapping of the columns of a table"))
    made.add_argument("--save-mapping", metavar="MAPPING", help=tr("save the mapping that was used"))
    made.add_argument("--block", metavar="N", type=args.number(tr, 1, 10**6),
                      help=tr("with jsonl: so many steps on each line, in columns"))
    made.add_argument("--columns", metavar="NAME,…", type=lambda text: frozenset(text.split(",")),
                      help=tr("only these columns of the steps, such as step,step_time_s,flags"))
    made.add_argument("--follow", action="store_true", help=tr("with jsonl: wait for what is added to the file"))
    made.add_argument("--formats", action="store_true", help=tr("list the formats that can be read"))
    args.add_format(made, tr, "json", "jsonl", "csv", "text")
    return made


def _formats() -> str:
    from mfu_gui.formats.text_table import aligned
    from mfu_gui.formats.training_logs.registry import FORMATS

    return "\n".join(aligned([[form.id, form.name] for form in FORMATS])) + "\n"


def _scenario(path: str | None) -> Scenario | None:
    if path is None:
        return None
    from mfu_gui.formats.presets import PresetStore
    from mfu_gui.formats.scenario_file import load_scenario

    data, source = read(path)
    return load_scenario(data, PresetStore(), source=source).scenario


def _opened(path: str) -> tuple[BinaryIO, int | None, str]:
    if path == STDIN:
        stream = getattr(sys.stdin, "buffer", None)
        if stream is None:
            raise InputError("not_readable", STDIN_NAME)
        return stream, None, STDIN_NAME
    file, size = open_log(path)
    return file, size, os.path.basename(path)  # noqa: PTH119 - the name as it was given


def _result(reading: Reading, scenario: Scenario | None, chosen: argparse.Namespace) -> LogResult:
    # Imported only now: first points must not wait for what counts FLOPs.
    from mfu_gui.formats.log_result import LogResult
    from mfu_gui.formats.training_logs.analysis import analyse
    from mfu_gui.formats.training_logs.rebase import Rebased, with_scenario

    log: Log = reading.finish()
    normal = log.normal if scenario is None else with_scenario(log.normal, scenario)
    normal.questions = log.normal.questions if scenario is None else []
    rebased = Rebased(normal, scenario) if scenario is not None else None
    if rebased is not None:
        rebased.check_length(log.form.convention)
    if chosen.save_mapping:
        if log.mapping is None:
            raise InputError("log_has_no_mapping", "--save-mapping")
        write_mapping(chosen.save_mapping, log.mapping)
    return LogResult(log, normal, analyse(normal, rebased, chosen.skip), rebased, chosen.columns)


def _print(result: LogResult, form: str, tr: Translator) -> None:
    if form == "text":
        from mfu_gui.formats.log_text import to_text

        output.text(to_text(result, tr))
        return
    for part in result.to_csv() if form == "csv" else result.to_json(tr):
        output.data(part)
    if form == "csv":
        for notice in result.notices:
            output.message(tr.describe(notice))


def _stream(reading: Reading, file: BinaryIO, size: int | None, scenario: Scenario | None,
            chosen: argparse.Namespace, tr: Translator) -> None:
    """JSON lines: progress and first points while reading, then every step, then the summary."""
    _write({"type": "log", "file": reading.name, "bytes": size})
    shown, _ = _feed(reading, pieces(file), size, scenario, "")
    if not chosen.follow:
        reading.feed(b"", True)
        for part in _result(reading, scenario, chosen).to_json_lines(tr, chosen.block):
            output.data(part)
        return
    first = 0
    while True:
        begun = time.monotonic()
        for part in _state(reading, first, scenario, chosen, tr):
            output.data(part)
        output.flush()
        # A long log takes its time to be looked through; most of the time is for others.
        more = _added(reading, file, max(_LOOK_AGAIN_S, 3 * (time.monotonic() - begun)))
        shown, first = _feed(reading, iter([more]), None, scenario, shown)


def _added(reading: Reading, file: BinaryIO, pause: float) -> bytes:
    """What was added to the file, once there is something.  InputError when it became shorter."""
    while True:
        time.sleep(pause)
        if os.fstat(file.fileno()).st_size < reading.bytes_read:
            raise InputError("log_shrunk", reading.name)
        more = b"".join(pieces(file))
        if more:
            return more


def _state(reading: Reading, first: int, scenario: Scenario | None, chosen: argparse.Namespace, tr: Translator,
           ) -> Iterator[bytes]:
    """The steps of a growing log from ``first`` on and its summary; nothing while it has no step.

    A step that is not beyond the last one replaces all from there.
    """
    if reading.candidate is None or not len(reading.candidate.table):
        return
    from mfu_gui.formats.log_result import line
    from mfu_gui.formats.result_json import notices_list

    result = _result(reading, scenario, chosen)
    yield from result.step_lines(first, len(result.normal), chosen.block)
    yield line({"type": "summary", **result.document(tr), "warnings": notices_list(result.notices, tr)})


def _feed(reading: Reading, parts: Iterator[bytes], size: int | None, scenario: Scenario | None, shown: str,
          ) -> tuple[str, int]:
    """Read on and write what comes out; the format that is shown, and the first step that is new."""
    before = len(reading.candidate.table) if reading.candidate else 0
    for piece in parts:
        progress = reading.feed(piece)
        before = min(before, progress.first) if progress.stop else before
        candidate = reading.candidate
        steps = len(candidate.table) if candidate else 0
        if candidate is not None and steps and candidate.form.id != shown:
            shown = candidate.form.id
            _write({"type": "format", "id": shown, "name": candidate.form.name})
        if candidate is not None and progress.stop > progress.first:
            found = points(candidate, reading.facts, scenario, progress.first, progress.stop)
            _write({"type": "points", **found})
        _write({"type": "progress", "bytes": progress.bytes_read, "of": size, "steps": steps})
        output.flush()
    return shown, before


def _write(value: dict[str, object]) -> None:
    output.data(msgspec.json.encode(value) + b"\n")
