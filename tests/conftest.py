"""What every test gets: no screen, no network, no profile of a real user, the same examples each time."""

from __future__ import annotations

import os
import sys
from pathlib import Path

# Before anything imports Qt: it reads these once.
os.environ["QT_QPA_PLATFORM"] = "offscreen"
os.environ["QT_SCALE_FACTOR"] = "1"

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent

# For the tests of packaging/dev.py; last, so that nothing there hides an installed package.
sys.path.append(str(ROOT / "packaging"))

settings.register_profile("default", max_examples=30, derandomize=True, deadline=None, database=None)
settings.register_profile("ci", settings.get_profile("default"), max_examples=200)
settings.register_profile("fuzz", max_examples=2000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

NETWORK_EVENTS = frozenset(
    {
        "socket.connect",
        "socket.bind",
        "socket.sendto",
        "socket.sendmsg",
        "socket.getaddrinfo",
        "socket.gethostbyname",
        "socket.gethostbyaddr",
        "urllib.Request",
    }
)
# Sockets of these kinds never leave the machine (multiprocessing uses them).
LOCAL_ADDRESSES = (str, bytes)


def _forbid_network(event: str, arguments: tuple[object, ...]) -> None:
    if event not in NETWORK_EVENTS:
        return
    if event in {"socket.connect", "socket.bind"} and isinstance(arguments[1], LOCAL_ADDRESSES):
        return
    raise RuntimeError(f"a test must not use the network: {event} {arguments[1:]}")


sys.addaudithook(_forbid_network)


@pytest.fixture(autouse=True)
def profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the user's own files, empty, and the environment that leads there. HOME is untouched."""
    home = tmp_path / "profile"
    monkeypatch.setenv("MFU_GUI_HOME", str(home))
    for name in ("CONFIG", "DATA", "CACHE", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / "xdg" / name.lower()))
    for name in ("LC_ALL", "LC_MESSAGES", "LANGUAGE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "C.UTF-8")
    return home
