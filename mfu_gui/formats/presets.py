"""PresetStore: the shipped presets and the user's own, under one name space of ids."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from mfu_gui.engine.errors import InputError
from mfu_gui.formats import strict_json
from mfu_gui.formats.folders import user_folder
from mfu_gui.formats.preset_file import (
    FOLDERS,
    HardwarePreset,
    Kind,
    ModelPreset,
    Preset,
    checked_id,
    decode_hardware,
    decode_model,
    decode_preset,
    encode_preset,
)
from mfu_gui.formats.preset_index import FILE_NAME, PresetInfo, decode_index, info_of
from mfu_gui.formats.user_presets import MAX_PRESET_BYTES, BrokenPreset, UserPresets
from mfu_gui.resources import resource_path

if TYPE_CHECKING:
    from mfu_gui.formats.preset_search import Finder

KINDS: tuple[Kind, ...] = ("mfu-model", "mfu-hardware")


class PresetStore:
    """All presets.

    The index of the shipped ones is read when first needed, a preset's file when it is asked for.
    ``refresh`` looks for changes in the user's folder; every change made here is seen at once.
    """

    def __init__(self, shipped: Path | None = None, user: Path | None = None) -> None:
        """``shipped``: folder with the index, ``user``: the user's presets; by default the usual ones."""
        self._folder = shipped if shipped is not None else resource_path("presets")
        self._user_folder = user
        self._shipped: dict[Kind, dict[str, PresetInfo]] | None = None
        self._finders: dict[Kind | None, Finder] = {}
        self._scanned = False

    # Lists

    def infos(self, kind: Kind | None = None) -> list[PresetInfo]:
        """The presets of a kind (of all), shipped ones first."""
        kinds = KINDS if kind is None else (kind,)
        self._scan()
        infos: list[PresetInfo] = []
        for each in kinds:
            shipped = self._index()[each]
            infos += shipped.values()
            infos += [
                info_of(preset, shipped=False)
                for preset in self._user[each].presets()
                if preset.id not in shipped
            ]
        return infos

    def broken(self) -> list[BrokenPreset]:
        """Files among the user's presets that cannot be used, each with its error."""
        self._scan()
        taken = [
            BrokenPreset(path, InputError("preset_taken", "id", id=preset.id, file=str(path)))
            for kind, user in self._user.items()
            for preset in user.presets()
            if preset.id in self._index()[kind]
            for path in [user.path(preset.id)]
        ]
        return [broken for user in self._user.values() for broken in user.broken()] + taken

    def find(self, text: str, kind: Kind | None = None) -> list[PresetInfo]:
        """Presets for what somebody typed ("A100 80", "405B", "昇腾"), best first."""
        from mfu_gui.formats.preset_search import Finder

        self._scan()
        if kind not in self._finders:
            self._finders[kind] = Finder(self.infos(kind))
        return self._finders[kind].find(text)

    def refresh(self) -> bool:
        """Look at the user's folder again; whether anything changed."""
        changed = [user.refresh() for user in self._user.values()]
        self._scanned = True
        if any(changed):
            self._finders.clear()
        return any(changed)

    # One preset

    def model(self, preset_id: str) -> ModelPreset:
        """A model preset; InputError ``unknown_preset`` with the nearest id."""
        preset = self.get("mfu-model", preset_id)
        assert isinstance(preset, ModelPreset)  # noqa: S101 - for the type checker
        return preset

    def hardware(self, preset_id: str) -> HardwarePreset:
        """A hardware preset; InputError ``unknown_preset`` with the nearest id."""
        preset = self.get("mfu-hardware", preset_id)
        assert isinstance(preset, HardwarePreset)  # noqa: S101 - for the type checker
        return preset

    def get(self, kind: Kind, preset_id: str) -> Preset:
        """The preset of this kind with this id, or InputError ``unknown_preset``."""
        if preset_id in self._index()[kind]:
            path = self._folder / FOLDERS[kind] / f"{preset_id}.json"
            data = strict_json.read_bytes(path)
            return decode_model(data, path.name) if kind == "mfu-model" else decode_hardware(data, path.name)
        self._scan()
        preset = self._user[kind].get(preset_id)
        if preset is None:
            raise InputError("unknown_preset", "", id=preset_id, nearest=self.nearest(kind, preset_id))
        return preset

    def nearest(self, kind: Kind, preset_id: str) -> str | None:
        """The id that was most likely meant, or None."""
        from mfu_gui.formats.nearest import nearest
        from mfu_gui.formats.preset_search import words_of

        by_words = self.find(preset_id, kind) if words_of(preset_id) else []
        return by_words[0].id if by_words else nearest(preset_id, [info.id for info in self.infos(kind)])

    def is_shipped(self, kind: Kind, preset_id: str) -> bool:
        """Whether the id is that of a preset that comes with the program."""
        return preset_id in self._index()[kind]

    # The user's own

    def save(self, preset: Preset, *, overwrite: bool = False) -> Path:
        """Write a preset of the user's and return its path.

        InputError: ``bad_preset_id``; ``preset_taken`` by a shipped one; ``preset_exists`` unless
        ``overwrite``; and what writing can meet.
        """
        path = self._free_path(preset.kind, preset.id, overwrite=overwrite)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError("not_writable", str(path), reason=error.strerror) from error
        try:
            _write(path, preset, new=not overwrite)
        except FileExistsError:
            # Another copy of the program took the id since we looked.
            raise InputError("preset_exists", "id", id=preset.id) from None
        self._changed()
        return path

    def update(self, shown: Preset, change: Callable[[Preset], Preset]) -> Preset:
        """Change a preset of the user's as it is in the folder now; returns what it became.

        ``shown`` is what the user sees, read some time ago: what another program has written since stays, and a
        file that is gone is written again.  InputError of ``change``, of a file that is broken by now, of writing.
        """
        self.refresh()
        present = self._user[shown.kind].get(shown.id)
        changed = change(shown if present is None else present)
        self.save(changed, overwrite=True)
        return changed

    def rename(self, kind: Kind, preset_id: str, new_id: str, new_name: str | None = None) -> Preset:
        """Give a preset of the user's another id, and another name; returns it as it is now."""
        preset = self._own(kind, preset_id)
        renamed = replace(preset, id=new_id, name=preset.name if new_name is None else new_name)
        self.save(renamed, overwrite=new_id == preset_id)
        if new_id != preset_id:
            self._remove(self._user[kind].path(preset_id))
        return renamed

    def delete(self, kind: Kind, preset_id: str) -> None:
        """Remove a preset of the user's, a broken one too; ``preset_is_shipped`` for the others."""
        self._refuse_shipped(kind, preset_id)
        path = self._user[kind].path(preset_id)
        if not path.exists():
            raise InputError("unknown_preset", "", id=preset_id, nearest=None)
        self._remove(path)

    def import_file(self, path: str | Path, *, overwrite: bool = False) -> Preset:
        """Take a preset file from anywhere among the user's presets; the id in it decides its name."""
        source = Path(path)
        preset = decode_preset(strict_json.read_bytes(source, limit=MAX_PRESET_BYTES), source.name)
        self.save(preset, overwrite=overwrite)
        return preset

    def export(self, kind: Kind, preset_id: str, path: str | Path) -> None:
        """Write any preset, shipped or own, to a file."""
        _write(Path(path), self.get(kind, preset_id))

    @staticmethod
    def folder_of(kind: Kind) -> str:
        """Name of the folder that the presets of a kind are in."""
        return FOLDERS[kind]

    def free_id(self, kind: Kind, wanted: str) -> str:
        """``wanted``, or ``wanted-2``, ``wanted-3``, …: an id that nobody has."""
        taken = {info.id for info in self.infos(kind)} | {broken.path.stem for broken in self.broken()}
        number, free = 1, wanted
        while free in taken:
            number += 1
            free = f"{wanted}-{number}"
        return checked_id(free)

    # Inside

    @cached_property
    def _user(self) -> dict[Kind, UserPresets]:
        """Made when first needed: a shipped preset can be had without knowing where the user's are."""
        folder = self._user_folder if self._user_folder is not None else user_folder() / "presets"
        return {kind: UserPresets(folder, kind) for kind in KINDS}

    def _index(self) -> dict[Kind, dict[str, PresetInfo]]:
        if self._shipped is None:
            path = self._folder / FILE_NAME
            index: dict[Kind, dict[str, PresetInfo]] = {kind: {} for kind in KINDS}
            for info in decode_index(strict_json.read_bytes(path), path.name):
                index[info.kind][info.id] = info
            self._shipped = index
        return self._shipped

    def _scan(self) -> None:
        if not self._scanned:
            self.refresh()

    def _changed(self) -> None:
        self.refresh()
        self._finders.clear()

    def _own(self, kind: Kind, preset_id: str) -> Preset:
        self._refuse_shipped(kind, preset_id)
        # What another program wrote since must not be lost.
        self.refresh()
        return self.get(kind, preset_id)

    def _refuse_shipped(self, kind: Kind, preset_id: str) -> None:
        if self.is_shipped(kind, preset_id):
            raise InputError("preset_is_shipped", "id", id=preset_id)

    def _free_path(self, kind: Kind, preset_id: str, *, overwrite: bool) -> Path:
        path = self._user[kind].path(preset_id)
        if self.is_shipped(kind, preset_id):
            raise InputError("preset_taken", "id", id=preset_id)
        if not overwrite and path.exists():
            raise InputError("preset_exists", "id", id=preset_id)
        return path

    def _remove(self, path: Path) -> None:
        try:
            path.unlink()
        except OSError as error:
            raise InputError("not_writable", str(path), reason=error.strerror) from error
        self._changed()


def _write(path: Path, preset: Preset, *, new: bool = False) -> None:
    # What only writing needs is loaded by those who write.
    from mfu_gui.formats import atomic

    atomic.write_bytes(path, encode_preset(preset), new=new)
