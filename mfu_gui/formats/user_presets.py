"""The user's own presets: one JSON file each in a folder; read when seen first and when changed."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from mfu_gui.engine.errors import InputError
from mfu_gui.formats import strict_json
from mfu_gui.formats.preset_file import FOLDERS, Kind, Preset, checked_id, decode_hardware, decode_model

MAX_PRESET_BYTES = 4 * 2**20


class BrokenPreset(msgspec.Struct, frozen=True):
    """A file among the user's presets that cannot be used, and why; the error names the file too."""

    path: Path
    error: InputError


_Stamp = tuple[int, int, int]
"""Time, size and inode: a file replaced within one tick of the clock still has another inode."""


def read_preset(path: Path, kind: Kind) -> Preset:
    """The preset in a file; InputError when it is broken or its id is not the file's stem."""
    data, source = strict_json.read_bytes(path, limit=MAX_PRESET_BYTES), str(path)
    preset: Preset = decode_model(data, source) if kind == "mfu-model" else decode_hardware(data, source)
    if preset.id != path.stem:
        raise InputError("id_is_not_stem", "id", id=preset.id, stem=path.stem, file=source)
    return preset


class UserPresets:
    """The presets of one kind in the user's folder; ``refresh`` looks at names and times only."""

    def __init__(self, folder: Path, kind: Kind) -> None:
        self.kind = kind
        self.folder = folder / FOLDERS[kind]
        self._seen: dict[str, tuple[_Stamp, Preset | InputError]] = {}

    def refresh(self) -> bool:
        """Read what is new or changed; whether anything was."""
        found: dict[str, _Stamp] = {}
        try:
            with os.scandir(self.folder) as entries:
                for entry in entries:
                    if entry.name.endswith(".json") and not entry.name.startswith("."):
                        status = entry.stat()
                        found[entry.name] = (status.st_mtime_ns, status.st_size, status.st_ino)
        except OSError:
            # No folder yet, or one that cannot be read: nothing of the user's can be offered.
            found = {}
        changed = found.keys() != self._seen.keys()
        seen: dict[str, tuple[_Stamp, Preset | InputError]] = {}
        for name in sorted(found):
            old = self._seen.get(name)
            if old is not None and old[0] == found[name]:
                seen[name] = old
                continue
            changed = True
            seen[name] = (found[name], self._read(name))
        self._seen = seen
        return changed

    def _read(self, name: str) -> Preset | InputError:
        try:
            return read_preset(self.folder / name, self.kind)
        except InputError as error:
            return error

    def presets(self) -> list[Preset]:
        """The usable ones, by file name."""
        return [preset for _, preset in self._seen.values() if not isinstance(preset, InputError)]

    def broken(self) -> list[BrokenPreset]:
        """The others, by file name."""
        return [
            BrokenPreset(self.folder / name, error)
            for name, (_, error) in self._seen.items()
            if isinstance(error, InputError)
        ]

    def get(self, preset_id: str) -> Preset | None:
        """The preset with this id; None when there is none, InputError when it is broken."""
        entry = self._seen.get(f"{preset_id}.json")
        if entry is None:
            return None
        if isinstance(entry[1], InputError):
            raise entry[1]
        return entry[1]

    def path(self, preset_id: str) -> Path:
        """Where the preset with this id belongs."""
        return self.folder / f"{checked_id(preset_id)}.json"
