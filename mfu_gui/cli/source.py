"""What a command is given to read: a file, standard input, or the id of a preset."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from mfu_gui.engine.errors import InputError, Notice
from mfu_gui.engine.model import ModelSpec
from mfu_gui.formats import strict_json

STDIN = "-"
STDIN_NAME = "stdin"


def read(path: str) -> tuple[bytes, str]:
    """The bytes of a file or, for ``-``, of standard input, and a name for messages.

    One byte more than may be read is enough for the reader to refuse standard input as too large.
    """
    if path != STDIN:
        return strict_json.read_bytes(path), Path(path).name
    stream = getattr(sys.stdin, "buffer", None)
    if stream is None:
        raise InputError("not_readable", STDIN_NAME)
    data: bytes = stream.read(strict_json.MAX_BYTES + 1)
    return data, STDIN_NAME


SUFFIXES = (".mfu", ".mfuw", ".json", ".jsonl", ".txt", ".log")


def looks_like_file(text: str) -> bool:
    """Whether a word is meant as a file: it names one, or is spelled like a path."""
    if text == STDIN or os.sep in text or (os.altsep is not None and os.altsep in text):
        return True
    path = Path(text)
    return path.suffix.lower() in SUFFIXES or path.exists()


class Model(NamedTuple):
    """A model that a command was given, and what is known about it beside its shape."""

    spec: ModelSpec
    model_type: str | None = None
    sequence_length: int | None = None
    assumptions: Iterable[Notice] = ()


def read_model(name: str) -> Model:
    """The model in a config.json, a preset file or a scenario, from a file or standard input, or a preset.

    InputError as their readers raise it; ``unknown_preset`` with the nearest id.
    """
    if not looks_like_file(name):
        from mfu_gui.formats.presets import PresetStore

        try:
            preset = PresetStore().model(name)
        except InputError as error:
            raise InputError(error.code, error.field or "model", **error.values) from error
        return Model(preset.spec, preset.model_type or None, preset.training_sequence_length)
    data, source = read(name)
    value = strict_json.parse(data, source, allow_infinity=True)
    kind = value.get("kind") if isinstance(value, dict) else None
    if kind == "mfu-model":
        from mfu_gui.formats.preset_file import decode_model

        preset = decode_model(data, source)
        return Model(preset.spec, preset.model_type or None, preset.training_sequence_length)
    if kind == "mfu-scenario":
        return _of_scenario(data, source)
    return _of_config(value, source)


def _of_scenario(data: bytes, source: str) -> Model:
    from mfu_gui.formats.presets import PresetStore
    from mfu_gui.formats.scenario_file import load_scenario

    loaded = load_scenario(data, PresetStore(), source=source)
    return Model(loaded.scenario.model, None, loaded.scenario.run.sequence_length, loaded.notices)


def _of_config(value: Any, source: str) -> Model:
    from mfu_gui.formats.hf_config import read_config

    if not isinstance(value, dict):
        raise InputError("wrong_type", source, expected="object")
    try:
        imported = read_config(value, source)
    except InputError as error:
        error.values.setdefault("file", source)
        raise
    return Model(imported.spec, imported.model_type, None, imported.assumptions)
