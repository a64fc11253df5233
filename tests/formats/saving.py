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

from msgspec.structs import replace

from mfu_gui.formats.preset_file import ModelPreset, encode_preset
from mfu_gui.formats.presets import PresetStore
from mfu_gui.formats.scenario_file import dump_scenario, read_scenario, write_scenario
from mfu_gui.formats.workspace_file import dump_workspace, read_workspace, write_workspace
from mfu_gui.resources import resource_path

KINDS = ("scenario", "workspace", "preset")
LONGEST_S = 0.03


class Saved:
    """One kind of file: how it is saved, and what may be in it."""

    def __init__(self, kind: str, folder: Path, store: PresetStore) -> None:
        example = read_scenario(resource_path("examples", "deepseek-v3-2048-h800.mfu"), store).scenario
        other = replace(example, name="the other", notes="x" * 20_000)
        self.store = store
        self.kind = kind
        preset = store.model("deepseek-v3")
        presets = [replace(preset, id="mine", name=name) for name in ("one", "the other " * 500)]
        self.path = {"scenario": folder / "a.mfu", "workspace": folder / "a.mfuw",
                     "preset": folder / "presets" / "models" / "mine.json"}[kind]
        pairs: dict[str, tuple[list[Callable[[], object]], list[bytes]]] = {
            "scenario": ([lambda: write_scenario(self.path, example), lambda: write_scenario(self.path, other)],
                         [dump_scenario(example), dump_scenario(other)]),
            "workspace": ([lambda: write_workspace(self.path, [example] * 3),
                           lambda: write_workspace(self.path, [other, example])],
                          [dump_workspace([example] * 3), dump_workspace([other, example])]),
            "preset": ([lambda: self._save(presets[0]), lambda: self._save(presets[1])],
                       [encode_preset(each) for each in presets]),
        }
        self.saves, self.contents = pairs[kind]

    def _save(self, preset: ModelPreset) -> None:
        self.store.save(preset, overwrite=True)

    def read(self) -> None:
        """Read the file as the program does; an InputError would be a half-written one."""
        if self.kind == "scenario":
            read_scenario(self.path, self.store)
        elif self.kind == "workspace":
            read_workspace(self.path, self.store)
        else:
            self.store.refresh()
            self.store.model("mine")
            if self.store.broken():
                raise AssertionError(self.store.broken())


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
    store = PresetStore(user=folder / "presets")
    all_saved = [Saved(kind, folder, store) for kind in KINDS]
    seen = {"first": 0, "other": 0, "left": 0}
    for number in range(count):
        saved = all_saved[number % len(KINDS)]
        saved.saves[0]()
        kill_while_saving(saved, chance.uniform(0, LONGEST_S))
        data = saved.path.read_bytes()
        seen[("first", "other")[saved.contents.index(data)]] += 1
        saved.read()
        # What is left has a hidden name of its own, and is never taken for anything.
        left = [entry for entry in saved.path.parent.iterdir() if entry.name.startswith(f".{saved.path.name}.")]
        if not all(entry.name.endswith(".tmp") for entry in left) or len(left) > 1:
            raise AssertionError(left)
        seen["left"] += len(left)
        for entry in left:
            entry.unlink()
    return seen


if __name__ == "__main__":
    print(json.dumps(run(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))))
