"""A line of a training log, or a few of them: what was measured."""

from __future__ import annotations

import re
from math import isfinite

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.scenario import Scenario
from mfu_gui.formats.pasted.arguments import units_of
from mfu_gui.formats.pasted.proposal import Option, Pasted, Proposal
from mfu_gui.formats.training_logs.mapping import Doubt
from mfu_gui.formats.training_logs.names import units_of as units_of_column

_DIGITS = 6
_MAY_BE_LOG = re.compile(r"[A-Za-z)\"'][:=|] {0,20}\[?[\d.]")
"""A name with a figure behind it: every line of a log has one."""
_MEASURED = (("step_time_s", "run.measured.step_time_s"),
             ("tokens_per_s_per_device", "run.measured.tokens_per_s_per_device"),
             ("tokens_per_s", "run.measured.tokens_per_s"))
_REPORTED = (("reported_mfu", "reported.mfu", 1.0), ("reported_hfu", "reported.hfu", 1.0),
             ("reported_tflops_per_device", "reported.tflops_per_device", 1e6))
"""Name, key, and the largest value that can be one."""
_RATES = dict(_MEASURED)


def read_log_lines(text: str, scenario: Scenario) -> Pasted | None:
    """What lines of a log say; None when no format that is known has such lines."""
    if not _MAY_BE_LOG.search(text):
        return None
    # Only now: the readers of all formats take longer to load than anything else here.
    from mfu_gui.formats.training_logs.reading import read_bytes

    try:
        log = read_bytes(text.encode())
    except InputError:
        return None
    normal = log.normal
    proposals: list[Proposal] = []
    doubtful = {doubt.meanings[0].column for doubt in log.doubts}
    for name, key in _MEASURED:
        if name in doubtful:
            continue
        quantity = normal.get(name)
        value = normal.typical(name)
        if quantity is not None and quantity.origin == "read" and isfinite(value) and value > 0:
            proposals.append(Proposal("", (Option(key, float(f"{value:.{_DIGITS}g}")),)))
            break
    for name, key, largest in _REPORTED:
        value = normal.typical(name)
        if isfinite(value) and 0 < value <= largest:
            proposals.append(Proposal("", (Option(key, float(f"{value:.{_DIGITS}g}")),)))
    for doubt in log.doubts:
        options = _readings(normal.typical(doubt.meanings[0].column), doubt)
        if len(options) > 1:
            proposals.append(Proposal(doubt.name, options))
    for name, key in (("global_batch", "run.global_batch"), ("sequence_length", "run.sequence_length"),
                      ("devices", "run.devices")):
        value = normal.typical(name) if normal.get(name) else normal.value(name)
        if not isfinite(value) or value < 1 or value != int(value):
            continue
        whole = units_of(int(value), scenario) if name == "devices" else int(value)
        if whole is not None:
            proposals.append(Proposal("", (Option(key, whole),)))
    return Pasted("log", tuple(proposals), (), log.form.name) if proposals else None


def _readings(value: float, doubt: Doubt) -> tuple[Option, ...]:
    """The value of a metric in each of its meanings; ``value`` is that in the first."""
    first, options = doubt.meanings[0], []
    for meaning in doubt.meanings:
        key = _RATES.get(meaning.column)
        scaled = value * units_of_column(first.column).get(first.unit, 1.0) / units_of_column(meaning.column).get(
            meaning.unit, 1.0)
        if key is not None and isfinite(scaled) and scaled > 0:
            options.append(Option(key, float(f"{scaled:.{_DIGITS}g}")))
    return tuple(dict.fromkeys(options))
