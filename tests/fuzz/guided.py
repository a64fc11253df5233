"""Byte readers under a fuzzer that looks for new ways through the code (atheris): a program for tests.

`python -m tests.fuzz.guided KIND RUNS FOLDER` reads RUNS inputs; whatever does harm is kept in FOLDER, and the
program ends with another status than 0.
"""

from __future__ import annotations

import importlib
import pkgutil
import struct
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

LONGEST_S = 10
"""An input is read several times slower here, where each branch is counted; plain runs have two seconds."""
MOST_MIB = 1500
LONGEST = 4096
KINDS = ("log", "events", "json", "scenario", "workspace", "preset", "mapping")


def payloads(data: bytes) -> Iterator[bytes]:
    """What the records of an event file hold."""
    at = 0
    while at + 12 <= len(data):
        (length,) = struct.unpack_from("<Q", data, at)
        yield data[at + 12 : at + 12 + length]
        at += length + 16


def event_file(payload: bytes) -> bytes:
    """An event file of one record whose checksums are right: they would keep all else from being read."""
    from mfu_gui.formats.training_logs.crc32c import masked_crc32c

    head = struct.pack("<Q", len(payload))
    return (head + struct.pack("<I", masked_crc32c(head)) + payload + struct.pack("<I", masked_crc32c(payload)))


def one_input(kind: str) -> Callable[[bytes], object]:
    """What is done with each input."""
    from mfu_gui.engine.errors import InputError
    from mfu_gui.formats import strict_json
    from tests.hostile.files import check

    def json_only(data: bytes) -> None:
        for allow_infinity in (False, True):
            try:
                strict_json.parse(data, "x.json", allow_infinity=allow_infinity)
            except InputError:
                continue

    if kind == "json":
        return json_only
    if kind == "events":
        return lambda data: check("events", event_file(data) if data else data)
    return lambda data: check(kind, data)


def write_seeds(kind: str, folder: Path) -> None:
    """What the fuzzer begins with."""
    import json

    from tests.hostile.files import good

    for number, seed in enumerate(good("scenario" if kind == "json" else kind)):
        data = seed if isinstance(seed, bytes) else json.dumps(seed).encode()
        parts = list(payloads(data))[:40] if kind == "events" else [data[:LONGEST] if kind == "log" else data]
        for place, part in enumerate(parts):
            (folder / f"{number}-{place}").write_bytes(part)


def main(kind: str, runs: int, folder: Path) -> None:
    import atheris

    with atheris.instrument_imports(include=["mfu_gui.formats", "mfu_gui.engine"]):
        import mfu_gui.formats

        # All at once: what is imported only when it is needed would not be looked into.
        for module in pkgutil.walk_packages(mfu_gui.formats.__path__, "mfu_gui.formats."):
            importlib.import_module(module.name)
        read = one_input(kind)
    seeds = folder / "seeds"
    seeds.mkdir(parents=True)
    write_seeds(kind, seeds)
    options = [f"-runs={runs}", f"-timeout={LONGEST_S}", f"-rss_limit_mb={MOST_MIB}", "-seed=7", "-print_final_stats=1",
               f"-max_len={LONGEST if kind in ('log', 'events', 'json') else 64_000}", f"-artifact_prefix={folder}/"]
    atheris.Setup([sys.argv[0], *options, str(seeds)], read)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]))
