"""Reading a model's config.json (Hugging Face's form, Llama's and Mistral's params.json) as a ModelSpec.

Every number comes from the file or from the class default of its ``model_type``; what was not in the file is
listed as an assumption. A type that is not known is refused by name, never read as something similar.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from mfu_gui.engine.errors import InputError, Notice
from mfu_gui.engine.model import MAX_WIDTH, ModelSpec, MoE
from mfu_gui.formats.hf_config.access import Config, Family, kind_of, shortened
from mfu_gui.formats.hf_config.named_size import size_notice
from mfu_gui.formats.hf_config.registry import ALIASES, MODULES, family_of

__all__ = ["ImportedModel", "known_model_types", "read_config"]

_LONGEST_NAME = 80


class ImportedModel(msgspec.Struct, frozen=True, kw_only=True):
    """What a config.json says: the shape, what had to be assumed, the type and a name for the reader."""

    spec: ModelSpec
    assumptions: tuple[Notice, ...]
    model_type: str
    name: str


def known_model_types() -> tuple[str, ...]:
    """Every ``model_type`` that can be read, sorted."""
    from mfu_gui.formats.hf_config.wrappers import WRAPPERS

    return tuple(sorted({*MODULES, *ALIASES, *WRAPPERS}, key=lambda name: (name.lower(), name)))


def read_config(data: Mapping[str, Any], source: str = "") -> ImportedModel:
    """The model that ``data`` (a parsed config.json) describes.

    ``source`` names where it came from and becomes the model's name when the file has none. InputError names
    the key: unknown or missing ``model_type``, a file of another kind, a missing, mistyped, impossible or
    contradicting value.
    """
    from mfu_gui.formats.hf_config.refuse import check_kind
    from mfu_gui.formats.hf_config.wrappers import read_model

    if not isinstance(data, Mapping):
        raise InputError("wrong_type", "", expected="object", found=kind_of(data), value=shortened(data))
    check_kind(data)
    model_type = _model_type(data)
    if model_type is None:
        from mfu_gui.formats.hf_config.params_json import read_params

        spec, assumptions, model_type = read_params(data)
    else:
        spec, assumptions = read_model(data, model_type)
    name = _name(data, source) or model_type
    assumptions += size_notice(spec, name)
    return ImportedModel(spec=replace(spec, name=name), assumptions=assumptions, model_type=model_type, name=name)


def _model_type(data: Mapping[str, Any]) -> str | None:
    value = data.get("model_type")
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        raise InputError("wrong_type", "model_type", expected="str", found=kind_of(value), value=shortened(value))
    return value


def _name(data: Mapping[str, Any], source: str) -> str:
    """The last part of ``_name_or_path``, else ``source``; printable and short."""
    path = data.get("_name_or_path")
    text = path if isinstance(path, str) and path.strip() else source
    tail = text.replace("\\", "/").rstrip("/").rpartition("/")[2]
    return "".join(character for character in tail if character.isprintable())[:_LONGEST_NAME].strip()


def unknown_model_type(model_type: str, place: str = "model_type") -> InputError:
    """The refusal of a type that is not read, with the reason if it is known, else the nearest that is."""
    import difflib

    from mfu_gui.formats.hf_config.refuse import why_unread

    reason = why_unread(model_type)
    if reason is not None:
        return InputError(reason, place, model_type=shortened(model_type))
    known = known_model_types()
    folded = {name.lower(): name for name in reversed(known)}
    near = difflib.get_close_matches(model_type.lower()[:_LONGEST_NAME], folded, n=1, cutoff=0.6)
    values: dict[str, Any] = {"model_type": shortened(model_type), "supported": ", ".join(known)}
    if near:
        values["nearest"] = folded[near[0]]
    return InputError("unknown_model_type", place, **values)


def _checked_family(model_type: str, place: str) -> Any:
    family = family_of(model_type)
    if family is None:
        raise unknown_model_type(model_type, place)
    return family


def read_text_model(data: Mapping[str, Any], model_type: str, path: str = "", *, has_head: bool = True,
                    assumptions: dict[str, Notice] | None = None,
                    defaults: Mapping[str, Any] | None = None) -> tuple[ModelSpec, dict[str, Notice]]:
    """One level of a config as one decoder; ``defaults`` come before those of its class."""
    place = f"{path}.model_type" if path else "model_type"
    family: Family = _checked_family(model_type, place)
    if defaults:
        family = family._replace(defaults={**family.defaults, **defaults})
    config = Config(data, model_type, family, path, assumptions)
    config.has_head = has_head
    return _with_stated_width(family.read(config), data), config.assumptions


def _with_stated_width(spec: ModelSpec, data: Mapping[str, Any]) -> ModelSpec:
    """``intermediate_size`` of a model with experts, where it is not the width that its layers tell.

    Such files often state a width that no layer has (Qwen3-MoE); programs with a dense formula multiply by it.
    """
    stated = data.get("intermediate_size")
    if type(stated) is not int or not 0 < stated <= MAX_WIDTH or stated == spec.mlp_width:
        return spec
    experts = any(isinstance(ffn, MoE) for kind in spec.main.kinds for ffn in kind.ffns)
    return replace(spec, intermediate_size=stated) if experts else spec
