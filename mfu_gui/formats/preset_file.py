"""Preset files: one model or one accelerator with its source, as JSON.

``{"kind": "mfu-model" | "mfu-hardware", "schema": 1, "id", "name", "source", …, "spec": {…}}``; the id
is the file's stem.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Annotated, Any, Literal, TypeAlias, TypeVar

import msgspec

from mfu_gui.engine.errors import InputError
from mfu_gui.engine.hardware import HardwareSpec
from mfu_gui.engine.model import ModelSpec
from mfu_gui.formats import strict_json
from mfu_gui.formats.convert import convert
from mfu_gui.formats.migrations import migrated

Kind = Literal["mfu-model", "mfu-hardware"]
FOLDERS: dict[Kind, str] = {"mfu-model": "models", "mfu-hardware": "hardware"}
Confidence = Literal["high", "medium", "low", ""]

LONGEST_ID = 80
_ID = re.compile(r"[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?")
_RESERVED = {"con", "prn", "aux", "nul", "index", *(f"{d}{n}" for d in ("com", "lpt") for n in range(10))}
"""Names that Windows keeps for devices, whatever follows a full stop; and the index of the presets."""


class Price(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """On-demand prices of one unit that were seen, in USD an hour, with when and where."""

    low: Annotated[float, msgspec.Meta(gt=0)]
    high: Annotated[float, msgspec.Meta(gt=0)]
    date: str
    sources: tuple[str, ...] = ()


class PresetBase(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What every preset says about itself."""

    kind: str
    schema: Literal[1]
    id: str
    name: str
    source: str = ""
    date: str = ""
    """When the facts were gathered or last checked, as YYYY-MM-DD."""
    confidence: Confidence = ""
    aliases: tuple[str, ...] = ()
    """Other names under which it is looked for."""
    notes: str = ""


class ModelPreset(PresetBase, frozen=True, kw_only=True):
    """A model with its shape and what was published about it."""

    kind: Literal["mfu-model"]
    family: str = ""
    model_type: str = ""
    hf_id: str = ""
    published_total_parameters: Annotated[int, msgspec.Meta(ge=1)] | None = None
    published_active_parameters: Annotated[int, msgspec.Meta(ge=1)] | None = None
    published_source: str = ""
    training_sequence_length: Annotated[int, msgspec.Meta(ge=1)] | None = None
    facts: dict[str, Any] = {}
    """Anything else that is worth keeping; nothing is computed from it."""
    spec: ModelSpec


class HardwarePreset(PresetBase, frozen=True, kw_only=True):
    """An accelerator with its dense peaks and where they were found."""

    kind: Literal["mfu-hardware"]
    vendor: str = ""
    verification: str = ""
    """How the figures were checked."""
    runtime_names: tuple[str, ...] = ()
    """Names under which a driver or framework shows the device."""
    form_factor: str = ""
    architecture: str = ""
    release_year: int | None = None
    memory_type: str = ""
    scale_up_interconnect: str = ""
    price: Price | None = None
    facts: dict[str, Any] = {}
    spec: HardwareSpec


Preset: TypeAlias = ModelPreset | HardwarePreset
P = TypeVar("P", ModelPreset, HardwarePreset)
_TYPES: dict[Kind, type[ModelPreset] | type[HardwarePreset]] = {
    "mfu-model": ModelPreset,
    "mfu-hardware": HardwarePreset,
}


def checked_id(text: str) -> str:
    """``text`` if it can be an id on every system: small letters, digits, ``.``, ``_`` and ``-``.

    InputError ``bad_preset_id`` otherwise, which also keeps paths and device names of Windows out.
    """
    good = (
        len(text) <= LONGEST_ID
        and _ID.fullmatch(text) is not None
        and ".." not in text
        and text.partition(".")[0] not in _RESERVED
    )
    if not good:
        raise InputError("bad_preset_id", "id", id=text)
    return text


def slug(name: str) -> str:
    """An id made of a name; ``preset`` when nothing of it can be used."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    words = re.sub(r"[^a-z0-9.]+", "-", plain)
    text = re.sub(r"\.{2,}", ".", words)[:LONGEST_ID].strip("-.")
    try:
        return checked_id(text)
    except InputError:
        return "preset"


def decode_preset(data: bytes, source: str = "") -> Preset:
    """The preset of either kind in these bytes; ``source`` names the file in errors."""
    value = strict_json.parse(data, source)
    kind = value.get("kind") if isinstance(value, dict) else None
    if not isinstance(kind, str) or kind not in _TYPES:
        from mfu_gui.formats.nearest import nearest

        found = kind if isinstance(kind, str) else None
        raise InputError("unknown_choice", "kind", value=found, nearest=nearest(found, list(_TYPES)),
                         allowed=list(_TYPES), file=source or None)
    return _converted(value, kind, source)


def decode_model(data: bytes, source: str = "") -> ModelPreset:
    """A model preset; InputError for anything else."""
    preset = _converted(strict_json.parse(data, source), "mfu-model", source)
    assert isinstance(preset, ModelPreset)  # noqa: S101 - the kind was checked
    return preset


def decode_hardware(data: bytes, source: str = "") -> HardwarePreset:
    """A hardware preset; InputError for anything else."""
    preset = _converted(strict_json.parse(data, source), "mfu-hardware", source)
    assert isinstance(preset, HardwarePreset)  # noqa: S101 - the kind was checked
    return preset


def _converted(value: Any, kind: Kind, source: str) -> Preset:
    preset = convert(migrated(value, kind, source), _TYPES[kind], source=source)
    checked_id(preset.id)
    return preset


def encode_preset(preset: Preset) -> bytes:
    """The file of a preset: keys in a fixed order, indented, one newline at the end."""
    return msgspec.json.format(msgspec.json.encode(preset), indent=2) + b"\n"
