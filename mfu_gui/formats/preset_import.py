"""Taking presets from files: what is in them, what stands in their way, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from msgspec.structs import replace

from mfu_gui.engine.errors import InputError
from mfu_gui.formats import strict_json
from mfu_gui.formats.preset_edit import Conflict
from mfu_gui.formats.preset_file import Preset, decode_preset
from mfu_gui.formats.presets import PresetStore
from mfu_gui.formats.user_presets import MAX_PRESET_BYTES

Decision = Literal["take", "overwrite", "both", "skip"]


class Incoming(NamedTuple):
    """A file that may become a preset of the user's.

    ``conflict``: ``none``; ``same`` (exactly this preset is there already), ``own`` or ``shipped`` (the id
    is that of another one), ``broken`` with the ``error``.
    """

    path: Path
    preset: Preset | None
    conflict: Conflict
    error: InputError | None = None

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """What can be done with it, the careful choice first."""
        choices: dict[Conflict, tuple[Decision, ...]] = {
            "none": ("take", "skip"), "same": ("skip", "both"), "own": ("both", "overwrite", "skip"),
            "shipped": ("both", "skip"), "broken": ("skip",)}
        return choices[self.conflict]


def examine(paths: Iterable[Path], store: PresetStore) -> list[Incoming]:
    """Look at files before anything is written; two files with one id are in each other's way too."""
    found: list[Incoming] = []
    for path in paths:
        try:
            preset = decode_preset(strict_json.read_bytes(path, limit=MAX_PRESET_BYTES), path.name)
        except InputError as error:
            found.append(Incoming(path, None, "broken", error))
            continue
        found.append(Incoming(path, preset, _conflict(preset, found, store)))
    return found


def _conflict(preset: Preset, before: Sequence[Incoming], store: PresetStore) -> Conflict:
    try:
        present: Preset | None = store.get(preset.kind, preset.id)
    except InputError:
        # None of this id, or a broken file of the user's under its name: that one may not be lost unasked.
        broken = any(b.path.stem == preset.id and b.path.parent.name == store.folder_of(preset.kind)
                     for b in store.broken())
        present = None
        if broken:
            return "own"
    if present == preset:
        return "same"
    if present is not None:
        return "shipped" if store.is_shipped(preset.kind, preset.id) else "own"
    twice = any(other.preset is not None and (other.preset.kind, other.preset.id) == (preset.kind, preset.id)
                for other in before)
    return "own" if twice else "none"


def take(incoming: Incoming, decision: Decision, store: PresetStore) -> Preset | None:
    """Do what was decided; the preset that is there now, None for one that was left out.

    InputError as ``PresetStore.save`` raises it.
    """
    preset = incoming.preset
    if preset is None or decision == "skip":
        return None
    if decision == "both":
        free = store.free_id(preset.kind, preset.id)
        if free != preset.id:
            number = free.rpartition("-")[2]
            preset = replace(preset, id=free, name=f"{preset.name} ({number})")
    store.save(preset, overwrite=decision == "overwrite")
    return preset
