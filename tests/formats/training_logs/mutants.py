"""Damaged logs: bytes, lines, numbers and words of the samples changed, doubled, dropped or mixed with others."""

from __future__ import annotations

import random
import re
from functools import cache

import msgspec

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.scenario import Scenario
from mfu_gui.formats.log_result import LogResult
from mfu_gui.formats.log_text import to_text
from mfu_gui.formats.presets import PresetStore
from mfu_gui.formats.scenario_file import load_scenario
from mfu_gui.formats.training_logs.analysis import analyse
from mfu_gui.formats.training_logs.reading import Reading
from mfu_gui.formats.training_logs.rebase import Rebased, with_scenario
from mfu_gui.formats.training_logs.registry import FORMATS
from mfu_gui.texts import translator
from tests.formats.training_logs.samples import FOLDER

NAMES = sorted(form.id for form in FORMATS)
JUNK = (b"nan", b"inf", b"-inf", b"N/A", b"None", b"0", b"-1", b"1e308", b"-1e308", b"1e-320", b"9" * 400, b"1,2,3,,", b"",
        b"1.2.3", b"--5", b"0x10", b"\xe4\xb8\xad", b"\xff\xfe", b"\0", b"\x1b[31m", b"{", b"}", b"[", b"|", b"\r", b"\n",
        b'"', b"'", b"\\", b"\t", b"%", b"1e400", b"999999999999999999999", b"1:2:3:4", b"00:00:00", b"2026-13-45 99:99:99")
_NUMBER = re.compile(rb"[-+]?\d[\d.,]*(?:[eE][-+]?\d+)?")
_WORD = re.compile(rb"[A-Za-z_/]{2,}")


@cache
def seeds(form: str) -> tuple[bytes, ...]:
    """The samples of a format, a few thousand bytes of each."""
    return tuple(path.read_bytes()[:1600] for path in sorted((FOLDER / form).iterdir()))


def mutant(form: str, chance: random.Random) -> bytes:
    """One sample of the format with one to five things wrong."""
    data = chance.choice(seeds(form))
    for _ in range(chance.choice((1, 1, 2, 3, 5))):
        data = chance.choice((_bytes, _number, _number, _number, _word, _lines, _mixed))(data, chance)
    return data[: chance.randrange(len(data) + 1)] if chance.random() < 0.1 else data


def _bytes(data: bytes, chance: random.Random) -> bytes:
    start = chance.randrange(len(data) + 1)
    return data[:start] + chance.choice((chance.randbytes(4), chance.choice(JUNK), b"")) + data[start + chance.randrange(6) :]


def _match(pattern: re.Pattern[bytes], data: bytes, chance: random.Random) -> re.Match[bytes] | None:
    return pattern.search(data, chance.randrange(len(data) + 1))


def _number(data: bytes, chance: random.Random) -> bytes:
    match = _match(_NUMBER, data, chance)
    if match is None:
        return data
    new = chance.choice((chance.choice(JUNK), b"%d" % chance.randrange(10 ** chance.randrange(1, 19)),
                         b"%.3g" % (10 ** chance.uniform(-30, 30))))
    return data[: match.start()] + new + data[match.end() :]


def _word(data: bytes, chance: random.Random) -> bytes:
    match, other = _match(_WORD, data, chance), _match(_WORD, data, chance)
    if match is None or other is None:
        return data
    return data[: match.start()] + other.group() + data[match.end() :]


def _lines(data: bytes, chance: random.Random) -> bytes:
    lines = data.split(b"\n")
    place, what = chance.randrange(len(lines)), chance.randrange(4)
    if what == 0:
        del lines[place]
    elif what == 1:
        lines.insert(place, chance.choice(lines))
    elif what == 2:
        chance.shuffle(lines)
    else:
        lines[place] *= chance.choice((2, 3, 12))
    return b"\n".join(lines)


def _mixed(data: bytes, chance: random.Random) -> bytes:
    """Lines of another format in between."""
    other = chance.choice(seeds(chance.choice(NAMES)))
    start, place = chance.randrange(len(other) + 1), chance.randrange(len(data) + 1)
    return data[:place] + other[start : start + chance.randrange(1500)] + data[place:]


@cache
def scenario() -> Scenario:
    content = {"kind": "mfu-scenario", "schema": 1, "name": "", "model": {"preset": "llama-3-8b"},
               "hardware": {"preset": "nvidia-h100-sxm5-80gb"}, "convention": {"id": "matmul-causal"},
               "run": {"precision": "bf16", "sequence_length": 8192, "devices": 32, "global_batch": 256}}
    return load_scenario(msgspec.json.encode(content), PresetStore(), source="").scenario


def check(data: bytes, chance: random.Random, share: float = 0.25) -> bool:
    """Read it in pieces, and write all forms of a share; whether it was a log.  Only InputError may stop that."""
    reading = Reading("mutant")
    tr = translator("en")
    try:
        at = 0
        while at < len(data):
            size = chance.choice((150, 10**6, 10**6, 10**6))
            reading.feed(data[at : at + size])
            at += size
        reading.feed(b"", True)
        log = reading.finish()
    except InputError as error:
        tr.describe(error)
        return False
    if chance.random() >= share:  # what follows takes longer than all of the reading
        assert analyse(log.normal)
        return True
    normal = with_scenario(log.normal, scenario())
    ours = Rebased(normal, scenario())
    ours.check_length(log.form.convention)
    result = LogResult(log, normal, analyse(normal, ours), ours)
    assert to_text(result, tr)
    for line in b"".join(result.to_json_lines(tr)).splitlines():
        msgspec.json.decode(line)
    assert b"".join(result.to_csv())
    msgspec.json.decode(b"".join(result.to_json(tr)))
    return True
