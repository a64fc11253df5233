"""What a list of presets needs to know of each, without opening its file.

The index of the shipped presets is one generated file, so that hundreds of them cost one read.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from mfu_gui.engine.errors import InputError
from mfu_gui.formats.preset_file import Kind, ModelPreset, Preset

FILE_NAME = "index.json"


class PresetInfo(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of a list of presets."""

    kind: Kind
    id: str
    name: str
    group: str = ""
    """Vendor of a device, family of a model."""
    aliases: tuple[str, ...] = ()
    date: str = ""
    confidence: str = ""
    figures: dict[str, float | int] = {}
    """What a list shows: ``total_parameters``, ``active_parameters``; a device's peaks by precision
    in TFLOP/s, ``memory_gb`` and ``release_year``."""
    shipped: bool = True


class Index(msgspec.Struct, frozen=True, kw_only=True):
    """The file of all shipped presets, in the order of lists."""

    kind: str = "mfu-preset-index"
    schema: int = 1
    presets: tuple[PresetInfo, ...] = ()


def info_of(preset: Preset, *, shipped: bool) -> PresetInfo:
    """The line of a list for a preset."""
    figures: dict[str, float | int]
    if isinstance(preset, ModelPreset):
        group, names = preset.family, [preset.hf_id, *preset.aliases]
        published = (preset.published_total_parameters, preset.published_active_parameters)
        keys = ("total_parameters", "active_parameters")
        figures = {key: value for key, value in zip(keys, published, strict=True) if value is not None}
    else:
        group, names = preset.vendor, [*preset.runtime_names, *preset.aliases]
        figures = {str(precision): peak for precision, peak in preset.spec.peak_tflops.items()}
        if preset.spec.memory_gb is not None:
            figures["memory_gb"] = preset.spec.memory_gb
        if preset.release_year is not None:
            figures["release_year"] = preset.release_year
    aliases = tuple(dict.fromkeys(name for name in names if name))
    return PresetInfo(
        kind=preset.kind, id=preset.id, name=preset.name, group=group, aliases=aliases, date=preset.date,
        confidence=preset.confidence, figures=figures, shipped=shipped,
    )


def encode_index(presets: Iterable[Preset]) -> bytes:
    """The index file: one preset a line, so that a change shows as the line it is."""
    lines = [msgspec.json.encode(info_of(preset, shipped=True)).decode() for preset in presets]
    body = ",\n".join(lines)
    return f'{{"kind":"mfu-preset-index","schema":1,"presets":[\n{body}\n]}}\n'.encode()


def decode_index(data: bytes, source: str) -> tuple[PresetInfo, ...]:
    """The lines of an index file; InputError ``damaged_installation`` when it is not one."""
    try:
        return msgspec.json.decode(data, type=Index).presets
    except msgspec.MsgspecError as error:
        raise InputError("damaged_installation", source) from error
