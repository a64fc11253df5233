"""Files that somebody damaged, or made to do harm; and what reading them must never do.

Each kind of file has good ones to begin with.  ``damaged`` changes one, ``check`` reads it as the program does:
anything but a value or an InputError, a file that is opened, or a program that is started is a failure.
"""

from __future__ import annotations

import copy
import json
import random
import struct
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from mfu_gui.engine.compare import compare
from mfu_gui.engine.errors import InputError
from mfu_gui.engine.evaluate import evaluate
from mfu_gui.engine.scenario import Scenario
from mfu_gui.formats import strict_json
from mfu_gui.formats.convert import convert
from mfu_gui.formats.hf_config import read_config
from mfu_gui.formats.pasted import Names, read_pasted
from mfu_gui.formats.preset_file import decode_preset, encode_preset
from mfu_gui.formats.presets import PresetStore
from mfu_gui.formats.result_json import result_document, to_json
from mfu_gui.formats.scenario_file import dump_scenario, load_scenario
from mfu_gui.formats.training_logs.crc32c import masked_crc32c
from mfu_gui.formats.training_logs.mapping import LogMapping
from mfu_gui.formats.training_logs.mapping import check as check_mapping
from mfu_gui.formats.training_logs.reading import read_bytes
from mfu_gui.formats.workspace_file import dump_workspace, load_workspace
from mfu_gui.resources import resource_path
from mfu_gui.texts import translator

DATA = Path(__file__).resolve().parent.parent / "data"
STORE = PresetStore()
HARMFUL: tuple[Any, ...] = (
    "/etc/passwd", "../../../etc/passwd", "file:///etc/passwd", "\\\\host\\share\\x", "C:\\Windows\\win.ini",
    "~/.ssh/id", "http://example.com/x", "<img src=x onerror=alert(1)>", "<b>hi</b>", "%s%s%n", "{0.__class__}",
    "{name!r:>99999999}", "__import__('os').system('false')", "cos\nsystem\n(S'false'\ntR.", "$(false)",
    "`false`", "=cmd|'/c calc'!A1", "\u202eabc", "\x00", "\x1b[2J", "a" * 5000, "中" * 300, "", " ", "nan", "inf",
)
NUMBERS: tuple[Any, ...] = (
    0, 1, -1, 2, 7, 64, 4096, 10**6, 10**9, 10**12, 10**13, 10**30, 10**400, 2**63, -(2**63) - 1, 0.5, 1e-300,
    5e-324, 1e300, 1e308, -0.0, 1.5, True, False, None,
)
SHAPES: tuple[Any, ...] = ([], {}, [None], [[]], {"": {}}, [1, 2, 3], {"a": 1}, [0] * 300, {"preset": "gpt2"})
FIRST_BYTES = (b"\xef\xbb\xbf", b"\xff\xfe", b"\x80\x04", b"PK\x03\x04", b"\x1f\x8b", b"#!/bin/sh\n", b"%PDF",
               b"\0" * 16)


