"""The JSON Schemas of the files that people write: models, hardware, scenarios.

They are made from the types by ``packaging/catalogue.py`` and shipped, because the words on their
fields are the docstrings of the source.
"""

from __future__ import annotations

from mfu_gui.engine.errors import InputError
from mfu_gui.formats.nearest import nearest
from mfu_gui.formats.strict_json import read_bytes
from mfu_gui.resources import resource_path

NAMES = ("model", "hardware", "scenario", "workspace")


def schema_text(name: str) -> str:
    """The JSON Schema called ``name``, indented; InputError ``unknown_choice`` for another name."""
    if name not in NAMES:
        raise InputError("unknown_choice", "", value=name, nearest=nearest(name, list(NAMES)), allowed=list(NAMES))
    return read_bytes(resource_path("schemas", f"{name}.json")).decode()
