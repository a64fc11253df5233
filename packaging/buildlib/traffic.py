"""Which connections a program asked the system for, from strace's record."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

_FAMILY = re.compile(r"\b(?:socket|socketpair)\((\w+)")
_TARGET = re.compile(r"\b(?:connect|sendto|bind)\(.*?sa_family=(\w+)(?:, sun_path=@?\"([^\"]*)\")?")
# Sockets of the same machine: the X server, the compositor, the message bus, the helper of accessibility, and
# (below /var/run) the C library's cache of user names.
LOCAL_PLACES = re.compile(r"^/tmp/\.X11-unix/|/wayland-|/dbus|/at-spi|/bus$|^/run/|^/var/run/")


def command(record: Path, words: Iterable[str]) -> list[str]:
    """The command line that runs `words` and writes down its calls."""
    return ["strace", "-f", "-qq", "-e", "trace=network", "-o", str(record), *words]


def families(record: str) -> set[str]:
    """The kinds of sockets that were made, e.g. {"AF_UNIX"}."""
    return set(_FAMILY.findall(record)) | {family for family, _ in _TARGET.findall(record)}


def places(record: str) -> list[str]:
    """The local sockets that were addressed."""
    return sorted({path for _, path in _TARGET.findall(record) if path})


def foreign(record: str) -> list[str]:
    """The lines of the record that are about anything but sockets of this machine."""
    lines = []
    for line in record.splitlines():
        kinds = set(_FAMILY.findall(line))
        for family, path in _TARGET.findall(line):
            kinds.add(family)
            if family == "AF_UNIX" and path and not LOCAL_PLACES.search(path):
                lines.append(line)
        if kinds - {"AF_UNIX"}:
            lines.append(line)
    return lines
