"""Saves things over and over in a process of its own, which is killed at random moments: a program for tests.

`python -m tests.formats.saving FOLDER COUNT SEED` kills COUNT times and prints what it saw as JSON.  Every file has
two contents, written in turn; whichever moment a process dies at, one of them must be there, whole.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from mfu_gui.formats.presets import PresetStore
from mfu_gui.formats.scenario_file import read_scenario, write_scenario
from mfu_gui.formats.workspace_file import read_workspace, write_workspace
from mfu_gui.resources import resource_path

KINDS = ("scenario", "workspace", "preset", "settings", "session")
LONGEST_S = 0.03


class Saved(NamedTuple):
    """One kind of file: where it is, the two ways to save it, and how the program reads it."""

    path: Path
    saves: tuple[Callable[[], object], Callable[[], object]]
    read: Callable[[], object]

    def contents(self) -> list[bytes]:
        """What each of the two ways writes."""
        found = []
        for save in self.saves:
            save()
            found.append(self.path.read_bytes())
        if found[0] == found[1]:
            raise AssertionError(f"{self.path}: nothing could be told apart")
        return found


def saved(kind: str, folder: Path) -> Saved:
    """How a kind of file is saved in a folder, each time by what the program itself calls."""
    store = PresetStore(user=folder / "presets")
    example = read_scenario(resource_path("examples", "deepseek-v3-2048-h800.mfu"), store).scenario
    other = replace(example, name="the other", notes="x" * 20_000)
    if kind == "scenario":
        path = folder / "a.mfu"
        return Saved(path, (lambda: write_scenario(path, example), lambda: write_scenario(path, other)),
                     lambda: read_scenario(path, store))
    if kind == "workspace":
        path = folder / "a.mfuw"
        return Saved(path, (lambda: write_workspace(path, [example] * 3),
                            lambda: write_workspace(path, [other, example])), lambda: read_workspace(path, store))
    if kind == "preset":
        preset = store.model("deepseek-v3")
        one, two = (replace(preset, id="mine", name=name) for name in ("one", "the other " * 500))

        def read() -> None:
            store.refresh()
            store.model("mine")
            if store.broken():
                raise AssertionError(store.broken())

        return Saved(folder / "presets" / "models" / "mine.json",
                     (lambda: store.save(one, overwrite=True), lambda: store.save(two, overwrite=True)), read)
    return _settings(folder) if kind == "settings" else _session(folder, [example, other])


def _settings(folder: Path) -> Saved:
    from mfu_gui.ui.settings import Settings

    settings = Settings(folder)

    def save(recent: list[str]) -> None:
        settings.stored.recent = recent
        settings.save()

    def read() -> None:
        if not Settings(folder).stored.recent:
            raise AssertionError("the settings were forgotten")

    return Saved(folder / "settings.json", (lambda: save(["/a.mfu"]), lambda: save(["/" + "b" * 9000])), read)


def _session(folder: Path, scenarios: list[object]) -> Saved:
    """What the window writes down by itself."""
    from mfu_gui.engine.scenario import Scenario
    from mfu_gui.ui import app
    from mfu_gui.ui.session import Session
    from mfu_gui.ui.settings import Settings
    from mfu_gui.ui.workspace import Document

    app.start_qt()
    services = app.make_services(Settings(folder / "of the session"))
    session = Session(services, folder)
    workspace = services.workspace
    for scenario in scenarios:
        assert isinstance(scenario, Scenario)
        document = Document(scenario)
        document.unsaved = True
        workspace.add(document)

    def save(number: int) -> None:
        workspace.activate(workspace.documents[number])
        session.write()

    path = folder / "session-1.json"

    def read() -> None:
        stored = session._read(path)
        if stored is None or len(session._documents(stored, stored.documents, path)) != len(scenarios):
            raise AssertionError("the session cannot be taken up")

    return Saved(path, (lambda: save(0), lambda: save(1)), read)


def kill_while_saving(saved: Saved, moment_s: float) -> None:
    """A child process saves without end and is killed after ``moment_s``."""
    child = os.fork()
    if child == 0:
        try:
            while True:
                for save in saved.saves:
                    save()
        finally:
            os._exit(1)
    time.sleep(moment_s)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status):
        raise AssertionError("the saving process ended by itself")


def run(folder: Path, count: int, seed: int) -> dict[str, int]:
    """Kill ``count`` times; how often each content was found, and how many temporary files were left."""
    chance = random.Random(seed)
    all_saved = []
    for kind in KINDS:
        place = folder / kind
        place.mkdir()
        one = saved(kind, place)
        all_saved.append((one, one.contents()))
    seen = {"first": 0, "other": 0, "left": 0, **dict.fromkeys(KINDS, 0)}
    for number in range(count):
        one, contents = all_saved[number % len(KINDS)]
        one.saves[0]()
        kill_while_saving(one, chance.uniform(0, LONGEST_S))
        data = one.path.read_bytes()
        seen[("first", "other")[contents.index(data)]] += 1
        one.read()
        # What is left has a hidden name of its own, and is never taken for anything.
        left = [entry for entry in one.path.parent.iterdir() if entry.name.startswith(f".{one.path.name}.")]
        if not all(entry.name.endswith(".tmp") for entry in left) or len(left) > 1:
            raise AssertionError(left)
        seen["left"] += len(left)
        seen[KINDS[number % len(KINDS)]] += 1
        for entry in left:
            entry.unlink()
    return seen


if __name__ == "__main__":
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    print(json.dumps(run(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))))