@cache
def good(kind: str) -> tuple[Any, ...]:
    """Values (of JSON) or bytes of files that can be read."""
    scenarios = [json.loads(path.read_bytes()) for path in sorted((DATA / "scenarios").glob("*.mfu"))]
    if kind == "scenario":
        resolved = load_scenario(json.dumps(scenarios[0]).encode(), STORE).scenario
        return (*scenarios, json.loads(dump_scenario(resolved)))
    if kind == "workspace":
        return tuple({"kind": "mfu-workspace", "schema": 1, "name": "n", "active": 1, "scenarios": scenarios[i:i + 3]}
                     for i in range(6))
    if kind == "preset":
        models = [STORE.model(each) for each in ("deepseek-v3", "qwen2.5-vl-7b", "nemotron-h-8b", "gpt2")]
        devices = [STORE.hardware(each) for each in ("nvidia-h100-sxm5-80gb", "amd-mi250")]
        return tuple(json.loads(encode_preset(each)) for each in (*models, *devices))
    if kind == "mapping":
        return ({"kind": "mfu-log-mapping", "schema": 1, "name": "m", "columns": {
            "step": {"from": "iteration"}, "step_time_s": {"from": "time", "unit": "ms"}, "mfu": {"from": "mfu"}}},)
    if kind == "config":
        files = sorted(path for path in (DATA / "hf_configs").glob("*.json") if path.name != "index.json")
        return tuple(json.loads(path.read_bytes()) for path in files[::7])
    folder = DATA / "logs"
    if kind == "events":
        return tuple(path.read_bytes()[:6000] for path in sorted((folder / "tensorboard-events").iterdir()))
    if kind == "log":
        return tuple(path.read_bytes()[:1500] for each in sorted(folder.iterdir()) if each.is_dir()
                     for path in sorted(each.iterdir())[:1])
    assert kind == "paste"
    return (b"512xH100 BF16 2.1 s/step llama 3 70b MFU 41%",
            b"--num-layers 32 --hidden-size 4096 --seq-length 4096 --global-batch-size 512",
            b"#SBATCH --nodes=4\ntorchrun --nproc-per-node 8 train.py --bf16")


