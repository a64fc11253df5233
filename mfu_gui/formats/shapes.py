"""What a Struct allows at a place: its keys, choices and bounds.  For values that do not fit."""

from __future__ import annotations

import types
import typing
from functools import cache
from typing import Annotated, Any, Literal

import msgspec

Path = list[str | int]
KEY = "*key"
"""As the last part of a path: the keys of a mapping rather than one of its values."""


def annotation_at(kind: Any, path: Path) -> Any:
    """The annotation of what stands at ``path``; ``Any`` when the path leads nowhere."""
    for part in path:
        kind = step(kind, part)
    return kind


def keys_at(kind: Any, path: Path, found: Any = None) -> list[str]:
    """Keys that an object at ``path`` may have; of tagged alternatives, those of ``found``'s tag."""
    structs = [arm for arm in alternatives(annotation_at(kind, path)) if _is_struct(arm)]
    if isinstance(found, dict) and len(structs) > 1:
        structs = [struct for struct in structs if _has_tag(struct, found)] or structs
    keys: list[str] = []
    for struct in structs:
        config = struct.__struct_config__
        if config.tag_field and config.tag_field not in keys:
            keys.append(config.tag_field)
        keys += [name for name in struct.__struct_encode_fields__ if name not in keys]
    return keys


def choices_at(kind: Any, path: Path) -> list[str | int]:
    """The values that a choice at ``path`` may have; for a tag, the tags."""
    choices = [choice for arm in alternatives(annotation_at(kind, path)) for choice in _literals(arm)]
    if choices or not path:
        return choices
    configs = [arm.__struct_config__ for arm in alternatives(annotation_at(kind, path[:-1])) if _is_struct(arm)]
    return [config.tag for config in configs if config.tag_field == path[-1] and config.tag is not None]


def bounds_at(kind: Any, path: Path) -> tuple[float | None, float | None, float | None]:
    """Least value allowed (inclusive, exclusive) and greatest (inclusive) of a number at ``path``."""
    for arm in alternatives(annotation_at(kind, path)):
        for meta in getattr(arm, "__metadata__", ()):
            if isinstance(meta, msgspec.Meta):
                return meta.ge, meta.gt, meta.le
    return None, None, None


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _has_tag(struct: Any, found: dict[str, Any]) -> bool:
    config = struct.__struct_config__
    return config.tag_field is not None and found.get(config.tag_field) == config.tag


def alternatives(kind: Any) -> list[Any]:
    """The alternatives of a union, flat; anything else is its own only alternative."""
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        return [arm for part in typing.get_args(kind) for arm in alternatives(part)]
    if typing.get_origin(kind) is Annotated:
        inner = typing.get_args(kind)[0]
        if typing.get_origin(inner) in (typing.Union, types.UnionType):
            return alternatives(inner)
    return [kind]


def bare(kind: Any) -> Any:
    """An annotation without what it says about bounds."""
    return typing.get_args(kind)[0] if typing.get_origin(kind) is Annotated else kind


def _literals(kind: Any) -> list[Any]:
    return list(typing.get_args(kind)) if typing.get_origin(kind) is Literal else []


def step(kind: Any, part: str | int) -> Any:
    """The annotation one key or index further, over all alternatives that have such a part."""
    found = [arm for arm in (_step_one(bare(arm), part) for arm in alternatives(kind)) if arm is not Any]
    if not found:
        return Any
    return found[0] if len(found) == 1 else typing.Union[tuple(found)]  # noqa: UP007 - arms known at run time only


@cache
def _hints(struct: Any) -> dict[str, Any]:
    return typing.get_type_hints(struct, include_extras=True)


def _step_one(kind: Any, part: str | int) -> Any:
    if _is_struct(kind):
        if isinstance(part, str) and part in kind.__struct_encode_fields__:
            name = kind.__struct_fields__[kind.__struct_encode_fields__.index(part)]
            return _hints(kind)[name]
        return Any
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if origin is dict:
        return args[0] if part == KEY else args[1]
    if origin is list and isinstance(part, int):
        return args[0]
    if origin is tuple and isinstance(part, int):
        if len(args) == 2 and args[1] is Ellipsis:
            return args[0]
        return args[part] if part < len(args) else Any
    return Any