KINDS = ("scenario", "workspace", "preset", "mapping", "config", "log", "events", "paste")


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """(container, key) of everything inside a JSON value."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from places(value[key])


def damaged(kind: str, chance: random.Random) -> bytes:
    """One file of this kind with something wrong in it."""
    seed = chance.choice(good(kind))
    if kind == "events":
        return _events(seed, chance)
    data = seed if isinstance(seed, bytes) else json.dumps(_tree(copy.deepcopy(seed), chance)).encode()
    return _bytes(data, chance) if isinstance(seed, bytes) or chance.random() < 0.25 else data


def _tree(value: Any, chance: random.Random) -> Any:
    for _ in range(chance.choice((1, 1, 2, 4))):
        found = list(places(value))
        if not found:
            break
        container, key = chance.choice(found)
        act = chance.random()
        if act < 0.7:
            container[key] = copy.deepcopy(chance.choice(chance.choice((HARMFUL, NUMBERS, NUMBERS, SHAPES))))
        elif act < 0.8:
            del container[key]
        elif act < 0.9 and isinstance(container, dict):
            container[str(chance.choice(HARMFUL))] = container.pop(key)
        else:
            other, place = chance.choice(found)
            container[key] = copy.deepcopy(other[place]) if other is not container else container[key]
    return value


def _bytes(data: bytes, chance: random.Random) -> bytes:
    act, start = chance.randrange(7), chance.randrange(len(data) + 1)
    if act == 0:
        return data[:start]
    if act == 1:
        return chance.choice(FIRST_BYTES) + data
    if act == 2:
        return data[:start] + str(chance.choice(HARMFUL)).encode("utf-8", "surrogatepass") + data[start:]
    if act == 3:
        return data[:start] + chance.choice((b"[", b'{"a":')) * chance.choice((1, 150, 100_000)) + data[start:]
    if act == 4:
        return data[:start] + str(chance.choice(NUMBERS)).encode() + data[start + chance.randrange(4):]
    if act == 5:
        return data[:start] + chance.randbytes(chance.randrange(1, 30)) + data[start + chance.randrange(30):]
    return data[start:] + data[:start]


def _events(data: bytes, chance: random.Random) -> bytes:
    """Records with good checksums around bad contents: the checksums would keep all else from being read."""
    made, at = [], 0
    while at + 12 <= len(data):
        (length,) = struct.unpack_from("<Q", data, at)
        payload = bytearray(data[at + 12: at + 12 + length])
        at += length + 16
        if chance.random() < 0.4 and payload:
            for _ in range(chance.randrange(1, 5)):
                byte = chance.choice((0, 1, 8, 0x12, 0x7F, 0x80, 0xFF, chance.randrange(256)))
                payload[chance.randrange(len(payload))] = byte
        if chance.random() < 0.1:
            payload = bytearray(chance.randbytes(chance.randrange(60)))
        said = len(payload) if chance.random() < 0.98 else chance.choice((0, 2**63, 2**64 - 1, 10**9))
        head = struct.pack("<Q", said)
        made.append(head + struct.pack("<I", masked_crc32c(head)) + bytes(payload)
                    + struct.pack("<I", masked_crc32c(bytes(payload))))
    whole = b"".join(made)
    return _bytes(whole, chance) if chance.random() < 0.1 else whole


# Reading as the program does


def _scenario(data: bytes) -> None:
    loaded = load_scenario(data, STORE, source="x.mfu")
    answer(loaded.scenario)
    again = load_scenario(dump_scenario(loaded.scenario), STORE).scenario
    assert dump_scenario(again) == dump_scenario(loaded.scenario)


def answer(scenario: Scenario) -> None:
    result = evaluate(scenario)
    document = result_document(scenario, result, compare(scenario, result), translator("zh"))
    json.loads(to_json(document), parse_constant=_refuse)


def _refuse(what: str) -> None:
    raise AssertionError(f"{what} in a file")


def _workspace(data: bytes) -> None:
    loaded = load_workspace(data, STORE, source="x.mfuw")
    scenarios = [each.scenario for each in loaded.scenarios]
    assert load_workspace(dump_workspace(scenarios, loaded.active), STORE).active == loaded.active


def _preset(data: bytes) -> None:
    preset = decode_preset(data, "x.json")
    assert decode_preset(encode_preset(preset)) == preset


def _mapping(data: bytes) -> None:
    check_mapping(convert(strict_json.parse(data, "x"), LogMapping, source="x"))


def _config(data: bytes) -> None:
    read_config(strict_json.parse(data, "config.json", allow_infinity=True))


def _log(data: bytes) -> None:
    read_bytes(data, "x.log")


def _paste(data: bytes) -> None:
    read_pasted(data.decode(errors="replace"), names(), base())


@cache
def names() -> Names:
    return Names(STORE.infos())


@cache
def base() -> Scenario:
    return load_scenario(resource_path("examples", "deepseek-v3-2048-h800.mfu").read_bytes(), STORE).scenario


READERS: dict[str, Callable[[bytes], None]] = {
    "scenario": _scenario, "workspace": _workspace, "preset": _preset, "mapping": _mapping, "config": _config,
    "log": _log, "events": _log, "paste": _paste,
}


def check(kind: str, data: bytes) -> bool:
    """Whether the file was accepted; what is said about one that was not must be one line for people."""
    try:
        with nothing_else_happens():
            READERS[kind](data)
    except InputError as error:
        for language in ("en", "zh"):
            text = translator(language).describe(error)
            assert "\n" not in text, text
            assert len(text) < 2000, text
        return False
    return True


# What reading must never do

_FORBIDDEN = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.startfile", "pickle.find_class",
              "os.remove", "os.rename", "os.mkdir", "socket.connect", "ctypes.dlopen", "webbrowser.open")
_OURS = (str(DATA.parent.parent), sys.prefix, sys.base_prefix, "/proc/", "/usr/")
_watching: list[bool] = []
_seen: list[str] = []


def _watch(event: str, arguments: tuple[Any, ...]) -> None:
    if not _watching:
        return
    if event in _FORBIDDEN:
        _seen.append(f"{event} {arguments!r}")
    elif event == "open" and not isinstance(arguments[0], int):
        path = str(arguments[0])
        if not path.startswith(_OURS) or path.startswith("/etc"):
            _seen.append(f"open {path}")


sys.addaudithook(_watch)


@contextmanager
def nothing_else_happens() -> Iterator[None]:
    """No file but those of the program is opened, and nothing is started, removed or loaded."""
    _seen.clear()
    _watching.append(True)
    try:
        yield
    finally:
        _watching.clear()
    assert not _seen, _seen
